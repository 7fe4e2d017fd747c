/* Both ends of a feed, for the benchmark (tests/bench/feed.c):
 *
 *   feed_win32 serve CONSUMERS SECONDS   prints "feed NAME", waits until so many have connected,
 *                       and publishes beats for so long, as fast as all of them take them:
 *                       "FRAMES SECONDS", until the last one was written
 *   feed_win32 read NAME CONSUMERS       reads with so many connections to the END: "BEATS LOST" of
 *                       all of them
 *   feed_win32 stall NAME CONSUMERS      connects as often, and reads nothing: "stalled", until a
 *                       line or the end of its input
 *
 * `read` says "connected" first.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/plain/clock.h"
#include "ipc/frame_reader.h"
#include "base/thread.h"
#include "ipc/transport.h"
#include "monitor/feed/hub.h"

#define MOST_CONSUMERS 64
#define STEP_BEATS 500
#define AHEAD_BYTES (64 * 1024) /* that may be under way; the hub keeps twice as much */
#define LIMIT_MS 30000

static int fail(const char *what)
{
    fprintf(stderr, "feed_win32: %s\n", what);
    return EXIT_FAILURE;
}

/* Serving -------------------------------------------------------------------------------------- */

static _Atomic int connected;
static struct um_conn *conns[MOST_CONSUMERS];
static _Atomic uint64_t written_bytes[MOST_CONSUMERS]; /* to each of those */

static enum um_status accept_counted(struct um_listener *listener, uint32_t timeout_ms,
                                     struct um_conn **conn)
{
    enum um_status status = um_transport_system()->accept(listener, timeout_ms, conn);
    if (status == UM_OK) {
        conns[atomic_load(&connected) % MOST_CONSUMERS] = *conn;
        atomic_fetch_add(&connected, 1);
    }
    return status;
}

static enum um_status write_counted(struct um_conn *conn, const void *buf, size_t len_bytes,
                                    uint32_t timeout_ms)
{
    enum um_status status = um_transport_system()->write(conn, buf, len_bytes, timeout_ms);
    for (int i = 0; status == UM_OK && i < MOST_CONSUMERS; i++)
        if (conns[i] == conn)
            atomic_fetch_add(&written_bytes[i], len_bytes);
    return status;
}

static size_t publish(struct um_hub *hub, struct um_wire_frame frame)
{
    struct um_feed_output output = um_hub_output(hub);
    struct um_feed_item item = {.frame = &frame};
    output.take(output.context, &item);
    return item.len_bytes;
}

/* Waits until no more than so many bytes are under way to any consumer. */
static void wait_written(uint64_t published_bytes, int consumers, uint64_t ahead_bytes)
{
    for (int i = 0; i < consumers; i++)
        while (atomic_load(&written_bytes[i]) + ahead_bytes < published_bytes)
            SwitchToThread();
}

static int serve(int consumers, double seconds)
{
    struct um_transport counting = *um_transport_system();
    struct um_wire_frame beat = {.type = UM_WIRE_BEAT};
    struct um_wire_frame status = {.type = UM_WIRE_STATUS};
    char name[UM_TRANSPORT_NAME_BYTES];
    uint64_t frames = 0, bytes = 0;
    struct um_hub *hub;

    counting.accept = accept_counted;
    counting.write = write_counted;
    if (um_hub_open(&counting, &hub, name) != UM_OK)
        return fail("no hub");
    printf("feed %s\n", name);
    fflush(stdout);
    while (atomic_load(&connected) < consumers)
        Sleep(5);
    Sleep(200); /* the last one is admitted, and all have their preamble */
    for (int i = 0; i < consumers; i++)
        atomic_store(&written_bytes[i], 0);
    uint64_t begin_ns = um_clock_now_ns();
    uint64_t end_ns = begin_ns + (uint64_t)(seconds * (double)UM_CLOCK_NS_PER_S);
    while (um_clock_now_ns() < end_ns) {
        for (int i = 0; i < STEP_BEATS; i++)
            bytes += publish(hub, beat);
        bytes += publish(hub, status);
        frames += STEP_BEATS + 1;
        wait_written(bytes, consumers, AHEAD_BYTES);
    }
    wait_written(bytes, consumers, 0);
    printf("%" PRIu64 " %.6f\n", frames, (double)(um_clock_now_ns() - begin_ns) / 1e9);
    fflush(stdout);
    publish(hub, (struct um_wire_frame){.type = UM_WIRE_END});
    um_hub_close(hub);
    return EXIT_SUCCESS;
}

/* Reading -------------------------------------------------------------------------------------- */

static struct reader {
    struct um_thread thread;
    struct um_conn *conn;
    struct um_frame_reader frames;
    uint8_t bytes[16 * UM_WIRE_MAX_BYTES];
    uint64_t beats, lost;
} readers[MOST_CONSUMERS];

static void read_all(void *context)
{
    struct reader *reader = context;
    struct um_wire_frame frame = {0};
    size_t room, got;

    um_frame_reader_init(&reader->frames, reader->bytes, sizeof reader->bytes);
    while (frame.type != UM_WIRE_END) {
        uint8_t *to = um_frame_reader_room(&reader->frames, &room);
        if (um_transport_system()->read(reader->conn, to, room, LIMIT_MS, &got) != UM_OK)
            return;
        um_frame_reader_add(&reader->frames, got);
        while (um_frame_reader_next(&reader->frames, &frame) == UM_OK) {
            reader->beats += frame.type == UM_WIRE_BEAT;
            reader->lost += frame.type == UM_WIRE_LOST ? frame.as.lost.frames : 0;
        }
    }
}

static bool connect_all(const char *name, int consumers)
{
    for (int i = 0; i < consumers; i++)
        if (um_transport_system()->connect(name, 5000, &readers[i].conn) != UM_OK)
            return false;
    return true;
}

static int read_feed(const char *name, int consumers)
{
    uint64_t beats = 0, lost = 0;
    if (!connect_all(name, consumers))
        return fail("no connection");
    puts("connected");
    fflush(stdout);
    for (int i = 0; i < consumers; i++)
        if (um_thread_start(read_all, &readers[i], &readers[i].thread) != UM_OK)
            return fail("no thread");
    for (int i = 0; i < consumers; i++) {
        um_thread_join(&readers[i].thread);
        beats += readers[i].beats;
        lost += readers[i].lost;
    }
    printf("%" PRIu64 " %" PRIu64 "\n", beats, lost);
    return EXIT_SUCCESS;
}

static int stall(const char *name, int consumers)
{
    if (!connect_all(name, consumers))
        return fail("no connection");
    puts("stalled");
    fflush(stdout);
    getchar();
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int consumers = argc == 4 ? atoi(strcmp(argv[1], "serve") == 0 ? argv[2] : argv[3]) : 0;
    if (consumers < 1 || consumers > MOST_CONSUMERS)
        return fail("usage: serve CONSUMERS SECONDS, or read|stall NAME CONSUMERS");
    if (strcmp(argv[1], "serve") == 0)
        return serve(consumers, atof(argv[3]));
    return strcmp(argv[1], "read") == 0 ? read_feed(argv[2], consumers) : stall(argv[2], consumers);
}
