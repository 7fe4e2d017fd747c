#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/base/utf8.h"
#include "monitor/stats/summary.h"

#define MS UINT64_C(1000000)
#define START (UINT64_C(7000) * MS)

static uint64_t counts[UM_HISTOGRAM_LATENCY_COUNTS];
static struct um_histogram latency;
static struct um_stats_freeze list[12];
static struct um_stats_freezes freezes;
static struct um_summary summary;

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
                                  .duration_ns = 5000 * MS,
                                  .probe = "raw",
                                  .period_us = 10000,
                                  .beats_sent = 471,
                                  .beats_seen = 471,
                                  .latency = &latency,
                                  .freezes = &freezes};
    summary.state_ns[UM_STATE_RESPONSIVE] = 4699800000;
    summary.state_ns[UM_STATE_FROZEN] = 300200000;
}

TestSuite(summary, .init = setup);

static cJSON *parse_summary(void)
{
    char *text = NULL;
    cr_assert_eq(um_summary_json(&summary, &text), UM_OK);
    cJSON *root = cJSON_Parse(text);
    cr_assert_not_null(root, "%s", text);
    cJSON_free(text);
    return root;
}

static char *read_golden(const char *name)
{
    char path[512];
    static char text[16384];
    snprintf(path, sizeof path, UM_SOURCE_DIR "/tests/golden/%s", name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static double number(const cJSON *root, const char *object, const char *name)
{
    const cJSON *item =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, object), name);
    cr_assert(cJSON_IsNumber(item), "%s.%s", object, name);
    return item->valuedouble;
}

static bool has(const cJSON *root, const char *object, const char *name)
{
    return cJSON_HasObjectItem(cJSON_GetObjectItemCaseSensitive(root, object), name);
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
    cJSON *want = cJSON_Parse(read_golden("summary.json"));
    cJSON *got = parse_summary();
    cr_assert_not_null(want);
    expect_contains(got, want, "summary", 0.0);
    cr_expect_str_eq(cJSON_GetObjectItem(got, "uimon")->valuestring, UM_VERSION);
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(got, "freeze_list")), 1);
    cJSON_Delete(want);
    cJSON_Delete(got);
}

Test(summary, json_says_where_the_clock_began)
{
    char *text = NULL;
    summary.start_ns = UINT64_C(9007199254740993); /* 2^53 + 1: no double has it */
    cr_assert_eq(um_summary_json(&summary, &text), UM_OK);
    cr_expect_not_null(strstr(text, "\"clock_start_ns\":\t9007199254740993"));
    cJSON_free(text);
}

static char *write_text(void)
{
    char *text = NULL;
    size_t len = 0;
    FILE *file = open_memstream(&text, &len);
    cr_assert_eq(um_summary_write_text(file, &summary), UM_OK);
    fclose(file);
    return text;
}

Test(summary, says_what_the_beats_were)
{
    cJSON *root = parse_summary();
    cr_expect_not(cJSON_HasObjectItem(root, "beat"));
    cJSON_Delete(root);
    summary.beat = "pair";
    root = parse_summary();
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(root, "beat")), "pair");
    cJSON_Delete(root);
    char *text = write_text();
    cr_expect(strstr(text, "471 beats, 0 lost; raw probe, pair beats, every 10 ms\n"), "%s", text);
    cr_expect(!strstr(text, "at rest"), "%s", text);
    cr_expect(!strstr(text, "integrity"), "%s", text);
    free(text);
}

Test(summary, says_how_many_beats_were_left_out_at_rest)
{
    cJSON *root = parse_summary();
    cr_expect_not(cJSON_HasObjectItem(root, "rest_heartbeat_ms"));
    cr_expect_not(has(root, "beats", "rested"));
    cJSON_Delete(root);
    summary.rest_us = 100000;
    summary.beats_rested = 2611;
    root = parse_summary();
    cr_expect_eq(cJSON_GetObjectItem(root, "rest_heartbeat_ms")->valuedouble, 100);
    cr_expect(has(root, "beats", "rested"));
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(root, "background")), "full");
    cJSON_Delete(root);
    char *text = write_text();
    cr_expect(
        strstr(text, "             2611 more left out at rest, where one is sent every 100 ms\n"),
        "%s", text);
    free(text);
}

static void check_background(uint32_t background_us, const char *name)
{
    summary.rest_us = 100000;
    summary.background_us = background_us;
    cJSON *root = parse_summary();
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(root, "background")), name);
    cJSON_Delete(root);
}

Test(summary, names_what_was_measured_behind_other_programs)
{
    check_background(0, "full");
    check_background(100000, "rest");
    check_background(UM_WIRE_PACE_NEVER, "pause");
}

Test(summary, says_that_keys_were_delayed_on_purpose)
{
    cJSON *root = parse_summary();
    cr_expect_not(cJSON_HasObjectItem(root, "key_delay_us"));
    cJSON_Delete(root);
    char *text = write_text();
    cr_expect(!strstr(text, "PROVING"), "%s", text);
    free(text);
    summary.key_delay_us = 312;
    root = parse_summary();
    cr_expect_eq(cJSON_GetObjectItem(root, "key_delay_us")->valuedouble, 312);
    cJSON_Delete(root);
    text = write_text();
    cr_expect(strstr(text, "PROVING: each key was delayed by 312 µs on purpose.\n"), "%s", text);
    free(text);
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
    cJSON *root = parse_summary();
    const cJSON *freeze = cJSON_GetObjectItem(root, "freeze_list")->child;
    cr_expect_not(cJSON_HasObjectItem(freeze, "stack"));
    cr_expect_not(cJSON_HasObjectItem(root, "sampling"));
    cJSON_Delete(root);
    list[0].id = 6;
    summary.stacks = &stacks;
    root = parse_summary();
    freeze = cJSON_GetObjectItem(root, "freeze_list")->child;
    const cJSON *stack = cJSON_GetObjectItem(freeze, "stack");
    cr_assert_eq(cJSON_GetArraySize(stack), 3);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetArrayItem(stack, 1)), "a.dll+0x345");
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(freeze, "stack_stopped")),
                     "the unwind data is damaged");
    cr_expect_eq(cJSON_GetObjectItem(freeze, "samples")->valuedouble, 24);
    cr_expect_eq(cJSON_GetObjectItem(freeze, "samples_alike")->valuedouble, 20);
    cr_expect_eq(cJSON_GetObjectItem(freeze, "sample_interval_ms")->valuedouble, 10.5);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(freeze, "call")),
                     "NtWaitForSingleObject");
    cr_expect_eq(cJSON_GetObjectItem(freeze, "sampled_ms")->valuedouble, 241.5);
    cr_expect_eq(cJSON_GetObjectItem(freeze, "cpu_kernel_ms")->valuedouble, 15.625);
    cr_expect_eq(cJSON_GetObjectItem(freeze, "samples_yours")->valuedouble, 12);
    cr_expect_eq(number(root, "sampling", "samples"), 25);
    cr_expect_eq(number(root, "sampling", "over_2ms"), 1);
    cJSON_Delete(root);
    char *text = write_text();
    cr_expect(strstr(text, "  20 of 24 in a.dll+0x12 ← +0x345 ← b.exe+0x6\n"), "%s", text);
    cr_expect(strstr(text, "   waiting 87 % in NtWaitForSingleObject; yours 33 to 71 %\n"), "%s",
              text);
    cr_expect(strstr(text, "  Sampling   25 stacks, one each 10.5 ms\n"
                           "             suspended p50 0.30   max 2.10 ms, 1 over 2 ms\n"),
              "%s", text);
    free(text);
    strcpy(stacks.list[0].stack.frames[0], "Shop::Goods::Basket::add_up");
    text = write_text();
    cr_expect(strstr(text, "  20 of 24 in Basket::add_up ← a.dll+0x345 ← b.exe+0x6\n"), "%s", text);
    free(text);
    stacks.list[0].stack.frames[0][0] = '\0';
    text = write_text();
    cr_expect(strstr(text, "  24 samples, most of them in no place in common\n"), "%s", text);
    free(text);
}

Test(summary, names_a_higher_integrity_level)
{
    cJSON *root = parse_summary();
    cr_expect_not(cJSON_HasObjectItem(root, "blind_reason"));
    cJSON_Delete(root);
    summary.shielded = true;
    root = parse_summary();
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(root, "blind_reason")), "integrity");
    cJSON_Delete(root);
    char *text = write_text();
    cr_expect(strstr(text, "blind while a program of a higher integrity level was in front\n"),
              "%s", text);
    free(text);
}

Test(summary, names_the_pointer_as_the_reason_for_being_blind)
{
    summary.held[UM_PROBE_HELD_BUTTON] = true;
    summary.held[UM_PROBE_HELD_POINTER] = true;
    cJSON *root = parse_summary();
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(root, "blind_reason")), "pointer");
    cJSON_Delete(root);
    char *text = write_text();
    cr_expect(strstr(text, "blind while the pointer was hidden"), "%s", text);
    cr_expect(strstr(text, "blind while a mouse button was down"), "%s", text);
    free(text);
}

Test(summary, names_a_button_as_the_reason_for_being_blind)
{
    summary.held[UM_PROBE_HELD_BUTTON] = true;
    cJSON *root = parse_summary();
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(root, "blind_reason")), "button");
    cJSON_Delete(root);
    char *text = write_text();
    cr_expect(strstr(text, "blind while a mouse button was down"), "%s", text);
    free(text);
}

Test(summary, json_leaves_out_what_was_not_measured)
{
    um_histogram_reset(&latency);
    freezes.len = 0;
    summary.probe = NULL;
    summary.bits = 0;
    cJSON *root = parse_summary();
    cr_expect_eq(number(root, "latency_ms", "count"), 0);
    static const char *const absent[] = {"mean", "p50", "p90", "p99", "p999", "max"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        cr_expect_not(has(root, "latency_ms", absent[i]), "%s", absent[i]);
    cr_expect_not(cJSON_HasObjectItem(root, "probe"));
    cr_expect_not(has(root, "target", "bits"));
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "cost")), 0);
    cJSON_Delete(root);
}

Test(summary, json_says_that_the_windows_thread_alone_was_measured)
{
    cJSON *root = parse_summary();
    cr_expect_not(cJSON_HasObjectItem(root, "stage"));
    cr_expect_not(has(root, "target", "toolkit"));
    cJSON_Delete(root);
    summary.toolkit = "Java";
    root = parse_summary();
    cr_expect_str_eq(cJSON_GetObjectItem(root, "stage")->valuestring, "window");
    cr_expect(has(root, "target", "toolkit"));
    cr_expect(has(root, "state_ms", "responsive"), "the fields keep their names");
    cJSON_Delete(root);
}

Test(summary, json_does_without_histogram_and_freezes)
{
    summary.latency = NULL;
    summary.freezes = NULL;
    cJSON *root = parse_summary();
    cr_expect_eq(number(root, "latency_ms", "count"), 0);
    cr_expect_eq(number(root, "freezes", "count"), 0);
    cr_expect(cJSON_IsArray(cJSON_GetObjectItem(root, "freeze_list")));
    cJSON_Delete(root);
}

Test(summary, json_states_add_up_to_the_duration)
{
    uint64_t x = 3;
    for (int round = 0; round < 200; round++) {
        long long sum_us = 0;
        summary.duration_ns = 0;
        for (int i = 0; i < UM_STATE_COUNT; i++) {
            x = x * UINT64_C(6364136223846793005) + 1;
            summary.state_ns[i] = round % 3 == 0 && i % 2 == 0 ? 0 : x >> 31;
            summary.duration_ns += summary.state_ns[i];
        }
        cJSON *root = parse_summary();
        const cJSON *state;
        cJSON_ArrayForEach(state, cJSON_GetObjectItem(root, "state_ms"))
        {
            sum_us += llround(state->valuedouble * 1000.0);
        }
        double duration_ms = cJSON_GetObjectItem(root, "duration_ms")->valuedouble;
        cr_expect_eq(sum_us, llround(duration_ms * 1000.0));
        cJSON_Delete(root);
    }
}

Test(summary, json_percentiles_do_not_exceed_the_maximum)
{
    um_histogram_reset(&latency);
    um_histogram_record(&latency, 295 * MS);
    cJSON *root = parse_summary();
    cr_expect_eq(number(root, "latency_ms", "p50"), 295.0);
    cr_expect_eq(number(root, "latency_ms", "max"), 295.0);
    cJSON_Delete(root);
}

Test(summary, json_shows_a_freeze_that_was_open_and_without_suspect)
{
    list[0].has_message = false;
    list[0].open = true;
    list[0].start_ns = START - 20 * MS;
    list[0].uncertainty_ns = 5 * MS;
    freezes.dropped = 3;
    cJSON *root = parse_summary();
    const cJSON *freeze = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "freeze_list"), 0);
    cr_expect_eq(cJSON_GetObjectItem(freeze, "start_ms")->valuedouble, -20.0);
    cr_expect_eq(cJSON_GetObjectItem(freeze, "start_uncertainty_ms")->valuedouble, 5.0);
    cr_expect(cJSON_IsTrue(cJSON_GetObjectItem(freeze, "open")));
    cr_expect_not(cJSON_HasObjectItem(freeze, "message"));
    cr_expect_not(cJSON_HasObjectItem(freeze, "window_class"));
    cr_expect_eq(number(root, "freezes", "unlisted"), 3);
    cJSON_Delete(root);
}

/* A recording may be damaged, or made up. */
Test(summary, cost_that_cannot_be_is_not_measured)
{
    struct um_wire_session session = {.start_ns = 1};
    struct um_wire_totals totals = {.duration_ns = UINT64_C(1000000000)};
    struct um_stats_config config = {START, 10 * MS, 100 * MS};
    struct um_stats *stats;
    struct um_summary filled;

    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
    totals.heartbeat_cpu_ns = UINT64_MAX;
    totals.sender_cpu_ns = totals.duration_ns * 65;
    totals.monitor_cpu_ns = totals.duration_ns * 2; /* two processors */
    um_summary_fill(&filled, &session, &totals, stats);
    cr_expect(!filled.cost.heartbeat.measured && !filled.cost.sender.measured);
    cr_expect(filled.cost.monitor.measured && filled.cost.monitor.ns == totals.monitor_cpu_ns);
    um_stats_close(stats);
}

Test(summary, json_reports_its_own_cost)
{
    summary.cost.heartbeat = (struct um_summary_figure){true, 12345678};
    summary.cost.overlay = (struct um_summary_figure){true, 0};
    summary.cost.hook_call = (struct um_summary_figure){true, 85};
    cJSON *root = parse_summary();
    cr_expect_eq(number(root, "cost", "heartbeat_cpu_ms"), 12.346);
    cr_expect_eq(number(root, "cost", "overlay_cpu_ms"), 0.0);
    cr_expect_eq(number(root, "cost", "hook_call_ns"), 85);
    cr_expect_not(has(root, "cost", "sender_cpu_ms"));
    cr_expect_not(has(root, "cost", "monitor_cpu_ms"));
    cJSON_Delete(root);
}

Test(summary, json_is_utf8_whatever_the_title)
{
    char *text = NULL;
    summary.title = "caf\xc3\xa9 \xff\xc3 \"quoted\"\n";
    cr_assert_eq(um_summary_json(&summary, &text), UM_OK);
    cr_expect(um_utf8_valid(text, strlen(text)));
    cJSON *root = cJSON_Parse(text);
    cr_assert_not_null(root);
    cr_expect_not_null(strstr(text, "caf\xc3\xa9"));
    cJSON_Delete(root);
    cJSON_free(text);
}

static void expect_started(int64_t utc_ms, const char *text)
{
    summary.utc_ms = utc_ms;
    cJSON *root = parse_summary();
    cr_expect_str_eq(cJSON_GetObjectItem(root, "started")->valuestring, text);
    cJSON_Delete(root);
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
static struct um_stats *typed(bool painted)
{
    struct um_stats_config config = {START, 10 * MS, 100 * MS};
    struct um_stats *stats;
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
    return stats;
}

static double part_number(const cJSON *root, const char *part, const char *name)
{
    const cJSON *key = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "interactions"), "key");
    return number(key, part, name);
}

Test(summary, json_has_each_part_of_each_kind_of_interaction)
{
    struct um_stats *stats = typed(true);
    cJSON *root = parse_summary();
    const cJSON *kinds = cJSON_GetObjectItem(root, "interactions");
    cr_expect_eq(cJSON_GetArraySize(kinds), 1, "there were neither clicks nor wheel steps");
    cr_expect_eq(number(kinds, "key", "count"), 20);
    cr_expect_eq(number(kinds, "key", "painted"), 10);
    cr_expect_eq(number(kinds, "key", "in_freezes"), 2);
    cr_expect_eq(part_number(root, "input_delay_ms", "count"), 20);
    cr_expect_float_eq(part_number(root, "input_delay_ms", "p50"), 10, 0.01);
    cr_expect_float_eq(part_number(root, "input_delay_ms", "p75"), 15, 0.02);
    cr_expect_float_eq(part_number(root, "input_delay_ms", "p90"), 18, 0.02);
    cr_expect_float_eq(part_number(root, "input_delay_ms", "p98"), 20, 0.02);
    cr_expect_eq(part_number(root, "input_delay_ms", "max"), 20);
    cr_expect_eq(part_number(root, "processing_ms", "max"), 100);
    cr_expect_eq(part_number(root, "presentation_ms", "count"), 10);
    cr_expect_eq(part_number(root, "presentation_ms", "max"), 80);
    cr_expect_eq(part_number(root, "total_ms", "count"), 10);
    cr_expect_eq(part_number(root, "total_ms", "max"), 200);
    cr_expect_eq(part_number(root, "to_handled_ms", "max"), 120);
    cJSON_Delete(root);
    um_stats_close(stats);
}

Test(summary, json_lists_the_worst_interactions)
{
    struct um_stats *stats = typed(true);
    cJSON *root = parse_summary();
    const cJSON *worst = cJSON_GetObjectItem(root, "worst_interactions");
    cr_assert_eq(cJSON_GetArraySize(worst), 10);
    const cJSON *first = cJSON_GetArrayItem(worst, 0);
    cr_expect_str_eq(cJSON_GetObjectItem(first, "kind")->valuestring, "key");
    cr_expect_eq(cJSON_GetObjectItem(first, "at_ms")->valuedouble, 20000);
    cr_expect_eq(cJSON_GetObjectItem(first, "input_delay_ms")->valuedouble, 20);
    cr_expect_eq(cJSON_GetObjectItem(first, "processing_ms")->valuedouble, 100);
    cr_expect_eq(cJSON_GetObjectItem(first, "presentation_ms")->valuedouble, 80);
    cr_expect_eq(cJSON_GetObjectItem(first, "total_ms")->valuedouble, 200);
    cr_expect_eq(cJSON_GetObjectItem(first, "freeze")->valuedouble, 0, "its place in the list");
    cr_expect_not(cJSON_HasObjectItem(first, "key"), "it was not kept");
    const cJSON *second = cJSON_GetArrayItem(worst, 1);
    cr_expect_eq(cJSON_GetObjectItem(second, "at_ms")->valuedouble, 18000);
    cr_expect_not(cJSON_HasObjectItem(second, "freeze"));
    cJSON_Delete(root);
    um_stats_close(stats);
}

Test(summary, json_leaves_out_what_was_not_observed_of_interactions)
{
    cJSON *root = parse_summary();
    cr_expect_not(cJSON_HasObjectItem(root, "interactions"), "none were asked for");
    cr_expect_not(cJSON_HasObjectItem(root, "worst_interactions"));
    cJSON_Delete(root);
    struct um_stats *stats = typed(false);
    root = parse_summary();
    const cJSON *key = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "interactions"), "key");
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "worst_interactions"), 0);
    cr_expect_eq(number(key, "processing_ms", "count"), 20);
    cr_expect_not(cJSON_HasObjectItem(key, "presentation_ms"));
    cr_expect_not(cJSON_HasObjectItem(key, "total_ms"));
    cr_expect_not(cJSON_HasObjectItem(first, "presentation_ms"));
    cr_expect_not(cJSON_HasObjectItem(first, "total_ms"));
    cJSON_Delete(root);
    um_stats_close(stats);
}

/* From here on: the text. */

static void expect_text(const char *want)
{
    char *text = write_text();
    cr_expect_str_eq(text, want);
    free(text);
}

Test(summary, text_tells_of_a_freeze)
{
    summary.title = "Solution1 - Microsoft Visual Studio";
    summary.cost = (struct um_summary_cost){.heartbeat = {true, 12500000},
                                            .sender = {true, 8000000},
                                            .monitor = {true, 31000000},
                                            .overlay = {true, 640000000},
                                            .hook_call = {true, 85}};
    expect_text("devenv.exe (pid 1)  Solution1 - Microsoft Visual Studio\n"
                "1 freeze in 5.00 s: 300.2 ms.\n"
                "\n"
                "  Latency    p50 0.30   p90 0.60   p99 245   p99.9 295   max 295 ms\n"
                "             471 beats, 0 lost; raw probe, every 10 ms\n"
                "  Freezes    1 over 100 ms, 1 over 250 ms, 0 over 1 s\n"
                "             0:01.200     300.2 ms  frozen   WM_LBUTTONUP @ Button\n"
                "  Time       responsive    94.0 %        4.70 s\n"
                "             frozen         6.0 %      300.2 ms\n"
                "  Own CPU    heartbeat 0.25 %, sender 0.16 %, monitor 0.62 %, overlay 12.8 %\n"
                "             85 ns for each hooked message\n");
}

Test(summary, text_of_a_good_session_is_short)
{
    um_histogram_reset(&latency);
    um_histogram_record(&latency, 300000);
    freezes = (struct um_stats_freezes){.threshold_ns = 100 * MS};
    summary.title = NULL;
    memset(summary.state_ns, 0, sizeof summary.state_ns);
    summary.duration_ns = UINT64_C(3723000) * MS;
    summary.state_ns[UM_STATE_RESPONSIVE] = summary.duration_ns - 3 * MS;
    summary.state_ns[UM_STATE_SLOW] = 3 * MS;
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
    char *text = write_text();
    cr_expect_null(strstr(text, "responsive"), "%s", text);
    cr_expect_not_null(strstr(text, "1 freeze in 5.00 s: 300.2 ms.\n"
                                    "Beats measure the window's thread; a Chromium program's own "
                                    "code runs elsewhere.\n"),
                       "%s", text);
    cr_expect_not_null(strstr(text, "  Time       window thread    94.0 %        4.70 s\n"
                                    "             frozen            6.0 %      300.2 ms\n"),
                       "%s", text);
    free(text);
}

Test(summary, text_says_how_much_was_not_measured)
{
    freezes.count = 0;
    freezes.len = 0;
    summary.state_ns[UM_STATE_RESPONSIVE] = 4000 * MS;
    summary.state_ns[UM_STATE_FROZEN] = 0;
    summary.state_ns[UM_STATE_BLIND] = 1000 * MS;
    char *text = write_text();
    cr_expect_not_null(strstr(text, "No freeze of 100 ms or more in 5.00 s.\n"
                                    "1.00 s of that time could not be measured.\n"),
                       "%s", text);
    free(text);
}

/* A pause is uimon's own choice, and no fault of the measurement. */
Test(summary, text_says_that_it_paused_and_what_keeps_it_from_pausing)
{
    freezes.count = 0;
    freezes.len = 0;
    summary.duration_ns = 300000 * MS;
    summary.state_ns[UM_STATE_RESPONSIVE] = 119000 * MS;
    summary.state_ns[UM_STATE_FROZEN] = 0;
    summary.state_ns[UM_STATE_BLIND] = 1000 * MS;
    summary.state_ns[UM_STATE_IDLE] = 180000 * MS;
    char *text = write_text();
    cr_expect_not_null(
        strstr(text, "No freeze of 100 ms or more in 5 min 00 s.\n"
                     "For 3 min 00 s of that time uimon paused, because there was no input;\n"
                     "--idle-pause never keeps it from pausing.\n"
                     "1.00 s of that time could not be measured.\n"),
        "%s", text);
    free(text);
    summary.background_us = UM_WIRE_PACE_NEVER;
    text = write_text();
    cr_expect(strstr(text, "3 min 00 s of that time uimon paused, because another program was in\n"
                           "front (--background pause), or there was no input (--idle-pause).\n"),
              "%s", text);
    free(text);
}

Test(summary, text_tells_of_typing)
{
    struct um_stats *stats = typed(true);
    char *text = write_text();
    cr_expect_not_null(
        strstr(text,
               "  Typing     20 keys, 2 in freezes, from arrival to painted\n"
               "             p50 100   p75 160   p90 180   p98 200   max 200 ms\n"
               "  p50/p98    input delay 10.0/20.0, processing 50.0/100, presentation 40.0/80.0\n"),
        "%s", text);
    free(text);
    um_stats_close(stats);
}

static void expect_narrow(const char *text)
{
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        cr_expect(end - text <= 80, "%.*s", (int)(end - text), text);
}

static char *write_parts_of(uint64_t delay_ns, uint64_t processing_ns, uint64_t presentation_ns)
{
    struct um_stats_config config = {START, 10 * MS, 100 * MS};
    struct um_wire_frame frame = {.type = UM_WIRE_INTERACTION};
    struct um_stats *stats;
    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
    frame.as.interaction.arrival_ns = START;
    frame.as.interaction.dequeued_ns = START + delay_ns;
    frame.as.interaction.handled_ns = START + delay_ns + processing_ns;
    frame.as.interaction.painted_ns = START + delay_ns + processing_ns + presentation_ns;
    um_stats_frame(stats, &frame);
    summary.interactions = um_stats_interactions(stats);
    char *text = write_text();
    expect_narrow(text);
    um_stats_close(stats);
    return text;
}

Test(summary, text_of_parts_is_whole_however_large_they_are)
{
    char *text = write_parts_of(1234 * MS, 2345 * MS, 3456 * MS);
    cr_expect_not_null(strstr(text, "  p50/p98    input delay 1234/1234, processing 2345/2345, "
                                    "presentation 3456/3456\n"),
                       "%s", text);
    free(text);
    text = write_parts_of(123456 * MS, 234567 * MS, 345678 * MS);
    cr_expect_not_null(strstr(text,
                              "  p50/p98    input delay 123456/123456, processing 234567/234567,\n"
                              "             presentation 345678/345678\n"),
                       "%s", text);
    free(text);
}

Test(summary, text_of_typing_ends_at_handled_where_paint_was_not_observed)
{
    struct um_stats *stats = typed(false);
    char *text = write_text();
    cr_expect_not_null(strstr(text,
                              "  Typing     20 keys, 2 in freezes, from arrival to handled\n"
                              "             p50 60.0   p75 90.0   p90 108   p98 120   max 120 ms\n"
                              "  p50/p98    input delay 10.0/20.0, processing 50.0/100\n"),
                       "%s", text);
    free(text);
    um_stats_close(stats);
}

Test(summary, text_says_that_nothing_was_measured)
{
    um_histogram_reset(&latency);
    summary.freezes = NULL;
    summary.beats_sent = 0;
    char *text = write_text();
    cr_expect_not_null(strstr(text, "\nNothing was measured in 5.00 s.\n"));
    cr_expect_null(strstr(text, "p50"));
    free(text);
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
    char *text = write_text();
    const char *at = text;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        at = strstr(at, order[i]);
        cr_assert_not_null(at, "%s is not in its place in\n%s", order[i], text);
    }
    free(text);
}

Test(summary, text_fits_into_80_columns)
{
    struct um_stats *stats = typed(true);
    char title[600];
    memset(title, 'x', sizeof title);
    title[599] = '\0';
    summary.title = title;
    summary.toolkit = title;
    summary.pid = UINT32_MAX;
    summary.start_ns = START + UINT64_C(90000000) * MS; /* freezes from 25 h before the start */
    summary.duration_ns = UINT64_C(90000000) * MS;
    summary.probe = "mouse";
    summary.beats_sent = summary.beats_lost = summary.beats_rested = UINT32_MAX;
    summary.rest_us = 1000000;
    summary.dropped = UINT64_MAX;
    for (int i = 0; i < UM_STATE_COUNT; i++)
        summary.state_ns[i] = UINT64_C(8999999) * MS;
    um_histogram_record(&latency, summary.duration_ns);
    um_histogram_record_corrected(&latency, summary.duration_ns, MS);
    freezes.count = freezes.over_100 = freezes.over_250 = freezes.over_1000 = UINT32_MAX;
    freezes.total_ns = freezes.longest_ns = UINT64_C(8999999) * MS;
    list[0].uncertainty_ns = 997 * MS;
    list[0].open = true;
    list[0].duration_ns = UINT64_C(89999999) * MS;
    memset(list[0].window_class, 'W', sizeof list[0].window_class - 1);
    struct um_summary_figure all = {true, UINT64_C(90000000) * MS};
    summary.cost = (struct um_summary_cost){all, all, all, all, {true, 1000000}};
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
    char *text = write_text();
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        cr_expect_leq(um_utf8_columns(line), 80, "%s", line);
    free(text);
    um_stats_close(stats);
}

Test(summary, text_cannot_command_the_terminal)
{
    summary.title = "\x1b[2J\x07 title";
    summary.name = "a\x1b.exe";
    strcpy(list[0].window_class, "\x1b]0;x");
    list[0].message = 0xc02c;
    strcpy(list[0].message_name, "\x1b[2J\x07");
    char *text = write_text();
    cr_expect_null(strchr(text, '\x1b'));
    cr_expect_null(strchr(text, '\x07'));
    free(text);
}

Test(summary, text_says_when_the_stream_failed)
{
    FILE *full = fopen("/dev/full", "w");
    cr_assert_not_null(full);
    cr_expect_eq(um_summary_write_text(full, &summary), UM_ERR_IO);
    fclose(full);
}
