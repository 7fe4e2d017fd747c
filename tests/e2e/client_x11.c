#include "tests/e2e/client_x11.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
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

void wait_beat(const struct target *target)
{
    const char *out, *err;
    cr_assert_eq(
        run(&out, &err, "uimon", "query", decimal(target->pid), "input-latency-ms.max", NULL), 0,
        "%s", err);
}
