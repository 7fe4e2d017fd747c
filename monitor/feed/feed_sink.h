/* Who takes the feed inside the monitor: CSV, recording, results of a benchmark.
 *
 * The session hands each frame of the feed to every sink, on its own thread and on the hot path, so
 * a sink only copies and returns; what takes long happens on a thread of the sink's own.
 */
#ifndef UM_MONITOR_FEED_SINK_H
#define UM_MONITOR_FEED_SINK_H

#include <stdint.h>

#include "ipc/wire.h"

#define UM_FEED_SINK_MAX 4 /* a session has at most so many */

struct um_feed_sink {
    void *context;
    /* Takes a frame, in the order of the feed. Thread: the session's; never blocks. */
    void (*take)(void *context, const struct um_wire_frame *frame);
    /* Frames that were dropped so far; NULL: it never drops any. Thread: the session's. */
    uint64_t (*lost)(void *context);
};

#endif
