#include "monitor/diff/counted_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/plain/clock.h"
#include "base/utf8.h"

#define NS_PER_MINUTE (60.0 * (double)UM_CLOCK_NS_PER_S)
#define MOST_ROWS (2 * UM_WIRE_COUNTERS + 16)
#define COLUMNS 80
#define BEFORE_NAME 38

/* The row of that name and unit, new if there is none; NULL without memory. */
static struct um_counted_diff_row *place_row(struct um_counted_diff *diff, const char *name,
                                             const char *label, const char *unit)
{
    for (size_t i = 0; i < diff->count; i++)
        if (strcmp(diff->rows[i].name, name) == 0 && strcmp(diff->rows[i].unit, unit) == 0)
            return &diff->rows[i];
    if (!um_list_reserve(&diff->rows, &diff->room, diff->count + 1, MOST_ROWS, sizeof *diff->rows))
        return NULL;
    struct um_counted_diff_row *row = &diff->rows[diff->count++];
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->label, sizeof row->label, "%s", label);
    snprintf(row->unit, sizeof row->unit, "%s", unit);
    return row;
}

static bool put(struct um_counted_diff *diff, int side, const char *name, const char *label,
                const char *unit, double value)
{
    struct um_counted_diff_row *row = place_row(diff, name, label, unit);
    if (!row)
        return false;
    row->known[side] = true;
    row->values[side] = value;
    diff->any |= row->known[0] && row->known[1];
    return true;
}

static double ms_at(const struct um_counted_pool *pool, double percentile)
{
    return (double)um_histogram_value_at_percentile(&pool->delays, percentile) /
           (double)UM_CLOCK_NS_PER_MS;
}

/* How long a curve was measured. Units: ns. */
static double measured_ns(const struct um_curve *curve)
{
    double sum_ns = 0;
    for (size_t i = 0; i < curve->len; i++)
        sum_ns += (double)(curve->list[i].end_ns - curve->list[i].start_ns);
    return sum_ns;
}

static double starved_ns(const struct um_counted_pool *pool)
{
    double sum_ns = 0;
    for (size_t i = 0; i < pool->len; i++) {
        uint64_t end_ns = pool->list[i].end_ns ? pool->list[i].end_ns : pool->last_ns;
        if (end_ns > pool->list[i].start_ns)
            sum_ns += (double)(end_ns - pool->list[i].start_ns);
    }
    return sum_ns;
}

static bool put_pool(struct um_counted_diff *diff, int side, const struct um_recorded *recorded,
                     const struct um_counted_pool *pool)
{
    double pool_ns = measured_ns(&recorded->curves.curves[UM_CURVES_POOL]);
    bool kept = true;
    if (um_histogram_count(&pool->delays) > 0)
        kept = put(diff, side, "threadpool.delay_ms.p50", "thread-pool delay, p50", "ms",
                   ms_at(pool, 50)) &&
               put(diff, side, "threadpool.delay_ms.p99", "thread-pool delay, p99", "ms",
                   ms_at(pool, 99));
    if (pool_ns > 0 && pool->starvations == pool->len) /* else some are not in the list */
        kept = kept && put(diff, side, "threadpool.starved_ms_per_min", "thread pool starved",
                           "ms a minute",
                           starved_ns(pool) / (double)UM_CLOCK_NS_PER_MS * NS_PER_MINUTE / pool_ns);
    return kept;
}

static bool put_activity(struct um_counted_diff *diff, int side,
                         const struct um_counted_activity *activity)
{
    bool kept = put(diff, side, "rates.messages_per_s", "messages", "/s",
                    (double)activity->messages * 1e9 / (double)activity->messages_ns);
    if (activity->paints_ns > 0)
        kept = kept && put(diff, side, "rates.frames_per_s", "frames by WM_PAINT", "/s",
                           (double)activity->paints * 1e9 / (double)activity->paints_ns);
    return kept;
}

static bool put_counter(struct um_counted_diff *diff, int side,
                        const struct um_counted_counter *counter)
{
    char name[UM_OWN_COUNTERS_PATH_BYTES], unit[UM_OWN_COUNTERS_UNIT_BYTES];
    if (!(counter->weight > 0))
        return true;
    um_own_counters_path(&counter->is, name);
    um_own_counters_unit(&counter->is, unit);
    return put(diff, side, name, um_own_counters_label(&counter->is), unit,
               um_counted_mean(counter));
}

static bool put_side(struct um_counted_diff *diff, int side, const struct um_recorded *recorded)
{
    const struct um_counted *counted = recorded->summary.counted;
    bool kept = true;
    if (!counted)
        return true;
    if (um_counted_pool(counted))
        kept = put_pool(diff, side, recorded, um_counted_pool(counted));
    if (um_counted_activity(counted))
        kept = kept && put_activity(diff, side, um_counted_activity(counted));
    for (size_t i = 0; i < UM_WIRE_COUNTERS && kept; i++) {
        const struct um_counted_counter *counter = um_counted_counter(counted, i);
        kept = !counter || put_counter(diff, side, counter);
    }
    return kept;
}

enum um_status um_counted_diff_make(struct um_counted_diff *diff, const struct um_recorded *before,
                                    const struct um_recorded *after)
{
    bool kept = put_side(diff, 0, before) && put_side(diff, 1, after);
    return kept ? UM_OK : UM_ERR_MEMORY;
}

void um_counted_diff_deinit(struct um_counted_diff *diff)
{
    free(diff->rows);
    *diff = (struct um_counted_diff){.rows = NULL};
}

/* After divided by before; 0: there is no such number. */
static double ratio_of(const struct um_counted_diff_row *row)
{
    bool has = row->known[0] && row->known[1] && row->values[0] > 0 && row->values[1] > 0;
    return has ? row->values[1] / row->values[0] : 0;
}

void um_counted_diff_write_text(FILE *out, const struct um_counted_diff *diff)
{
    if (!diff->any)
        return;
    fprintf(out, "\nWhat else was counted: means over each session, and percentiles\n");
    fprintf(out, "%11s %11s %11s\n", "before", "after", "ratio");
    for (size_t i = 0; i < diff->count; i++) {
        const struct um_counted_diff_row *row = &diff->rows[i];
        char ratio[32] = "-", line[512], fitted[512];
        if (!row->known[0] || !row->known[1])
            continue;
        if (ratio_of(row) > 0)
            (void)snprintf(ratio, sizeof ratio, "%.2f", ratio_of(row));
        (void)snprintf(line, sizeof line, "%s%s%s", row->label, row->unit[0] ? ", " : "",
                       row->unit);
        (void)um_utf8_fit(line, COLUMNS - BEFORE_NAME, fitted, sizeof fitted);
        fprintf(out, "%11.4g %11.4g %11s  %s\n", row->values[0], row->values[1], ratio, fitted);
    }
}

void um_counted_diff_write_json(struct um_json *json, struct cJSON *root,
                                const struct um_counted_diff *diff)
{
    static const char *const sides[] = {"before", "after"};
    if (!diff->any)
        return;
    struct cJSON *list = um_json_array(json, root, "counted");
    for (size_t i = 0; i < diff->count && !json->failed; i++) {
        const struct um_counted_diff_row *row = &diff->rows[i];
        struct cJSON *item = um_json_append_object(json, list);
        um_json_text(json, item, "name", row->name);
        um_json_text(json, item, "label", row->label);
        um_json_text(json, item, "unit", row->unit);
        for (int side = 0; side < 2; side++)
            if (row->known[side])
                um_json_number(json, item, sides[side], row->values[side]);
        if (ratio_of(row) > 0)
            um_json_decimals(json, item, "ratio", ratio_of(row), 3);
    }
}
