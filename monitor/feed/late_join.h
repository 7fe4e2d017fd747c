/* Keeps the frames that a consumer needs first if it comes late or has lost frames: the last frame
 * of each type for which ipc/frames.def says so, and the begins of the episodes that last. The
 * COUNTERs are in late_join_counters.h.
 *
 * Pure; on the monitor's hot path. A reader starts at um_late_join_take.
 */
#ifndef UM_MONITOR_LATE_JOIN_H
#define UM_MONITOR_LATE_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

enum {
    UM_LATE_JOIN_LAST = 0 /* the number of types of which the last frame is kept */
#define FRAME(number, name, form, flags, late, sent, reach, says)                                  \
    +(UM_WIRE_LATE_##late != UM_WIRE_LATE_NOT && UM_WIRE_LATE_##late != UM_WIRE_LATE_EACH)
#include "ipc/frames.def"
};

#define UM_LATE_JOIN_FRAMES (UM_LATE_JOIN_LAST + UM_WIRE_STATES)
#define UM_LATE_JOIN_BYTES (UM_LATE_JOIN_FRAMES * UM_WIRE_MAX_BYTES) /* at most */

/* A zeroed struct holds nothing; there is nothing to release. Type 0: there is no such frame. */
struct um_late_join {
    struct um_wire_frame last[UM_LATE_JOIN_LAST]; /* in any order */
    struct um_wire_frame open[UM_WIRE_STATES];    /* EPISODE: the latest begin of each state */
};

/* Whether frames of this type are kept, or change what is kept. */
bool um_late_join_cares(uint8_t type);

/* Takes a frame of any type, in the order of the feed. */
void um_late_join_take(struct um_late_join *known, const struct um_wire_frame *frame);

/* The last frame of a type; NULL: there is none, or none of that type is kept.
 * Owner: `known`, until it takes another frame. */
const struct um_wire_frame *um_late_join_last(const struct um_late_join *known, uint8_t type);

/* Lists the frames that are kept, in the order in which a consumer gets them. Returns how many.
 * Owner: `known`, until it takes another frame. */
size_t um_late_join_list(const struct um_late_join *known,
                         const struct um_wire_frame *frames[UM_LATE_JOIN_FRAMES]);

/* Encodes the frames that are kept, SESSION first, and returns their length.
 * Units: `bytes` has UM_LATE_JOIN_BYTES. */
size_t um_late_join_encode(const struct um_late_join *known, uint8_t *bytes);

#endif
