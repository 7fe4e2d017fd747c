#include "monitor/dotnet/reverse.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/plain/clock.h"

#define PURPOSE "dotnet"
#define GREET_NS UM_CLOCK_NS_PER_S /* within which a runtime says who it is */
#define ANSWER_NS (5 * UM_CLOCK_NS_PER_S)
#define WRITE_MS 250
#define STOP_MS 500
#define LOOK_MS 20 /* between two checks whether to go on */
/* Once as many are held as can be, a further one is dropped, and nobody is let in for so long. A
 * runtime that finds no free pipe waits longer from try to try. */
#define REST_NS (250 * UM_CLOCK_NS_PER_MS)

struct um_reverse {
    const struct um_transport *transport;
    char name[UM_TRANSPORT_NAME_BYTES];
    char value[UM_TRANSPORT_NAME_BYTES + 16];
    struct um_listener *listener;
    uint32_t pid;            /* whose runtime is meant; 0: that is not known yet */
    struct um_conn *next;    /* its connection for the next request; NULL: there is none */
    struct um_conn *stream;  /* NULL: there is no session */
    struct um_conn *stopped; /* on which the session was asked to stop */
    uint64_t session;
    struct um_conn *held[UM_REVERSE_HELD]; /* of others */
    size_t held_count;
    uint64_t rest_until_ns;
};

enum um_status um_reverse_open(const struct um_transport *transport, struct um_reverse **reverse)
{
    struct um_reverse *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->transport = transport;
    enum um_status status = um_transport_random_name(PURPOSE, made->name, NULL);
    if (status == UM_OK)
        status = transport->listen(made->name, 0, &made->listener);
    if (status != UM_OK) {
        free(made);
        return status;
    }
    snprintf(made->value, sizeof made->value, "%s,nosuspend", made->name);
    *reverse = made;
    return UM_OK;
}

const char *um_reverse_name(const struct um_reverse *reverse)
{
    return reverse->name;
}

const char *um_reverse_value(const struct um_reverse *reverse)
{
    return reverse->value;
}

/* Connections ---------------------------------------------------------------------------------- */

static void drop(struct um_reverse *reverse, struct um_conn **conn)
{
    reverse->transport->close(*conn);
    *conn = NULL;
}

/* Closes the connections of runtimes that have ended. */
static void drop_ended(struct um_reverse *reverse)
{
    size_t kept = 0;
    for (size_t i = 0; i < reverse->held_count; i++) {
        struct um_conn *conn = reverse->held[i];
        uint8_t byte;
        size_t got;
        enum um_status status = reverse->transport->read(conn, &byte, 1, 0, &got);
        if (status == UM_OK || status == UM_ERR_TIMEOUT)
            reverse->held[kept++] = conn;
        else
            reverse->transport->close(conn);
    }
    reverse->held_count = kept;
}

/* Keeps the connection of a runtime that is not meant. */
static void hold(struct um_reverse *reverse, struct um_conn *conn)
{
    drop_ended(reverse);
    if (reverse->held_count < UM_REVERSE_HELD) {
        reverse->held[reverse->held_count++] = conn;
        return;
    }
    reverse->transport->close(conn);
    reverse->rest_until_ns = um_clock_now_ns() + REST_NS;
}

/* Reads what the other side says of itself. The system says which process it is; the message must
 * say the same. */
static enum um_status greet(struct um_reverse *reverse, struct um_conn *conn)
{
    uint8_t bytes[UM_EVENTPIPE_ADVERTISED_BYTES];
    uint64_t end_ns = um_clock_now_ns() + GREET_NS, pid = 0;
    size_t have = 0;
    enum um_status status = UM_ERR_PARTIAL;
    while (status == UM_ERR_PARTIAL) {
        size_t got = 0;
        status = reverse->transport->read(conn, bytes + have, sizeof bytes - have, LOOK_MS, &got);
        if (status == UM_ERR_TIMEOUT && um_clock_now_ns() < end_ns)
            status = UM_ERR_PARTIAL;
        else if (status == UM_OK)
            status = um_eventpipe_advertised(bytes, have += got, &pid);
    }
    return status == UM_OK && pid != reverse->pid ? UM_ERR_FORMAT : status;
}

/* Takes the next connection, whoever's it is. Errors: UM_ERR_TIMEOUT; UM_ERR_IO. */
static enum um_status take_next(struct um_reverse *reverse, uint32_t timeout_ms)
{
    struct um_conn *conn = NULL;
    uint32_t peer = 0;
    if (um_clock_now_ns() < reverse->rest_until_ns) {
        um_clock_sleep_ns(timeout_ms > 0 ? UM_CLOCK_NS_PER_MS : 0);
        return UM_ERR_TIMEOUT;
    }
    enum um_status status = reverse->transport->accept(reverse->listener, timeout_ms, &conn);
    if (status != UM_OK)
        return status == UM_ERR_TIMEOUT ? status : UM_ERR_IO;
    if (reverse->transport->peer_pid(conn, &peer) != UM_OK || peer != reverse->pid) {
        hold(reverse, conn);
    } else if (greet(reverse, conn) == UM_OK) {
        drop(reverse, &reverse->next); /* the runtime has one connection for the next request */
        reverse->next = conn;
    } else {
        drop(reverse, &conn);
    }
    return UM_OK;
}

enum um_status um_reverse_wait(struct um_reverse *reverse, uint32_t pid, uint32_t timeout_ms)
{
    uint64_t end_ns = um_clock_now_ns() + timeout_ms * UM_CLOCK_NS_PER_MS;
    reverse->pid = pid;
    while (!reverse->next) {
        uint64_t now_ns = um_clock_now_ns();
        if (now_ns >= end_ns)
            return UM_ERR_TIMEOUT;
        uint64_t left_ms = (end_ns - now_ns) / UM_CLOCK_NS_PER_MS + 1;
        enum um_status status = take_next(reverse, (uint32_t)left_ms);
        if (status != UM_OK && status != UM_ERR_TIMEOUT)
            return status;
    }
    return UM_OK;
}

/* The session ---------------------------------------------------------------------------------- */

/* Reads the answer, and nothing after it. */
static enum um_status read_answer(struct um_reverse *reverse, struct um_conn *conn,
                                  const struct um_diagnostics_host *host)
{
    uint8_t answer[UM_EVENTPIPE_ANSWER_BYTES];
    uint64_t end_ns = um_clock_now_ns() + ANSWER_NS;
    size_t have = 0;
    for (;;) {
        size_t got = 0;
        enum um_status status = um_eventpipe_answer(answer, have, &reverse->session);
        if (status != UM_ERR_PARTIAL)
            return status;
        status = reverse->transport->read(conn, answer + have, sizeof answer - have, LOOK_MS, &got);
        if (status == UM_ERR_TIMEOUT && host && host->over(host->context))
            return UM_ERR_CLOSED;
        if (status == UM_ERR_TIMEOUT && um_clock_now_ns() < end_ns)
            continue;
        if (status != UM_OK)
            return status == UM_ERR_CLOSED ? UM_ERR_FORMAT : status;
        have += got;
    }
}

enum um_status um_reverse_start(struct um_reverse *reverse,
                                const struct um_eventpipe_provider *providers, size_t count,
                                double interval_s, const struct um_diagnostics_host *host)
{
    uint8_t question[UM_EVENTPIPE_START_BYTES];
    size_t len;
    enum um_status status = UM_OK;
    while (status == UM_OK) /* a newer connection counts */
        status = take_next(reverse, 0);
    if (!reverse->next)
        return UM_ERR_NOT_FOUND;
    status = um_eventpipe_start(providers, count, interval_s, question, sizeof question, &len);
    if (status != UM_OK)
        return status;
    struct um_conn *conn = reverse->next;
    reverse->next = NULL;
    status = reverse->transport->write(conn, question, len, WRITE_MS);
    if (status == UM_OK)
        status = read_answer(reverse, conn, host);
    if (status == UM_OK)
        reverse->stream = conn;
    else
        drop(reverse, &conn);
    return status;
}

enum um_status um_reverse_read(struct um_reverse *reverse, uint8_t *buf, size_t cap_bytes,
                               uint32_t timeout_ms, size_t *len_bytes)
{
    (void)take_next(reverse, 0);
    return reverse->transport->read(reverse->stream, buf, cap_bytes, timeout_ms, len_bytes);
}

/* Does not wait for the answer, which comes only after the rest of the stream has been read. */
enum um_status um_reverse_stop(struct um_reverse *reverse)
{
    uint8_t question[UM_EVENTPIPE_STOP_BYTES];
    enum um_status status = um_reverse_wait(reverse, reverse->pid, STOP_MS);
    if (status != UM_OK)
        return status;
    um_eventpipe_stop(reverse->session, question);
    reverse->stopped = reverse->next;
    reverse->next = NULL;
    return reverse->transport->write(reverse->stopped, question, sizeof question, WRITE_MS);
}

void um_reverse_close(struct um_reverse *reverse)
{
    if (!reverse)
        return;
    reverse->transport->close_listener(reverse->listener);
    drop(reverse, &reverse->next);
    drop(reverse, &reverse->stream);
    drop(reverse, &reverse->stopped);
    for (size_t i = 0; i < reverse->held_count; i++)
        reverse->transport->close(reverse->held[i]);
    free(reverse);
}
