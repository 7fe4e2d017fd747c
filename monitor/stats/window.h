/* Percentiles of the latencies in the last 5 s, which the overlay shows.
 *
 * They are exact, by nearest rank, and corrected for coordinated omission as in histogram.h: a
 * latency v stands for v, v − T, v − 2T, ... down to the period T. The outstanding beat counts in
 * the same way, with its wait so far. A sample and its corrections belong to the instant at which
 * the beat was dequeued. When the ring is full, the oldest sample is dropped. Adding takes a few
 * instructions, a query some tens of µs.
 */
#ifndef UM_MONITOR_WINDOW_H
#define UM_MONITOR_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#define UM_WINDOW_SPAN_NS UINT64_C(5000000000)
#define UM_WINDOW_SAMPLES 8192  /* 5 s at one beat a ms, and some to spare */
#define UM_WINDOW_SCRATCH 24576 /* the samples, and twice as many corrections */

struct um_window_sample {
    uint64_t time_ns; /* when it was dequeued */
    uint64_t latency_ns;
};

/* Some 320 KiB: not for the stack. Private to window.c. */
struct um_window {
    uint64_t period_ns;
    size_t head; /* index of the oldest sample */
    size_t len;
    struct um_window_sample samples[UM_WINDOW_SAMPLES];
    uint64_t scratch[UM_WINDOW_SCRATCH];
};

/* Makes an empty window. Units: `period_ns` between beats; 0 corrects nothing. */
void um_window_init(struct um_window *window, uint64_t period_ns);

/* Sets the period, also for the samples that are in the window. */
void um_window_set_period(struct um_window *window, uint64_t period_ns);

/* Adds a latency that became known at `time_ns`. If an older one comes late, it is forgotten with
 * those that were added before it. */
void um_window_add(struct um_window *window, uint64_t time_ns, uint64_t latency_ns);

/* Percentiles of the samples of the last UM_WINDOW_SPAN_NS. `waited_ns` is how long the outstanding
 * beat has waited; 0: none is. `count` includes the corrections. If it is 0, nothing was measured
 * and the percentiles are untouched. Older samples are forgotten: `now_ns` should not go back. */
void um_window_query(struct um_window *window, uint64_t now_ns, uint64_t waited_ns,
                     uint64_t *p50_ns, uint64_t *p99_ns, uint64_t *count);

#endif
