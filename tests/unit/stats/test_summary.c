#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "monitor/stats/summary.h"
#include "tests/json_read.h"
#include "tests/written_golden.h"

#define MS UINT64_C(1000000)
#define START (UINT64_C(7000) * MS)

static uint64_t counts[UM_HISTOGRAM_LATENCY_COUNTS];
static struct um_histogram latency;
static struct um_stats_freeze list[12];
static struct um_stats_freezes freezes;
static struct um_summary summary;
static struct um_stats *stats; /* of interactions */
static cJSON *root;            /* what was written last */
static char *printed;

/* Five seconds with a freeze of 300.2 ms, as in the golden file. */
static void setup(void)
{
    um_histogram_init_latency(&latency, counts);
    for (int i = 0; i < 471; i++) {
        uint64_t us = i < 300 ? 300 : i < 450 ? 600 : 1190;
        um_histogram_record_corrected(&latency, us * 1000, 10 * MS);
    }
    um_histogram_record_corrected(&latency, 295 * MS, 10 * MS);

    list[0] = (struct um_stats_freeze){.start_ns = START + 1200100000,
                                       .duration_ns = 300200000,
                                       .message = 0x0202,
                                       .state = UM_STATE_FROZEN,
                                       .has_message = true,
                                       .window_class = "Button"};
    freezes = (struct um_stats_freezes){.threshold_ns = 100 * MS,
                                        .total_ns = 300200000,
                                        .longest_ns = 300200000,
                                        .count = 1,
                                        .over_100 = 1,
                                        .over_250 = 1,
                                        .len = 1,
                                        .list = list};
    summary = (struct um_summary){.pid = 1,
                                  .bits = 64,
                                  .name = "devenv.exe",
                                  .title = "...",
                                  .utc_ms = INT64_C(1795176000000),
                                  .start_ns = START,
                                  .totals.duration_ns = 5000 * MS,
                                  .probe = "raw",
                                  .period_us = 10000,
                                  .totals.beats_sent = 471,
                                  .totals.beats_seen = 471,
                                  .latency = &latency,
                                  .freezes = &freezes};
    summary.totals.state_ns[UM_STATE_RESPONSIVE] = 4699800000;
    summary.totals.state_ns[UM_STATE_FROZEN] = 300200000;
}

static void teardown(void)
{
    um_stats_close(stats);
    cJSON_Delete(root);
}

TestSuite(summary, .init = setup, .fini = teardown);

static void write_json(void)
{
    char *chars = NULL;
    cr_assert_eq(um_summary_json(&summary, &chars), UM_OK);
    cJSON_Delete(root);
    root = cJSON_Parse(chars);
    cr_assert_not_null(root, "%s", chars);
    cJSON_free(chars);
}

static void write_text(void)
{
    FILE *file = written_open();
    cr_assert_eq(um_summary_text_write(file, &summary), UM_OK);
    printed = written_read(file, NULL);
}

static void expect_in_text(const char *part)
{
    write_text();
    cr_expect(strstr(printed, part), "%s\nis not in\n%s", part, printed);
}

static void expect_not_in_text(const char *part)
{
    write_text();
    cr_expect(!strstr(printed, part), "%s\nis in\n%s", part, printed);
}

/* Everything in `want` is in `got`, in the same order; what is in `got` alone was added to the
 * schema. Latencies have the histogram's precision. */
static void expect_contains(const cJSON *got, const cJSON *want, const char *where,
                            double precision)
{
    const cJSON *at = got->child;
    cr_assert_eq(got->type & 0xff, want->type & 0xff, "%s is of another type", where);
    if (cJSON_IsNumber(want)) {
        cr_expect_float_eq(got->valuedouble, want->valuedouble, fabs(want->valuedouble) * precision,
                           "%s is %g, not %g", where, got->valuedouble, want->valuedouble);
    } else if (cJSON_IsString(want) && strcmp(where, "uimon") != 0) {
        cr_expect_str_eq(got->valuestring, want->valuestring, "%s", where);
    }
    for (const cJSON *child = want->child; child; child = child->next) {
        const char *name = child->string ? child->string : where;
        while (at && child->string && strcmp(at->string, child->string) != 0)
            at = at->next;
        cr_assert_not_null(at, "%s is missing, or not in its place", name);
        expect_contains(at, child, name, strcmp(name, "latency_ms") == 0 ? 1e-3 : precision);
        at = at->next;
    }
}

Test(summary, json_has_every_field_of_the_schema)
{
    cJSON *want = cJSON_Parse(written_golden("summary.json", NULL));
    write_json();
    cr_assert_not_null(want);
    expect_contains(root, want, "summary", 0.0);
    cr_expect_str_eq(json_text(root, "uimon"), UM_VERSION);
    cr_expect_eq(json_size(root, "freeze_list"), 1);
    cJSON_Delete(want);
}

Test(summary, json_says_where_the_clock_began)
{
    char *text = NULL;
    summary.start_ns = UINT64_C(9007199254740993); /* 2^53 + 1: no double has it */
    cr_assert_eq(um_summary_json(&summary, &text), UM_OK);
    cr_expect_not_null(strstr(text, "\"clock_start_ns\":\t9007199254740993"));
    cJSON_free(text);
}

Test(summary, says_what_the_beats_were)
{
    write_json();
    cr_expect_not(json_at(root, "beat"));
    summary.beat = "pair";
    write_json();
    cr_expect_str_eq(json_text(root, "beat"), "pair");
    expect_in_text("471 beats, 0 lost; raw probe, pair beats, every 10 ms\n");
    expect_not_in_text("at rest");
    expect_not_in_text("integrity");
}

Test(summary, says_how_many_beats_were_left_out_at_rest)
{
    write_json();
    cr_expect_not(json_at(root, "rest_heartbeat_ms"));
    cr_expect_not(json_at(root, "beats.rested"));
    summary.beats.rest_us = 100000;
    summary.totals.beats_rested = 2611;
    write_json();
    cr_expect_eq(json_number(root, "rest_heartbeat_ms"), 100);
    cr_expect(json_at(root, "beats.rested"));
    cr_expect_str_eq(json_text(root, "background"), "full");
    expect_in_text("             2611 more left out at rest, where one is sent every 100 ms\n");
}

Test(summary, says_which_message_took_most_of_a_freeze)
{
    write_json();
    cr_expect_not(json_at(root, "freeze_list.0.costliest"));
    expect_not_in_text(" of it in ");
    list[0].costliest = (struct um_stats_costliest){
        .length_ns = 123456789, .message = 0x0047, .kind = UM_TRACE_SENT, .window_class = "Frame"};
    write_json();
    cr_expect_eq(json_number(root, "freeze_list.0.costliest.ms"), 123.457);
    cr_expect_str_eq(json_text(root, "freeze_list.0.costliest.message"), "WM_WINDOWPOSCHANGED");
    cr_expect_str_eq(json_text(root, "freeze_list.0.costliest.window_class"), "Frame");
    cr_expect_str_eq(json_text(root, "freeze_list.0.costliest.how"), "sent");
    expect_in_text("\n               123.5 ms of it in WM_WINDOWPOSCHANGED @ Frame, sent\n");
    list[0].costliest.kind = UM_TRACE_OTHER;
    write_json();
    cr_expect_not(json_at(root, "freeze_list.0.costliest.how"));
    list[0].costliest.kind = UM_TRACE_RETRIEVED;
    list[0].costliest.message = list[0].message;
    expect_not_in_text(" of it in ");
}

Test(summary, says_which_freezes_at_rest_may_be_unseen)
{
    write_json();
    cr_expect_not(json_at(root, "at_rest"));
    expect_not_in_text("may be unseen");
    summary.beats.rest_us = 100000;
    summary.beats.rest_gap_ns = 100200000;
    write_json();
    cr_expect_eq(json_number(root, "at_rest.longest_gap_ms"), 100.2);
    cr_expect_eq(json_number(root, "at_rest.told_from_ms"), 196.2);
    expect_in_text(
        "             there, a freeze under 197 ms may be unseen if no message began it\n");
}

Test(summary, says_what_beats_made_the_program_do)
{
    write_json();
    cr_expect_not(json_at(root, "own_beats"));
    expect_not_in_text("Own beats");
    summary.totals.own_beats_ns = 463 * MS;
    summary.totals.state_ns[UM_STATE_OWN_BEAT] = 242 * MS;
    summary.beats.own_freezes = 2;
    summary.beats.own_longest_ns = 121 * MS;
    summary.beats.spared_us = 1000000;
    write_json();
    cr_expect_eq(json_number(root, "own_beats.total_ms"), 463);
    cr_expect_eq(json_number(root, "own_beats.freezes"), 2);
    cr_expect_eq(json_number(root, "own_beats.longest_ms"), 121);
    cr_expect_eq(json_number(root, "own_beats.heartbeat_ms"), 1000);
    cr_expect_eq(json_number(root, "state_ms.own_beat"), 242);
    expect_in_text(
        "  Own beats  caused by uimon's beats: 463 ms, with 2 waits as long as a freeze (the "
        "longest 121 ms)\n"
        "             so beats came up to 1000 ms apart, and freezes are known less "
        "exactly\n");
    expect_in_text("uimon's beat");
}

static void check_background(uint32_t background_us, const char *name)
{
    summary.beats.rest_us = 100000;
    summary.beats.background_us = background_us;
    write_json();
    cr_expect_str_eq(json_text(root, "background"), name);
}

Test(summary, names_what_was_measured_behind_other_programs)
{
    check_background(0, "full");
    check_background(100000, "rest");
    check_background(UM_WIRE_PACE_NEVER, "pause");
}

Test(summary, says_where_the_program_was_in_a_freeze)
{
    static struct um_stats_stacks stacks = {
        .sampling = {.samples = 25,
                     .over_2ms = 1,
                     .total_ns = 9000000,
                     .p50_ns = 300000,
                     .max_ns = 2100000,
                     .interval_ns = 10500000},
        .len = 1,
        .list = {{.stack = {.freeze = 6,
                            .samples = 24,
                            .alike = 20,
                            .interval_us = 10500,
                            .frames = {"a.dll+0x12", "a.dll+0x345", "b.exe+0x6"},
                            .sampled_us = 241500,
                            .user_us = 15625,
                            .kernel_us = 15625,
                            .yours = 12,
                            .unread = 1,
                            .known = UM_WIRE_STACK_CPU | UM_WIRE_STACK_MINE,
                            .stopped = "the unwind data is damaged",
                            .call = "NtWaitForSingleObject",
                            .whose = "yours 33 to 71 %"}}}};
    write_json();
    const cJSON *freeze = json_at(root, "freeze_list.0");
    cr_expect_not(json_at(freeze, "stack"));
    cr_expect_not(json_at(root, "sampling"));
    list[0].id = 6;
    summary.stacks = &stacks;
    write_json();
    freeze = json_at(root, "freeze_list.0");
    cr_assert_eq(json_size(freeze, "stack"), 3);
    cr_expect_str_eq(json_text(freeze, "stack.1"), "a.dll+0x345");
    cr_expect_str_eq(json_text(freeze, "stack_stopped"), "the unwind data is damaged");
    cr_expect_eq(json_number(freeze, "samples"), 24);
    cr_expect_eq(json_number(freeze, "samples_alike"), 20);
    cr_expect_eq(json_number(freeze, "sample_interval_ms"), 10.5);
    cr_expect_str_eq(json_text(freeze, "call"), "NtWaitForSingleObject");
    cr_expect_eq(json_number(freeze, "sampled_ms"), 241.5);
    cr_expect_eq(json_number(freeze, "cpu_kernel_ms"), 15.625);
    cr_expect_eq(json_number(freeze, "samples_yours"), 12);
    cr_expect_eq(json_number(root, "sampling.samples"), 25);
    cr_expect_eq(json_number(root, "sampling.over_2ms"), 1);
    expect_in_text("  20 of 24 in a.dll+0x12 ← +0x345 ← b.exe+0x6\n");
    expect_in_text("   waiting 87 % in NtWaitForSingleObject; yours 33 to 71 %\n");
    expect_in_text("  Sampling   25 stacks, one each 10.5 ms\n"
                   "             suspended p50 0.30   max 2.10 ms, 1 over 2 ms\n");
    strcpy(stacks.list[0].stack.frames[0], "Shop::Goods::Basket::add_up");
    expect_in_text("  20 of 24 in Basket::add_up ← a.dll+0x345 ← b.exe+0x6\n");
    strcpy(stacks.list[0].stack.frames[0], "Shop.Basket.Add(System.String)");
    strcpy(stacks.list[0].stack.place, "Basket.cs:~118");
    expect_in_text("  20 of 24 in Shop.Basket.Add(System.String) (Basket.cs:~118) ← a.");
    write_json();
    cr_expect_str_eq(json_text(json_at(root, "freeze_list.0"), "place"), "Basket.cs:~118");
    cr_expect_not(json_at(root, "freeze_list.0.stack_guessed"));
    stacks.list[0].stack.known |= UM_WIRE_STACK_GUESSED(1);
    strcpy(stacks.list[0].stack.frames[0], "parse");
    stacks.list[0].stack.place[0] = '\0';
    write_json();
    cr_assert_eq(json_size(json_at(root, "freeze_list.0"), "stack_guessed"), 3);
    cr_expect(cJSON_IsFalse(json_at(root, "freeze_list.0.stack_guessed.0")));
    cr_expect(cJSON_IsTrue(json_at(root, "freeze_list.0.stack_guessed.1")));
    cr_expect(cJSON_IsFalse(json_at(root, "freeze_list.0.stack_guessed.2")));
    expect_in_text("  20 of 24 in parse ← ? a.dll+0x345 ← b.exe+0x6\n");
    stacks.list[0].stack.frames[0][0] = '\0';
    expect_in_text("  24 samples, most of them in no place in common\n");
}

/* Summaries of a freeze, with one stack of 182 samples. */
static struct um_stats_stacks one_stack = {
    .sampling = {.samples = 182},
    .len = 1,
    .list = {{.stack = {.freeze = 6,
                        .samples = 182,
                        .alike = 80,
                        .frames = {"Editor::WrapLines"},
                        .sampled_us = 100000,
                        .user_us = 31000,
                        .known = UM_WIRE_STACK_CPU | UM_WIRE_STACK_OF_READ | UM_WIRE_STACK_CUT(94),
                        .stopped = "the code has no unwind data"}}}};

static struct um_wire_stack *use_one_stack(void)
{
    list[0].id = 6;
    summary.stacks = &one_stack;
    return &one_stack.list[0].stack;
}

Test(summary, says_what_the_stacks_that_were_read_have_in_common)
{
    struct um_wire_stack *stack = use_one_stack();
    expect_in_text("  80 of 88 in Editor::WrapLines\n"
                   "               not running 69 %\n"
                   "               94 of 182 stacks could not be read to their end (the code has");
    write_json();
    cr_expect_eq(json_number(root, "freeze_list.0.samples"), 182);
    cr_expect_eq(json_number(root, "freeze_list.0.samples_alike"), 80);
    cr_expect_eq(json_number(root, "freeze_list.0.samples_alike_of"), 88);
    cr_expect_eq(json_number(root, "freeze_list.0.samples_cut"), 94);
    stack->known = UM_WIRE_STACK_CUT(18);
    expect_in_text("  80 of 182 in Editor::WrapLines\n");
    expect_not_in_text("could not be read");
    expect_not_in_text(" %\n"); /* how long the thread ran is not known */
    stack->known = UM_WIRE_STACK_CUT(19);
    expect_in_text("  19 of 182 stacks could not be read to their end");
    write_json();
    cr_expect_not(json_at(root, "freeze_list.0.samples_alike_of"));
}

/* On a busy machine a thread that does not run need not wait for anything. */
Test(summary, says_that_a_thread_waits_only_where_the_wait_is_known)
{
    struct um_wire_stack *stack = use_one_stack();
    strcpy(stack->call, "NtUserCallHwndParam");
    expect_in_text("  not running 69 % in NtUserCallHwndParam\n");
    strcpy(stack->call, "NtWaitForAlertByThreadId");
    expect_in_text("  waiting 69 % in NtWaitForAlertByThreadId\n");
    strcpy(stack->call, "SleepEx");
    expect_in_text("  waiting 69 % in SleepEx\n");
    strcpy(stack->call, "SleepExtra");
    expect_in_text("  not running 69 % in SleepExtra\n");
    one_stack.list[0].wait = (struct um_wire_wait){.freeze = 6, .kind = UM_WIRE_WAIT_LOCK};
    expect_in_text("  waiting 69 % in SleepExtra\n");
    stack->user_us = 69000;
    expect_in_text("  running 69 % in SleepExtra\n");
}

Test(summary, says_why_freezes_have_no_stack)
{
    use_one_stack();
    expect_not_in_text("have no stack");
    one_stack.sampling.withheld_ns = 11000 * MS;
    expect_in_text("             1 of 1 freezes have no stack, 300.2 ms of 300.2 ms: samples\n"
                   "             had taken their share of the program's time (--sample-cost)\n");
    write_json();
    cr_expect_eq(json_number(root, "sampling.withheld_ms"), 11000);
    one_stack.sampling.withheld_ns = 149 * MS; /* less than half of the 300 ms */
    expect_not_in_text("have no stack");
    one_stack.sampling.withheld_ns = 151 * MS;
    expect_in_text("have no stack");
    summary.breaks_off = true;
    expect_not_in_text("have no stack");
    summary.breaks_off = false;
    list[0].has_stack = true;
    expect_not_in_text("have no stack");
}

Test(summary, lists_the_times_that_were_not_measured)
{
    struct um_stats_unmeasured times[] = {{START + 100 * MS, START + 150 * MS, UM_STATE_BLIND},
                                          {START + 700 * MS, START + 790 * MS, UM_STATE_SUSPENDED}};
    struct um_stats_unmeasured_list unmeasured = {.len = 2, .list = times};
    summary.unmeasured = &unmeasured;
    write_json();
    cr_assert_eq(json_size(root, "unmeasured_list"), 2);
    cr_expect_eq(json_number(root, "unmeasured_list.0.start_ms"), 100);
    cr_expect_eq(json_number(root, "unmeasured_list.0.duration_ms"), 50);
    cr_expect_str_eq(json_text(root, "unmeasured_list.0.state"), "blind");
    cr_expect_str_eq(json_text(root, "unmeasured_list.1.state"), "suspended");
    cr_expect_not(json_at(root, "unmeasured_unlisted"));
    unmeasured.dropped = 7;
    write_json();
    cr_expect_eq(json_number(root, "unmeasured_unlisted"), 7);
}

Test(summary, names_the_reasons_for_being_blind)
{
    static const struct {
        bool shielded, button, pointer;
        const char *reason;
        const char *text;
    } rows[] = {
        {true, false, false, "integrity",
         "blind while a program of a higher integrity level was in front\n"},
        {false, true, false, "button", "blind while a mouse button was down"},
        {false, true, true, "pointer", "blind while a mouse button was down"},
        {false, true, true, "pointer", "blind while the pointer was hidden"},
    };
    write_json();
    cr_expect_not(json_at(root, "blind_reason"));
    summary.totals.state_ns[UM_STATE_BLIND] = 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        summary.beats.were_shielded = rows[i].shielded;
        summary.beats.were_held[UM_PROBE_HELD_BUTTON] = rows[i].button;
        summary.beats.were_held[UM_PROBE_HELD_POINTER] = rows[i].pointer;
        write_json();
        cr_expect_str_eq(json_text(root, "blind_reason"), rows[i].reason, "row %zu", i);
        expect_in_text(rows[i].text);
    }
}

/* Each has a word, a sentence and a label of its own, and without blind time none is told. */
Test(summary, each_reason_for_being_blind_has_its_words)
{
    static const char *const words[] = {
        "button",  "pointer",  "no ping", "elsewhere",    "undelivered",        "filtered",
        "refused", "detached", "asleep",  "lost records", "no answer to pings", "no answer yet"};
    cr_assert_eq(sizeof words / sizeof words[0], UM_PROBE_HELD_COUNT - 1);
    cr_expect(!um_wire_held_words(UM_PROBE_HELD_NOT) && !um_wire_held_words(UM_PROBE_HELD_COUNT) &&
              !um_wire_held_words(UM_WIRE_UNKNOWN));
    for (uint8_t held = 1; held < UM_PROBE_HELD_COUNT; held++) {
        char line[160];
        memset(summary.beats.were_held, 0, sizeof summary.beats.were_held);
        summary.beats.were_held[held] = true;
        summary.totals.state_ns[UM_STATE_BLIND] = 0;
        write_json();
        cr_expect_not(json_at(root, "blind_reason"));
        summary.totals.state_ns[UM_STATE_BLIND] = 1;
        write_json();
        cr_expect_str_eq(json_text(root, "blind_reason"), words[held - 1]);
        snprintf(line, sizeof line, "blind %s\n", um_wire_held_words(held)->summary);
        expect_in_text(line);
        cr_expect_neq(um_wire_held_words(held)->label[0], 0);
    }
}

Test(summary, json_leaves_out_what_was_not_measured)
{
    um_histogram_reset(&latency);
    freezes.len = 0;
    summary.probe = NULL;
    summary.bits = 0;
    write_json();
    cr_expect_eq(json_number(root, "latency_ms.count"), 0);
    static const char *const absent[] = {"mean", "p50", "p90", "p99", "p999", "max"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        cr_expect_not(cJSON_HasObjectItem(json_at(root, "latency_ms"), absent[i]), "%s", absent[i]);
    cr_expect_not(json_at(root, "probe"));
    cr_expect_not(json_at(root, "target.bits"));
    cr_expect_eq(json_size(root, "cost"), 0);
}

Test(summary, json_says_that_the_windows_thread_alone_was_measured)
{
    write_json();
    cr_expect_not(json_at(root, "stage"));
    cr_expect_not(json_at(root, "target.toolkit"));
    summary.toolkit = "Java";
    write_json();
    cr_expect_str_eq(json_text(root, "stage"), "window");
    cr_expect(json_at(root, "target.toolkit"));
    cr_expect(json_at(root, "state_ms.responsive"), "the fields keep their names");
}

Test(summary, json_does_without_histogram_and_freezes)
{
    summary.latency = NULL;
    summary.freezes = NULL;
    write_json();
    cr_expect_eq(json_number(root, "latency_ms.count"), 0);
    cr_expect_eq(json_number(root, "freezes.count"), 0);
    cr_expect(cJSON_IsArray(cJSON_GetObjectItem(root, "freeze_list")));
}

Test(summary, json_states_add_up_to_the_duration)
{
    uint64_t x = 3;
    for (int round = 0; round < 200; round++) {
        long long sum_us = 0;
        summary.totals.duration_ns = 0;
        for (int i = 0; i < UM_STATE_COUNT; i++) {
            x = x * UINT64_C(6364136223846793005) + 1;
            summary.totals.state_ns[i] = round % 3 == 0 && i % 2 == 0 ? 0 : x >> 31;
            summary.totals.duration_ns += summary.totals.state_ns[i];
        }
        write_json();
        const cJSON *state;
        cJSON_ArrayForEach(state, cJSON_GetObjectItem(root, "state_ms"))
        {
            sum_us += llround(state->valuedouble * 1000.0);
        }
        double duration_ms = json_number(root, "duration_ms");
        cr_expect_eq(sum_us, llround(duration_ms * 1000.0));
    }
}

Test(summary, json_percentiles_do_not_exceed_the_maximum)
{
    um_histogram_reset(&latency);
    um_histogram_record(&latency, 295 * MS);
    write_json();
    cr_expect_eq(json_number(root, "latency_ms.p50"), 295.0);
    cr_expect_eq(json_number(root, "latency_ms.max"), 295.0);
}

Test(summary, json_shows_a_freeze_that_was_open_and_without_suspect)
{
    list[0].has_message = false;
    list[0].open = true;
    list[0].start_ns = START - 20 * MS;
    list[0].uncertainty_ns = 5 * MS;
    freezes.dropped = 3;
    write_json();
    const cJSON *freeze = json_at(root, "freeze_list.0");
    cr_expect_eq(json_number(freeze, "start_ms"), -20.0);
    cr_expect_eq(json_number(freeze, "start_uncertainty_ms"), 5.0);
    cr_expect(cJSON_IsTrue(cJSON_GetObjectItem(freeze, "open")));
    cr_expect_not(json_at(freeze, "message"));
    cr_expect_not(json_at(freeze, "window_class"));
    cr_expect_eq(json_number(root, "freezes.unlisted"), 3);
}

/* A recording may be damaged, or made up. */
Test(summary, cost_that_cannot_be_is_not_measured)
{
    struct um_wire_session session = {.start_ns = 1};
    struct um_wire_totals totals = {.duration_ns = UINT64_C(1000000000)};
    struct um_stats_config config = {START, 10 * MS, 100 * MS};
    struct um_summary filled;

    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
    totals.heartbeat_cpu_ns = UINT64_MAX;
    totals.sender_cpu_ns = totals.duration_ns * 65;
    totals.monitor_cpu_ns = totals.duration_ns * 2; /* two processors */
    um_summary_fill(&filled, &session, &totals, stats);
    cr_expect(!filled.cpu_ns[UM_SUMMARY_HEARTBEAT] && !filled.cpu_ns[UM_SUMMARY_SENDER]);
    cr_expect_eq(filled.cpu_ns[UM_SUMMARY_MONITOR], totals.monitor_cpu_ns);
}

Test(summary, json_reports_its_own_cost)
{
    summary.cpu_ns[UM_SUMMARY_HEARTBEAT] = 12345678;
    summary.cpu_ns[UM_SUMMARY_OVERLAY] = 1;
    summary.hook_call_ns = 85;
    write_json();
    cr_expect_eq(json_number(root, "cost.heartbeat_cpu_ms"), 12.346);
    cr_expect_eq(json_number(root, "cost.overlay_cpu_ms"), 0.0);
    cr_expect_eq(json_number(root, "cost.hook_call_ns"), 85);
    cr_expect_not(json_at(root, "cost.sender_cpu_ms"));
    cr_expect_not(json_at(root, "cost.monitor_cpu_ms"));
}

Test(summary, json_is_utf8_whatever_the_title)
{
    char *text = NULL;
    summary.title = "caf\xc3\xa9 \xff\xc3 \"quoted\"\n";
    cr_assert_eq(um_summary_json(&summary, &text), UM_OK);
    cr_expect(um_utf8_valid(text, strlen(text)));
    cr_expect_not_null(strstr(text, "caf\xc3\xa9"));
    cJSON_free(text);
    write_json();
}

static void expect_started(int64_t utc_ms, const char *text)
{
    summary.utc_ms = utc_ms;
    write_json();
    cr_expect_str_eq(json_text(root, "started"), text);
}

/* Figures by GNU date -u. */
Test(summary, json_writes_the_calendar_time)
{
    expect_started(0, "1970-01-01T00:00:00Z");
    expect_started(-1, "1969-12-31T23:59:59Z");
    expect_started(INT64_C(951782399999), "2000-02-28T23:59:59Z");
    expect_started(INT64_C(951782400000), "2000-02-29T00:00:00Z");
    expect_started(INT64_C(1709251199000), "2024-02-29T23:59:59Z");
    expect_started(INT64_C(4107542400000), "2100-03-01T00:00:00Z");
}

static int allocations_left;

static void *scarce_malloc(size_t size)
{
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

Test(summary, json_says_when_memory_is_short)
{
    cJSON_Hooks scarce = {scarce_malloc, free};
    enum um_status status = UM_ERR_MEMORY;
    int enough = 0;
    cJSON_InitHooks(&scarce);
    while (status != UM_OK && enough < 1000) {
        char *text = NULL;
        allocations_left = enough;
        status = um_summary_json(&summary, &text);
        cr_assert_eq(status == UM_OK, text != NULL);
        cr_assert(status == UM_OK || status == UM_ERR_MEMORY);
        cJSON_free(text);
        enough++;
    }
    cr_expect_eq(status, UM_OK);
    cr_expect_gt(enough, 100, "each field takes memory");
}

/* 20 keys of 10 to 200 ms, the last two in the freeze; every other one was painted if `painted`. */
static void typed(bool painted)
{
    struct um_stats_config config = {START, 10 * MS, 100 * MS};
    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
    for (uint64_t i = 1; i <= 20; i++) {
        struct um_wire_frame frame = {.type = UM_WIRE_INTERACTION};
        uint64_t at_ns = START + i * 1000 * MS;
        frame.as.interaction = (struct um_wire_interaction){.arrival_ns = at_ns,
                                                            .dequeued_ns = at_ns + i * MS,
                                                            .handled_ns = at_ns + 6 * i * MS,
                                                            .id = (uint32_t)i,
                                                            .freeze = i > 18 ? 5 : 0};
        if (painted && i % 2 == 0)
            frame.as.interaction.painted_ns = at_ns + 10 * i * MS;
        um_stats_frame(stats, &frame);
    }
    summary.interactions = um_stats_interactions(stats);
    list[0].id = 5;
}

Test(summary, json_has_each_part_of_each_kind_of_interaction)
{
    typed(true);
    write_json();
    cr_expect_eq(json_size(root, "interactions"), 1, "there were neither clicks nor wheel steps");
    cr_expect_eq(json_number(root, "interactions.key.count"), 20);
    cr_expect_eq(json_number(root, "interactions.key.painted"), 10);
    cr_expect_eq(json_number(root, "interactions.key.in_freezes"), 2);
    cr_expect_eq(json_number(root, "interactions.key.input_delay_ms.count"), 20);
    cr_expect_float_eq(json_number(root, "interactions.key.input_delay_ms.p50"), 10, 0.01);
    cr_expect_float_eq(json_number(root, "interactions.key.input_delay_ms.p75"), 15, 0.02);
    cr_expect_float_eq(json_number(root, "interactions.key.input_delay_ms.p90"), 18, 0.02);
    cr_expect_float_eq(json_number(root, "interactions.key.input_delay_ms.p98"), 20, 0.02);
    cr_expect_eq(json_number(root, "interactions.key.input_delay_ms.max"), 20);
    cr_expect_eq(json_number(root, "interactions.key.processing_ms.max"), 100);
    cr_expect_eq(json_number(root, "interactions.key.presentation_ms.count"), 10);
    cr_expect_eq(json_number(root, "interactions.key.presentation_ms.max"), 80);
    cr_expect_eq(json_number(root, "interactions.key.total_ms.count"), 10);
    cr_expect_eq(json_number(root, "interactions.key.total_ms.max"), 200);
    cr_expect_eq(json_number(root, "interactions.key.to_handled_ms.max"), 120);
}

Test(summary, json_lists_the_worst_interactions)
{
    typed(true);
    write_json();
    cr_assert_eq(json_size(root, "worst_interactions"), 10);
    const cJSON *first = json_at(root, "worst_interactions.0");
    cr_expect_str_eq(json_text(first, "kind"), "key");
    cr_expect_eq(json_number(first, "at_ms"), 20000);
    cr_expect_eq(json_number(first, "input_delay_ms"), 20);
    cr_expect_eq(json_number(first, "processing_ms"), 100);
    cr_expect_eq(json_number(first, "presentation_ms"), 80);
    cr_expect_eq(json_number(first, "total_ms"), 200);
    cr_expect_eq(json_number(first, "freeze"), 0, "its place in the list");
    cr_expect_not(json_at(first, "key"), "it was not kept");
    const cJSON *second = json_at(root, "worst_interactions.1");
    cr_expect_eq(json_number(second, "at_ms"), 18000);
    cr_expect_not(json_at(second, "freeze"));
}

Test(summary, json_leaves_out_what_was_not_observed_of_interactions)
{
    write_json();
    cr_expect_not(json_at(root, "interactions"), "none were asked for");
    cr_expect_not(json_at(root, "worst_interactions"));
    typed(false);
    write_json();
    const cJSON *key = json_at(root, "interactions.key");
    const cJSON *first = json_at(root, "worst_interactions.0");
    cr_expect_eq(json_number(root, "interactions.key.processing_ms.count"), 20);
    cr_expect_not(json_at(key, "presentation_ms"));
    cr_expect_not(json_at(key, "total_ms"));
    cr_expect_not(json_at(first, "presentation_ms"));
    cr_expect_not(json_at(first, "total_ms"));
}

/* From here on: the text. */

static void expect_text(const char *want)
{
    write_text();
    cr_expect_str_eq(printed, want);
}

Test(summary, text_tells_of_a_freeze)
{
    summary.title = "Solution1 - Microsoft Visual Studio";
    const uint64_t cpu_ns[UM_SUMMARY_CPUS] = {12500000, 8000000, 31000000, 640000000};
    memcpy(summary.cpu_ns, cpu_ns, sizeof summary.cpu_ns);
    summary.hook_call_ns = 85;
    expect_text("devenv.exe (pid 1)  Solution1 - Microsoft Visual Studio\n"
                "1 freeze in 5.00 s: 300.2 ms.\n"
                "\n"
                "  Latency    p50 0.30   p90 0.60   p99 245   p99.9 295   max 295 ms\n"
                "             471 beats, 0 lost; raw probe, every 10 ms\n"
                "  Freezes    1 over 100 ms, 1 over 250 ms, 0 over 1 s\n"
                "             felt: not observed (--interactions)\n"
                "             0:01.200     300.2 ms  frozen   WM_LBUTTONUP @ Button\n"
                "  Time       responsive    94.0 %        4.70 s\n"
                "             frozen         6.0 %      300.2 ms\n"
                "  Own CPU    heartbeat 0.25 %, sender 0.16 %, monitor 0.62 %, overlay 12.8 %\n"
                "             85 ns for each hooked message\n");
}

/* Somebody felt a freeze if one of their inputs waited in it. */
Test(summary, says_which_freezes_were_felt)
{
    freezes.observes = true;
    write_text();
    cr_expect(strstr(printed, "over 1 s\n             felt: 0 of 1\n"), "%s", printed);
    freezes.felt = 1;
    freezes.list[0].held_up[UM_INTERACTION_KEY] = 4;
    freezes.list[0].held_up[UM_INTERACTION_WHEEL] = 1;
    write_text();
    cr_expect(strstr(printed, "felt: 1 of 1\n"), "%s", printed);
    cr_expect(strstr(printed, "@ Button\n               4 keys, 1 step of the wheel waited\n"),
              "%s", printed);
    write_json();
    cr_expect_eq(json_number(root, "freezes.felt"), 1);
    cr_expect_eq(json_number(root, "freeze_list.0.held_up.keys"), 4);
    cr_expect_eq(json_number(root, "freeze_list.0.held_up.clicks"), 0);
    cr_expect_eq(json_number(root, "freeze_list.0.held_up.wheel"), 1);
}

/* The keys that wait in a freeze are seen when it ends. */
Test(summary, does_not_know_whether_a_freeze_that_lasts_is_felt)
{
    freezes.observes = true;
    freezes.list[0].open = true;
    write_text();
    cr_expect(strstr(printed, "felt: not known of one that lasts\n"), "%s", printed);
    write_json();
    cr_expect_not(json_at(root, "freeze_list.0.held_up"));
    cr_expect_not(json_at(root, "freezes.felt"));
    cr_expect_eq(json_number(root, "freezes.felt_unknown"), 1);
    freezes.count = 2;
    write_text();
    cr_expect(strstr(printed, "felt: 0 of 1, not known of one that lasts\n"), "%s", printed);
}

/* Where keys are delivered only after a freeze, nobody knows whether it held them up. */
Test(summary, does_not_say_what_was_felt_if_no_arrival_was_observed)
{
    freezes.observes = true;
    freezes.list[0].unsure = true;
    freezes.unsure = 1;
    write_text();
    cr_expect(strstr(printed, "over 1 s\n             felt: not observed (when input came is not "
                              "known)\n"),
              "%s", printed);
    write_json();
    cr_expect_not(json_at(root, "freezes.felt"));
    cr_expect_eq(json_number(root, "freezes.felt_unknown"), 1);
    cr_expect_not(json_at(root, "freeze_list.0.held_up"));
}

Test(summary, says_what_was_felt_of_the_freezes_of_which_it_is_known)
{
    freezes.observes = true;
    freezes.count = 67;
    freezes.unsure = 24;
    freezes.felt = 2;
    write_text();
    cr_expect(strstr(printed, "felt: 2 of 43, not observed of 24\n"), "%s", printed);
    write_json();
    cr_expect_eq(json_number(root, "freezes.felt"), 2);
    cr_expect_eq(json_number(root, "freezes.felt_unknown"), 24);
    freezes.count = 25;
    freezes.felt = 0;
    freezes.list[0].open = true;
    write_text();
    cr_expect(strstr(printed, "felt: not observed (when input came is not known), not known of one "
                              "that lasts\n"),
              "%s", printed);
}

Test(summary, does_not_say_what_was_felt_without_having_observed_it)
{
    write_json();
    cr_expect_not(json_at(root, "freezes.felt"));
    cr_expect_not(json_at(root, "freeze_list.0.held_up"));
}

Test(summary, text_of_a_good_session_is_short)
{
    um_histogram_reset(&latency);
    um_histogram_record(&latency, 300000);
    freezes = (struct um_stats_freezes){.threshold_ns = 100 * MS};
    summary.title = NULL;
    memset(summary.totals.state_ns, 0, sizeof summary.totals.state_ns);
    summary.totals.duration_ns = UINT64_C(3723000) * MS;
    summary.totals.state_ns[UM_STATE_RESPONSIVE] = summary.totals.duration_ns - 3 * MS;
    summary.totals.state_ns[UM_STATE_SLOW] = 3 * MS;
    expect_text("devenv.exe (pid 1)\n"
                "No freeze of 100 ms or more in 1 h 02 min.\n"
                "\n"
                "  Latency    p50 0.30   p90 0.30   p99 0.30   p99.9 0.30   max 0.30 ms\n"
                "             471 beats, 0 lost; raw probe, every 10 ms\n"
                "  Time       responsive  > 99.9 %    1 h 02 min\n"
                "             slow         < 0.1 %        3.0 ms\n");
}

Test(summary, text_does_not_claim_more_than_the_windows_thread)
{
    summary.toolkit = "Chromium";
    expect_not_in_text("responsive");
    expect_in_text("1 freeze in 5.00 s: 300.2 ms.\n"
                   "Beats measure the window's thread; a Chromium program's own "
                   "code runs elsewhere.\n");
    expect_in_text("  Time       window thread    94.0 %        4.70 s\n"
                   "             frozen            6.0 %      300.2 ms\n");
}

Test(summary, text_says_how_much_was_not_measured)
{
    freezes.count = 0;
    freezes.len = 0;
    summary.totals.state_ns[UM_STATE_RESPONSIVE] = 4000 * MS;
    summary.totals.state_ns[UM_STATE_FROZEN] = 0;
    summary.totals.state_ns[UM_STATE_BLIND] = 1000 * MS;
    expect_not_in_text("unknown");
    expect_in_text("No freeze of 100 ms or more in 5.00 s.\n"
                   "1.00 s of that time could not be measured.\n");
    summary.totals.state_ns[UM_STATE_RESPONSIVE] = 3970 * MS;
    summary.totals.state_ns[UM_STATE_UNKNOWN] = 30 * MS;
    expect_in_text("1.03 s of that time could not be measured.\n");
    expect_in_text("  Time       responsive    79.4 %        3.97 s\n"
                   "             blind         20.0 %        1.00 s\n"
                   "             unknown        0.6 %       30.0 ms\n");
}

/* A pause is uimon's own choice, and no fault of the measurement. */
Test(summary, text_says_that_it_paused_and_what_keeps_it_from_pausing)
{
    freezes.count = 0;
    freezes.len = 0;
    summary.totals.duration_ns = 300000 * MS;
    summary.totals.state_ns[UM_STATE_RESPONSIVE] = 119000 * MS;
    summary.totals.state_ns[UM_STATE_FROZEN] = 0;
    summary.totals.state_ns[UM_STATE_BLIND] = 1000 * MS;
    summary.totals.state_ns[UM_STATE_IDLE] = 180000 * MS;
    expect_in_text("No freeze of 100 ms or more in 5 min 00 s.\n"
                   "For 3 min 00 s of that time uimon paused, because there was no input;\n"
                   "--idle-pause never keeps it from pausing.\n"
                   "1.00 s of that time could not be measured.\n");
    summary.beats.background_us = UM_WIRE_PACE_NEVER;
    expect_in_text("3 min 00 s of that time uimon paused, because another program was in\n"
                   "front (--background pause), or there was no input (--idle-pause).\n");
}

Test(summary, text_tells_of_typing)
{
    typed(true);
    expect_in_text(
        "  Typing     20 keys, 2 in freezes, from arrival to painted\n"
        "             p50 100   p75 160   p90 180   p98 200   max 200 ms\n"
        "  p50/p98    input delay 10.0/20.0, processing 50.0/100, presentation 40.0/80.0\n");
}

static void expect_parts_of(uint64_t delay_ns, uint64_t processing_ns, uint64_t presentation_ns,
                            const char *part)
{
    struct um_stats_config config = {START, 10 * MS, 100 * MS};
    struct um_wire_frame frame = {.type = UM_WIRE_INTERACTION};
    um_stats_close(stats);
    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
    frame.as.interaction.arrival_ns = START;
    frame.as.interaction.dequeued_ns = START + delay_ns;
    frame.as.interaction.handled_ns = START + delay_ns + processing_ns;
    frame.as.interaction.painted_ns = START + delay_ns + processing_ns + presentation_ns;
    um_stats_frame(stats, &frame);
    summary.interactions = um_stats_interactions(stats);
    expect_in_text(part);
    for (const char *at = printed, *end; (end = strchr(at, '\n')); at = end + 1)
        cr_expect_leq(end - at, 80, "%.*s", (int)(end - at), at);
}

Test(summary, text_of_parts_is_whole_however_large_they_are)
{
    expect_parts_of(1234 * MS, 2345 * MS, 3456 * MS,
                    "  p50/p98    input delay 1234/1234, processing 2345/2345, "
                    "presentation 3456/3456\n");
    expect_parts_of(123456 * MS, 234567 * MS, 345678 * MS,
                    "  p50/p98    input delay 123456/123456, processing 234567/234567,\n"
                    "             presentation 345678/345678\n");
}

Test(summary, text_of_typing_ends_at_handled_where_paint_was_not_observed)
{
    typed(false);
    expect_in_text("  Typing     20 keys, 2 in freezes, from arrival to handled\n"
                   "             p50 60.0   p75 90.0   p90 108   p98 120   max 120 ms\n"
                   "  p50/p98    input delay 10.0/20.0, processing 50.0/100\n");
}

/* What is measured from the arrival says the same as the status line and the page: the keys that
 * were not seen to arrive have neither number. */
Test(summary, text_of_typing_is_of_the_keys_that_were_seen_to_arrive)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_INTERACTION,
        .as.interaction = {.dequeued_ns = START + 30000 * MS, .handled_ns = START + 30006 * MS}};
    typed(true);
    for (int i = 0; i < 5; i++)
        um_stats_frame(stats, &frame);
    expect_in_text("  Typing     25 keys, 2 in freezes, from arrival to painted\n"
                   "             p50 100   p75 160   p90 180   p98 200   max 200 ms\n");
}

Test(summary, text_says_that_nothing_was_measured)
{
    um_histogram_reset(&latency);
    summary.freezes = NULL;
    summary.totals.beats_sent = 0;
    expect_in_text("\nNothing was measured in 5.00 s.\n");
    expect_not_in_text("p50");
}

Test(summary, text_lists_the_longest_freezes_first)
{
    static const unsigned lengths_ms[12] = {110, 900, 120, 2500, 900, 130,
                                            140, 101, 900, 150,  160, 60000};
    static const char *const order[] = {" 1 min 00 s",           " 2.50 s",
                                        "0:02.000     900.0 ms", "0:05.000     900.0 ms",
                                        "0:09.000     900.0 ms", "and 10 more"};
    for (size_t i = 0; i < 12; i++) {
        list[i] = list[0];
        list[i].start_ns = START + (i + 1) * 1000 * MS;
        list[i].duration_ns = lengths_ms[i] * MS;
    }
    freezes.len = 12;
    freezes.dropped = 3;
    freezes.count = 15;
    write_text();
    const char *at = printed;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        at = strstr(at, order[i]);
        cr_assert_not_null(at, "%s is not in its place in\n%s", order[i], printed);
    }
}

Test(summary, text_fits_into_80_columns)
{
    typed(true);
    char title[600];
    memset(title, 'x', sizeof title);
    title[599] = '\0';
    summary.title = title;
    summary.toolkit = title;
    summary.pid = UINT32_MAX;
    summary.start_ns = START + UINT64_C(90000000) * MS; /* freezes from 25 h before the start */
    summary.totals.duration_ns = UINT64_C(90000000) * MS;
    summary.probe = "mouse";
    summary.totals.beats_sent = summary.totals.beats_lost = summary.totals.beats_rested =
        UINT32_MAX;
    summary.beats.rest_us = 1000000;
    summary.totals.dropped = UINT64_MAX;
    for (int i = 0; i < UM_STATE_COUNT; i++)
        summary.totals.state_ns[i] = UINT64_C(8999999) * MS;
    um_histogram_record(&latency, summary.totals.duration_ns);
    um_histogram_record_corrected(&latency, summary.totals.duration_ns, MS);
    freezes.count = freezes.over_100 = freezes.over_250 = freezes.over_1000 = UINT32_MAX;
    freezes.total_ns = freezes.longest_ns = UINT64_C(8999999) * MS;
    list[0].uncertainty_ns = 997 * MS;
    list[0].open = true;
    list[0].duration_ns = UINT64_C(89999999) * MS;
    memset(list[0].window_class, 'W', sizeof list[0].window_class - 1);
    for (size_t i = 0; i < UM_SUMMARY_CPUS; i++)
        summary.cpu_ns[i] = UINT64_C(90000000) * MS;
    summary.hook_call_ns = 1000000;
    struct um_wire_frame slow = {.type = UM_WIRE_INTERACTION};
    for (uint8_t i = 0; i < UM_INTERACTION_COUNT; i++) {
        slow.as.interaction = (struct um_wire_interaction){.arrival_ns = START,
                                                           .dequeued_ns = START + 3000000 * MS,
                                                           .handled_ns = START + 6000000 * MS,
                                                           .painted_ns = START + 9000000 * MS,
                                                           .freeze = 5,
                                                           .kind = i};
        um_stats_frame(stats, &slow);
    }
    static struct um_stats_stacks stacks = {
        .sampling = {.samples = UINT32_MAX,
                     .over_2ms = UINT32_MAX,
                     .total_ns = UINT64_MAX,
                     .p50_ns = UINT64_C(8999999) * MS,
                     .max_ns = UINT64_C(8999999) * MS,
                     .interval_ns = UINT64_C(8999999) * MS},
        .len = 1,
        .list = {{.stack = {.freeze = 6,
                            .samples = UINT16_MAX,
                            .alike = UINT16_MAX,
                            .interval_us = UINT32_MAX,
                            .sampled_us = UINT32_MAX,
                            .user_us = UINT32_MAX,
                            .kernel_us = UINT32_MAX,
                            .yours = UINT16_MAX,
                            .known = UM_WIRE_STACK_CPU | UM_WIRE_STACK_MINE,
                            .call = "NtWaitForAlertByThreadId",
                            .whose = "yours 33 to 71 %"}}}};
    for (int i = 0; i < 3; i++)
        snprintf(stacks.list[0].stack.frames[i], sizeof stacks.list[0].stack.frames[i],
                 "Shop::%.40s::%.40s", title, title);
    list[0].id = 6;
    summary.stacks = &stacks;
    write_text();
    for (char *line = strtok(printed, "\n"); line; line = strtok(NULL, "\n"))
        cr_expect_leq(um_utf8_columns(line), 80, "%s", line);
}

Test(summary, text_cannot_command_the_terminal)
{
    summary.title = "\x1b[2J\x07 title";
    summary.name = "a\x1b.exe";
    strcpy(list[0].window_class, "\x1b]0;x");
    list[0].message = 0xc02c;
    strcpy(list[0].message_name, "\x1b[2J\x07");
    write_text();
    cr_expect_null(strchr(printed, '\x1b'));
    cr_expect_null(strchr(printed, '\x07'));
}

Test(summary, text_says_when_the_stream_failed)
{
    FILE *full = fopen("/dev/full", "w");
    cr_assert_not_null(full);
    cr_expect_eq(um_summary_text_write(full, &summary), UM_ERR_IO);
    fclose(full);
}
