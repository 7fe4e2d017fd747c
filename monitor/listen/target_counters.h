/* The counters that a target has of itself, interval by interval: COUNTER and COUNTER_VALUE go in,
 * struct um_counters_target comes out. Only counters.c uses this; a reader starts there.
 *
 * A feed is not trusted: texts are made safe to print, and a value is left out if it has no COUNTER
 * or would not be finite. One thread; never blocks.
 */
#ifndef UM_MONITOR_TARGET_COUNTERS_H
#define UM_MONITOR_TARGET_COUNTERS_H

#include <stddef.h>

#include "ipc/own_counters.h"
#include "ipc/wire.h"
#include "monitor/listen/counters.h"

/* The values of a counter since the last interval. */
struct um_target_counters_sum {
    double sum;    /* sum of increments */
    double mean;   /* weighted mean of means */
    double weight; /* how many values these means are of */
    uint64_t count;
    double min, max;
    bool measured;
};

/* A zeroed struct has no counters. */
struct um_target_counters {
    size_t count, list_room, sums_room;
    struct um_own_counters own; /* the other lists have its places */
    struct um_counters_target *list;
    struct um_target_counters_sum *sums;
};

void um_target_counters_deinit(struct um_target_counters *counters);

/* Takes a COUNTER. Returns the counter if it is new or has changed, else NULL; also NULL without
 * memory. Owner: the list. */
const struct um_counters_target *um_target_counters_describe(struct um_target_counters *counters,
                                                             const struct um_wire_counter *counter);

void um_target_counters_value(struct um_target_counters *counters,
                              const struct um_wire_counter_value *value);

/* Ends an interval and returns the list with its values. Owner: the list; the next call changes
 * it. */
const struct um_counters_target *um_target_counters_settle(struct um_target_counters *counters,
                                                           size_t *count);

/* Forgets the values since the last interval. */
void um_target_counters_forget(struct um_target_counters *counters);

#endif
