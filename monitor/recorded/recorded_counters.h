/* What was counted in a recording over its time, as graphs for other tools: the UI thread's lag,
 * how long work items waited in the thread pool, the rates of frames and messages, and the counters
 * that the target has of itself.
 *
 * All of it is in `recorded` already: the lag in its slices, the rest in its curves
 * (monitor/stats/curves.h), which bound how many values there are. The lag has at most
 * UM_RECORDED_MAX_SLICES. A reader starts at um_recorded_counters_make. Not on the hot path.
 * Thread: one at a time.
 */
#ifndef UM_MONITOR_RECORDED_COUNTERS_H
#define UM_MONITOR_RECORDED_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/own_counters.h"
#include "monitor/recorded/recorded.h"

/* The rows that are not the target's own. */
enum um_recorded_counters_row {
    UM_RECORDED_COUNTERS_LAG, /* the worst in each 100 ms, at their end */
    UM_RECORDED_COUNTERS_POOL,
    UM_RECORDED_COUNTERS_FRAMES,
    UM_RECORDED_COUNTERS_MESSAGES,
    UM_RECORDED_COUNTERS_OWN /* the first one of the target's own */
};

/* The mean of a span of the curve, at its end. There is none for what lies between spans. */
struct um_recorded_counters_value {
    uint64_t at_ns; /* since the session's start */
    double value;
};

struct um_recorded_counter {
    char name[UM_OWN_COUNTERS_PATH_BYTES];     /* "UI thread lag", "System.Runtime/cpu-usage" */
    char unit[UM_OWN_COUNTERS_UNIT_BYTES];     /* "ms", "/s", "B/s"; "": it has none */
    struct um_recorded_counters_value *values; /* each later than the one before */
    size_t count;
};

/* Readers may read it. Zeroed, there are none. */
struct um_recorded_counters {
    struct um_recorded_counter *rows;
    size_t count;
};

/* Makes the rows. `counters` is zeroed before. Owner: um_recorded_counters_deinit, also after an
 * error. Errors: UM_ERR_MEMORY. */
enum um_status um_recorded_counters_make(struct um_recorded_counters *counters,
                                         const struct um_recorded *recorded);

/* Leaves only the values from a time to another. Units: since the session's start. */
void um_recorded_counters_keep(struct um_recorded_counters *counters, uint64_t from_ns,
                               uint64_t to_ns);

/* Accepts a zeroed one. */
void um_recorded_counters_deinit(struct um_recorded_counters *counters);

#endif
