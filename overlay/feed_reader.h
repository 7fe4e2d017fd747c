/* Turns the bytes of a feed into frames, however they are cut on their way.
 *
 * Start at um_feed_reader_push. Knows the preamble and where a frame ends, not what it means. Pure,
 * portable; runs for every frame that comes, allocates nothing.
 */
#ifndef UM_OVERLAY_FEED_READER_H
#define UM_OVERLAY_FEED_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

/* A zeroed struct is ready; there is nothing to release. */
struct um_feed_reader {
    bool begun; /* the preamble was read */
    size_t len_bytes;
    uint8_t rest[2 * UM_WIRE_MAX_BYTES]; /* of a frame that is not whole yet */
};

typedef void um_feed_reader_take(void *context, const struct um_wire_frame *frame);

/* Takes bytes in and calls `take` for every whole frame.
 * Errors: those of um_wire_check_preamble and um_wire_decode; the stream is lost then. */
enum um_status um_feed_reader_push(struct um_feed_reader *reader, const void *bytes,
                                   size_t len_bytes, um_feed_reader_take *take, void *context);

#endif
