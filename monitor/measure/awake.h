/* Awake time: a time minus how long the process, or the whole machine, slept before it. Lengths and
 * latencies are differences of awake times. This module also keeps when the monitor itself did not
 * run.
 *
 * Both lists are rings. With very many cuts within one freeze the oldest are forgotten, and only
 * times before those are wrong. Portable, no allocation; um_awake_time is on the hot path.
 */
#ifndef UM_MONITOR_AWAKE_H
#define UM_MONITOR_AWAKE_H

#include <stdbool.h>
#include <stdint.h>

#define UM_AWAKE_CUTS 16
#define UM_AWAKE_LATES 8

struct um_awake_span {
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t total_ns; /* of a cut: its length and that of all cuts before it */
};

/* Zeroed, it has no cuts. Private to awake.c. */
struct um_awake {
    unsigned cuts, lates; /* how many since the start */
    struct um_awake_span cut[UM_AWAKE_CUTS];
    struct um_awake_span late[UM_AWAKE_LATES];
};

/* The time minus all cuts before it. Within a cut, awake time stands still. */
uint64_t um_awake_time(const struct um_awake *awake, uint64_t time_ns);

/* Cuts [start, end) out. Cuts come in order and do not overlap. */
void um_awake_cut(struct um_awake *awake, uint64_t start_ns, uint64_t end_ns);

/* The monitor itself did not run from start to end. Calls come in order. */
void um_awake_late(struct um_awake *awake, uint64_t start_ns, uint64_t end_ns);

/* Whether the monitor itself did not run for more than half of this time. */
bool um_awake_mostly_late(const struct um_awake *awake, uint64_t start_ns, uint64_t end_ns);

#endif
