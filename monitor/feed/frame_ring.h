/* Encoded frames, first in, first out, in a ring of bytes. It holds whole frames only, and frames
 * that were taken out are overwritten.
 *
 * Used by the hub, the frame queues, the flight recorder and replays. On the hot path of the
 * monitor: allocates nothing and takes no lock. Thread: one at a time; its owner locks. A reader
 * starts at um_frame_ring_put.
 */
#ifndef UM_MONITOR_FRAME_RING_H
#define UM_MONITOR_FRAME_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

/* There is nothing to release. */
struct um_frame_ring {
    uint8_t *bytes; /* the owner's */
    size_t cap_bytes;
    size_t head;      /* where the oldest frame begins */
    size_t len_bytes; /* length of all frames in it */
};

/* Begins an empty ring in this memory. It touches no more of it than the frames need.
 * Owner: `bytes` stays the caller's and must outlive the ring.
 * Units: `cap_bytes` is at least UM_WIRE_MAX_BYTES, so that any frame fits into an empty ring. */
void um_frame_ring_init(struct um_frame_ring *ring, uint8_t *bytes, size_t cap_bytes);

/* Adds a frame; false if there is no room for it. */
bool um_frame_ring_put(struct um_frame_ring *ring, const uint8_t *frame, size_t len_bytes);

/* Removes the oldest frame; false if there is none. */
bool um_frame_ring_drop(struct um_frame_ring *ring);

/* Copies the frame at an offset and returns its length; 0 at the end. The oldest frame is at 0; the
 * next one is at the sum of the offset and the length.
 * Units: `frame` has UM_WIRE_MAX_BYTES. */
size_t um_frame_ring_peek(const struct um_frame_ring *ring, size_t offset, uint8_t *frame);

/* Takes as many whole frames as fit, oldest first, and returns their length; 0: it was empty.
 * Units: `cap_bytes` is at least UM_WIRE_MAX_BYTES. */
size_t um_frame_ring_take(struct um_frame_ring *ring, uint8_t *frames, size_t cap_bytes);

#endif
