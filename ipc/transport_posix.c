#include "ipc/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/plain/clock.h"

#define BACKLOG 16
#define RETRY_NS (5 * UM_CLOCK_NS_PER_MS)

struct um_listener {
    int fd;
    int wake[2]; /* a pipe: what is written to [1] interrupts accept */
    struct sockaddr_un address;
};

struct um_conn {
    int fd;
    uint32_t peer_pid;
    atomic_int is_shut;
};

/* errno in the project's codes: the one place on Linux. */
static enum um_status status_of(int error)
{
    switch (error) {
    case 0:
        return UM_OK;
    case EPIPE:
    case ECONNRESET:
    case ENOTCONN:
    case ESHUTDOWN:
        return UM_ERR_CLOSED;
    case ENOENT:
    case ECONNREFUSED:
        return UM_ERR_NOT_FOUND;
    case EACCES:
    case EPERM:
        return UM_ERR_DENIED;
    case EADDRINUSE:
    case EEXIST:
        return UM_ERR_EXISTS;
    case EAGAIN: /* of connect: more are waiting than fit */
    case ETIMEDOUT:
        return UM_ERR_TIMEOUT;
    case ENOMEM:
    case ENOBUFS:
        return UM_ERR_MEMORY;
    default:
        return UM_ERR_IO;
    }
}

/* Waits until one of the descriptors is ready. Errors: UM_ERR_TIMEOUT; UM_ERR_IO. */
static enum um_status wait_until(struct pollfd *fds, nfds_t count, uint64_t end_ns)
{
    for (;;) {
        uint64_t now_ns = um_clock_now_ns();
        int timeout_ms = -1;
        if (end_ns != UINT64_MAX) {
            uint64_t left_ns = end_ns > now_ns ? end_ns - now_ns : 0;
            uint64_t left_ms = (left_ns + UM_CLOCK_NS_PER_MS - 1) / UM_CLOCK_NS_PER_MS;
            timeout_ms = left_ms > INT_MAX ? INT_MAX : (int)left_ms;
        }
        int ready = poll(fds, count, timeout_ms);
        if (ready > 0)
            return UM_OK;
        if (ready < 0 && errno != EINTR)
            return UM_ERR_IO;
        if (um_clock_now_ns() >= end_ns)
            return UM_ERR_TIMEOUT;
    }
}

/* A folder that only we can look into. Errors: UM_ERR_DENIED it is somebody else's or open to
 * others; UM_ERR_IO. */
static enum um_status make_folder(const char *path)
{
    struct stat info;
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return status_of(errno);
    if (lstat(path, &info) != 0)
        return status_of(errno);
    if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 077) != 0)
        return UM_ERR_DENIED;
    return UM_OK;
}

/* The folder and the address of a name. */
static enum um_status find_address(const char *name, char *folder, size_t folder_bytes,
                                   struct sockaddr_un *address)
{
    if (!um_transport_name_is_valid(name))
        return UM_ERR_ARG;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    size_t room = sizeof address->sun_path - sizeof "/uimon/" - UM_TRANSPORT_NAME_BYTES;
    enum um_status status = UM_ERR_NOT_FOUND;
    if (runtime && runtime[0] == '/' && strlen(runtime) <= room) {
        snprintf(folder, folder_bytes, "%s/uimon", runtime);
        status = make_folder(folder);
    }
    /* The folder of the variable may not exist. */
    if (status == UM_ERR_NOT_FOUND) {
        snprintf(folder, folder_bytes, "/tmp/uimon-%u", (unsigned)geteuid());
        status = make_folder(folder);
    }
    if (status != UM_OK)
        return status;
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    int written = snprintf(address->sun_path, sizeof address->sun_path, "%s/%s", folder, name);
    return written > 0 && (size_t)written < sizeof address->sun_path ? UM_OK : UM_ERR_ARG;
}

static int open_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Who is at the other end. Errors: UM_ERR_DENIED another user; UM_ERR_IO. */
static enum um_status check_peer(int fd, uint32_t *pid)
{
    struct ucred peer;
    socklen_t peer_bytes = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_bytes) != 0)
        return UM_ERR_IO;
    if (peer.uid != geteuid())
        return UM_ERR_DENIED;
    *pid = (uint32_t)peer.pid;
    return UM_OK;
}

/* Takes over `fd`, also when it fails. */
static enum um_status adopt(int fd, struct um_conn **conn)
{
    uint32_t pid = 0;
    enum um_status status = check_peer(fd, &pid);
    struct um_conn *made = status == UM_OK ? calloc(1, sizeof *made) : NULL;
    if (!made) {
        close(fd);
        return status == UM_OK ? UM_ERR_MEMORY : status;
    }
    made->fd = fd;
    made->peer_pid = pid;
    *conn = made;
    return UM_OK;
}

static enum um_status try_connect(const struct sockaddr_un *address, struct um_conn **conn)
{
    int fd = open_socket();
    if (fd < 0)
        return status_of(errno);
    if (connect(fd, (const struct sockaddr *)address, sizeof *address) != 0) {
        enum um_status status = status_of(errno);
        close(fd);
        return status;
    }
    return adopt(fd, conn);
}

static enum um_status socket_connect(const char *name, uint32_t timeout_ms, struct um_conn **conn)
{
    char folder[PATH_MAX];
    struct sockaddr_un address;
    enum um_status status = find_address(name, folder, sizeof folder, &address);
    if (status != UM_OK)
        return status;
    uint64_t end_ns = um_transport_deadline_ns(timeout_ms);
    for (;;) {
        status = try_connect(&address, conn);
        if (status != UM_ERR_NOT_FOUND && status != UM_ERR_TIMEOUT)
            return status;
        if (um_clock_now_ns() >= end_ns)
            return status;
        um_clock_sleep_ns(RETRY_NS);
    }
}

/* Whether the socket's file was left behind by a process that has ended. This connects with a
 * datagram socket, because a living listener does not notice that. */
static int is_stale(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    int result = connect(fd, (const struct sockaddr *)address, sizeof *address);
    int stale = result != 0 && errno == ECONNREFUSED;
    close(fd);
    return stale;
}

/* Thread: holds the folder's lock, so that of two that find the same stale file, the slower one
 * does not remove the faster one's new socket. */
static enum um_status bind_and_listen(int fd, const struct sockaddr_un *address)
{
    const struct sockaddr *at = (const struct sockaddr *)address;
    int error = bind(fd, at, sizeof *address) == 0 ? 0 : errno;
    if (error == EADDRINUSE && is_stale(address)) {
        unlink(address->sun_path);
        error = bind(fd, at, sizeof *address) == 0 ? 0 : errno;
    }
    if (error == 0 && listen(fd, BACKLOG) != 0)
        error = errno;
    return status_of(error);
}

static void socket_close_listener(struct um_listener *listener)
{
    if (!listener)
        return;
    /* The name goes first. After the socket, another process could find the file stale and replace
     * it. */
    if (listener->address.sun_path[0])
        unlink(listener->address.sun_path);
    if (listener->fd >= 0)
        close(listener->fd);
    for (int i = 0; i < 2; i++)
        if (listener->wake[i] >= 0)
            close(listener->wake[i]);
    free(listener);
}

static enum um_status socket_listen(const char *name, uint32_t client_pid,
                                    struct um_listener **listener)
{
    (void)client_pid; /* there are no integrity levels */
    char folder[PATH_MAX];
    struct sockaddr_un address;
    enum um_status status = find_address(name, folder, sizeof folder, &address);
    if (status != UM_OK)
        return status;
    struct um_listener *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->wake[0] = -1;
    made->wake[1] = -1;
    made->fd = open_socket();
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (made->fd < 0 || lock < 0 || pipe2(made->wake, O_CLOEXEC | O_NONBLOCK) != 0 ||
        flock(lock, LOCK_EX) != 0)
        status = status_of(errno);
    else
        status = bind_and_listen(made->fd, &address);
    if (lock >= 0)
        close(lock);
    if (status != UM_OK) {
        socket_close_listener(made);
        return status;
    }
    made->address = address;
    *listener = made;
    return UM_OK;
}

static enum um_status socket_accept(struct um_listener *listener, uint32_t timeout_ms,
                                    struct um_conn **conn)
{
    uint64_t end_ns = um_transport_deadline_ns(timeout_ms);
    for (;;) {
        struct pollfd fds[2] = {{.fd = listener->wake[0], .events = POLLIN},
                                {.fd = listener->fd, .events = POLLIN}};
        enum um_status status = wait_until(fds, 2, end_ns);
        if (status != UM_OK)
            return status;
        if (fds[0].revents)
            return UM_ERR_CLOSED;
        int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            /* The client may have gone again. */
            if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR)
                continue;
            return status_of(errno);
        }
        status = adopt(fd, conn);
        if (status != UM_ERR_DENIED)
            return status;
    }
}

static void socket_interrupt(struct um_listener *listener)
{
    /* A full pipe will do: accept only looks whether there is something in it. */
    ssize_t written = write(listener->wake[1], "", 1);
    (void)written;
}

static int is_shut(struct um_conn *conn)
{
    return atomic_load(&conn->is_shut);
}

static enum um_status socket_read(struct um_conn *conn, void *buf, size_t cap_bytes,
                                  uint32_t timeout_ms, size_t *len_bytes)
{
    if (cap_bytes == 0)
        return UM_ERR_ARG;
    uint64_t end_ns = um_transport_deadline_ns(timeout_ms);
    while (!is_shut(conn)) {
        ssize_t got = recv(conn->fd, buf, cap_bytes, 0);
        if (got > 0) {
            *len_bytes = (size_t)got;
            return UM_OK;
        }
        if (got == 0)
            return UM_ERR_CLOSED;
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN)
            return status_of(errno);
        struct pollfd fds[1] = {{.fd = conn->fd, .events = POLLIN}};
        enum um_status status = wait_until(fds, 1, end_ns);
        if (status != UM_OK)
            return status;
    }
    return UM_ERR_CLOSED;
}

static enum um_status socket_write(struct um_conn *conn, const void *buf, size_t len_bytes,
                                   uint32_t timeout_ms)
{
    uint64_t end_ns = um_transport_deadline_ns(timeout_ms);
    const uint8_t *left = buf;
    while (!is_shut(conn)) {
        if (len_bytes == 0)
            return UM_OK;
        ssize_t sent = send(conn->fd, left, len_bytes, MSG_NOSIGNAL);
        if (sent >= 0) {
            left += sent;
            len_bytes -= (size_t)sent;
            continue;
        }
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN)
            return status_of(errno);
        struct pollfd fds[1] = {{.fd = conn->fd, .events = POLLOUT}};
        enum um_status status = wait_until(fds, 1, end_ns);
        if (status != UM_OK)
            return status;
    }
    return UM_ERR_CLOSED;
}

static intptr_t socket_release(struct um_conn *conn)
{
    int fd = conn->fd;
    free(conn);
    return fd;
}

static enum um_status socket_adopt(intptr_t handle, struct um_conn **conn)
{
    struct stat info;
    if (handle < 0 || handle > INT_MAX || fstat((int)handle, &info) != 0)
        return UM_ERR_ARG;
    if (S_ISSOCK(info.st_mode))
        return adopt((int)handle, conn);
    close((int)handle);
    return UM_ERR_ARG;
}

static enum um_status socket_peer_pid(struct um_conn *conn, uint32_t *pid)
{
    *pid = conn->peer_pid;
    return UM_OK;
}

static void socket_shut(struct um_conn *conn)
{
    atomic_store(&conn->is_shut, 1);
    shutdown(conn->fd, SHUT_RDWR);
}

static void socket_close(struct um_conn *conn)
{
    if (!conn)
        return;
    close(conn->fd);
    free(conn);
}

enum um_status um_transport_random_bits(uint8_t *bits, size_t len_bytes)
{
    return getentropy(bits, len_bytes) == 0 ? UM_OK : UM_ERR_IO;
}

uint32_t um_transport_own_pid(void)
{
    return (uint32_t)getpid();
}

const struct um_transport *um_transport_system(void)
{
    static const struct um_transport transport = {
        .label = "unix socket",
        .listen = socket_listen,
        .accept = socket_accept,
        .close_listener = socket_close_listener,
        .interrupt = socket_interrupt,
        .connect = socket_connect,
        .read = socket_read,
        .write = socket_write,
        .release = socket_release,
        .adopt = socket_adopt,
        .peer_pid = socket_peer_pid,
        .shut = socket_shut,
        .close = socket_close,
    };
    return &transport;
}
