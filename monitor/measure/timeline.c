#include "monitor/measure/timeline.h"

#include <string.h>

#include "base/ns.h"

/* One new span splits at most one old span in two and fills every hole between the others. */
#define PIECES_MAX (2 * UM_TIMELINE_SPANS + 3)

struct pieces {
    size_t count;
    struct um_timeline_span span[PIECES_MAX];
};

static void append(struct pieces *pieces, enum um_state state, uint64_t start_ns, uint64_t end_ns)
{
    if (start_ns >= end_ns)
        return;
    struct um_timeline_span *last = pieces->count ? &pieces->span[pieces->count - 1] : NULL;
    if (last && last->end_ns == start_ns && last->state == state) {
        last->end_ns = end_ns;
        return;
    }
    pieces->span[pieces->count++] = (struct um_timeline_span){start_ns, end_ns, state};
}

static enum um_state stronger(enum um_state a, enum um_state b)
{
    return um_wire_state_rank((uint8_t)a) < um_wire_state_rank((uint8_t)b) ? a : b;
}

void um_timeline_init(struct um_timeline *timeline, uint64_t start_ns)
{
    memset(timeline, 0, sizeof *timeline);
    timeline->start_ns = start_ns;
    timeline->settled_ns = start_ns;
}

/* Settles the oldest pieces, so that the rest fits into the window. */
static void settle_front(struct um_timeline *timeline, struct pieces *pieces)
{
    size_t excess = pieces->count - UM_TIMELINE_SPANS;
    for (size_t i = 0; i < excess; i++) {
        const struct um_timeline_span *span = &pieces->span[i];
        timeline->state_ns[UM_STATE_RESPONSIVE] += span->start_ns - timeline->settled_ns;
        timeline->state_ns[span->state] += span->end_ns - span->start_ns;
        timeline->settled_ns = span->end_ns;
    }
    pieces->count -= excess;
    memmove(pieces->span, pieces->span + excess, pieces->count * sizeof pieces->span[0]);
}

void um_timeline_paint(struct um_timeline *timeline, enum um_state state, uint64_t start_ns,
                       uint64_t end_ns)
{
    start_ns = um_ns_max(start_ns, timeline->settled_ns);
    if (start_ns >= end_ns || state == UM_STATE_RESPONSIVE)
        return;
    struct pieces pieces;
    pieces.count = 0;
    uint64_t painted_ns = start_ns; /* the new span is in `pieces` up to here */
    for (size_t i = 0; i < timeline->count; i++) {
        const struct um_timeline_span *old = &timeline->spans[i];
        uint64_t from = um_ns_max(old->start_ns, painted_ns);
        uint64_t to = um_ns_min(old->end_ns, end_ns);
        append(&pieces, old->state, old->start_ns, um_ns_min(old->end_ns, start_ns));
        append(&pieces, state, painted_ns, um_ns_min(old->start_ns, end_ns));
        if (from < to)
            append(&pieces, stronger(state, old->state), from, to);
        append(&pieces, old->state, um_ns_max(old->start_ns, end_ns), old->end_ns);
        painted_ns = um_ns_max(painted_ns, um_ns_min(old->end_ns, end_ns));
    }
    append(&pieces, state, painted_ns, end_ns);
    if (pieces.count > UM_TIMELINE_SPANS)
        settle_front(timeline, &pieces);
    timeline->count = pieces.count;
    memcpy(timeline->spans, pieces.span, pieces.count * sizeof pieces.span[0]);
}

void um_timeline_settle(struct um_timeline *timeline, uint64_t until_ns)
{
    if (until_ns <= timeline->settled_ns)
        return;
    size_t done = 0;
    uint64_t painted_ns = 0;
    for (size_t i = 0; i < timeline->count && timeline->spans[i].start_ns < until_ns; i++) {
        struct um_timeline_span *span = &timeline->spans[i];
        uint64_t end_ns = um_ns_min(span->end_ns, until_ns);
        timeline->state_ns[span->state] += end_ns - span->start_ns;
        painted_ns += end_ns - span->start_ns;
        span->start_ns = end_ns;
        done += span->end_ns == end_ns;
    }
    timeline->state_ns[UM_STATE_RESPONSIVE] += until_ns - timeline->settled_ns - painted_ns;
    timeline->settled_ns = until_ns;
    timeline->count -= done;
    memmove(timeline->spans, timeline->spans + done, timeline->count * sizeof timeline->spans[0]);
}
