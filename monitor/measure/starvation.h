/* Starvation of the target's thread pool: from delays of work items to episodes, each with one
 * begin and one end. A pure state machine; a reader starts at um_starvation_take.
 *
 * An episode begins with a delay over one threshold, and ends with an item that ran after less than
 * a second, lower threshold. An item that still waits can begin an episode and never ends one. An
 * episode that lies between two items is not seen, and an end is known to within the time from item
 * to item.
 */
#ifndef UM_MONITOR_STARVATION_H
#define UM_MONITOR_STARVATION_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/wire.h"

/* Private to starvation.c. Owner: the caller; nothing to release. */
struct um_starvation {
    uint64_t over_ns;
    uint64_t under_ns;
    struct um_wire_pool pool; /* the latest measurement and episode */
    bool starved;
};

/* An episode begins with a delay over `over_ns`, and ends with one under `under_ns`. */
void um_starvation_init(struct um_starvation *starvation, uint64_t over_ns, uint64_t under_ns);

/* Takes a POOL_DELAY and makes its POOL. */
void um_starvation_take(struct um_starvation *starvation, const struct um_wire_frame *delay,
                        struct um_wire_frame *frame);

/* Nothing is measured any more. An episode that lasts ends with the last measurement. */
void um_starvation_forget(struct um_starvation *starvation);

#endif
