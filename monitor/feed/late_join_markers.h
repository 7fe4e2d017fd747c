/* Keeps the MARKER_KINDs of a feed so far, for a consumer that comes late or has lost frames, as
 * late_join_counters.h has the COUNTERs. Most sessions have few or none, so they take memory only
 * then.
 *
 * Pure; on the monitor's hot path. A reader starts at um_late_join_markers_take.
 */
#ifndef UM_MONITOR_LATE_JOIN_MARKERS_H
#define UM_MONITOR_LATE_JOIN_MARKERS_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

/* A zeroed struct holds none. */
struct um_late_join_markers {
    struct um_wire_marker_kind *list; /* each before the index of its number; number 0: none */
    size_t count;                     /* the highest number */
    size_t room;
};

/* Releases the memory. */
void um_late_join_markers_deinit(struct um_late_join_markers *known);

/* Takes a frame of any type. Without memory, a kind is not told to those who come late. */
void um_late_join_markers_take(struct um_late_join_markers *known,
                               const struct um_wire_frame *frame);

/* Encodes kinds from index *next on, before `end` and as many as surely fit. Moves *next past them,
 * and returns their length. */
size_t um_late_join_markers_encode(const struct um_late_join_markers *known, size_t *next,
                                   size_t end, uint8_t *bytes, size_t cap_bytes);

#endif
