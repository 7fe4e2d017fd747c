#include "monitor/live/early.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/list.h"

static bool is_referred_to(uint8_t type)
{
    return type == UM_WIRE_MODULE || type == UM_WIRE_NODES || type == UM_WIRE_NAME ||
           type == UM_WIRE_TRACED_CALL || type == UM_WIRE_COUNTER ||
           type == UM_WIRE_LAYOUT_COMPONENT || type == UM_WIRE_LAYOUT_PLACE ||
           type == UM_WIRE_MARKER_KIND;
}

void um_early_put(struct um_early *early, const struct um_wire_frame *frame)
{
    size_t len;
    if (!is_referred_to(frame->type))
        return;
    bool has_room = um_list_reserve(&early->bytes, &early->room, early->len + UM_WIRE_MAX_BYTES,
                                    UM_EARLY_BYTES, 1);
    if (has_room &&
        um_wire_encode(frame, early->bytes + early->len, early->room - early->len, &len) == UM_OK)
        early->len += len;
    else
        early->dropped++;
}

void um_early_flush(struct um_early *early,
                    void (*publish)(void *context, const struct um_wire_frame *frame),
                    void *context)
{
    struct um_wire_frame frame = {.type = 0};
    size_t at = 0, taken;
    while (at < early->len &&
           um_wire_decode(early->bytes + at, early->len - at, &frame, &taken) == UM_OK) {
        publish(context, &frame);
        at += taken;
    }
    um_early_close(early);
}

void um_early_close(struct um_early *early)
{
    free(early->bytes);
    *early = (struct um_early){.dropped = early->dropped};
}
