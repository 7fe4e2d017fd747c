/* Keeps the LAYOUT_COMPONENTs and LAYOUT_PLACEs of a feed so far, for a consumer that comes late
 * or has lost frames, as late_join_counters.h has the COUNTERs. Most sessions have none, so they
 * take memory only then.
 *
 * Pure; on the monitor's hot path. A reader starts at um_late_join_layout_take.
 */
#ifndef UM_MONITOR_LATE_JOIN_LAYOUT_H
#define UM_MONITOR_LATE_JOIN_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

#define UM_LATE_JOIN_LAYOUT_FRAMES 2 /* at most so many of a component */

struct um_late_join_component {
    struct um_wire_layout_component component; /* its id is 0: there is none */
    struct um_wire_layout_place place;         /* likewise */
};

/* A zeroed struct holds none. */
struct um_late_join_layout {
    struct um_late_join_component *list; /* each at the index of its id */
    size_t count;                        /* one more than the highest index that is used */
    size_t room;
};

/* Releases the memory. */
void um_late_join_layout_deinit(struct um_late_join_layout *known);

/* Takes a frame of any type. Without memory, a component is not told to those who come late. */
void um_late_join_layout_take(struct um_late_join_layout *known, const struct um_wire_frame *frame);

/* The frames of the component at an index below `count`; returns how many there are. */
size_t um_late_join_layout_frames(const struct um_late_join_layout *known, size_t index,
                                  struct um_wire_frame frames[UM_LATE_JOIN_LAYOUT_FRAMES]);

/* Encodes components with their places from index *next on, before `end` and as many as surely fit.
 * Moves *next past them, and returns their length. */
size_t um_late_join_layout_encode(const struct um_late_join_layout *known, size_t *next, size_t end,
                                  uint8_t *bytes, size_t cap_bytes);

#endif
