/* Hostile text through every output for people. A text never adds a line of its own, and nothing
 * that commands a terminal, a spreadsheet, Markdown or HTML comes out. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/base/output.h"
#include "monitor/doctor/findings.h"
#include "monitor/feed/csv.h"
#include "monitor/history/history.h"
#include "monitor/history/history_changes.h"
#include "monitor/history/history_html.h"
#include "monitor/history/history_json.h"
#include "monitor/history/history_text.h"
#include "monitor/listen/counters.h"
#include "monitor/listen/lines.h"
#include "monitor/stats/summary.h"
#include "monitor/target/target_spec.h"
#include "tests/hostile.h"
#include "tests/hostile_comparison.h"

#define MS UINT64_C(1000000)
#define LONG_BYTES 10000

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
    cr_expect(hostile_lines(text) == lines, "text %zu: %zu lines for %zu: %s", i,
              hostile_lines(text), lines, text);
}

Test(hostile, lines_for_a_terminal)
{
    for (size_t i = 0; i < CASES; i++) {
        begin();
        um_output_text(file, text_of(i));
        expect_lines(i, 0);
        end();
    }
}

Test(hostile, list_of_programs)
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

Test(hostile, programs_to_choose_from)
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
                               .duration_ns = 5000 * MS,
                               .freezes = &freezes};
}

Test(hostile, summary)
{
    struct um_summary plain = summary_with("plain");
    begin();
    cr_assert_eq(um_summary_write_text(file, &plain), UM_OK);
    size_t lines = hostile_lines(made_now());
    end();
    for (size_t i = 0; i < CASES; i++) {
        struct um_summary summary = summary_with(text_of(i));
        begin();
        cr_assert_eq(um_summary_write_text(file, &summary), UM_OK);
        expect_lines(i, lines);
        end();
    }
}

/* JSON escapes what is below a blank; its readers have to mind the rest. It is UTF-8 always. */
Test(hostile, json_of_the_summary)
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

/* Whether a cell of this line begins a formula, quoted or not. Numbers begin with digits here. */
static bool has_formula(const char *line)
{
    bool quoted = false;
    for (const char *at = line; *at; at++) {
        bool begins = at == line || (!quoted && at[-1] == ',');
        const char *cell = at + (begins && *at == '"');
        if (begins && *cell && strchr("=+-@\t\r", *cell))
            return true;
        quoted ^= *at == '"';
    }
    return false;
}

Test(hostile, csv)
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
Test(hostile, csv_of_listen)
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

Test(hostile, table_of_doctor)
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

Test(hostile, comparison)
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
Test(hostile, comparison_in_markdown)
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
    cr_assert_eq(um_history_read(text, len, history), UM_OK);
    cr_assert_eq(um_history_changes_find(history), UM_OK);
    free(text);
}

Test(hostile, history)
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

Test(hostile, history_as_page_and_for_github)
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
