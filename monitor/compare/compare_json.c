#include "monitor/compare/compare_text.h"

#include <math.h>

#include <cjson/cJSON.h>

#include "monitor/compare/compare_format.h"
#include "monitor/compare/floor.h"
#include "monitor/json/json.h"

static void put_side(struct um_json *json, cJSON *root, const char *name,
                     const struct um_results *side)
{
    const struct um_results_conditions *at = &side->conditions;
    cJSON *object = um_json_object(json, root, name);
    um_json_number(json, object, "files", side->files);
    um_json_number(json, object, "runs", side->runs);
    if (side->planned > side->runs)
        um_json_number(json, object, "partial_of", side->planned);
    if (side->dropped > 0)
        um_json_number(json, object, "dropped", (double)side->dropped);
    um_json_text(json, object, "uimon", at->uimon);
    um_json_text(json, object, "started", at->started);
    um_json_text(json, object, "scenario", at->scenario);
    um_json_text(json, object, "crc32", at->scenario_crc);
    um_json_text(json, object, "target", at->target);
    um_json_text(json, object, "defines", at->defines);
    um_json_text(json, object, "machine", at->machine);
    um_json_text(json, object, "system", at->system);
    um_json_text(json, object, "probe", at->probe);
    um_json_text(json, object, "beat", at->beat);
    um_json_number(json, object, "heartbeat_ms", at->heartbeat_ms);
    um_json_number(json, object, "rest_heartbeat_ms", at->rest_heartbeat_ms);
    um_json_number(json, object, "threshold_ms", at->threshold_ms);
    um_json_number(json, object, "slow_ms", at->slow_ms);
    um_json_bool(json, object, "layout", at->layout);
    if (side->has_floor)
        um_json_put(json, object, "floor", um_floor_to_json(&side->floor));
}

static void put_statistics(struct um_json *json, cJSON *parent, const char *name,
                           const struct um_compare_group *group, uint32_t runs)
{
    if (group->len == 0)
        return;
    cJSON *object = um_json_object(json, parent, name);
    um_json_number(json, object, "values", (double)group->len);
    if (runs > 0)
        um_json_number(json, object, "runs", runs);
    for (size_t i = 0; i < UM_COMPARE_STATISTICS; i++)
        um_json_number(json, object, um_compare_statistic_name((enum um_compare_statistic)i),
                       um_compare_statistic_of(group, (enum um_compare_statistic)i));
}

static void put_change(struct um_json *json, cJSON *parent, const char *name,
                       const struct um_compare_change *change)
{
    cJSON *object = um_json_object(json, parent, name);
    um_json_number(json, object, "difference_ms", change->difference);
    if (change->has_interval) {
        um_json_number(json, object, "difference_low_ms", change->low);
        um_json_number(json, object, "difference_high_ms", change->high);
    }
    if (!change->has_share)
        return;
    um_json_number(json, object, "percent", change->share * 100.0);
    if (change->has_interval) {
        um_json_number(json, object, "percent_low", change->share_low * 100.0);
        um_json_number(json, object, "percent_high", change->share_high * 100.0);
    }
}

static void put_result(struct um_json *json, cJSON *object, const struct um_compare_result *result,
                       bool paired)
{
    put_change(json, object, "median_change", &result->median);
    put_change(json, object, "p90_change", &result->p90);
    cJSON *test = um_json_object(json, object, paired ? "pairs" : "mann_whitney");
    um_json_number(json, test, "u", result->test.u);
    um_json_number(json, test, "p", result->test.p);
    um_json_bool(json, test, "exact", result->test.exact);
    um_json_number(json, test, "superiority", result->test.superiority);
    um_json_number(json, test, "cliffs_delta", result->test.delta);
    um_json_text(json, object, "verdict", um_compare_verdict_name(result->verdict));
    if (result->runs_needed > result->most_runs)
        um_json_number(json, object, "runs_needed_over", result->most_runs);
    else if (result->runs_needed > 0)
        um_json_number(json, object, "runs_needed", result->runs_needed);
}

static void put_row(struct um_json *json, cJSON *array, const struct um_comparison_row *row,
                    bool paired)
{
    cJSON *object = um_json_append_object(json, array);
    um_json_text(json, object, "name", um_comparison_quantity_name(row->quantity));
    um_json_text(json, object, "not_compared", um_compare_format_rare(row).text);
    put_statistics(json, object, "before", row->before, row->result.before_runs);
    put_statistics(json, object, "after", row->after, row->result.after_runs);
    if (row->compared)
        put_result(json, object, &row->result, paired);
}

/* What became of a side's inputs; nothing if the files do not say how many were sent. */
static void put_inputs(struct um_json *json, cJSON *parent, const char *name,
                       const struct um_results_measure *side)
{
    const struct um_results_inputs *inputs = &side->inputs;
    if (inputs->injected == 0 && inputs->extra == 0)
        return;
    cJSON *object = um_json_object(json, parent, name);
    um_json_number(json, object, "injected", (double)inputs->injected);
    um_json_number(json, object, "missing", (double)inputs->missing);
    um_json_number(json, object, "extra", (double)inputs->extra);
    um_json_number(json, object, "given_up", (double)inputs->given_up);
}

/* How many freezes there were in all runs, and how many were felt, if the files say so. */
static void put_freezes(struct um_json *json, cJSON *parent, const char *name,
                        const struct um_results_freezes *freezes)
{
    cJSON *object = um_json_object(json, parent, name);
    um_json_number(json, object, "count", (double)freezes->count);
    if (freezes->unknown < freezes->count || freezes->count == 0)
        um_json_number(json, object, "felt", (double)freezes->felt);
    if (freezes->unknown > 0)
        um_json_number(json, object, "not_known", (double)freezes->unknown);
}

static void put_measure(struct um_json *json, cJSON *array, const struct um_comparison *comparison,
                        struct um_comparison_measure *measure)
{
    const struct um_comparison_row *headline = um_comparison_headline(measure);
    cJSON *object = um_json_append_object(json, array);
    um_json_text(json, object, "name", measure->name);
    um_json_text(json, object, "summary", um_compare_format_verdict(comparison, measure).text);
    if (headline) {
        um_json_text(json, object, "verdict", um_compare_verdict_name(headline->result.verdict));
        um_json_text(json, object, "verdict_of", um_comparison_quantity_name(headline->quantity));
        um_json_text(json, object, "smallest",
                     um_compare_format_smallest(comparison, measure).text);
    }
    if (um_comparison_find(measure, UM_COMPARISON_TOTAL))
        um_json_text(json, object, "total_to", measure->painted ? "painted" : "handled");
    if (measure->tail_slower)
        um_json_number(json, object, "tail_slower_p", measure->tail_p);
    put_inputs(json, object, "inputs_before", measure->before);
    put_inputs(json, object, "inputs_after", measure->after);
    put_freezes(json, object, "freezes_before", &measure->before->freezes);
    put_freezes(json, object, "freezes_after", &measure->after->freezes);
    cJSON *rows = um_json_array(json, object, "quantities");
    for (size_t i = 0; i < measure->row_count && !json->failed; i++)
        put_row(json, rows, &measure->rows[i], comparison->design.paired);
}

/* How both sides were measured in turn; nothing for two sittings. */
static void put_sitting(struct um_json *json, cJSON *root, const struct um_comparison *comparison)
{
    const struct um_results_sitting *sitting = &comparison->before->sitting;
    if (!comparison->design.paired)
        return;
    cJSON *object = um_json_object(json, root, "sitting");
    um_json_number(json, object, "pairs", comparison->before->runs);
    um_json_number(json, object, "discarded", sitting->discarded);
    um_json_number(json, object, "level", comparison->design.level);
    if (!(sitting->within > 0))
        return;
    um_json_number(json, object, "within", sitting->within);
    um_json_number(json, object, "most", sitting->most);
}

static void put_findings(struct um_json *json, cJSON *root, const struct um_compare_text *text)
{
    cJSON *array = um_json_array(json, root, "limits");
    for (size_t i = 0; i < text->finding_count && !json->failed; i++) {
        cJSON *object = um_json_append_object(json, array);
        um_json_text(json, object, "outcome", um_limits_outcome_name(text->findings[i].outcome));
        um_json_text(json, object, "text", text->findings[i].line);
    }
}

enum um_status um_compare_json(const struct um_compare_text *text, char **out)
{
    const struct um_comparison *comparison = text->comparison;
    struct um_json json = {.failed = false};
    struct um_compare_format warning;
    cJSON *root = cJSON_CreateObject();
    um_json_text(&json, root, "uimon", UM_VERSION);
    um_json_number(&json, root, "schema", UM_COMPARE_TEXT_SCHEMA);
    um_json_text(&json, root, "kind", "compare");
    put_side(&json, root, "before", comparison->before);
    put_side(&json, root, "after", comparison->after);
    put_sitting(&json, root, comparison);
    cJSON *warnings = um_json_array(&json, root, "warnings");
    for (size_t i = 0; um_compare_format_warning(comparison, i, &warning) && !json.failed; i++)
        um_json_text(&json, um_json_append_object(&json, warnings), "text", warning.text);
    cJSON *measures = um_json_array(&json, root, "measures");
    for (size_t i = 0; i < comparison->measure_count && !json.failed; i++)
        put_measure(&json, measures, comparison, &comparison->measures[i]);
    put_findings(&json, root, text);
    *out = um_json_print(&json, root, true);
    return *out ? UM_OK : UM_ERR_MEMORY;
}
