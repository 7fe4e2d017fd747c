/* The timeline: which state each instant of a session had, and how long each state lasted in all.
 *
 * States become known after the fact, so spans are painted over a pending window; where two
 * overlap, the stronger state (the smaller enum um_state) wins, and what nothing was painted over
 * was responsive. Settling moves the start of the window and adds what leaves it to the sums. The
 * sums are whole nanoseconds and always add up to settled - start. The window holds a fixed number
 * of spans; when it is full, its oldest part is settled as it stands and can no longer change.
 * Portable, no allocation. Not on the hot path (a call for each span).
 */
#ifndef UM_MONITOR_TIMELINE_H
#define UM_MONITOR_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

#define UM_TIMELINE_SPANS 64

struct um_timeline_span {
    uint64_t start_ns;
    uint64_t end_ns;
    enum um_state state;
};

/* Read it freely; only the functions below change it. */
struct um_timeline {
    uint64_t start_ns;
    uint64_t settled_ns;
    uint64_t state_ns[UM_STATE_COUNT]; /* sums to settled_ns - start_ns */
    size_t count;
    struct um_timeline_span spans[UM_TIMELINE_SPANS]; /* sorted, disjoint, after settled_ns */
};

/* Starts an empty timeline at this time. */
void um_timeline_init(struct um_timeline *timeline, uint64_t start_ns);

/* Gives [start, end) this state wherever nothing stronger is. What is settled does not change. */
void um_timeline_paint(struct um_timeline *timeline, enum um_state state, uint64_t start_ns,
                       uint64_t end_ns);

/* Adds everything before this time to the sums. An earlier time than the last one does nothing. */
void um_timeline_settle(struct um_timeline *timeline, uint64_t until_ns);

#endif
