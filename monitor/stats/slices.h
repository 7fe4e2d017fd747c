/* The worst lag in each slice of 100 ms: the columns of the overlay.
 *
 * The lag at an instant is the age of the beat that is unanswered then, and its latency when it is
 * dequeued. A slice's value is the greatest lag at any instant in it, so a freeze of 300 ms shows
 * as a ramp of 100, 200, 300 and not as one column at its end.
 *
 * A beat to a thread at rest stands for the beats that are left out after it. A slice in which no
 * beat was dequeued has the latency of the last beat, if that one stands for the time until then.
 *
 * Slices (base/plain/slice.h) lie on a grid that begins with the session. Which one a time lies in,
 * um_slice_until says: a query at a boundary is final for the slice that ends there. The latest
 * slices are kept, because a BEAT comes a little after its beat was dequeued. A query for a past
 * time returns what is known by now.
 */
#ifndef UM_MONITOR_SLICES_H
#define UM_MONITOR_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/slice.h"

#define UM_SLICES_KEPT 64

struct um_slices_slice {
    int64_t number; /* on the grid that begins with the session */
    uint64_t worst_ns;
    bool measured;
};

/* Private to slices.c. */
struct um_slices {
    uint64_t start_ns;
    uint64_t rest_ns; /* how long a beat stands for those that are left out; 0: none are */
    uint64_t last_seen_ns;
    uint64_t last_latency_ns;
    struct um_slices_slice kept[UM_SLICES_KEPT]; /* slice n is at n % UM_SLICES_KEPT */
};

/* Starts the grid. */
void um_slices_init(struct um_slices *slices, uint64_t start_ns);

/* Sets how long a beat stands for those that are left out after it. */
void um_slices_set_rest(struct um_slices *slices, uint64_t rest_ns);

/* Adds a beat that was dequeued to all slices from `sent_ns` to `sent_ns + latency_ns`, but only to
 * the last UM_SLICES_KEPT of them. */
void um_slices_beat(struct um_slices *slices, uint64_t sent_ns, uint64_t latency_ns);

/* The slice that `time_ns` lies in: its start, and the worst lag in it that is known up to
 * `time_ns`. `waited_ns` is how long the outstanding beat has waited at that time, 0 when none is.
 * False when no lag was measured in the slice; `worst_ns` is 0 then.
 * A time at or before the session's start belongs to the first slice. */
bool um_slices_query(const struct um_slices *slices, uint64_t time_ns, uint64_t waited_ns,
                     uint64_t *slice_start_ns, uint64_t *worst_ns);

/* The end of the slice that `time_ns` lies in; `time_ns` itself on a boundary. */
uint64_t um_slices_end(const struct um_slices *slices, uint64_t time_ns);

#endif
