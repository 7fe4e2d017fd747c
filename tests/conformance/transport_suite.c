#include "tests/conformance/transport_suite.h"

#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/thread.h"

/* What must happen may take this long on a busy machine; what must not is given a short time. */
#define LONG_MS 20000
#define SHORT_MS 30

#define LARGE_BYTES ((size_t)1024 * 1024)

#define CHECK(condition, why)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            problem = (why);                                                                       \
            goto cleanup;                                                                          \
        }                                                                                          \
    } while (0)

/* A listener, and the two ends of a connection that it accepted. */
struct link {
    const struct um_transport *transport;
    char name[UM_TRANSPORT_NAME_BYTES];
    struct um_listener *listener;
    struct um_conn *client;
    struct um_conn *server;
};

static const char *open_link(const struct um_transport *transport, struct link *link)
{
    memset(link, 0, sizeof *link);
    link->transport = transport;
    if (um_transport_random_name("test", link->name, NULL) != UM_OK)
        return "no random name";
    if (transport->listen(link->name, 0, &link->listener) != UM_OK)
        return "cannot listen";
    if (transport->connect(link->name, LONG_MS, &link->client) != UM_OK)
        return "cannot connect";
    if (transport->accept(link->listener, LONG_MS, &link->server) != UM_OK)
        return "cannot accept";
    return NULL;
}

static void close_link(struct link *link)
{
    link->transport->close(link->client);
    link->transport->close(link->server);
    link->transport->close_listener(link->listener);
}

/* The byte at an offset of a stream: no period that a buffer's size could hide. */
static uint8_t pattern(size_t offset)
{
    return (uint8_t)(offset * 131 + offset / 251 + offset / 65521);
}

static void fill(uint8_t *bytes, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes; i++)
        bytes[i] = pattern(i);
}

/* Reads `len_bytes` of the pattern, at most `step_bytes` at once. */
static const char *read_pattern(const struct um_transport *transport, struct um_conn *conn,
                                size_t len_bytes, size_t step_bytes)
{
    uint8_t step[4096];
    for (size_t at = 0; at < len_bytes;) {
        size_t cap = len_bytes - at < step_bytes ? len_bytes - at : step_bytes;
        size_t got = 0;
        if (transport->read(conn, step, cap, LONG_MS, &got) != UM_OK)
            return "a read failed";
        if (got == 0 || got > cap)
            return "a read returned an impossible length";
        for (size_t i = 0; i < got; i++)
            if (step[i] != pattern(at + i))
                return "a byte arrived changed or out of order";
        at += got;
    }
    return NULL;
}

/* A call that another thread makes, and what came of it. */
struct call {
    struct um_thread thread;
    const struct um_transport *transport;
    struct um_listener *listener;
    struct um_conn *conn;
    const char *name;
    const uint8_t *bytes;
    size_t len_bytes;
    uint8_t read[16];
    enum um_status status;
};

static void call_read(void *context)
{
    struct call *call = context;
    call->status = call->transport->read(call->conn, call->read, sizeof call->read,
                                         UM_TRANSPORT_FOREVER, &call->len_bytes);
}

static void call_write(void *context)
{
    struct call *call = context;
    call->status =
        call->transport->write(call->conn, call->bytes, call->len_bytes, UM_TRANSPORT_FOREVER);
}

/* A byte each millisecond, or what the system makes of that. */
static void call_write_slowly(void *context)
{
    struct call *call = context;
    for (size_t i = 0; i < call->len_bytes && call->status == UM_OK; i++) {
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
        call->status = call->transport->write(call->conn, call->bytes + i, 1, LONG_MS);
    }
}

static void call_accept(void *context)
{
    struct call *call = context;
    call->status = call->transport->accept(call->listener, UM_TRANSPORT_FOREVER, &call->conn);
}

static void call_connect(void *context)
{
    struct call *call = context;
    call->status = call->transport->connect(call->name, LONG_MS, &call->conn);
}

const char *transport_suite_bytes_arrive_in_order_both_ways(const struct um_transport *transport)
{
    uint8_t bytes[3000];
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    fill(bytes, sizeof bytes);
    for (size_t at = 0; at < sizeof bytes; at += 100) {
        CHECK(transport->write(link.client, bytes + at, 100, LONG_MS) == UM_OK, "client's write");
        CHECK(transport->write(link.server, bytes + at, 100, LONG_MS) == UM_OK, "server's write");
    }
    problem = read_pattern(transport, link.server, sizeof bytes, 77);
    if (!problem)
        problem = read_pattern(transport, link.client, sizeof bytes, 1024);
cleanup:
    close_link(&link);
    return problem;
}

const char *
transport_suite_slow_reader_gets_a_large_write_whole(const struct um_transport *transport)
{
    struct link link;
    uint8_t *bytes = malloc(LARGE_BYTES);
    const char *problem = open_link(transport, &link);
    struct call writer = {
        .transport = transport, .conn = link.client, .bytes = bytes, .len_bytes = LARGE_BYTES};
    if (problem)
        goto cleanup;
    CHECK(bytes, "no memory");
    fill(bytes, LARGE_BYTES);
    CHECK(um_thread_start(call_write, &writer, &writer.thread) == UM_OK, "no thread");
    problem = read_pattern(transport, link.server, LARGE_BYTES, 997);
    if (problem)
        transport->shut(link.client);
    um_thread_join(&writer.thread);
    if (!problem)
        CHECK(writer.status == UM_OK, "the write failed");
cleanup:
    close_link(&link);
    free(bytes);
    return problem;
}

const char *transport_suite_both_directions_flow_at_once(const struct um_transport *transport)
{
    struct link link;
    uint8_t *bytes = malloc(LARGE_BYTES);
    const char *problem = open_link(transport, &link);
    struct call forth = {
        .transport = transport, .conn = link.client, .bytes = bytes, .len_bytes = LARGE_BYTES};
    struct call back = forth;
    back.conn = link.server;
    if (problem)
        goto cleanup;
    CHECK(bytes, "no memory");
    fill(bytes, LARGE_BYTES);
    CHECK(um_thread_start(call_write, &forth, &forth.thread) == UM_OK, "no thread");
    CHECK(um_thread_start(call_write, &back, &back.thread) == UM_OK, "no thread");
    problem = read_pattern(transport, link.server, LARGE_BYTES, 4096);
    if (!problem)
        problem = read_pattern(transport, link.client, LARGE_BYTES, 4096);
cleanup:
    if (problem && link.server) {
        transport->shut(link.client);
        transport->shut(link.server);
    }
    um_thread_join(&forth.thread);
    um_thread_join(&back.thread);
    if (!problem && (forth.status != UM_OK || back.status != UM_OK))
        problem = "a write failed";
    close_link(&link);
    free(bytes);
    return problem;
}

const char *transport_suite_read_polls_without_waiting(const struct um_transport *transport)
{
    uint8_t byte = 7;
    size_t got = 99;
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    CHECK(transport->read(link.server, &byte, 1, 0, &got) == UM_ERR_TIMEOUT,
          "an empty connection did not time out");
    CHECK(got == 99 && byte == 7, "a failed read changed its results");
    byte = 8;
    CHECK(transport->write(link.client, &byte, 1, LONG_MS) == UM_OK, "the write failed");
    byte = 0;
    /* All transports hand a written byte over at once; this is what polling relies on. */
    CHECK(transport->read(link.server, &byte, 1, 0, &got) == UM_OK, "the byte was not there");
    CHECK(got == 1 && byte == 8, "another byte was there");
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_read_gives_up_after_its_timeout(const struct um_transport *transport)
{
    uint8_t byte = 7;
    size_t got = 99;
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    uint64_t start_ns = um_clock_now_ns();
    CHECK(transport->read(link.server, &byte, 1, SHORT_MS, &got) == UM_ERR_TIMEOUT,
          "the server's read did not time out");
    /* System timers may be early by their own resolution. */
    CHECK(um_clock_now_ns() - start_ns >= (SHORT_MS - 16) * UM_CLOCK_NS_PER_MS,
          "the read did not wait");
    CHECK(transport->read(link.client, &byte, 1, SHORT_MS, &got) == UM_ERR_TIMEOUT,
          "the client's read did not time out");
    CHECK(got == 99, "a failed read changed its results");
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_read_that_gave_up_loses_nothing(const struct um_transport *transport)
{
    uint8_t bytes[400];
    size_t total = 0;
    struct link link;
    const char *problem = open_link(transport, &link);
    struct call writer = {
        .transport = transport, .conn = link.client, .bytes = bytes, .len_bytes = sizeof bytes};
    if (problem)
        goto cleanup;
    fill(bytes, sizeof bytes);
    CHECK(um_thread_start(call_write_slowly, &writer, &writer.thread) == UM_OK, "no thread");
    /* The bytes come about as often as the reads time out. A read that is being given up while its
     * byte arrives must either return it or leave it to the next one. */
    enum um_status status = UM_OK;
    uint64_t end_ns = um_clock_now_ns() + LONG_MS * UM_CLOCK_NS_PER_MS;
    while (total < sizeof bytes && !problem && um_clock_now_ns() < end_ns) {
        uint8_t byte = 0;
        size_t got = 0;
        status = transport->read(link.server, &byte, 1, 1, &got);
        if (status == UM_OK && byte != pattern(total++))
            problem = "a byte arrived out of order";
        if (status != UM_OK && status != UM_ERR_TIMEOUT)
            problem = "a read failed";
    }
    um_thread_join(&writer.thread);
    if (!problem && writer.status != UM_OK)
        problem = "a write failed";
    if (!problem && total < sizeof bytes)
        problem = "a byte was lost";
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_read_waits_for_what_comes_later(const struct um_transport *transport)
{
    struct link link;
    const char *problem = open_link(transport, &link);
    struct call reader = {.transport = transport, .conn = link.client};
    if (problem)
        goto cleanup;
    CHECK(um_thread_start(call_read, &reader, &reader.thread) == UM_OK, "no thread");
    enum um_status written = transport->write(link.server, "late", 4, LONG_MS);
    if (written != UM_OK)
        transport->shut(link.client);
    um_thread_join(&reader.thread);
    CHECK(written == UM_OK, "the write failed");
    CHECK(reader.status == UM_OK && reader.len_bytes == 4 && memcmp(reader.read, "late", 4) == 0,
          "the read got something else");
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_read_without_room_is_refused(const struct um_transport *transport)
{
    uint8_t byte = 0;
    size_t got = 99;
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    CHECK(transport->read(link.client, &byte, 0, LONG_MS, &got) == UM_ERR_ARG,
          "it was not refused");
    CHECK(got == 99, "a failed read changed its results");
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_write_gives_up_when_nobody_reads(const struct um_transport *transport)
{
    struct link link;
    uint8_t *bytes = calloc(1, LARGE_BYTES);
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    CHECK(bytes, "no memory");
    /* How much fits unread is the transport's own business, but 64 MiB is too much. */
    enum um_status status = UM_OK;
    for (int i = 0; i < 64 && status == UM_OK; i++)
        status = transport->write(link.client, bytes, LARGE_BYTES, SHORT_MS);
    CHECK(status == UM_ERR_TIMEOUT, "the client's write did not time out");
    status = UM_OK;
    for (int i = 0; i < 64 && status == UM_OK; i++)
        status = transport->write(link.server, bytes, LARGE_BYTES, 0);
    CHECK(status == UM_ERR_TIMEOUT, "the server's write did not time out");
cleanup:
    close_link(&link);
    free(bytes);
    return problem;
}

const char *transport_suite_write_of_nothing_succeeds(const struct um_transport *transport)
{
    uint8_t byte = 0;
    size_t got = 0;
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    CHECK(transport->write(link.client, &byte, 0, LONG_MS) == UM_OK, "it failed");
    CHECK(transport->read(link.server, &byte, 1, 0, &got) == UM_ERR_TIMEOUT,
          "the other side noticed");
cleanup:
    close_link(&link);
    return problem;
}

const char *
transport_suite_reader_gets_everything_before_the_close(const struct um_transport *transport)
{
    uint8_t bytes[20000];
    uint8_t byte = 0;
    size_t got = 0;
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    fill(bytes, sizeof bytes);
    CHECK(transport->write(link.server, bytes, sizeof bytes, LONG_MS) == UM_OK, "server's write");
    CHECK(transport->write(link.client, bytes, 5, LONG_MS) == UM_OK, "client's write");
    /* The server leaves without having read what the client wrote. */
    transport->close(link.server);
    link.server = NULL;
    problem = read_pattern(transport, link.client, sizeof bytes, 1000);
    if (problem)
        goto cleanup;
    CHECK(transport->read(link.client, &byte, 1, LONG_MS, &got) == UM_ERR_CLOSED,
          "the end was not reported");
    CHECK(transport->read(link.client, &byte, 1, 0, &got) == UM_ERR_CLOSED,
          "the end was not reported again to a poll");
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_reader_that_waits_sees_the_close(const struct um_transport *transport)
{
    struct link link;
    const char *problem = open_link(transport, &link);
    struct call reader = {.transport = transport, .conn = link.server};
    if (problem)
        goto cleanup;
    CHECK(um_thread_start(call_read, &reader, &reader.thread) == UM_OK, "no thread");
    transport->close(link.client);
    link.client = NULL;
    um_thread_join(&reader.thread);
    CHECK(reader.status == UM_ERR_CLOSED, "the read ended otherwise");
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_writer_sees_the_close(const struct um_transport *transport)
{
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    transport->close(link.client);
    link.client = NULL;
    CHECK(transport->write(link.server, "x", 1, LONG_MS) == UM_ERR_CLOSED, "it was not reported");
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_writer_that_waits_sees_the_close(const struct um_transport *transport)
{
    uint8_t byte = 0;
    size_t got = 0;
    struct link link;
    uint8_t *bytes = calloc(64, LARGE_BYTES);
    const char *problem = open_link(transport, &link);
    struct call writer = {
        .transport = transport, .conn = link.server, .bytes = bytes, .len_bytes = 64 * LARGE_BYTES};
    if (problem)
        goto cleanup;
    CHECK(bytes, "no memory");
    CHECK(um_thread_start(call_write, &writer, &writer.thread) == UM_OK, "no thread");
    /* The first byte says that the write is under way. */
    enum um_status status = transport->read(link.client, &byte, 1, LONG_MS, &got);
    transport->close(link.client);
    link.client = NULL;
    um_thread_join(&writer.thread);
    CHECK(status == UM_OK, "the first byte did not come");
    CHECK(writer.status == UM_ERR_CLOSED, "the write ended otherwise");
cleanup:
    close_link(&link);
    free(bytes);
    return problem;
}

const char *transport_suite_bytes_written_before_accept_arrive(const struct um_transport *transport)
{
    uint8_t bytes[1000];
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    transport->close(link.client);
    transport->close(link.server);
    link.client = NULL;
    link.server = NULL;
    fill(bytes, sizeof bytes);
    CHECK(transport->connect(link.name, LONG_MS, &link.client) == UM_OK, "cannot connect");
    CHECK(transport->write(link.client, bytes, sizeof bytes, LONG_MS) == UM_OK, "cannot write");
    transport->close(link.client);
    link.client = NULL;
    CHECK(transport->accept(link.listener, LONG_MS, &link.server) == UM_OK, "cannot accept");
    problem = read_pattern(transport, link.server, sizeof bytes, sizeof bytes);
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_connect_to_nobody_is_not_found(const struct um_transport *transport)
{
    char name[UM_TRANSPORT_NAME_BYTES] = "";
    struct um_conn *conn = NULL;
    const char *problem = NULL;
    CHECK(um_transport_random_name("nobody", name, NULL) == UM_OK, "no random name");
    CHECK(transport->connect(name, 0, &conn) == UM_ERR_NOT_FOUND, "one try ended otherwise");
    CHECK(transport->connect(name, SHORT_MS, &conn) == UM_ERR_NOT_FOUND, "waiting ended otherwise");
    CHECK(!conn, "a failed connect changed its result");
cleanup:
    transport->close(conn);
    return problem;
}

const char *transport_suite_connect_waits_for_the_name(const struct um_transport *transport)
{
    char name[UM_TRANSPORT_NAME_BYTES] = "";
    const char *problem = NULL;
    struct link link = {.transport = transport};
    struct call client = {.transport = transport, .name = name};
    CHECK(um_transport_random_name("later", name, NULL) == UM_OK, "no random name");
    CHECK(um_thread_start(call_connect, &client, &client.thread) == UM_OK, "no thread");
    /* Most of the time the other thread has tried in vain by now; none of this depends on it. */
    um_clock_sleep_ns(SHORT_MS * UM_CLOCK_NS_PER_MS);
    enum um_status listened = transport->listen(name, 0, &link.listener);
    um_thread_join(&client.thread);
    link.client = client.conn;
    CHECK(listened == UM_OK, "cannot listen");
    CHECK(client.status == UM_OK, "the connect failed");
    CHECK(transport->accept(link.listener, LONG_MS, &link.server) == UM_OK, "cannot accept");
cleanup:
    close_link(&link);
    return problem;
}

const char *
transport_suite_connect_gives_up_when_nobody_accepts(const struct um_transport *transport)
{
    enum { MANY = 256 };
    struct um_conn *conns[MANY] = {0};
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    /* How many may wait to be accepted is the transport's own business, but there is an end. */
    enum um_status status = UM_OK;
    for (int i = 0; i < MANY && status == UM_OK; i++)
        status = transport->connect(link.name, SHORT_MS, &conns[i]);
    CHECK(status == UM_ERR_TIMEOUT, "the connect did not time out");
cleanup:
    for (int i = 0; i < MANY; i++)
        transport->close(conns[i]);
    close_link(&link);
    return problem;
}

const char *transport_suite_accept_gives_up_after_its_timeout(const struct um_transport *transport)
{
    struct um_conn *conn = NULL;
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    CHECK(transport->accept(link.listener, SHORT_MS, &conn) == UM_ERR_TIMEOUT,
          "it ended otherwise");
    CHECK(!conn, "a failed accept changed its result");
    /* Having given up must not have cost the next client anything. */
    CHECK(transport->connect(link.name, LONG_MS, &conn) == UM_OK, "the next client was refused");
    transport->close(link.server);
    link.server = NULL;
    CHECK(transport->accept(link.listener, LONG_MS, &link.server) == UM_OK,
          "the next client was not accepted");
cleanup:
    transport->close(conn);
    close_link(&link);
    return problem;
}

const char *transport_suite_accept_polls_without_waiting(const struct um_transport *transport)
{
    struct um_conn *conn = NULL;
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    CHECK(transport->accept(link.listener, 0, &conn) == UM_ERR_TIMEOUT, "it ended otherwise");
cleanup:
    transport->close(conn);
    close_link(&link);
    return problem;
}

const char *transport_suite_second_listener_is_refused(const struct um_transport *transport)
{
    struct um_listener *second = NULL;
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    CHECK(transport->listen(link.name, 0, &second) == UM_ERR_EXISTS, "it was not refused");
    CHECK(!second, "a failed listen changed its result");
    CHECK(transport->accept(link.listener, 0, &link.server) == UM_ERR_TIMEOUT,
          "the first listener took the second for a client");
cleanup:
    transport->close_listener(second);
    close_link(&link);
    return problem;
}

const char *transport_suite_name_is_free_after_the_listener(const struct um_transport *transport)
{
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    transport->close(link.client);
    transport->close(link.server);
    transport->close_listener(link.listener);
    link.client = NULL;
    link.server = NULL;
    link.listener = NULL;
    CHECK(transport->connect(link.name, 0, &link.client) == UM_ERR_NOT_FOUND,
          "somebody still listens");
    CHECK(transport->listen(link.name, 0, &link.listener) == UM_OK, "the name is not free");
    CHECK(transport->connect(link.name, LONG_MS, &link.client) == UM_OK, "cannot connect again");
    CHECK(transport->accept(link.listener, LONG_MS, &link.server) == UM_OK, "cannot accept again");
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_bad_names_are_refused(const struct um_transport *transport)
{
    char too_long[UM_TRANSPORT_NAME_BYTES + 1];
    memset(too_long, 'n', sizeof too_long);
    too_long[UM_TRANSPORT_NAME_BYTES] = 0;
    const char *names[] = {"", ".", "..", ".hidden", "a/b", "a\\b", "a b", "caf\xc3\xa9", too_long};
    struct link link = {.transport = transport};
    const char *problem = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        CHECK(transport->listen(names[i], 0, &link.listener) == UM_ERR_ARG, "listen took one");
        CHECK(transport->connect(names[i], LONG_MS, &link.client) == UM_ERR_ARG,
              "connect took one");
    }
    too_long[UM_TRANSPORT_NAME_BYTES - 1] = 0;
    CHECK(transport->listen(too_long, 0, &link.listener) == UM_OK, "the longest name was refused");
cleanup:
    close_link(&link);
    return problem;
}

const char *
transport_suite_interrupt_ends_present_and_later_accepts(const struct um_transport *transport)
{
    struct um_conn *conn = NULL;
    struct link link;
    const char *problem = open_link(transport, &link);
    struct call acceptor = {.transport = transport, .listener = link.listener};
    if (problem)
        goto cleanup;
    CHECK(um_thread_start(call_accept, &acceptor, &acceptor.thread) == UM_OK, "no thread");
    transport->interrupt(link.listener);
    um_thread_join(&acceptor.thread);
    CHECK(acceptor.status == UM_ERR_CLOSED, "the present accept ended otherwise");
    CHECK(transport->accept(link.listener, UM_TRANSPORT_FOREVER, &conn) == UM_ERR_CLOSED,
          "a later accept ended otherwise");
    CHECK(transport->accept(link.listener, 0, &conn) == UM_ERR_CLOSED,
          "a later poll ended otherwise");
cleanup:
    transport->close(conn);
    close_link(&link);
    return problem;
}

const char *transport_suite_shut_ends_a_read(const struct um_transport *transport)
{
    struct link link;
    const char *problem = open_link(transport, &link);
    struct call reader = {.transport = transport, .conn = link.client};
    if (problem)
        goto cleanup;
    CHECK(um_thread_start(call_read, &reader, &reader.thread) == UM_OK, "no thread");
    transport->shut(link.client);
    um_thread_join(&reader.thread);
    CHECK(reader.status == UM_ERR_CLOSED, "the read ended otherwise");
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_shut_ends_a_write(const struct um_transport *transport)
{
    uint8_t byte = 0;
    size_t got = 0;
    struct link link;
    uint8_t *bytes = calloc(64, LARGE_BYTES);
    const char *problem = open_link(transport, &link);
    struct call writer = {
        .transport = transport, .conn = link.server, .bytes = bytes, .len_bytes = 64 * LARGE_BYTES};
    if (problem)
        goto cleanup;
    CHECK(bytes, "no memory");
    CHECK(um_thread_start(call_write, &writer, &writer.thread) == UM_OK, "no thread");
    enum um_status status = transport->read(link.client, &byte, 1, LONG_MS, &got);
    transport->shut(link.server);
    um_thread_join(&writer.thread);
    CHECK(status == UM_OK, "the first byte did not come");
    CHECK(writer.status == UM_ERR_CLOSED, "the write ended otherwise");
cleanup:
    close_link(&link);
    free(bytes);
    return problem;
}

const char *transport_suite_shut_ends_later_reads_and_writes(const struct um_transport *transport)
{
    uint8_t byte = 0;
    size_t got = 0;
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    CHECK(transport->write(link.server, "x", 1, LONG_MS) == UM_OK, "the write failed");
    transport->shut(link.client);
    CHECK(transport->read(link.client, &byte, 1, LONG_MS, &got) == UM_ERR_CLOSED,
          "a later read ended otherwise");
    CHECK(transport->read(link.client, &byte, 1, 0, &got) == UM_ERR_CLOSED,
          "a later poll ended otherwise");
    CHECK(transport->write(link.client, "x", 1, LONG_MS) == UM_ERR_CLOSED,
          "a later write ended otherwise");
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_several_clients_are_kept_apart(const struct um_transport *transport)
{
    enum { CLIENTS = 5 };
    struct um_conn *clients[CLIENTS] = {0};
    struct um_conn *servers[CLIENTS] = {0};
    size_t got = 0;
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    for (int i = 0; i < CLIENTS; i++) {
        uint8_t byte = (uint8_t)i;
        CHECK(transport->connect(link.name, LONG_MS, &clients[i]) == UM_OK, "cannot connect");
        CHECK(transport->accept(link.listener, LONG_MS, &servers[i]) == UM_OK, "cannot accept");
        CHECK(transport->write(servers[i], &byte, 1, LONG_MS) == UM_OK, "cannot write");
    }
    for (int i = 0; i < CLIENTS; i++) {
        uint8_t byte = 0xff;
        CHECK(transport->read(clients[i], &byte, 1, LONG_MS, &got) == UM_OK, "cannot read");
        CHECK(byte == i, "a byte reached another client");
    }
    transport->close(clients[2]);
    clients[2] = NULL;
    CHECK(transport->write(servers[3], "x", 1, LONG_MS) == UM_OK,
          "one client's end ended another's connection");
cleanup:
    for (int i = 0; i < CLIENTS; i++) {
        transport->close(clients[i]);
        transport->close(servers[i]);
    }
    close_link(&link);
    return problem;
}

const char *transport_suite_connection_outlives_its_listener(const struct um_transport *transport)
{
    uint8_t bytes[100];
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    transport->close_listener(link.listener);
    link.listener = NULL;
    fill(bytes, sizeof bytes);
    CHECK(transport->write(link.client, bytes, sizeof bytes, LONG_MS) == UM_OK, "cannot write");
    problem = read_pattern(transport, link.server, sizeof bytes, sizeof bytes);
cleanup:
    close_link(&link);
    return problem;
}

const char *
transport_suite_closed_listener_closes_whoever_waits(const struct um_transport *transport)
{
    uint8_t byte = 0;
    size_t got = 0;
    struct um_conn *waiting = NULL;
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    CHECK(transport->connect(link.name, LONG_MS, &waiting) == UM_OK, "cannot connect");
    transport->close_listener(link.listener);
    link.listener = NULL;
    CHECK(transport->read(waiting, &byte, 1, LONG_MS, &got) == UM_ERR_CLOSED,
          "the connection is not closed");
cleanup:
    transport->close(waiting);
    close_link(&link);
    return problem;
}

const char *transport_suite_released_connection_can_be_adopted(const struct um_transport *transport)
{
    uint8_t byte = 0;
    size_t got = 0;
    uint32_t pid = 0;
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    CHECK(transport->write(link.server, "ab", 2, LONG_MS) == UM_OK, "cannot write");
    CHECK(transport->read(link.client, &byte, 1, LONG_MS, &got) == UM_OK && byte == 'a',
          "the first byte did not come");
    intptr_t handle = transport->release(link.client);
    link.client = NULL;
    CHECK(transport->adopt(handle, &link.client) == UM_OK, "it was not adopted");
    CHECK(transport->read(link.client, &byte, 1, LONG_MS, &got) == UM_OK && byte == 'b',
          "what was sent before is lost");
    CHECK(transport->write(link.client, "c", 1, LONG_MS) == UM_OK, "cannot write back");
    CHECK(transport->read(link.server, &byte, 1, LONG_MS, &got) == UM_OK && byte == 'c',
          "the way back is broken");
    CHECK(transport->peer_pid(link.client, &pid) == UM_OK && pid == um_transport_own_pid(),
          "the other end is unknown");
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_peer_is_this_process(const struct um_transport *transport)
{
    uint32_t client_pid = 0;
    uint32_t server_pid = 0;
    struct link link;
    const char *problem = open_link(transport, &link);
    if (problem)
        goto cleanup;
    CHECK(transport->peer_pid(link.server, &client_pid) == UM_OK, "no answer for the client");
    CHECK(transport->peer_pid(link.client, &server_pid) == UM_OK, "no answer for the server");
    CHECK(client_pid == um_transport_own_pid(), "another process for the client");
    CHECK(server_pid == um_transport_own_pid(), "another process for the server");
cleanup:
    close_link(&link);
    return problem;
}

const char *transport_suite_closing_nothing_is_harmless(const struct um_transport *transport)
{
    transport->close(NULL);
    transport->close_listener(NULL);
    return NULL;
}
