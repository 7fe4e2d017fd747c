#include "ipc/own_counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/utf8.h"

void um_own_counters_deinit(struct um_own_counters *counters)
{
    free(counters->list);
    *counters = (struct um_own_counters){0};
}

static void describe(const struct um_wire_counter *told, struct um_own_counter *counter)
{
    const char *const from[] = {told->provider, told->name, told->display, told->unit};
    char *const to[] = {counter->provider, counter->name, counter->display, counter->unit};
    *counter = (struct um_own_counter){.kind = told->kind};
    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++)
        (void)um_utf8_fit(from[i], UM_WIRE_COUNTER_TEXT_BYTES, to[i], UM_WIRE_COUNTER_TEXT_BYTES);
}

/* The index of a counter of that name; `count`: there is none. */
static size_t find(const struct um_own_counters *counters, const struct um_own_counter *wanted)
{
    size_t place = 0;
    while (place < counters->count &&
           (strcmp(counters->list[place].name, wanted->name) != 0 ||
            strcmp(counters->list[place].provider, wanted->provider) != 0))
        place++;
    return place;
}

static bool is_same(const struct um_own_counter *a, const struct um_own_counter *b)
{
    return a->kind == b->kind && strcmp(a->display, b->display) == 0 &&
           strcmp(a->unit, b->unit) == 0;
}

size_t um_own_counters_take(struct um_own_counters *counters, const struct um_wire_counter *told,
                            bool *changed)
{
    struct um_own_counter described;
    *changed = false;
    if (told->number >= UM_WIRE_COUNTERS)
        return UM_OWN_COUNTERS_NONE;
    describe(told, &described);
    size_t place = find(counters, &described);
    bool known = place < counters->count;
    counters->places[told->number] = 0;
    if (!known && !um_list_reserve(&counters->list, &counters->room, counters->count + 1,
                                   UM_WIRE_COUNTERS, sizeof *counters->list))
        return UM_OWN_COUNTERS_NONE;
    counters->places[told->number] = (uint16_t)(place + 1);
    *changed = !known || !is_same(&counters->list[place], &described);
    counters->list[place] = described;
    counters->count += !known;
    return place;
}

size_t um_own_counters_place(const struct um_own_counters *counters, uint32_t number)
{
    if (number >= UM_WIRE_COUNTERS || counters->places[number] == 0)
        return UM_OWN_COUNTERS_NONE;
    size_t place = counters->places[number] - (size_t)1;
    return counters->list[place].kind < UM_WIRE_COUNTER_KINDS ? place : UM_OWN_COUNTERS_NONE;
}

const char *um_own_counters_label(const struct um_own_counter *counter)
{
    return counter->display[0] != '\0' ? counter->display : counter->name;
}

void um_own_counters_path(const struct um_own_counter *counter,
                          char path[UM_OWN_COUNTERS_PATH_BYTES])
{
    (void)snprintf(path, UM_OWN_COUNTERS_PATH_BYTES, "%s/%s", counter->provider, counter->name);
}

void um_own_counters_unit(const struct um_own_counter *counter,
                          char unit[UM_OWN_COUNTERS_UNIT_BYTES])
{
    (void)snprintf(unit, UM_OWN_COUNTERS_UNIT_BYTES, "%s%s", counter->unit,
                   counter->kind == UM_WIRE_COUNTER_INCREMENT ? "/s" : "");
}
