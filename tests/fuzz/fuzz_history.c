/* Feeds any bytes to the reader of histories, and what it accepts to all that is made of one.
 * Checks what the headers promise: points in order and finite, changes in between, no output that
 * commands a terminal or breaks a format. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/history/divisive.h"
#include "monitor/history/history.h"
#include "monitor/history/history_changes.h"
#include "monitor/history/history_html.h"
#include "monitor/history/history_json.h"
#include "monitor/history/history_text.h"
#include "tests/fuzz/made_page.h"
#include "tests/fuzz/require.h"
#include "tests/hostile.h"
#include "tests/divisive_slow.h"

/* Changes are looked for many times as long as lines are read: only in some inputs. */
#define FEW_POINTS 60
#define ONE_OF_MANY 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t check_series(const struct um_history_track *track,
                           const struct um_history_series *series)
{
    require(hostile_is_harmless(series->measure) && series->measure[0] != '\0');
    for (size_t i = 0; i < series->len; i++) {
        const struct um_history_point *point = &series->points[i];
        require(point->commit < track->commit_count && point->runs >= 1);
        require(i == 0 || point->commit > series->points[i - 1].commit);
        require(isfinite(point->low) && isfinite(point->high));
        require(point->low <= point->median && point->median <= point->high);
    }
    return series->len;
}

/* Returns how many points there are. */
static size_t check(const struct um_history *history)
{
    size_t points = 0;
    size_t series = 0;
    for (size_t i = 0; i < history->track_count; i++) {
        const struct um_history_track *track = &history->tracks[i];
        require(track->commit_count > 0 && hostile_is_harmless(track->machine));
        for (size_t j = 0; j < track->commit_count; j++)
            require(track->commits[j].label[0] != '\0' &&
                    hostile_is_harmless(track->commits[j].label));
        for (size_t j = 0; j < track->series_count; j++)
            points += check_series(track, &track->series[j]);
        series += track->series_count;
    }
    require(series == history->series_count && series <= UM_HISTORY_SERIES);
    require((history->lines > 0) == (history->track_count > 0));
    require((history->damaged > 0) == (history->damaged_at > 0));
    return points;
}

/* The best cut over all ends is no worse than the same cut with the last number as its end. */
static void check_best(const struct um_history_series *series)
{
    double values[FEW_POINTS];
    double distance;
    size_t cut;
    for (size_t i = 0; i < series->len; i++)
        values[i] = series->points[i].median;
    require(um_divisive_best(values, series->len, 2, &cut, &distance) == UM_OK);
    require((cut > 0) == (series->len >= 4));
    if (cut == 0)
        return;
    double whole = divisive_slow(values, series->len, cut);
    double most = 0; /* of all sums that the two are made of, for their rounding */
    for (size_t i = 0; i < series->len; i++)
        most += fabs(values[i]) * (double)(series->len * series->len);
    require(cut + 2 <= series->len && distance >= whole - 1e-12 * most);
}

static void check_changes(const struct um_history *history)
{
    for (size_t i = 0; i < history->track_count; i++) {
        for (size_t j = 0; j < history->tracks[i].series_count; j++) {
            const struct um_history_series *series = &history->tracks[i].series[j];
            check_best(series);
            for (size_t k = 0; k < series->change_count; k++) {
                const struct um_history_change *change = &series->changes[k];
                require(change->point < series->len && change->p > 0 &&
                        change->p <= um_divisive_config.level);
                require(change->point > (k > 0 ? series->changes[k - 1].point : series->first));
                require(isfinite(change->before) && isfinite(change->after));
            }
        }
    }
}

static void check_json(enum um_status status, char *text)
{
    require(status == UM_OK && hostile_is_harmless(text));
    cJSON *root = cJSON_Parse(text);
    require(root);
    cJSON_Delete(root);
    cJSON_free(text);
}

static void check_outputs(struct um_history *history)
{
    char *text = NULL;
    size_t len = 0;
    require(um_history_changes_find(history) == UM_OK);
    check_changes(history);
    FILE *file = open_memstream(&text, &len);
    require(file && um_history_text_write(file, history) == UM_OK);
    require(fclose(file) == 0 && hostile_is_harmless(text));
    free(text);
    file = open_memstream(&text, &len);
    require(file && um_history_html_write(file, history) == UM_OK && fclose(file) == 0);
    require(hostile_is_harmless(check_made_page(text, len, um_history_page)));
    free(text);
    enum um_status status = um_history_json_make(history, &text);
    check_json(status, text);
    status = um_history_json_github(history, &text);
    if (status != UM_ERR_NOT_FOUND)
        check_json(status, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct um_history history;
    require(um_history_read((const char *)data, size, size % 2 ? "any" : NULL, &history) == UM_OK);
    size_t points = check(&history);
    if (points <= FEW_POINTS && size % ONE_OF_MANY == 0)
        check_outputs(&history);
    um_history_deinit(&history);
    return 0;
}
