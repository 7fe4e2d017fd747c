/* Keeps the COUNTERs of a feed so far. A consumer that comes late, or has lost frames, needs them
 * before their values. They are not in late_join.h because there may be many. A COUNTER holds for
 * the whole session, so a consumer may get one earlier than its place in the feed.
 *
 * Pure; on the monitor's hot path. A reader starts at um_late_join_counters_take.
 */
#ifndef UM_MONITOR_LATE_JOIN_COUNTERS_H
#define UM_MONITOR_LATE_JOIN_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

/* A zeroed struct holds none; there is nothing to release. */
struct um_late_join_counters {
    size_t count; /* one more than the highest index that is used */
    bool used[UM_WIRE_COUNTERS];
    struct um_wire_counter list[UM_WIRE_COUNTERS]; /* each at the index of its number */
};

/* Takes a frame of any type. */
void um_late_join_counters_take(struct um_late_join_counters *known,
                                const struct um_wire_frame *frame);

/* Encodes COUNTERs from index *next on, before `end` and as many as surely fit. Moves *next past
 * them, and returns their length. */
size_t um_late_join_counters_encode(const struct um_late_join_counters *known, size_t *next,
                                    size_t end, uint8_t *bytes, size_t cap_bytes);

#endif
