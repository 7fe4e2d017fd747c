/* Hostile text through every output for people. A text never adds a line of its own, and nothing
 * that commands a terminal, a spreadsheet, Markdown or HTML comes out. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/plain/text.h"
#include "base/output.h"
#include "base/page.h"
#include "monitor/doctor/findings.h"
#include "monitor/flows/flows_write.h"
#include "monitor/writers/bundle.h"
#include "monitor/writers/csv.h"
#include "monitor/writers/prometheus.h"
#include "monitor/history/history.h"
#include "monitor/history/history_changes.h"
#include "monitor/history/history_html.h"
#include "monitor/history/history_json.h"
#include "monitor/history/history_text.h"
#include "monitor/listen/counters.h"
#include "monitor/listen/lines.h"
#include "monitor/options/options_table.h"
#include "monitor/export/export.h"
#include "monitor/stats/summary.h"
#include "monitor/target/target_spec.h"
#include "tests/hostile.h"
#include "tests/hostile_comparison.h"
#include "tests/unit/profile/fake_program.h"

#define MS UINT64_C(1000000)
#define LONG_BYTES 10000

/* A test that sends the texts through an exit of the program; `exits`, at the end, names it. */
#define EXIT(name)                                                                                 \
    static void name(void);                                                                        \
    Test(hostile, name)                                                                            \
    {                                                                                              \
        name();                                                                                    \
    }                                                                                              \
    static void name(void)

/* The hostile texts, and one that is long. */
#define CASES (HOSTILE_TEXTS + 1)

static FILE *file;
static char *made;
static size_t made_len;

static void begin(void)
{
    file = open_memstream(&made, &made_len);
    cr_assert(file);
}

static const char *made_now(void)
{
    fflush(file);
    return made;
}

static void end(void)
{
    fclose(file);
    free(made);
}

static const char *text_of(size_t i)
{
    static char endless[LONG_BYTES + 1];
    memset(endless, 'w', LONG_BYTES);
    return i < HOSTILE_TEXTS ? hostile_texts[i] : endless;
}

static void expect_lines(size_t i, size_t lines)
{
    const char *text = made_now();
    cr_expect(hostile_is_harmless(text), "text %zu: %s", i, text);
    cr_expect_eq(hostile_lines(text), lines, "text %zu: %zu lines for %zu: %s", i,
                 hostile_lines(text), lines, text);
}

EXIT(lines_for_a_terminal)
{
    for (size_t i = 0; i < CASES; i++) {
        begin();
        um_output_text(file, text_of(i));
        expect_lines(i, 0);
        end();
    }
}

EXIT(list_of_programs)
{
    for (size_t i = 0; i < CASES; i++) {
        struct um_target_info info = {.pid = 1, .hwnd = 1, .bits = 64};
        begin();
        snprintf(info.name, sizeof info.name, "%s", text_of(i));
        snprintf(info.title, sizeof info.title, "%s", text_of(i));
        snprintf(info.window_class, sizeof info.window_class, "%s", text_of(i));
        cr_assert_eq(um_target_spec_print_list(file, &info, 1, 0), UM_OK);
        expect_lines(i, 2); /* with its head */
        end();
    }
}

EXIT(programs_to_choose_from)
{
    for (size_t i = 0; i < CASES; i++) {
        struct um_target_info info = {.pid = 1, .hwnd = 1, .bits = 64, .name = "a.exe"};
        struct um_target_info list[2];
        struct um_target_spec spec;
        char error[4096];
        size_t index;
        begin();
        snprintf(info.title, sizeof info.title, "%s", text_of(i));
        list[0] = list[1] = info;
        list[1].pid = 2;
        cr_assert_eq(um_target_spec_parse("a.exe", &spec, error, sizeof error), UM_OK);
        cr_assert_eq(um_target_spec_match(&spec, list, 2, false, &index, error, sizeof error),
                     UM_ERR_AMBIGUOUS);
        fputs(error, file);
        expect_lines(i, 0);
        end();
    }
}

static struct um_stats_freeze freeze = {
    .duration_ns = 300 * MS, .message = 0xc02c, .state = UM_STATE_FROZEN, .has_message = true};
static struct um_stats_freezes freezes = {
    .total_ns = 300 * MS, .longest_ns = 300 * MS, .count = 1, .len = 1, .list = &freeze};

static struct um_summary summary_with(const char *text)
{
    snprintf(freeze.window_class, sizeof freeze.window_class, "%s", text);
    snprintf(freeze.message_name, sizeof freeze.message_name, "%s", text);
    return (struct um_summary){.pid = 1,
                               .name = text,
                               .title = text,
                               .toolkit = text,
                               .totals.duration_ns = 5000 * MS,
                               .freezes = &freezes};
}

/* A counter that the target calls so. */
static struct um_wire_frame counter_named(const char *text)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER};
    snprintf(frame.as.counter.name, sizeof frame.as.counter.name, "%s", text);
    snprintf(frame.as.counter.display, sizeof frame.as.counter.display, "%s", text);
    snprintf(frame.as.counter.unit, sizeof frame.as.counter.unit, "%s", text);
    return frame;
}

static const struct um_wire_frame counter_value = {.type = UM_WIRE_COUNTER_VALUE};

static struct um_counted *counter_with(const char *text)
{
    struct um_wire_frame frame = counter_named(text);
    struct um_counted *counted;
    cr_assert_eq(um_counted_open(&counted), UM_OK);
    um_counted_take(counted, &frame);
    um_counted_take(counted, &counter_value);
    return counted;
}

EXIT(summary)
{
    size_t lines = 0;
    for (size_t i = 0; i <= CASES; i++) {
        const char *text = i == 0 ? "plain" : text_of(i - 1);
        struct um_summary summary = summary_with(text);
        struct um_counted *counted = counter_with(text);
        summary.counted = counted;
        begin();
        cr_assert_eq(um_summary_text_write(file, &summary), UM_OK);
        if (i == 0)
            lines = hostile_lines(made_now());
        else
            expect_lines(i - 1, lines);
        end();
        um_counted_close(counted);
    }
}

/* All commands write their JSON so: it means the same, and does nothing to a terminal. */
EXIT(json)
{
    for (size_t i = 0; i < CASES; i++) {
        cJSON *string = cJSON_CreateString(text_of(i));
        char *text = cJSON_PrintUnformatted(string);
        cJSON_Delete(string);
        begin();
        cr_expect(um_output_json(file, text));
        cJSON_free(text);
        expect_lines(i, 1);
        string = cJSON_Parse(made);
        cr_expect(string, "text %zu: %s", i, made);
        cr_expect(!um_utf8_valid(text_of(i), strlen(text_of(i))) ||
                      strcmp(cJSON_GetStringValue(string), text_of(i)) == 0,
                  "text %zu: %s", i, made);
        cJSON_Delete(string);
        end();
    }
}

/* It is UTF-8 always. */
EXIT(json_of_the_summary)
{
    for (size_t i = 0; i < CASES; i++) {
        struct um_summary summary = summary_with(text_of(i));
        char *json = NULL;
        cr_assert_eq(um_summary_json(&summary, &json), UM_OK);
        cr_expect(um_utf8_valid(json, strlen(json)), "text %zu: %s", i, json);
        cJSON *root = cJSON_Parse(json);
        cr_expect(root, "text %zu: %s", i, json);
        cJSON_Delete(root);
        cJSON_free(json);
    }
}

/* Whether a cell of this line begins a formula, quoted or not. Numbers begin with digits here. A
 * semicolon begins one too, and there quotes do not count. */
static bool has_formula(const char *line)
{
    bool quoted = false;
    for (const char *at = line; *at; at++) {
        bool begins = at == line || (!quoted && at[-1] == ',') || at[-1] == ';';
        const char *cell = at + (begins ? strspn(at, "\" ") : 0);
        if (begins && *cell && strchr("=+-@\t\r", *cell))
            return true;
        if (begins && strncmp(cell, "\xef\xbc\x9d", 3) == 0)
            return true;
        quoted ^= *at == '"';
    }
    return false;
}

EXIT(csv)
{
    for (size_t i = 0; i < CASES; i++) {
        struct um_wire_frame session = {.type = UM_WIRE_SESSION, .as.session.pid = 1};
        struct um_wire_frame episode = {
            .type = UM_WIRE_EPISODE,
            .flags = UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_HAS_MESSAGE,
            .as.episode = {.end_ns = 300 * MS, .message = 0xc02c, .state = UM_STATE_FROZEN}};
        struct um_csv *csv;
        begin();
        snprintf(session.as.session.name, sizeof session.as.session.name, "%s", text_of(i));
        snprintf(episode.as.episode.message_name, sizeof episode.as.episode.message_name, "%s",
                 text_of(i));
        snprintf(episode.as.episode.window_class, sizeof episode.as.episode.window_class, "%s",
                 text_of(i));
        cr_assert_eq(um_csv_open(file, &csv), UM_OK);
        um_csv_frame(csv, &session);
        um_csv_frame(csv, &episode);
        um_csv_close(csv);
        expect_lines(i, 2); /* with its header */
        cr_expect(!has_formula(strchr(made_now(), '\n') + 1), "text %zu: %s", i, made);
        end();
    }
}

static const struct um_wire_session listened = {.pid = 1, .name = "app.exe"};

static struct um_counters_event event_with(const char *text)
{
    struct um_counters_event event = {.kind = UM_COUNTERS_HANG_DETECTED,
                                      .state = UM_STATE_FROZEN,
                                      .has_message = true,
                                      .message = 0xc02c};
    snprintf(event.message_name, sizeof event.message_name, "%s", text);
    snprintf(event.window_class, sizeof event.window_class, "%s", text);
    snprintf(event.title, sizeof event.title, "%s", text);
    snprintf(event.headline, sizeof event.headline, "%s", text);
    return event;
}

static const enum um_counters_event_kind told_kinds[] = {
    UM_COUNTERS_HANG_DETECTED, UM_COUNTERS_HANG_LOCATED, UM_COUNTERS_WINDOW_CHANGED};
#define TOLD_KINDS (sizeof told_kinds / sizeof told_kinds[0])

EXIT(jsonl_of_listen)
{
    for (size_t i = 0; i < CASES; i++) {
        struct um_wire_session session = listened;
        struct um_counters_event event = event_with(text_of(i));
        struct um_lines_about about = {.session = &session, .wanted = {true}};
        begin();
        snprintf(session.name, sizeof session.name, "%s", text_of(i));
        cr_assert_eq(um_lines_json_session(file, &about), UM_OK);
        for (size_t j = 0; j < TOLD_KINDS; j++) {
            event.kind = told_kinds[j];
            cr_assert_eq(um_lines_json_event(file, &about, &event), UM_OK);
        }
        expect_lines(i, 1 + TOLD_KINDS);
        end();
    }
}

EXIT(text_of_listen)
{
    for (size_t i = 0; i < CASES; i++) {
        struct um_counters_event event = event_with(text_of(i));
        const struct um_lines_about about = {.session = &listened, .wanted = {true}};
        char line[UM_LINES_EVENT_BYTES];
        begin();
        for (size_t j = 0; j < TOLD_KINDS; j++) {
            event.kind = told_kinds[j];
            um_lines_text_event(line, &about, &event);
            fprintf(file, "%s\n", line);
        }
        expect_lines(i, TOLD_KINDS);
        end();
    }
}

EXIT(prometheus_file)
{
    size_t lines = 0;
    for (size_t i = 0; i <= CASES; i++) {
        struct um_wire_frame session = {.type = UM_WIRE_SESSION, .as.session.pid = 1};
        struct um_prometheus *prometheus;
        const char *text = i == 0 ? "plain" : text_of(i - 1);
        begin();
        snprintf(session.as.session.name, sizeof session.as.session.name, "%s", text);
        cr_assert_eq(um_prometheus_open(text, &prometheus), UM_OK);
        um_prometheus_frame(prometheus, &session);
        struct um_wire_frame counter = counter_named(text);
        um_prometheus_frame(prometheus, &counter);
        um_prometheus_frame(prometheus, &counter_value);
        /* Another one whose metric has the same name: labels have both as they are. */
        memcpy(counter.as.counter.provider, counter.as.counter.name,
               sizeof counter.as.counter.provider);
        counter.as.counter.name[0] = '\0';
        counter.as.counter.number = 1;
        um_prometheus_frame(prometheus, &counter);
        struct um_wire_frame value = counter_value;
        value.as.counter_value.number = 1;
        um_prometheus_frame(prometheus, &value);
        cr_assert_eq(um_prometheus_write(prometheus, file), UM_OK);
        cr_expect(strstr(made_now(), ",provider=\""), "text %zu: %s", i, made_now());
        um_prometheus_close(prometheus);
        lines = i == 0 ? hostile_lines(made_now()) : lines;
        expect_lines(i, lines);
        end();
    }
}

/* What stands in a file, and the file is gone. */
static void take_file(const char *folder, const char *name)
{
    char path[1024], byte[2] = "";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *from = fopen(path, "rb");
    cr_assert(from, "%s", path);
    while (fread(byte, 1, 1, from) == 1)
        fputs(byte, file);
    fclose(from);
    remove(path);
}

static void put_bundle(const char *dir, const char *text)
{
    const struct um_bundle_freeze freezing = {.id = 1, .process = text};
    const struct um_wire_recording header = {.time_ns = 0};
    struct um_wire_frame frame = {.type = UM_WIRE_RETRIEVED,
                                  .as.retrieved = {.freeze = 1, .message = 0xc02c}};
    struct um_bundle bundle;
    char path[1024];

    snprintf(frame.as.retrieved.message_name, sizeof frame.as.retrieved.message_name, "%s", text);
    snprintf(frame.as.retrieved.window_class, sizeof frame.as.retrieved.window_class, "%s", text);
    cr_assert_eq(um_bundle_open(&bundle, dir, &freezing, &header), UM_OK);
    um_bundle_put(&bundle, &frame);
    um_bundle_close(&bundle);
    take_file(bundle.folder, UM_BUNDLE_MESSAGES);
    fprintf(file, "%s", bundle.folder + strlen(dir) + 1);
    snprintf(path, sizeof path, "%s/%s", bundle.folder, UM_BUNDLE_RECORDING);
    remove(path);
    remove(bundle.folder);
}

EXIT(messages_and_folder_of_a_saved_freeze)
{
    char dir[] = "/tmp/hostile-XXXXXX";
    size_t lines = 0;

    cr_assert(mkdtemp(dir));
    for (size_t i = 0; i <= CASES; i++) {
        begin();
        put_bundle(dir, i == 0 ? "plain" : text_of(i - 1));
        lines = i == 0 ? hostile_lines(made_now()) : lines;
        expect_lines(i, lines);
        cr_expect(!strpbrk(strrchr(made, '\n') + 1, "/\\<>:\"|?*"), "text %zu: %s", i, made);
        end();
    }
    remove(dir);
}

static struct fake_program program;

static bool name_all_so(void *context, uint64_t key, struct um_functions_name *name)
{
    (void)key;
    *name = (struct um_functions_name){.module = context, .name = context, .file = context};
    return true;
}

static void make_flows(const char *text, struct um_markers *markers, struct um_flows *flows)
{
    *markers = (struct um_markers){0};
    uint32_t thread = um_markers_thread(markers, text, text, text, 0);
    for (int i = 0; i < 2; i++) {
        um_markers_interval(markers, thread, text, text, i, i + 1)->stack_based = true;
        um_markers_text(markers, text, text);
        um_markers_flow_text(markers, text, UM_MARKER_FLOW, text, false);
        um_markers_flow_text(markers, "plain", UM_MARKER_FLOW, "plain", false);
    }
    cr_assert_eq(um_markers_finish(markers), UM_OK);
    cr_assert_eq(um_flows_init(flows, markers), UM_OK);
}

/* Writes the stacks of a program whose modules, functions and files are all called so, and markers
 * with the same texts. */
static void export_as(um_export_write *write, const char *text)
{
    struct um_markers markers;
    struct um_flows flows;
    make_flows(text, &markers, &flows);
    struct um_recorded_counters_value value = {.at_ns = 1, .value = 2};
    struct um_recorded_counter row = {.values = &value, .count = 1};
    const struct um_recorded_counters counters = {.rows = &row, .count = 1};
    const struct um_export_about about = {.program = "plain",
                                          .pid = 1,
                                          .thread = 7,
                                          .markers = &markers,
                                          .flows = &flows,
                                          .counters = &counters};
    um_text_set(row.name, sizeof row.name, text);
    um_text_set(row.unit, sizeof row.unit, text);

    fake_program_init(&program);
    um_functions_deinit(&program.functions);
    cr_assert_eq(um_functions_init(&program.functions, name_all_so, (void *)(uintptr_t)text),
                 UM_OK);
    fake_program_add(&program, 1, "1235");
    cr_assert_eq(write(&program.view, &about, file), UM_OK);
    fake_program_deinit(&program);
    um_flows_deinit(&flows);
    um_markers_deinit(&markers);
}

static void expect_export(um_export_write *write)
{
    size_t lines = 0;
    for (size_t i = 0; i <= HOSTILE_TEXTS; i++) {
        begin();
        export_as(write, i == 0 ? "plainer" : text_of(i - 1));
        lines = i == 0 ? hostile_lines(made_now()) : lines;
        expect_lines(i, lines);
        end();
    }
}

EXIT(export_folded)
{
    expect_export(um_export_folded);
}

EXIT(export_speedscope)
{
    expect_export(um_export_speedscope);
}

EXIT(export_firefox)
{
    expect_export(um_export_firefox);
}

EXIT(export_chrome)
{
    expect_export(um_export_chrome);
}

EXIT(export_csv)
{
    expect_export(um_export_csv);
}

static enum um_status write_text(FILE *out, const void *text)
{
    return fputs(text, out) >= 0 ? UM_OK : UM_ERR_IO;
}

/* The JSON of a page is in a script. What is written for a page without a script is an element's
 * text. */
EXIT(page)
{
    static const char empty[] =
        "<pre>" UM_PAGE_TEXT_PLACEHOLDER "</pre><script>" UM_PAGE_PLACEHOLDER "</script>";
    for (size_t i = 0; i < HOSTILE_TEXTS; i++) {
        cJSON *string = cJSON_CreateString(hostile_texts[i]);
        char *text = cJSON_PrintUnformatted(string);
        begin();
        cr_assert_eq(
            um_page_write(file, (const unsigned char *)empty, text, write_text, hostile_texts[i]),
            UM_OK);
        cr_expect_eq(strstr(made_now(), "</script>"), made + made_len - 9, "text %zu: %s", i, made);
        size_t tags = 0;
        for (const char *at = made; (at = strchr(at, '<')); at++)
            tags++;
        cr_expect_eq(tags, 4, "text %zu: %s", i, made);
        cJSON_free(text);
        cJSON_Delete(string);
        end();
    }
}

static void put_interval(void *context, const struct um_counters_interval *interval)
{
    const struct um_lines_about *about = context;
    cr_assert_eq(um_lines_csv_interval(file, about, interval), UM_OK);
}

static void ignore_event(void *context, const struct um_counters_event *event)
{
    (void)context, (void)event;
}

/* A program's own counters, and the program's name. */
EXIT(csv_of_listen)
{
    for (size_t i = 0; i < CASES; i++) {
        struct um_lines_about about = {.wanted = {true}};
        const struct um_counters_taker taker = {
            .context = &about, .interval = put_interval, .event = ignore_event};
        struct um_wire_frame frame = {.type = UM_WIRE_SESSION, .as.session.pid = 1};
        struct um_counters *counters;
        begin();
        cr_assert_eq(um_counters_open(1000 * MS, &taker, &counters), UM_OK);
        snprintf(frame.as.session.name, sizeof frame.as.session.name, "%s", text_of(i));
        um_counters_frame(counters, &frame);
        about.session = um_counters_session(counters);
        frame = (struct um_wire_frame){.type = UM_WIRE_COUNTER};
        snprintf(frame.as.counter.provider, UM_WIRE_COUNTER_TEXT_BYTES, "%s", text_of(i));
        snprintf(frame.as.counter.name, UM_WIRE_COUNTER_TEXT_BYTES, "%s", text_of(i));
        snprintf(frame.as.counter.unit, UM_WIRE_COUNTER_TEXT_BYTES, "%s", text_of(i));
        um_counters_frame(counters, &frame);
        frame = (struct um_wire_frame){.type = UM_WIRE_STATUS};
        for (uint64_t ms = 1000; ms <= 2000; ms += 500) {
            frame.as.status.time_ns = ms * MS;
            um_counters_frame(counters, &frame);
        }
        frame.as.status.time_ns = 3000 * MS;
        um_counters_frame(counters, &frame);
        um_counters_close(counters);
        expect_lines(i, 2);
        cr_expect(!has_formula(made_now()), "text %zu: %s", i, made);
        cr_expect(!has_formula(strchr(made_now(), '\n') + 1), "text %zu: %s", i, made);
        end();
    }
}

EXIT(table_of_doctor)
{
    static struct um_findings findings;
    for (size_t i = 0; i < CASES; i++) {
        const struct um_findings_header header = {
            .machine = "m", .system = "s", .cpus = 1, .target = text_of(i)};
        begin();
        memset(&findings, 0, sizeof findings);
        struct um_finding *finding = um_findings_add(&findings, "id", "about", UM_FINDING_FAILS);
        snprintf(finding->text, sizeof finding->text, "%s", text_of(i));
        cr_assert_eq(um_findings_print(file, &findings, &header), UM_OK);
        cr_expect(hostile_is_harmless(made_now()), "text %zu: %s", i, made);
        cr_expect(!strstr(made, "\nuimon:"), "text %zu: %s", i, made);
        end();
    }
}

static void put_text(void *context, const struct um_compare_text *text)
{
    (void)context;
    um_compare_text_write(file, text);
}

static void put_markdown(void *context, const struct um_compare_text *text)
{
    (void)context;
    um_compare_markdown_write(file, text);
}

EXIT(comparison)
{
    begin();
    hostile_compare("plain", put_text, NULL);
    size_t lines = hostile_lines(made_now());
    cr_assert(strstr(made, "Warning: plain"), "%s", made);
    end();
    for (size_t i = 0; i < CASES; i++) {
        begin();
        hostile_compare(text_of(i), put_text, NULL);
        expect_lines(i, lines);
        end();
    }
}

/* No tag but our own, no link, no picture, nobody and nothing mentioned. */
EXIT(comparison_in_markdown)
{
    static const char *const never[] = {"<script", "<img", "](",     "@everyone",
                                        "#1",      " `",   " | cell"};
    begin();
    hostile_compare("plain", put_markdown, NULL);
    size_t lines = hostile_lines(made_now());
    cr_assert(strstr(made, "**Warning:** plain"), "%s", made);
    end();
    for (size_t i = 0; i < CASES; i++) {
        begin();
        hostile_compare(text_of(i), put_markdown, NULL);
        expect_lines(i, lines);
        for (size_t j = 0; j < sizeof never / sizeof never[0]; j++)
            cr_expect(!strstr(made, never[j]), "text %zu has %s: %s", i, never[j], made);
        end();
    }
}

/* A history in which all that has a name has this one, with a change at which something else is
 * new. */
static void make_history(const char *name, struct um_history *history)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    cr_assert(out);
    for (int i = 0; i < 24; i++) {
        char label[64];
        snprintf(label, sizeof label, "%d%.60s", i, name);
        cJSON *root = cJSON_CreateObject();
        cJSON_AddStringToObject(root, "kind", "history");
        cJSON_AddNumberToObject(root, "schema", UM_HISTORY_SCHEMA);
        cJSON_AddStringToObject(root, "label", strlen(name) < 40 ? label : "a");
        static const char *const members[] = {"time",   "uimon",    "machine",
                                              "target", "scenario", "crc32"};
        for (size_t j = 0; j < sizeof members / sizeof members[0]; j++)
            cJSON_AddStringToObject(root, members[j], name);
        cJSON_AddStringToObject(root, "system", i < 12 ? name : "plain");
        cJSON *measure = cJSON_CreateObject();
        cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "measures"), measure);
        cJSON_AddStringToObject(measure, "name", strlen(name) < 60 ? name : "a");
        cJSON *quantity = cJSON_CreateObject();
        cJSON_AddItemToArray(cJSON_AddArrayToObject(measure, "quantities"), quantity);
        cJSON_AddStringToObject(quantity, "name", "total");
        cJSON_AddNumberToObject(quantity, "median", i < 12 ? 10 : 20);
        cJSON_AddNumberToObject(quantity, "low", i < 12 ? 10 : 20);
        cJSON_AddNumberToObject(quantity, "high", i < 12 ? 10 : 20);
        cJSON_AddNumberToObject(quantity, "runs", 4);
        char *line = cJSON_PrintUnformatted(root);
        fprintf(out, "%s\n", line);
        cJSON_free(line);
        cJSON_Delete(root);
    }
    fclose(out);
    cr_assert_eq(um_history_read(text, len, NULL, history), UM_OK);
    cr_assert_eq(um_history_changes_find(history), UM_OK);
    free(text);
}

EXIT(history)
{
    struct um_history history;
    size_t lines = 0;
    for (size_t i = 0; i <= HOSTILE_TEXTS; i++) {
        make_history(i == 0 ? "plain" : hostile_texts[i - 1], &history);
        cr_assert_eq(history.damaged, 0, "text %zu", i);
        cr_assert_eq(history.track_count, 1);
        begin();
        cr_assert_eq(um_history_text_write(file, &history), UM_OK);
        cr_expect(hostile_is_harmless(made_now()), "text %zu: %s", i, made);
        cr_expect(!strstr(made, "\nuimon:"), "text %zu: %s", i, made);
        /* What is wrapped at the end has as many lines as its words need. */
        char *also = strstr(made, "      here also: ");
        char *method = strstr(made, "\nAt the right");
        cr_assert(method && (also || i == 0), "text %zu: %s", i, made);
        *(also ? also : method) = '\0';
        if (i == 0)
            lines = hostile_lines(made);
        cr_expect_eq(hostile_lines(made), lines, "text %zu: %s", i, made);
        end();
        um_history_deinit(&history);
    }
}

EXIT(history_as_page_and_for_github)
{
    struct um_history history;
    char *json;
    for (size_t i = 0; i < HOSTILE_TEXTS; i++) {
        make_history(hostile_texts[i], &history);
        begin();
        cr_assert_eq(um_history_html_write(file, &history), UM_OK);
        cr_expect(hostile_is_harmless(made_now()), "text %zu", i);
        cr_expect(!strstr(made, "<img"), "text %zu", i);
        end();
        cr_assert_eq(um_history_json_github(&history, &json), UM_OK);
        cr_expect(hostile_is_harmless(json), "text %zu: %s", i, json);
        cJSON_free(json);
        um_history_deinit(&history);
    }
}

EXIT(flows_as_tables)
{
    struct um_markers markers;
    struct um_flows flows;
    static const uint32_t both[] = {0, 1};
    static const struct um_flows_slow slow[] = {{0, 0, 1, 1, 1}, {1, 0, UM_MARKERS_NONE, 0, 1}};
    static const struct um_flows_near near[] = {{0, 0, 0}, {1, 1, 1U << UM_FLOWS_CONNECTED}};
    size_t lines = 0;
    for (size_t i = 0; i <= HOSTILE_TEXTS; i++) {
        make_flows(i == 0 ? "plainer" : hostile_texts[i - 1], &markers, &flows);
        begin();
        const struct um_flows_write to = {.markers = &markers, .flows = &flows, .file = file};
        cr_assert(um_flows_write_list(&to, both, flows.count, 1) &&
                  um_flows_write_flow(&to, 0, near, flows.count));
        um_flows_write_slow(&to, slow, 2, 1);
        cr_expect(hostile_is_harmless(made_now()), "text %zu: %s", i, made);
        if (i == 0)
            lines = hostile_lines(made);
        cr_expect_eq(hostile_lines(made), lines, "text %zu: %s", i, made);
        end();
        um_flows_deinit(&flows);
        um_markers_deinit(&markers);
    }
}

/* What was written is JSON with an array of that name, and the next thing may be written. */
static void expect_array(const char *name, size_t text)
{
    cr_expect(hostile_is_harmless(made_now()), "text %zu: %s", text, made);
    cJSON *root = cJSON_Parse(made);
    cr_expect(cJSON_IsArray(cJSON_GetObjectItem(root, name)), "text %zu: %s", text, made);
    cJSON_Delete(root);
    end();
}

EXIT(flows_as_json)
{
    static const uint32_t both[] = {0, 1};
    static const struct um_flows_slow slow = {0, 0, 1, 1, 1};
    struct um_markers markers;
    struct um_flows flows;
    for (size_t i = 0; i < HOSTILE_TEXTS; i++) {
        make_flows(hostile_texts[i], &markers, &flows);
        begin();
        cr_assert(um_flows_write_json(
            &(struct um_flows_write){.markers = &markers, .flows = &flows, .file = file}, 0, both,
            flows.count));
        expect_array("flows", i);
        begin();
        cr_assert(um_flows_write_slow_json(
            &(struct um_flows_write){.markers = &markers, .flows = &flows, .file = file}, &slow,
            1));
        expect_array("flows", i);
        begin();
        cr_assert(um_flows_write_markers_json(
            &(struct um_flows_write){.markers = &markers, .flows = &flows, .file = file}, both, 2));
        expect_array("markers", i);
        um_flows_deinit(&flows);
        um_markers_deinit(&markers);
    }
}

/* The exits ------------------------------------------------------------------------------------ */

#define ON(command) (1u << UM_OPTIONS_##command)
#define WATCHES (ON(WATCH) | ON(LAUNCH) | ON(DEMO))

/* Where something leaves the program: by an option, or with "" on the terminal. */
static const struct exit {
    const char *option;
    const char *choice; /* of --format; NULL: any */
    unsigned commands;
    void (*test)(void);
    const char *why; /* there is none */
} exits[] = {
    {"", NULL, WATCHES | ON(REPLAY) | ON(REPORT), summary, NULL},
    {"", NULL, ON(LIST), list_of_programs, NULL},
    {"", NULL, ON(EXPORT), export_speedscope, NULL},
    {"", NULL, ON(FLOWS), flows_as_tables, NULL},
    {"", NULL, ON(COMPARE) | ON(BENCH) | ON(BISECT), comparison, NULL},
    {"", NULL, ON(CALIBRATE), NULL, "its texts are its own"},
    {"", NULL, ON(DOCTOR), table_of_doctor, NULL},
    {"", NULL, ON(HISTORY_ADD) | ON(HISTORY_SHOW), history, NULL},
    {"", NULL, ON(LISTEN), text_of_listen, NULL},
    {"", NULL, ON(QUERY), NULL, "it prints a number"},
    {"", NULL, ON(TRACE_ENV), NULL, "it prints the user's own words and paths of uimon's"},
    {"", NULL, ON(HELP) | ON(VERSION), NULL, "their texts are their own"},
    {"json", NULL, WATCHES, json_of_the_summary, NULL},
    {"json", NULL,
     ON(BENCH) | ON(BISECT) | ON(CALIBRATE) | ON(REPORT) | ON(COMPARE) | ON(DOCTOR) |
         ON(HISTORY_SHOW),
     json, NULL},
    {"json", NULL, ON(FLOWS), flows_as_json, NULL},
    {"csv", NULL, WATCHES, csv, NULL},
    {"csv", NULL, ON(LISTEN), csv_of_listen, NULL},
    {"json", NULL, ON(LISTEN), jsonl_of_listen, NULL},
    {"record", NULL, WATCHES, NULL, "nobody but uimon reads it, and shows it by other exits"},
    {"prometheus", NULL, WATCHES, prometheus_file, NULL},
    {"dump-dir", NULL, WATCHES, messages_and_folder_of_a_saved_freeze, NULL},
    {"html", NULL, ON(REPORT) | ON(COMPARE), page, NULL},
    {"html", NULL, ON(HISTORY_SHOW), history_as_page_and_for_github, NULL},
    {"github-benchmark", NULL, ON(HISTORY_SHOW), history_as_page_and_for_github, NULL},
    {"markdown", NULL, ON(COMPARE) | ON(BENCH), comparison_in_markdown, NULL},
    {"output", NULL, ON(EXPORT), export_speedscope, NULL},
    {"format", "speedscope", ON(EXPORT), export_speedscope, NULL},
    {"format", "folded", ON(EXPORT), export_folded, NULL},
    {"format", "firefox", ON(EXPORT), export_firefox, NULL},
    {"format", "perfetto", ON(EXPORT), NULL, "it is binary"},
    {"format", "chrome", ON(EXPORT), export_chrome, NULL},
    {"format", "csv", ON(EXPORT), export_csv, NULL},
    {"format", "hlog", ON(EXPORT), NULL, "it has numbers alone"},
    {"format", "hgrm", ON(EXPORT), NULL, "it has numbers alone"},
};
#define EXITS (sizeof exits / sizeof exits[0])

/* Options that take a text, by which nothing leaves the program. */
static const char *const entries[] = {"attach",      "launch",
                                      "symbol-path", "mine",
                                      "only",        "hide",
                                      "source-path", "measure",
                                      "label",       "editor-link",
                                      "fail-over",   "suspect",
                                      "define",      "before",
                                      "machine",     "after",
                                      "config",      "counters",
                                      "caption",     "provider",
                                      "resume",      "layout-components",
                                      "flow",        "from",
                                      "search"};

static bool is_exit(const char *option, const char *choice, unsigned command)
{
    for (size_t i = 0; i < EXITS; i++)
        if (strcmp(exits[i].option, option) == 0 && exits[i].commands & command &&
            (!choice || (exits[i].choice && strcmp(exits[i].choice, choice) == 0)))
            return exits[i].test || exits[i].why;
    return false;
}

static bool is_entry(const char *option)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (strcmp(entries[i], option) == 0)
            return true;
    return false;
}

static void expect_exit(const struct um_options_table_row *row, const char *choice)
{
    for (unsigned command = 1; command <= ON(VERSION); command <<= 1)
        cr_expect(!(row->commands & command) || is_exit(row->name, choice, command),
                  "--%s %s of command %x is in no row of `exits`", row->name, choice ? choice : "",
                  command);
}

/* A new one has no row here, and this fails. */
Test(hostile, every_exit_is_tested_or_says_why_not)
{
    for (unsigned i = UM_OPTIONS_WATCH; i <= UM_OPTIONS_VERSION; i++)
        cr_expect(i == UM_OPTIONS_HISTORY || is_exit("", NULL, 1u << i), "command %u", i);
    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        const struct um_options_table_row *row = &um_options_table[i];
        bool is_text =
            row->kind == UM_OPTIONS_TABLE_TEXT || row->kind == UM_OPTIONS_TABLE_MODULES ||
            row->kind == UM_OPTIONS_TABLE_MANY || row->kind == UM_OPTIONS_TABLE_PROVIDERS ||
            row->kind == UM_OPTIONS_TABLE_OUTPUT;
        char words[64];
        if (is_text && !is_entry(row->name))
            expect_exit(row, NULL);
        if (i != UM_OPT_FORMAT)
            continue;
        snprintf(words, sizeof words, "%s", row->value);
        for (char *word = strtok(words, "|"); word; word = strtok(NULL, "|"))
            expect_exit(row, word);
    }
    for (size_t i = 0; i < EXITS; i++)
        cr_expect(!exits[i].option[0] ||
                      um_options_table_find(exits[i].option, strlen(exits[i].option)),
                  "there is no --%s", exits[i].option);
}
