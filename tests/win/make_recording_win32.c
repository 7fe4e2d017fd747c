/* Writes a recording of a program that never ran, as the recorder would have, for tests that replay
 * it: make_recording_win32 FILE ITEM..., where an item is a time in ms at which it is as follows.
 *
 *   quiet:MS      a beat each 10 ms, answered after 0.3 ms
 *   freeze:MS     a beat that waits for so long
 *   cut           no END: the recorder is gone
 *
 * Prints one line for each freeze, "freeze ID START_MS LENGTH_MS", from the session's start.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "ipc/wire.h"
#include "monitor/writers/recorder.h"
#include "monitor/stats/stats.h"

#define START_NS (1000 * UM_CLOCK_NS_PER_S)
#define MS UM_CLOCK_NS_PER_MS

static struct um_feed_output output;
static struct um_stats *stats;
static struct um_wire_status status;
static uint64_t now_ns = START_NS;
static uint32_t seq, episode;

static void say(const struct um_wire_frame *frame)
{
    um_stats_frame(stats, frame);
    um_feed_publish(&output, 1, frame);
}

static void say_status(uint64_t waited_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_STATUS};
    frame.flags = um_stats_fill_status(stats, now_ns, waited_ns, &status);
    frame.as.status = status;
    say(&frame);
}

static void say_session(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    frame.as.session = (struct um_wire_session){.start_ns = START_NS,
                                                .hwnd = 1,
                                                .pid = 1,
                                                .tid = 1,
                                                .period_us = 10000,
                                                .threshold_us = 100000,
                                                .slow_us = 50000,
                                                .bits = 64,
                                                .probe = UM_PROBE_RAW};
    um_text_set(frame.as.session.name, sizeof frame.as.session.name, "imagined.exe");
    say(&frame);
}

static void say_beat(uint64_t latency_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
    frame.as.beat = (struct um_wire_beat){now_ns - latency_ns, latency_ns, ++seq};
    say(&frame);
}

static void say_episode(uint8_t flags, uint64_t start_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = flags};
    frame.as.episode.id = episode;
    frame.as.episode.state = UM_STATE_FROZEN;
    frame.as.episode.start_ns = start_ns;
    frame.as.episode.end_ns = now_ns;
    frame.as.episode.peak_ns = now_ns - start_ns;
    say(&frame);
}

static void set_state(uint8_t state, uint64_t waited_ns)
{
    status.state = state;
    status.state_since_ns = now_ns;
    say_status(waited_ns);
}

/* To the next step of 10 ms, at which a beat has waited for so long; at a slice's end its STATUS
 * comes. */
static void step(uint64_t waited_ns)
{
    now_ns += 10 * MS;
    if ((now_ns - START_NS) % (100 * MS) == 0)
        say_status(waited_ns);
}

static void be_quiet(unsigned long ms)
{
    for (unsigned long at = 0; at < ms; at += 10) {
        say_beat(300000);
        step(0);
    }
}

static void freeze(unsigned long ms)
{
    uint64_t start_ns = now_ns;
    episode++;
    for (unsigned long at = 0; at < ms; at += 10) {
        if (at == 100) {
            say_episode(UM_WIRE_EPISODE_BEGIN, start_ns);
            set_state(UM_STATE_FROZEN, now_ns - start_ns);
        }
        step(now_ns + 10 * MS - start_ns);
    }
    say_beat(now_ns - start_ns);
    say_episode(UM_WIRE_EPISODE_END, start_ns);
    set_state(UM_STATE_RESPONSIVE, 0);
    printf("freeze %u %llu %lu\n", (unsigned)episode,
           (unsigned long long)((start_ns - START_NS) / MS), ms);
}

/* Returns false at the item that ends it without an END. */
static int play(const char *item)
{
    const char *number = strchr(item, ':');
    unsigned long ms = number ? strtoul(number + 1, NULL, 10) : 0;
    if (strncmp(item, "quiet:", 6) == 0)
        be_quiet(ms);
    else if (strncmp(item, "freeze:", 7) == 0)
        freeze(ms);
    else
        return 0;
    return 1;
}

int main(int argc, char **argv)
{
    struct um_stats_config config = {START_NS, 10 * MS, 100 * MS};
    struct um_wire_recording header = {.time_ns = START_NS, .version = "0.1.0"};
    struct um_wire_frame end = {.type = UM_WIRE_END};
    struct um_recorder *recorder;
    char error[512];
    int whole = 1;

    if (argc < 2 || um_stats_open(&config, &stats) != UM_OK)
        return 2;
    if (um_recorder_open(argv[1], false, &header, &recorder, error, sizeof error) != UM_OK) {
        fprintf(stderr, "%s\n", error);
        return EXIT_FAILURE;
    }
    output = um_recorder_output(recorder);
    status.state = UM_STATE_RESPONSIVE;
    status.state_since_ns = START_NS;
    say_session();
    for (int i = 2; i < argc && whole; i++)
        whole = play(argv[i]);
    end.as.end.time_ns = now_ns;
    if (whole)
        say(&end);
    return um_recorder_close(recorder, 10 * UM_CLOCK_NS_PER_S) == UM_OK ? EXIT_SUCCESS
                                                                        : EXIT_FAILURE;
}
