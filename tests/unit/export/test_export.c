/* The exports are golden files, which `./run test profiles` gives to the tools that they are for.
 * UIMON_GOLDEN=write writes them anew. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/random.h"
#include "base/utf8.h"
#include "monitor/export/chosen_markers.h"
#include "monitor/export/export.h"
#include "monitor/export/flow_ends.h"
#include "monitor/flows/chrome_markers.h"
#include "monitor/flows/firefox_markers.h"
#include "tests/hostile.h"
#include "tests/json_read.h"
#include "tests/written_golden.h"
#include "tests/unit/export/fake_markers.h"
#include "tests/unit/flows/marker_text.h"
#include "tests/unit/profile/fake_program.h"

static struct fake_program fake;

static struct um_markers markers;
static struct um_flows flows;

/* A counter whose name and unit are such as a target could have. */
static struct um_recorded_counters_value lags[] = {{10000000, 0.5}, {110000000, 12.25}};
static struct um_recorded_counters_value heaps[] = {{50000000, 80}, {90000000, 1e300}};
static struct um_recorded_counter rows[] = {
    {.name = "UI thread lag", .unit = "ms", .values = lags, .count = 2},
    {.name = "empty", .unit = "ms"},
    {.name = "System.Runtime/\"heap\"", .unit = "", .values = heaps, .count = 2},
};
static const struct um_recorded_counters counters = {.rows = rows, .count = 3};
static struct um_stats *stats;
static struct um_latency_log latency_log;

static struct um_export_about about = {.program = "App.exe",
                                       .pid = 4711,
                                       .thread = 7,
                                       .start_ns = UINT64_C(7000000000),
                                       .utc_ms = INT64_C(1795176000123),
                                       .duration_ns = UINT64_C(100000000)};

static void make(void)
{
    fake_program_init(&fake);
    fake.view.hide = "user32,ntdll";
    fake_program_add(&fake, 1, "12356");
    fake_program_add(&fake, 1, "1235");
    fake_program_add(&fake, 1, "1235");
    fake_program_add(&fake, 1, "12?42");
    fake_program_add(&fake, 2, "-45");
    fake_program_add(&fake, 2, "-");
    fake_program_add(&fake, 2, "16");
    fake.samples.entries[6].thread = 9;
    fake_markers(&markers, &flows);
    about.markers = &markers;
    about.flows = &flows;
    about.counters = &counters;
}

static void teardown(void)
{
    fake_program_deinit(&fake);
    fake_markers_deinit(&markers, &flows);
    um_latency_log_deinit(&latency_log);
    um_stats_close(stats);
    stats = NULL;
    about.stats = NULL;
    about.latency_log = NULL;
    about.chosen = NULL;
}

TestSuite(export, .fini = teardown);

static enum um_status write_folded(FILE *out)
{
    return um_export_folded(&fake.view, &about, out);
}

static enum um_status write_speedscope(FILE *out)
{
    return um_export_speedscope(&fake.view, &about, out);
}

static enum um_status write_firefox(FILE *out)
{
    return um_export_firefox(&fake.view, &about, out);
}

static enum um_status write_perfetto(FILE *out)
{
    return um_export_perfetto(&fake.view, &about, out);
}

static enum um_status write_chrome(FILE *out)
{
    return um_export_chrome(&fake.view, &about, out);
}

static enum um_status write_csv(FILE *out)
{
    return um_export_csv(&fake.view, &about, out);
}

static enum um_status write_hlog(FILE *out)
{
    return um_export_hlog(&fake.view, &about, out);
}

static enum um_status write_hgrm(FILE *out)
{
    return um_export_hgrm(&fake.view, &about, out);
}

static char *written(enum um_status (*write)(FILE *), size_t *len)
{
    FILE *out = written_open();
    cr_assert_eq(write(out), UM_OK);
    return written_read(out, len);
}

static void assert_golden(const char *name, enum um_status (*write)(FILE *))
{
    size_t len;
    make();
    const char *made = written(write, &len);
    teardown();
    written_check(name, made, len);
}

Test(export, is_as_in_the_golden_files)
{
    assert_golden("profile.folded", write_folded);
    assert_golden("profile.speedscope.json", write_speedscope);
    assert_golden("profile.firefox.json", write_firefox);
    assert_golden("profile.perfetto", write_perfetto);
    assert_golden("profile.chrome.json", write_chrome);
    assert_golden("profile.csv", write_csv);
}

static void take(struct um_recorded *recorded, const struct um_wire_frame *frame)
{
    um_latency_log_take(&latency_log, recorded, frame);
    um_stats_frame(stats, frame);
    recorded->end_ns = um_wire_time_of(frame);
}

/* Beats for 12 s, two of which wait long, and keys. */
static void make_latencies(void)
{
    struct um_stats_config config = {.start_ns = about.start_ns};
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
    struct um_recorded recorded = {.stats = stats};
    recorded.session.start_ns = about.start_ns;
    frame.as.session.start_ns = about.start_ns;
    frame.as.session.period_us = 10000;
    take(&recorded, &frame);
    for (uint64_t i = 0; i < 1200; i++) {
        frame = (struct um_wire_frame){.type = UM_WIRE_BEAT};
        frame.as.beat.sent_ns = about.start_ns + i * UINT64_C(10000000);
        frame.as.beat.latency_ns = i % 500 == 499 ? i * UINT64_C(1000000) : i * 1000 + 1;
        take(&recorded, &frame);
        frame = (struct um_wire_frame){.type = UM_WIRE_INTERACTION};
        frame.as.interaction.arrival_ns = about.start_ns + i * UINT64_C(10000000);
        frame.as.interaction.dequeued_ns = frame.as.interaction.arrival_ns + 1000;
        frame.as.interaction.handled_ns = frame.as.interaction.arrival_ns + i * 20000 + 2000;
        if (i % 100 == 0)
            take(&recorded, &frame);
    }
    cr_assert_eq(um_latency_log_end(&latency_log, &recorded), UM_OK);
    about.stats = stats;
    about.latency_log = &latency_log;
}

/* HdrHistogram's JavaScript writes the same text of the same values. */
Test(export, percentiles_are_as_in_the_golden_file)
{
    make_latencies();
    assert_golden("profile.hgrm", write_hgrm);
}

/* Whether it is found at the first write or when all is flushed. */
Test(export, a_disk_that_is_full_is_told)
{
    static enum um_status (*const writers[])(FILE *) = {
        write_folded, write_speedscope, write_firefox, write_perfetto,
        write_chrome, write_csv,        write_hgrm,    write_hlog};
    make();
    make_latencies();
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        for (int buffering = 0; buffering < 2; buffering++) {
            FILE *full = fopen("/dev/full", "w");
            cr_assert(full && setvbuf(full, NULL, buffering ? _IOFBF : _IONBF, 1 << 20) == 0);
            cr_expect_eq(writers[i](full), UM_ERR_IO, "writer %zu", i);
            fclose(full);
        }
    }
    teardown();
}

/* zlib packs differently from version to version, so what is packed is no golden file:
 * test_hdr_encode.c and `./run test profiles` look at it. */
Test(export, hlog_has_a_line_for_each_latency_and_interval)
{
    static const char *const expected[] = {
        "#[Logged with uimon]",
        "#[Histogram log format version 1.3]",
        "#[StartTime: 1795176000.123 (seconds since epoch), 2026-11-20T12:00:00Z]",
        "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"",
        "Tag=beats,0.000,10.000,499.122,HISTF",
        "Tag=keys-handled,0.000,10.000,18.006,HISTF",
        "Tag=beats,10.000,1.991,999.293,HISTF",
        "Tag=keys-handled,10.000,1.991,22.004,HISTF",
    };
    make_latencies();
    make();
    char *line = strtok(written(write_hlog, NULL), "\n");
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        cr_assert(line);
        cr_expect_eq(strncmp(line, expected[i], strlen(expected[i])), 0, "%s\n%s", line,
                     expected[i]);
        line = strtok(NULL, "\n");
    }
    cr_expect(!line, "%s", line);
}

static bool look_up_hostile(void *context, uint64_t key, struct um_functions_name *name)
{
    (void)context;
    *name = (struct um_functions_name){.module = hostile_texts[(key + 1) % HOSTILE_TEXTS],
                                       .name = hostile_texts[key % HOSTILE_TEXTS],
                                       .file = hostile_texts[(key + 2) % HOSTILE_TEXTS],
                                       .line = 1,
                                       .is_nearest = key % 2 == 0};
    return true;
}

static bool look_up_nearest(void *context, uint64_t key, struct um_functions_name *name)
{
    (void)context;
    *name = (struct um_functions_name){.module = "app.exe",
                                       .name = key == 1 ? "one" : "two",
                                       .file = "C:\\src\\a.cs",
                                       .line = 7,
                                       .is_managed = true,
                                       .is_nearest = key == 1};
    return true;
}

/* Their readers know a file and a number. */
Test(export, a_line_that_is_only_the_nearest_is_marked_in_the_file)
{
    fake_program_init(&fake);
    um_functions_deinit(&fake.functions);
    cr_assert_eq(um_functions_init(&fake.functions, look_up_nearest, NULL), UM_OK);
    cr_assert_neq(um_functions_of(&fake.functions, 1), UM_FUNCTIONS_MORE);
    cr_assert_neq(um_functions_of(&fake.functions, 2), UM_FUNCTIONS_MORE);
    cJSON *root = cJSON_Parse(written(write_speedscope, NULL));
    cr_assert(root);
    cr_expect_str_eq(json_text(root, "shared.frames.1.file"), "C:\\src\\a.cs:~7");
    cr_expect(!json_at(root, "shared.frames.1.line"));
    cr_expect_str_eq(json_text(root, "shared.frames.2.file"), "C:\\src\\a.cs");
    cr_expect_eq(json_number(root, "shared.frames.2.line"), 7);
    cJSON_Delete(root);
    root = cJSON_Parse(written(write_firefox, NULL));
    cr_assert(root);
    const cJSON *lines = json_at(root, "shared.funcTable.lineNumber");
    cr_expect(cJSON_IsNull(cJSON_GetArrayItem(lines, 1)));
    cr_expect_eq(cJSON_GetNumberValue(cJSON_GetArrayItem(lines, 2)), 7);
    cr_expect(strstr(written(write_firefox, NULL), "\"C:\\\\src\\\\a.cs:~7\""));
    cJSON_Delete(root);
}

/* Names that were chosen to do harm: JSON stays JSON, and folded stacks have a line for each. */
Test(export, hostile_names_are_harmless)
{
    enum um_status (*const writers[])(FILE *) = {write_speedscope, write_firefox};
    make();
    um_functions_deinit(&fake.functions);
    cr_assert_eq(um_functions_init(&fake.functions, look_up_hostile, NULL), UM_OK);
    fake.view.hide = NULL;
    for (size_t i = 0; i < HOSTILE_TEXTS; i++)
        cr_assert_neq(um_functions_of(&fake.functions, i), UM_FUNCTIONS_MORE);
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        const char *made = written(writers[i], NULL);
        cr_expect(um_utf8_valid(made, strlen(made)));
        cJSON *root = cJSON_Parse(made);
        cr_expect(root, "no JSON");
        cJSON_Delete(root);
    }
    const char *made = written(write_folded, NULL);
    cr_expect(hostile_is_harmless(made), "%s", made);
    cr_expect_eq(hostile_lines(made), 7, "%s", made);
}

#define THREADS 262144 /* as many as a recording has samples at most */

/* A recording from anywhere may have as many threads as samples: what was asked of all samples for
 * each thread took hours. */
Test(export, as_many_threads_as_samples, .timeout = 240)
{
    enum um_status (*const writers[])(FILE *) = {write_folded, write_speedscope, write_firefox,
                                                 write_perfetto};
    fake_program_init(&fake);
    um_samples_deinit(&fake.samples);
    cr_assert_eq(um_samples_init(&fake.samples, THREADS), UM_OK);
    fake.view.thread = UM_VIEW_ALL;
    for (uint32_t i = 0; i < THREADS; i++) {
        fake_program_add(&fake, 1, "12");
        fake.samples.entries[i].thread = THREADS - i;
    }
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        size_t len;
        written(writers[i], &len);
        cr_expect_gt(len, THREADS * strlen("thread 1"));
    }
}

/* Of one freeze there are its samples, and what belongs to it. */
Test(export, one_freeze_by_itself)
{
    make();
    fake.view.freeze = 2;
    bool *chosen = um_chosen_markers(&markers, &flows, 10000000, 15000000);
    about.chosen = chosen;
    const char *made = written(write_firefox, NULL);
    cJSON *root = cJSON_Parse(made);
    cr_assert(root);
    double samples = 0, written_markers = 0, expected = 0;
    const cJSON *thread;
    cJSON_ArrayForEach(thread, cJSON_GetObjectItem(root, "threads"))
    {
        samples += json_number(thread, "samples.length");
        written_markers += json_number(thread, "markers.length");
    }
    for (size_t i = 0; i < markers.count; i++)
        expected += chosen[i];
    cr_expect_eq(samples, 3);
    cr_expect(expected > 0 && expected < (double)markers.count);
    cr_expect_eq(written_markers, expected);
    cJSON_Delete(root);
    free(chosen);
}

/* Flows as text: each with the markers that are in it. */
static const char *flow_text(const struct um_markers *of, const struct um_flows *list, char *text,
                             size_t cap)
{
    size_t len = 0;
    for (size_t i = 0; i < list->count && len < cap; i++) {
        const struct um_flow *flow = &list->list[i];
        len += (size_t)snprintf(text + len, cap - len,
                                "%s %lld-%lld:", um_texts_get(&of->flow_ids, flow->id),
                                (long long)flow->start_ns, (long long)flow->end_ns);
        for (uint32_t k = 0; k < flow->count && len < cap; k++) {
            const struct um_marker *marker = &of->list[list->members[flow->first + k]];
            len += (size_t)snprintf(text + len, cap - len, " %s@%lld",
                                    um_markers_get_text(of, marker->name),
                                    (long long)marker->start_ns);
        }
        len += len < cap ? (size_t)snprintf(text + len, cap - len, "\n") : 0;
    }
    return text;
}

typedef enum um_status read_back(FILE *file, struct um_markers *to, char *error, size_t cap_bytes);

/* What our own reader finds in a file that was written. */
static void expect_flows(enum um_status (*write)(FILE *), read_back *read, const char *expected)
{
    struct um_markers found = {0};
    struct um_flows found_flows = {0};
    char error[256], text[16384];
    FILE *file = written_open();
    cr_assert_eq(write(file), UM_OK);
    rewind(file);
    cr_assert_eq(read(file, &found, error, sizeof error), UM_OK, "%s", error);
    fclose(file);
    cr_assert_eq(um_markers_finish(&found), UM_OK);
    cr_assert_eq(um_flows_init(&found_flows, &found), UM_OK);
    cr_expect_eq(found.count, markers.count);
    cr_expect_str_eq(flow_text(&found, &found_flows, text, sizeof text), expected, "%s\n%s", text,
                     expected);
    fake_markers_deinit(&found, &found_flows);
}

/* It is what was written. */
static void expect_same_flows(enum um_status (*write)(FILE *), read_back *read)
{
    char expected[16384];
    expect_flows(write, read, flow_text(&markers, &flows, expected, sizeof expected));
}

Test(export, chrome_has_the_flows_of_the_markers)
{
    make();
    expect_same_flows(write_chrome, um_chrome_markers_read);
}

/* Writes how often each number is the id of a flow event. What the flow is called is the argument.
 */
static void count_ids(const char *json, size_t *counts, size_t numbers)
{
    cJSON *root = cJSON_Parse(json);
    const cJSON *event;
    cr_assert(root);
    cJSON_ArrayForEach(event, cJSON_GetObjectItem(root, "traceEvents"))
    {
        const char *phase = json_text(event, "ph");
        if (!strchr("stf", phase[0]))
            continue;
        double id = json_number(event, "id");
        cr_assert(id >= 1 && id <= (double)numbers && id == (double)(size_t)id, "%g", id);
        cr_expect_str_eq(json_text(event, "args." UM_CHROME_MARKERS_FLOW),
                         um_texts_get(&markers.flow_ids, flows.list[(size_t)id - 1].id));
        counts[(size_t)id - 1]++;
    }
    cJSON_Delete(root);
}

/* Perfetto reads only ids that are numbers, and each of them once. */
Test(export, chrome_has_a_number_for_each_flow_also_where_an_id_is_used_again)
{
    size_t counts[16] = {0}, reused = 0;
    make();
    cr_assert_leq(flows.count, sizeof counts / sizeof counts[0]);
    count_ids(written(write_chrome, NULL), counts, flows.count);
    for (size_t i = 0; i < flows.count; i++) {
        cr_expect_eq(counts[i], flows.list[i].count, "%zu: %zu", i, counts[i]);
        for (size_t k = 0; k < i; k++)
            reused += flows.list[i].id == flows.list[k].id;
    }
    cr_expect_eq(reused, 3);
}

static void add_work(const char *name, int64_t start_ns, const char *id)
{
    um_markers_interval(&markers, 0, name, "c", start_ns, start_ns + 500);
    um_markers_flow_text(&markers, "work", UM_MARKER_FLOW, id, false);
    um_markers_instant(&markers, 1, "done", "c", start_ns + 500);
    um_markers_flow_text(&markers, "work", UM_MARKER_TERMINATING_FLOW, id, false);
}

/* Perfetto takes "0010" and "10" for the same number, and GUIDs for none. */
Test(export, chrome_has_ids_that_are_texts)
{
    static const char *const ids[] = {
        "3fa85f64-5717-4562-b3fc-2c963f66af00", "0010", "10", "1", "a \"text\"",
        "3fa85f64-5717-4562-b3fc-2c963f66af00"};
    const size_t count = sizeof ids / sizeof ids[0];
    size_t counts[16] = {0};
    make();
    fake_markers_deinit(&markers, &flows);
    um_markers_thread(&markers, "7", "UI thread", "App.exe", 4711);
    um_markers_thread(&markers, "8", "second", "App.exe", 4711);
    for (size_t i = 0; i < count; i++)
        add_work("Work", (int64_t)i * 1000, ids[i]);
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_assert_eq(um_flows_init(&flows, &markers), UM_OK);
    cr_assert_eq(flows.count, count);
    count_ids(written(write_chrome, NULL), counts, count);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(counts[i], 2, "%s: %zu", ids[i], counts[i]);
    expect_same_flows(write_chrome, um_chrome_markers_read);
}

/* An activity as .NET's are: its begin and its end mention it, and what belongs to it starts
 * between them. "Other" mentions it when it ends. */
static void make_activity(void)
{
    make();
    fake_markers_deinit(&markers, &flows);
    um_markers_thread(&markers, "7", "UI thread", "App.exe", 4711);
    um_markers_thread(&markers, "8", "second", "App.exe", 4711);
    um_markers_interval(&markers, 1, "Activity", "c", 1000, 9000);
    um_markers_flow_text(&markers, "activity", UM_MARKER_FLOW, "a", false);
    um_markers_flow_text(&markers, "activity", UM_MARKER_TERMINATING_FLOW, "a", true);
    um_markers_interval(&markers, 0, "Other", "c", 3000, 6000);
    um_markers_flow_text(&markers, "activity", UM_MARKER_FLOW, "a", true);
    um_markers_interval(&markers, 0, "Step", "c", 4000, 5000);
    um_markers_flow_text(&markers, "activity", UM_MARKER_FLOW, "a", false);
    um_markers_interval(&markers, 1, "Next", "c", 10000, 11000);
    um_markers_flow_text(&markers, "activity", UM_MARKER_FLOW, "a", false);
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_assert_eq(um_flows_init(&flows, &markers), UM_OK);
    cr_assert_eq(flows.count, 2);
}

/* There a marker is in a flow from its start on, and once. */
Test(export, chrome_has_flows_that_end_when_a_marker_ends)
{
    static const char *const expected[] = {"t 3 1", "f 4 1", "s 1 1", "s 10 2"};
    size_t count = 0;
    make_activity();
    cJSON *root = cJSON_Parse(written(write_chrome, NULL));
    const cJSON *event;
    cr_assert(root);
    cJSON_ArrayForEach(event, cJSON_GetObjectItem(root, "traceEvents"))
    {
        char line[64];
        if (!strchr("stf", json_text(event, "ph")[0]))
            continue;
        snprintf(line, sizeof line, "%s %g %g", json_text(event, "ph"), json_number(event, "ts"),
                 json_number(event, "id"));
        cr_assert_lt(count, sizeof expected / sizeof expected[0], "%s", line);
        cr_expect_str_eq(line, expected[count++]);
    }
    cr_expect_eq(count, sizeof expected / sizeof expected[0]);
    cJSON_Delete(root);
}

/* Such a flow has the same markers in both files, and is apart from the next one of its id. */
Test(export, flows_that_end_when_a_marker_ends_are_read_with_the_same_markers)
{
    static const char expected[] = "a 1000-5000: Activity@1000 Other@3000 Step@4000\n"
                                   "a 10000-11000: Next@10000\n";
    make_activity();
    expect_flows(write_chrome, um_chrome_markers_read, expected);
    expect_flows(write_firefox, um_firefox_markers_read, expected);
}

/* Markers have numbers by thread and start: Other, Step, Activity, Next. */
Test(export, ends_of_flows_are_markers_that_are_written)
{
    static const bool chosen[][4] = {{true, false, true, true}, {true, true, false, true}};
    struct um_flow_ends ends;
    make_activity();
    cr_assert_eq(um_flow_ends_init(&ends, &about), UM_OK);
    cr_expect_eq(um_flow_ends_get(&ends, 0, 2), UM_FLOW_ENDS_FIRST);
    cr_expect_eq(um_flow_ends_get(&ends, 0, 0), UM_FLOW_ENDS_MIDDLE);
    cr_expect_eq(um_flow_ends_get(&ends, 0, 1), UM_FLOW_ENDS_LAST);
    cr_expect_eq(um_flow_ends_get(&ends, 1, 3), UM_FLOW_ENDS_FIRST);
    um_flow_ends_deinit(&ends);
    for (size_t i = 0; i < 2; i++) {
        about.chosen = chosen[i];
        cr_assert_eq(um_flow_ends_init(&ends, &about), UM_OK);
        cr_expect_eq(um_flow_ends_get(&ends, 0, 0),
                     i == 0 ? UM_FLOW_ENDS_LAST : UM_FLOW_ENDS_FIRST);
        um_flow_ends_deinit(&ends);
    }
}

/* As input that arrived before the session had begun. */
static void make_early(void)
{
    make();
    for (uint32_t i = 0; i < markers.count; i++)
        if (markers.list[i].start_ns == 5 * FAKE_MS)
            markers.list[i].start_ns = markers.list[i].end_ns = -3 * FAKE_MS;
}

/* Perfetto drops what is before 0 in this format. */
Test(export, chrome_has_no_time_before_0)
{
    make_early();
    cJSON *root = cJSON_Parse(written(write_chrome, NULL));
    cr_assert(root);
    const cJSON *event;
    cJSON_ArrayForEach(event, cJSON_GetObjectItem(root, "traceEvents"))
    {
        const cJSON *ts = cJSON_GetObjectItem(event, "ts");
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(event, "name"));
        if (!ts)
            continue;
        cr_expect_geq(ts->valuedouble, 0);
        if (strcmp(name, "Beat sent") == 0)
            cr_expect_eq(ts->valuedouble, 4000);
        if (strcmp(name, "UI thread lag") == 0)
            cr_expect(ts->valuedouble == 13000 || ts->valuedouble == 113000);
    }
    cJSON_Delete(root);
}

/* The Firefox Profiler drops what is before the begin that the file says. */
Test(export, firefox_begins_with_the_first_marker)
{
    make_early();
    cJSON *root = cJSON_Parse(written(write_firefox, NULL));
    cr_assert(root);
    cr_expect_eq(json_number(root, "meta.profilingStartTime"), -3);
    cJSON_Delete(root);
}

Test(export, firefox_has_the_flows_of_the_markers)
{
    make();
    expect_same_flows(write_firefox, um_firefox_markers_read);
}

/* Few ids and few times, so that ids are used again, and much happens at the same time. */
static void make_random(uint64_t seed)
{
    struct um_random random = {seed};
    fake_markers_deinit(&markers, &flows);
    for (int i = 0; i < 3; i++) {
        char label[8];
        snprintf(label, sizeof label, i == 2 ? "other" : "%d", i + 7);
        um_markers_thread(&markers, label, label, "App.exe", i == 2 ? 0 : 4711);
    }
    for (int i = 0; i < 40; i++) {
        char name[8];
        uint32_t thread = (uint32_t)um_random_below(&random, 3);
        int64_t start_ns = (int64_t)um_random_below(&random, 30) * 1000;
        snprintf(name, sizeof name, "m%d", i);
        if (um_random_below(&random, 2) == 0)
            um_markers_instant(&markers, thread, name, "c", start_ns);
        else
            um_markers_interval(&markers, thread, name, "c", start_ns,
                                start_ns + (int64_t)um_random_below(&random, 9) * 1000)
                ->stack_based = um_random_below(&random, 2) == 0;
        for (uint64_t k = um_random_below(&random, 3); k > 0; k--)
            um_markers_flow(&markers, um_random_below(&random, 2) == 0 ? "one" : "other",
                            um_random_below(&random, 3) == 0 ? UM_MARKER_TERMINATING_FLOW
                                                             : UM_MARKER_FLOW,
                            um_random_below(&random, 5));
    }
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_assert_eq(um_flows_init(&flows, &markers), UM_OK);
}

Test(export, flows_of_random_markers_are_read_as_they_were)
{
    make();
    for (uint64_t seed = 0; seed < 150; seed++) {
        make_random(seed);
        expect_same_flows(write_chrome, um_chrome_markers_read);
        expect_same_flows(write_firefox, um_firefox_markers_read);
    }
}

/* Firefox's format has all that markers have. */
Test(export, firefox_has_the_markers_as_they_are)
{
    struct um_markers found = {0};
    static char error[256], expected[8192], text[8192];
    make();
    FILE *file = written_open();
    cr_assert_eq(write_firefox(file), UM_OK);
    rewind(file);
    cr_assert_eq(um_firefox_markers_read(file, &found, error, sizeof error), UM_OK, "%s", error);
    fclose(file);
    cr_assert_eq(um_markers_finish(&found), UM_OK);
    marker_text(&found, text, sizeof text);
    marker_text(&markers, expected, sizeof expected);
    /* Of the threads whose ids are not known, ours are numbers in it. */
    cr_expect_eq(strncmp(text, expected, strcspn(expected, "\n")), 0, "%s\n%s", text, expected);
    for (char *line = strtok(expected, "\n"); line; line = strtok(NULL, "\n"))
        cr_expect(strstr(text, strchr(line, ' ')), "%s\n%s", text, line);
    um_markers_deinit(&found);
}
