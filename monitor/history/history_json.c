#include "monitor/history/history_json.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/utf8.h"
#include "monitor/compare/compare_format.h"
#include "monitor/json/json.h"

#define DECIMALS 6 /* of ms: to the nanosecond */

static void put_commit(struct um_json *json, cJSON *array, const struct um_history_track *track,
                       const struct um_history_commit *commit)
{
    cJSON *object = um_json_append_object(json, array);
    um_json_text(json, object, "label", commit->label);
    um_json_text(json, object, "time", commit->time);
    um_json_text(json, object, "uimon", commit->uimon);
    if (!um_utf8_equal(commit->machine, track->machine))
        um_json_text(json, object, "machine", commit->machine);
    um_json_text(json, object, "system", commit->system);
    um_json_text(json, object, "target", commit->target);
}

static void put_point(struct um_json *json, cJSON *array, const struct um_history_point *point)
{
    cJSON *object = um_json_append_object(json, array);
    um_json_number(json, object, "commit", (double)point->commit);
    um_json_decimals(json, object, "median", point->median, DECIMALS);
    um_json_decimals(json, object, "low", point->low, DECIMALS);
    um_json_decimals(json, object, "high", point->high, DECIMALS);
    um_json_number(json, object, "runs", point->runs);
    if (point->misses)
        um_json_bool(json, object, "misses_inputs", true);
}

static void put_change(struct um_json *json, cJSON *array, const struct um_history_track *track,
                       const struct um_history_series *series,
                       const struct um_history_change *change)
{
    char also[512];
    size_t commit = series->points[change->point].commit;
    cJSON *object = um_json_append_object(json, array);
    um_json_number(json, object, "commit", (double)commit);
    um_json_text(json, object, "label", track->commits[commit].label);
    um_json_decimals(json, object, "before", change->before, DECIMALS);
    um_json_decimals(json, object, "after", change->after, DECIMALS);
    um_json_decimals(json, object, "percent", um_history_change_percent(change), DECIMALS);
    um_json_number(json, object, "p", change->p);
    um_history_what_else(track, series, change->point, also, sizeof also);
    um_json_text(json, object, "also", also);
}

static void put_series(struct um_json *json, cJSON *array, const struct um_history_track *track,
                       const struct um_history_series *series)
{
    cJSON *object = um_json_append_object(json, array);
    um_json_text(json, object, "measure", series->measure);
    um_json_text(json, object, "name", um_history_series_name(series));
    um_json_text(json, object, "unit", "ms");
    um_json_decimals(json, object, "level", series->level, DECIMALS);
    if (series->first > 0)
        um_json_number(json, object, "looked_at_from",
                       (double)series->points[series->first].commit);
    cJSON *changes = um_json_array(json, object, "changes");
    for (size_t i = 0; i < series->change_count && !json->failed; i++)
        put_change(json, changes, track, series, &series->changes[i]);
    cJSON *points = um_json_array(json, object, "points");
    for (size_t i = 0; i < series->len && !json->failed; i++)
        put_point(json, points, &series->points[i]);
}

static void put_track(struct um_json *json, cJSON *array, const struct um_history_track *track)
{
    cJSON *object = um_json_append_object(json, array);
    um_json_text(json, object, "scenario", track->scenario);
    um_json_text(json, object, "crc32", track->scenario_crc);
    um_json_text(json, object, "machine", track->machine);
    cJSON *commits = um_json_array(json, object, "commits");
    for (size_t i = 0; i < track->commit_count && !json->failed; i++)
        put_commit(json, commits, track, &track->commits[i]);
    cJSON *list = um_json_array(json, object, "series");
    for (size_t i = 0; i < track->series_count && !json->failed; i++)
        if (track->series[i].len > 0 && !um_history_is_empty(&track->series[i]))
            put_series(json, list, track, &track->series[i]);
}

enum um_status um_history_json_make(const struct um_history *history, char **out)
{
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_json_text(&json, root, "kind", "history-changes");
    um_json_number(&json, root, "schema", UM_HISTORY_JSON_SCHEMA);
    um_json_text(&json, root, "uimon", UM_VERSION);
    um_json_number(&json, root, "lines", (double)history->lines);
    if (history->damaged > 0)
        um_json_number(&json, root, "damaged_lines", (double)history->damaged);
    if (history->older > 0)
        um_json_number(&json, root, "older_lines", (double)history->older);
    cJSON *tracks = um_json_array(&json, root, "tracks");
    for (size_t i = 0; i < history->track_count && !json.failed; i++)
        put_track(&json, tracks, &history->tracks[i]);
    *out = um_json_print(&json, root, false);
    return *out ? UM_OK : UM_ERR_MEMORY;
}

static bool has_name(const cJSON *array, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, array)
    {
        const char *other = um_json_member_text(item, "name");
        if (other && strcmp(other, name) == 0)
            return true;
    }
    return false;
}

/* The action identifies a series by its name, which therefore must not change between commits. */
static void put_bench(struct um_json *json, cJSON *array, const struct um_history_track *track,
                      const struct um_history_series *series, const struct um_history_point *point)
{
    char name[2 * UM_HISTORY_TEXT_BYTES + 64];
    char text[4 * UM_HISTORY_TEXT_BYTES];
    const struct um_history_commit *commit = &track->commits[point->commit];
    snprintf(name, sizeof name, "%s: %s %s", track->scenario[0] ? track->scenario : "benchmark",
             series->measure, um_history_series_name(series));
    if (has_name(array, name))
        return;
    cJSON *object = um_json_append_object(json, array);
    um_json_text(json, object, "name", name);
    um_json_text(json, object, "unit", "ms");
    um_json_decimals(json, object, "value", point->median, DECIMALS);
    snprintf(text, sizeof text, "± %s", um_compare_format_ms((point->high - point->low) / 2).text);
    um_json_text(json, object, "range", text);
    snprintf(text, sizeof text, "%s\n%lu run%s on %s%s", commit->label, (unsigned long)point->runs,
             point->runs == 1 ? "" : "s", commit->machine[0] ? commit->machine : "a machine",
             point->misses ? "\ninputs are missing" : "");
    um_json_text(json, object, "extra", text);
}

/* Puts the values of a commit in a track. */
static void put_benches(struct um_json *json, cJSON *array, const struct um_history_track *track,
                        const char *label)
{
    for (size_t i = 0; i < track->series_count && !json->failed; i++) {
        const struct um_history_series *series = &track->series[i];
        for (size_t j = 0; j < series->len && !um_history_is_empty(series); j++)
            if (strcmp(track->commits[series->points[j].commit].label, label) == 0)
                put_bench(json, array, track, series, &series->points[j]);
    }
}

enum um_status um_history_json_github(const struct um_history *history, char **out)
{
    struct um_json json = {.failed = false};
    if (history->track_count == 0)
        return UM_ERR_NOT_FOUND;
    const struct um_history_track *latest = &history->tracks[history->latest];
    const char *label = latest->commits[history->latest_commit].label;
    cJSON *root = cJSON_CreateArray();
    put_benches(&json, root, latest, label);
    for (size_t i = 0; i < history->track_count && !json.failed; i++)
        if (um_utf8_equal(history->tracks[i].machine, latest->machine))
            put_benches(&json, root, &history->tracks[i], label);
    if (!json.failed && cJSON_GetArraySize(root) == 0) {
        cJSON_Delete(root);
        return UM_ERR_NOT_FOUND;
    }
    *out = um_json_print(&json, root, false);
    return *out ? UM_OK : UM_ERR_MEMORY;
}
