/* How many messages the UI thread has retrieved and how many paint cycles it has completed: from
 * the numbers of the hook DLL, which begin anew with each attachment, to those of the session,
 * which only grow. Pure; a reader starts at um_activity_take.
 *
 * What is counted between two COUNTED lies in one stretch, and rates can be had of it. Where
 * counting stops and begins again, nothing is known of the time between, and a new stretch begins.
 */
#ifndef UM_MONITOR_ACTIVITY_H
#define UM_MONITOR_ACTIVITY_H

#include <stdbool.h>

#include "ipc/wire.h"

/* Private to activity.c; zeroed at first. Owner: the caller; nothing to release. */
struct um_activity {
    bool counts; /* a stretch has begun, and `last` is its latest */
    bool paints; /* a paint cycle was seen in any attachment */
    struct um_wire_counted last;
    struct um_wire_activity told;
};

/* Takes a COUNTED and makes the ACTIVITY that tells of it. False, and `told` is untouched, if its
 * time is not later than that of the one before. */
bool um_activity_take(struct um_activity *activity, const struct um_wire_counted *counted,
                      struct um_wire_frame *told);

/* Nothing is counted any more: the next COUNTED begins another stretch. */
void um_activity_forget(struct um_activity *activity);

#endif
