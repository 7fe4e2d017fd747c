#include "monitor/stats/curves.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/double_bits.h"
#include "base/list.h"
#include "base/ns.h"
#include "base/plain/clock.h"

/* A work item is submitted four times a second. After so long none was. */
#define POOL_GAP_NS (2 * UM_CLOCK_NS_PER_S)
#define FIRST_GRAIN_NS (100 * UM_CLOCK_NS_PER_MS)
/* The target tells the times of its counters. They lie about where the feed is, or are wrong. */
#define AHEAD_NS (10 * UM_CLOCK_NS_PER_S)

void um_curves_deinit(struct um_curves *curves)
{
    for (int i = 0; i < UM_CURVES_COUNT; i++)
        free(curves->curves[i].list);
    for (size_t i = 0; i < UM_WIRE_COUNTERS; i++) {
        if (curves->counters[i])
            free(curves->counters[i]->list);
        free(curves->counters[i]);
    }
    um_own_counters_deinit(&curves->own);
    free(curves->starvations);
    *curves = (struct um_curves){0};
}

/* Adds a span to the one before it, if they touch and are short enough together. */
static bool join(struct um_curves_span *last, const struct um_curves_span *next, uint64_t grain_ns)
{
    double sum = last->sum + next->sum, weight = last->weight + next->weight;
    if (next->start_ns > last->end_ns || next->end_ns - last->start_ns > grain_ns ||
        !(fabs(sum) <= DBL_MAX) || !(weight <= DBL_MAX))
        return false;
    last->end_ns = next->end_ns;
    last->sum = sum;
    last->weight = weight;
    last->least = fmin(last->least, next->least);
    last->greatest = fmax(last->greatest, next->greatest);
    return true;
}

static void join_all(struct um_curve *curve)
{
    size_t kept = 0;
    for (size_t i = 0; i < curve->len; i++)
        if (kept == 0 || !join(&curve->list[kept - 1], &curve->list[i], curve->grain_ns))
            curve->list[kept++] = curve->list[i];
    curve->len = kept;
}

void um_curves_shorten(struct um_curve *curve, size_t most)
{
    while (curve->list && curve->len > most) {
        uint64_t whole_ns = curve->list[curve->len - 1].end_ns - curve->list[0].start_ns;
        if (curve->grain_ns > whole_ns)
            return; /* none of those that are left touch */
        curve->grain_ns = curve->grain_ns ? 2 * curve->grain_ns : FIRST_GRAIN_NS;
        join_all(curve);
    }
}

/* Of what began before the session there is the part within it. */
static void add(struct um_curves *curves, struct um_curve *curve, size_t most,
                struct um_curves_span *span)
{
    span->start_ns = um_ns_max(span->start_ns, curves->start_ns);
    struct um_curves_span *last = curve->len > 0 ? &curve->list[curve->len - 1] : NULL;
    if (!(span->weight > 0) || span->end_ns <= span->start_ns ||
        (last && span->start_ns < last->end_ns))
        return;
    if (last && join(last, span, curve->grain_ns))
        return;
    if (curve->len == most)
        um_curves_shorten(curve, most / 4 * 3);
    if (!um_list_reserve(&curve->list, &curve->room, curve->len + 1, most, sizeof *last)) {
        curves->cut = true;
        return;
    }
    curve->list[curve->len++] = *span;
}

/* Thread pool ---------------------------------------------------------------------------------- */

/* A delay stands for the time since the one before; the first one for as long as the item
 * waited. */
static void take_pool(struct um_curves *curves, const struct um_wire_pool *pool)
{
    uint64_t waited_ns = um_ns_min(pool->delay_ns, POOL_GAP_NS);
    uint64_t start_ns = um_ns_elapsed(waited_ns, pool->time_ns);
    bool goes_on =
        curves->pool_ns != 0 && um_ns_elapsed(curves->pool_ns, pool->time_ns) <= POOL_GAP_NS;
    double delay_ns = (double)pool->delay_ns;
    if (goes_on)
        start_ns = curves->pool_ns;
    struct um_curves_span span = {
        um_ns_max(start_ns, curves->pool_ns), pool->time_ns, delay_ns, 1, delay_ns, delay_ns};
    add(curves, &curves->curves[UM_CURVES_POOL], UM_CURVES_SPANS, &span);
    curves->pool_ns = um_ns_max(curves->pool_ns, pool->time_ns);
}

static void take_starvation(struct um_curves *curves, enum um_dotnet_pool_news news)
{
    const struct um_dotnet_pool *pool = &curves->dotnet;
    if (news == UM_DOTNET_POOL_STARVED) {
        if (um_list_reserve(&curves->starvations, &curves->starvation_room,
                            curves->starvation_count + 1, UM_CURVES_STARVATIONS,
                            sizeof *curves->starvations))
            curves->starvation_count++;
        else
            curves->cut = true;
    }
    if (pool->id > 0 && pool->id == curves->starvation_count)
        curves->starvations[pool->id - 1] = (struct um_curves_starvation){
            pool->start_ns, pool->starved ? 0 : pool->end_ns, pool->most};
}

/* Messages and frames -------------------------------------------------------------------------- */

static void add_rate(struct um_curves *curves, enum um_curves_id id, uint64_t start_ns,
                     uint64_t end_ns, uint64_t count)
{
    double seconds = (double)(end_ns - start_ns) / (double)UM_CLOCK_NS_PER_S;
    double rate = (double)count / seconds;
    struct um_curves_span span = {start_ns, end_ns, (double)count, seconds, rate, rate};
    add(curves, &curves->curves[id], UM_CURVES_SPANS, &span);
}

static void take_activity(struct um_curves *curves, const struct um_wire_frame *frame)
{
    const struct um_wire_activity *now = &frame->as.activity, *last = &curves->last;
    bool paints = (frame->flags & UM_WIRE_ACTIVITY_PAINTS) != 0;
    bool goes_on = last->time_ns != 0 && now->since_ns == last->since_ns &&
                   now->time_ns > last->time_ns && now->messages >= last->messages;
    if (goes_on)
        add_rate(curves, UM_CURVES_MESSAGES, last->time_ns, now->time_ns,
                 now->messages - last->messages);
    if (goes_on && paints && curves->last_paints && now->paints >= last->paints)
        add_rate(curves, UM_CURVES_FRAMES, last->time_ns, now->time_ns, now->paints - last->paints);
    curves->last = *now;
    curves->last_paints = paints;
}

/* The target's own counters -------------------------------------------------------------------- */

static void take_counter(struct um_curves *curves, const struct um_wire_counter *told)
{
    bool changed;
    size_t place = um_own_counters_take(&curves->own, told, &changed);
    struct um_curve *curve = place != UM_OWN_COUNTERS_NONE ? curves->counters[place] : NULL;
    if (curve && changed) /* the values before may have meant something else */
        curve->len = 0;
}

static struct um_curve *curve_of(struct um_curves *curves, size_t place)
{
    if (!curves->counters[place])
        curves->counters[place] = calloc(1, sizeof *curves->counters[place]);
    curves->cut |= !curves->counters[place];
    return curves->counters[place];
}

/* Until when values go and how long, after the one before. Intervals are as long as the target says
 * and lie less exactly in time, so that one which begins within a quarter of it touches the one
 * before. False: its length is not known, or its time is wrong. */
static bool place_span(const struct um_curve *curve, const struct um_wire_counter_value *value,
                       struct um_curves_span *span)
{
    uint64_t last_ns = curve->len > 0 ? curve->list[curve->len - 1].end_ns : 0;
    uint64_t length_ns = value->interval_ns;
    if (value->time_ns <= last_ns || length_ns == 0)
        return false;
    span->end_ns = value->time_ns;
    span->start_ns = um_ns_elapsed(length_ns, value->time_ns);
    if (span->start_ns <= um_ns_sum(last_ns, length_ns / 4) && last_ns != 0)
        span->start_ns = last_ns;
    return true;
}

static void take_value(struct um_curves *curves, const struct um_wire_counter_value *value)
{
    struct um_curves_span span;
    size_t place = um_own_counters_place(&curves->own, value->number);
    if (place == UM_OWN_COUNTERS_NONE)
        return;
    struct um_curve *curve = curve_of(curves, place);
    if (!curve || !place_span(curve, value, &span))
        return;
    double number = um_double_bits_value(value->value);
    if (curves->own.list[place].kind == UM_WIRE_COUNTER_INCREMENT) {
        span.sum = number;
        span.weight = (double)value->interval_ns / (double)UM_CLOCK_NS_PER_S;
        span.least = span.greatest = number / span.weight;
    } else {
        span.weight = value->count > 0 ? value->count : 1;
        span.sum = number * span.weight;
        span.least = value->count > 0 ? um_double_bits_value(value->min) : number;
        span.greatest = value->count > 0 ? um_double_bits_value(value->max) : number;
    }
    if (fabs(span.sum) <= DBL_MAX && fabs(span.greatest) <= DBL_MAX)
        add(curves, curve, UM_CURVES_COUNTER_SPANS, &span);
}

static bool is_possible(const struct um_curves *curves, uint64_t time_ns)
{
    uint64_t now_ns = um_ns_max(curves->now_ns, curves->start_ns);
    return time_ns >= curves->start_ns && time_ns <= um_ns_sum(now_ns, AHEAD_NS);
}

void um_curves_take(struct um_curves *curves, const struct um_wire_frame *frame)
{
    curves->now_ns = um_ns_max(curves->now_ns, um_wire_time_of(frame));
    switch (frame->type) {
    case UM_WIRE_SESSION:
        curves->start_ns = curves->start_ns ? curves->start_ns : frame->as.session.start_ns;
        break;
    case UM_WIRE_POOL:
        take_pool(curves, &frame->as.pool);
        break;
    case UM_WIRE_ACTIVITY:
        take_activity(curves, frame);
        break;
    case UM_WIRE_COUNTER:
        take_counter(curves, &frame->as.counter);
        (void)um_dotnet_pool_take(&curves->dotnet, frame);
        break;
    case UM_WIRE_COUNTER_VALUE:
        if (!is_possible(curves, frame->as.counter_value.time_ns))
            break;
        take_value(curves, &frame->as.counter_value);
        take_starvation(curves, um_dotnet_pool_take(&curves->dotnet, frame));
        break;
    default:
        break;
    }
}

double um_curves_mean(const struct um_curves_span *span)
{
    return span->sum / span->weight;
}
