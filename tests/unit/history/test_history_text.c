/* What is shown of a history. The text is a golden file: UIMON_GOLDEN=write writes it anew; read it
 * before committing. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/base/page.h"
#include "monitor/base/random.h"
#include "monitor/base/utf8.h"
#include "monitor/history/history.h"
#include "monitor/history/history_changes.h"
#include "monitor/history/history_html.h"
#include "monitor/history/history_json.h"
#include "monitor/history/history_page.h"
#include "monitor/history/history_text.h"
#include "tests/history_lines.h"

#define GOLDEN UM_SOURCE_DIR "/tests/golden/history.txt"

static struct history_lines lines;
static struct um_history history;
static char *made;

static void teardown(void)
{
    um_history_deinit(&history);
    free(lines.text);
    free(made);
}

TestSuite(history_text, .fini = teardown);

static void take_lines(void)
{
    cr_assert_eq(um_history_read(lines.text, lines.len, &history), UM_OK);
    cr_assert_eq(um_history_changes_find(&history), UM_OK);
}

static void write_text(void)
{
    size_t len = 0;
    FILE *file = open_memstream(&made, &len);
    cr_assert_eq(um_history_text_write(file, &history), UM_OK);
    fclose(file);
}

static const char *read_golden(void)
{
    static char text[16384];
    FILE *file = fopen(GOLDEN, "rb");
    cr_assert(file, "%s", GOLDEN);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* A drift over twenty commits, then the half of it taken back at once, on a newer system; and a
 * second scenario with few commits. */
static void make_golden_history(void)
{
    struct um_random random = {31};
    for (int i = 0; i < 70; i++) {
        int steps = i < 20 ? 0 : i < 40 ? i - 19 : i < 55 ? 20 : 10;
        double total = 12 * pow(1.01, steps) * (1 + 0.015 * um_random_normal(&random));
        history_lines_put(&lines,
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
    const char *mode = getenv("UIMON_GOLDEN");
    make_golden_history();
    take_lines();
    write_text();
    if (mode && strcmp(mode, "write") == 0) {
        FILE *golden = fopen(GOLDEN, "wb");
        cr_assert(golden && fputs(made, golden) >= 0 && fclose(golden) == 0);
    }
    cr_expect_str_eq(made, read_golden(), "%s", made);
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
        cr_expect(um_utf8_columns(line) <= 80, "%zu: %s", um_utf8_columns(line), line);
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

/* The mark stands below the column of the change: 44 columns for 88 commits. */
Test(history_text, marks_stand_below_the_change)
{
    history_lines_step(&lines, 88, 60);
    take_lines();
    write_text();
    char *row = strstr(made, "  total");
    cr_assert(row);
    char *marks = strchr(row, '\n') + 1;
    size_t at = strspn(marks, " ");
    cr_expect_eq(marks[at], '^', "%s", made);
    cr_expect_eq(at, 16 + 30, "%zu", at);
    cr_expect(strstr(made, "c60"));
}

static const cJSON *at(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    cr_assert(item, "no %s", name);
    return item;
}

Test(history_text, json_has_points_and_changes)
{
    char *text;
    history_lines_step(&lines, 30, 18);
    history_lines_put(&lines, "half a li\n");
    take_lines();
    cr_assert_eq(um_history_json_make(&history, &text), UM_OK);
    cJSON *root = cJSON_Parse(text);
    cJSON_free(text);
    cr_assert(root);
    cr_expect_str_eq(at(root, "kind")->valuestring, "history-changes");
    cr_expect_eq(at(root, "schema")->valueint, UM_HISTORY_JSON_SCHEMA);
    cr_expect_eq(at(root, "damaged_lines")->valueint, 1);
    const cJSON *track = cJSON_GetArrayItem(at(root, "tracks"), 0);
    cr_expect_str_eq(at(track, "scenario")->valuestring, "edit");
    cr_expect_eq(cJSON_GetArraySize(at(track, "commits")), 30);
    const cJSON *series = cJSON_GetArrayItem(at(track, "series"), 0);
    cr_expect_str_eq(at(series, "measure")->valuestring, "typing");
    cr_expect_str_eq(at(series, "name")->valuestring, "total");
    const cJSON *point = cJSON_GetArrayItem(at(series, "points"), 29);
    cr_expect_eq(at(point, "commit")->valueint, 29);
    cr_expect_float_eq(at(point, "median")->valuedouble, 25.3, 1e-6);
    cr_expect_float_eq(at(point, "low")->valuedouble, 25.3 * 0.98, 1e-6);
    cr_assert_eq(cJSON_GetArraySize(at(series, "changes")), 1);
    const cJSON *change = cJSON_GetArrayItem(at(series, "changes"), 0);
    cr_expect_str_eq(at(change, "label")->valuestring, "c18");
    cr_expect_eq(at(change, "commit")->valueint, 18);
    cr_expect_float_eq(at(change, "before")->valuedouble, 20.2, 1e-9);
    cr_expect_float_eq(at(change, "after")->valuedouble, 25.2, 1e-9);
    cr_expect_float_eq(at(change, "percent")->valuedouble, 100 * (25.2 / 20.2 - 1), 1e-5);
    cr_expect(at(change, "p")->valuedouble <= 0.01);
    cJSON_Delete(root);
}

static cJSON *make_github(void)
{
    char *text;
    cr_assert_eq(um_history_json_github(&history, &text), UM_OK);
    cJSON *root = cJSON_Parse(text);
    cJSON_free(text);
    cr_assert(cJSON_IsArray(root));
    return root;
}

/* Source of the members: the README of github-action-benchmark. */
Test(history_text, github_has_the_newest_commit)
{
    history_lines_add(&lines, "a", 10);
    history_lines_add(&lines, "b", 20);
    take_lines();
    cJSON *root = make_github();
    cr_assert_eq(cJSON_GetArraySize(root), 1);
    const cJSON *bench = cJSON_GetArrayItem(root, 0);
    cr_expect_str_eq(at(bench, "name")->valuestring, "edit: typing total");
    cr_expect_str_eq(at(bench, "unit")->valuestring, "ms");
    cr_expect_float_eq(at(bench, "value")->valuedouble, 20, 1e-9);
    cr_expect_str_eq(at(bench, "range")->valuestring, "\xc2\xb1 0.50");
    cr_expect_str_eq(at(bench, "extra")->valuestring, "b\n15 runs on VM");
    cr_expect_eq(cJSON_GetArraySize(bench), 5);
    cJSON_Delete(root);
}

static void add_scenario(const char *machine, const char *label, const char *scenario, double total)
{
    history_lines_put(&lines,
                      UM_HISTORY_HEAD
                      "\"schema\":1,\"label\":\"%s\",\"machine\":\"%s\",\"scenario\":\"%s\","
                      "\"measures\":[{\"name\":\"m\",\"quantities\":[{\"name\":\"idle\",\"median\":"
                      "%g,\"low\":%g,\"high\":%g,\"runs\":1}]}]}\n",
                      label, machine, scenario, total, total, total);
}

Test(history_text, github_has_all_scenarios_of_the_commit_and_machine)
{
    add_scenario("VM", "a", "one", 1);
    add_scenario("VM", "b", "one", 2);
    add_scenario("other", "b", "one", 3);
    add_scenario("VM", "a", "three", 4);
    add_scenario("VM", "b", "two", 5);
    take_lines();
    cJSON *root = make_github();
    cr_assert_eq(cJSON_GetArraySize(root), 2);
    cr_expect_str_eq(at(cJSON_GetArrayItem(root, 0), "name")->valuestring, "two: m idle");
    cr_expect_float_eq(at(cJSON_GetArrayItem(root, 0), "value")->valuedouble, 5, 1e-9);
    cr_expect_str_eq(at(cJSON_GetArrayItem(root, 1), "name")->valuestring, "one: m idle");
    cr_expect_float_eq(at(cJSON_GetArrayItem(root, 1), "value")->valuedouble, 2, 1e-9);
    cJSON_Delete(root);
}

Test(history_text, github_gets_no_empty_list)
{
    char *text;
    cr_expect_eq(um_history_json_github(&history, &text), UM_ERR_NOT_FOUND);
    history_lines_put(&lines, UM_HISTORY_HEAD "\"schema\":1,\"label\":\"a\",\"measures\":[]}\n");
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
    char *text = calloc(1, um_history_page_len + 1);
    memcpy(text, um_history_page, um_history_page_len);
    cr_expect_eq(strlen(text), um_history_page_len, "a NUL is in the page");
    cr_expect_eq(count_of(text, UM_PAGE_MARKER), 1);
    static const char *const never[] = {"src=",   "url(",           "@import",   "import(",
                                        "fetch(", "XMLHttpRequest", "innerHTML", "document.write"};
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        cr_expect_eq(count_of(text, never[i]), 0, "%s", never[i]);
    cr_expect_eq(count_of(text, "href="), count_of(text, "href=\"data:,\""));
    cr_expect_eq(count_of(text, "://"), count_of(text, "'http://www.w3.org/2000/svg'"));
    cr_expect_eq(count_of(text, "default-src 'none'"), 1);
    free(text);
}

Test(history_text, page_has_the_data_and_no_markup_of_others)
{
    size_t len = 0;
    size_t tags = 0;
    history_lines_add(&lines, "</script><b>&amp;", 10);
    take_lines();
    FILE *file = open_memstream(&made, &len);
    cr_assert_eq(um_history_html_write(file, &history), UM_OK);
    fclose(file);
    for (size_t i = 0; i < um_history_page_len; i++)
        tags += um_history_page[i] == '<';
    cr_expect_eq(count_of(made, "<"), tags, "a '<' of the data is in the page");
    const char *data = strstr(made, "type=\"application/json\">") + 24;
    cJSON *root = cJSON_ParseWithLength(data, (size_t)(strstr(data, "</script") - data));
    const cJSON *track = cJSON_GetArrayItem(at(root, "tracks"), 0);
    const cJSON *commit = cJSON_GetArrayItem(at(track, "commits"), 0);
    cr_expect_str_eq(at(commit, "label")->valuestring, "</script><b>&amp;");
    cJSON_Delete(root);
}
