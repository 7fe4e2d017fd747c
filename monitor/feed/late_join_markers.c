#include "monitor/feed/late_join_markers.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

void um_late_join_markers_deinit(struct um_late_join_markers *known)
{
    free(known->list);
    memset(known, 0, sizeof *known);
}

void um_late_join_markers_take(struct um_late_join_markers *known,
                               const struct um_wire_frame *frame)
{
    const struct um_wire_marker_kind *kind = &frame->as.marker_kind;
    if (frame->type != UM_WIRE_MARKER_KIND || kind->number == 0 ||
        !um_list_reserve(&known->list, &known->room, kind->number, UM_WIRE_MARKER_KINDS,
                         sizeof known->list[0]))
        return;
    known->list[kind->number - 1] = *kind;
    if (known->count < kind->number)
        known->count = kind->number;
}

size_t um_late_join_markers_encode(const struct um_late_join_markers *known, size_t *next,
                                   size_t end, uint8_t *bytes, size_t cap_bytes)
{
    struct um_wire_frame frame = {.type = UM_WIRE_MARKER_KIND};
    size_t used = 0, len;

    for (; *next < end && cap_bytes - used >= UM_WIRE_MAX_BYTES; ++*next) {
        if (known->list[*next].number == 0)
            continue;
        frame.as.marker_kind = known->list[*next];
        if (um_wire_encode(&frame, bytes + used, cap_bytes - used, &len) == UM_OK)
            used += len;
    }
    return used;
}
