/* What a whole recording adds up to, for recordings that are whole and for those that are not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/exit_code.h"
#include "monitor/feed/frame_queue.h"
#include "monitor/writers/recorder.h"
#include "monitor/options/commands.h"
#include "monitor/recorded/recorded.h"
#include "monitor/stats/slices.h"
#include "tests/recording_file.h"
#include "tests/written.h"

#define MS UM_CLOCK_NS_PER_MS
#define S UM_CLOCK_NS_PER_S
#define START_NS (5000 * S)
#define NONE UM_RECORDED_NOT_MEASURED

static struct recording_file file;
static struct um_recorded recorded;
static char error[UM_RECORDING_ERROR_BYTES];

static void begin_file(void)
{
    recording_file_begin(&file);
}

static void end_file(void)
{
    um_recorded_deinit(&recorded);
    recording_file_free(&file);
}

TestSuite(recorded, .init = begin_file, .fini = end_file);
TestSuite(recorded_day, .init = begin_file, .fini = end_file, .threads = true);

static void put(const struct um_wire_frame *frame)
{
    recording_file_put(&file, frame);
}

static void session(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    struct um_wire_session *as = &frame.as.session;
    as->start_ns = START_NS;
    as->utc_ms = 1795000000000;
    as->pid = 42;
    as->period_us = 10000;
    as->threshold_us = 100000;
    as->slow_us = 50000;
    as->bits = 64;
    as->probe = UM_PROBE_RAW;
    strcpy(as->name, "ide.exe");
    put(&frame);
}

static void beat_ns(uint64_t sent_ns, uint64_t latency_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
    frame.as.beat.sent_ns = sent_ns;
    frame.as.beat.latency_ns = latency_ns;
    put(&frame);
}

/* Times of the calls are ms since the session's start. */
static void beat(double sent_ms, double latency_ms)
{
    beat_ns(START_NS + (uint64_t)(sent_ms * 1e6), (uint64_t)(latency_ms * 1e6));
}

static void episode(uint8_t flags, uint32_t id, enum um_state state, uint64_t from_ms,
                    uint64_t until_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = flags};
    frame.as.episode.id = id;
    frame.as.episode.state = (uint8_t)state;
    frame.as.episode.start_ns = START_NS + from_ms * MS;
    frame.as.episode.end_ns = START_NS + until_ms * MS;
    frame.as.episode.message = 0x202;
    put(&frame);
}

static void status(uint64_t ms, enum um_state state, uint64_t worst_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_STATUS, .flags = UM_WIRE_STATUS_HAS_LAG};
    frame.as.status.time_ns = START_NS + ms * MS;
    frame.as.status.slice_start_ns = START_NS + (ms - 1) / 100 * 100 * MS;
    frame.as.status.slice_worst_ns = worst_ms * MS;
    frame.as.status.state = (uint8_t)state;
    put(&frame);
}

static void totals(uint64_t ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TOTALS};
    struct um_wire_totals *as = &frame.as.totals;
    as->time_ns = START_NS + ms * MS;
    as->duration_ns = ms * MS;
    as->beats_sent = 100;
    as->beats_seen = 99;
    as->beats_lost = 1;
    as->state_ns[UM_STATE_RESPONSIVE] = ms * MS;
    as->dropped = 5;
    as->sender_cpu_ns = 3 * MS;
    as->timed_calls = 4;
    as->timed_ns = 1000;
    put(&frame);
}

static void note(uint64_t ms, const char *text)
{
    struct um_wire_frame frame = {.type = UM_WIRE_NOTE};
    frame.as.note.time_ns = START_NS + ms * MS;
    um_text_set(frame.as.note.text, sizeof frame.as.note.text, text);
    put(&frame);
}

static void beat_kind(uint64_t ms, enum um_beat_kind beat_kind, bool shielded)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT_KIND};
    frame.as.beat_kind = (struct um_wire_beat_kind){START_NS + ms * MS, (uint8_t)beat_kind,
                                                    shielded, UM_PROBE_HELD_BUTTON};
    put(&frame);
}

static void end(uint64_t ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_END};
    frame.as.end.time_ns = START_NS + ms * MS;
    frame.as.end.reason = UM_END_TARGET_GONE;
    put(&frame);
}

/* Reads the file so far, cut to `len` bytes. */
static enum um_status read_first(size_t len)
{
    struct um_recording *recording = NULL;
    um_recorded_deinit(&recorded);
    cr_assert_eq(
        um_recording_open_memory(file.bytes, len, "x.rec", &recording, error, sizeof error), UM_OK,
        "%s", error);
    enum um_status result = um_recorded_read(recording, &recorded);
    um_recording_close(recording);
    return result;
}

static enum um_status read_all(void)
{
    recording_file_cut(&file);
    return read_first(file.len);
}

static void read_well(void)
{
    cr_assert_eq(read_all(), UM_OK, "%s", error);
}

static void read_whole(void)
{
    read_well();
    cr_assert(recorded.whole, "%s", recorded.problem);
}

/* A session, of which a second has passed. */
static void begin_second(void)
{
    session();
    totals(1000);
}

static void expect_slices(const uint32_t *us, uint32_t count)
{
    cr_assert_eq(recorded.slice_count, count, "%u", (unsigned)recorded.slice_count);
    for (uint32_t i = 0; i < count; i++)
        cr_expect_eq(um_recorded_slice_us(&recorded, i), us[i], "slice %u: %u", (unsigned)i,
                     (unsigned)um_recorded_slice_us(&recorded, i));
}

/* The report shows what layout has cost, because the recording has these frames. */
Test(recorded, costs_of_layout_are_in_its_summary)
{
    struct um_wire_frame component = {.type = UM_WIRE_LAYOUT_COMPONENT,
                                      .as.layout_component = {.id = 3, .window_class = "Main"}};
    struct um_wire_frame times = {
        .type = UM_WIRE_LAYOUT_TIMES,
        .as.layout_times = {.time_ns = START_NS + S,
                            .frames = 7,
                            .count = 1,
                            .list = {{.id = 3, .frames = 5, .layout_ns = 9 * MS}}}};
    struct um_wire_frame meters = {.type = UM_WIRE_LAYOUT_METERS,
                                   .as.layout_meters = {.time_ns = START_NS + 250 * MS,
                                                        .count = 1,
                                                        .list = {{.id = 3, .worst_ns = 4 * MS}}}};
    session();
    put(&component);
    put(&times);
    put(&meters);
    totals(1000);
    end(1100);
    read_well();
    const struct um_laid_out_component *list[1];
    cr_assert_eq(um_laid_out_list(recorded.summary.laid_out, list, 1), 1);
    cr_expect_str_eq(list[0]->window_class, "Main");
    cr_expect(list[0]->cost.layout_ns == 9 * MS);
    cr_expect_eq(um_laid_out_sum(recorded.summary.laid_out)->frames, 7);
    cr_assert_eq(recorded.worst_frames.count, 3);
    cr_expect_eq(um_worst_frames_of(&recorded.worst_frames, 3)[2], 4000);
}

Test(recorded, whole_one_says_all_that_it_holds)
{
    struct um_wire_frame key = {.type = UM_WIRE_INTERACTION, .flags = UM_WIRE_INTERACTION_RELEASE};
    key.as.interaction.dequeued_ns = START_NS + 7 * MS;
    key.as.interaction.kind = UM_INTERACTION_CLICK;

    session();
    beat(0, 0.5);
    totals(1000);
    put(&key);
    note(1200, "saved");
    totals(2000);
    end(2100);
    read_well();
    cr_expect(recorded.whole && recorded.status == UM_OK && recorded.problem[0] == 0);
    cr_expect_eq(recorded.end_ns, START_NS + 2100 * MS);
    cr_expect_eq(recorded.end_reason, UM_END_TARGET_GONE);
    cr_expect_str_eq(recorded.recording.version, "0.1.0");
    cr_expect(recorded.session.pid == 42 && recorded.totals.duration_ns == 2 * S);
    cr_expect(recorded.interaction_count == 1 && recorded.interactions[0].release);
    cr_expect(!recorded.has_keys);
    cr_expect_eq(recorded.interactions[0].times.dequeued_ns, START_NS + 7 * MS);
    cr_expect(recorded.note_count == 1 && strcmp(recorded.notes[0].text, "saved") == 0);
    cr_expect(recorded.episode_count == 0 && recorded.unlisted == 0);
}

Test(recorded, knows_that_it_has_keys)
{
    struct um_wire_frame key = {.type = UM_WIRE_INTERACTION};
    key.as.interaction = (struct um_wire_interaction){
        .dequeued_ns = START_NS + 7 * MS, .kind = UM_INTERACTION_KEY, .key = 'Q'};

    session();
    put(&key);
    totals(1000);
    end(1100);
    read_well();
    cr_expect(recorded.has_keys);
}

Test(recorded, knows_the_beats)
{
    session();
    beat_kind(0, UM_BEAT_KIND_ZERO, true);
    beat_kind(500, UM_BEAT_KIND_PAIR, false);
    totals(2000);
    end(2000);
    read_well();
    cr_expect_str_eq(recorded.summary.beat, "pair");
    cr_expect(recorded.summary.beats.were_shielded &&
              recorded.summary.beats.were_held[UM_PROBE_HELD_BUTTON]);
}

Test(recorded, summary_is_that_of_session_totals_and_frames)
{
    session();
    beat(0, 0.5);
    beat(10, 20);
    episode(UM_WIRE_EPISODE_BEGIN, 1, UM_STATE_FROZEN, 100, 200);
    episode(UM_WIRE_EPISODE_END, 1, UM_STATE_FROZEN, 100, 350);
    totals(2000);
    end(2000);
    read_well();
    const struct um_summary *summary = &recorded.summary;
    cr_expect_str_eq(summary->name, "ide.exe");
    cr_expect_str_eq(summary->probe, "raw");
    cr_expect_null(summary->beat, "it is not in this file");
    cr_expect(summary->pid == 42 && summary->bits == 64 && summary->utc_ms == 1795000000000);
    cr_expect(summary->start_ns == START_NS && summary->totals.duration_ns == 2 * S);
    cr_expect(summary->totals.beats_sent == 100 && summary->totals.beats_lost == 1 &&
              summary->totals.dropped == 5);
    cr_expect(summary->freezes->count == 1 && summary->freezes->total_ns == 250 * MS);
    cr_expect_eq(um_histogram_count(summary->latency), 3, "0.5, 20 and, corrected, 10 ms");
    cr_expect_eq(summary->cpu_ns[UM_SUMMARY_SENDER], 3 * MS);
    cr_expect_eq(summary->cpu_ns[UM_SUMMARY_OVERLAY], 0, "0 is not known");
    cr_expect_eq(summary->hook_call_ns, 250);
}

Test(recorded, knows_for_whom_the_thread_waited)
{
    struct um_wire_frame stack = {.type = UM_WIRE_STACK, .as.stack = {.freeze = 7, .samples = 9}};
    struct um_wire_frame wait = {.type = UM_WIRE_WAIT,
                                 .as.wait = {.freeze = 7,
                                             .thread = 380,
                                             .samples = 9,
                                             .kind = UM_WIRE_WAIT_LOCK,
                                             .function = "hold_lock"}};
    session();
    episode(UM_WIRE_EPISODE_END, 7, UM_STATE_FROZEN, 300, 700);
    put(&stack);
    put(&wait);
    totals(1000);
    end(1000);
    read_whole();
    const struct um_wire_wait *known = um_stats_wait_of(recorded.summary.stacks, 7);
    cr_assert(known != NULL);
    cr_expect(known->thread == 380 && strcmp(known->function, "hold_lock") == 0);
}

Test(recorded, slices_hold_the_worst_lag_of_each)
{
    session();
    beat(10, 0.3);
    beat(20, 0.2);
    beat(350, 250); /* until 600 */
    beat(700, 0.125);
    beat(800, 0); /* a boundary belongs to the slice that ends there */
    totals(1000);
    read_well();
    const uint32_t us[] = {300, NONE, NONE, 50000, 150000, 250000, NONE, 125};
    expect_slices(us, 8);
}

Test(recorded, slices_are_those_of_the_live_graph)
{
    struct um_slices live;
    uint64_t at_ns = START_NS;
    static uint64_t sent[4000];
    static uint64_t took[4000];

    srand(7);
    session();
    for (int i = 0; i < 4000; i++) {
        sent[i] = at_ns;
        took[i] = (uint64_t)(rand() % 100 == 0 ? rand() % 900 : rand() % 10) * MS + 1;
        beat_ns(sent[i], took[i]);
        at_ns += took[i] + (uint64_t)(rand() % 3) * 5 * MS;
    }
    totals(1000);
    cr_assert(read_all() == UM_OK && recorded.slice_count > 300);
    um_slices_init(&live, START_NS);
    size_t next = 0;
    for (uint32_t i = 0; i < recorded.slice_count; i++) {
        uint64_t end_ns = START_NS + (i + 1) * UM_SLICE_NS;
        uint64_t start_ns;
        uint64_t worst_ns;
        for (; next < 4000 && sent[next] < end_ns + 2 * S; next++)
            um_slices_beat(&live, sent[next], took[next]);
        bool measured = um_slices_query(&live, end_ns, 0, &start_ns, &worst_ns);
        cr_expect_eq(um_recorded_slice_us(&recorded, i), (measured ? worst_ns / 1000 : NONE),
                     "slice %u", (unsigned)i);
    }
}

Test(recorded, status_tells_the_lag_of_a_beat_that_never_came)
{
    session();
    beat(10, 0.3);
    totals(100);
    status(200, UM_STATE_RESPONSIVE, 60);
    status(250, UM_STATE_FROZEN, 110);
    status(300, UM_STATE_FROZEN, 160);
    read_well();
    const uint32_t us[] = {300, 60000, 160000};
    expect_slices(us, 3);
}

Test(recorded, episodes_are_listed_once_with_what_was_said_last)
{
    session();
    episode(UM_WIRE_EPISODE_BEGIN, 1, UM_STATE_FROZEN, 100, 200);
    episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_HAS_MESSAGE, 1, UM_STATE_STARVED, 90, 400);
    episode(UM_WIRE_EPISODE_BEGIN, 2, UM_STATE_FROZEN, 500, 600);
    episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID, 2, UM_STATE_FROZEN, 500, 600);
    episode(UM_WIRE_EPISODE_BEGIN, 3, UM_STATE_IDLE, 700, 700);
    episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_OPEN, 3, UM_STATE_IDLE, 700, 900);
    totals(1000);
    end(1000);
    cr_assert(read_all() == UM_OK && recorded.episode_count == 2);
    const struct um_recorded_episode *first = &recorded.episodes[0];
    cr_expect(first->id == 1 && first->state == UM_STATE_STARVED && !first->open);
    cr_expect(first->start_ns == START_NS + 90 * MS && first->end_ns == START_NS + 400 * MS);
    cr_expect(recorded.episodes[1].state == UM_STATE_IDLE && recorded.episodes[1].open);
    cr_assert_eq(recorded.summary.freezes->count, 1);
    cr_expect_eq(recorded.summary.freezes->list[0].message, 0x202);
}

Test(recorded, killed_in_the_middle_it_is_what_was_known_by_then)
{
    session();
    beat(0, 0.5);
    totals(1000);
    beat(1500, 0.5);
    read_well();
    cr_expect(!recorded.whole && recorded.status == UM_ERR_CLOSED);
    cr_expect(strstr(recorded.problem, "uimon: x.rec: the recording breaks off") != NULL, "%s",
              recorded.problem);
    cr_expect_eq(recorded.summary.totals.duration_ns, S, "the last TOTALS");
    cr_expect_eq(recorded.end_ns, START_NS + 1500 * MS + MS / 2, "the last that was heard of");
}

Test(recorded, what_was_measured_since_the_last_totals_counts_where_it_breaks_off)
{
    session();
    totals(1000);
    for (uint64_t ms = 1100; ms <= 1500; ms += 100)
        status(ms, ms <= 1200 ? UM_STATE_RESPONSIVE : UM_STATE_FROZEN, 5);
    read_well();
    const struct um_wire_totals *sums = &recorded.summary.totals;
    cr_expect_eq(sums->duration_ns, 1500 * MS);
    cr_expect_eq(sums->state_ns[UM_STATE_RESPONSIVE], 1200 * MS);
    cr_expect_eq(sums->state_ns[UM_STATE_FROZEN], 300 * MS);
    end_file();
    begin_file();
    session();
    totals(1000);
    status(9000, UM_STATE_FROZEN, 5); /* the machine has slept before */
    status(9100, UM_STATE_FROZEN, 5);
    read_well();
    cr_expect_eq(recorded.summary.totals.duration_ns, 1100 * MS);
    end_file();
    begin_file();
    session();
    totals(1000);
    status(1500, UM_STATE_FROZEN, 5);
    totals(2000);
    end(2000);
    cr_assert_eq(read_all(), UM_OK);
    cr_expect_eq(recorded.summary.totals.duration_ns, 2 * S, "a whole one has its own sums");
}

Test(recorded, freeze_that_lasts_where_it_breaks_off_is_counted_as_open)
{
    begin_second();
    episode(UM_WIRE_EPISODE_BEGIN, 1, UM_STATE_FROZEN, 1000, 1100);
    status(1200, UM_STATE_FROZEN, 200);
    status(1700, UM_STATE_FROZEN, 700);
    read_well();
    const struct um_stats_freezes *freezes = recorded.summary.freezes;
    cr_assert_eq(freezes->count, 1);
    cr_expect(freezes->list[0].open && freezes->list[0].duration_ns == 700 * MS);
    cr_assert(recorded.episode_count == 1 && recorded.episodes[0].open);
    cr_expect_eq(recorded.episodes[0].end_ns, START_NS + 1700 * MS);
}

/* A freeze began, and then the recording breaks off. */
static void begin_freeze(void)
{
    end_file();
    begin_file();
    begin_second();
    episode(UM_WIRE_EPISODE_BEGIN, 1, UM_STATE_FROZEN, 1000, 1100);
}

/* `length_ms` 0: none was counted. */
static void expect_freeze(uint64_t length_ms, const char *what)
{
    read_well();
    const struct um_stats_freezes *freezes = recorded.summary.freezes;
    cr_expect_eq(freezes->count, length_ms > 0, "%s", what);
    cr_expect_eq(freezes->total_ns, length_ms * MS, "%s", what);
}

Test(recorded, freeze_that_lasts_has_its_own_length)
{
    begin_freeze();
    status(1700, UM_STATE_FROZEN, 700);
    episode(UM_WIRE_EPISODE_BEGIN, 2, UM_STATE_SUSPENDED, 1700, 1800);
    expect_freeze(700, "although something else began in it");
    begin_freeze();
    episode(UM_WIRE_EPISODE_BEGIN, 2, UM_STATE_SUSPENDED, 1700, 1800);
    episode(UM_WIRE_EPISODE_END, 2, UM_STATE_SUSPENDED, 1700, 9700);
    status(10000, UM_STATE_FROZEN, 0);
    expect_freeze(1000, "without what it slept");
    begin_freeze();
    episode(UM_WIRE_EPISODE_END, 1, UM_STATE_BLIND, 1000, 1400);
    expect_freeze(0, "it turned out to be none");
    begin_freeze();
    status(1200, UM_STATE_FROZEN, 200);
    episode(UM_WIRE_EPISODE_END, 1, UM_STATE_FROZEN, 1000, 1250);
    expect_freeze(250, "it ended before");
    cr_expect(!recorded.summary.freezes->list[0].open);
}

Test(recorded, cut_off_or_damaged_it_says_where)
{
    begin_second();
    recording_file_cut(&file);
    size_t whole = file.len;
    totals(2000);
    end(2000);
    recording_file_cut(&file);
    char where[64];
    snprintf(where, sizeof where, "at byte %zu", whole);

    cr_assert_eq(read_first(file.len - 1), UM_OK);
    cr_expect(recorded.status == UM_ERR_PARTIAL && recorded.offset == whole);
    cr_expect(strstr(recorded.problem, "is cut off") && strstr(recorded.problem, where));
    cr_expect_eq(recorded.summary.totals.duration_ns, S);
    file.bytes[file.len - 1] ^= 1;
    cr_assert_eq(read_first(file.len), UM_OK);
    cr_expect(recorded.status == UM_ERR_FORMAT && recorded.offset == whole);
    cr_expect(strstr(recorded.problem, "is damaged") && strstr(recorded.problem, where));
    cr_expect(!recorded.whole && recorded.summary.totals.duration_ns == S);
}

Test(recorded, without_totals_there_is_nothing_to_sum_up)
{
    session();
    beat(0, 0.5);
    cr_expect_eq(read_all(), UM_ERR_PARTIAL);
    cr_expect(strstr(recorded.problem, "breaks off") != NULL, "%s", recorded.problem);
    end(10);
    cr_expect_eq(read_all(), UM_ERR_PARTIAL);
    cr_expect(recorded.whole, "%s", recorded.problem);
    cr_expect(strstr(recorded.problem, "ended before anything was measured") != NULL);
}

Test(recorded, what_comes_before_session_or_after_end_does_not_count)
{
    beat(-20, 1);
    note(1, "early");
    begin_second();
    end(1000);
    beat(1100, 9);
    note(1200, "late");
    totals(3000);
    read_well();
    cr_expect(recorded.note_count == 0 && recorded.slice_count == 0);
    cr_expect(recorded.totals.duration_ns == S && recorded.end_ns == START_NS + S);
}

Test(recorded, times_a_month_apart_end_it)
{
    begin_second();
    beat(10, 1);
    recording_file_cut(&file);
    size_t whole = file.len;
    beat_ns(START_NS + UINT64_C(31) * 24 * 3600 * S, MS);
    end(1000);
    read_well();
    cr_expect(recorded.status == UM_ERR_TOO_LARGE && recorded.offset == whole);
    cr_expect(recorded.slice_count == 1 && recorded.slice_count <= UM_RECORDED_MAX_SLICES);
}

Test(recorded, times_at_the_end_of_the_clock_are_no_times)
{
    struct um_wire_frame late = {.type = UM_WIRE_SESSION};
    late.as.session.start_ns = UINT64_MAX - 10;
    put(&late);
    beat_ns(UINT64_MAX - 5, UINT64_MAX);
    cr_expect_eq(read_all(), UM_ERR_PARTIAL);
    cr_expect(recorded.status == UM_ERR_TOO_LARGE && recorded.slice_count == 0);
}

Test(recorded, month_of_slices_has_room)
{
    begin_second();
    beat_ns(START_NS + UINT64_C(30) * 24 * 3600 * S - MS, MS);
    end(1000);
    read_whole();
    cr_expect_eq(recorded.slice_count, UM_RECORDED_MAX_SLICES);
}

Test(recorded, idle_month_takes_memory_for_what_was_measured_alone)
{
    const uint32_t last = UM_RECORDED_MAX_SLICES - 1;
    uint32_t parts = 0;
    uint32_t measured = 0;

    begin_second();
    beat(UM_RECORDED_PART_SLICES * 100.0 - 30, 50); /* across the end of a part */
    beat_ns(START_NS + UINT64_C(30) * 24 * 3600 * S - 5 * MS, 5 * MS);
    end(1000);
    cr_assert(read_all() == UM_OK && recorded.slice_count == last + 1);
    for (uint32_t i = 0; i < recorded.slice_part_count; i++)
        parts += recorded.slice_parts_us[i] != NULL;
    cr_expect_eq(parts, 3, "%u", (unsigned)parts);
    for (uint32_t i = 0; i < recorded.slice_count; i++)
        measured += um_recorded_slice_us(&recorded, i) != NONE;
    cr_expect_eq(measured, 3, "%u", (unsigned)measured);
    cr_expect_eq(um_recorded_slice_us(&recorded, UM_RECORDED_PART_SLICES - 1), 30000);
    cr_expect_eq(um_recorded_slice_us(&recorded, UM_RECORDED_PART_SLICES), 50000);
    cr_expect_eq(um_recorded_slice_us(&recorded, last), 5000);
}

Test(recorded, slice_that_begins_when_the_month_is_over_ends_it)
{
    const uint64_t month_ns = UINT64_C(30) * 24 * 3600 * S;
    struct um_wire_frame frame = {.type = UM_WIRE_STATUS, .flags = UM_WIRE_STATUS_HAS_LAG};

    begin_second();
    frame.as.status.time_ns = frame.as.status.slice_start_ns = START_NS + month_ns;
    frame.as.status.slice_worst_ns = MS;
    put(&frame);
    cr_expect_eq(read_all(), UM_OK);
    cr_expect(recorded.status == UM_ERR_TOO_LARGE && recorded.slice_count == 0);
}

Test(recorded, beats_that_overlap_for_days_end_it)
{
    begin_second();
    for (int i = 0; i < 10000; i++)
        beat_ns(START_NS, UINT64_C(20) * 24 * 3600 * S);
    read_well();
    cr_expect_eq(recorded.status, UM_ERR_TOO_LARGE);
}

Test(recorded, lists_are_bounded_and_what_is_left_out_is_counted)
{
    session();
    for (uint64_t i = 0; i < UM_RECORDED_MAX_NOTES + 7; i++)
        note(i, "x");
    totals(1000);
    end(UM_RECORDED_MAX_NOTES + 7);
    read_whole();
    cr_expect(recorded.note_count == UM_RECORDED_MAX_NOTES && recorded.unlisted == 7);
}

/* A working day at 100 beats/s, through the recorder, as a session would feed it. */
#define DAY_S (8 * 3600)
#define AHEAD_BYTES (UM_FRAME_QUEUE_BYTES / 2)

static struct um_recorder *recorder;
static struct um_feed_output output;
static uint64_t given_bytes; /* what is in the file at least */

static void give(const struct um_wire_frame *frame)
{
    um_feed_publish(&output, 1, frame);
    given_bytes += frame->type == UM_WIRE_BEAT ? 24 : frame->type == UM_WIRE_TOTALS ? 156 : 0;
}

static void give_status(uint64_t at_ns, uint64_t waits_ns, enum um_state state)
{
    struct um_wire_frame frame = {.type = UM_WIRE_STATUS};
    frame.as.status.time_ns = at_ns;
    frame.as.status.outstanding_ns = waits_ns ? at_ns - waits_ns : 0;
    frame.as.status.state = (uint8_t)state;
    give(&frame);
}

static void give_freeze(uint8_t flags, uint32_t id, uint64_t start_ns, uint64_t end_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = flags};
    frame.as.episode.id = id;
    frame.as.episode.state = UM_STATE_FROZEN;
    frame.as.episode.start_ns = start_ns;
    frame.as.episode.end_ns = end_ns;
    give(&frame);
}

static void give_beat(uint64_t at_ns, uint64_t latency_ns, uint32_t *seq)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
    frame.as.beat.sent_ns = at_ns;
    frame.as.beat.latency_ns = latency_ns;
    frame.as.beat.seq = (*seq)++;
    give(&frame);
}

/* A second: 100 beats and ten STATUS; of each minute's last one 300 ms are a freeze. */
static void give_second(uint32_t second, uint32_t *seq)
{
    struct um_wire_frame sum = {.type = UM_WIRE_TOTALS};
    uint64_t second_ns = START_NS + second * S;
    bool freezes = second % 60 == 59;

    for (uint32_t i = 0; i < 100; i++) {
        uint64_t at_ns = second_ns + i * 10 * MS;
        bool frozen = freezes && i >= 50 && i < 80;
        if (freezes && i == 60)
            give_freeze(UM_WIRE_EPISODE_BEGIN, second, at_ns - 100 * MS, at_ns);
        if (i % 10 == 9)
            give_status(at_ns, frozen ? (i - 50) * 10 * MS : 0,
                        frozen && i >= 60 ? UM_STATE_FROZEN : UM_STATE_RESPONSIVE);
        if (!frozen)
            give_beat(at_ns, 300000 + (*seq * UINT64_C(2654435761) >> 12) % 900000, seq);
        else if (i == 79)
            give_beat(at_ns - 290 * MS, 300 * MS, seq);
    }
    if (freezes)
        give_freeze(UM_WIRE_EPISODE_END, second, second_ns + 500 * MS, second_ns + 800 * MS);
    sum.as.totals.time_ns = second_ns + S;
    sum.as.totals.duration_ns = (second + 1) * S;
    give(&sum);
}

/* The queue holds half an hour, and here that takes less time than the disk. */
static void let_it_write(const char *path)
{
    struct stat there = {.st_size = 0};
    uint64_t begun_ns = um_clock_now_ns();
    while (given_bytes > (uint64_t)there.st_size + AHEAD_BYTES) {
        um_clock_sleep_ns(MS);
        cr_assert_eq(stat(path, &there), 0);
        cr_assert_lt(um_clock_now_ns() - begun_ns, 60 * S, "it does not write");
    }
}

static void record_day(const char *path)
{
    struct um_wire_recording header = {.version = "0.1.0"};
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    uint32_t seq = 0;

    cr_assert_eq(um_recorder_open(path, false, &header, &recorder, error, sizeof error), UM_OK);
    output = um_recorder_output(recorder);
    frame.as.session.start_ns = START_NS;
    frame.as.session.period_us = 10000;
    give(&frame);
    for (uint32_t second = 0; second < DAY_S; second++) {
        give_second(second, &seq);
        if (second % 60 == 59)
            let_it_write(path);
    }
    frame.type = UM_WIRE_END;
    frame.as.end = (struct um_wire_end){.time_ns = START_NS + DAY_S * S};
    give(&frame);
    cr_expect_eq(output.lost(output.context), 0);
    cr_assert_eq(um_recorder_close(recorder, 60 * S), UM_OK);
}

Test(recorded_day, is_under_100_mb_and_summed_up)
{
    char path[] = "/tmp/uimon-recorded-XXXXXX";
    struct um_recording *recording = NULL;
    struct stat there;
    int fd = mkstemp(path);

    cr_assert_geq(fd, 0);
    close(fd);
    record_day(path);
    cr_assert_eq(stat(path, &there), 0);
    /* 24 bytes a beat, 156 a second; the freezes and the STATUS are little beside them. */
    cr_expect_lt(there.st_size, 100 * 1000 * 1000, "%lld bytes", (long long)there.st_size);
    cr_expect((uint64_t)there.st_size > given_bytes && given_bytes > UINT64_C(73) * 1000 * 1000);
    cr_assert_eq(um_recording_open(path, &recording, error, sizeof error), UM_OK);
    cr_expect_eq(um_recorded_read(recording, &recorded), UM_OK);
    cr_expect(recorded.whole && recorded.slice_count == DAY_S * 10);
    cr_expect_eq(recorded.summary.freezes->count, DAY_S / 60);
    cr_expect_eq(recorded.episode_count, DAY_S / 60);
    uint32_t last_us = um_recorded_slice_us(&recorded, 59 * 10 + 7);
    cr_expect(last_us == 290000 || last_us == 300000, "the freeze's last slice: %u",
              (unsigned)last_us);
    um_recording_close(recording);
    unlink(path);
}

/* The command; its streams are this test's own process's. */
static int run_report(const char *bytes_path, const char *json)
{
    struct um_options options = {.json = json};
    options.files[0] = bytes_path;
    options.file_count = 1;
    return um_report_command_run(&options);
}

static void write_file(const char *path, size_t len)
{
    FILE *out = fopen(path, "wb");
    cr_assert(out && fwrite(file.bytes, 1, len, out) == len);
    fclose(out);
}

static bool file_has(const char *path, const char *text)
{
    return strstr(written_file(path, NULL), text) != NULL;
}

Test(recorded, report_writes_what_there_is_and_says_if_that_is_not_all)
{
    char path[] = "/tmp/uimon-report-XXXXXX";
    char out[64];
    char err[64];
    char json[64];
    int fd = mkstemp(path);

    cr_assert_geq(fd, 0);
    close(fd);
    snprintf(out, sizeof out, "%s.out", path);
    snprintf(err, sizeof err, "%s.err", path);
    snprintf(json, sizeof json, "%s.json", path);
    begin_second();
    recording_file_cut(&file);
    totals(2000);
    end(2000);
    recording_file_cut(&file);

    write_file(path, file.len);
    cr_assert(freopen(out, "wb", stdout) && freopen(err, "wb", stderr));
    cr_expect_eq(run_report(path, json), UM_EXIT_DONE);
    fflush(stderr);
    cr_expect(file_has(out, "ide.exe (pid 42)") && file_has(json, "\"duration_ms\":\t2000"));
    cr_expect(!file_has(err, "uimon"));

    write_file(path, file.len - 1);
    cr_assert(freopen(out, "wb", stdout) != NULL);
    cr_expect_eq(run_report(path, json), UM_EXIT_FAILED);
    fflush(stderr);
    cr_expect(file_has(out, "ide.exe (pid 42)") && file_has(json, "\"duration_ms\":\t1000"));
    cr_expect(file_has(err, "is cut off at byte"));

    cr_expect_eq(run_report(path, path), UM_EXIT_USAGE, "it would overwrite the recording");
    cr_expect_eq(run_report("/no/such", NULL), UM_EXIT_FAILED);
    unlink(path);
    unlink(out);
    unlink(err);
    unlink(json);
}
