/* Takes the gaps out of a clock, in which the process or the whole machine slept, or
 * the process did what a beat of uimon's had caused. A time minus the
 * gaps before it is awake time; lengths and latencies are differences of awake times. This module
 * also keeps when the monitor itself did not run.
 *
 * Both lists are rings. With very many cuts within one freeze the oldest are forgotten, and only
 * times before those are wrong. Portable, no allocation; um_clock_gaps_awake_time is on the hot
 * path.
 */
#ifndef UM_MONITOR_CLOCK_GAPS_H
#define UM_MONITOR_CLOCK_GAPS_H

#include <stdbool.h>
#include <stdint.h>

#define UM_CLOCK_GAPS_CUTS 16
#define UM_CLOCK_GAPS_LATES 8

struct um_clock_gaps_span {
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t total_ns; /* of a cut: its length and that of all cuts before it */
};

/* Zeroed, it has no cuts. Private to clock_gaps.c. */
struct um_clock_gaps {
    unsigned cuts, lates; /* how many since the start */
    struct um_clock_gaps_span cut[UM_CLOCK_GAPS_CUTS];
    struct um_clock_gaps_span late[UM_CLOCK_GAPS_LATES];
};

/* The time minus all cuts before it. Within a cut, awake time stands still. */
uint64_t um_clock_gaps_awake_time(const struct um_clock_gaps *awake, uint64_t time_ns);

/* The time that has this awake time; where that is a whole cut, the begin of the cut. */
uint64_t um_clock_gaps_time_of(const struct um_clock_gaps *awake, uint64_t awake_ns);

/* The end of the last cut; 0: there is none. */
uint64_t um_clock_gaps_last_end(const struct um_clock_gaps *awake);

/* Cuts [start, end) out. Cuts come in order and do not overlap. */
void um_clock_gaps_cut(struct um_clock_gaps *awake, uint64_t start_ns, uint64_t end_ns);

/* The monitor itself did not run from start to end. Calls come in order. */
void um_clock_gaps_late(struct um_clock_gaps *awake, uint64_t start_ns, uint64_t end_ns);

/* Whether the monitor itself did not run for more than half of this time. */
bool um_clock_gaps_mostly_late(const struct um_clock_gaps *awake, uint64_t start_ns,
                               uint64_t end_ns);

#endif
