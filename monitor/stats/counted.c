#include "monitor/stats/counted.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/double_bits.h"
#include "base/list.h"
#include "base/ns.h"

struct um_counted {
    struct um_counted_pool pool;
    uint64_t *delay_counts; /* NULL before the first POOL */
    size_t starvation_room;
    struct um_counted_activity activity;
    struct um_wire_activity last; /* `time_ns` 0: none has come */
    bool last_paints;             /* its `paints` was known */
    struct um_own_counters own;
    struct um_counted_counter *counters[UM_WIRE_COUNTERS]; /* by the places of `own` */
};

enum um_status um_counted_open(struct um_counted **out)
{
    struct um_counted *counted = calloc(1, sizeof *counted);
    if (!counted)
        return UM_ERR_MEMORY;
    *out = counted;
    return UM_OK;
}

void um_counted_close(struct um_counted *counted)
{
    if (!counted)
        return;
    for (size_t i = 0; i < UM_WIRE_COUNTERS; i++)
        free(counted->counters[i]);
    um_own_counters_deinit(&counted->own);
    free(counted->pool.list);
    free(counted->delay_counts);
    free(counted);
}

/* Each frame has all that is known of the latest starvation. */
static void take_starvation(struct um_counted *counted, const struct um_wire_pool *pool)
{
    struct um_counted_pool *to = &counted->pool;
    bool is_known = to->len > 0 && to->list[to->len - 1].id == pool->starvation;
    if (pool->starvation == 0)
        return;
    if (pool->starvation > to->starvations)
        to->starvations = pool->starvation;
    if (!is_known && (to->len > 0 && to->list[to->len - 1].id > pool->starvation))
        return;
    if (!is_known) {
        if (!um_list_reserve(&to->list, &counted->starvation_room, to->len + 1,
                             UM_COUNTED_STARVATIONS, sizeof *to->list))
            return;
        to->len++;
    }
    to->list[to->len - 1] = (struct um_counted_starvation){pool->starvation, pool->start_ns,
                                                           pool->end_ns, pool->peak_ns};
}

static void take_pool(struct um_counted *counted, const struct um_wire_frame *frame)
{
    const struct um_wire_pool *pool = &frame->as.pool;
    if (!counted->delay_counts) {
        counted->delay_counts = calloc(UM_HISTOGRAM_LATENCY_COUNTS, sizeof(uint64_t));
        if (!counted->delay_counts)
            return;
        um_histogram_init_latency(&counted->pool.delays, counted->delay_counts);
    }
    if (!(frame->flags & UM_WIRE_POOL_WAITS))
        um_histogram_record(&counted->pool.delays, pool->delay_ns);
    counted->pool.last_ns = um_ns_max(counted->pool.last_ns, pool->time_ns);
    take_starvation(counted, pool);
}

static void take_activity(struct um_counted *counted, const struct um_wire_frame *frame)
{
    const struct um_wire_activity *now = &frame->as.activity, *last = &counted->last;
    struct um_counted_activity *to = &counted->activity;
    bool paints = (frame->flags & UM_WIRE_ACTIVITY_PAINTS) != 0;
    bool goes_on = last->time_ns != 0 && now->since_ns == last->since_ns &&
                   now->time_ns > last->time_ns && now->messages >= last->messages;
    if (goes_on) {
        to->messages += now->messages - last->messages;
        to->messages_ns += now->time_ns - last->time_ns;
    }
    if (goes_on && paints && counted->last_paints && now->paints >= last->paints) {
        to->paints += now->paints - last->paints;
        to->paints_ns += now->time_ns - last->time_ns;
    }
    counted->last = *now;
    counted->last_paints = paints;
}

static void take_counter(struct um_counted *counted, const struct um_wire_counter *told)
{
    bool changed;
    size_t place = um_own_counters_take(&counted->own, told, &changed);
    if (place == UM_OWN_COUNTERS_NONE || counted->own.list[place].kind >= UM_WIRE_COUNTER_KINDS)
        return; /* of a later version: nobody knows what its values mean */
    if (!counted->counters[place])
        counted->counters[place] = calloc(1, sizeof *counted->counters[place]);
    struct um_counted_counter *counter = counted->counters[place];
    if (!counter)
        return;
    if (counter->is.kind != counted->own.list[place].kind)
        *counter = (struct um_counted_counter){0}; /* values of another kind cannot be added */
    counter->is = counted->own.list[place];
}

static void take_value(struct um_counted *counted, const struct um_wire_counter_value *told)
{
    size_t place = um_own_counters_place(&counted->own, told->number);
    struct um_counted_counter *counter =
        place != UM_OWN_COUNTERS_NONE ? counted->counters[place] : NULL;
    double value = um_double_bits_value(told->value);
    double least = value, greatest = value, weight = 1;
    if (!counter)
        return;
    if (counter->is.kind == UM_WIRE_COUNTER_INCREMENT)
        weight = (double)told->interval_ns / 1e9;
    else if (told->count > 0) {
        weight = told->count;
        least = um_double_bits_value(told->min);
        greatest = um_double_bits_value(told->max);
    }
    double sum =
        counter->sum + (counter->is.kind == UM_WIRE_COUNTER_INCREMENT ? value : weight * value);
    if (!(fabs(sum) <= DBL_MAX))
        return;
    counter->sum = sum;
    counter->weight += weight;
    counter->least = counter->intervals == 0 ? least : fmin(counter->least, least);
    counter->greatest = counter->intervals == 0 ? greatest : fmax(counter->greatest, greatest);
    counter->last = value;
    counter->intervals++;
}

void um_counted_take(struct um_counted *counted, const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_POOL:
        take_pool(counted, frame);
        break;
    case UM_WIRE_ACTIVITY:
        take_activity(counted, frame);
        break;
    case UM_WIRE_COUNTER:
        take_counter(counted, &frame->as.counter);
        break;
    case UM_WIRE_COUNTER_VALUE:
        take_value(counted, &frame->as.counter_value);
        break;
    default:
        break;
    }
}

const struct um_counted_pool *um_counted_pool(const struct um_counted *counted)
{
    return counted->delay_counts ? &counted->pool : NULL;
}

const struct um_counted_activity *um_counted_activity(const struct um_counted *counted)
{
    return counted->activity.messages_ns > 0 ? &counted->activity : NULL;
}

const struct um_counted_counter *um_counted_counter(const struct um_counted *counted, size_t place)
{
    const struct um_counted_counter *counter = counted->counters[place];
    return counter && counter->intervals > 0 ? counter : NULL;
}

double um_counted_mean(const struct um_counted_counter *counter)
{
    return counter->weight > 0 ? counter->sum / counter->weight : 0;
}
