#include "monitor/history/history_json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/compare/compare_format.h"

/* The functions below set `failed` when memory runs out. */
struct json {
    bool failed;
};

/* To the nanosecond, so that no number has more digits than it was measured with. */
static double rounded(double value)
{
    return round(value * 1e6) / 1e6;
}

static void put_number(struct json *json, cJSON *object, const char *name, double value)
{
    json->failed |= !cJSON_AddNumberToObject(object, name, value);
}

static void put_text(struct json *json, cJSON *object, const char *name, const char *text)
{
    if (text[0] != '\0')
        json->failed |= !cJSON_AddStringToObject(object, name, text);
}

static cJSON *put_array(struct json *json, cJSON *parent, const char *name)
{
    cJSON *array = cJSON_AddArrayToObject(parent, name);
    json->failed |= !array;
    return array;
}

static cJSON *append(struct json *json, cJSON *array, cJSON *item)
{
    if (cJSON_AddItemToArray(array, item))
        return item;
    cJSON_Delete(item);
    json->failed = true;
    return NULL;
}

static void put_commit(struct json *json, cJSON *array, const struct um_history_commit *commit)
{
    cJSON *object = append(json, array, cJSON_CreateObject());
    put_text(json, object, "label", commit->label);
    put_text(json, object, "time", commit->time);
    put_text(json, object, "uimon", commit->uimon);
    put_text(json, object, "system", commit->system);
    put_text(json, object, "target", commit->target);
}

static void put_point(struct json *json, cJSON *array, const struct um_history_point *point)
{
    cJSON *object = append(json, array, cJSON_CreateObject());
    put_number(json, object, "commit", (double)point->commit);
    put_number(json, object, "median", rounded(point->median));
    put_number(json, object, "low", rounded(point->low));
    put_number(json, object, "high", rounded(point->high));
    put_number(json, object, "runs", point->runs);
    if (point->misses)
        json->failed |= !cJSON_AddTrueToObject(object, "misses_inputs");
}

static void put_change(struct json *json, cJSON *array, const struct um_history_track *track,
                       const struct um_history_series *series,
                       const struct um_history_change *change)
{
    char also[512];
    size_t commit = series->points[change->point].commit;
    cJSON *object = append(json, array, cJSON_CreateObject());
    put_number(json, object, "commit", (double)commit);
    put_text(json, object, "label", track->commits[commit].label);
    put_number(json, object, "before", rounded(change->before));
    put_number(json, object, "after", rounded(change->after));
    if (change->before > 0)
        put_number(json, object, "percent", rounded((change->after / change->before - 1) * 100));
    put_number(json, object, "p", change->p);
    um_history_what_else(track, series, change->point, also, sizeof also);
    put_text(json, object, "also", also);
}

static void put_series(struct json *json, cJSON *array, const struct um_history_track *track,
                       const struct um_history_series *series)
{
    cJSON *object = append(json, array, cJSON_CreateObject());
    put_text(json, object, "measure", series->measure);
    put_text(json, object, "name", um_history_series_name(series));
    put_text(json, object, "unit", "ms");
    put_number(json, object, "level", rounded(series->level));
    if (series->first > 0)
        put_number(json, object, "looked_at_from", (double)series->points[series->first].commit);
    cJSON *changes = put_array(json, object, "changes");
    for (size_t i = 0; i < series->change_count && !json->failed; i++)
        put_change(json, changes, track, series, &series->changes[i]);
    cJSON *points = put_array(json, object, "points");
    for (size_t i = 0; i < series->len && !json->failed; i++)
        put_point(json, points, &series->points[i]);
}

static void put_track(struct json *json, cJSON *array, const struct um_history_track *track)
{
    cJSON *object = append(json, array, cJSON_CreateObject());
    put_text(json, object, "scenario", track->scenario);
    put_text(json, object, "crc32", track->scenario_crc);
    put_text(json, object, "machine", track->machine);
    cJSON *commits = put_array(json, object, "commits");
    for (size_t i = 0; i < track->commit_count && !json->failed; i++)
        put_commit(json, commits, &track->commits[i]);
    cJSON *list = put_array(json, object, "series");
    for (size_t i = 0; i < track->series_count && !json->failed; i++)
        if (track->series[i].len > 0 && !um_history_is_empty(&track->series[i]))
            put_series(json, list, track, &track->series[i]);
}

static enum um_status finish(const struct json *json, cJSON *root, char **out)
{
    char *made = json->failed ? NULL : cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    if (!made)
        return UM_ERR_MEMORY;
    *out = made;
    return UM_OK;
}

enum um_status um_history_json_make(const struct um_history *history, char **out)
{
    struct json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    put_text(&json, root, "kind", "history-changes");
    put_number(&json, root, "schema", UM_HISTORY_JSON_SCHEMA);
    put_text(&json, root, "uimon", UM_VERSION);
    put_number(&json, root, "lines", (double)history->lines);
    if (history->damaged > 0)
        put_number(&json, root, "damaged_lines", (double)history->damaged);
    if (history->older > 0)
        put_number(&json, root, "older_lines", (double)history->older);
    cJSON *tracks = put_array(&json, root, "tracks");
    for (size_t i = 0; i < history->track_count && !json.failed; i++)
        put_track(&json, tracks, &history->tracks[i]);
    return finish(&json, root, out);
}

static bool has_name(const cJSON *array, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, array)
    {
        const char *other = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "name"));
        if (other && strcmp(other, name) == 0)
            return true;
    }
    return false;
}

/* The action knows a series again by its name, so the name has nothing that changes between
 * commits. */
static void put_bench(struct json *json, cJSON *array, const struct um_history_track *track,
                      const struct um_history_series *series, const struct um_history_point *point)
{
    char name[2 * UM_HISTORY_TEXT_BYTES + 64];
    char text[4 * UM_HISTORY_TEXT_BYTES];
    const struct um_history_commit *commit = &track->commits[point->commit];
    snprintf(name, sizeof name, "%s: %s %s", track->scenario[0] ? track->scenario : "benchmark",
             series->measure, um_history_series_name(series));
    if (has_name(array, name))
        return;
    cJSON *object = append(json, array, cJSON_CreateObject());
    put_text(json, object, "name", name);
    put_text(json, object, "unit", "ms");
    put_number(json, object, "value", rounded(point->median));
    snprintf(text, sizeof text, "± %s", um_compare_format_ms((point->high - point->low) / 2).text);
    put_text(json, object, "range", text);
    snprintf(text, sizeof text, "%s\n%lu run%s on %s%s", commit->label, (unsigned long)point->runs,
             point->runs == 1 ? "" : "s", track->machine[0] ? track->machine : "a machine",
             point->misses ? "\ninputs are missing" : "");
    put_text(json, object, "extra", text);
}

/* Puts in what a track has of a commit. */
static void put_benches(struct json *json, cJSON *array, const struct um_history_track *track,
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
    struct json json = {.failed = false};
    if (history->track_count == 0)
        return UM_ERR_NOT_FOUND;
    const struct um_history_track *latest = &history->tracks[history->latest];
    const char *label = latest->commits[history->latest_commit].label;
    cJSON *root = cJSON_CreateArray();
    put_benches(&json, root, latest, label);
    for (size_t i = 0; i < history->track_count && !json.failed; i++)
        if (strcmp(history->tracks[i].machine, latest->machine) == 0)
            put_benches(&json, root, &history->tracks[i], label);
    if (!json.failed && cJSON_GetArraySize(root) == 0) {
        cJSON_Delete(root);
        return UM_ERR_NOT_FOUND;
    }
    return finish(&json, root, out);
}
