/* Makes counters and events of a feed: the present lag, how long input waited in the last
 * second, how many hangs there were. They are made like those of .NET's EventCounters.
 *
 * Pure: frames go in (ipc/wire.h), intervals and events come out through the taker, in the order of
 * the feed. Times are those of the frames. The first interval begins with the second STATUS,
 * because the first may be an old one that the hub has kept. From there the intervals follow each
 * other. An interval ends with the first frame whose time is its end or later, so the taker gets it
 * up to 100 ms late.
 *
 * A monitor that runs sends a STATUS each 100 ms. If the times of the frames jump by more than
 * UM_COUNTERS_SILENCE_NS, it stood still, or the whole machine did, and nothing is known of that
 * time: intervals that lie in it are left out, the one in which it began has no lag, and what has
 * grown in it is of no interval.
 *
 * A latency or a delay whose frame comes after the end of its interval counts in the next one, so
 * that each is in one, but for those of before the first interval and of a silence.
 *
 * Besides the metrics of metrics/metrics.h there are the counters that the target has of itself
 * (COUNTER). A value of them that comes after the end of an interval counts in the next one. Of
 * several values in an interval, means are averaged, weighted by how many values each is of, and
 * increments are added up.
 *
 * With the layout of the target's windows measured, there is a counter for each component
 * (LAYOUT_METERS). An interval has those that had layout frames in it.
 *
 * A counter that was not measured in an interval has no value there. A reader starts at
 * um_counters_frame. One thread; never blocks. Not on the monitor's hot path.
 */
#ifndef UM_MONITOR_COUNTERS_H
#define UM_MONITOR_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/clock.h"
#include "base/plain/status.h"
#include "ipc/own_counters.h"
#include "ipc/wire.h"
#include "metrics/metrics.h"

/* A monitor that is late makes up for a second of STATUSes. */
#define UM_COUNTERS_SILENCE_NS (1200 * UM_CLOCK_NS_PER_MS)

enum um_counters_kind {
    UM_COUNTERS_MEAN,      /* `value` is a mean or a present level */
    UM_COUNTERS_INCREMENT, /* `value` is how much was added in the interval */
    UM_COUNTERS_UNKNOWN /* of a later version: how values add up is not known, so there is none */
};

enum um_counters_kind um_counters_kind_of(const struct um_metrics_row *row);

struct um_counters_value {
    bool measured; /* false: all other fields are 0 */
    double value;
    /* Only of a spread; `count` is without the values that the correction adds. */
    uint64_t count;
    double min, max, p50, p99;
};

/* The steps of a component's last layout frame. Units: ms; 0: it had no such step. */
struct um_counters_steps {
    double measure, arrange, paint;
};

#define UM_COUNTERS_LAYOUT "layout" /* the provider of the components' counters */
#define UM_COUNTERS_COSTLY 10       /* components */
#define UM_COUNTERS_TARGET_NAME_BYTES UM_OWN_COUNTERS_PATH_BYTES
#define UM_COUNTERS_TARGETS (UM_WIRE_COUNTERS + UM_WIRE_LAYOUT_COMPONENTS)

/* A counter that the target has of itself, or that of a component's layout, and its value in an
 * interval. Texts are safe to print. */
struct um_counters_target {
    char name[UM_COUNTERS_TARGET_NAME_BYTES]; /* "System.Runtime/cpu-usage" */
    size_t provider_bytes;                    /* of the name, up to its slash */
    char display[UM_WIRE_COUNTER_TEXT_BYTES];
    char unit[UM_WIRE_COUNTER_TEXT_BYTES];
    enum um_counters_kind kind;
    struct um_counters_value value; /* without p50 and p99. A mean has min, max and count if the
                                     * target gives them; otherwise `count` is 0 */
    /* Of a component. Then `value` is its layout time a frame, as a moving average, and its max
     * that of the worst frame in the interval; 0: it had none. It has no min and no count. */
    bool is_layout;
    bool is_costly; /* one of the UM_COUNTERS_COSTLY of the interval that cost most */
    struct um_counters_steps last_frame;
};

struct um_counters_interval {
    uint64_t start_ns, end_ns; /* the start is excluded, the end included */
    enum um_state state;       /* at its end, as far as frames had come */
    struct um_counters_value values[UM_METRICS_COUNT];
    size_t target_count; /* UM_COUNTERS_TARGETS at most */
    /* In the order in which they first came; behind them the components that had layout frames,
     * those first that cost most. */
    const struct um_counters_target *targets;
};

enum um_counters_event_kind {
    UM_COUNTERS_HANG_DETECTED,
    UM_COUNTERS_HANG_ENDED,   /* comes after each HANG_DETECTED, unless the feed breaks off or
                             * frames are lost */
    UM_COUNTERS_HANG_LOCATED, /* a hang that was sampled: where the UI thread was in it. It comes
                               * after its end, when the names are known */
    UM_COUNTERS_STATE_CHANGED,
    UM_COUNTERS_STARVATION_DETECTED,
    UM_COUNTERS_STARVATION_RECOVERED, /* comes after each STARVATION_DETECTED, unless the session
                                       * or the feed ends first */
    UM_COUNTERS_WINDOW_CHANGED,       /* another window or thread of the target is watched */
    UM_COUNTERS_SESSION_ENDED,
    UM_COUNTERS_CONSUMER_LOST /* this consumer read too slowly and did not get some frames; its
                               * counters are of the frames that it got */
};

struct um_counters_event {
    enum um_counters_event_kind kind;
    uint64_t time_ns;    /* of a hang or starvation: when it began, or ended */
    uint32_t hang;       /* of a hang: its id */
    uint32_t starvation; /* of a starvation: its id, among those of the same pool */
    bool is_dotnet;      /* a starvation of .NET's own pool (monitor/stats/dotnet_pool.h) */
    /* HANG_DETECTED: its length so far. HANG_ENDED: its length, and the greatest gap between two
     * retrievals of messages. Starvation: the peak is the greatest delay of an item so far; it is
     * not known of .NET's pool. Units: ms. */
    double length_ms, peak_ms;
    double most_items;    /* of .NET's pool: the most items that waited so far */
    enum um_state state;  /* of a hang: its kind; of other events: the present state */
    enum um_state before; /* of STATE_CHANGED */
    bool is_void;         /* HANG_ENDED: it was no hang after all */
    bool has_message;     /* of a hang: it has a suspect, `message` to a window of `window_class` */
    uint32_t message;
    char message_name[64];     /* if the message is one of RegisterWindowMessage */
    char window_class[128];    /* of a hang */
    uint64_t hwnd;             /* WINDOW_CHANGED: this one, tid and title */
    uint32_t tid;              /* the thread that is watched now */
    char title[256];           /* of the window */
    enum um_end_reason reason; /* of SESSION_ENDED */
    uint64_t frames;           /* of CONSUMER_LOST */
    char headline[160];        /* of HANG_LOCATED: "parse ← on_command ← WM_COMMAND" */
    uint32_t samples, alike;   /* HANG_LOCATED: samples, and those in `headline` */
};

/* Callbacks for intervals and events. What is pointed to lives for the call. */
struct um_counters_taker {
    void *context;
    void (*interval)(void *context, const struct um_counters_interval *interval);
    void (*event)(void *context, const struct um_counters_event *event);
    /* A counter of the target or of a component is new, or its description has changed. NULL: not
     * wanted. */
    void (*target)(void *context, const struct um_counters_target *target);
};

struct um_counters;

/* Owner: um_counters_close. Units: `interval_ns` is not 0. Errors: UM_ERR_MEMORY. */
enum um_status um_counters_open(uint64_t interval_ns, const struct um_counters_taker *taker,
                                struct um_counters **counters);

/* Takes one frame, of any type. A SESSION with UM_WIRE_SESSION_ANEW clears everything. */
void um_counters_frame(struct um_counters *counters, const struct um_wire_frame *frame);

/* The last SESSION; NULL before the first. Owner: the counters. */
const struct um_wire_session *um_counters_session(const struct um_counters *counters);

/* Accepts NULL. */
void um_counters_close(struct um_counters *counters);

/* "UiHangDetected" and so on: never changes. Owner: static text. */
const char *um_counters_event_name(enum um_counters_event_kind kind);

#endif
