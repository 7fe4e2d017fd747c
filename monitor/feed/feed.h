/* The feed inside the monitor: hands its frames to the outputs. Those of a session are the hub (for
 * the overlay and all who listen), the CSV, the recording, the file for Prometheus and the flight
 * recorder; in a benchmark its results are one, too.
 *
 * The session publishes on its own thread and on the hot path. So an output only copies the frame,
 * and does slow work on a thread of its own. A reader starts at um_feed_publish.
 */
#ifndef UM_MONITOR_FEED_H
#define UM_MONITOR_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

/* The most outputs of a session: the hub, the CSV, the recording, the file for Prometheus and the
 * flight recorder. */
#define UM_FEED_OUTPUT_MAX 5

/* A frame on its way to the outputs. The first output that needs its bytes encodes it for all. */
struct um_feed_item {
    const struct um_wire_frame *frame;
    size_t len_bytes; /* 0: not encoded yet */
    uint8_t bytes[UM_WIRE_MAX_BYTES];
};

struct um_feed_output {
    void *context;
    /* Takes a frame, in the order of the feed. Owner: the item lives for the call.
     * Thread: the session's; never blocks. */
    void (*take)(void *context, struct um_feed_item *item);
    /* How many frames it has dropped so far; NULL: it never drops any. Thread: the session's. */
    uint64_t (*lost)(void *context);
};

/* Hands a frame to every output. Thread: the session's; never blocks. */
void um_feed_publish(const struct um_feed_output *outputs, size_t count,
                     const struct um_wire_frame *frame);

/* How many frames the outputs have dropped so far. Thread: the session's. */
uint64_t um_feed_lost(const struct um_feed_output *outputs, size_t count);

/* For outputs: encodes the frame into `bytes`, unless that is done. False if um_wire_encode refuses
 * the frame. Thread: the session's. */
bool um_feed_encode(struct um_feed_item *item);

#endif
