#include "monitor/feed/late_join.h"

#include <string.h>

bool um_late_join_cares(uint8_t type)
{
    return um_wire_late(type) != UM_WIRE_LATE_NOT;
}

/* Keeps the begin of each episode that lasts: one for each state. */
static void take_episode(struct um_late_join *known, const struct um_wire_frame *frame)
{
    for (size_t i = 0; i < UM_WIRE_STATES; i++)
        if (known->open[i].as.episode.id == frame->as.episode.id)
            known->open[i].type = 0;
    if (!(frame->flags & UM_WIRE_EPISODE_END))
        known->open[um_wire_state_place(frame->as.episode.state)] = *frame;
}

static void begin_anew(struct um_late_join *known)
{
    memset(known->open, 0, sizeof known->open);
    for (size_t i = 0; i < UM_LATE_JOIN_LAST; i++)
        if (um_wire_late(known->last[i].type) == UM_WIRE_LATE_OF_SESSION)
            known->last[i].type = 0;
}

/* Keeps a frame in the place of the last one of its type. */
static void take_last(struct um_late_join *known, const struct um_wire_frame *frame)
{
    size_t place = 0;
    for (size_t i = 0; i < UM_LATE_JOIN_LAST; i++)
        if (known->last[i].type == frame->type ||
            (known->last[i].type == 0 && known->last[place].type != frame->type))
            place = i;
    known->last[place] = *frame;
}

void um_late_join_take(struct um_late_join *known, const struct um_wire_frame *frame)
{
    enum um_wire_late late = um_wire_late(frame->type);
    if (frame->type == UM_WIRE_SESSION && frame->flags & UM_WIRE_SESSION_ANEW)
        begin_anew(known);
    if (frame->type == UM_WIRE_EPISODE)
        take_episode(known, frame);
    else if (late != UM_WIRE_LATE_NOT && late != UM_WIRE_LATE_EACH)
        take_last(known, frame);
}

const struct um_wire_frame *um_late_join_last(const struct um_late_join *known, uint8_t type)
{
    for (size_t i = 0; i < UM_LATE_JOIN_LAST; i++)
        if (known->last[i].type == type)
            return &known->last[i];
    return NULL;
}

size_t um_late_join_list(const struct um_late_join *known,
                         const struct um_wire_frame *frames[UM_LATE_JOIN_FRAMES])
{
    size_t count = 0;
    for (int late = UM_WIRE_LATE_FIRST; late <= UM_WIRE_LATE_FINALLY; late++) {
        for (size_t i = 0; i < UM_LATE_JOIN_LAST; i++)
            if ((int)um_wire_late(known->last[i].type) == late)
                frames[count++] = &known->last[i];
        for (size_t i = 0; i < UM_WIRE_STATES && late == UM_WIRE_LATE_EACH; i++)
            if (known->open[i].type != 0)
                frames[count++] = &known->open[i];
    }
    return count;
}

size_t um_late_join_encode(const struct um_late_join *known, uint8_t *bytes)
{
    const struct um_wire_frame *frames[UM_LATE_JOIN_FRAMES];
    size_t count = um_late_join_list(known, frames);
    size_t len = 0, frame_bytes;
    for (size_t i = 0; i < count; i++)
        if (um_wire_encode(frames[i], bytes + len, UM_WIRE_MAX_BYTES, &frame_bytes) == UM_OK)
            len += frame_bytes;
    return len;
}
