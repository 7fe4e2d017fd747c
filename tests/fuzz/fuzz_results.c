/* Feeds any bytes to the reader of benchmark results, and what it accepts to the comparison and its
 * three forms. Checks what the headers promise: a refusal is one line, values are finite and of a
 * run that exists. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/utf8.h"
#include "monitor/compare/compare_text.h"
#include "monitor/compare/comparison.h"
#include "monitor/compare/limits.h"
#include "monitor/compare/results.h"
#include "tests/fuzz/one_of.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/steps.h"
#include "tests/hostile.h"

/* A comparison takes a thousand times as long as reading, and more with many values: only some
 * inputs get that far. */
#define FEW_VALUES 300
#define ONE_OF_FEW 64
#define MANY_VALUES 4000
#define ONE_OF_MANY 1024
#define FEW_PAIRS 12
/* Thousands of resamples of all values: a comparison of few of them took 25 million. */
#define COMPARE_STEPS UINT64_C(2000000000)
#define VALUE_STEPS 20 /* a beat stands for those that waited behind it: 6 for each were measured */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_values(const struct um_results *results)
{
    size_t values = 0;
    for (size_t i = 0; i < results->measure_count; i++) {
        require(results->measures[i].name[0] != '\0');
        require(results->measures[i].inputs.missing <= results->measures[i].inputs.injected);
        require(results->measures[i].inputs.given_up <= results->measures[i].inputs.missing);
        for (size_t series = 0; series < UM_RESULTS_SERIES; series++) {
            const struct um_compare_group *group = &results->measures[i].groups[series];
            values += group->len;
            for (size_t j = 0; j < group->len; j++) {
                require(isfinite(group->values[j].value) && group->values[j].run < results->runs);
                require(j == 0 || group->values[j].value >= group->values[j - 1].value);
            }
        }
    }
    require(values == results->values && values <= UM_RESULTS_VALUES);
}

/* What people and programs read of it. */
static void check_text(const struct um_compare_text *text)
{
    char *made = NULL;
    size_t len = 0;
    FILE *file = open_memstream(&made, &len);

    require(file);
    um_compare_text_write(file, text);
    um_compare_markdown_write(file, text);
    require(fclose(file) == 0 && hostile_is_harmless(made));
    free(made);
    require(um_compare_json(text, &made) == UM_OK);
    cJSON *root = cJSON_Parse(made);
    require(root && um_utf8_valid(made, strlen(made)));
    cJSON_Delete(root);
    cJSON_free(made);
}

/* With itself a side shows no difference. With one without its last measure it has one alone. */
static void compare(const struct um_results *results)
{
    struct um_limits_findings findings = {0};
    struct um_results fewer = *results;
    struct um_comparison comparison;
    struct um_limits_limit limit;
    char error[UM_LIMITS_ERROR_BYTES];
    struct um_compare_text text = {.comparison = &comparison};

    require(um_comparison_make(results, results, &comparison) == UM_OK);
    for (size_t i = 0; i < comparison.measure_count; i++) {
        const struct um_comparison_row *row = um_comparison_headline(&comparison.measures[i]);
        require(!row || row->result.verdict == UM_COMPARE_TOO_FEW ||
                row->result.verdict == UM_COMPARE_NO_DIFFERENCE ||
                (row->result.verdict == UM_COMPARE_MISSING && comparison.measures[i].misses_after));
    }
    require(um_limits_parse("*.p90=+5%", &limit, error, sizeof error) == UM_OK);
    if (um_limits_check(&limit, 1, &comparison, &findings, error, sizeof error) == UM_OK) {
        text.findings = findings.list;
        text.finding_count = findings.count;
        for (size_t i = 0; i < findings.count; i++)
            require(findings.list[i].line[0] != '\0' &&
                    !strpbrk(findings.list[i].line, "\r\n\x1b"));
    }
    check_text(&text);
    um_limits_free(&findings);
    um_comparison_deinit(&comparison);
    if (results->measure_count == 0)
        return;
    fewer.measure_count--;
    require(um_comparison_make(&fewer, results, &comparison) == UM_OK);
    text.finding_count = 0;
    check_text(&text);
    um_comparison_deinit(&comparison);
}

/* Both sides of a sitting. Exact tests of many pairs take their time. */
static void compare_pairs(const uint8_t *data, size_t size)
{
    struct um_results sides[2] = {{0}, {0}};
    struct um_comparison comparison;
    struct um_compare_text text = {.comparison = &comparison};
    char error[UM_LIMITS_ERROR_BYTES] = "";
    enum um_status status =
        um_results_read_pairs(sides, (const char *)data, size, "a.json", error, sizeof error);
    if (status != UM_OK) {
        require(error[0] != '\0' && !strpbrk(error, "\r\n\x1b"));
    } else if (sides[0].runs <= FEW_PAIRS && sides[0].measure_count < 4) {
        require(sides[0].runs == sides[1].runs);
        require(um_comparison_make(&sides[0], &sides[1], &comparison) == UM_OK);
        check_text(&text);
        um_comparison_deinit(&comparison);
    }
    um_results_deinit(&sides[0]);
    um_results_deinit(&sides[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct um_results results = {0};
    char error[UM_LIMITS_ERROR_BYTES] = "";
    steps_allow((uint64_t)UM_RESULTS_VALUES * VALUE_STEPS);
    enum um_status status =
        um_results_add(&results, (const char *)data, size, "a.json", error, sizeof error);
    if (status == UM_OK) {
        check_values(&results);
        bool few = results.values <= FEW_VALUES && one_of(ONE_OF_FEW, data, size);
        bool many = results.values <= MANY_VALUES && one_of(ONE_OF_MANY, data, size);
        if ((few || many) && results.measure_count < 4) {
            steps_allow(COMPARE_STEPS);
            compare(&results);
        }
    } else {
        require(error[0] != '\0' && !strpbrk(error, "\r\n\x1b"));
    }
    um_results_deinit(&results);
    compare_pairs(data, size);
    return 0;
}
