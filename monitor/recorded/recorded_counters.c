#include "monitor/recorded/recorded_counters.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "metrics/metrics.h"

/* Makes room in a row for so many values. False without memory. */
static bool reserve(struct um_recorded_counter *row, size_t most)
{
    row->values = most > 0 ? calloc(most, sizeof *row->values) : NULL;
    return row->values || most == 0;
}

static void add(struct um_recorded_counter *row, uint64_t at_ns, double value)
{
    row->values[row->count++] = (struct um_recorded_counters_value){at_ns, value};
}

static bool add_lag(struct um_recorded_counter *row, const struct um_recorded *recorded)
{
    size_t measured = 0;
    for (uint32_t i = 0; i < recorded->slice_count; i++)
        measured += um_recorded_slice_us(recorded, i) != UM_RECORDED_NOT_MEASURED;
    if (!reserve(row, measured))
        return false;
    for (uint32_t i = 0; i < recorded->slice_count; i++) {
        uint32_t us = um_recorded_slice_us(recorded, i);
        if (us != UM_RECORDED_NOT_MEASURED)
            add(row, (i + UINT64_C(1)) * UM_SLICE_NS, us / 1e3);
    }
    return true;
}

/* Adds the spans of a curve, in a unit that is so many times as large. A made-up recording can have
 * some that end before the session starts. */
static bool add_curve(struct um_recorded_counter *row, const struct um_recorded *recorded,
                      const struct um_curve *curve, double unit)
{
    uint64_t start_ns = recorded->session.start_ns;
    if (!reserve(row, curve->len))
        return false;
    for (size_t i = 0; i < curve->len; i++)
        if (curve->list[i].end_ns >= start_ns)
            add(row, curve->list[i].end_ns - start_ns, um_curves_mean(&curve->list[i]) / unit);
    return true;
}

/* Adds a row that every target has, with the name and unit of its metric. */
static struct um_recorded_counter *add_row(struct um_recorded_counters *to, enum um_metrics_id id)
{
    struct um_recorded_counter *row = &to->rows[to->count++];
    um_text_set(row->name, sizeof row->name, um_metrics_list[id].display);
    um_text_set(row->unit, sizeof row->unit, um_metrics_list[id].unit);
    return row;
}

static bool add_all(struct um_recorded_counters *to, const struct um_recorded *recorded)
{
    const struct um_curve *curves = recorded->curves.curves;
    bool whole =
        add_lag(add_row(to, UM_METRICS_LAG), recorded) &&
        add_curve(add_row(to, UM_METRICS_POOL_DELAY), recorded, &curves[UM_CURVES_POOL],
                  (double)UM_CLOCK_NS_PER_MS) &&
        add_curve(add_row(to, UM_METRICS_FRAME_RATE), recorded, &curves[UM_CURVES_FRAMES], 1) &&
        add_curve(add_row(to, UM_METRICS_MESSAGE_RATE), recorded, &curves[UM_CURVES_MESSAGES], 1);
    for (size_t i = 0; i < recorded->curves.own.count && whole; i++) {
        const struct um_own_counter *own = &recorded->curves.own.list[i];
        if (!recorded->curves.counters[i])
            continue;
        struct um_recorded_counter *row = &to->rows[to->count++];
        um_own_counters_path(own, row->name);
        um_own_counters_unit(own, row->unit);
        whole = add_curve(row, recorded, recorded->curves.counters[i], 1);
    }
    return whole;
}

enum um_status um_recorded_counters_make(struct um_recorded_counters *counters,
                                         const struct um_recorded *recorded)
{
    counters->rows =
        calloc(UM_RECORDED_COUNTERS_OWN + recorded->curves.own.count, sizeof *counters->rows);
    return counters->rows && add_all(counters, recorded) ? UM_OK : UM_ERR_MEMORY;
}

void um_recorded_counters_keep(struct um_recorded_counters *counters, uint64_t from_ns,
                               uint64_t to_ns)
{
    for (size_t i = 0; i < counters->count; i++) {
        struct um_recorded_counter *row = &counters->rows[i];
        size_t kept = 0;
        for (size_t k = 0; k < row->count; k++)
            if (row->values[k].at_ns >= from_ns && row->values[k].at_ns <= to_ns)
                row->values[kept++] = row->values[k];
        row->count = kept;
    }
}

void um_recorded_counters_deinit(struct um_recorded_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++)
        free(counters->rows[i].values);
    free(counters->rows);
    *counters = (struct um_recorded_counters){.rows = NULL};
}
