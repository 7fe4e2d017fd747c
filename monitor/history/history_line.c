#include "monitor/history/history_line.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "monitor/base/by_size.h"
#include "monitor/compare/comparison.h"
#include "monitor/history/history.h"

/* A value that a share of all others do not exceed.
 * Source: definition 2 of R. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", The
 * American Statistician 50(4), 1996, as in compare.h. */
static double quantile(const double *sorted, size_t len, double share)
{
    double place = share * (double)len;
    size_t above = (size_t)floor(place);
    bool between = place <= floor(place);
    return between ? (sorted[above - 1] + sorted[above]) / 2 : sorted[above];
}

/* Numbers are written to the nanosecond: cJSON would write all digits that a double has. */
static bool put_ms(cJSON *object, const char *name, double ms)
{
    return cJSON_AddNumberToObject(object, name, round(ms * 1e6) / 1e6);
}

static bool put_text(cJSON *object, const char *name, const char *text)
{
    return text[0] == '\0' || cJSON_AddStringToObject(object, name, text);
}

static bool put_quantity(cJSON *list, const struct um_comparison_row *row)
{
    double *medians = calloc(row->before->runs + 1, sizeof *medians);
    cJSON *object = cJSON_CreateObject();
    if (!medians || !cJSON_AddItemToArray(list, object)) {
        free(medians);
        cJSON_Delete(object);
        return false;
    }
    size_t runs = um_compare_of_runs(row->before, UM_COMPARE_P50, medians);
    qsort(medians, runs, sizeof *medians, um_by_size);
    bool put =
        cJSON_AddStringToObject(object, "name", um_comparison_quantity_name(row->quantity)) &&
        put_ms(object, "median", quantile(medians, runs, 0.5)) &&
        put_ms(object, "low", quantile(medians, runs, 0.25)) &&
        put_ms(object, "high", quantile(medians, runs, 0.75)) &&
        cJSON_AddNumberToObject(object, "runs", (double)runs);
    free(medians);
    return put;
}

static bool put_measure(cJSON *list, const struct um_comparison_measure *measure)
{
    const struct um_results_inputs *inputs = &measure->before->inputs;
    cJSON *object = cJSON_CreateObject();
    if (!cJSON_AddItemToArray(list, object)) {
        cJSON_Delete(object);
        return false;
    }
    bool put = put_text(object, "name", measure->name);
    if (um_comparison_find(measure, UM_COMPARISON_TOTAL))
        put = put && put_text(object, "total_to", measure->painted ? "painted" : "handled");
    if (inputs->injected > 0)
        put = put && cJSON_AddNumberToObject(object, "inputs", (double)inputs->injected) &&
              cJSON_AddNumberToObject(object, "missing", (double)inputs->missing);
    cJSON *quantities = put ? cJSON_AddArrayToObject(object, "quantities") : NULL;
    put = quantities != NULL;
    for (size_t i = 0; put && i < measure->row_count; i++)
        put = put_quantity(quantities, &measure->rows[i]);
    return put;
}

static cJSON *make_line(const struct um_comparison *comparison, const char *label)
{
    const struct um_results *results = comparison->before;
    const struct um_results_conditions *at = &results->conditions;
    cJSON *root = cJSON_CreateObject();
    bool put = cJSON_AddStringToObject(root, "kind", "history") &&
               cJSON_AddNumberToObject(root, "schema", UM_HISTORY_SCHEMA) &&
               put_text(root, "label", label) && put_text(root, "time", at->started) &&
               put_text(root, "uimon", at->uimon) && put_text(root, "machine", at->machine) &&
               put_text(root, "system", at->system) && put_text(root, "target", at->target) &&
               put_text(root, "scenario", at->scenario) &&
               put_text(root, "crc32", at->scenario_crc) &&
               cJSON_AddNumberToObject(root, "runs", results->runs);
    cJSON *measures = put ? cJSON_AddArrayToObject(root, "measures") : NULL;
    put = measures != NULL;
    for (size_t i = 0; put && i < comparison->measure_count; i++)
        put = put_measure(measures, &comparison->measures[i]);
    if (put)
        return root;
    cJSON_Delete(root);
    return NULL;
}

enum um_status um_history_line_make(const struct um_results *results, const char *label,
                                    char **line)
{
    /* Compared with nothing, each measure gets its rows, and no row is tested. */
    static const struct um_results nothing;
    struct um_comparison comparison;
    if (results->measure_count == 0)
        return UM_ERR_NOT_FOUND;
    enum um_status status = um_comparison_make(results, &nothing, &comparison);
    if (status != UM_OK)
        return status;
    cJSON *root = make_line(&comparison, label);
    char *made = root ? cJSON_PrintUnformatted(root) : NULL;
    cJSON_Delete(root);
    um_comparison_deinit(&comparison);
    if (!made)
        return UM_ERR_MEMORY;
    *line = made;
    return UM_OK;
}
