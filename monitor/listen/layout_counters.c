#include "monitor/listen/layout_counters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/utf8.h"

#define PROVIDER_BYTES (sizeof UM_COUNTERS_LAYOUT - 1)

void um_layout_counters_deinit(struct um_layout_counters *counters)
{
    free(counters->list);
    *counters = (struct um_layout_counters){0};
}

static bool is_taken(const struct um_layout_counters *counters, const char *name, uint32_t id)
{
    for (size_t i = 0; i < counters->count; i++)
        if (i != id && strcmp(counters->list[i].name, name) == 0)
            return true;
    return false;
}

/* A name with a number keeps it, even if nothing else is called so any more. */
static void name_it(const struct um_layout_counters *counters, const char *text, uint32_t id,
                    char name[UM_COUNTERS_TARGET_NAME_BYTES])
{
    char numbered[UM_COUNTERS_TARGET_NAME_BYTES];
    (void)snprintf(name, UM_COUNTERS_TARGET_NAME_BYTES, UM_COUNTERS_LAYOUT "/%s", text);
    (void)snprintf(numbered, sizeof numbered, UM_COUNTERS_LAYOUT "/%s#%" PRIu32, text, id);
    if (text[0] == '\0' || is_taken(counters, name, id) ||
        strcmp(counters->list[id].name, numbered) == 0)
        um_text_set(name, UM_COUNTERS_TARGET_NAME_BYTES, numbered);
}

static void clean(const char *text, char field[UM_WIRE_LAYOUT_TEXT_BYTES])
{
    (void)um_utf8_fit(text, UM_WIRE_LAYOUT_TEXT_BYTES, field, UM_WIRE_LAYOUT_TEXT_BYTES);
}

const struct um_counters_target *
um_layout_counters_describe(struct um_layout_counters *counters,
                            const struct um_wire_layout_component *component)
{
    char text[UM_WIRE_LAYOUT_TEXT_BYTES], window_class[UM_WIRE_LAYOUT_TEXT_BYTES];
    char name[UM_COUNTERS_TARGET_NAME_BYTES], display[UM_WIRE_COUNTER_TEXT_BYTES];
    char both[2 * UM_WIRE_LAYOUT_TEXT_BYTES + 4];
    uint32_t id = component->id;
    if (!um_list_reserve(&counters->list, &counters->room, id + (size_t)1,
                         UM_WIRE_LAYOUT_COMPONENTS, sizeof counters->list[0]))
        return NULL;
    if (counters->count <= id)
        counters->count = id + (size_t)1;
    clean(component->text, text);
    clean(component->window_class, window_class);
    name_it(counters, text[0] != '\0' ? text : window_class, id, name);
    bool has_both = text[0] != '\0' && window_class[0] != '\0';
    (void)snprintf(both, sizeof both, "%s%s%s", text, has_both ? " @ " : "", window_class);
    (void)um_utf8_fit(both, sizeof display, display, sizeof display);
    struct um_counters_target *target = &counters->list[id];
    if (strcmp(target->name, name) == 0 && strcmp(target->display, display) == 0)
        return NULL;
    um_text_set(target->name, sizeof target->name, name);
    um_text_set(target->display, sizeof target->display, display);
    um_text_set(target->unit, sizeof target->unit, "ms");
    target->provider_bytes = PROVIDER_BYTES;
    target->kind = UM_COUNTERS_MEAN;
    target->is_layout = true;
    return target;
}

static double to_ms(uint64_t ns)
{
    return (double)ns / (double)UM_CLOCK_NS_PER_MS;
}

void um_layout_counters_take(struct um_layout_counters *counters,
                             const struct um_wire_layout_meters *meters)
{
    for (size_t i = 0; i < meters->count; i++) {
        const struct um_wire_layout_meter *meter = &meters->list[i];
        if (meter->id >= counters->count || counters->list[meter->id].name[0] == '\0')
            continue;
        struct um_counters_target *target = &counters->list[meter->id];
        target->value.measured = true;
        target->value.value = to_ms(meter->mean_ns);
        target->value.max = fmax(target->value.max, to_ms(meter->worst_ns));
        target->last_frame = (struct um_counters_steps){.measure = to_ms(meter->measure_ns),
                                                        .arrange = to_ms(meter->arrange_ns),
                                                        .paint = to_ms(meter->paint_ns)};
    }
}

/* What costs more a frame comes first, then what had the worse frame, then by the name. */
static int compare(const void *first, const void *second)
{
    const struct um_counters_target *a = first, *b = second;
    if (a->value.value != b->value.value)
        return a->value.value < b->value.value ? 1 : -1;
    if (a->value.max != b->value.max)
        return a->value.max < b->value.max ? 1 : -1;
    return strcmp(a->name, b->name);
}

size_t um_layout_counters_settle(struct um_layout_counters *counters,
                                 struct um_counters_target *targets)
{
    size_t count = 0;
    for (size_t id = 0; id < counters->count; id++)
        if (counters->list[id].value.measured)
            targets[count++] = counters->list[id];
    qsort(targets, count, sizeof targets[0], compare);
    for (size_t i = 0; i < count; i++)
        targets[i].is_costly = i < UM_COUNTERS_COSTLY;
    um_layout_counters_forget(counters);
    return count;
}

void um_layout_counters_forget(struct um_layout_counters *counters)
{
    for (size_t id = 0; id < counters->count; id++) {
        counters->list[id].value = (struct um_counters_value){0};
        counters->list[id].last_frame = (struct um_counters_steps){0};
    }
}
