#include "monitor/history/history_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/by_size.h"
#include "base/text_wrap.h"
#include "base/utf8.h"
#include "monitor/compare/compare_format.h"
#include "monitor/history/divisive.h"

#define COLUMNS 44
#define NAME_COLUMNS 12
#define LABEL_COLUMNS 20
#define LEVELS 8
#define LOWEST_BLOCK UINT32_C(0x2581) /* of eight block characters, from low to high */
#define LEAST_SPAN 0.2
#define LEAST_SPAN_MS 0.01 /* as on the page */
#define EMPTY (-1)
#define LEAST_COMMITS 10 /* with fewer, no change is significant: see divisive.h */

/* The newest commits of a track, which its rows show: one or several in each column. */
struct window {
    size_t first;
    size_t count;
    size_t columns; /* how many columns have commits: at most COLUMNS */
};

static struct window window_of(const struct um_history_track *track)
{
    size_t all = track->commit_count;
    struct window window = {.count = all < UM_DIVISIVE_MOST ? all : UM_DIVISIVE_MOST};
    window.first = all - window.count;
    window.columns = window.count < COLUMNS ? window.count : COLUMNS;
    return window;
}

static size_t column_of(const struct window *window, size_t commit)
{
    return (commit - window->first) * window->columns / window->count;
}

/* Fills in the median of each column's points; NAN if it has none. */
static void fill_columns(const struct um_history_series *series, const struct window *window,
                         double columns[COLUMNS])
{
    double values[UM_DIVISIVE_MOST / COLUMNS + 2];
    size_t at = series->first;
    while (at < series->len && series->points[at].commit < window->first)
        at++;
    for (size_t i = 0; i < COLUMNS; i++) {
        size_t len = 0;
        for (; at < series->len && column_of(window, series->points[at].commit) == i; at++)
            values[len++] = series->points[at].median;
        qsort(values, len, sizeof *values, um_by_size);
        columns[i] = len > 0 ? (values[(len - 1) / 2] + values[len / 2]) / 2 : NAN;
    }
}

/* How high each column is. A row spans from the lowest to the highest value, but at least
 * LEAST_SPAN of the level and LEAST_SPAN_MS, so that mere noise does not fill it. */
static void fill_heights(const double columns[COLUMNS], double level, int heights[COLUMNS])
{
    double low = INFINITY;
    double high = -INFINITY;
    for (size_t i = 0; i < COLUMNS; i++) {
        low = columns[i] < low ? columns[i] : low;
        high = columns[i] > high ? columns[i] : high;
    }
    double span = fmax(fabs(level) * LEAST_SPAN, LEAST_SPAN_MS);
    if (high - low < span) {
        low -= (span - (high - low)) / 2;
        high = low + span;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        double share = high > low ? (columns[i] - low) / (high - low) : 0;
        bool known = columns[i] <= INFINITY;
        heights[i] = !known ? EMPTY : share >= 1 ? LEVELS - 1 : (int)(share * LEVELS);
    }
}

/* A time beside a change, or beside none (NULL): a tenth of the change can be seen in it. */
static struct um_compare_format ms_text(double ms, const struct um_history_change *change)
{
    return um_compare_format_ms_to(ms, change ? (change->after - change->before) / 10 : INFINITY);
}

static void put_padded(FILE *out, const char *text, size_t columns)
{
    size_t width = um_utf8_columns(text);
    fprintf(out, "%s%*s", text, width < columns ? (int)(columns - width) : 0, "");
}

static void write_row(FILE *out, const struct um_history_series *series,
                      const struct window *window)
{
    double columns[COLUMNS];
    int heights[COLUMNS];
    const struct um_history_change *last =
        series->change_count > 0 ? &series->changes[series->change_count - 1] : NULL;
    fill_columns(series, window, columns);
    fill_heights(columns, series->level, heights);
    fputs("  ", out);
    put_padded(out, um_history_series_name(series), NAME_COLUMNS);
    fputs("  ", out);
    for (size_t i = 0; i < COLUMNS; i++)
        if (heights[i] == EMPTY)
            fputc(' ', out);
        else
            um_utf8_put(out, LOWEST_BLOCK + (uint32_t)heights[i]);
    fprintf(out, "  %9s ms\n", ms_text(series->level, last).text);
}

/* Writes a line with a caret below each column in which something changes. */
static void write_carets(FILE *out, const struct um_history_series *series,
                         const struct window *window)
{
    char carets[COLUMNS + 1];
    size_t len = 0;
    memset(carets, ' ', sizeof carets);
    for (size_t i = 0; i < series->change_count; i++) {
        size_t commit = series->points[series->changes[i].point].commit;
        if (commit < window->first)
            continue;
        size_t column = column_of(window, commit);
        carets[column] = '^';
        len = column + 1;
    }
    if (len > 0)
        fprintf(out, "%*s%.*s\n", NAME_COLUMNS + 4, "", (int)len, carets);
}

static void write_change(FILE *out, const struct um_history_track *track,
                         const struct um_history_series *series,
                         const struct um_history_change *change)
{
    const struct um_history_commit *commit = &track->commits[series->points[change->point].commit];
    struct um_compare_format before = ms_text(change->before, change);
    struct um_compare_format after = ms_text(change->after, change);
    double percent = um_history_change_percent(change);
    char also[512];
    char day[UM_HISTORY_DAY_BYTES];
    fputs("    ", out);
    put_padded(out, um_utf8_show(commit->label, LABEL_COLUMNS).text, LABEL_COLUMNS);
    fprintf(out, "  %-10s  %8s -> %s ms", um_history_day(commit, day), before.text, after.text);
    if (percent <= INFINITY)
        fprintf(out, "  %+.1f %%", percent);
    fprintf(out, "  p = %.3f\n", change->p);
    um_history_what_else(track, series, change->point, also, sizeof also);
    if (also[0]) {
        fputs("      here also: ", out);
        um_text_wrap(out, also, strlen("      here also: "), 8);
    }
}

static void write_series(FILE *out, const struct um_history_track *track,
                         const struct um_history_series *series, const struct window *window)
{
    if (series->len == 0 || um_history_is_empty(series))
        return;
    write_row(out, series, window);
    write_carets(out, series, window);
    for (size_t i = 0; i < series->change_count; i++)
        write_change(out, track, series, &series->changes[i]);
}

/* Writes the series of a measure if this is its first one. */
static void write_measure(FILE *out, const struct um_history_track *track, size_t index,
                          const struct window *window)
{
    const char *name = track->series[index].measure;
    for (size_t i = 0; i < index; i++)
        if (strcmp(track->series[i].measure, name) == 0)
            return;
    fprintf(out, "\n  %s\n", name);
    for (size_t i = index; i < track->series_count; i++)
        if (strcmp(track->series[i].measure, name) == 0)
            write_series(out, track, &track->series[i], window);
}

static void write_commit(FILE *out, const char *word, const struct um_history_commit *commit)
{
    fprintf(out, "  %-4s  %s", word, commit->label);
    if (commit->time[0] && strcmp(commit->time, commit->label) != 0)
        fprintf(out, ", %s", commit->time);
    fputc('\n', out);
}

/* Writes what changed last. */
static void write_newest(FILE *out, const struct um_history_track *track)
{
    const struct um_history_series *of = NULL;
    const struct um_history_change *newest = NULL;
    size_t count = 0;
    size_t at = 0;
    for (size_t i = 0; i < track->series_count; i++) {
        const struct um_history_series *series = &track->series[i];
        for (size_t j = 0; j < series->change_count; j++) {
            size_t commit = series->points[series->changes[j].point].commit;
            count++;
            if (newest && commit <= at)
                continue;
            newest = &series->changes[j];
            of = series;
            at = commit;
        }
    }
    if (!newest) {
        fputs(track->commit_count < LEAST_COMMITS ? "  Too few commits to see a change.\n"
                                                  : "  No change.\n",
              out);
        return;
    }
    fprintf(out, "  %lu change%s. The newest: %s %s is %s since %s.\n", (unsigned long)count,
            count == 1 ? "" : "s", of->measure, um_history_series_name(of),
            newest->after > newest->before ? "slower" : "faster", track->commits[at].label);
}

static void write_track(FILE *out, const struct um_history_track *track)
{
    struct window window = window_of(track);
    const struct um_history_commit *last = &track->commits[track->commit_count - 1];
    fprintf(out, "%s%s%s%s%s: %lu commit%s\n", track->scenario[0] ? track->scenario : "benchmark",
            last->target[0] ? " of " : "", last->target, track->machine[0] ? " on " : "",
            track->machine, (unsigned long)track->commit_count,
            track->commit_count == 1 ? "" : "s");
    write_commit(out, "from", &track->commits[window.first]);
    write_commit(out, "to", last);
    write_newest(out, track);
    for (size_t i = 0; i < track->series_count; i++)
        write_measure(out, track, i, &window);
    if (window.count > window.columns)
        fprintf(out, "\n  A column is the median of up to %lu commits.\n",
                (unsigned long)((window.count + window.columns - 1) / window.columns));
}

/* The numbers in it are those of divisive.h. */
static const char method[] =
    "At the right is the level since the last change, in milliseconds. A change (^) is "
    "where the commits before and after differ more than in 99 of 100 orders by chance "
    "(E-divisive, 499 permutations, at least 3 commits a side); of a slow drift, several "
    "are found. With fewer than 10 commits none can be. A row spans 20 % of its level at "
    "least. Changes of less than 0.1 %, or than 0.001 ms, are not told.";

enum um_status um_history_text_write(FILE *out, const struct um_history *history)
{
    for (size_t i = 0; i < history->track_count; i++) {
        write_track(out, &history->tracks[i]);
        fputc('\n', out);
    }
    um_text_wrap(out, method, 0, 0);
    return fflush(out) == 0 && !ferror(out) ? UM_OK : UM_ERR_IO;
}
