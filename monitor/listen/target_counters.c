#include "monitor/listen/target_counters.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_bits.h"
#include "base/list.h"

void um_target_counters_deinit(struct um_target_counters *counters)
{
    um_own_counters_deinit(&counters->own);
    free(counters->list);
    free(counters->sums);
    *counters = (struct um_target_counters){0};
}

static bool make_room(struct um_target_counters *counters)
{
    return um_list_reserve(&counters->list, &counters->list_room, counters->count + 1,
                           UM_WIRE_COUNTERS, sizeof *counters->list) &&
           um_list_reserve(&counters->sums, &counters->sums_room, counters->count + 1,
                           UM_WIRE_COUNTERS, sizeof *counters->sums);
}

static void describe(const struct um_own_counter *counter, struct um_counters_target *target)
{
    memset(target, 0, sizeof *target);
    um_own_counters_path(counter, target->name);
    target->provider_bytes = strlen(counter->provider);
    memcpy(target->display, counter->display, sizeof target->display);
    memcpy(target->unit, counter->unit, sizeof target->unit);
    target->kind = counter->kind == UM_WIRE_COUNTER_MEAN        ? UM_COUNTERS_MEAN
                   : counter->kind == UM_WIRE_COUNTER_INCREMENT ? UM_COUNTERS_INCREMENT
                                                                : UM_COUNTERS_UNKNOWN;
}

const struct um_counters_target *um_target_counters_describe(struct um_target_counters *counters,
                                                             const struct um_wire_counter *counter)
{
    bool changed;
    if (counters->count < UM_WIRE_COUNTERS && !make_room(counters))
        return NULL;
    size_t place = um_own_counters_take(&counters->own, counter, &changed);
    if (place == UM_OWN_COUNTERS_NONE || !changed)
        return NULL;
    counters->count = counters->own.count;
    describe(&counters->own.list[place], &counters->list[place]);
    memset(&counters->sums[place], 0, sizeof counters->sums[place]);
    return &counters->list[place];
}

static void add_mean(struct um_target_counters_sum *sum, const struct um_wire_counter_value *value)
{
    double mean = um_double_bits_value(value->value);
    double weight = value->count ? value->count : 1;
    double min = um_double_bits_value(value->min), max = um_double_bits_value(value->max);

    sum->weight += weight;
    sum->mean += (mean - sum->mean) * (weight / sum->weight);
    if (value->count == 0)
        return;
    sum->min = sum->count ? fmin(sum->min, min) : min;
    sum->max = sum->count ? fmax(sum->max, max) : max;
    sum->count += value->count;
}

void um_target_counters_value(struct um_target_counters *counters,
                              const struct um_wire_counter_value *value)
{
    size_t place = um_own_counters_place(&counters->own, value->number);
    if (place == UM_OWN_COUNTERS_NONE)
        return;
    struct um_target_counters_sum *sum = &counters->sums[place];
    if (counters->list[place].kind == UM_COUNTERS_MEAN)
        add_mean(sum, value);
    else
        sum->sum += um_double_bits_value(value->value);
    sum->measured = true;
}

static struct um_counters_value value_of(const struct um_target_counters_sum *sum,
                                         enum um_counters_kind kind)
{
    struct um_counters_value value = {0};
    double number = kind == UM_COUNTERS_MEAN ? sum->mean : sum->sum;
    if (!sum->measured || !(fabs(number) < INFINITY))
        return value;
    value.measured = true;
    value.value = number;
    value.count = sum->count;
    value.min = sum->min;
    value.max = sum->max;
    return value;
}

const struct um_counters_target *um_target_counters_settle(struct um_target_counters *counters,
                                                           size_t *count)
{
    for (size_t i = 0; i < counters->count; i++)
        counters->list[i].value = value_of(&counters->sums[i], counters->list[i].kind);
    um_target_counters_forget(counters);
    *count = counters->count;
    return counters->list;
}

void um_target_counters_forget(struct um_target_counters *counters)
{
    if (counters->count > 0)
        memset(counters->sums, 0, counters->count * sizeof counters->sums[0]);
}
