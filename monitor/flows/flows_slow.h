/* Which keys, clicks and steps of the wheel of a recording took long, and what took most of it.
 * Pure. Not on the hot path.
 */
#ifndef UM_MONITOR_FLOWS_SLOW_H
#define UM_MONITOR_FLOWS_SLOW_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/flows/flows.h"

/* A flow of input. Between its markers it has parts: from one that is an instant to the next, an
 * interval, and from an interval's end to the next marker. `marker` begins the longest of them. An
 * interval whose end was not seen is no part, and none begins there. */
struct um_flows_slow {
    uint32_t flow;
    uint32_t marker;
    uint32_t until; /* the marker that ends that part; UM_MARKERS_NONE: it is the interval itself */
    uint32_t freeze; /* the flow of the freeze that held it up; UM_FLOWS_NONE: none did */
    int64_t part_ns; /* 0 where nothing was measured */
};

/* The flows of input that took longer than `above_ns`, the longest first, those of the same length
 * by start. Linear in markers and mentions, besides sorting. Owner: free(*list). Errors:
 * UM_ERR_MEMORY. */
enum um_status um_flows_slow_find(const struct um_flows *flows, int64_t above_ns,
                                  struct um_flows_slow **list, size_t *count);

#endif
