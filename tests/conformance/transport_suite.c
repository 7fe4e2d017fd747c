#include "tests/conformance/transport_suite.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/thread.h"

/* What must happen may take this long on a busy machine; what must not is given a short time. */
#define LONG_MS 60000
#define SHORT_MS 30

#define LARGE_BYTES ((size_t)1024 * 1024)

#define MANY 256

#define CHECK(condition, why)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return why;                                                                            \
    } while (0)

/* A listener, the two ends of a connection that it accepted, and what else a check opens. */
struct link {
    const struct um_transport *transport;
    char name[UM_TRANSPORT_NAME_BYTES];
    struct um_listener *listener;
    struct um_listener *second_listener;
    struct um_conn *client;
    struct um_conn *server;
    struct um_conn *more[MANY];
    uint8_t *large; /* 64 times LARGE_BYTES */
};

static const char *open_link(struct link *link)
{
    if (um_transport_random_name("test", link->name, NULL) != UM_OK)
        return "no random name";
    if (link->transport->listen(link->name, 0, &link->listener) != UM_OK)
        return "cannot listen";
    if (link->transport->connect(link->name, LONG_MS, &link->client) != UM_OK)
        return "cannot connect";
    if (link->transport->accept(link->listener, LONG_MS, &link->server) != UM_OK)
        return "cannot accept";
    link->large = calloc(64, LARGE_BYTES);
    return link->large ? NULL : "no memory";
}

static void end(const struct link *link, struct um_conn **conn)
{
    link->transport->close(*conn);
    *conn = NULL;
}

static void end_listener(struct link *link)
{
    link->transport->close_listener(link->listener);
    link->listener = NULL;
}

static void close_link(struct link *link)
{
    for (size_t i = 0; i < MANY; i++)
        link->transport->close(link->more[i]);
    link->transport->close(link->client);
    link->transport->close(link->server);
    link->transport->close_listener(link->listener);
    link->transport->close_listener(link->second_listener);
    free(link->large);
}

static bool write_all(const struct link *link, struct um_conn *conn, const void *bytes, size_t len)
{
    return link->transport->write(conn, bytes, len, LONG_MS) == UM_OK;
}

/* What becomes of reading a byte. Untouched on failure: `byte`, which may be NULL. */
static enum um_status read_byte(const struct link *link, struct um_conn *conn, uint32_t timeout_ms,
                                uint8_t *byte)
{
    uint8_t read = 0;
    size_t got = 0;
    enum um_status status = link->transport->read(conn, &read, 1, timeout_ms, &got);
    if (status == UM_OK && byte)
        *byte = read;
    return status;
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
static const char *read_pattern(const struct link *link, struct um_conn *conn, size_t len_bytes,
                                size_t step_bytes)
{
    uint8_t step[4096];
    for (size_t at = 0; at < len_bytes;) {
        size_t cap = len_bytes - at < step_bytes ? len_bytes - at : step_bytes;
        size_t got = 0;
        if (link->transport->read(conn, step, cap, LONG_MS, &got) != UM_OK)
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

static bool start(void (*run)(void *context), struct call *call, const struct link *link)
{
    call->transport = link->transport;
    return um_thread_start(run, call, &call->thread) == UM_OK;
}

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

static const char *bytes_arrive_in_order_both_ways(struct link *link)
{
    uint8_t bytes[3000];
    fill(bytes, sizeof bytes);
    for (size_t at = 0; at < sizeof bytes; at += 100) {
        CHECK(write_all(link, link->client, bytes + at, 100), "client's write");
        CHECK(write_all(link, link->server, bytes + at, 100), "server's write");
    }
    const char *problem = read_pattern(link, link->server, sizeof bytes, 77);
    return problem ? problem : read_pattern(link, link->client, sizeof bytes, 1024);
}

static const char *slow_reader_gets_a_large_write_whole(struct link *link)
{
    struct call writer = {.conn = link->client, .bytes = link->large, .len_bytes = LARGE_BYTES};
    fill(link->large, LARGE_BYTES);
    CHECK(start(call_write, &writer, link), "no thread");
    const char *problem = read_pattern(link, link->server, LARGE_BYTES, 997);
    if (problem)
        link->transport->shut(link->client);
    um_thread_join(&writer.thread);
    CHECK(problem || writer.status == UM_OK, "the write failed");
    return problem;
}

static const char *both_directions_flow_at_once(struct link *link)
{
    struct call forth = {.conn = link->client, .bytes = link->large, .len_bytes = LARGE_BYTES};
    struct call back = {.conn = link->server, .bytes = link->large, .len_bytes = LARGE_BYTES};
    const char *problem = NULL;
    fill(link->large, LARGE_BYTES);
    if (!start(call_write, &forth, link) || !start(call_write, &back, link))
        problem = "no thread";
    if (!problem)
        problem = read_pattern(link, link->server, LARGE_BYTES, 4096);
    if (!problem)
        problem = read_pattern(link, link->client, LARGE_BYTES, 4096);
    if (problem) {
        link->transport->shut(link->client);
        link->transport->shut(link->server);
    }
    um_thread_join(&forth.thread);
    um_thread_join(&back.thread);
    CHECK(problem || (forth.status == UM_OK && back.status == UM_OK), "a write failed");
    return problem;
}

static const char *read_polls_without_waiting(struct link *link)
{
    uint8_t byte = 7;
    size_t got = 99;
    CHECK(link->transport->read(link->server, &byte, 1, 0, &got) == UM_ERR_TIMEOUT,
          "an empty connection did not time out");
    CHECK(got == 99 && byte == 7, "a failed read changed its results");
    CHECK(write_all(link, link->client, "\x08", 1), "the write failed");
    /* All transports hand a written byte over at once; this is what polling relies on. */
    CHECK(link->transport->read(link->server, &byte, 1, 0, &got) == UM_OK,
          "the byte was not there");
    CHECK(got == 1 && byte == 8, "another byte was there");
    return NULL;
}

static const char *read_gives_up_after_its_timeout(struct link *link)
{
    uint8_t byte = 7;
    size_t got = 99;
    uint64_t start_ns = um_clock_now_ns();
    CHECK(read_byte(link, link->server, SHORT_MS, NULL) == UM_ERR_TIMEOUT,
          "the server's read did not time out");
    /* System timers may be early by their own resolution. */
    CHECK(um_clock_now_ns() - start_ns >= (SHORT_MS - 16) * UM_CLOCK_NS_PER_MS,
          "the read did not wait");
    CHECK(link->transport->read(link->client, &byte, 1, SHORT_MS, &got) == UM_ERR_TIMEOUT,
          "the client's read did not time out");
    CHECK(got == 99, "a failed read changed its results");
    return NULL;
}

static const char *read_that_gave_up_loses_nothing(struct link *link)
{
    uint8_t bytes[400];
    size_t total = 0;
    const char *problem = NULL;
    struct call writer = {.conn = link->client, .bytes = bytes, .len_bytes = sizeof bytes};
    fill(bytes, sizeof bytes);
    CHECK(start(call_write_slowly, &writer, link), "no thread");
    /* The bytes come about as often as the reads time out. A read that is being given up while its
     * byte arrives must either return it or leave it to the next one. */
    uint64_t end_ns = um_clock_now_ns() + LONG_MS * UM_CLOCK_NS_PER_MS;
    while (total < sizeof bytes && !problem && um_clock_now_ns() < end_ns) {
        uint8_t byte = 0;
        enum um_status status = read_byte(link, link->server, 1, &byte);
        if (status == UM_OK && byte != pattern(total++))
            problem = "a byte arrived out of order";
        if (status != UM_OK && status != UM_ERR_TIMEOUT)
            problem = "a read failed";
    }
    um_thread_join(&writer.thread);
    CHECK(problem || writer.status == UM_OK, "a write failed");
    CHECK(problem || total == sizeof bytes, "a byte was lost");
    return problem;
}

static const char *read_waits_for_what_comes_later(struct link *link)
{
    struct call reader = {.conn = link->client};
    CHECK(start(call_read, &reader, link), "no thread");
    bool written = write_all(link, link->server, "late", 4);
    if (!written)
        link->transport->shut(link->client);
    um_thread_join(&reader.thread);
    CHECK(written, "the write failed");
    CHECK(reader.status == UM_OK && reader.len_bytes == 4 && memcmp(reader.read, "late", 4) == 0,
          "the read got something else");
    return NULL;
}

static const char *read_without_room_is_refused(struct link *link)
{
    uint8_t byte = 0;
    size_t got = 99;
    CHECK(link->transport->read(link->client, &byte, 0, LONG_MS, &got) == UM_ERR_ARG,
          "it was not refused");
    CHECK(got == 99, "a failed read changed its results");
    return NULL;
}

/* How much fits unread is the transport's own business, but 64 MiB is too much. */
static enum um_status write_until_full(struct link *link, struct um_conn *conn, uint32_t timeout_ms)
{
    enum um_status status = UM_OK;
    for (int i = 0; i < 64 && status == UM_OK; i++)
        status = link->transport->write(conn, link->large, LARGE_BYTES, timeout_ms);
    return status;
}

static const char *write_gives_up_when_nobody_reads(struct link *link)
{
    CHECK(write_until_full(link, link->client, SHORT_MS) == UM_ERR_TIMEOUT,
          "the client's write did not time out");
    CHECK(write_until_full(link, link->server, 0) == UM_ERR_TIMEOUT,
          "the server's write did not time out");
    return NULL;
}

static const char *write_of_nothing_succeeds(struct link *link)
{
    CHECK(write_all(link, link->client, "", 0), "it failed");
    CHECK(read_byte(link, link->server, 0, NULL) == UM_ERR_TIMEOUT, "the other side noticed");
    return NULL;
}

static const char *reader_gets_everything_before_the_close(struct link *link)
{
    uint8_t bytes[20000];
    fill(bytes, sizeof bytes);
    CHECK(write_all(link, link->server, bytes, sizeof bytes), "server's write");
    CHECK(write_all(link, link->client, bytes, 5), "client's write");
    /* The server leaves without having read what the client wrote. */
    end(link, &link->server);
    const char *problem = read_pattern(link, link->client, sizeof bytes, 1000);
    CHECK(problem || read_byte(link, link->client, LONG_MS, NULL) == UM_ERR_CLOSED,
          "the end was not reported");
    CHECK(problem || read_byte(link, link->client, 0, NULL) == UM_ERR_CLOSED,
          "the end was not reported again to a poll");
    return problem;
}

static const char *reader_that_waits_sees_the_close(struct link *link)
{
    struct call reader = {.conn = link->server};
    CHECK(start(call_read, &reader, link), "no thread");
    end(link, &link->client);
    um_thread_join(&reader.thread);
    CHECK(reader.status == UM_ERR_CLOSED, "the read ended otherwise");
    return NULL;
}

static const char *writer_sees_the_close(struct link *link)
{
    end(link, &link->client);
    CHECK(link->transport->write(link->server, "x", 1, LONG_MS) == UM_ERR_CLOSED,
          "it was not reported");
    return NULL;
}

static const char *writer_that_waits_sees_the_close(struct link *link)
{
    struct call writer = {
        .conn = link->server, .bytes = link->large, .len_bytes = 64 * LARGE_BYTES};
    CHECK(start(call_write, &writer, link), "no thread");
    /* The first byte says that the write is under way. */
    enum um_status status = read_byte(link, link->client, LONG_MS, NULL);
    end(link, &link->client);
    um_thread_join(&writer.thread);
    CHECK(status == UM_OK, "the first byte did not come");
    CHECK(writer.status == UM_ERR_CLOSED, "the write ended otherwise");
    return NULL;
}

static const char *bytes_written_before_accept_arrive(struct link *link)
{
    uint8_t bytes[1000];
    end(link, &link->client);
    end(link, &link->server);
    fill(bytes, sizeof bytes);
    CHECK(link->transport->connect(link->name, LONG_MS, &link->client) == UM_OK, "cannot connect");
    CHECK(write_all(link, link->client, bytes, sizeof bytes), "cannot write");
    end(link, &link->client);
    CHECK(link->transport->accept(link->listener, LONG_MS, &link->server) == UM_OK,
          "cannot accept");
    return read_pattern(link, link->server, sizeof bytes, sizeof bytes);
}

static const char *connect_to_nobody_is_not_found(struct link *link)
{
    char name[UM_TRANSPORT_NAME_BYTES] = "";
    struct um_conn **conn = &link->more[0];
    CHECK(um_transport_random_name("nobody", name, NULL) == UM_OK, "no random name");
    CHECK(link->transport->connect(name, 0, conn) == UM_ERR_NOT_FOUND, "one try ended otherwise");
    CHECK(link->transport->connect(name, SHORT_MS, conn) == UM_ERR_NOT_FOUND,
          "waiting ended otherwise");
    CHECK(!*conn, "a failed connect changed its result");
    return NULL;
}

static const char *connect_waits_for_the_name(struct link *link)
{
    char name[UM_TRANSPORT_NAME_BYTES] = "";
    struct call client = {.name = name};
    CHECK(um_transport_random_name("later", name, NULL) == UM_OK, "no random name");
    CHECK(start(call_connect, &client, link), "no thread");
    /* Most of the time the other thread has tried in vain by now; none of this depends on it. */
    um_clock_sleep_ns(SHORT_MS * UM_CLOCK_NS_PER_MS);
    enum um_status listened = link->transport->listen(name, 0, &link->second_listener);
    um_thread_join(&client.thread);
    link->more[0] = client.conn;
    CHECK(listened == UM_OK, "cannot listen");
    CHECK(client.status == UM_OK, "the connect failed");
    CHECK(link->transport->accept(link->second_listener, LONG_MS, &link->more[1]) == UM_OK,
          "cannot accept");
    return NULL;
}

static const char *connect_gives_up_when_nobody_accepts(struct link *link)
{
    /* How many may wait to be accepted is the transport's own business, but there is an end. */
    enum um_status status = UM_OK;
    for (int i = 0; i < MANY && status == UM_OK; i++)
        status = link->transport->connect(link->name, SHORT_MS, &link->more[i]);
    CHECK(status == UM_ERR_TIMEOUT, "the connect did not time out");
    return NULL;
}

static const char *accept_gives_up_after_its_timeout(struct link *link)
{
    struct um_conn **conn = &link->more[0];
    CHECK(link->transport->accept(link->listener, SHORT_MS, conn) == UM_ERR_TIMEOUT,
          "it ended otherwise");
    CHECK(!*conn, "a failed accept changed its result");
    /* Having given up must not have cost the next client anything. */
    CHECK(link->transport->connect(link->name, LONG_MS, conn) == UM_OK,
          "the next client was refused");
    end(link, &link->server);
    CHECK(link->transport->accept(link->listener, LONG_MS, &link->server) == UM_OK,
          "the next client was not accepted");
    return NULL;
}

static const char *accept_polls_without_waiting(struct link *link)
{
    CHECK(link->transport->accept(link->listener, 0, &link->more[0]) == UM_ERR_TIMEOUT,
          "it ended otherwise");
    return NULL;
}

static const char *second_listener_is_refused(struct link *link)
{
    CHECK(link->transport->listen(link->name, 0, &link->second_listener) == UM_ERR_EXISTS,
          "it was not refused");
    CHECK(!link->second_listener, "a failed listen changed its result");
    CHECK(link->transport->accept(link->listener, 0, &link->more[0]) == UM_ERR_TIMEOUT,
          "the first listener took the second for a client");
    return NULL;
}

static const char *name_is_free_after_the_listener(struct link *link)
{
    end(link, &link->client);
    end(link, &link->server);
    end_listener(link);
    CHECK(link->transport->connect(link->name, 0, &link->client) == UM_ERR_NOT_FOUND,
          "somebody still listens");
    CHECK(link->transport->listen(link->name, 0, &link->listener) == UM_OK, "the name is not free");
    CHECK(link->transport->connect(link->name, LONG_MS, &link->client) == UM_OK,
          "cannot connect again");
    CHECK(link->transport->accept(link->listener, LONG_MS, &link->server) == UM_OK,
          "cannot accept again");
    return NULL;
}

static const char *bad_names_are_refused(struct link *link)
{
    char too_long[UM_TRANSPORT_NAME_BYTES + 1];
    memset(too_long, 'n', sizeof too_long);
    too_long[UM_TRANSPORT_NAME_BYTES] = 0;
    const char *names[] = {"", ".", "..", ".hidden", "a/b", "a\\b", "a b", "caf\xc3\xa9", too_long};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        CHECK(link->transport->listen(names[i], 0, &link->second_listener) == UM_ERR_ARG,
              "listen took one");
        CHECK(link->transport->connect(names[i], LONG_MS, &link->more[0]) == UM_ERR_ARG,
              "connect took one");
    }
    too_long[UM_TRANSPORT_NAME_BYTES - 1] = 0;
    CHECK(link->transport->listen(too_long, 0, &link->second_listener) == UM_OK,
          "the longest name was refused");
    return NULL;
}

static const char *interrupt_ends_present_and_later_accepts(struct link *link)
{
    struct call acceptor = {.listener = link->listener};
    CHECK(start(call_accept, &acceptor, link), "no thread");
    link->transport->interrupt(link->listener);
    um_thread_join(&acceptor.thread);
    CHECK(acceptor.status == UM_ERR_CLOSED, "the present accept ended otherwise");
    CHECK(link->transport->accept(link->listener, UM_TRANSPORT_FOREVER, &link->more[0]) ==
              UM_ERR_CLOSED,
          "a later accept ended otherwise");
    CHECK(link->transport->accept(link->listener, 0, &link->more[0]) == UM_ERR_CLOSED,
          "a later poll ended otherwise");
    return NULL;
}

static const char *shut_ends_a_read(struct link *link)
{
    struct call reader = {.conn = link->client};
    CHECK(start(call_read, &reader, link), "no thread");
    link->transport->shut(link->client);
    um_thread_join(&reader.thread);
    CHECK(reader.status == UM_ERR_CLOSED, "the read ended otherwise");
    return NULL;
}

static const char *shut_ends_a_write(struct link *link)
{
    struct call writer = {
        .conn = link->server, .bytes = link->large, .len_bytes = 64 * LARGE_BYTES};
    CHECK(start(call_write, &writer, link), "no thread");
    enum um_status status = read_byte(link, link->client, LONG_MS, NULL);
    link->transport->shut(link->server);
    um_thread_join(&writer.thread);
    CHECK(status == UM_OK, "the first byte did not come");
    CHECK(writer.status == UM_ERR_CLOSED, "the write ended otherwise");
    return NULL;
}

static const char *shut_ends_later_reads_and_writes(struct link *link)
{
    CHECK(write_all(link, link->server, "x", 1), "the write failed");
    link->transport->shut(link->client);
    CHECK(read_byte(link, link->client, LONG_MS, NULL) == UM_ERR_CLOSED,
          "a later read ended otherwise");
    CHECK(read_byte(link, link->client, 0, NULL) == UM_ERR_CLOSED, "a later poll ended otherwise");
    CHECK(link->transport->write(link->client, "x", 1, LONG_MS) == UM_ERR_CLOSED,
          "a later write ended otherwise");
    return NULL;
}

static const char *several_clients_are_kept_apart(struct link *link)
{
    enum { CLIENTS = 5 };
    struct um_conn **clients = link->more;
    struct um_conn **servers = link->more + CLIENTS;
    for (int i = 0; i < CLIENTS; i++) {
        uint8_t byte = (uint8_t)i;
        CHECK(link->transport->connect(link->name, LONG_MS, &clients[i]) == UM_OK,
              "cannot connect");
        CHECK(link->transport->accept(link->listener, LONG_MS, &servers[i]) == UM_OK,
              "cannot accept");
        CHECK(write_all(link, servers[i], &byte, 1), "cannot write");
    }
    for (int i = 0; i < CLIENTS; i++) {
        uint8_t byte = 0xff;
        CHECK(read_byte(link, clients[i], LONG_MS, &byte) == UM_OK, "cannot read");
        CHECK(byte == i, "a byte reached another client");
    }
    end(link, &clients[2]);
    CHECK(write_all(link, servers[3], "x", 1), "one client's end ended another's connection");
    return NULL;
}

static const char *connection_outlives_its_listener(struct link *link)
{
    uint8_t bytes[100];
    end_listener(link);
    fill(bytes, sizeof bytes);
    CHECK(write_all(link, link->client, bytes, sizeof bytes), "cannot write");
    return read_pattern(link, link->server, sizeof bytes, sizeof bytes);
}

static const char *closed_listener_closes_whoever_waits(struct link *link)
{
    CHECK(link->transport->connect(link->name, LONG_MS, &link->more[0]) == UM_OK, "cannot connect");
    end_listener(link);
    CHECK(read_byte(link, link->more[0], LONG_MS, NULL) == UM_ERR_CLOSED,
          "the connection is not closed");
    return NULL;
}

static const char *released_connection_can_be_adopted(struct link *link)
{
    uint8_t byte = 0;
    uint32_t pid = 0;
    CHECK(write_all(link, link->server, "ab", 2), "cannot write");
    CHECK(read_byte(link, link->client, LONG_MS, &byte) == UM_OK && byte == 'a',
          "the first byte did not come");
    intptr_t handle = link->transport->release(link->client);
    link->client = NULL;
    CHECK(link->transport->adopt(handle, &link->client) == UM_OK, "it was not adopted");
    CHECK(read_byte(link, link->client, LONG_MS, &byte) == UM_OK && byte == 'b',
          "what was sent before is lost");
    CHECK(write_all(link, link->client, "c", 1), "cannot write back");
    CHECK(read_byte(link, link->server, LONG_MS, &byte) == UM_OK && byte == 'c',
          "the way back is broken");
    CHECK(link->transport->peer_pid(link->client, &pid) == UM_OK && pid == um_transport_own_pid(),
          "the other end is unknown");
    return NULL;
}

static const char *peer_is_this_process(struct link *link)
{
    uint32_t client_pid = 0;
    uint32_t server_pid = 0;
    CHECK(link->transport->peer_pid(link->server, &client_pid) == UM_OK,
          "no answer for the client");
    CHECK(link->transport->peer_pid(link->client, &server_pid) == UM_OK,
          "no answer for the server");
    CHECK(client_pid == um_transport_own_pid(), "another process for the client");
    CHECK(server_pid == um_transport_own_pid(), "another process for the server");
    return NULL;
}

static const char *closing_nothing_is_harmless(struct link *link)
{
    link->transport->close(NULL);
    link->transport->close_listener(NULL);
    return NULL;
}

static const char *check(const struct um_transport *transport,
                         const char *(*run)(struct link *link))
{
    struct link link = {.transport = transport};
    const char *problem = open_link(&link);
    if (!problem)
        problem = run(&link);
    close_link(&link);
    return problem;
}

#define TRANSPORT_SUITE_DEFINE(name)                                                               \
    const char *transport_suite_##name(const struct um_transport *transport)                       \
    {                                                                                              \
        return check(transport, name);                                                             \
    }
TRANSPORT_SUITE(TRANSPORT_SUITE_DEFINE)
