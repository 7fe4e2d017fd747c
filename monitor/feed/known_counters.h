/* The COUNTERs of a feed so far, which a consumer must be told before their values if it comes late
 * or has lost frames. They are apart from known.h because they may be many, and because they only
 * ever become more: a consumer may be told of one earlier than its place in the feed.
 *
 * Pure; on the monitor's hot path. A reader starts at um_known_counters_take.
 */
#ifndef UM_MONITOR_KNOWN_COUNTERS_H
#define UM_MONITOR_KNOWN_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

/* A zeroed struct knows none; there is nothing to release. */
struct um_known_counters {
    size_t count; /* of the places that may be used */
    bool used[UM_WIRE_COUNTERS];
    struct um_wire_counter list[UM_WIRE_COUNTERS]; /* each in the place of its number */
};

/* Takes a frame of any type. */
void um_known_counters_take(struct um_known_counters *known, const struct um_wire_frame *frame);

/* Encodes the COUNTERs of the places from *next up to `end`, as many as surely fit, moves *next
 * past them, and returns how many bytes they are. */
size_t um_known_counters_encode(const struct um_known_counters *known, size_t *next, size_t end,
                                uint8_t *bytes, size_t cap_bytes);

#endif
