#include "monitor/history/history_line.h"

#include <math.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/by_size.h"
#include "monitor/compare/comparison.h"
#include "monitor/history/history.h"
#include "monitor/json/json.h"

/* The quantile of a sorted list at `share`.
 * Source: definition 2 of R. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", The
 * American Statistician 50(4), 1996, as in compare.h. */
static double quantile(const double *sorted, size_t len, double share)
{
    double place = share * (double)len;
    size_t above = (size_t)floor(place);
    bool between = place <= floor(place);
    return between ? (sorted[above - 1] + sorted[above]) / 2 : sorted[above];
}

/* To the nanosecond. */
static void put_ms(struct um_json *json, cJSON *object, const char *name, double ms)
{
    um_json_decimals(json, object, name, ms, 6);
}

static void put_quantity(struct um_json *json, cJSON *list, const struct um_comparison_row *row)
{
    double *medians = calloc(row->before->runs + 1, sizeof *medians);
    cJSON *object = um_json_append_object(json, list);
    if (!medians) {
        json->failed = true;
        return;
    }
    size_t runs = um_compare_of_runs(row->before, UM_COMPARE_P50, medians);
    qsort(medians, runs, sizeof *medians, um_by_size);
    um_json_text(json, object, "name", um_comparison_quantity_name(row->quantity));
    put_ms(json, object, "median", quantile(medians, runs, 0.5));
    put_ms(json, object, "low", quantile(medians, runs, 0.25));
    put_ms(json, object, "high", quantile(medians, runs, 0.75));
    um_json_number(json, object, "runs", (double)runs);
    free(medians);
}

static void put_measure(struct um_json *json, cJSON *list,
                        const struct um_comparison_measure *measure)
{
    const struct um_results_inputs *inputs = &measure->before->inputs;
    cJSON *object = um_json_append_object(json, list);
    um_json_text(json, object, "name", measure->name);
    if (um_comparison_find(measure, UM_COMPARISON_TOTAL))
        um_json_text(json, object, "total_to", measure->painted ? "painted" : "handled");
    if (inputs->injected > 0) {
        um_json_number(json, object, "inputs", (double)inputs->injected);
        um_json_number(json, object, "missing", (double)inputs->missing);
    }
    cJSON *quantities = um_json_array(json, object, "quantities");
    for (size_t i = 0; i < measure->row_count && !json->failed; i++)
        put_quantity(json, quantities, &measure->rows[i]);
}

static char *make_line(const struct um_comparison *comparison, const char *label,
                       const char *machine)
{
    const struct um_results *results = comparison->before;
    const struct um_results_conditions *at = &results->conditions;
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_json_text(&json, root, "kind", "history");
    um_json_number(&json, root, "schema", UM_HISTORY_SCHEMA);
    um_json_text(&json, root, "label", label);
    um_json_text(&json, root, "time", at->started);
    um_json_text(&json, root, "uimon", at->uimon);
    um_json_text(&json, root, "machine", machine ? machine : at->machine);
    um_json_text(&json, root, "system", at->system);
    um_json_text(&json, root, "target", at->target);
    um_json_text(&json, root, "scenario", at->scenario);
    um_json_text(&json, root, "crc32", at->scenario_crc);
    if (at->layout)
        um_json_bool(&json, root, "layout", true);
    um_json_number(&json, root, "runs", results->runs);
    cJSON *measures = um_json_array(&json, root, "measures");
    for (size_t i = 0; i < comparison->measure_count && !json.failed; i++)
        put_measure(&json, measures, &comparison->measures[i]);
    return um_json_print(&json, root, false);
}

enum um_status um_history_line_make(const struct um_results *results, const char *label,
                                    const char *machine, char **line)
{
    /* A comparison with empty results makes the rows of each measure, and tests nothing. */
    static const struct um_results nothing;
    struct um_comparison comparison;
    if (results->measure_count == 0)
        return UM_ERR_NOT_FOUND;
    enum um_status status = um_comparison_make(results, &nothing, &comparison);
    if (status != UM_OK)
        return status;
    *line = make_line(&comparison, label, machine);
    um_comparison_deinit(&comparison);
    return *line ? UM_OK : UM_ERR_MEMORY;
}
