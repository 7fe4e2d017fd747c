#include "overlay/costs.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* NULL without memory. */
static struct um_cost *at(struct um_costs *costs, uint32_t id)
{
    if (!costs->list)
        costs->list = calloc(UM_WIRE_LAYOUT_COMPONENTS, sizeof costs->list[0]);
    if (!costs->list || id >= UM_WIRE_LAYOUT_COMPONENTS)
        return NULL;
    if (costs->end <= id)
        costs->end = id + 1;
    return &costs->list[id];
}

static void take_component(struct um_costs *costs, const struct um_wire_layout_component *told)
{
    struct um_cost *cost = at(costs, told->id);
    if (!cost)
        return;
    cost->parent = told->parent < told->id ? told->parent : 0; /* parents come first */
    cost->window = told->window;
    cost->authored = told->authored;
    cost->rendered = told->rendered;
    (void)um_utf8_fit(told->window_class, sizeof cost->window_class - 1, cost->window_class,
                      sizeof cost->window_class);
    (void)um_utf8_fit(told->text, sizeof cost->text - 1, cost->text, sizeof cost->text);
    costs->news++;
    costs->changes++;
}

static bool is_same(const struct um_wire_layout_place *a, const struct um_wire_layout_place *b)
{
    return a->left == b->left && a->top == b->top && a->width == b->width && a->height == b->height;
}

static void take_place(struct um_costs *costs, const struct um_wire_layout_place *told)
{
    struct um_cost *cost = at(costs, told->id);
    if (!cost)
        return;
    /* Where a window is that exists, the system says. That of a replay exists no more. */
    bool differs = cost->draws_parts != (told->draws_parts != 0) ||
                   (costs->is_replay && !is_same(&cost->place, told));
    cost->draws_parts = told->draws_parts != 0;
    cost->place = *told;
    costs->news += differs;
    costs->changes += differs;
}

static void take_times(struct um_costs *costs, const struct um_wire_layout_times *times)
{
    for (size_t i = 0; i < times->count; i++) {
        struct um_cost *cost = at(costs, times->list[i].id);
        if (!cost)
            continue;
        costs->changes +=
            cost->message != times->list[i].message || cost->key != times->list[i].key;
        cost->message = times->list[i].message;
        if (cost->key != times->list[i].key)
            cost->handler[0] = '\0';
        cost->key = times->list[i].key;
        for (uint32_t id = 1; id < costs->end && cost->key != 0 && !cost->handler[0]; id++)
            if (costs->list[id].key == cost->key)
                memcpy(cost->handler, costs->list[id].handler, sizeof cost->handler);
    }
}

static void take_name(struct um_costs *costs, const struct um_wire_name *name)
{
    for (uint32_t id = 1; id < costs->end && name->name[0] != '\0'; id++) {
        struct um_cost *cost = &costs->list[id];
        if (cost->key != name->key || cost->key == 0)
            continue;
        (void)um_utf8_fit(name->name, sizeof cost->handler - 1, cost->handler,
                          sizeof cost->handler);
        costs->changes++;
    }
}

/* Empties the buckets since the newest one. */
static void advance(struct um_cost *cost, uint64_t bucket)
{
    for (int i = 0; cost->newest < bucket && i < UM_COSTS_BUCKETS; i++)
        cost->worst_ns[++cost->newest % UM_COSTS_BUCKETS] = 0;
    cost->newest = bucket;
}

/* A LAYOUT_METERS is of the 100 ms before it, and counts for the bucket in which it ends. */
static void take_meters(struct um_costs *costs, const struct um_wire_layout_meters *meters)
{
    uint64_t bucket = meters->time_ns / UM_COSTS_BUCKET_NS;
    for (size_t i = 0; i < meters->count; i++) {
        const struct um_wire_layout_meter *meter = &meters->list[i];
        struct um_cost *cost = at(costs, meter->id);
        if (!cost)
            continue;
        cost->measured = true;
        cost->last = *meter;
        if (bucket > cost->newest)
            advance(cost, bucket);
        uint64_t *worst_ns = &cost->worst_ns[cost->newest % UM_COSTS_BUCKETS];
        *worst_ns = *worst_ns < meter->worst_ns ? meter->worst_ns : *worst_ns;
    }
    costs->changes++;
}

static void take_session(struct um_costs *costs, const struct um_wire_frame *frame)
{
    costs->is_replay = frame->as.session.hwnd == 0;
    if ((frame->flags & UM_WIRE_SESSION_ANEW) == 0 || costs->end == 0)
        return;
    memset(costs->list, 0, costs->end * sizeof costs->list[0]);
    costs->end = 0;
    costs->news++;
    costs->changes++;
}

void um_costs_take(struct um_costs *costs, const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_SESSION:
        take_session(costs, frame);
        break;
    case UM_WIRE_LAYOUT_COMPONENT:
        take_component(costs, &frame->as.layout_component);
        break;
    case UM_WIRE_LAYOUT_PLACE:
        take_place(costs, &frame->as.layout_place);
        break;
    case UM_WIRE_LAYOUT_TIMES:
        take_times(costs, &frame->as.layout_times);
        break;
    case UM_WIRE_LAYOUT_METERS:
        take_meters(costs, &frame->as.layout_meters);
        break;
    case UM_WIRE_NAME:
        take_name(costs, &frame->as.name);
        break;
    default:
        break;
    }
}

const struct um_cost *um_costs_get(const struct um_costs *costs, uint32_t id)
{
    const struct um_cost *cost = id > 0 && id < costs->end ? &costs->list[id] : NULL;
    bool known = cost && (cost->window_class[0] || cost->text[0] || cost->measured);
    return known ? cost : NULL;
}

bool um_costs_history(const struct um_cost *cost, uint64_t now_ns, uint64_t *worst_ns)
{
    uint64_t now = now_ns / UM_COSTS_BUCKET_NS;
    bool any = false;
    if (now < cost->newest)
        now = cost->newest; /* the clock of the feed is a little ahead */
    for (uint64_t i = 0; i < UM_COSTS_BUCKETS; i++) {
        uint64_t ago = UM_COSTS_BUCKETS - 1 - i;
        bool kept = now >= ago && now - ago <= cost->newest &&
                    cost->newest - (now - ago) < UM_COSTS_BUCKETS;
        worst_ns[i] = kept ? cost->worst_ns[(now - ago) % UM_COSTS_BUCKETS] : 0;
        any = any || worst_ns[i] != 0;
    }
    return any;
}

enum um_status um_costs_copy(const struct um_costs *costs, struct um_costs *copy)
{
    if (costs->end > 0 && !copy->list)
        copy->list = calloc(UM_WIRE_LAYOUT_COMPONENTS, sizeof copy->list[0]);
    if (costs->end > 0 && !copy->list)
        return UM_ERR_MEMORY;
    if (costs->end > 0)
        memcpy(copy->list, costs->list, costs->end * sizeof costs->list[0]);
    copy->end = costs->end;
    copy->is_replay = costs->is_replay;
    copy->changes = costs->changes;
    copy->news = costs->news;
    return UM_OK;
}

void um_costs_close(struct um_costs *costs)
{
    free(costs->list);
    *costs = (struct um_costs){0};
}
