/* The counters of the target's own that `--show` names, as words and numbers. The feed goes in, and
 * rows of the view (overlay/model.h) come out.
 *
 * A counter is shown as the target calls it for people, and before it has told of it by the name of
 * the list. A number is that of the last interval with its unit, and an increment that of a second.
 * It is a dash when no value has come for two and a half intervals. Pure, portable; not on the hot
 * path. A reader starts at um_shown_counters_view.
 */
#ifndef UM_OVERLAY_SHOWN_COUNTERS_H
#define UM_OVERLAY_SHOWN_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/own_counters.h"
#include "metrics/overlay_rows.h"
#include "overlay/model.h"

struct um_shown_counters_value {
    bool known;
    double value;      /* of an increment, a second */
    uint64_t until_ns; /* by then another one should have come */
};

/* Zeroed, with `rows` set, it is ready. Owner: um_shown_counters_deinit. */
struct um_shown_counters {
    const struct um_overlay_rows *rows;
    struct um_own_counters own;
    struct um_shown_counters_value values[UM_WIRE_COUNTERS]; /* by the places of `own` */
};

/* Accepts a zeroed struct. */
void um_shown_counters_deinit(struct um_shown_counters *counters);

/* Takes a frame of the feed that has come at `now_ns`. A SESSION that begins anew clears all. */
void um_shown_counters_frame(struct um_shown_counters *counters, const struct um_wire_frame *frame,
                             uint64_t now_ns);

/* Fills in the counters of a view. */
void um_shown_counters_view(const struct um_shown_counters *counters, uint64_t now_ns,
                            struct um_model_view *view);

#endif
