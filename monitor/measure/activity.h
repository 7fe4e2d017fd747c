/* How many messages the UI thread has retrieved and how many paint cycles it has completed. The
 * hook DLL's counts begin anew with each attachment; here they become sums of the session, which
 * only grow. Pure; a reader starts at um_activity_take.
 *
 * Rates can be computed within a stretch, in which counting did not stop. When counting stops and
 * begins again, a new stretch begins.
 */
#ifndef UM_MONITOR_ACTIVITY_H
#define UM_MONITOR_ACTIVITY_H

#include <stdbool.h>

#include "ipc/wire.h"

/* Private to activity.c; zeroed at first. Owner: the caller; nothing to release. */
struct um_activity {
    bool counts; /* a stretch has begun, and `last` is its latest COUNTED */
    bool paints; /* a paint cycle was seen in any attachment */
    struct um_wire_counted last;
    struct um_wire_activity sum;
};

/* Takes a COUNTED and makes its ACTIVITY. False, and `frame` is untouched, if its time is not later
 * than that of the one before. */
bool um_activity_take(struct um_activity *activity, const struct um_wire_counted *counted,
                      struct um_wire_frame *frame);

/* Nothing is counted any more: the next COUNTED begins another stretch. */
void um_activity_forget(struct um_activity *activity);

#endif
