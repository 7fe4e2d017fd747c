/* The timeline: which state each instant of a session had, and how long each state lasted in all.
 *
 * States become known afterwards, so spans are painted into a window of time that is still
 * pending. Where two spans overlap, the stronger state (um_wire_state_rank) counts. Time without a
 * span was responsive; a span of unknown time is weaker than any other. Settling moves the start of
 * the window, and adds the time that leaves it to the sums. The sums are whole nanoseconds, and
 * always add up to settled - start. The window holds a fixed number of spans. When it is full, its
 * oldest part is settled as it stands, and can no longer change.
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

/* Gives [start, end) this state, except where a stronger one was painted. Settled time does not
 * change. */
void um_timeline_paint(struct um_timeline *timeline, enum um_state state, uint64_t start_ns,
                       uint64_t end_ns);

/* Adds the time up to `until_ns` to the sums. An earlier `until_ns` than the last one does
 * nothing. */
void um_timeline_settle(struct um_timeline *timeline, uint64_t until_ns);

#endif
