/* How what else was counted went over time: the delay of the target's thread pool, the messages and
 * frames of its UI thread, the counters that it has of itself, and starvations of .NET's own pool.
 * counted.h has the sums of the same.
 *
 * A curve is a list of spans in the order of time. Between two spans that do not touch nothing was
 * measured. Memory is bounded: where a curve has no more room, spans that touch become one, all of
 * them up to the same length. A reader starts at um_curves_take. Not on the hot path. Thread: one
 * at a time.
 */
#ifndef UM_MONITOR_CURVES_H
#define UM_MONITOR_CURVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/own_counters.h"
#include "ipc/wire.h"
#include "monitor/stats/dotnet_pool.h"

#define UM_CURVES_SPANS 32768        /* of a curve */
#define UM_CURVES_COUNTER_SPANS 8192 /* of that of a counter */
#define UM_CURVES_STARVATIONS 1000   /* the first ones */

struct um_curves_span {
    uint64_t start_ns, end_ns;
    double sum, weight; /* the mean is sum / weight; the weight is not 0 */
    double least, greatest;
};

struct um_curve {
    size_t len;
    struct um_curves_span *list;

    /* Private to curves.c. */
    size_t room;
    uint64_t grain_ns; /* spans that touch become one up to this length; 0: none do */
};

enum um_curves_id {
    UM_CURVES_POOL, /* ns; each span has the delays of the items in it, also of those that wait */
    UM_CURVES_MESSAGES, /* a second */
    UM_CURVES_FRAMES,   /* a second, by WM_PAINT */
    UM_CURVES_COUNT
};

/* A starvation of .NET's own pool (dotnet_pool.h). */
struct um_curves_starvation {
    uint64_t start_ns, end_ns; /* an end of 0: it lasted at the end */
    double most;               /* the most items that waited */
};

/* Zeroed, it is empty. Owner: um_curves_deinit. */
struct um_curves {
    struct um_curve curves[UM_CURVES_COUNT];
    struct um_own_counters own;
    struct um_curve *counters[UM_WIRE_COUNTERS]; /* by the places of `own`; NULL: it has no value.
                                                  * Increments are per second */
    size_t starvation_count;
    struct um_curves_starvation *starvations;
    bool cut; /* some values are left out, because there was no room or no memory for them */

    /* Private to curves.c. */
    struct um_wire_activity last; /* `time_ns` 0: none has come */
    bool last_paints;             /* its `paints` was known */
    uint64_t pool_ns;             /* the time of the last POOL */
    uint64_t now_ns;              /* the latest time of all frames */
    uint64_t start_ns;            /* of the session */
    struct um_dotnet_pool dotnet;
    size_t starvation_room;
};

/* Accepts a zeroed struct. */
void um_curves_deinit(struct um_curves *curves);

/* Takes a frame of the feed. What cannot be, as a time before the one of the value before, is left
 * out. */
void um_curves_take(struct um_curves *curves, const struct um_wire_frame *frame);

/* Makes spans that touch one, until there are `most` or none touch. */
void um_curves_shorten(struct um_curve *curve, size_t most);

/* The mean of a span. */
double um_curves_mean(const struct um_curves_span *span);

#endif
