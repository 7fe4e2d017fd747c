#include "monitor/feed/late_join_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

void um_late_join_layout_deinit(struct um_late_join_layout *known)
{
    free(known->list);
    memset(known, 0, sizeof *known);
}

/* The component with an id; NULL without memory. */
static struct um_late_join_component *at(struct um_late_join_layout *known, uint32_t id)
{
    if (!um_list_reserve(&known->list, &known->room, id + (size_t)1, UM_WIRE_LAYOUT_COMPONENTS,
                         sizeof known->list[0]))
        return NULL;
    if (known->count <= id)
        known->count = id + (size_t)1;
    return &known->list[id];
}

void um_late_join_layout_take(struct um_late_join_layout *known, const struct um_wire_frame *frame)
{
    struct um_late_join_component *kept = NULL;
    if (frame->type == UM_WIRE_LAYOUT_COMPONENT &&
        (kept = at(known, frame->as.layout_component.id)) != NULL)
        kept->component = frame->as.layout_component;
    if (frame->type == UM_WIRE_LAYOUT_PLACE &&
        (kept = at(known, frame->as.layout_place.id)) != NULL)
        kept->place = frame->as.layout_place;
}

size_t um_late_join_layout_frames(const struct um_late_join_layout *known, size_t index,
                                  struct um_wire_frame frames[UM_LATE_JOIN_LAYOUT_FRAMES])
{
    const struct um_late_join_component *kept = &known->list[index];
    size_t count = 0;
    if (kept->component.id != 0)
        frames[count++] = (struct um_wire_frame){.type = UM_WIRE_LAYOUT_COMPONENT,
                                                 .as.layout_component = kept->component};
    if (kept->place.id != 0)
        frames[count++] =
            (struct um_wire_frame){.type = UM_WIRE_LAYOUT_PLACE, .as.layout_place = kept->place};
    return count;
}

size_t um_late_join_layout_encode(const struct um_late_join_layout *known, size_t *next, size_t end,
                                  uint8_t *bytes, size_t cap_bytes)
{
    struct um_wire_frame frames[UM_LATE_JOIN_LAYOUT_FRAMES];
    size_t used = 0, len;

    for (; *next < end && cap_bytes - used >= UM_LATE_JOIN_LAYOUT_FRAMES * UM_WIRE_MAX_BYTES;
         ++*next) {
        size_t count = um_late_join_layout_frames(known, *next, frames);
        for (size_t i = 0; i < count; i++)
            if (um_wire_encode(&frames[i], bytes + used, cap_bytes - used, &len) == UM_OK)
                used += len;
    }
    return used;
}
