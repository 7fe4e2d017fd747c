/* What else was counted in the target: waits of work items in its thread pool and the starvations
 * of that, the messages and frames of its UI thread, and the counters that it has of itself.
 *
 * It is made from the frames POOL, ACTIVITY, COUNTER and COUNTER_VALUE. Memory is bounded by the
 * number of counters and UM_COUNTED_STARVATIONS. A reader starts at um_counted_take. Not on the hot
 * path. Thread: one at a time.
 */
#ifndef UM_MONITOR_COUNTED_H
#define UM_MONITOR_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/own_counters.h"
#include "ipc/wire.h"
#include "monitor/stats/histogram.h"

#define UM_COUNTED_STARVATIONS 1000 /* in the list; the first ones */

struct um_counted_starvation {
    uint32_t id; /* of its POOL */
    uint64_t start_ns;
    uint64_t end_ns;  /* 0: it lasted at the end */
    uint64_t peak_ns; /* the longest wait of an item in it */
};

struct um_counted_pool {
    struct um_histogram delays; /* of items that have run */
    uint64_t last_ns;           /* the time of the last POOL */
    uint32_t starvations;       /* also those that are not in the list */
    size_t len;
    struct um_counted_starvation *list;
};

/* Over the time in which it was counted. */
struct um_counted_activity {
    uint64_t messages;
    uint64_t messages_ns;
    uint64_t paints;    /* paint cycles by WM_PAINT, */
    uint64_t paints_ns; /* in the time in which the program was known to paint so */
};

/* A counter that the target has of itself. */
struct um_counted_counter {
    struct um_own_counter is; /* as it was told last */
    uint64_t intervals;
    double sum;    /* of increments; of means, each as often as it has values */
    double weight; /* of means: of how many values; of increments: seconds */
    double least, greatest, last;
};

struct um_counted;

/* Owner: um_counted_close. Errors: UM_ERR_MEMORY. */
enum um_status um_counted_open(struct um_counted **counted);

/* Accepts NULL. */
void um_counted_close(struct um_counted *counted);

/* Takes a frame of the feed; others are ignored. What there is no memory for is left out. */
void um_counted_take(struct um_counted *counted, const struct um_wire_frame *frame);

/* NULL: it was not measured. Owner: `counted`, until the next frame. */
const struct um_counted_pool *um_counted_pool(const struct um_counted *counted);
const struct um_counted_activity *um_counted_activity(const struct um_counted *counted);

/* The counter in a place below UM_WIRE_COUNTERS; NULL: there is none, or it has no value. */
const struct um_counted_counter *um_counted_counter(const struct um_counted *counted, size_t place);

/* The mean of a counter's means, or what was added in a second. */
double um_counted_mean(const struct um_counted_counter *counter);

#endif
