/* Feeds any bytes to the reader of benchmark results, and what it accepts to the comparison. Checks
 * what the headers promise: a refusal is one line, values are finite and of a run that exists. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/compare/comparison.h"
#include "monitor/compare/limits.h"
#include "monitor/compare/results.h"

/* A comparison takes a thousand times as long as reading: only some inputs get that far. */
#define VALUES_MAX 300
#define ONE_OF 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_values(const struct um_results *results)
{
    size_t values = 0;
    for (size_t i = 0; i < results->measure_count; i++) {
        require(results->measures[i].name[0] != '\0');
        require(results->measures[i].inputs.missing <= results->measures[i].inputs.injected);
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

static void take(void *context, const struct um_limits_finding *finding)
{
    (void)context;
    require(finding->line[0] != '\0' && !strpbrk(finding->line, "\r\n\x1b"));
}

static void compare(const struct um_results *results)
{
    struct um_comparison comparison;
    struct um_limits_limit limit;
    char error[UM_LIMITS_ERROR_BYTES];
    require(um_comparison_make(results, results, &comparison) == UM_OK);
    for (size_t i = 0; i < comparison.measure_count; i++) {
        const struct um_comparison_row *row = um_comparison_headline(&comparison.measures[i]);
        require(!row || row->result.verdict == UM_COMPARE_TOO_FEW ||
                row->result.verdict == UM_COMPARE_NO_DIFFERENCE ||
                (row->result.verdict == UM_COMPARE_MISSING && comparison.measures[i].misses_after));
    }
    require(um_limits_parse("*.p90=+5%", &limit, error, sizeof error) == UM_OK);
    um_limits_check(&limit, &comparison, take, NULL, error, sizeof error);
    um_comparison_deinit(&comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct um_results results = {0};
    char error[UM_LIMITS_ERROR_BYTES] = "";
    enum um_status status =
        um_results_add(&results, (const char *)data, size, "a.json", error, sizeof error);
    if (status == UM_OK) {
        check_values(&results);
        if (results.values <= VALUES_MAX && results.measure_count < 4 && size % ONE_OF == 0)
            compare(&results);
    } else {
        require(error[0] != '\0' && !strpbrk(error, "\r\n\x1b"));
    }
    um_results_deinit(&results);
    return 0;
}
