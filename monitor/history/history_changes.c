#include "monitor/history/history_changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/by_size.h"
#include "monitor/history/divisive.h"

/* Levels are computed from numbers that a file has to the nanosecond. */
#define HALF_NS 0.5e-6

/* The median of points. `room` has room for `len` numbers. */
static double median_of(const struct um_history_point *points, size_t len, double *room)
{
    for (size_t i = 0; i < len; i++)
        room[i] = points[i].median;
    qsort(room, len, sizeof *room, um_by_size);
    return (room[(len - 1) / 2] + room[len / 2]) / 2;
}

/* Fills in the medians before and after each change. */
static void fill_levels(struct um_history_series *series, double *room)
{
    size_t begin = series->first;
    for (size_t i = 0; i <= series->change_count; i++) {
        size_t end = i < series->change_count ? series->changes[i].point : series->len;
        double level = median_of(series->points + begin, end - begin, room);
        if (i > 0)
            series->changes[i - 1].after = level;
        if (i < series->change_count)
            series->changes[i].before = level;
        series->level = level;
        begin = end;
    }
}

/* How large a change is, in units of the smallest one that is told: from 1 on it is told. */
static double size_of(const struct um_history_change *change)
{
    double least = fmax(fabs(change->before) * UM_HISTORY_LEAST_SHARE, UM_HISTORY_LEAST_MS);
    return (fabs(change->after - change->before) + HALF_NS) / least;
}

/* Removes changes that are too small to be told, the smallest first, because the levels around it
 * are then others. */
static void remove_small(struct um_history_series *series, double *room)
{
    fill_levels(series, room);
    while (series->change_count > 0) {
        size_t smallest = 0;
        for (size_t i = 1; i < series->change_count; i++)
            if (size_of(&series->changes[i]) < size_of(&series->changes[smallest]))
                smallest = i;
        if (size_of(&series->changes[smallest]) >= 1)
            return;
        series->change_count--;
        memmove(series->changes + smallest, series->changes + smallest + 1,
                (series->change_count - smallest) * sizeof *series->changes);
        fill_levels(series, room);
    }
}

static enum um_status find_changes(struct um_history_series *series, double *values,
                                   struct um_divisive_change *found)
{
    size_t count;
    size_t len = series->len < UM_DIVISIVE_MOST ? series->len : UM_DIVISIVE_MOST;
    series->first = series->len - len;
    if (len == 0) /* all its points were replaced by later lines */
        return UM_OK;
    for (size_t i = 0; i < len; i++)
        values[i] = series->points[series->first + i].median;
    enum um_status status = um_divisive_find(values, len, &um_divisive_config, found, &count);
    if (status != UM_OK)
        return status;
    free(series->changes);
    series->change_count = 0;
    series->changes = calloc(count + 1, sizeof *series->changes);
    if (!series->changes)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        series->changes[i] =
            (struct um_history_change){.point = series->first + found[i].at, .p = found[i].p};
    series->change_count = count;
    remove_small(series, values);
    return UM_OK;
}

enum um_status um_history_changes_find(struct um_history *history)
{
    double *values = calloc(UM_DIVISIVE_MOST, sizeof *values);
    struct um_divisive_change *found = calloc(UM_DIVISIVE_MOST, sizeof *found);
    enum um_status status = values && found ? UM_OK : UM_ERR_MEMORY;
    for (size_t i = 0; i < history->track_count; i++) {
        struct um_history_track *track = &history->tracks[i];
        for (size_t j = 0; j < track->series_count && status == UM_OK; j++)
            status = find_changes(&track->series[j], values, found);
    }
    free(values);
    free(found);
    return status;
}
