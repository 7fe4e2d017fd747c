/* The texts are golden files: UIMON_GOLDEN=write writes them anew; read them before committing. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "monitor/compare/compare_format.h"
#include "monitor/compare/compare_text.h"
#include "tests/json_read.h"
#include "tests/written_golden.h"

#define POOL WRITTEN_GOLDEN "runs_synthetic.json"

static struct um_results sides[2];
static struct um_comparison comparison;
static struct um_limits_finding findings[2];
static struct um_compare_text text;
static char error[512];

/* Before: the synthetic runs. After: the same with typing slower by `factor`. */
static void make(double factor, bool drop)
{
    for (int i = 0; i < 2; i++)
        cr_assert_eq(um_results_read_file(&sides[i], false, POOL, error, sizeof error), UM_OK, "%s",
                     error);
    for (size_t i = 0; i < sides[1].measure_count; i++) {
        struct um_results_measure *measure = &sides[1].measures[i];
        for (int series = UM_RESULTS_PAINTED; series <= UM_RESULTS_PRESENTATION; series++)
            for (size_t j = 0; j < measure->groups[series].len; j++)
                measure->groups[series].values[j].value *= factor;
        if (drop && strcmp(measure->name, UM_RESULTS_STARTUP) == 0)
            strcpy(measure->name, "a|b<c>");
    }
    snprintf(sides[1].conditions.machine, sizeof sides[1].conditions.machine, "another");
    sides[0].has_floor = true;
    um_floor_init(&sides[0].floor);
    sides[0].floor.inputs[UM_FLOOR_KEY][UM_FLOOR_TOTAL] = (struct um_floor_figure){0.31, 0.52, 200};
    cr_assert_eq(um_comparison_make(&sides[0], &sides[1], &comparison), UM_OK);
    findings[0].outcome = UM_LIMITS_EXCEEDED;
    snprintf(findings[0].line, sizeof findings[0].line, "limit exceeded: typing.p90: so much");
    text = (struct um_compare_text){&comparison, findings, 1};
}

static void release(void)
{
    um_comparison_deinit(&comparison);
    um_results_deinit(&sides[0]);
    um_results_deinit(&sides[1]);
}

TestSuite(compare_text, .fini = release);

static char *written(void (*write)(FILE *, const struct um_compare_text *), size_t *len)
{
    FILE *out = written_open();
    write(out, &text);
    return written_read(out, len);
}

static void assert_golden(const char *name, void (*write)(FILE *, const struct um_compare_text *))
{
    size_t len;
    char *made = written(write, &len);
    written_check(name, made, len);
}

Test(compare_text, slower_reads_as_in_the_golden_file)
{
    make(1.10, false);
    assert_golden("compare_slower.txt", um_compare_text_write);
}

/* Names of many bytes are cut between two characters. */
Test(compare_text, a_long_name_of_a_machine_stays_utf8)
{
    struct um_results side = {.runs = 1, .files = 1};
    for (int i = 0; i < 20; i++)
        strcat(side.conditions.machine, "\xe6\xbc\xa2"); /* 3 bytes and 2 columns */
    strcat(side.conditions.machine, "x");
    struct um_compare_format made = um_compare_format_side(&side);
    cr_expect(um_utf8_valid(made.text, strlen(made.text)), "%s", made.text);
    cr_expect_str_eq(made.text, "1 run in 1 file on 漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢…");
}

Test(compare_text, no_difference_reads_as_in_the_golden_file)
{
    make(1.0, true);
    assert_golden("compare_same.txt", um_compare_text_write);
}

Test(compare_text, markdown_is_as_in_the_golden_file)
{
    make(0.9, true);
    assert_golden("compare_faster.md", um_compare_markdown_write);
}

Test(compare_text, lines_fit_into_100_columns)
{
    make(1234.5, true);
    char *made = written(um_compare_text_write, NULL);
    for (char *line = strtok(made, "\n"); line; line = strtok(NULL, "\n"))
        cr_assert_leq(um_utf8_columns(line), 100, "%s", line);
}

Test(compare_text, json_has_the_verdict_and_the_numbers)
{
    char *json = NULL;
    make(1.10, false);
    cr_assert_eq(um_compare_json(&text, &json), UM_OK);
    cJSON *root = cJSON_Parse(json);
    const cJSON *measure;
    bool found = false;
    cJSON_ArrayForEach(measure, json_at(root, "measures"))
    {
        if (strcmp(json_text(measure, "name"), "typing") != 0)
            continue;
        const cJSON *total = json_at(measure, "quantities.0");
        double percent = json_number(total, "median_change.percent");
        found = true;
        cr_assert_str_eq(json_text(measure, "verdict"), "slower");
        cr_assert_str_eq(json_text(measure, "total_to"), "painted");
        cr_assert(percent > 9.999 && percent < 10.001, "%g", percent);
        cr_assert_eq(json_number(total, "before.runs"), 24);
        cr_assert_eq(json_number(total, "before.values"), 24 * 60);
    }
    cr_assert(found);
    cr_assert_eq(json_size(root, "warnings"), 1);
    cr_assert_str_eq(json_text(root, "limits.0.outcome"), "exceeded");
    cJSON_Delete(root);
    cJSON_free(json);
}
