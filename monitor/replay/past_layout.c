#include "monitor/replay/past_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

void um_past_layout_deinit(struct um_past_layout *past)
{
    free(past->list);
    free(past->bytes);
    memset(past, 0, sizeof *past);
}

/* The component with an id; NULL without memory. */
static struct um_past_layout_component *at(struct um_past_layout *past, uint32_t id)
{
    if (!um_list_reserve(&past->list, &past->room, id + (size_t)1, UM_WIRE_LAYOUT_COMPONENTS,
                         sizeof past->list[0]))
        return NULL;
    if (past->count <= id)
        past->count = id + (size_t)1;
    return &past->list[id];
}

/* Keeps a LAYOUT_METERS; the oldest ones make room for it. */
static void keep(struct um_past_layout *past, const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;

    if (!past->bytes) {
        past->bytes = malloc(UM_PAST_LAYOUT_BYTES);
        um_frame_ring_init(&past->meters, past->bytes, UM_PAST_LAYOUT_BYTES);
    }
    if (!past->bytes || um_wire_encode(frame, bytes, sizeof bytes, &len) != UM_OK)
        return;
    while (!um_frame_ring_put(&past->meters, bytes, len)) {
        um_frame_ring_drop(&past->meters);
        past->has_dropped = true;
    }
}

static void take_meters(struct um_past_layout *past, const struct um_wire_frame *frame)
{
    const struct um_wire_layout_meters *meters = &frame->as.layout_meters;
    keep(past, frame);
    for (size_t i = 0; i < meters->count; i++) {
        struct um_past_layout_component *component = at(past, meters->list[i].id);
        if (!component)
            continue;
        component->time_ns = meters->time_ns;
        component->meter = meters->list[i];
    }
}

static void take_times(struct um_past_layout *past, const struct um_wire_layout_times *times)
{
    past->times = *times;
    past->times.count = 0;
    for (size_t i = 0; i < times->count; i++) {
        struct um_past_layout_component *component = at(past, times->list[i].id);
        if (component)
            component->cost = times->list[i];
    }
}

void um_past_layout_take(struct um_past_layout *past, const struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_LAYOUT_METERS)
        take_meters(past, frame);
    else if (frame->type == UM_WIRE_LAYOUT_TIMES)
        take_times(past, &frame->as.layout_times);
}

/* The kept LAYOUT_METERS at an offset, or the first one after it that is not of before a time.
 * Moves *offset past it. False: there is none. */
static bool next_kept(const struct um_past_layout *past, uint64_t from_ns, size_t *offset,
                      struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len, used;

    while (past->bytes && (len = um_frame_ring_peek(&past->meters, *offset, bytes)) > 0) {
        *offset += len;
        if (um_wire_decode(bytes, len, frame, &used) == UM_OK &&
            frame->as.layout_meters.time_ns >= from_ns)
            return true;
    }
    return false;
}

/* Tells the last numbers of components that are in none of the kept frames from a time on. */
static void tell_older(const struct um_past_layout *past, uint64_t from_ns,
                       void (*tell)(void *context, const struct um_wire_frame *frame),
                       void *context)
{
    for (size_t id = 0; id < past->count; id++) {
        const struct um_past_layout_component *component = &past->list[id];
        struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_METERS};
        if (component->meter.id == 0 || component->time_ns >= from_ns)
            continue;
        frame.as.layout_meters.time_ns = component->time_ns;
        frame.as.layout_meters.count = 1;
        frame.as.layout_meters.list[0] = component->meter;
        tell(context, &frame);
    }
}

static void tell_times(const struct um_past_layout *past,
                       void (*tell)(void *context, const struct um_wire_frame *frame),
                       void *context)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_TIMES, .as.layout_times = past->times};
    struct um_wire_layout_times *times = &frame.as.layout_times;
    for (size_t id = 0; id < past->count; id++) {
        if (past->list[id].cost.id != 0)
            times->list[times->count++] = past->list[id].cost;
        if (times->count == UM_WIRE_LAYOUT_COSTS) {
            tell(context, &frame);
            times->count = 0;
        }
    }
    if (times->count > 0)
        tell(context, &frame);
}

void um_past_layout_tell(const struct um_past_layout *past, uint64_t now_ns,
                         void (*tell)(void *context, const struct um_wire_frame *frame),
                         void *context)
{
    uint64_t from_ns = now_ns > UM_PAST_LAYOUT_NS ? now_ns - UM_PAST_LAYOUT_NS : 0;
    struct um_wire_frame frame;
    size_t offset = 0;

    /* There may have been no room for all of them. */
    if (next_kept(past, from_ns, &offset, &frame) && frame.as.layout_meters.time_ns > from_ns)
        from_ns = frame.as.layout_meters.time_ns;
    /* A frame of that time for which there was no room may have been the last of some. */
    tell_older(past, from_ns + past->has_dropped, tell, context);
    for (offset = 0; next_kept(past, from_ns, &offset, &frame);)
        tell(context, &frame);
    tell_times(past, tell, context);
}
