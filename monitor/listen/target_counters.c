#include "monitor/listen/target_counters.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/double_bits.h"
#include "monitor/base/list.h"
#include "monitor/base/utf8.h"

void um_target_counters_deinit(struct um_target_counters *counters)
{
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

static void clean(const char *text, char *field)
{
    (void)um_utf8_fit(text, UM_WIRE_COUNTER_TEXT_BYTES, field, UM_WIRE_COUNTER_TEXT_BYTES);
}

static void describe(const struct um_wire_counter *counter, struct um_counters_target *target)
{
    char provider[UM_WIRE_COUNTER_TEXT_BYTES], name[UM_WIRE_COUNTER_TEXT_BYTES];
    memset(target, 0, sizeof *target);
    clean(counter->provider, provider);
    clean(counter->name, name);
    snprintf(target->name, sizeof target->name, "%s/%s", provider, name);
    target->provider_bytes = strlen(provider);
    clean(counter->display, target->display);
    clean(counter->unit, target->unit);
    target->kind =
        counter->kind == UM_WIRE_COUNTER_INCREMENT ? UM_COUNTERS_INCREMENT : UM_COUNTERS_MEAN;
}

/* The place of a name; `count`: there is none. */
static size_t find(const struct um_target_counters *counters, const char *name)
{
    size_t place = 0;
    while (place < counters->count && strcmp(counters->list[place].name, name) != 0)
        place++;
    return place;
}

static bool is_same(const struct um_counters_target *a, const struct um_counters_target *b)
{
    return a->kind == b->kind && strcmp(a->display, b->display) == 0 &&
           strcmp(a->unit, b->unit) == 0;
}

const struct um_counters_target *um_target_counters_describe(struct um_target_counters *counters,
                                                             const struct um_wire_counter *counter)
{
    struct um_counters_target told;

    describe(counter, &told);
    size_t place = find(counters, told.name);
    bool known = place < counters->count;
    if (!known && !make_room(counters))
        return NULL;
    counters->places[counter->number] = (uint16_t)(place + 1);
    if (known && is_same(&counters->list[place], &told))
        return NULL;
    counters->count += !known;
    counters->list[place] = told;
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
    size_t place = counters->places[value->number];
    if (place == 0)
        return;
    struct um_target_counters_sum *sum = &counters->sums[place - 1];
    if (counters->list[place - 1].kind == UM_COUNTERS_MEAN)
        add_mean(sum, value);
    else
        sum->sum += um_double_bits_value(value->value);
    sum->told = true;
}

static struct um_counters_value value_of(const struct um_target_counters_sum *sum,
                                         enum um_counters_kind kind)
{
    struct um_counters_value value = {0};
    double number = kind == UM_COUNTERS_MEAN ? sum->mean : sum->sum;
    if (!sum->told || !(fabs(number) < INFINITY))
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
