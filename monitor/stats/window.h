/* Percentiles of the latest latencies: what an overlay shows of the last 5 s.
 *
 * Exact, by nearest rank, over the samples corrected for coordinated omission as in
 * monitor/histogram.h: a latency v stands for v, v − T, v − 2T, ... down to the period T. The beat
 * that is not answered yet takes part at its present age in the same way. A sample belongs to the
 * instant at which it was dequeued, all of its corrections too. The ring is fixed: when it is full,
 * the oldest sample gives way. Adding is a few instructions, a query costs some tens of µs.
 */
#ifndef UM_MONITOR_WINDOW_H
#define UM_MONITOR_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#define UM_WINDOW_SPAN_NS UINT64_C(5000000000)
#define UM_WINDOW_SAMPLES 8192  /* 5 s at one beat a ms, and some to spare */
#define UM_WINDOW_SCRATCH 24576 /* as many again for corrections, twice */

struct um_window_sample {
    uint64_t time_ns; /* when it was dequeued */
    uint64_t latency_ns;
};

/* Some 320 KiB: not for the stack. Every field is the module's. */
struct um_window {
    uint64_t span_ns;
    uint64_t period_ns;
    size_t head; /* index of the oldest sample */
    size_t len;
    struct um_window_sample samples[UM_WINDOW_SAMPLES];
    uint64_t scratch[UM_WINDOW_SCRATCH];
};

/* Makes an empty window. Units: `period_ns` between beats; 0 corrects nothing. */
void um_window_init(struct um_window *window, uint64_t span_ns, uint64_t period_ns);

/* Another period from now on, for the samples that are in the window too. */
void um_window_set_period(struct um_window *window, uint64_t period_ns);

/* Adds a latency that became known at `time_ns`. Times should not go back; one that does counts as
 * the latest one before it. */
void um_window_add(struct um_window *window, uint64_t time_ns, uint64_t latency_ns);

/* Percentiles of the samples of (now − span, now]; `waited_ns` is 0 when no beat waits.
 * `count` includes the corrections; when it is 0 nothing was measured and the percentiles are left
 * untouched. Older samples are forgotten, so `now_ns` should not go back. */
void um_window_query(struct um_window *window, uint64_t now_ns, uint64_t waited_ns,
                     uint64_t *p50_ns, uint64_t *p99_ns, uint64_t *count);

#endif
