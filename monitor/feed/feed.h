/* The feed inside the monitor: how its frames get to those who take them, which are the hub, the
 * CSV, the recording, the flight recorder, and the results of a benchmark.
 *
 * The session publishes on its own thread and on the hot path, so an output only copies and
 * returns; what takes long happens on a thread of the output's own. A reader starts at
 * um_feed_publish.
 */
#ifndef UM_MONITOR_FEED_H
#define UM_MONITOR_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

/* A session has at most so many: the hub, the CSV, the recording, the file for Prometheus and the
 * flight recorder. */
#define UM_FEED_OUTPUT_MAX 5

/* A frame on its way to the outputs. The first one that wants its bytes encodes it for all. */
struct um_feed_item {
    const struct um_wire_frame *frame;
    size_t len_bytes; /* 0: not encoded yet */
    uint8_t bytes[UM_WIRE_MAX_BYTES];
};

/* Who takes the feed. */
struct um_feed_output {
    void *context;
    /* Takes a frame, in the order of the feed. Owner: the item lives for the call.
     * Thread: the session's; never blocks. */
    void (*take)(void *context, struct um_feed_item *item);
    /* Frames that it has dropped so far; NULL: it never drops any. Thread: the session's. */
    uint64_t (*lost)(void *context);
};

/* Hands a frame to every output. Thread: the session's; never blocks. */
void um_feed_publish(const struct um_feed_output *outputs, size_t count,
                     const struct um_wire_frame *frame);

/* Frames that the outputs have dropped so far. Thread: the session's. */
uint64_t um_feed_lost(const struct um_feed_output *outputs, size_t count);

/* For outputs: sees to it that `bytes` holds the frame. False if it is one that um_wire_encode
 * refuses. Thread: the session's. */
bool um_feed_encode(struct um_feed_item *item);

#endif
