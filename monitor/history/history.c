#include "monitor/history/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/list.h"
#include "base/text_file.h"
#include "base/utf8.h"
#include "monitor/json/json.h"

#define MOST_COUNT 1e9

/* Checks of a line: all of it is checked before anything is taken ------------------------------ */

/* Whether a member is absent, or a whole number up to MOST_COUNT. */
static bool is_count(const cJSON *item)
{
    return !item ||
           (cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= MOST_COUNT &&
            !(floor(item->valuedouble) < item->valuedouble));
}

static bool is_ms(const cJSON *item)
{
    return cJSON_IsNumber(item) && fabs(item->valuedouble) <= UM_RESULTS_MOST_MS;
}

/* Whether a member is a text that is not empty and fits without being cut. */
static bool is_name(const cJSON *item, size_t columns, size_t cap_bytes)
{
    char name[UM_HISTORY_TEXT_BYTES];
    const char *text = cJSON_GetStringValue(item);
    return text && text[0] != '\0' && um_utf8_columns(text) <= columns &&
           um_utf8_fit(text, columns, name, cap_bytes) == UM_OK;
}

/* The quantity that an object names; UM_COMPARISON_QUANTITIES if this uimon has none like it. */
static enum um_comparison_quantity quantity_of(const cJSON *object)
{
    const char *name = um_json_member_text(object, "name");
    int i = 0;
    while (i < UM_COMPARISON_QUANTITIES &&
           strcmp(name, um_comparison_quantity_name((enum um_comparison_quantity)i)) != 0)
        i++;
    return (enum um_comparison_quantity)i;
}

static bool is_quantity(const cJSON *object)
{
    const cJSON *median = um_json_member(object, "median");
    const cJSON *low = um_json_member(object, "low");
    const cJSON *high = um_json_member(object, "high");
    const cJSON *runs = um_json_member(object, "runs");
    return cJSON_IsString(um_json_member(object, "name")) && is_ms(median) && is_ms(low) &&
           is_ms(high) && low->valuedouble <= median->valuedouble &&
           median->valuedouble <= high->valuedouble && runs && is_count(runs) &&
           runs->valuedouble >= 1;
}

static bool is_measure(const cJSON *object)
{
    const cJSON *item;
    const cJSON *quantities = um_json_member(object, "quantities");
    bool sound =
        is_name(um_json_member(object, "name"), UM_RESULTS_NAME_BYTES, UM_RESULTS_NAME_BYTES) &&
        is_count(um_json_member(object, "inputs")) && is_count(um_json_member(object, "missing")) &&
        cJSON_IsArray(quantities);
    cJSON_ArrayForEach(item, quantities)
    {
        sound = sound && is_quantity(item);
    }
    return sound;
}

static bool is_line(const cJSON *root)
{
    const cJSON *item;
    const cJSON *measures = um_json_member(root, "measures");
    bool sound =
        is_name(um_json_member(root, "label"), UM_HISTORY_LABEL_COLUMNS, UM_HISTORY_TEXT_BYTES) &&
        cJSON_IsArray(measures);
    cJSON_ArrayForEach(item, measures)
    {
        sound = sound && is_measure(item);
    }
    return sound;
}

/* Tracks, commits, series and points ----------------------------------------------------------- */

static void get_text(const cJSON *object, const char *name, char *buf, size_t cap)
{
    const char *text = um_json_member_text(object, name);
    um_utf8_fit(text ? text : "", cap / 3, buf, cap);
}

static uint32_t folded_hash(const char *text)
{
    uint32_t hash = 0;
    while (*text)
        hash = hash * 31 + um_utf8_fold(um_utf8_next(&text));
    return hash;
}

/* The track of a line, which is made if there is none. `machine` is as in um_history_read. NULL
 * without memory. */
static struct um_history_track *get_track(struct um_history *history, const cJSON *root,
                                          const char *machine)
{
    struct um_history_track key = {.machine_ordinal = 1};
    get_text(root, "machine", key.machine, sizeof key.machine);
    if (machine)
        um_utf8_fit(machine, sizeof key.machine / 3, key.machine, sizeof key.machine);
    key.machine_hash = folded_hash(key.machine);
    get_text(root, "scenario", key.scenario, sizeof key.scenario);
    get_text(root, "crc32", key.scenario_crc, sizeof key.scenario_crc);
    for (size_t i = 0; i < history->track_count; i++) {
        struct um_history_track *track = &history->tracks[i];
        if (strcmp(track->scenario, key.scenario) != 0 ||
            strcmp(track->scenario_crc, key.scenario_crc) != 0)
            continue;
        if (track->machine_hash == key.machine_hash && um_utf8_equal(track->machine, key.machine))
            return track;
        key.machine_ordinal++;
    }
    if (!um_list_reserve(&history->tracks, &history->track_room, history->track_count + 1, SIZE_MAX,
                         sizeof key))
        return NULL;
    struct um_history_track *made = &history->tracks[history->track_count++];
    *made = key;
    return made;
}

/* Removes a commit's point from a series, if there is one. */
static void remove_point(struct um_history_series *series, size_t commit)
{
    size_t at = series->len;
    while (at > 0 && series->points[at - 1].commit > commit)
        at--;
    if (at == 0 || series->points[at - 1].commit != commit)
        return;
    memmove(series->points + at - 1, series->points + at,
            (series->len - at) * sizeof *series->points);
    series->len--;
}

/* Inserts a point at its commit's place. */
static bool insert_point(struct um_history_series *series, const struct um_history_point *point)
{
    remove_point(series, point->commit);
    if (!um_list_reserve(&series->points, &series->room, series->len + 1, SIZE_MAX, sizeof *point))
        return false;
    size_t at = series->len++;
    for (; at > 0 && series->points[at - 1].commit > point->commit; at--)
        series->points[at] = series->points[at - 1];
    series->points[at] = *point;
    return true;
}

/* The index of a line's commit. If the track has that commit already, all its points are removed,
 * which `history->replaced` counts if another machine measured them. SIZE_MAX without memory. */
static size_t get_commit(struct um_history *history, struct um_history_track *track,
                         const cJSON *root)
{
    struct um_history_commit commit;
    size_t at = 0;
    get_text(root, "label", commit.label, sizeof commit.label);
    get_text(root, "time", commit.time, sizeof commit.time);
    get_text(root, "uimon", commit.uimon, sizeof commit.uimon);
    get_text(root, "machine", commit.machine, sizeof commit.machine);
    get_text(root, "system", commit.system, sizeof commit.system);
    get_text(root, "target", commit.target, sizeof commit.target);
    commit.layout = cJSON_IsTrue(um_json_member(root, "layout"));
    while (at < track->commit_count && strcmp(track->commits[at].label, commit.label) != 0)
        at++;
    if (at < track->commit_count) {
        history->replaced += !um_utf8_equal(track->commits[at].machine, commit.machine);
        for (size_t i = 0; i < track->series_count; i++)
            remove_point(&track->series[i], at);
    } else {
        if (!um_list_reserve(&track->commits, &track->commit_room, at + 1, SIZE_MAX, sizeof commit))
            return SIZE_MAX;
        track->commit_count++;
    }
    track->commits[at] = commit;
    return at;
}

/* The series of a quantity. NULL without memory, or if there are UM_HISTORY_SERIES already, which
 * `history->full` counts. */
static struct um_history_series *get_series(struct um_history *history,
                                            struct um_history_track *track, const char *measure,
                                            enum um_comparison_quantity quantity, bool painted)
{
    for (size_t i = 0; i < track->series_count; i++) {
        struct um_history_series *series = &track->series[i];
        if (series->quantity == quantity && series->painted == painted &&
            strcmp(series->measure, measure) == 0)
            return series;
    }
    if (history->series_count == UM_HISTORY_SERIES) {
        history->full++;
        return NULL;
    }
    if (!um_list_reserve(&track->series, &track->series_room, track->series_count + 1, SIZE_MAX,
                         sizeof *track->series))
        return NULL;
    struct um_history_series *made = &track->series[track->series_count++];
    history->series_count++;
    made->quantity = quantity;
    made->painted = painted;
    snprintf(made->measure, sizeof made->measure, "%s", measure);
    return made;
}

static bool misses_inputs(const cJSON *measure)
{
    const cJSON *inputs = um_json_member(measure, "inputs");
    const cJSON *missing = um_json_member(measure, "missing");
    return inputs && missing &&
           missing->valuedouble * 100 > inputs->valuedouble * UM_COMPARISON_MOST_MISSING_PERCENT;
}

static enum um_status take_measure(struct um_history *history, struct um_history_track *track,
                                   size_t commit, const cJSON *object)
{
    const cJSON *item;
    const char *total_to = um_json_member_text(object, "total_to");
    bool handled = total_to && strcmp(total_to, "handled") == 0;
    char name[UM_RESULTS_NAME_BYTES];
    um_utf8_fit(um_json_member(object, "name")->valuestring, UM_RESULTS_NAME_BYTES, name,
                sizeof name);
    cJSON_ArrayForEach(item, um_json_member(object, "quantities"))
    {
        enum um_comparison_quantity quantity = quantity_of(item);
        if (quantity == UM_COMPARISON_QUANTITIES)
            continue;
        unsigned long full = history->full;
        bool painted = quantity == UM_COMPARISON_TOTAL && !handled;
        struct um_history_series *series = get_series(history, track, name, quantity, painted);
        if (!series && history->full > full)
            continue;
        const struct um_history_point point = {
            .commit = commit,
            .median = um_json_member(item, "median")->valuedouble,
            .low = um_json_member(item, "low")->valuedouble,
            .high = um_json_member(item, "high")->valuedouble,
            .runs = (uint32_t)um_json_member(item, "runs")->valuedouble,
            .misses = misses_inputs(object),
        };
        if (!series || !insert_point(series, &point))
            return UM_ERR_MEMORY;
    }
    return UM_OK;
}

static enum um_status take_root(struct um_history *history, const cJSON *root, const char *machine)
{
    const cJSON *item;
    struct um_history_track *track = get_track(history, root, machine);
    size_t commit = track ? get_commit(history, track, root) : SIZE_MAX;
    enum um_status status = commit < SIZE_MAX ? UM_OK : UM_ERR_MEMORY;
    cJSON_ArrayForEach(item, um_json_member(root, "measures"))
    {
        if (status == UM_OK)
            status = take_measure(history, track, commit, item);
    }
    if (status == UM_OK) {
        history->lines++;
        history->latest = (size_t)(track - history->tracks);
        history->latest_commit = commit;
    }
    return status;
}

static enum um_status take_line(struct um_history *history, const char *line, size_t len,
                                unsigned long number, const char *machine)
{
    cJSON *root = cJSON_ParseWithLength(line, len);
    const char *kind = um_json_member_text(root, "kind");
    const cJSON *schema = um_json_member(root, "schema");
    bool ours = kind && strcmp(kind, "history") == 0 && cJSON_IsNumber(schema);
    bool newer = ours && schema->valuedouble > UM_HISTORY_SCHEMA;
    enum um_status status = UM_OK;
    if (newer) {
        history->newer++;
    } else if (ours && schema->valuedouble >= UM_HISTORY_SCHEMA && is_line(root)) {
        status = take_root(history, root, machine);
    } else {
        history->damaged++;
        if (history->damaged_at == 0)
            history->damaged_at = number;
    }
    cJSON_Delete(root);
    return status;
}

/* Whether a line has nothing but blanks. */
static bool is_blank(const char *line, size_t len)
{
    while (len > 0 && (line[len - 1] == ' ' || line[len - 1] == '\t'))
        len--;
    return len == 0;
}

static unsigned long count_lines(const char *text, size_t len)
{
    struct um_text_file_lines lines = um_text_file_lines(text, len);
    unsigned long count = 0;
    const char *line;
    size_t line_len;
    while (um_text_file_next_line(&lines, &line, &line_len))
        count += !is_blank(line, line_len);
    return count;
}

enum um_status um_history_read(const char *text, size_t len_bytes, const char *machine,
                               struct um_history *out)
{
    struct um_text_file_lines lines = um_text_file_lines(text, len_bytes);
    struct um_history made = {0};
    unsigned long left = count_lines(text, len_bytes);
    enum um_status status = UM_OK;
    const char *line;
    size_t len;
    while (status == UM_OK && um_text_file_next_line(&lines, &line, &len)) {
        if (is_blank(line, len))
            continue;
        if (left > UM_HISTORY_LINES)
            made.older++;
        else
            status = take_line(&made, line, len, lines.number, machine);
        left -= left > UM_HISTORY_LINES;
    }
    if (status == UM_OK)
        *out = made;
    else
        um_history_deinit(&made);
    return status;
}

const char *um_history_series_name(const struct um_history_series *series)
{
    bool handled = series->quantity == UM_COMPARISON_TOTAL && !series->painted;
    return handled ? "handled" : um_comparison_quantity_name(series->quantity);
}

double um_history_change_percent(const struct um_history_change *change)
{
    bool known = change->before >= UM_HISTORY_LEAST_MS;
    return known ? (change->after / change->before - 1) * 100 : NAN;
}

bool um_history_is_empty(const struct um_history_series *series)
{
    bool seen = series->quantity != UM_COMPARISON_FREEZES && series->len > 0;
    for (size_t i = 0; i < series->len && !seen; i++)
        seen = series->points[i].high > 0;
    return !seen;
}

void um_history_what_else(const struct um_history_track *track,
                          const struct um_history_series *series, size_t point, char *text,
                          size_t cap_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    if (point == 0)
        return;
    const struct um_history_commit *old = &track->commits[series->points[point - 1].commit];
    const struct um_history_commit *new = &track->commits[series->points[point].commit];
    const struct {
        const char *what, *before, *after;
    } parts[] = {
        {"uimon", old->uimon, new->uimon},
        {"machine", old->machine, new->machine},
        {"system", old->system, new->system},
        {"program", old->target, new->target},
        {"--layout", old->layout ? "on" : "off", new->layout ? "on" : "off"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && used < cap_bytes; i++)
        if (parts[i].before[0] && parts[i].after[0] &&
            !um_utf8_equal(parts[i].before, parts[i].after))
            used += (size_t)snprintf(text + used, cap_bytes - used, "%s%s %s to %s",
                                     used > 0 ? "; " : "", parts[i].what, parts[i].before,
                                     parts[i].after);
}

const char *um_history_day(const struct um_history_commit *commit, char day[UM_HISTORY_DAY_BYTES])
{
    static const char form[] = "0000-00-00";
    size_t len = 0;
    while (form[len] && (form[len] == '-' ? commit->time[len] == '-'
                                          : commit->time[len] >= '0' && commit->time[len] <= '9'))
        len++;
    snprintf(day, UM_HISTORY_DAY_BYTES, "%.*s", form[len] ? 0 : (int)len, commit->time);
    return day;
}

bool um_history_begins(const char *path)
{
    static const char head[] = UM_HISTORY_HEAD;
    char text[256];
    FILE *file = fopen(path, "rb");
    size_t len = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    struct um_text_file_lines lines = um_text_file_lines(text, len);
    const char *line = "";
    size_t line_len = 0;
    while (line_len == 0 && um_text_file_next_line(&lines, &line, &line_len))
        continue;
    size_t zeros = 0; /* some file systems leave zero bytes after a power cut */
    while (zeros < line_len && line[zeros] == '\0')
        zeros++;
    size_t shown = line_len - zeros < strlen(head) ? line_len - zeros : strlen(head);
    return memcmp(line + zeros, head, shown) == 0;
}

static void free_track(struct um_history_track *track)
{
    for (size_t i = 0; i < track->series_count; i++) {
        free(track->series[i].points);
        free(track->series[i].changes);
    }
    free(track->series);
    free(track->commits);
}

void um_history_deinit(struct um_history *history)
{
    for (size_t i = 0; i < history->track_count; i++)
        free_track(&history->tracks[i]);
    free(history->tracks);
    *history = (struct um_history){0};
}
