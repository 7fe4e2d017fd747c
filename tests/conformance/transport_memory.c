#include "tests/conformance/transport_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/thread.h"

#define FLOW_BYTES ((size_t)256 * 1024)
#define BACKLOG 16

/* Bytes on their way in one direction. */
struct flow {
    uint8_t *bytes;
    size_t start; /* of the bytes that were not read yet */
    size_t len_bytes;
};

/* Both ends of a connection; end i reads flow[i] and writes flow[1 - i]. */
struct pair {
    struct um_thread_mutex mutex;
    struct um_thread_cond changed;
    struct flow flows[2];
    int is_open[2];
};

struct um_conn {
    struct pair *pair;
    int end;
    int is_shut; /* under the pair's mutex */
};

struct um_listener {
    struct um_listener *next;
    char name[UM_TRANSPORT_NAME_BYTES];
    struct um_conn *waiting[BACKLOG]; /* the servers' ends of connections not accepted yet */
    size_t waiting_count;
    int is_interrupted;
};

/* All the listeners of this process, and what they hold, are under one mutex. */
static struct um_thread_mutex names_mutex;
static struct um_thread_cond names_changed;
static struct um_listener *listeners;

/* Waits for a change until the deadline. Errors: UM_ERR_TIMEOUT it had passed already. */
static enum um_status wait_until(struct um_thread_cond *cond, struct um_thread_mutex *mutex,
                                 uint64_t end_ns)
{
    uint64_t now_ns = um_clock_now_ns();
    if (now_ns >= end_ns)
        return UM_ERR_TIMEOUT;
    um_thread_wait(cond, mutex, end_ns == UINT64_MAX ? UM_THREAD_FOREVER_NS : end_ns - now_ns);
    return UM_OK;
}

static void free_pair(struct pair *pair)
{
    if (pair) {
        free(pair->flows[0].bytes);
        free(pair->flows[1].bytes);
    }
    free(pair);
}

/* Releases a connection that nobody was given an end of. */
static void free_ends(struct um_conn *ends[2], struct pair *pair)
{
    free_pair(pair);
    free(ends[0]);
    free(ends[1]);
}

static enum um_status make_pair(struct um_conn *ends[2])
{
    struct pair *pair = calloc(1, sizeof *pair);
    for (int i = 0; i < 2; i++) {
        ends[i] = calloc(1, sizeof *ends[i]);
        if (pair)
            pair->flows[i].bytes = malloc(FLOW_BYTES);
    }
    if (!pair || !ends[0] || !ends[1] || !pair->flows[0].bytes || !pair->flows[1].bytes) {
        free_ends(ends, pair);
        return UM_ERR_MEMORY;
    }
    for (int i = 0; i < 2; i++) {
        ends[i]->pair = pair;
        ends[i]->end = i;
        pair->is_open[i] = 1;
    }
    return UM_OK;
}

static void memory_close(struct um_conn *conn)
{
    if (!conn)
        return;
    struct pair *pair = conn->pair;
    um_thread_lock(&pair->mutex);
    pair->is_open[conn->end] = 0;
    int is_last = !pair->is_open[1 - conn->end];
    um_thread_broadcast(&pair->changed);
    um_thread_unlock(&pair->mutex);
    if (is_last)
        free_pair(pair);
    free(conn);
}

static struct um_listener **find_name(const char *name)
{
    struct um_listener **at = &listeners;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

static enum um_status memory_listen(const char *name, uint32_t client_pid,
                                    struct um_listener **listener)
{
    (void)client_pid; /* there are no integrity levels */
    if (!um_transport_name_is_valid(name))
        return UM_ERR_ARG;
    struct um_listener *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    memcpy(made->name, name, strlen(name) + 1);

    um_thread_lock(&names_mutex);
    struct um_listener **at = find_name(name);
    int exists = *at != NULL;
    if (!exists)
        *at = made;
    um_thread_broadcast(&names_changed);
    um_thread_unlock(&names_mutex);
    if (exists) {
        free(made);
        return UM_ERR_EXISTS;
    }
    *listener = made;
    return UM_OK;
}

static enum um_status memory_accept(struct um_listener *listener, uint32_t timeout_ms,
                                    struct um_conn **conn)
{
    uint64_t end_ns = um_transport_deadline_ns(timeout_ms);
    enum um_status status = UM_OK;
    um_thread_lock(&names_mutex);
    while (status == UM_OK && !listener->is_interrupted && listener->waiting_count == 0)
        status = wait_until(&names_changed, &names_mutex, end_ns);
    if (listener->is_interrupted)
        status = UM_ERR_CLOSED;
    if (status == UM_OK) {
        *conn = listener->waiting[0];
        listener->waiting_count--;
        memmove(listener->waiting, listener->waiting + 1,
                listener->waiting_count * sizeof listener->waiting[0]);
        um_thread_broadcast(&names_changed);
    }
    um_thread_unlock(&names_mutex);
    return status;
}

static void memory_interrupt(struct um_listener *listener)
{
    um_thread_lock(&names_mutex);
    listener->is_interrupted = 1;
    um_thread_broadcast(&names_changed);
    um_thread_unlock(&names_mutex);
}

static void memory_close_listener(struct um_listener *listener)
{
    if (!listener)
        return;
    um_thread_lock(&names_mutex);
    *find_name(listener->name) = listener->next;
    um_thread_unlock(&names_mutex);
    for (size_t i = 0; i < listener->waiting_count; i++)
        memory_close(listener->waiting[i]);
    free(listener);
}

static enum um_status memory_connect(const char *name, uint32_t timeout_ms, struct um_conn **conn)
{
    if (!um_transport_name_is_valid(name))
        return UM_ERR_ARG;
    struct um_conn *ends[2];
    enum um_status status = make_pair(ends);
    if (status != UM_OK)
        return status;

    uint64_t end_ns = um_transport_deadline_ns(timeout_ms);
    um_thread_lock(&names_mutex);
    struct um_listener *listener = *find_name(name);
    while (status == UM_OK && (!listener || listener->waiting_count == BACKLOG)) {
        status = wait_until(&names_changed, &names_mutex, end_ns);
        listener = *find_name(name);
    }
    if (status == UM_OK)
        listener->waiting[listener->waiting_count++] = ends[1];
    else
        status = listener ? UM_ERR_TIMEOUT : UM_ERR_NOT_FOUND;
    um_thread_broadcast(&names_changed);
    um_thread_unlock(&names_mutex);

    if (status == UM_OK)
        *conn = ends[0];
    else
        free_ends(ends, ends[0]->pair);
    return status;
}

/* Moves what is there, in up to two pieces because the flow goes round. */
static size_t take_bytes(struct flow *flow, uint8_t *buf, size_t cap_bytes)
{
    size_t taken = flow->len_bytes < cap_bytes ? flow->len_bytes : cap_bytes;
    size_t first = taken < FLOW_BYTES - flow->start ? taken : FLOW_BYTES - flow->start;
    memcpy(buf, flow->bytes + flow->start, first);
    memcpy(buf + first, flow->bytes, taken - first);
    flow->start = (flow->start + taken) % FLOW_BYTES;
    flow->len_bytes -= taken;
    return taken;
}

/* Moves what there is room for. */
static size_t give_bytes(struct flow *flow, const uint8_t *buf, size_t len_bytes)
{
    size_t room = FLOW_BYTES - flow->len_bytes;
    size_t given = len_bytes < room ? len_bytes : room;
    size_t end = (flow->start + flow->len_bytes) % FLOW_BYTES;
    size_t first = given < FLOW_BYTES - end ? given : FLOW_BYTES - end;
    memcpy(flow->bytes + end, buf, first);
    memcpy(flow->bytes, buf + first, given - first);
    flow->len_bytes += given;
    return given;
}

static enum um_status memory_read(struct um_conn *conn, void *buf, size_t cap_bytes,
                                  uint32_t timeout_ms, size_t *len_bytes)
{
    if (cap_bytes == 0)
        return UM_ERR_ARG;
    struct pair *pair = conn->pair;
    struct flow *flow = &pair->flows[conn->end];
    uint64_t end_ns = um_transport_deadline_ns(timeout_ms);
    enum um_status status = UM_OK;
    um_thread_lock(&pair->mutex);
    while (status == UM_OK && !conn->is_shut && flow->len_bytes == 0)
        if (!pair->is_open[1 - conn->end])
            status = UM_ERR_CLOSED;
        else
            status = wait_until(&pair->changed, &pair->mutex, end_ns);
    if (conn->is_shut)
        status = UM_ERR_CLOSED;
    if (status == UM_OK) {
        *len_bytes = take_bytes(flow, buf, cap_bytes);
        um_thread_broadcast(&pair->changed);
    }
    um_thread_unlock(&pair->mutex);
    return status;
}

static enum um_status memory_write(struct um_conn *conn, const void *buf, size_t len_bytes,
                                   uint32_t timeout_ms)
{
    struct pair *pair = conn->pair;
    struct flow *flow = &pair->flows[1 - conn->end];
    uint64_t end_ns = um_transport_deadline_ns(timeout_ms);
    enum um_status status = UM_OK;
    const uint8_t *left = buf;
    um_thread_lock(&pair->mutex);
    while (status == UM_OK) {
        if (conn->is_shut || !pair->is_open[1 - conn->end]) {
            status = UM_ERR_CLOSED;
            break;
        }
        size_t given = give_bytes(flow, left, len_bytes);
        left += given;
        len_bytes -= given;
        if (given > 0)
            um_thread_broadcast(&pair->changed);
        if (len_bytes == 0)
            break;
        status = wait_until(&pair->changed, &pair->mutex, end_ns);
    }
    um_thread_unlock(&pair->mutex);
    return status;
}

static enum um_status memory_peer_pid(struct um_conn *conn, uint32_t *pid)
{
    (void)conn;
    *pid = um_transport_own_pid();
    return UM_OK;
}

/* There is no other process that could take it, so the number is where it is. */
static intptr_t memory_release(struct um_conn *conn)
{
    return (intptr_t)conn;
}

static enum um_status memory_adopt(intptr_t handle, struct um_conn **conn)
{
    *conn = (struct um_conn *)handle;
    return UM_OK;
}

static void memory_shut(struct um_conn *conn)
{
    um_thread_lock(&conn->pair->mutex);
    conn->is_shut = 1;
    um_thread_broadcast(&conn->pair->changed);
    um_thread_unlock(&conn->pair->mutex);
}

const struct um_transport *um_transport_memory(void)
{
    static const struct um_transport transport = {
        .label = "memory",
        .listen = memory_listen,
        .accept = memory_accept,
        .close_listener = memory_close_listener,
        .interrupt = memory_interrupt,
        .connect = memory_connect,
        .read = memory_read,
        .write = memory_write,
        .release = memory_release,
        .adopt = memory_adopt,
        .peer_pid = memory_peer_pid,
        .shut = memory_shut,
        .close = memory_close,
    };
    return &transport;
}
