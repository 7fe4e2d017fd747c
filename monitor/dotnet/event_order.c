#include "monitor/dotnet/event_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/list.h"

/* Seconds of which events may come side by side, for each the number of its events so far. */
#define SECONDS 4

struct second {
    uint64_t number;
    size_t count;
};

struct held {
    struct um_event *event;
    uint64_t number; /* of its arrival: events of the same time keep their order */
};

struct um_event_order {
    void (*give)(void *context, struct um_event *event);
    void *context;
    uint64_t lost, arrived;
    struct second seconds[SECONDS];
    struct held *heap; /* the oldest first; those of element i are i * 2 + 1 and i * 2 + 2 */
    size_t count, room;
};

enum um_status um_event_order_open(void (*give)(void *context, struct um_event *event),
                                   void *context, struct um_event_order **order)
{
    struct um_event_order *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->give = give;
    made->context = context;
    *order = made;
    return UM_OK;
}

static bool is_before(const struct held *a, const struct held *b)
{
    return a->event->time_ns < b->event->time_ns ||
           (a->event->time_ns == b->event->time_ns && a->number < b->number);
}

static void swap(struct held *a, struct held *b)
{
    struct held kept = *a;
    *a = *b;
    *b = kept;
}

static void push(struct um_event_order *order, struct um_event *event)
{
    size_t at = order->count++;
    order->heap[at] = (struct held){.event = event, .number = order->arrived++};
    for (; at > 0 && is_before(&order->heap[at], &order->heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&order->heap[at], &order->heap[(at - 1) / 2]);
}

static struct um_event *pop(struct um_event_order *order)
{
    struct um_event *oldest = order->heap[0].event;
    size_t at = 0;
    order->heap[0] = order->heap[--order->count];
    for (;;) {
        size_t next = at;
        for (size_t i = at * 2 + 1; i <= at * 2 + 2 && i < order->count; i++)
            if (is_before(&order->heap[i], &order->heap[next]))
                next = i;
        if (next == at)
            return oldest;
        swap(&order->heap[at], &order->heap[next]);
        at = next;
    }
}

/* Whether an event is one of those of its second that are kept. */
static bool is_kept(struct um_event_order *order, uint64_t time_ns)
{
    uint64_t number = time_ns / UM_CLOCK_NS_PER_S;
    struct second *second = &order->seconds[number % SECONDS];
    if (second->number != number)
        *second = (struct second){.number = number};
    return second->count < UM_EVENT_ORDER_PER_S && ++second->count > 0;
}

static struct um_event *copy(const struct um_nettrace_event *event, uint64_t lost)
{
    size_t len = event->len_bytes < UM_EVENT_ORDER_PAYLOAD_BYTES ? event->len_bytes
                                                                 : UM_EVENT_ORDER_PAYLOAD_BYTES;
    struct um_cursor payload = {.at = event->payload, .end = event->payload};
    if (event->len_bytes > 0)
        payload.end += event->len_bytes;
    struct um_event *made = malloc(sizeof *made + len);
    if (!made)
        return NULL;
    *made = (struct um_event){.kind = event->kind,
                              .time_ns = event->time_ns,
                              .thread = event->thread,
                              .lost = lost,
                              .fits = um_event_kind_fits(event->kind, payload),
                              .payload_bytes = event->len_bytes,
                              .len_bytes = len};
    memcpy(made->activity, event->activity, sizeof made->activity);
    memcpy(made->related, event->related, sizeof made->related);
    if (len > 0)
        memcpy(made->payload, event->payload, len);
    return made;
}

void um_event_order_take(struct um_event_order *order, const struct um_nettrace_event *event)
{
    struct um_event *made = is_kept(order, event->time_ns) ? copy(event, order->lost) : NULL;
    if (order->count == UM_EVENT_ORDER_HELD)
        order->give(order->context, pop(order));
    if (made && um_list_reserve(&order->heap, &order->room, order->count + 1, UM_EVENT_ORDER_HELD,
                                sizeof order->heap[0])) {
        push(order, made);
    } else {
        free(made);
        order->lost++;
    }
}

void um_event_order_lose(struct um_event_order *order, uint64_t count)
{
    order->lost += count;
}

void um_event_order_settled(struct um_event_order *order, uint64_t time_ns)
{
    while (order->count > 0 && order->heap[0].event->time_ns <= time_ns)
        order->give(order->context, pop(order));
}

uint64_t um_event_order_lost(const struct um_event_order *order)
{
    return order->lost;
}

void um_event_order_close(struct um_event_order *order)
{
    if (!order)
        return;
    for (size_t i = 0; i < order->count; i++)
        free(order->heap[i].event);
    free(order->heap);
    free(order);
}
