#include "monitor/compare/compare_text.h"

#include <float.h>
#include <math.h>

#include <cjson/cJSON.h>

#include "monitor/compare/compare_format.h"
#include "monitor/compare/floor.h"

/* The functions below set `failed` when memory runs out. A number that does not exist is left
 * out. */
struct json {
    bool failed;
};

static void put_number(struct json *json, cJSON *object, const char *name, double value)
{
    if (fabs(value) <= DBL_MAX)
        json->failed |= !cJSON_AddNumberToObject(object, name, value);
}

static void put_text(struct json *json, cJSON *object, const char *name, const char *text)
{
    if (text[0] != '\0')
        json->failed |= !cJSON_AddStringToObject(object, name, text);
}

static void put_bool(struct json *json, cJSON *object, const char *name, bool value)
{
    json->failed |= !cJSON_AddBoolToObject(object, name, value);
}

static cJSON *put_object(struct json *json, cJSON *parent, const char *name)
{
    cJSON *object = cJSON_AddObjectToObject(parent, name);
    json->failed |= !object;
    return object;
}

static cJSON *put_array(struct json *json, cJSON *parent, const char *name)
{
    cJSON *array = cJSON_AddArrayToObject(parent, name);
    json->failed |= !array;
    return array;
}

static cJSON *append_object(struct json *json, cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    if (cJSON_AddItemToArray(array, object))
        return object;
    cJSON_Delete(object);
    json->failed = true;
    return NULL;
}

static void put_side(struct json *json, cJSON *root, const char *name,
                     const struct um_results *side)
{
    const struct um_results_conditions *at = &side->conditions;
    cJSON *object = put_object(json, root, name);
    put_number(json, object, "files", side->files);
    put_number(json, object, "runs", side->runs);
    if (side->planned > side->runs)
        put_number(json, object, "partial_of", side->planned);
    if (side->dropped > 0)
        put_number(json, object, "dropped", (double)side->dropped);
    put_text(json, object, "uimon", at->uimon);
    put_text(json, object, "started", at->started);
    put_text(json, object, "scenario", at->scenario);
    put_text(json, object, "crc32", at->scenario_crc);
    put_text(json, object, "target", at->target);
    put_text(json, object, "defines", at->defines);
    put_text(json, object, "machine", at->machine);
    put_text(json, object, "system", at->system);
    put_text(json, object, "probe", at->probe);
    put_text(json, object, "beat", at->beat);
    put_number(json, object, "heartbeat_ms", at->heartbeat_ms);
    put_number(json, object, "rest_heartbeat_ms", at->rest_heartbeat_ms);
    put_number(json, object, "threshold_ms", at->threshold_ms);
    put_number(json, object, "slow_ms", at->slow_ms);
    if (!side->has_floor)
        return;
    cJSON *floor = um_floor_to_json(&side->floor);
    if (!cJSON_AddItemToObject(object, "floor", floor)) {
        cJSON_Delete(floor);
        json->failed = true;
    }
}

static void put_statistics(struct json *json, cJSON *parent, const char *name,
                           const struct um_compare_group *group, uint32_t runs)
{
    if (group->len == 0)
        return;
    cJSON *object = put_object(json, parent, name);
    put_number(json, object, "values", (double)group->len);
    if (runs > 0)
        put_number(json, object, "runs", runs);
    for (size_t i = 0; i < UM_COMPARE_STATISTICS; i++)
        put_number(json, object, um_compare_statistic_name((enum um_compare_statistic)i),
                   um_compare_statistic_of(group, (enum um_compare_statistic)i));
}

static void put_change(struct json *json, cJSON *parent, const char *name,
                       const struct um_compare_change *change)
{
    cJSON *object = put_object(json, parent, name);
    put_number(json, object, "difference_ms", change->difference);
    if (change->has_interval) {
        put_number(json, object, "difference_low_ms", change->low);
        put_number(json, object, "difference_high_ms", change->high);
    }
    if (!change->has_share)
        return;
    put_number(json, object, "percent", change->share * 100.0);
    if (change->has_interval) {
        put_number(json, object, "percent_low", change->share_low * 100.0);
        put_number(json, object, "percent_high", change->share_high * 100.0);
    }
}

static void put_result(struct json *json, cJSON *object, const struct um_compare_result *result,
                       bool paired)
{
    put_change(json, object, "median_change", &result->median);
    put_change(json, object, "p90_change", &result->p90);
    cJSON *test = put_object(json, object, paired ? "pairs" : "mann_whitney");
    put_number(json, test, "u", result->test.u);
    put_number(json, test, "p", result->test.p);
    put_bool(json, test, "exact", result->test.exact);
    put_number(json, test, "superiority", result->test.superiority);
    put_number(json, test, "cliffs_delta", result->test.delta);
    put_text(json, object, "verdict", um_compare_verdict_name(result->verdict));
    if (result->runs_needed > result->most_runs)
        put_number(json, object, "runs_needed_over", result->most_runs);
    else if (result->runs_needed > 0)
        put_number(json, object, "runs_needed", result->runs_needed);
}

static void put_row(struct json *json, cJSON *array, const struct um_comparison_row *row,
                    bool paired)
{
    cJSON *object = append_object(json, array);
    put_text(json, object, "name", um_comparison_quantity_name(row->quantity));
    put_text(json, object, "not_compared", um_compare_format_rare(row).text);
    put_statistics(json, object, "before", row->before, row->result.before_runs);
    put_statistics(json, object, "after", row->after, row->result.after_runs);
    if (row->compared)
        put_result(json, object, &row->result, paired);
}

/* What became of a side's inputs; nothing if the files do not say how many were sent. */
static void put_inputs(struct json *json, cJSON *parent, const char *name,
                       const struct um_results_measure *side)
{
    const struct um_results_inputs *inputs = &side->inputs;
    if (inputs->injected == 0 && inputs->extra == 0)
        return;
    cJSON *object = put_object(json, parent, name);
    put_number(json, object, "injected", (double)inputs->injected);
    put_number(json, object, "missing", (double)inputs->missing);
    put_number(json, object, "extra", (double)inputs->extra);
    put_number(json, object, "given_up", (double)inputs->given_up);
}

static void put_measure(struct json *json, cJSON *array, const struct um_comparison *comparison,
                        const struct um_comparison_measure *measure)
{
    const struct um_comparison_row *headline = um_comparison_headline(measure);
    cJSON *object = append_object(json, array);
    put_text(json, object, "name", measure->name);
    put_text(json, object, "summary", um_compare_format_verdict(comparison, measure).text);
    if (headline) {
        put_text(json, object, "verdict", um_compare_verdict_name(headline->result.verdict));
        put_text(json, object, "verdict_of", um_comparison_quantity_name(headline->quantity));
    }
    if (um_comparison_find(measure, UM_COMPARISON_TOTAL))
        put_text(json, object, "total_to", measure->painted ? "painted" : "handled");
    if (measure->tail_slower)
        put_number(json, object, "tail_slower_p", measure->tail_p);
    put_inputs(json, object, "inputs_before", measure->before);
    put_inputs(json, object, "inputs_after", measure->after);
    cJSON *rows = put_array(json, object, "quantities");
    for (size_t i = 0; i < measure->row_count && !json->failed; i++)
        put_row(json, rows, &measure->rows[i], comparison->design.paired);
}

/* How both sides were measured in turn; nothing for two sittings. */
static void put_sitting(struct json *json, cJSON *root, const struct um_comparison *comparison)
{
    const struct um_results_sitting *sitting = &comparison->before->sitting;
    if (!comparison->design.paired)
        return;
    cJSON *object = put_object(json, root, "sitting");
    put_number(json, object, "pairs", comparison->before->runs);
    put_number(json, object, "discarded", sitting->discarded);
    put_number(json, object, "level", comparison->design.level);
    if (!(sitting->within > 0))
        return;
    put_number(json, object, "within", sitting->within);
    put_number(json, object, "most", sitting->most);
}

static void put_findings(struct json *json, cJSON *root, const struct um_compare_text *text)
{
    cJSON *array = put_array(json, root, "limits");
    for (size_t i = 0; i < text->finding_count && !json->failed; i++) {
        cJSON *object = append_object(json, array);
        put_text(json, object, "outcome", um_limits_outcome_name(text->findings[i].outcome));
        put_text(json, object, "text", text->findings[i].line);
    }
}

enum um_status um_compare_json(const struct um_compare_text *text, char **out)
{
    const struct um_comparison *comparison = text->comparison;
    struct json json = {.failed = false};
    struct um_compare_format warning;
    cJSON *root = cJSON_CreateObject();
    put_text(&json, root, "uimon", UM_VERSION);
    put_number(&json, root, "schema", UM_COMPARE_TEXT_SCHEMA);
    put_text(&json, root, "kind", "compare");
    put_side(&json, root, "before", comparison->before);
    put_side(&json, root, "after", comparison->after);
    put_sitting(&json, root, comparison);
    cJSON *warnings = put_array(&json, root, "warnings");
    for (size_t i = 0; um_compare_format_warning(comparison, i, &warning) && !json.failed; i++)
        put_text(&json, append_object(&json, warnings), "text", warning.text);
    cJSON *measures = put_array(&json, root, "measures");
    for (size_t i = 0; i < comparison->measure_count && !json.failed; i++)
        put_measure(&json, measures, comparison, &comparison->measures[i]);
    put_findings(&json, root, text);
    char *made = json.failed ? NULL : cJSON_Print(root);
    cJSON_Delete(root);
    if (!made)
        return UM_ERR_MEMORY;
    *out = made;
    return UM_OK;
}
