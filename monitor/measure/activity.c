#include "monitor/measure/activity.h"

bool um_activity_take(struct um_activity *activity, const struct um_wire_counted *counted,
                      struct um_wire_frame *frame)
{
    struct um_wire_activity *now = &activity->sum;

    if (counted->time_ns <= now->time_ns)
        return false;
    if (activity->counts) {
        now->messages += (uint32_t)(counted->messages - activity->last.messages);
        now->paints += (uint32_t)(counted->paints - activity->last.paints);
    } else {
        now->since_ns = counted->time_ns;
    }
    now->time_ns = counted->time_ns;
    activity->counts = true;
    activity->paints = activity->paints || counted->paints != 0;
    activity->last = *counted;
    *frame = (struct um_wire_frame){.type = UM_WIRE_ACTIVITY, .as.activity = *now};
    frame->flags = activity->paints ? UM_WIRE_ACTIVITY_PAINTS : 0;
    return true;
}

void um_activity_forget(struct um_activity *activity)
{
    activity->counts = false;
}
