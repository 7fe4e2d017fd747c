#include "monitor/measure/retrieved.h"

#include <string.h>

#include "base/ns.h"

/* The latest message, if it is not over; else NULL. */
static struct um_retrieved_message *latest(struct um_retrieved *retrieved)
{
    if (retrieved->count == 0)
        return NULL;
    struct um_retrieved_message *message =
        &retrieved->ring[(retrieved->count - 1) % UM_WIRE_RETRIEVED_MOST];
    return message->over_ns == 0 ? message : NULL;
}

static void take_message(struct um_retrieved *retrieved, const struct um_wire_frame *frame)
{
    const struct um_wire_taken *taken = &frame->as.taken;
    struct um_retrieved_message *before = latest(retrieved);

    if (before)
        before->over_ns = um_ns_max(taken->time_ns, before->time_ns);
    if (frame->flags & UM_WIRE_TAKEN_OURS)
        return;
    retrieved->ring[retrieved->count++ % UM_WIRE_RETRIEVED_MOST] = (struct um_retrieved_message){
        .time_ns = taken->time_ns, .hwnd = taken->hwnd, .message = taken->message};
}

void um_retrieved_frame(struct um_retrieved *retrieved, const struct um_wire_frame *frame)
{
    struct um_retrieved_message *before = latest(retrieved);

    if (frame->type == UM_WIRE_TAKEN)
        take_message(retrieved, frame);
    else if (frame->type == UM_WIRE_SENT && before && frame->as.sent.rested_ns > before->time_ns)
        before->over_ns = frame->as.sent.rested_ns;
}

void um_retrieved_forget(struct um_retrieved *retrieved)
{
    retrieved->count = 0;
}

size_t um_retrieved_count(const struct um_retrieved *retrieved)
{
    return retrieved->count < UM_WIRE_RETRIEVED_MOST ? retrieved->count : UM_WIRE_RETRIEVED_MOST;
}

void um_retrieved_get(const struct um_retrieved *retrieved, size_t number, uint64_t now_ns,
                      struct um_wire_frame *frame)
{
    size_t at = retrieved->count - um_retrieved_count(retrieved) + number;
    const struct um_retrieved_message *message = &retrieved->ring[at % UM_WIRE_RETRIEVED_MOST];
    bool lasts = message->over_ns == 0;

    memset(frame, 0, sizeof *frame);
    frame->type = UM_WIRE_RETRIEVED;
    frame->flags = lasts ? UM_WIRE_RETRIEVED_LAST : 0;
    frame->as.retrieved.time_ns = message->time_ns;
    frame->as.retrieved.length_ns =
        um_ns_elapsed(message->time_ns, lasts ? now_ns : message->over_ns);
    frame->as.retrieved.hwnd = message->hwnd;
    frame->as.retrieved.message = message->message;
}
