/* Transports: one contract for how bytes get from one process to another on this machine.
 *
 * Backends: the named pipe (transport_win32.c) and the Unix socket (transport_posix.c), and for
 * tests one in memory (tests/conformance/transport_memory.c). All of them pass
 * tests/conformance/transport_suite.c. A reader starts at struct um_transport. A connection carries
 * bytes both ways, in order, without boundaries. One thread may read while another writes; two
 * threads may not do the same at once. Not on the hot path: may allocate.
 *
 * Security: only the same user may connect, on this machine only. The named pipe is made with
 * FILE_FLAG_FIRST_PIPE_INSTANCE and PIPE_REJECT_REMOTE_CLIENTS, a DACL of individual rights for the
 * current user, and a mandatory label that lets processes of a lower integrity level neither read
 * nor write. Clients open it with SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION. (Wine accepts
 * all of this and does not enforce it.) The Unix socket lies in a folder of mode 0700, and both
 * sides check SO_PEERCRED. Names should be made by um_transport_random_name, so that nobody can
 * take them first. They are not secret: every program can list the existing pipes.
 */
#ifndef UM_IPC_TRANSPORT_H
#define UM_IPC_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/clock.h"
#include "base/plain/status.h"

/* With its NUL. A Unix socket's path has 108 bytes, and its folder needs some of them. */
#define UM_TRANSPORT_NAME_BYTES 80
#define UM_TRANSPORT_FOREVER UINT32_C(0xffffffff)

struct um_listener;
struct um_conn;

struct um_transport {
    const char *label; /* for people, such as "named pipe" */

    /* Makes the name known; clients can connect from now on.
     * Units: `name` is letters, digits, '-', '_' and '.' (not first), without the system's prefix.
     * `client_pid` is the process that is to connect, if its integrity level may be lower than this
     * process's; 0: no lower one may connect.
     * Owner: close with close_listener. Thread: any; never waits for a client.
     * Errors: UM_ERR_EXISTS the name is taken, by a listener or (named pipe) by a connection that
     * outlived one; UM_ERR_ARG a bad name; UM_ERR_DENIED; UM_ERR_MEMORY; UM_ERR_IO. */
    enum um_status (*listen)(const char *name, uint32_t client_pid, struct um_listener **listener);

    /* Waits for the next connection. Owner: close with close. Thread: one at a time; blocks.
     * Errors: UM_ERR_TIMEOUT; UM_ERR_CLOSED close_listener was called; UM_ERR_IO. */
    enum um_status (*accept)(struct um_listener *listener, uint32_t timeout_ms,
                             struct um_conn **conn);

    /* Stops listening and releases the listener; accepted connections live on, and whoever
     * connected and was not accepted finds the connection closed. Accepts NULL.
     * Thread: not while another thread is in accept (wake it with interrupt first). */
    void (*close_listener)(struct um_listener *listener);

    /* Makes the present and every later accept on this listener return UM_ERR_CLOSED.
     * Thread: any. */
    void (*interrupt)(struct um_listener *listener);

    /* Connects to a name; it may succeed before the other side accepts. Owner: close with close.
     * Thread: blocks up to `timeout_ms`, also while the name does not exist yet; 0 tries once.
     * Errors: UM_ERR_NOT_FOUND nobody listens there; UM_ERR_DENIED another user's; UM_ERR_TIMEOUT
     * somebody listens but does not accept; UM_ERR_ARG; UM_ERR_MEMORY; UM_ERR_IO. */
    enum um_status (*connect)(const char *name, uint32_t timeout_ms, struct um_conn **conn);

    /* Reads at least one byte and at most `cap_bytes`. Thread: blocks up to `timeout_ms`; 0 polls.
     * Errors: UM_ERR_TIMEOUT nothing was read, and nothing is lost; UM_ERR_CLOSED the other side
     * is gone and everything was read, or shut was called; UM_ERR_ARG no room; UM_ERR_IO. */
    enum um_status (*read)(struct um_conn *conn, void *buf, size_t cap_bytes, uint32_t timeout_ms,
                           size_t *len_bytes);

    /* Writes all bytes, which may then wait unread at the other side. Thread: blocks up to
     * `timeout_ms` while the other side does not read; 0 sends only what goes at once.
     * Errors: UM_ERR_TIMEOUT, after which a part may have been sent: only close is left;
     * UM_ERR_CLOSED; UM_ERR_IO. */
    enum um_status (*write)(struct um_conn *conn, const void *buf, size_t len_bytes,
                            uint32_t timeout_ms);

    /* Releases a connection without closing it, and returns the system's handle, which a child
     * process can inherit. Owner: adopt takes it over.
     * Thread: no other may be using the connection. */
    intptr_t (*release)(struct um_conn *conn);

    /* Takes over the handle of release, in this process or in a child that inherited it, even if it
     * fails. Owner: close with close. Errors: UM_ERR_ARG it is not a client's end of this kind;
     * UM_ERR_DENIED another user's; UM_ERR_MEMORY; UM_ERR_IO. */
    enum um_status (*adopt)(intptr_t handle, struct um_conn **conn);

    /* The process at the other end. Process ids are reused: check a nonce as well.
     * Thread: any; never blocks. Errors: UM_ERR_UNSUPPORTED; UM_ERR_IO. */
    enum um_status (*peer_pid)(struct um_conn *conn, uint32_t *pid);

    /* Makes present and later reads and writes on this connection return UM_ERR_CLOSED.
     * Thread: any. */
    void (*shut)(struct um_conn *conn);

    /* Ends the connection and releases it. Accepts NULL. Thread: no other may be using it. */
    void (*close)(struct um_conn *conn);
};

/* The system's transport. Owner: static. Thread: any. */
const struct um_transport *um_transport_system(void);

/* Makes a name "uimon-<purpose>-<32 hex digits>" of 128 random bits, which `nonce` gets if it is
 * not NULL.
 * Units: `name` has UM_TRANSPORT_NAME_BYTES. Thread: any. Errors: UM_ERR_IO no random numbers;
 * UM_ERR_ARG as um_transport_name. */
enum um_status um_transport_random_name(const char *purpose, char *name, uint8_t nonce[16]);

/* Makes the name for a nonce, as both sides of the hook pipe do.
 * Units: as above. Thread: any. Errors: UM_ERR_ARG the purpose is too long, or has a character that
 * no name may have. */
enum um_status um_transport_name(const char *purpose, const uint8_t nonce[16], char *name);

/* For the backends: whether listen and connect may take this name. Thread: any. */
int um_transport_name_is_valid(const char *name);

/* For the backends: when a wait that begins now is over; UINT64_MAX: never. */
static inline uint64_t um_transport_deadline_ns(uint32_t timeout_ms)
{
    if (timeout_ms == UM_TRANSPORT_FOREVER)
        return UINT64_MAX;
    return um_clock_now_ns() + timeout_ms * UM_CLOCK_NS_PER_MS;
}

/* From the system's backend: random bits that nobody can predict.
 * Thread: any. Errors: UM_ERR_IO. */
enum um_status um_transport_random_bits(uint8_t *bits, size_t len_bytes);

/* From the system's backend: this process's id. Thread: any. */
uint32_t um_transport_own_pid(void);

#endif
