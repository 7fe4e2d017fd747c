/* What is shown of a history. The text is a golden file: UIMON_GOLDEN=write writes it anew; read it
 * before committing. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/page.h"
#include "base/random.h"
#include "base/utf8.h"
#include "monitor/history/history.h"
#include "monitor/history/history_changes.h"
#include "monitor/history/history_html.h"
#include "monitor/history/history_json.h"
#include "monitor/history/history_text.h"
#include "tests/history_lines.h"
#include "tests/json_read.h"
#include "tests/written_golden.h"

static struct growing_text lines;
static struct um_history history;
static char *made;
static cJSON *root;

static void teardown(void)
{
    um_history_deinit(&history);
    free(lines.text);
    cJSON_Delete(root);
}

TestSuite(history_text, .fini = teardown);

static void take_lines(void)
{
    cr_assert_eq(um_history_read(lines.text, lines.len, NULL, &history), UM_OK);
    cr_assert_eq(um_history_changes_find(&history), UM_OK);
}

static void write_text(void)
{
    FILE *file = written_open();
    cr_assert_eq(um_history_text_write(file, &history), UM_OK);
    made = written_read(file, NULL);
}

/* A drift over twenty commits, then the half of it taken back at once, on a newer system; and a
 * second scenario with few commits. */
static void make_golden_history(void)
{
    struct um_random random = {31};
    for (int i = 0; i < 70; i++) {
        int steps = i < 20 ? 0 : i < 40 ? i - 19 : i < 55 ? 20 : 10;
        double total = 12 * pow(1.01, steps) * (1 + 0.015 * um_random_normal(&random));
        growing_text_put(&lines,
                         UM_HISTORY_HEAD
                         "\"schema\":1,\"label\":\"%07x\",\"time\":\"2026-%02d-%02dT12:00:00Z\","
                         "\"uimon\":\"0.1.0\",\"machine\":\"VM\",\"system\":\"Windows "
                         "10.0.%d\",\"target\":\"devenv.exe\",\"scenario\":\"typing in a large "
                         "file\",\"crc32\":\"e68102d7\",\"measures\":[{\"name\":\"typing\","
                         "\"total_to\":\"painted\",\"quantities\":[{\"name\":\"total\",\"median\":"
                         "%.3f,\"low\":%.3f,\"high\":%.3f,\"runs\":15},{\"name\":\"delay\","
                         "\"median\":%.3f,\"low\":0.1,\"high\":0.9,\"runs\":15},{\"name\":"
                         "\"freezes\",\"median\":0,\"low\":0,\"high\":0,\"runs\":15}]}]}\n",
                         0x4f2a000 + i * 0x1357, 7 + i / 28, 1 + i % 28, i < 55 ? 19045 : 22631,
                         total, total * 0.98, total * 1.03,
                         0.4 * (1 + 0.03 * um_random_normal(&random)));
    }
    history_lines_add(&lines, "v1", 20);
    history_lines_add(&lines, "v2", 30);
}

Test(history_text, is_as_in_the_golden_file)
{
    make_golden_history();
    take_lines();
    write_text();
    written_check("history.txt", made, strlen(made));
}

Test(history_text, is_80_columns_wide)
{
    char label[3 * UM_HISTORY_LABEL_COLUMNS + 1] = "";
    for (int i = 0; i < UM_HISTORY_LABEL_COLUMNS / 2; i++)
        strcat(label, "\xe6\xbc\xa2"); /* 3 bytes and 2 columns */
    make_golden_history();
    history_lines_add(&lines, label, 123456);
    for (int i = 0; i < 12; i++)
        history_lines_add(&lines, "123456789012345678901234567890123456789", 123456 * (i + 1));
    take_lines();
    write_text();
    for (char *line = strtok(made, "\n"); line; line = strtok(NULL, "\n"))
        cr_expect_leq(um_utf8_columns(line), 80, "%zu: %s", um_utf8_columns(line), line);
}

Test(history_text, a_full_disk_is_an_error)
{
    FILE *file = fopen("/dev/full", "wb");
    history_lines_add(&lines, "a", 10);
    take_lines();
    cr_assert(file);
    cr_expect_eq(um_history_text_write(file, &history), UM_ERR_IO);
    fclose(file);
    file = fopen("/dev/full", "wb");
    cr_assert(file);
    cr_expect_eq(um_history_html_write(file, &history), UM_ERR_IO);
    fclose(file);
}

/* The caret stands below the column of the change: 44 columns for 88 commits. */
Test(history_text, carets_stand_below_the_change)
{
    history_lines_step(&lines, 88, 60);
    take_lines();
    write_text();
    char *row = strstr(made, "  total");
    cr_assert(row);
    char *carets = strchr(row, '\n') + 1;
    size_t at = strspn(carets, " ");
    cr_expect_eq(carets[at], '^', "%s", made);
    cr_expect_eq(at, 16 + 30, "%zu", at);
    cr_expect(strstr(made, "c60"));
}

Test(history_text, json_has_points_and_changes)
{
    char *text;
    history_lines_step(&lines, 30, 18);
    growing_text_put(&lines, "half a li\n");
    take_lines();
    cr_assert_eq(um_history_json_make(&history, &text), UM_OK);
    root = cJSON_Parse(text);
    cJSON_free(text);
    cr_assert(root);
    cr_expect_str_eq(json_text(root, "kind"), "history-changes");
    cr_expect_eq(json_number(root, "schema"), UM_HISTORY_JSON_SCHEMA);
    cr_expect_eq(json_number(root, "damaged_lines"), 1);
    cr_expect_str_eq(json_text(root, "tracks.0.scenario"), "edit");
    cr_expect_eq(json_size(root, "tracks.0.commits"), 30);
    const cJSON *series = json_at(root, "tracks.0.series.0");
    cr_expect_str_eq(json_text(series, "measure"), "typing");
    cr_expect_str_eq(json_text(series, "name"), "total");
    const cJSON *point = json_at(series, "points.29");
    cr_expect_eq(json_number(point, "commit"), 29);
    cr_expect_float_eq(json_number(point, "median"), 25.3, 1e-6);
    cr_expect_float_eq(json_number(point, "low"), 25.3 * 0.98, 1e-6);
    cr_assert_eq(json_size(series, "changes"), 1);
    const cJSON *change = json_at(series, "changes.0");
    cr_expect_str_eq(json_text(change, "label"), "c18");
    cr_expect_eq(json_number(change, "commit"), 18);
    cr_expect_float_eq(json_number(change, "before"), 20.2, 1e-9);
    cr_expect_float_eq(json_number(change, "after"), 25.2, 1e-9);
    cr_expect_float_eq(json_number(change, "percent"), 100 * (25.2 / 20.2 - 1), 1e-5);
    cr_expect_leq(json_number(change, "p"), 0.01);
}

/* The two numbers differ as the change says, and there is no per cent of what is below the step of
 * the clock. */
Test(history_text, numbers_of_a_change_differ)
{
    static const struct {
        double before, after;
        const char *text, *level;
        double percent; /* NAN: none */
    } cases[] = {
        {12, 12.012, "12.000 -> 12.012 ms  +0.1 %  p", "12.012 ms", 0.1},
        {0.005, 0.006, "0.0050 -> 0.0060 ms  +20.0 %  p", "0.0060 ms", 20},
        {0.004, 0.006, "0.0040 -> 0.0060 ms  +50.0 %  p", "0.0060 ms", 50},
        {1000, 1001, "1000.0 -> 1001.0 ms  +0.1 %  p", "1001.0 ms", 0.1},
        {1000, 1001.96, "1000.0 -> 1002.0 ms  +0.2 %  p", "1002.0 ms", 0.196},
        {20.2, 25.2, "20.20 -> 25.20 ms  +24.8 %  p", "25.20 ms", 24.752475},
        {5, 0, "5.00 -> 0.00 ms  -100.0 %  p", "0.00 ms", -100},
        {0, 5, "0.00 -> 5.00 ms  p", "5.00 ms", NAN},
        {0.0004, 5, "0.00 -> 5.00 ms  p", "5.00 ms", NAN},
        {0, 0.002, "0.0000 -> 0.0020 ms  p", "0.0020 ms", NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text;
        teardown();
        lines = (struct growing_text){0};
        history_lines_levels(&lines, cases[i].before, cases[i].after);
        take_lines();
        write_text();
        cr_expect(strstr(made, cases[i].text), "no %s in %s", cases[i].text, made);
        cr_expect(strstr(made, cases[i].level), "no %s in %s", cases[i].level, made);
        cr_assert_eq(um_history_json_make(&history, &text), UM_OK);
        root = cJSON_Parse(text);
        cJSON_free(text);
        const cJSON *change = json_at(root, "tracks.0.series.0.changes.0");
        cr_expect_float_eq(json_number(change, "before"), cases[i].before, 1e-9);
        cr_expect_float_eq(json_number(change, "after"), cases[i].after, 1e-9);
        cr_expect_eq(cJSON_HasObjectItem(change, "percent"), !isnan(cases[i].percent));
        if (!isnan(cases[i].percent))
            cr_expect_float_eq(json_number(change, "percent"), cases[i].percent, 1e-5);
    }
}

static void add_scenario(const char *machine, const char *label, const char *scenario, double total)
{
    growing_text_put(&lines,
                     UM_HISTORY_HEAD
                     "\"schema\":1,\"label\":\"%s\",\"machine\":\"%s\",\"scenario\":\"%s\","
                     "\"measures\":[{\"name\":\"m\",\"quantities\":[{\"name\":\"idle\",\"median\":"
                     "%g,\"low\":%g,\"high\":%g,\"runs\":1}]}]}\n",
                     label, machine, scenario, total, total, total);
}

static void make_github(void)
{
    char *text;
    cr_assert_eq(um_history_json_github(&history, &text), UM_OK);
    root = cJSON_Parse(text);
    cJSON_free(text);
    cr_assert(cJSON_IsArray(root));
}

/* Only where it is not the track's. */
Test(history_text, json_has_the_machine_of_a_commit)
{
    char *text;
    add_scenario("VM", "a", "one", 1);
    add_scenario("other", "b", "one", 2);
    cr_assert_eq(um_history_read(lines.text, lines.len, "vm", &history), UM_OK);
    cr_assert_eq(um_history_json_make(&history, &text), UM_OK);
    root = cJSON_Parse(text);
    cJSON_free(text);
    cr_expect_str_eq(json_text(root, "tracks.0.machine"), "vm");
    cr_expect_null(json_at(root, "tracks.0.commits.0.machine"));
    cr_expect_str_eq(json_text(root, "tracks.0.commits.1.machine"), "other");
    cJSON_Delete(root);
    make_github();
    cr_expect_str_eq(json_text(root, "0.extra"), "b\n1 run on other");
}

Test(history_text, a_change_too_small_to_be_told_is_nowhere)
{
    char *text;
    history_lines_levels(&lines, 12, 12.002);
    take_lines();
    write_text();
    cr_expect(strstr(made, "  No change.\n"), "%s", made);
    cr_expect(!strstr(made, "->"), "%s", made);
    cr_assert_eq(um_history_json_make(&history, &text), UM_OK);
    root = cJSON_Parse(text);
    cJSON_free(text);
    cr_expect_eq(json_size(root, "tracks.0.series.0.changes"), 0);
}

/* Source of the members: the README of github-action-benchmark. */
Test(history_text, github_has_the_newest_commit)
{
    history_lines_add(&lines, "a", 10);
    history_lines_add(&lines, "b", 20);
    take_lines();
    make_github();
    cr_assert_eq(cJSON_GetArraySize(root), 1);
    const cJSON *bench = json_at(root, "0");
    cr_expect_str_eq(json_text(bench, "name"), "edit: typing total");
    cr_expect_str_eq(json_text(bench, "unit"), "ms");
    cr_expect_float_eq(json_number(bench, "value"), 20, 1e-9);
    cr_expect_str_eq(json_text(bench, "range"), "\xc2\xb1 0.50");
    cr_expect_str_eq(json_text(bench, "extra"), "b\n15 runs on VM");
    cr_expect_eq(cJSON_GetArraySize(bench), 5);
}

Test(history_text, github_has_all_scenarios_of_the_commit_and_machine)
{
    add_scenario("VM", "a", "one", 1);
    add_scenario("VM", "b", "one", 2);
    add_scenario("other", "b", "one", 3);
    add_scenario("VM", "a", "three", 4);
    add_scenario("Vm", "b", "two", 5);
    take_lines();
    make_github();
    cr_assert_eq(cJSON_GetArraySize(root), 2);
    cr_expect_str_eq(json_text(root, "0.name"), "two: m idle");
    cr_expect_float_eq(json_number(root, "0.value"), 5, 1e-9);
    cr_expect_str_eq(json_text(root, "1.name"), "one: m idle");
    cr_expect_float_eq(json_number(root, "1.value"), 2, 1e-9);
}

Test(history_text, github_gets_no_empty_list)
{
    char *text;
    cr_expect_eq(um_history_json_github(&history, &text), UM_ERR_NOT_FOUND);
    growing_text_put(&lines, UM_HISTORY_HEAD "\"schema\":1,\"label\":\"a\",\"measures\":[]}\n");
    take_lines();
    cr_expect_eq(um_history_json_github(&history, &text), UM_ERR_NOT_FOUND);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (text = strstr(text, part); text; text = strstr(text + 1, part))
        count++;
    return count;
}

/* A page that is mailed or archived must not ask the network for anything. */
Test(history_text, page_refers_to_nothing_outside)
{
    const char *text = (const char *)um_history_page;
    cr_expect(strstr(text, "</html>"), "a NUL is in the page");
    cr_expect_eq(count_of(text, UM_PAGE_PLACEHOLDER), 1);
    cr_expect_eq(count_of(text, UM_PAGE_TEXT_PLACEHOLDER), 1);
    static const char *const never[] = {"src=",   "url(",           "@import",   "import(",
                                        "fetch(", "XMLHttpRequest", "innerHTML", "document.write"};
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        cr_expect_eq(count_of(text, never[i]), 0, "%s", never[i]);
    cr_expect_eq(count_of(text, "href="), count_of(text, "href=\"data:,\""));
    cr_expect_eq(count_of(text, "://"), count_of(text, "'http://www.w3.org/2000/svg'"));
    cr_expect_eq(count_of(text, "default-src 'none'"), 1);
}

Test(history_text, page_has_the_data_and_no_markup_of_others)
{
    history_lines_add(&lines, "</script><b>&amp;", 10);
    take_lines();
    FILE *file = written_open();
    cr_assert_eq(um_history_html_write(file, &history), UM_OK);
    made = written_read(file, NULL);
    size_t tags = count_of((const char *)um_history_page, "<");
    cr_expect_eq(count_of(made, "<"), tags, "a '<' of the data is in the page");
    const char *data = strstr(made, "type=\"application/json\">") + 24;
    root = cJSON_ParseWithLength(data, (size_t)(strstr(data, "</script") - data));
    cr_expect_str_eq(json_text(root, "tracks.0.commits.0.label"), "</script><b>&amp;");
}
