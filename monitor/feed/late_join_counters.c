#include "monitor/feed/late_join_counters.h"

void um_late_join_counters_take(struct um_late_join_counters *known,
                                const struct um_wire_frame *frame)
{
    if (frame->type != UM_WIRE_COUNTER || frame->as.counter.number >= UM_WIRE_COUNTERS)
        return;
    size_t place = frame->as.counter.number;
    known->list[place] = frame->as.counter;
    known->used[place] = true;
    if (known->count <= place)
        known->count = place + 1;
}

size_t um_late_join_counters_encode(const struct um_late_join_counters *known, size_t *next,
                                    size_t end, uint8_t *bytes, size_t cap_bytes)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER};
    size_t used = 0, len;

    for (; *next < end && cap_bytes - used >= UM_WIRE_MAX_BYTES; ++*next) {
        if (!known->used[*next])
            continue;
        frame.as.counter = known->list[*next];
        if (um_wire_encode(&frame, bytes + used, cap_bytes - used, &len) == UM_OK)
            used += len;
    }
    return used;
}
