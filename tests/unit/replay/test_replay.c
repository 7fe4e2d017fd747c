/* A session is told live by a little model: a beat each 10 ms, a freeze, a quiet hour. What a
 * recorder would keep of it goes into a file; what the replay says is compared with what was said
 * live. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ipc/names.h"
#include "monitor/recording/recording.h"
#include "monitor/replay/replay.h"
#include "monitor/profile/samples.h"
#include "monitor/stats/stats.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)
#define START (5000 * S)
#define MAX_FRAMES 40000

struct feed {
    size_t count;
    struct um_wire_frame *frames;
};

static struct feed live;  /* all of it */
static struct feed heard; /* what the replay said */
static struct um_recording_block block;
static struct um_stats *stats;
static struct um_wire_status status;
static bool said_status;
static struct um_replay *replay;
static uint64_t now_ns;
static uint32_t seq, episode;
static char path[64];
static FILE *file;

static void add(struct feed *feed, const struct um_wire_frame *frame)
{
    cr_assert_lt(feed->count, MAX_FRAMES);
    feed->frames[feed->count++] = *frame;
}

static void hear(void *context, struct um_feed_item *item)
{
    (void)context;
    add(&heard, item->frame);
}

static void write_block(void)
{
    size_t len = um_recording_finish(&block);
    cr_assert_eq(fwrite(block.bytes, 1, len, file), len);
    um_recording_begin(&block);
}

static void record(const struct um_wire_frame *frame)
{
    if (um_recording_add(&block, frame) == UM_OK)
        return;
    write_block();
    cr_assert_eq(um_recording_add(&block, frame), UM_OK);
}

/* Says it live, and records it unless it is one of the many STATUS that can be made again. */
static void say(const struct um_wire_frame *frame, bool keep)
{
    um_stats_frame(stats, frame);
    add(&live, frame);
    if (keep)
        record(frame);
}

static void say_status(uint64_t waited_ns, bool keep)
{
    struct um_wire_frame frame = {.type = UM_WIRE_STATUS};

    frame.flags = um_stats_fill_status(stats, now_ns, waited_ns, &status);
    frame.as.status = status;
    say(&frame, keep || !said_status); /* a recorder keeps the first one */
    said_status = true;
}

static void say_beat(uint64_t latency_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};

    frame.as.beat = (struct um_wire_beat){now_ns - latency_ns, latency_ns, ++seq};
    say(&frame, true);
}

static void say_episode(uint8_t flags, uint8_t state, uint64_t start_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = flags};

    frame.as.episode.start_ns = start_ns;
    frame.as.episode.end_ns = now_ns;
    frame.as.episode.id = episode;
    frame.as.episode.state = state;
    say(&frame, true);
}

static void set_state(uint8_t state)
{
    status.state = state;
    status.state_since_ns = now_ns;
    say_status(0, true);
}

/* Beats of 0.3 ms and more, each 10 ms, and a STATUS each 100 ms. */
static void be_quiet(uint32_t slices)
{
    for (uint32_t i = 0; i < slices * 10; i++) {
        now_ns += 10 * MS;
        if (now_ns % (100 * MS) == 0)
            say_status(0, false);
        now_ns += MS;
        say_beat(300000 + seq % 7 * 100000);
        now_ns -= MS;
    }
}

#define HOT 0 /* two functions of a module: where they are in it, and their nodes */
#define COLD 1
static const uint64_t places[] = {0x1000, 0x2000};

static void say_program(void)
{
    struct um_wire_frame module = {.type = UM_WIRE_MODULE}, nodes = {.type = UM_WIRE_NODES};

    strcpy(module.as.module.path, "C:\\p\\plug.dll");
    say(&module, true);
    nodes.as.nodes.first = UM_WIRE_FIRST_NODE;
    nodes.as.nodes.count = 2;
    for (int i = 0; i < 2; i++)
        nodes.as.nodes.list[i].key = um_samples_key(0, places[i]);
    say(&nodes, true);
}

/* What functions are called is known after their samples. */
static void say_names(void)
{
    static const char *const names[] = {"hot", "cold"};
    struct um_wire_frame name = {.type = UM_WIRE_NAME, .as.name.kind = UM_NAMES_DEBUG};

    for (int i = 0; i < 2; i++) {
        name.as.name.key = um_samples_key(0, places[i]);
        strcpy(name.as.name.name, names[i]);
        say(&name, true);
    }
}

/* Samples in a freeze, which are told as they come; the first of a function has no length yet. */
static uint32_t samples_a_slice[2];

static void say_samples(void)
{
    struct um_wire_frame sample = {.type = UM_WIRE_SAMPLE, .as.sample.absence = episode};

    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t j = 0; j < samples_a_slice[i]; j++) {
            sample.as.sample.time_ns = now_ns - 50 * MS + j * MS;
            sample.as.sample.node = UM_WIRE_FIRST_NODE + i;
            sample.as.sample.wall_us = 10000;
            say(&sample, true);
        }
}

static void freeze(uint32_t slices)
{
    uint64_t start_ns = now_ns;

    episode++;
    for (uint32_t i = 0; i < slices; i++) {
        now_ns += 100 * MS;
        say_samples();
        say_status(now_ns - start_ns, true);
        if (i == 0) {
            say_episode(UM_WIRE_EPISODE_BEGIN, UM_STATE_FROZEN, start_ns);
            set_state(UM_STATE_FROZEN);
        }
    }
    now_ns += 50 * MS;
    say_beat(now_ns - start_ns);
    say_episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, start_ns);
    set_state(UM_STATE_RESPONSIVE);
    now_ns += 50 * MS;
    say_status(0, false);
}

static void begin(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_RECORDING};
    struct um_stats_config config = {START, 10 * MS, 100 * MS};
    uint8_t header[UM_RECORDING_HEADER_BYTES];

    live.frames = calloc(MAX_FRAMES, sizeof *live.frames);
    heard.frames = calloc(MAX_FRAMES, sizeof *heard.frames);
    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
    snprintf(path, sizeof path, "/tmp/uimon-replay-XXXXXX");
    int descriptor = mkstemp(path);
    file = fdopen(descriptor, "wb");
    cr_assert(file != NULL);
    um_recording_put_header(header);
    fwrite(header, 1, sizeof header, file);
    record(&frame);
    now_ns = START;
    frame = (struct um_wire_frame){.type = UM_WIRE_SESSION};
    frame.as.session.start_ns = START;
    frame.as.session.hwnd = 1234;
    frame.as.session.period_us = 10000;
    frame.as.session.threshold_us = 100000;
    strcpy(frame.as.session.name, "devenv.exe");
    strcpy(frame.as.session.caption, "before");
    status.state = UM_STATE_RESPONSIVE;
    status.state_since_ns = START;
    say(&frame, true);
}

static void open_replay(void)
{
    struct um_feed_output output = {NULL, hear, NULL};
    char error[512];

    write_block();
    fclose(file);
    cr_assert_eq(um_replay_open(path, &output, &replay, error, sizeof error), UM_OK, "%s", error);
}

static void say_end(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_END};

    frame.as.end.time_ns = now_ns;
    frame.as.end.reason = UM_END_TARGET_GONE;
    say(&frame, true);
}

static void finish(void)
{
    um_replay_close(replay);
    um_stats_close(stats);
    free(live.frames);
    free(heard.frames);
    unlink(path);
}

TestSuite(replay, .init = begin, .fini = finish);

/* The nth frame of a type, from `at` on; NULL after the last. */
static const struct um_wire_frame *next_of(const struct feed *feed, uint8_t type, size_t *at)
{
    while (*at < feed->count) {
        const struct um_wire_frame *frame = &feed->frames[(*at)++];
        if (frame->type == type)
            return frame;
    }
    return NULL;
}

static size_t count_of(const struct feed *feed, uint8_t type)
{
    size_t at = 0, count = 0;

    while (next_of(feed, type, &at))
        count++;
    return count;
}

static bool same(const struct um_wire_frame *a, const struct um_wire_frame *b)
{
    uint8_t a_bytes[UM_WIRE_MAX_BYTES], b_bytes[UM_WIRE_MAX_BYTES];
    size_t a_len = 0, b_len = 1;

    return um_wire_encode(a, a_bytes, sizeof a_bytes, &a_len) == UM_OK &&
           um_wire_encode(b, b_bytes, sizeof b_bytes, &b_len) == UM_OK && a_len == b_len &&
           memcmp(a_bytes, b_bytes, a_len) == 0;
}

/* Every frame of a type that was heard from `at` on is the one that was said live, from START +
 * `from_ns` to START + `until_ns`, and none of them is missing. */
static void expect_same(uint8_t type, size_t heard_at, uint64_t from_ns, uint64_t until_ns)
{
    const struct um_wire_frame *frame, *echo;
    size_t at = 0, count = 0;

    while ((frame = next_of(&live, type, &at))) {
        uint64_t time_ns = type == UM_WIRE_STATUS    ? frame->as.status.time_ns
                           : type == UM_WIRE_EPISODE ? frame->as.episode.end_ns
                                                     : frame->as.beat.sent_ns;
        if (time_ns < START + from_ns || time_ns > START + until_ns)
            continue;
        echo = next_of(&heard, type, &heard_at);
        cr_assert(echo != NULL, "after %zu frames of type %u nothing comes", count, type);
        cr_assert(same(frame, echo), "frame %zu of type %u is of %.3f s and not %.3f s", count,
                  type, (double)(echo->as.status.time_ns - START) / 1e9,
                  (double)(time_ns - START) / 1e9);
        count++;
    }
    cr_expect_eq((void *)next_of(&heard, type, &heard_at), NULL, "one too many");
    cr_expect_gt(count, 0);
}

static void say_component(uint32_t id, const char *text)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_COMPONENT,
                                  .as.layout_component = {.id = id, .window = 77}};
    strcpy(frame.as.layout_component.text, text);
    say(&frame, true);
}

static void say_place(uint32_t id, uint32_t width)
{
    const struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_PLACE,
        .as.layout_place = {.id = id, .left = -3, .width = width, .height = 20}};
    say(&frame, true);
}

static void say_meter(uint32_t id)
{
    const struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_METERS,
        .as.layout_meters = {
            .time_ns = now_ns, .count = 1, .list = {{.id = id, .worst_ns = now_ns}}}};
    say(&frame, true);
}

/* All frames of a type that were heard are those that were said, in their order. */
static void expect_all(uint8_t type, size_t count)
{
    size_t said_at = 0, heard_at = 0;
    for (size_t i = 0; i < count; i++) {
        const struct um_wire_frame *said = next_of(&live, type, &said_at);
        const struct um_wire_frame *echo = next_of(&heard, type, &heard_at);
        cr_assert(said && echo && same(said, echo), "frame %zu of type %u", i, type);
    }
    cr_expect_eq((void *)next_of(&heard, type, &heard_at), NULL, "one too many");
}

Test(replay, tells_what_layout_costs)
{
    struct um_wire_frame times = {
        .type = UM_WIRE_LAYOUT_TIMES,
        .as.layout_times = {.frames = 3, .count = 1, .list = {{.id = 2, .layout_ns = 5}}}};
    be_quiet(5);
    say_component(2, "outer");
    say_meter(2);
    times.as.layout_times.time_ns = now_ns;
    say(&times, true);
    be_quiet(5);
    say_component(2, "outer, again");
    say_meter(2);
    be_quiet(5);
    say_end();
    open_replay();
    um_replay_play(replay, 2 * S);
    expect_all(UM_WIRE_LAYOUT_COMPONENT, 2);
    expect_all(UM_WIRE_LAYOUT_METERS, 2);
    expect_all(UM_WIRE_LAYOUT_TIMES, 1);
    size_t at = 0;
    cr_expect_eq(next_of(&heard, UM_WIRE_SESSION, &at)->as.session.hwnd, 0,
                 "there is no window to draw on");
}

/* Otherwise the numbers after a seek would have no names. */
Test(replay, tells_of_components_that_a_seek_has_passed_over)
{
    size_t at = 0;
    be_quiet(5);
    say_component(2, "outer");
    say_component(5, "inner");
    say_place(5, 100);
    say_meter(2);
    be_quiet(5);
    say_component(5, "inner, again");
    say_place(5, 90);
    be_quiet(5);
    say_meter(5);
    be_quiet(5);
    say_component(6, "late");
    say_end();
    open_replay();
    um_replay_seek(replay, 1400 * MS);
    cr_assert_eq(count_of(&heard, UM_WIRE_LAYOUT_COMPONENT), 2);
    cr_expect_str_eq(next_of(&heard, UM_WIRE_LAYOUT_COMPONENT, &at)->as.layout_component.text,
                     "outer");
    cr_expect_str_eq(next_of(&heard, UM_WIRE_LAYOUT_COMPONENT, &at)->as.layout_component.text,
                     "inner, again");
    cr_expect(um_replay_info(replay)->has_layout);
    cr_assert_eq(count_of(&heard, UM_WIRE_LAYOUT_METERS), 1, "it leads up to there");
    cr_expect_eq(next_of(&heard, UM_WIRE_LAYOUT_METERS, &at)->as.layout_meters.time_ns,
                 START + 500 * MS);
    at = 0;
    cr_assert_eq(count_of(&heard, UM_WIRE_LAYOUT_PLACE), 1);
    cr_expect_eq(next_of(&heard, UM_WIRE_LAYOUT_PLACE, &at)->as.layout_place.width, 90);
    um_replay_play(replay, 1600 * MS);
    cr_expect_eq(count_of(&heard, UM_WIRE_LAYOUT_METERS), 2);
    heard.count = at = 0;
    um_replay_seek(replay, 700 * MS);
    cr_assert_eq(count_of(&heard, UM_WIRE_LAYOUT_COMPONENT), 2);
    next_of(&heard, UM_WIRE_LAYOUT_COMPONENT, &at);
    cr_expect_str_eq(next_of(&heard, UM_WIRE_LAYOUT_COMPONENT, &at)->as.layout_component.text,
                     "inner", "it was not called otherwise yet");
}

static void say_times(uint32_t id, uint64_t frames, uint64_t key)
{
    const struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_TIMES,
        .as.layout_times = {.time_ns = now_ns,
                            .frames = frames,
                            .count = 1,
                            .list = {{.id = id, .frames = (uint32_t)frames, .key = key}}}};
    say(&frame, true);
}

/* Nothing of what comes later is among it. */
Test(replay, tells_what_layout_has_cost_up_to_where_it_jumps_to)
{
    struct um_wire_frame name = {.type = UM_WIRE_NAME, .as.name = {.key = 70, .line = 7}};
    strcpy(name.as.name.name, "pane_procedure");
    size_t at = 0;
    say_component(2, "outer");
    say_component(5, "inner");
    be_quiet(5);
    say_meter(5);
    say_times(5, 3, 70);
    be_quiet(100);
    say_meter(2);
    say_times(2, 9, 0);
    say(&name, true);
    be_quiet(10);
    say_meter(2);
    be_quiet(5);
    say_meter(5);
    say_times(5, 20, 71);
    be_quiet(5);
    say_end();
    open_replay();
    um_replay_seek(replay, 12500 * MS); /* the end */
    heard.count = 0;
    um_replay_seek(replay, 11700 * MS);
    cr_assert_eq(count_of(&heard, UM_WIRE_LAYOUT_METERS), 3);
    const struct um_wire_frame *frame = next_of(&heard, UM_WIRE_LAYOUT_METERS, &at);
    cr_expect(frame->as.layout_meters.time_ns == START + 500 * MS &&
                  frame->as.layout_meters.list[0].id == 5,
              "the last one of a component, however old");
    frame = next_of(&heard, UM_WIRE_LAYOUT_METERS, &at);
    cr_expect_eq(frame->as.layout_meters.time_ns, START + 10500 * MS);
    frame = next_of(&heard, UM_WIRE_LAYOUT_METERS, &at);
    cr_expect_eq(frame->as.layout_meters.time_ns, START + 11500 * MS);
    at = 0;
    cr_assert_eq(count_of(&heard, UM_WIRE_LAYOUT_TIMES), 1);
    const struct um_wire_layout_times *times =
        &next_of(&heard, UM_WIRE_LAYOUT_TIMES, &at)->as.layout_times;
    cr_assert_eq(times->count, 2);
    cr_expect_eq(times->frames, 9);
    cr_expect(times->list[0].id == 2 && times->list[0].frames == 9);
    cr_expect(times->list[1].id == 5 && times->list[1].frames == 3 && times->list[1].key == 70);
    at = 0;
    cr_assert_eq(count_of(&heard, UM_WIRE_NAME), 1);
    cr_expect(same(next_of(&heard, UM_WIRE_NAME, &at), &name));
}

static void say_kind(uint32_t number, const char *text)
{
    struct um_wire_frame frame = {.type = UM_WIRE_MARKER_KIND, .as.marker_kind.number = number};
    strcpy(frame.as.marker_kind.name, text);
    say(&frame, true);
}

Test(replay, tells_of_kinds_of_markers_that_a_seek_has_passed_over)
{
    struct um_wire_frame marker = {.type = UM_WIRE_MARKER, .as.marker.kind = 2};
    size_t at = 0;
    be_quiet(5);
    say_kind(2, "Load");
    be_quiet(15);
    marker.as.marker.start_ns = now_ns;
    say(&marker, true);
    say_kind(5, "late");
    say_end();
    open_replay();
    um_replay_seek(replay, 1400 * MS);
    cr_assert_eq(count_of(&heard, UM_WIRE_MARKER_KIND), 1);
    cr_expect_str_eq(next_of(&heard, UM_WIRE_MARKER_KIND, &at)->as.marker_kind.name, "Load");
    um_replay_play(replay, 3 * S);
    cr_expect_eq(count_of(&heard, UM_WIRE_MARKER), 1);
    heard.count = 0;
    um_replay_seek(replay, 100 * MS);
    cr_expect_eq(count_of(&heard, UM_WIRE_MARKER_KIND), 0, "there was none then");
}

static void expect_profile(const struct um_wire_frame *frame, enum um_wire_scope scope,
                           uint32_t hot, uint32_t cold)
{
    const struct um_wire_profile *profile = &frame->as.profile;

    cr_assert_eq(frame->type, UM_WIRE_PROFILE);
    cr_expect_eq(profile->scope, scope);
    cr_expect_eq(profile->samples, hot + cold);
    cr_expect_eq(profile->forgotten, 0);
    cr_expect_str_eq(profile->rows[0].name, hot + cold ? "hot" : "");
    cr_expect_eq(profile->rows[0].self, hot);
    cr_expect_str_eq(profile->rows[1].name, cold ? "cold" : "");
    cr_expect_eq(profile->rows[1].self, cold);
}

/* Of a recording: quiet for 1 s, frozen for 0.45 s, quiet for 0.5 s, frozen for 0.25 s. Samples of
 * a slice come with its end; recorded frames are taken 30 ms before their time. */
Test(replay, has_the_profile_up_to_the_position)
{
    struct um_wire_frame frames[UM_HOTTEST_FRAMES];
    const struct um_hottest_shown shown = {.by = UM_WIRE_BY_SELF};

    say_program();
    be_quiet(10);
    samples_a_slice[HOT] = 3;
    samples_a_slice[COLD] = 1;
    freeze(4);
    samples_a_slice[COLD] = 2;
    be_quiet(5);
    freeze(2);
    say_names();
    say_end();
    open_replay();
    um_replay_play(replay, 900 * MS);
    cr_assert_eq(um_replay_hottest(replay, &shown, frames), UM_WIRE_PROFILE_PARTS);
    expect_profile(&frames[0], UM_WIRE_SCOPE_SESSION, 0, 0);
    um_replay_play(replay, 1310 * MS); /* three slices of the first freeze */
    cr_assert_eq(um_replay_hottest(replay, &shown, frames), UM_HOTTEST_FRAMES);
    expect_profile(&frames[0], UM_WIRE_SCOPE_NOW, 9, 3);
    cr_expect(frames[0].as.profile.span_ns >= 300 * MS && frames[0].as.profile.span_ns < 400 * MS);
    expect_profile(&frames[UM_WIRE_PROFILE_PARTS], UM_WIRE_SCOPE_SESSION, 9, 3);
    um_replay_play(replay, 1600 * MS);
    cr_assert_eq(um_replay_hottest(replay, &shown, frames), UM_HOTTEST_FRAMES);
    expect_profile(&frames[0], UM_WIRE_SCOPE_FREEZE, 12, 4);
    cr_expect_eq(frames[0].as.profile.span_ns, 450 * MS);
    um_replay_seek(replay, 60 * S); /* the end */
    cr_assert_eq(um_replay_hottest(replay, &shown, frames), UM_HOTTEST_FRAMES);
    expect_profile(&frames[0], UM_WIRE_SCOPE_FREEZE, 6, 4);
    expect_profile(&frames[UM_WIRE_PROFILE_PARTS], UM_WIRE_SCOPE_SESSION, 18, 8);
    um_replay_seek(replay, 1310 * MS);
    cr_assert_eq(um_replay_hottest(replay, &shown, frames), UM_HOTTEST_FRAMES);
    expect_profile(&frames[0], UM_WIRE_SCOPE_NOW, 9, 3);
    um_replay_seek(replay, 0);
    cr_assert_eq(um_replay_hottest(replay, &shown, frames), UM_WIRE_PROFILE_PARTS);
    expect_profile(&frames[0], UM_WIRE_SCOPE_SESSION, 0, 0);
}

Test(replay, says_what_the_live_feed_said)
{
    be_quiet(70);
    freeze(7);
    be_quiet(30);
    freeze(2);
    be_quiet(20);
    say_end();
    open_replay();
    cr_expect_eq(um_replay_info(replay)->length_ns, now_ns + MS - START, "the last beat's");
    for (uint64_t ns = 0; ns <= now_ns - START; ns += 37 * MS)
        um_replay_play(replay, ns);
    um_replay_play(replay, UINT64_MAX);
    expect_same(UM_WIRE_STATUS, 0, 0, UINT64_MAX / 2);
    expect_same(UM_WIRE_BEAT, 0, 0, UINT64_MAX / 2);
    expect_same(UM_WIRE_EPISODE, 0, 0, UINT64_MAX / 2);
}

/* The target let its first beats wait, so nothing was known for a second. */
Test(replay, knows_nothing_before_the_first_status)
{
    size_t at = 0;
    now_ns += S;
    be_quiet(10);
    open_replay();
    um_replay_play(replay, UINT64_MAX);
    for (int slice = 1; slice <= 20; slice++) {
        const struct um_wire_frame *frame = next_of(&heard, UM_WIRE_STATUS, &at);
        cr_assert(frame != NULL);
        cr_expect_eq(frame->as.status.time_ns, START + (uint64_t)slice * 100 * MS);
        cr_expect_eq(frame->as.status.state, slice < 11 ? UM_STATE_UNKNOWN : UM_STATE_RESPONSIVE);
    }
}

Test(replay, has_no_window_and_its_own_caption)
{
    be_quiet(10);
    open_replay();
    um_replay_set_caption(replay, "replay 0:00");
    um_replay_play(replay, 0);
    cr_assert_geq(heard.count, 1);
    cr_expect_eq(heard.frames[0].type, UM_WIRE_SESSION);
    cr_expect_eq(heard.frames[0].as.session.hwnd, 0);
    cr_expect_str_eq(heard.frames[0].as.session.name, "devenv.exe");
    cr_expect_str_eq(heard.frames[0].as.session.caption, "replay 0:00");
    cr_expect_str_eq(um_replay_info(replay)->caption, "before");
    um_replay_set_caption(replay, "replay 0:00");
    cr_expect_eq(count_of(&heard, UM_WIRE_SESSION), 1);
    um_replay_set_caption(replay, "replay 0:01");
    cr_expect_eq(count_of(&heard, UM_WIRE_SESSION), 2);
}

static const struct um_wire_frame *last_session(void)
{
    size_t i = heard.count;
    while (i > 0 && heard.frames[i - 1].type != UM_WIRE_SESSION)
        i--;
    cr_assert_geq(i, 1);
    return &heard.frames[i - 1];
}

/* The program shows its first window of Java's after a second. */
Test(replay, claims_no_more_than_the_windows_thread_where_the_recording_did_not)
{
    be_quiet(10);
    struct um_wire_frame session = live.frames[0];
    cr_assert_eq(session.type, UM_WIRE_SESSION);
    strcpy(session.as.session.toolkit, "Java");
    say(&session, true);
    be_quiet(20);
    open_replay();
    um_replay_play(replay, S / 2);
    cr_expect_not(um_replay_window_only(replay));
    um_replay_play(replay, 2 * S);
    cr_expect(um_replay_window_only(replay));
    cr_expect_str_eq(last_session()->as.session.toolkit, "Java");
    um_replay_seek(replay, S / 2);
    cr_expect_not(um_replay_window_only(replay));
    um_replay_seek(replay, 2 * S);
    cr_expect_str_eq(last_session()->as.session.toolkit, "Java");
}

Test(replay, ends_when_it_is_told_to)
{
    be_quiet(10);
    say_end();
    open_replay();
    um_replay_play(replay, 5 * S);
    cr_expect_eq(count_of(&heard, UM_WIRE_END), 0);
    cr_expect_eq(um_replay_next(replay), UM_PLAYER_NEVER);
    um_replay_end(replay);
    cr_expect_eq(heard.frames[heard.count - 1].as.end.reason, UM_END_TARGET_GONE);
    um_replay_seek(replay, 100 * MS);
    um_replay_end(replay);
    cr_expect_eq(heard.frames[heard.count - 1].type, UM_WIRE_END);
    cr_expect_eq(heard.frames[heard.count - 1].as.end.reason, UM_END_STOPPED);
}

Test(replay, plays_nothing_before_its_time)
{
    be_quiet(20);
    freeze(3);
    be_quiet(10);
    open_replay();
    for (uint64_t ns = 0; ns < 3 * S; ns = um_replay_next(replay)) {
        size_t before = heard.count;
        if (ns > 0)
            um_replay_play(replay, ns - 1);
        cr_assert_eq(heard.count, before, "something was due before %.3f s", (double)ns / 1e9);
        um_replay_play(replay, ns);
        cr_assert_gt(heard.count, before, "nothing was due at %.3f s", (double)ns / 1e9);
    }
}

static size_t seek(uint64_t position_ns)
{
    size_t before = heard.count;

    um_replay_seek(replay, position_ns);
    cr_assert_gt(heard.count, before);
    cr_expect_eq(heard.frames[before].type, UM_WIRE_SESSION);
    cr_expect_eq(heard.frames[before].flags, UM_WIRE_SESSION_ANEW);
    cr_expect_eq(count_of(&heard, UM_WIRE_SESSION), 1 + (before > 0));
    return before;
}

static void say_beat_kind(enum um_beat_kind beat_kind)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT_KIND};
    frame.as.beat_kind.time_ns = now_ns;
    frame.as.beat_kind.kind = (uint8_t)beat_kind;
    say(&frame, true);
}

Test(replay, tells_what_the_beats_are_where_it_jumps_to)
{
    say_beat_kind(UM_BEAT_KIND_ZERO);
    be_quiet(20);
    say_beat_kind(UM_BEAT_KIND_PAIR);
    be_quiet(20);
    open_replay();
    size_t before = seek(3 * S);
    cr_expect_eq(heard.frames[before + 1].type, UM_WIRE_BEAT_KIND);
    cr_expect_eq(heard.frames[before + 1].as.beat_kind.kind, UM_BEAT_KIND_PAIR);
    before = seek(1 * S);
    cr_expect_eq(heard.frames[before + 1].type, UM_WIRE_BEAT_KIND);
    cr_expect_eq(heard.frames[before + 1].as.beat_kind.kind, UM_BEAT_KIND_ZERO);
}

Test(replay, tells_what_led_to_where_it_jumps_back_to)
{
    be_quiet(30);
    freeze(4);
    be_quiet(60);
    freeze(2);
    be_quiet(20);
    open_replay();
    um_replay_play(replay, 11 * S);
    size_t at = seek(5 * S);
    expect_same(UM_WIRE_STATUS, at, 0, 5 * S);
    expect_same(UM_WIRE_EPISODE, at, 0, 5 * S);
    cr_expect_eq(count_of(&(struct feed){heard.count - at, heard.frames + at}, UM_WIRE_BEAT), 0);
    at = heard.count;
    um_replay_play(replay, 20 * S);
    expect_same(UM_WIRE_STATUS, at, 5 * S + 1, UINT64_MAX / 2);
    expect_same(UM_WIRE_EPISODE, at, 5 * S + 1, UINT64_MAX / 2);
}

Test(replay, tells_what_led_to_where_it_jumps_ahead_to)
{
    be_quiet(30);
    freeze(4);
    be_quiet(60);
    open_replay();
    um_replay_play(replay, S);
    expect_same(UM_WIRE_STATUS, seek(8 * S), 0, 8 * S);
}

Test(replay, tells_of_minutes_and_not_of_hours)
{
    be_quiet(40);
    freeze(3);
    be_quiet(2300);
    open_replay();
    uint64_t position_ns = 230 * S;
    size_t at = seek(position_ns);
    expect_same(UM_WIRE_STATUS, at, position_ns - UM_REPLAY_PAST_NS, position_ns);
    cr_expect_eq(count_of(&(struct feed){heard.count - at, heard.frames + at}, UM_WIRE_EPISODE), 0);
}

Test(replay, tells_of_an_episode_that_has_lasted_for_long)
{
    size_t at = 0;

    be_quiet(10);
    episode++;
    now_ns += 10 * MS;
    say_episode(UM_WIRE_EPISODE_BEGIN, UM_STATE_IDLE, now_ns);
    set_state(UM_STATE_IDLE);
    now_ns += 90 * MS;
    for (int i = 0; i < 3000; i++, now_ns += 100 * MS)
        say_status(0, i % 100 == 0);
    open_replay();
    seek(299 * S);
    const struct um_wire_frame *frame = next_of(&heard, UM_WIRE_EPISODE, &at);
    cr_assert(frame != NULL);
    cr_expect_eq(frame->flags, UM_WIRE_EPISODE_BEGIN);
    cr_expect_eq(frame->as.episode.state, UM_STATE_IDLE);
    at = 0;
    while ((frame = next_of(&heard, UM_WIRE_STATUS, &at)))
        cr_assert_eq(frame->as.status.state, UM_STATE_IDLE);
}

Test(replay, makes_up_nothing_for_the_time_that_the_machine_slept)
{
    be_quiet(10);
    now_ns += 8 * 3600 * S;
    be_quiet(10);
    open_replay();
    um_replay_play(replay, UINT64_MAX);
    cr_expect_leq(count_of(&heard, UM_WIRE_STATUS), 22);
    cr_expect_geq(count_of(&heard, UM_WIRE_STATUS), 20);
}

/* A STATUS that was recorded is played at its slice's end, and until then nothing is due. */
Test(replay, waits_for_the_status_that_it_has_read)
{
    be_quiet(5);
    now_ns += 20 * MS;
    set_state(UM_STATE_SLOW);
    now_ns += 80 * MS;
    be_quiet(5);
    open_replay();
    for (uint64_t ns = 0; ns < S; ns += MS) {
        um_replay_play(replay, ns);
        cr_assert_gt(um_replay_next(replay), ns);
    }
}

Test(replay, lists_the_freezes)
{
    be_quiet(30);
    freeze(4);
    be_quiet(10);
    freeze(2);
    say_end();
    open_replay();
    const struct um_replay_info *info = um_replay_info(replay);
    cr_assert_eq(info->freeze_count, 2);
    cr_expect_eq(info->freezes[0].start_ns, 3 * S);
    cr_expect_eq(info->freezes[0].end_ns, 3 * S + 450 * MS);
    cr_expect_eq(info->freezes[1].start_ns, 4500 * MS);
    cr_expect_eq((int)info->end, UM_OK);
}

Test(replay, plays_a_recording_that_was_cut_off_as_far_as_it_is_whole)
{
    be_quiet(100);
    write_block();
    long whole = ftell(file);
    be_quiet(50);
    write_block();
    fflush(file);
    cr_assert_eq(ftruncate(fileno(file), whole + 20), 0);
    open_replay();
    cr_expect_eq((int)um_replay_info(replay)->end, UM_ERR_PARTIAL);
    cr_expect_lt(um_replay_info(replay)->length_ns, 10002 * MS);
    um_replay_play(replay, 20 * S);
    expect_same(UM_WIRE_STATUS, 0, 0, 10 * S);
}

Test(replay, says_that_there_is_nothing_to_replay)
{
    struct um_feed_output output = {NULL, hear, NULL};
    char error[512] = "";

    cr_expect_eq(um_replay_open("/nonexistent.uimrec", &output, &replay, error, sizeof error),
                 UM_ERR_NOT_FOUND);
    cr_expect_neq(strstr(error, "/nonexistent.uimrec"), NULL, "%s", error);
    fclose(file);
}

/* Times that no recorder wrote. */
Test(replay, survives_times_that_make_no_sense, .timeout = 60)
{
    static const uint64_t times[] = {0, 1, START, START + S, UINT64_MAX / 2, UINT64_MAX};
    struct um_wire_frame frame;

    be_quiet(3);
    for (size_t i = 0; i < 6 * 6; i++) {
        frame = (struct um_wire_frame){.type = UM_WIRE_STATUS};
        frame.as.status.time_ns = times[i % 6];
        frame.as.status.slice_start_ns = frame.as.status.state_since_ns = times[i / 6];
        record(&frame);
        frame = (struct um_wire_frame){.type = UM_WIRE_BEAT};
        frame.as.beat.sent_ns = times[i % 6];
        frame.as.beat.latency_ns = times[i / 6];
        record(&frame);
        frame = (struct um_wire_frame){
            .type = UM_WIRE_EPISODE, .flags = i % 2 ? UM_WIRE_EPISODE_END : UM_WIRE_EPISODE_BEGIN};
        frame.as.episode.start_ns = times[i % 6];
        frame.as.episode.end_ns = times[i / 6];
        frame.as.episode.state = i % UM_STATE_UNKNOWN;
        record(&frame);
        frame = (struct um_wire_frame){.type = UM_WIRE_SESSION};
        frame.as.session.start_ns = times[i % 6];
        record(&frame);
    }
    open_replay();
    const struct um_replay_info *info = um_replay_info(replay);
    for (size_t i = 0; i < info->freeze_count; i++)
        cr_expect_leq(info->freezes[i].end_ns, info->length_ns);
    um_replay_play(replay, S);
    um_replay_seek(replay, 0);
    heard.count = 0;
    um_replay_seek(replay, um_replay_info(replay)->length_ns);
    cr_expect_gt(heard.count, 0);
}
