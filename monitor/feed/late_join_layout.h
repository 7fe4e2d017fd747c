/* Keeps the LAYOUT_COMPONENTs of a feed so far, for a consumer that comes late or has lost frames,
 * as late_join_counters.h has the COUNTERs. Most sessions have none, so they take memory only then.
 *
 * Pure; on the monitor's hot path. A reader starts at um_late_join_layout_take.
 */
#ifndef UM_MONITOR_LATE_JOIN_LAYOUT_H
#define UM_MONITOR_LATE_JOIN_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

/* A zeroed struct holds none. */
struct um_late_join_layout {
    struct um_wire_layout_component *list; /* each at the index of its id; id 0: there is none */
    size_t count;                          /* one more than the highest index that is used */
    size_t room;
};

/* Releases the memory. */
void um_late_join_layout_deinit(struct um_late_join_layout *known);

/* Takes a frame of any type. Without memory, a component is not told to those who come late. */
void um_late_join_layout_take(struct um_late_join_layout *known, const struct um_wire_frame *frame);

/* Encodes components from index *next on, before `end` and as many as surely fit. Moves *next past
 * them, and returns their length. */
size_t um_late_join_layout_encode(const struct um_late_join_layout *known, size_t *next, size_t end,
                                  uint8_t *bytes, size_t cap_bytes);

#endif
