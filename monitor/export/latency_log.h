/* The latencies of a recording, interval by interval, each as a histogram of its own
 * (hdr_encode.h).
 *
 * Use: um_latency_log_take for each frame before it is added to the statistics, um_latency_log_end.
 * A value is of the interval in which its frame came. All intervals together have each value of the
 * statistics once. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_LATENCY_LOG_H
#define UM_MONITOR_LATENCY_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/clock.h"
#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/export/latencies.h"
#include "monitor/recorded/recorded.h"

#define UM_LATENCY_LOG_INTERVAL_NS (10 * UM_CLOCK_NS_PER_S)

/* The values of a latency in an interval; there is at least one. */
struct um_latency_log_entry {
    uint64_t start_ns; /* of the interval, since the session's start */
    uint64_t length_ns;
    uint64_t max_ns; /* the highest value that the histogram cannot tell from the greatest one */
    size_t latency;  /* a row of latencies.h */
    char *encoded;
};

/* Readers may read entries. Zeroed, it has none. */
struct um_latency_log {
    struct um_latency_log_entry *entries; /* by their time */
    size_t count, room;
    uint64_t *before[UM_LATENCIES_COUNT]; /* counts when the interval began; NULL: all were 0 */
    uint64_t total_before[UM_LATENCIES_COUNT];
    uint64_t *counts; /* of an interval */
    uint64_t number;  /* of the present interval, from 0 */
    bool failed;      /* there was no memory */
};

/* Takes a frame, which `recorded` does not have yet. A um_recorded_take: `log` is a struct
 * um_latency_log. */
void um_latency_log_take(void *log, const struct um_recorded *recorded,
                         const struct um_wire_frame *frame);

/* Ends the last interval. Errors: UM_ERR_MEMORY, also of an earlier call. */
enum um_status um_latency_log_end(struct um_latency_log *log, const struct um_recorded *recorded);

/* Accepts a zeroed one. */
void um_latency_log_deinit(struct um_latency_log *log);

#endif
