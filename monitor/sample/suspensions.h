/* How often and for how long a session has suspended the target. The median is that of the latest
 * UM_SUSPENSIONS_KEPT. One thread at a time; no allocation.
 */
#ifndef UM_MONITOR_SUSPENSIONS_H
#define UM_MONITOR_SUSPENSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/wire.h"

#define UM_SUSPENSIONS_KEPT 1024
#define UM_SUSPENSIONS_LONG_NS UINT64_C(2000000) /* longer ones are counted */

/* Zeroed: there were none. Private to suspensions.c. */
struct um_suspensions {
    uint32_t count;
    uint32_t over_2ms;
    uint64_t total_ns;
    uint64_t max_ns;
    uint32_t gap_count; /* between two samples of the same wait */
    uint64_t gap_total_ns;
    uint64_t withheld_ns;
    uint64_t latest_ns[UM_SUSPENSIONS_KEPT]; /* lengths; a ring */
};

/* Counts a suspension. `gap_ns` is the time since the last sample of the same wait; 0: this is the
 * first one. */
void um_suspensions_add(struct um_suspensions *suspensions, uint64_t length_ns, uint64_t gap_ns);

/* Counts a time in which a sample was due, but would have cost more than it may. */
void um_suspensions_withheld(struct um_suspensions *suspensions, uint64_t length_ns);

/* The sums; false, and `sampling` untouched, if there were none.
 * Cost: up to some 100 µs, to sort the latest. */
bool um_suspensions_sum(const struct um_suspensions *suspensions,
                        struct um_wire_sampling *sampling);

#endif
