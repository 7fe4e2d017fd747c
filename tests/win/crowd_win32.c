/* A feed of numbered beats, and consumers of all kinds for it, each a process of its own:
 *
 *   crowd_win32 serve CONSUMERS READERS STALLED BEATS   prints "feed NAME", waits until so many
 *                  consumers have a first frame, publishes so many beats, at most 10,000 a second,
 *                  with a STATUS after each 100 and an END at last, lets those that have stalled
 *                  read, and waits until so many of them have done so. It waits for so many readers
 *                  whenever they are behind by a part of what a pipe and the queue hold: a busy
 *                  machine makes none of them lose anything
 *   crowd_win32 read NAME      reads all of it
 *   crowd_win32 stray NAME     the same, but nobody waits for it
 *   crowd_win32 stall NAME     reads nothing between the first frame and the END's publishing
 *   crowd_win32 garbage NAME   reads all of it, and writes random bytes meanwhile
 *
 * A consumer prints "connected" after its first frame, "reads" after a STATUS, and in the end
 * "beats N last SEQ lost N losses N broken N sent N": `lost` as it was told, `broken` how often a
 * beat was not the one that had to come, `sent` the bytes of garbage.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/plain/clock.h"
#include "ipc/frame_reader.h"
#include "ipc/transport.h"
#include "monitor/feed/hub.h"

#define STEP_BEATS 100
#define STEP_NS (10 * UM_CLOCK_NS_PER_MS)
/* The readers are behind by so many steps on average at most. One that is behind alone may have six
 * times as many before it, which is 150 kB. */
#define BEHIND_STEPS 10
#define LIMIT_MS 30000

static void say(const char *text)
{
    puts(text);
    fflush(stdout);
}

static int fail(const char *what)
{
    fprintf(stderr, "crowd: %s\n", what);
    return EXIT_FAILURE;
}

/* The event that the END was published, and how many consumers are so far: connected, caught up,
 * and how many steps the readers have read. */
static HANDLE published_event(const char *name)
{
    char text[MAX_PATH];
    snprintf(text, sizeof text, "published-%s", name);
    return CreateEventA(NULL, TRUE, FALSE, text);
}

static HANDLE count_of(const char *what, const char *name)
{
    char text[MAX_PATH];
    snprintf(text, sizeof text, "%s-%s", what, name);
    return CreateSemaphoreA(NULL, 0, LONG_MAX, text);
}

/* Serving -------------------------------------------------------------------------------------- */

static void publish(struct um_hub *hub, struct um_wire_frame frame)
{
    struct um_feed_output output = um_hub_output(hub);
    um_feed_publish(&output, 1, &frame);
}

static bool wait_for(HANDLE semaphore, int count)
{
    for (int i = 0; i < count; i++)
        if (WaitForSingleObject(semaphore, LIMIT_MS) != WAIT_OBJECT_0)
            return false;
    return true;
}

static bool publish_beats(struct um_hub *hub, uint32_t beats, HANDLE read, int readers)
{
    uint64_t due_ns = um_clock_now_ns();
    for (uint32_t seq = 1; seq <= beats; seq++) {
        publish(hub, (struct um_wire_frame){.type = UM_WIRE_BEAT, .as.beat.seq = seq});
        if (seq % STEP_BEATS)
            continue;
        publish(hub, (struct um_wire_frame){.type = UM_WIRE_STATUS,
                                            .as.status.state = UM_STATE_RESPONSIVE});
        if (seq > BEHIND_STEPS * STEP_BEATS && !wait_for(read, readers))
            return false;
        due_ns += STEP_NS;
        uint64_t now_ns = um_clock_now_ns();
        if (now_ns < due_ns)
            um_clock_sleep_ns(due_ns - now_ns);
        else
            due_ns = now_ns; /* held up: nobody gets more at once because of that */
    }
    publish(hub, (struct um_wire_frame){.type = UM_WIRE_END});
    return true;
}

static int serve(int consumers, int readers, int stalled, uint32_t beats)
{
    char name[UM_TRANSPORT_NAME_BYTES];
    struct um_hub *hub;

    if (um_hub_open(um_transport_system(), &hub, name) != UM_OK)
        return fail("no hub");
    HANDLE published = published_event(name), caught_up = count_of("caught-up", name);
    HANDLE connected = count_of("connected", name), read = count_of("read", name);
    publish(hub, (struct um_wire_frame){.type = UM_WIRE_SESSION});
    printf("feed %s\n", name);
    fflush(stdout);
    if (!wait_for(connected, consumers))
        return fail("somebody does not connect");
    if (!publish_beats(hub, beats, read, readers))
        return fail("a reader does not read");
    SetEvent(published);
    if (!wait_for(caught_up, stalled))
        return fail("somebody does not catch up");
    um_hub_close(hub);
    say("closed");
    return EXIT_SUCCESS;
}

/* Consumers ------------------------------------------------------------------------------------ */

struct consumer {
    struct um_conn *conn;
    struct um_frame_reader reader;
    uint8_t bytes[8 * UM_WIRE_MAX_BYTES];
    HANDLE read; /* counts the steps; NULL: nobody waits for this one */
    uint64_t beats, last, lost, losses, broken, sent;
};

static bool next(struct consumer *consumer, struct um_wire_frame *frame)
{
    enum um_status status;
    while ((status = um_frame_reader_next(&consumer->reader, frame)) == UM_ERR_PARTIAL) {
        size_t room, got;
        uint8_t *to = um_frame_reader_room(&consumer->reader, &room);
        if (um_transport_system()->read(consumer->conn, to, room, LIMIT_MS, &got) != UM_OK)
            return false;
        um_frame_reader_add(&consumer->reader, got);
    }
    return status == UM_OK;
}

static DWORD WINAPI send_garbage(void *context)
{
    struct consumer *consumer = context;
    uint8_t bytes[1024];
    while (um_transport_random_bits(bytes, sizeof bytes) == UM_OK &&
           um_transport_system()->write(consumer->conn, bytes, sizeof bytes, LIMIT_MS) == UM_OK)
        consumer->sent += sizeof bytes;
    return 0;
}

/* Reads to the END. False if the feed breaks off. */
static bool read_all(struct consumer *consumer)
{
    struct um_wire_frame frame;
    uint64_t missing = 0, statuses = 0;
    while (next(consumer, &frame)) {
        if (frame.type == UM_WIRE_END)
            return true;
        if (frame.type == UM_WIRE_LOST) {
            consumer->losses++;
            consumer->lost += frame.as.lost.frames;
            missing = frame.as.lost.frames;
        }
        if (frame.type == UM_WIRE_STATUS && !statuses++)
            say("reads");
        if (frame.type == UM_WIRE_STATUS && consumer->read)
            ReleaseSemaphore(consumer->read, 1, NULL);
        if (frame.type != UM_WIRE_BEAT)
            continue;
        uint64_t gap = frame.as.beat.seq - consumer->last - 1;
        /* Of what was lost, one in a hundred and one is a STATUS. */
        consumer->broken += frame.as.beat.seq <= consumer->last || gap > missing ||
                            missing - gap > missing / 100 + 1;
        missing = 0;
        consumer->last = frame.as.beat.seq;
        consumer->beats++;
    }
    return false;
}

static int consume(const char *mode, const char *name)
{
    static struct consumer consumer;
    struct um_wire_frame frame;
    HANDLE published = published_event(name), caught_up = count_of("caught-up", name);
    HANDLE thread = NULL;

    um_frame_reader_init(&consumer.reader, consumer.bytes, sizeof consumer.bytes);
    if (um_transport_system()->connect(name, 5000, &consumer.conn) != UM_OK ||
        !next(&consumer, &frame) || frame.type != UM_WIRE_SESSION)
        return fail("no feed");
    say("connected");
    ReleaseSemaphore(count_of("connected", name), 1, NULL);
    if (strcmp(mode, "stall") == 0)
        WaitForSingleObject(published, INFINITE);
    else if (strcmp(mode, "garbage") == 0)
        thread = CreateThread(NULL, 0, send_garbage, &consumer, 0, NULL);
    if (strcmp(mode, "read") == 0 || strcmp(mode, "garbage") == 0)
        consumer.read = count_of("read", name);
    bool whole = read_all(&consumer);
    if (strcmp(mode, "stall") == 0)
        ReleaseSemaphore(caught_up, 1, NULL);
    um_transport_system()->shut(consumer.conn);
    if (thread)
        WaitForSingleObject(thread, INFINITE);
    printf("beats %" PRIu64 " last %" PRIu64 " lost %" PRIu64 " losses %" PRIu64 " broken %" PRIu64
           " sent %" PRIu64 "\n",
           consumer.beats, consumer.last, consumer.lost, consumer.losses, consumer.broken,
           consumer.sent);
    return whole ? EXIT_SUCCESS : fail("the feed broke off");
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "serve") == 0)
        return serve(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), (uint32_t)atoi(argv[5]));
    if (argc == 3)
        return consume(argv[1], argv[2]);
    return fail("usage: crowd_win32 serve CONSUMERS READERS STALLED BEATS, or "
                "read|stray|stall|garbage NAME");
}
