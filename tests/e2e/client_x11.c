#include "tests/e2e/client_x11.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <X11/Xatom.h>
#include <X11/Xutil.h>

#include <criterion/criterion.h>

void client_show(struct client *client, const char *title, size_t title_len)
{
    Window root = DefaultRootWindow(client->display);
    client->window = XCreateSimpleWindow(client->display, root, 0, 0, 400, 300, 0, 0, 0xffffff);
    XSetWMProtocols(client->display, client->window, &client->ping, 1);
    XChangeProperty(client->display, client->window, XA_WM_NAME, XA_STRING, 8, PropModeReplace,
                    (const unsigned char *)title, (int)title_len);
    XMapWindow(client->display, client->window);
    XFlush(client->display);
}

bool client_take_ping(struct client *client, int wait_ms, XEvent *ping)
{
    struct pollfd server = {.fd = ConnectionNumber(client->display), .events = POLLIN};
    if (!XPending(client->display))
        poll(&server, 1, wait_ms);
    if (!XPending(client->display))
        return false;
    XNextEvent(client->display, ping);
    return ping->type == ClientMessage && ping->xclient.message_type == client->protocols &&
           (Atom)ping->xclient.data.l[0] == client->ping;
}

void client_answer(struct client *client, const XEvent *ping)
{
    XEvent answer = *ping;
    answer.xclient.window = DefaultRootWindow(client->display);
    XSendEvent(client->display, answer.xclient.window, False,
               SubstructureNotifyMask | SubstructureRedirectMask, &answer);
    XFlush(client->display);
}

uint32_t client_start(void (*act)(struct client *client))
{
    pid_t pid = fork();
    if (pid == 0) {
        struct client client = {.display = XOpenDisplay(NULL)};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (!client.display)
            _exit(1);
        client.protocols = XInternAtom(client.display, "WM_PROTOCOLS", False);
        client.ping = XInternAtom(client.display, "_NET_WM_PING", False);
        act(&client);
        _exit(0);
    }
    cr_assert_gt(pid, 0);
    return (uint32_t)pid;
}

/* Binds to, or connects to, the socket of the server of this number. */
static int server_socket(int number, bool is_own)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int len = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "/tmp/.X11-unix/X%d",
                       number); /* in the abstract namespace, so that no file is left behind */
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int result = is_own ? bind(file, (struct sockaddr *)&address, size)
                        : connect(file, (struct sockaddr *)&address, size);
    if (result == 0)
        return file;
    close(file);
    return -1;
}

static void forward(int from, int to)
{
    struct pollfd ends[] = {{.fd = from, .events = POLLIN}, {.fd = to, .events = POLLIN}};
    char bytes[4096];
    while (poll(ends, 2, -1) > 0)
        for (int i = 0; i < 2; i++) {
            ssize_t len = ends[i].revents ? read(ends[i].fd, bytes, sizeof bytes) : 0;
            if (ends[i].revents && (len <= 0 || write(ends[!i].fd, bytes, (size_t)len) != len))
                return;
        }
}

void client_start_forwarder(char display[16])
{
    int number = 4000, own = -1;
    const char *server = strchr(getenv("DISPLAY"), ':');
    while (own < 0 && number < 5000)
        own = server_socket(++number, true);
    cr_assert(own >= 0 && listen(own, 1) == 0);
    snprintf(display, 16, ":%d", number);
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        forward(accept(own, NULL, NULL), server_socket(atoi(server + 1), false));
        _exit(0);
    }
    close(own);
}
