/* The table of the metrics of a feed: their names, units and kinds, and how they are read from a
 * frame. `uimon listen`, `uimon query`, the Prometheus file, the overlay's --show and docs/ use it,
 * so a new metric is a new row (and the field of a frame that it is read from).
 *
 * Pure. Not on the monitor's hot path.
 */
#ifndef UM_METRICS_METRICS_H
#define UM_METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

enum um_metrics_id {
    /* How long the oldest unanswered beat had waited when the interval ended; if there was none,
     * the latency of the last one that was answered. It rises during a hang. Not measured while the
     * state is blind, idle or suspended. */
    UM_METRICS_LAG,
    /* Of the beats that were answered in the interval. Mean and percentiles are corrected for
     * coordinated omission as in monitor/stats/histogram.h and count beats that were left out at
     * rest, as in monitor/stats/stats.h; least and greatest are those of the beats themselves. */
    UM_METRICS_LATENCY,
    /* Freezes of the UI thread: for listeners those that were detected in the interval (events
     * UiHangDetected), for Prometheus the lengths of those that are over. */
    UM_METRICS_HANGS,
    /* Keys and clicks that were reported in the interval: from arrival to the end of painting, and
     * to the end of handling. Only if the monitor measures interactions. */
    UM_METRICS_TYPING_PAINTED,
    UM_METRICS_TYPING_HANDLED,
    UM_METRICS_CLICK_PAINTED,
    UM_METRICS_CLICK_HANDLED,
    /* How long work items waited in the queue of the target's default thread pool, four a second.
     * Of an item that still waits, its age every 250 ms. */
    UM_METRICS_POOL_DELAY,
    UM_METRICS_STARVATIONS,
    /* How many paint cycles of the UI thread ended, and how many messages it retrieved, per second
     * of the time in which they were counted: from the last sample before the interval to the last
     * one in it. There are ten samples a second, so shorter intervals often have none. The frame
     * rate is not measured until a WM_PAINT was seen. */
    UM_METRICS_FRAME_RATE,
    UM_METRICS_MESSAGE_RATE,
    UM_METRICS_BEATS_SENT,
    UM_METRICS_BEATS_LOST, /* that never arrived. Reported once a second */
    UM_METRICS_DROPPED,
    UM_METRICS_FRAMES_LOST, /* records and frames that were dropped on their way */
    UM_METRICS_OWN_CPU,     /* of uimon and its overlay, and of its threads in the target */
    UM_METRICS_COUNT
};

enum um_metrics_kind {
    UM_METRICS_LEVEL,  /* how it is at present */
    UM_METRICS_SPREAD, /* values in ns: they have a mean, min, max, p50, p99 and count */
    UM_METRICS_SUM,    /* grows; what was added in an interval is reported */
    UM_METRICS_RATE    /* grows; what was added is reported per second */
};

struct um_metrics_row {
    const char *name; /* for scripts; it never changes its meaning. NULL: not for listeners */
    const char *display;
    const char *unit; /* "ms", "/s", or "" for a number of things */
    enum um_metrics_kind kind;
    const char *prometheus; /* its name there, where times are in seconds. NULL: not there */
    const char *help;
    uint8_t frame; /* enum um_wire_type: what `take` reads; 0: it is computed of several frames */
    /* The value of a SPREAD, or the sum so far. Times are in ns. False: the frame has none, and
     * `value` holds nothing. */
    bool (*take)(const struct um_wire_frame *frame, uint64_t *value);
};

/* One for each enum um_metrics_id. */
extern const struct um_metrics_row um_metrics_list[UM_METRICS_COUNT];

/* The metric that listeners have by that name; UM_METRICS_COUNT: there is none. */
enum um_metrics_id um_metrics_find(const char *name, size_t len_bytes);

/* Whether a metric is a time: then its values are in ns, and shown in ms. */
bool um_metrics_is_time(const struct um_metrics_row *row);

/* Whether lag is measured in a state; false in an unknown one. */
bool um_metrics_state_has_lag(enum um_state state);

/* The CPU time of all that uimon runs. 0: it is not known. Units: ns. */
uint64_t um_metrics_own_cpu_ns(const struct um_wire_totals *totals);

/* How much a sum grew per second of `length_ns` (not 0). 0 if the sum has become less. */
double um_metrics_rate(uint64_t before, uint64_t now, uint64_t length_ns);

/* How many values coordinated omission hid behind one value: the beats that would have been sent,
 * one each period, while it lasted. 0 for values and periods that no session has, which bounds the
 * work for a frame. Source: HdrHistogram, recordValueWithExpectedInterval. */
uint64_t um_metrics_hidden(uint64_t value_ns, uint64_t period_ns);

#endif
