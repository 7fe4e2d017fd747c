/* What a consumer must be told before the rest of a feed makes sense to it, if it comes late or has
 * lost frames: the last SESSION, PACE, RUNG, PROVING and VIEW, the episodes that last, and the last
 * STATUS. The COUNTERs are in known_counters.h.
 *
 * Pure; on the monitor's hot path. A reader starts at um_known_take.
 */
#ifndef UM_MONITOR_KNOWN_H
#define UM_MONITOR_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

#define UM_KNOWN_FRAMES (6 + UM_STATE_COUNT)
#define UM_KNOWN_BYTES (UM_KNOWN_FRAMES * UM_WIRE_MAX_BYTES) /* at most */

/* A zeroed struct knows nothing; there is nothing to release. Type 0: there is no such frame. */
struct um_known {
    struct um_wire_frame session;
    struct um_wire_frame pace;
    struct um_wire_frame rung;
    struct um_wire_frame proving;
    struct um_wire_frame view;
    struct um_wire_frame open[UM_STATE_COUNT]; /* EPISODE: the latest begin of each state */
    struct um_wire_frame status;
};

/* Whether frames of a type change what is known. */
bool um_known_cares(uint8_t type);

/* Takes a frame of any type, in the order of the feed. */
void um_known_take(struct um_known *known, const struct um_wire_frame *frame);

/* Encodes what is known, SESSION first, and returns its length.
 * Units: `bytes` has UM_KNOWN_BYTES. */
size_t um_known_encode(const struct um_known *known, uint8_t *bytes);

#endif
