/* What the collector keeps, and the file that comes of it: read back with another parser's eyes. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "monitor/bench/bench_results.h"
#include "monitor/compare/results.h"
#include "tests/json_read.h"

#define MS UM_CLOCK_NS_PER_MS
#define START_NS (UINT64_C(987654321) * UM_CLOCK_NS_PER_MS + 123456)

static struct um_bench_results *results;
static cJSON *root;

static void setup(void)
{
    cr_assert_eq(um_bench_results_open(false, &results), UM_OK);
}

static void teardown(void)
{
    um_bench_results_close(results);
    cJSON_Delete(root);
    root = NULL;
}

TestSuite(bench_results, .init = setup, .fini = teardown);

static void give(const struct um_wire_frame *frame)
{
    struct um_feed_output output = um_bench_results_output(results);
    um_feed_publish(&output, 1, frame);
}

/* Times in ms after the run's begin; a negative one was not observed. */
static uint64_t at(double ms)
{
    return ms < 0 ? 0 : START_NS + (uint64_t)llround(ms * 1e6);
}

static void interaction(uint8_t kind, double arrival, double dequeued, double handled,
                        double painted, uint32_t freeze)
{
    struct um_wire_frame frame = {.type = UM_WIRE_INTERACTION};
    frame.as.interaction = (struct um_wire_interaction){.arrival_ns = at(arrival),
                                                        .dequeued_ns = at(dequeued),
                                                        .handled_ns = at(handled),
                                                        .painted_ns = at(painted),
                                                        .freeze = freeze,
                                                        .kind = kind};
    give(&frame);
}

static void beat(double sent, double latency)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
    frame.as.beat = (struct um_wire_beat){at(sent), (uint64_t)llround(latency * 1e6), 1};
    give(&frame);
}

static void freeze(uint32_t id, double start, double end, uint8_t state, uint8_t flags)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = flags};
    frame.as.episode = (struct um_wire_episode){.start_ns = at(start),
                                                .end_ns = at(end),
                                                .id = id,
                                                .message = 0x202,
                                                .state = state,
                                                .window_class = "Button"};
    give(&frame);
}

static void measure(const char *name, double start, double end, double settled, uint64_t injected)
{
    const struct um_bench_results_measure what = {.name = name,
                                                  .start_ns = at(start),
                                                  .end_ns = at(end),
                                                  .settled_ns = at(settled),
                                                  .injected = {[UM_INTERACTION_KEY] = injected}};
    cr_assert_eq(um_bench_results_measure(results, &what), UM_OK);
}

static const char *toolkit; /* of the target */

static char *json(const char *aborted)
{
    const struct um_options options = {
        .heartbeat_ms = 10, .threshold_ms = 100, .slow_ms = 50, .rehearsals = 1};
    const struct um_bench_results_header header = {.scenario_file = "a/x.uimon",
                                                   .scenario_name = "x",
                                                   .scenario_crc32 = 0x89abcd,
                                                   .utc_ms = INT64_C(1795176000123),
                                                   .target = "notepad.exe",
                                                   .toolkit = toolkit,
                                                   .options = &options,
                                                   .probe = "raw",
                                                   .beat = "zero",
                                                   .machine = {"pc", "Wine 8.0", 2},
                                                   .aborted = aborted};
    char *text = NULL;
    cr_assert_eq(um_bench_results_json(results, &header, &text), UM_OK);
    return text;
}

static void read_back(const char *aborted)
{
    char *text = json(aborted);
    const char *end = NULL;
    root = cJSON_ParseWithOpts(text, &end, 1);
    cr_assert(cJSON_IsObject(root), "%s", text);
    cJSON_free(text);
}

static void begin_run(void)
{
    um_bench_results_begin(results, START_NS, 0);
}

static void end_run(void)
{
    cr_assert_eq(um_bench_results_end(results, true), UM_OK);
}

static void end_and_read(void)
{
    end_run();
    read_back(NULL);
}

static void is_number(const char *path, double expected)
{
    cr_expect_float_eq(json_number(root, path), expected, 1e-9, "%s", path);
}

static void is_text(const char *path, const char *expected)
{
    cr_expect_str_eq(json_text(root, path), expected, "%s", path);
}

static void is_absent(const char *path)
{
    cr_expect_null(json_at(root, path), "%s is there", path);
}

Test(bench_results, the_header_says_what_was_measured_and_how)
{
    read_back(NULL);
    is_number("schema", 1);
    is_text("kind", "bench");
    is_text("scenario.file", "a/x.uimon");
    is_text("scenario.name", "x");
    is_text("scenario.crc32", "0089abcd");
    is_text("started", "2026-11-20T12:00:00Z");
    is_text("target.name", "notepad.exe");
    is_number("options.heartbeat_ms", 10);
    is_number("options.threshold_ms", 100);
    is_number("options.slow_ms", 50);
    is_text("options.probe", "raw");
    is_text("options.beat", "zero");
    is_text("machine.name", "pc");
    is_number("machine.cpus", 2);
    is_number("rehearsals", 1);
    cr_expect(cJSON_IsNull(json_at(root, "floor")));
    cr_expect(cJSON_IsArray(json_at(root, "runs")));
    is_absent("aborted");
    is_absent("stage");
    is_absent("target.toolkit");
}

Test(bench_results, the_header_says_that_the_windows_thread_alone_was_measured)
{
    toolkit = "Java";
    read_back(NULL);
    is_text("stage", "window");
    is_text("target.toolkit", "Java");
}

Test(bench_results, each_part_of_each_interaction_is_there)
{
    um_bench_results_begin(results, START_NS, 1000);
    interaction(UM_INTERACTION_KEY, 110, 111.5, 113.25, 120.125, 0);
    measure("typing", 100, 200, 210, 1);
    end_and_read();
    is_number("runs.0.run", 1);
    is_text("runs.0.started", "1970-01-01T00:00:01Z");
    is_text("runs.0.measures.0.name", "typing");
    is_number("runs.0.measures.0.start_ms", 100);
    is_number("runs.0.measures.0.duration_ms", 100);
    is_number("runs.0.measures.0.injected", 1);
    is_text("runs.0.measures.0.interactions.0.kind", "key");
    is_number("runs.0.measures.0.interactions.0.arrival_ms", 110);
    is_number("runs.0.measures.0.interactions.0.input_delay_ms", 1.5);
    is_number("runs.0.measures.0.interactions.0.processing_ms", 1.75);
    is_number("runs.0.measures.0.interactions.0.presentation_ms", 6.875);
    is_number("runs.0.measures.0.interactions.0.total_ms", 10.125);
    is_absent("runs.0.measures.0.interactions.0.freeze");
    is_absent("runs.0.startup");
    is_absent("runs.0.dropped");
}

Test(bench_results, what_was_not_observed_is_absent)
{
    begin_run();
    interaction(UM_INTERACTION_CLICK, -1, 111, 113, 120, 0);
    interaction(UM_INTERACTION_WHEEL, 110, 111, 113, -1, 0);
    interaction(UM_INTERACTION_KEY, 110, 111, -1, -1, 0);
    measure("m", 100, 200, 200, 3);
    end_and_read();
    is_text("runs.0.measures.0.interactions.0.kind", "click");
    is_absent("runs.0.measures.0.interactions.0.arrival_ms");
    is_absent("runs.0.measures.0.interactions.0.input_delay_ms");
    is_absent("runs.0.measures.0.interactions.0.total_ms");
    is_number("runs.0.measures.0.interactions.0.processing_ms", 2);
    is_number("runs.0.measures.0.interactions.0.presentation_ms", 7);
    is_text("runs.0.measures.0.interactions.1.kind", "wheel");
    is_number("runs.0.measures.0.interactions.1.processing_ms", 2);
    is_absent("runs.0.measures.0.interactions.1.presentation_ms");
    is_absent("runs.0.measures.0.interactions.1.total_ms");
    is_number("runs.0.measures.0.interactions.2.input_delay_ms", 1);
    is_absent("runs.0.measures.0.interactions.2.processing_ms");
}

Test(bench_results, an_input_belongs_to_the_measure_in_which_it_arrived)
{
    begin_run();
    interaction(UM_INTERACTION_KEY, 90, 99.9999, 101, -1, 0); /* before */
    interaction(UM_INTERACTION_KEY, 99.9999, 100, 101, -1, 0);
    interaction(UM_INTERACTION_KEY, 100, 100.5, 101, -1, 0);
    interaction(UM_INTERACTION_KEY, 205, 205, 206, -1, 0); /* while it settled */
    interaction(UM_INTERACTION_KEY, 209, 305, 306, -1, 0); /* likewise, but taken in the next one */
    interaction(UM_INTERACTION_KEY, 210, 210, 211, -1, 0); /* behind it */
    interaction(UM_INTERACTION_CLICK, -1, 99, 101, -1, 0); /* before */
    interaction(UM_INTERACTION_CLICK, -1, 150, 151, -1,
                0); /* nothing else is known of when it was */
    interaction(UM_INTERACTION_CLICK, -1, 210, 211, -1, 0); /* behind it */
    interaction(UM_INTERACTION_KEY, 300, 301, 302, -1, 0);
    beat(99, 1);
    beat(100, 2);
    beat(209, 3);
    beat(210, 4);
    measure("a", 100, 200, 210, 2);
    measure("b", 300, 310, 310, 1);
    end_and_read();
    cr_expect_eq(json_size(root, "runs.0.measures.0.interactions"), 4);
    is_number("runs.0.measures.0.interactions.0.arrival_ms", 100);
    is_number("runs.0.measures.0.interactions.1.arrival_ms", 205);
    is_number("runs.0.measures.0.interactions.2.arrival_ms", 209);
    is_text("runs.0.measures.0.interactions.3.kind", "click");
    cr_expect_eq(json_size(root, "runs.0.measures.1.interactions"), 1);
    cr_expect_eq(json_size(root, "runs.0.measures.0.beats_ms"), 2);
    is_number("runs.0.measures.0.beats_ms.0", 2);
    is_number("runs.0.measures.0.beats_ms.1", 3);
    cr_expect_eq(json_size(root, "runs.0.measures.1.beats_ms"), 0);
}

/* An input whose arrival was not observed may have waited in the freeze that ended just before it
 * was taken. An observed one that did says what the others do not. */
Test(bench_results, what_a_freeze_may_have_held_up_is_not_told)
{
    begin_run();
    freeze(1, 100, 150, UM_STATE_FROZEN, UM_WIRE_EPISODE_END);
    freeze(2, 2000, 2050, UM_STATE_FROZEN, UM_WIRE_EPISODE_END);
    freeze(3, 4000, 4050, UM_STATE_FROZEN, UM_WIRE_EPISODE_END);
    interaction(UM_INTERACTION_KEY, -1, 151, 152, -1, 0);
    interaction(UM_INTERACTION_KEY, -1, 2050, 2051, -1, 0);
    interaction(UM_INTERACTION_KEY, 2010, 2051, 2052, -1, 0);
    interaction(UM_INTERACTION_KEY, 4051, 4052, 4053, -1, 0); /* uimon's own: it came then */
    measure("m", 50, 5000, 5000, 2);
    end_and_read();
    is_absent("runs.0.measures.0.freezes.0.held_up");
    is_number("runs.0.measures.0.freezes.1.held_up.keys", 1);
    is_number("runs.0.measures.0.freezes.2.held_up.keys", 0);
}

Test(bench_results, freezes_of_a_measure_are_named_by_its_interactions)
{
    const uint8_t end = UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_HAS_MESSAGE;
    begin_run();
    freeze(1, 50, 99, UM_STATE_FROZEN, end);                      /* over before it */
    freeze(2, 60, 101, UM_STATE_FROZEN, end);                     /* reaches into it */
    freeze(3, 120, 130, UM_STATE_SLOW, end);                      /* no freeze */
    freeze(4, 130, 150, UM_STATE_STARVED, UM_WIRE_EPISODE_BEGIN); /* not over yet */
    freeze(4, 130, 150, UM_STATE_STARVED, UM_WIRE_EPISODE_END);
    freeze(5, 160, 170, UM_STATE_FROZEN, end | UM_WIRE_EPISODE_VOID);
    freeze(6, 200, 250, UM_STATE_FROZEN, end); /* behind it */
    interaction(UM_INTERACTION_KEY, 131, 150, 151, -1, 4);
    interaction(UM_INTERACTION_KEY, 161, 171, 172, -1, 5);
    measure("m", 100, 200, 200, 2);
    end_and_read();
    cr_expect_eq(json_size(root, "runs.0.measures.0.freezes"), 2);
    is_number("runs.0.measures.0.freezes.0.start_ms", 60);
    is_number("runs.0.measures.0.freezes.0.duration_ms", 41);
    is_text("runs.0.measures.0.freezes.0.state", "frozen");
    is_text("runs.0.measures.0.freezes.0.message", "WM_LBUTTONUP");
    is_text("runs.0.measures.0.freezes.0.window_class", "Button");
    is_text("runs.0.measures.0.freezes.1.state", "starved");
    is_absent("runs.0.measures.0.freezes.1.message");
    is_number("runs.0.measures.0.interactions.0.freeze", 1);
    is_absent("runs.0.measures.0.interactions.1.freeze");
    is_number("runs.0.measures.0.freezes.0.held_up.keys", 0);
    is_number("runs.0.measures.0.freezes.1.held_up.keys", 1);
    is_number("runs.0.measures.0.freezes.1.held_up.clicks", 0);
}

Test(bench_results, startup_notes_and_lateness_belong_to_the_run)
{
    struct um_wire_frame note = {.type = UM_WIRE_NOTE};
    note.as.note.time_ns = at(12.5);
    um_text_set(note.as.note.text, sizeof note.as.note.text, "half \"way\"");
    begin_run();
    um_bench_results_startup(results, UM_BENCH_RESULTS_WINDOW, 80 * MS + 123456);
    um_bench_results_startup(results, UM_BENCH_RESULTS_IDLE, 900 * MS);
    um_bench_results_late(results, 1 * MS);
    um_bench_results_late(results, 3 * MS);
    um_bench_results_late(results, 2 * MS);
    give(&note);
    end_run();
    begin_run();
    end_run();
    read_back("line 3: \"x\"");
    is_number("runs.0.startup.first_window_ms", 80.1235);
    is_absent("runs.0.startup.first_paint_ms");
    is_number("runs.0.startup.first_idle_ms", 900);
    is_number("runs.0.injector_late_ms", 3);
    is_number("runs.0.notes.0.at_ms", 12.5);
    is_text("runs.0.notes.0.text", "half \"way\"");
    is_number("runs.1.run", 2);
    is_absent("runs.1.startup");
    is_absent("runs.1.notes.0");
    is_number("runs.1.injector_late_ms", 0);
    is_text("aborted", "line 3: \"x\"");
}

Test(bench_results, a_rehearsal_leaves_nothing_behind)
{
    begin_run();
    interaction(UM_INTERACTION_KEY, 110, 111, 113, -1, 0);
    measure("m", 100, 200, 200, 1);
    cr_assert_eq(um_bench_results_end(results, false), UM_OK);
    cr_expect_eq(um_bench_results_runs(results), 0);
    begin_run();
    measure("m", 100, 200, 200, 0);
    end_run();
    cr_expect_eq(um_bench_results_runs(results), 1);
    read_back(NULL);
    cr_expect_eq(json_size(root, "runs"), 1);
    is_number("runs.0.run", 1);
    cr_expect_eq(json_size(root, "runs.0.measures.0.interactions"), 0);
}

Test(bench_results, counts_what_was_dealt_with_since)
{
    begin_run();
    cr_expect_eq(um_bench_results_dealt_with(results, UM_INTERACTION_KEY, START_NS), 0);
    interaction(UM_INTERACTION_KEY, 110, 114, 115, -1, 0);
    interaction(UM_INTERACTION_KEY, 120, 121, 123, -1, 0);
    interaction(UM_INTERACTION_CLICK, -1, 130, 131, -1, 0);
    cr_expect_eq(um_bench_results_dealt_with(results, UM_INTERACTION_KEY, at(110)), 2);
    cr_expect_eq(um_bench_results_dealt_with(results, UM_INTERACTION_KEY, at(111)), 1);
    cr_expect_eq(um_bench_results_dealt_with(results, UM_INTERACTION_CLICK, at(130)), 1);
    cr_expect_eq(um_bench_results_dealt_with(results, UM_INTERACTION_CLICK, at(131)), 0);
    cr_expect_eq(um_bench_results_dealt_with(results, UM_INTERACTION_WHEEL, at(100)), 0);
}

static void totals(uint64_t dropped)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TOTALS};
    frame.as.totals.dropped = dropped;
    give(&frame);
}

Test(bench_results, what_the_session_lost_is_told_of_its_run)
{
    begin_run();
    totals(4);
    totals(7);
    end_run();
    begin_run();
    end_and_read();
    is_number("runs.0.dropped", 7);
    is_absent("runs.1.dropped");
}

/* What was sent was seen or given up. The second key came after uimon had waited for it, and the
 * click is the user's: it stands for none of the keys. */
Test(bench_results, what_was_given_up_is_told_of_its_measure)
{
    begin_run();
    measure("a", 1, 2, 3, 5);
    interaction(UM_INTERACTION_KEY, 1, 1.5, 1.6, -1, 0);
    interaction(UM_INTERACTION_CLICK, 1, 1.5, 1.6, -1, 0);
    measure("b", 4, 5, 6, 1);
    interaction(UM_INTERACTION_KEY, 5, 5.5, 5.6, -1, 0);
    interaction(UM_INTERACTION_KEY, 2, 7, 8, -1, 0);
    end_and_read();
    is_number("runs.0.measures.0.injected", 5);
    is_number("runs.0.measures.0.given_up", 3);
    cr_expect_eq(json_size(root, "runs.0.measures.0.interactions"), 3);
    is_absent("runs.0.measures.1.given_up");
}

Test(bench_results, what_is_too_much_is_counted_not_kept)
{
    struct um_feed_output output = um_bench_results_output(results);
    begin_run();
    for (size_t i = 0; i < UM_BENCH_RESULTS_MAX_FRAMES; i++)
        beat(1, 1);
    cr_expect_eq(output.lost(output.context), 0);
    beat(1, 1);
    beat(1, 1);
    cr_expect_eq(output.lost(output.context), 2);
    totals(5); /* these two are in it */
    beat(1, 1);
    end_and_read();
    is_number("runs.0.dropped", 6);
}

Test(bench_results, compare_reads_what_bench_writes)
{
    struct um_results read = {0};
    char error[512] = "";
    for (int run = 0; run < 3; run++) {
        begin_run();
        um_bench_results_startup(results, UM_BENCH_RESULTS_WINDOW, 80 * MS);
        for (int i = 0; i < 10; i++) {
            interaction(UM_INTERACTION_KEY, 110 + i, 110.5 + i, 111 + i, 112 + i + run, 0);
            beat(110 + i, 0.25);
        }
        measure("typing", 100, 200, 210, 10);
        end_run();
    }
    char *text = json(NULL);
    enum um_status status = um_results_add(&read, text, strlen(text), "x", error, sizeof error);
    cr_assert_eq(status, UM_OK, "%s", error);
    cr_expect_eq(read.runs, 3);
    const struct um_results_measure *typing = um_results_find(&read, "typing");
    cr_assert_not_null(typing);
    cr_expect_eq(typing->groups[UM_RESULTS_PAINTED].len, 30);
    cr_expect_eq(typing->groups[UM_RESULTS_DELAY].len, 30);
    cr_expect_eq(typing->groups[UM_RESULTS_DURATION].len, 3);
    cr_expect_float_eq(um_compare_statistic_of(&typing->groups[UM_RESULTS_PAINTED], UM_COMPARE_MAX),
                       4, 1e-6);
    const struct um_results_measure *startup = um_results_find(&read, UM_RESULTS_STARTUP);
    cr_assert_not_null(startup);
    cr_expect_eq(startup->groups[UM_RESULTS_WINDOW].len, 3);
    um_results_deinit(&read);
    cJSON_free(text);
}

/* Results of runs with --layout, in place of those without. */
static void open_with_layout(void)
{
    um_bench_results_close(results);
    cr_assert_eq(um_bench_results_open(true, &results), UM_OK);
}

/* The sums so far, of two components. */
static void layout(uint64_t frames, uint64_t lost, uint64_t first_ms, uint64_t second_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_TIMES};
    struct um_wire_layout_times *times = &frame.as.layout_times;
    times->frames = frames;
    times->lost = lost;
    times->list[times->count++] = (struct um_wire_layout_cost){
        .id = 3, .layout_ns = (first_ms + second_ms) * MS, .own_layout_ns = first_ms * MS};
    if (second_ms > 0) /* it has changed */
        times->list[times->count++] = (struct um_wire_layout_cost){
            .id = 4, .layout_ns = second_ms * MS, .own_layout_ns = second_ms * MS};
    give(&frame);
}

Test(bench_results, layout_of_a_run_is_the_mean_of_its_layout_frames)
{
    open_with_layout();
    begin_run();
    layout(1, 0, 1, 7);
    layout(3, 0, 5, 9);
    layout(4, 2, 11, 0);
    end_and_read();
    is_number("runs.0.layout.frames", 4);
    is_number("runs.0.layout.lost", 2);
    is_number("runs.0.layout.layout_ms", 20);
    is_number("runs.0.layout.frame_ms", 5);
}

Test(bench_results, layout_of_a_run_without_a_layout_frame_has_no_time)
{
    open_with_layout();
    begin_run();
    layout(4, 0, 8, 0);
    end_run();
    begin_run();
    end_and_read();
    is_number("runs.0.layout.frame_ms", 2);
    is_number("runs.1.layout.frames", 0);
    cr_expect_null(json_at(root, "runs.1.layout.frame_ms"));
}

Test(bench_results, layout_is_told_only_where_it_was_measured)
{
    begin_run();
    layout(4, 0, 8, 0);
    end_and_read();
    cr_expect_null(json_at(root, "runs.0.layout"));
    cr_expect(cJSON_IsFalse(json_at(root, "options.layout")));
}
