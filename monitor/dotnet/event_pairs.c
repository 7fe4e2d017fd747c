#include "monitor/dotnet/event_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/ns.h"

struct um_event_pairs {
    void (*give)(void *context, const struct um_event_pair *pair);
    void *context;
    uint64_t last_ns; /* the latest event */
    size_t count;
    struct um_event *open[UM_EVENT_PAIRS_OPEN]; /* in the order in which they began */
};

void um_event_pairs_release(struct um_event_pair *pair)
{
    free(pair->first);
    free(pair->stop);
    *pair = (struct um_event_pair){0};
}

enum um_status um_event_pairs_open(void (*give)(void *context, const struct um_event_pair *pair),
                                   void *context, struct um_event_pairs **pairs)
{
    struct um_event_pairs *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->give = give;
    made->context = context;
    *pairs = made;
    return UM_OK;
}

bool um_event_pairs_has_id(const uint8_t *id)
{
    static const uint8_t none[UM_NETTRACE_ID_BYTES];
    return memcmp(id, none, sizeof none) != 0;
}

size_t um_event_pairs_task(const struct um_event_kind *kind)
{
    size_t len = strlen(kind->name);
    if (!kind->suffixed)
        return len;
    return len - strlen(kind->opcode == UM_EVENT_KIND_START ? "Start" : "Stop");
}

static bool is_same_task(const struct um_event_kind *a, const struct um_event_kind *b)
{
    size_t len = um_event_pairs_task(a);
    return len == um_event_pairs_task(b) && memcmp(a->name, b->name, len) == 0;
}

/* Without activities, a Start whose Stop was lost would get that of a later one. So no event may be
 * missing between the two. */
static bool is_pair_of_thread(const struct um_event *start, const struct um_event *stop)
{
    return start->thread == stop->thread && start->lost == stop->lost &&
           is_same_task(start->kind, stop->kind);
}

static bool is_pair(const struct um_event *start, const struct um_event *stop)
{
    if (memcmp(start->activity, stop->activity, sizeof start->activity) != 0 ||
        strcmp(start->kind->provider, stop->kind->provider) != 0)
        return false;
    if (!um_event_pairs_has_id(start->activity))
        return is_pair_of_thread(start, stop);
    return !start->kind->suffixed || !stop->kind->suffixed || is_same_task(start->kind, stop->kind);
}

/* Takes an element out of those that are open. */
static struct um_event *close_at(struct um_event_pairs *pairs, size_t at)
{
    struct um_event *start = pairs->open[at];
    pairs->count--;
    memmove(&pairs->open[at], &pairs->open[at + 1], (pairs->count - at) * sizeof pairs->open[0]);
    return start;
}

static void give(struct um_event_pairs *pairs, struct um_event *first, struct um_event *stop,
                 bool open)
{
    const struct um_event_pair pair = {
        .first = first, .stop = stop, .open = open, .end_ns = pairs->last_ns};
    pairs->give(pairs->context, &pair);
}

static void begin(struct um_event_pairs *pairs, struct um_event *start)
{
    if (pairs->count == UM_EVENT_PAIRS_OPEN)
        give(pairs, close_at(pairs, 0), NULL, true);
    pairs->open[pairs->count++] = start;
}

/* The place of a Stop's Start; the number of open ones: there is none. */
static size_t find_start(const struct um_event_pairs *pairs, const struct um_event *stop)
{
    for (size_t i = pairs->count; i > 0; i--)
        if (is_pair(pairs->open[i - 1], stop))
            return i - 1;
    return pairs->count;
}

void um_event_pairs_take(struct um_event_pairs *pairs, struct um_event *event)
{
    pairs->last_ns = um_ns_max(pairs->last_ns, event->time_ns);
    if (event->kind->opcode == UM_EVENT_KIND_START) {
        begin(pairs, event);
        return;
    }
    size_t at = event->kind->opcode == UM_EVENT_KIND_STOP ? find_start(pairs, event) : pairs->count;
    if (at < pairs->count)
        give(pairs, close_at(pairs, at), event, false);
    else
        give(pairs, event, NULL, false);
}

void um_event_pairs_end(struct um_event_pairs *pairs, uint64_t end_ns)
{
    pairs->last_ns = um_ns_max(pairs->last_ns, end_ns);
    for (size_t i = 0; i < pairs->count; i++)
        give(pairs, pairs->open[i], NULL, true);
    pairs->count = 0;
}

void um_event_pairs_close(struct um_event_pairs *pairs)
{
    if (!pairs)
        return;
    for (size_t i = 0; i < pairs->count; i++)
        free(pairs->open[i]);
    free(pairs);
}
