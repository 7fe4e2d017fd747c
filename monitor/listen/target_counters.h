/* The counters that a target has of itself, over one interval after the other: COUNTER and
 * COUNTER_VALUE in, struct um_counters_target out. A part of counters.c, where a reader starts.
 *
 * Nothing of a feed is believed: texts are made fit to be shown, a value whose counter was not told
 * is left out, and so is one that would not be finite. One thread; never blocks.
 */
#ifndef UM_MONITOR_TARGET_COUNTERS_H
#define UM_MONITOR_TARGET_COUNTERS_H

#include <stddef.h>

#include "ipc/wire.h"
#include "monitor/listen/counters.h"

/* What was told of a counter since the last interval. */
struct um_target_counters_sum {
    double sum;    /* of increments */
    double mean;   /* of means, by weight */
    double weight; /* how many values those are of */
    uint64_t count;
    double min, max;
    bool told;
};

/* A zeroed struct has none. */
struct um_target_counters {
    size_t count, list_room, sums_room;
    struct um_counters_target *list;
    struct um_target_counters_sum *sums; /* one for each */
    uint16_t places[UM_WIRE_COUNTERS];   /* of each number: its place in the list and 1; 0: none */
};

void um_target_counters_deinit(struct um_target_counters *counters);

/* Takes a COUNTER. Returns what is known of it if that is new, else NULL; also if there is no
 * memory. One that has the name of another number's is the same. Owner: the list. */
const struct um_counters_target *um_target_counters_describe(struct um_target_counters *counters,
                                                             const struct um_wire_counter *counter);

void um_target_counters_value(struct um_target_counters *counters,
                              const struct um_wire_counter_value *value);

/* Ends an interval: the list with the values of it. Owner: the list; the next call changes it. */
const struct um_counters_target *um_target_counters_settle(struct um_target_counters *counters,
                                                           size_t *count);

/* Forgets the values that were told since the last interval. */
void um_target_counters_forget(struct um_target_counters *counters);

#endif
