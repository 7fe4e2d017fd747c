#include "monitor/feed/known.h"

#include <string.h>

bool um_known_cares(uint8_t type)
{
    return type == UM_WIRE_SESSION || type == UM_WIRE_PACE || type == UM_WIRE_RUNG ||
           type == UM_WIRE_PROVING || type == UM_WIRE_VIEW || type == UM_WIRE_STATUS ||
           type == UM_WIRE_EPISODE;
}

/* Keeps the begin of each episode that lasts: one of each state at most. */
static void take_episode(struct um_known *known, const struct um_wire_frame *frame)
{
    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        if (known->open[i].as.episode.id == frame->as.episode.id)
            known->open[i].type = 0;
    if (!(frame->flags & UM_WIRE_EPISODE_END))
        known->open[frame->as.episode.state] = *frame;
}

void um_known_take(struct um_known *known, const struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_SESSION && frame->flags & UM_WIRE_SESSION_ANEW) {
        memset(known->open, 0, sizeof known->open);
        known->pace.type = 0;
        known->rung.type = 0;
        known->proving.type = 0;
    }
    if (frame->type == UM_WIRE_SESSION)
        known->session = *frame;
    else if (frame->type == UM_WIRE_PACE)
        known->pace = *frame;
    else if (frame->type == UM_WIRE_RUNG)
        known->rung = *frame;
    else if (frame->type == UM_WIRE_PROVING)
        known->proving = *frame;
    else if (frame->type == UM_WIRE_VIEW)
        known->view = *frame;
    else if (frame->type == UM_WIRE_STATUS)
        known->status = *frame;
    else if (frame->type == UM_WIRE_EPISODE)
        take_episode(known, frame);
}

static size_t put(const struct um_wire_frame *frame, uint8_t *bytes)
{
    size_t len = 0;
    if (!frame->type || um_wire_encode(frame, bytes, UM_WIRE_MAX_BYTES, &len) != UM_OK)
        return 0;
    return len;
}

size_t um_known_encode(const struct um_known *known, uint8_t *bytes)
{
    size_t len = put(&known->session, bytes);
    len += put(&known->pace, bytes + len);
    len += put(&known->rung, bytes + len);
    len += put(&known->proving, bytes + len);
    len += put(&known->view, bytes + len);
    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        len += put(&known->open[i], bytes + len);
    return len + put(&known->status, bytes + len);
}
