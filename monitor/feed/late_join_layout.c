#include "monitor/feed/late_join_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

void um_late_join_layout_deinit(struct um_late_join_layout *known)
{
    free(known->list);
    memset(known, 0, sizeof *known);
}

void um_late_join_layout_take(struct um_late_join_layout *known, const struct um_wire_frame *frame)
{
    const struct um_wire_layout_component *component = &frame->as.layout_component;
    if (frame->type != UM_WIRE_LAYOUT_COMPONENT ||
        !um_list_reserve(&known->list, &known->room, component->id + (size_t)1,
                         UM_WIRE_LAYOUT_COMPONENTS, sizeof known->list[0]))
        return;
    known->list[component->id] = *component;
    if (known->count <= component->id)
        known->count = component->id + (size_t)1;
}

size_t um_late_join_layout_encode(const struct um_late_join_layout *known, size_t *next, size_t end,
                                  uint8_t *bytes, size_t cap_bytes)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_COMPONENT};
    size_t used = 0, len;

    for (; *next < end && cap_bytes - used >= UM_WIRE_MAX_BYTES; ++*next) {
        if (known->list[*next].id == 0)
            continue;
        frame.as.layout_component = known->list[*next];
        if (um_wire_encode(&frame, bytes + used, cap_bytes - used, &len) == UM_OK)
            used += len;
    }
    return used;
}
