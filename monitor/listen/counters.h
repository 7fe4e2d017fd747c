/* Counters and events of a feed, as a program of the .NET runtime has them of itself: what is the
 * lag now, how long did input wait in the last second, how many hangs were there.
 *
 * Pure: frames go in (ipc/wire.h), intervals and events come out through the taker, in the order of
 * the feed. Time is the feed's own. The first interval begins with the second STATUS, because the
 * first may be one that the hub keeps for those who come late; from there the intervals lie side by
 * side. An interval ends with the first frame that tells of its end or a later time, so it is told
 * up to 100 ms late. If the feed leaves out more than UM_COUNTERS_MAX_BEHIND intervals, as when the
 * machine slept, they are left out, too.
 *
 * Beside the counters of the list there are those that the target has of itself (COUNTER): what was
 * told of them since the last interval was told is of the present one. Where one of them was told
 * several times, its means are taken together by how many values each is of, and its increments are
 * added up.
 *
 * A counter that was not measured in an interval has no value there; none is ever made up. A reader
 * starts at um_counters_frame. One thread; never blocks. Not on the monitor's hot path.
 */
#ifndef UM_MONITOR_COUNTERS_H
#define UM_MONITOR_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"

#define UM_COUNTERS_MAX_BEHIND 6000

enum um_counters_id {
    /* How long the oldest unanswered beat had waited when the interval ended; if there was none,
     * the latency of the last one that was answered. It rises during a hang. Not measured while the
     * state is blind, idle or suspended. */
    UM_COUNTERS_LAG,
    /* Of the beats that were answered in the interval. Mean and percentiles are corrected for
     * coordinated omission as in monitor/stats/histogram.h and count beats that were left out at
     * rest, as in monitor/stats/stats.h; least and greatest are those of the beats themselves. */
    UM_COUNTERS_LATENCY,
    UM_COUNTERS_HANGS, /* detected in the interval: the events UiHangDetected */
    /* Keys and clicks that were told in the interval, from arrival: to the end of painting, and to
     * the end of handling. Measured only if the monitor measures interactions. */
    UM_COUNTERS_TYPING_PAINTED,
    UM_COUNTERS_TYPING_HANDLED,
    UM_COUNTERS_CLICK_PAINTED,
    UM_COUNTERS_CLICK_HANDLED,
    /* How long work items waited in the queue of the target's default thread pool, four a second.
     * Of one that waits, it is its age at each 250 ms. By POOL. */
    UM_COUNTERS_POOL_DELAY,
    /* How many paint cycles of the UI thread ended, and how many messages it retrieved, by the time
     * in which they were counted: from the last sample before the interval to the last one in it.
     * There are ten samples a second, so most intervals shorter than that have none. Rates by
     * WM_PAINT are not measured where none was ever seen. By ACTIVITY. */
    UM_COUNTERS_FRAME_RATE,
    UM_COUNTERS_MESSAGE_RATE,
    UM_COUNTERS_BEATS_LOST,  /* that never arrived. Told once a second, by TOTALS */
    UM_COUNTERS_FRAMES_LOST, /* records and frames that were dropped on their way. By STATUS */
    UM_COUNTERS_OWN_CPU, /* CPU time of uimon and its overlay, and of its threads in the target. By
                          * TOTALS */
    UM_COUNTERS_COUNT
};

enum um_counters_kind {
    UM_COUNTERS_MEAN,     /* `value` is a mean or a present level */
    UM_COUNTERS_INCREMENT /* `value` is how much was added in the interval */
};

struct um_counters_info {
    const char *name; /* for scripts; it never changes its meaning */
    const char *display;
    const char *unit; /* "ms", "/s", or "" for a number of things */
    enum um_counters_kind kind;
    bool spread; /* its values have count, min, max, p50 and p99 */
};

/* One for each enum um_counters_id. */
extern const struct um_counters_info um_counters_list[UM_COUNTERS_COUNT];

struct um_counters_value {
    bool measured; /* else everything else is 0 */
    double value;
    uint64_t count; /* here and below: only with `spread`. What was measured, uncorrected */
    double min, max, p50, p99;
};

/* A counter that the target has of itself, and its value in an interval. Texts are fit to be shown
 * anywhere. */
#define UM_COUNTERS_TARGET_NAME_BYTES (2 * UM_WIRE_COUNTER_TEXT_BYTES)
struct um_counters_target {
    char name[UM_COUNTERS_TARGET_NAME_BYTES]; /* "System.Runtime/cpu-usage" */
    size_t provider_bytes;                    /* of the name, up to its slash */
    char display[UM_WIRE_COUNTER_TEXT_BYTES];
    char unit[UM_WIRE_COUNTER_TEXT_BYTES];
    enum um_counters_kind kind;
    struct um_counters_value value; /* without p50 and p99; min, max and count of a mean, if the
                                     * target tells them: else `count` is 0 */
};

struct um_counters_interval {
    uint64_t start_ns, end_ns; /* the start is excluded, the end included */
    enum um_state state;       /* at its end, as far as the feed had told */
    struct um_counters_value values[UM_COUNTERS_COUNT];
    size_t target_count;                      /* UM_WIRE_COUNTERS at most */
    const struct um_counters_target *targets; /* in the order in which they were told first */
};

enum um_counters_event_kind {
    UM_COUNTERS_HANG_DETECTED,
    UM_COUNTERS_HANG_ENDED,   /* one for each that was detected, unless the feed breaks off or
                             * CONSUMER_LOST comes meanwhile */
    UM_COUNTERS_HANG_LOCATED, /* a hang that was sampled: where the UI thread was in it. It comes
                               * after its end, when the names are known */
    UM_COUNTERS_STATE_CHANGED,
    UM_COUNTERS_STARVATION_DETECTED,
    UM_COUNTERS_STARVATION_RECOVERED, /* one for each that was detected, unless the session ends
                                       * first or the feed breaks off */
    UM_COUNTERS_WINDOW_CHANGED,       /* another window or thread of the target is watched */
    UM_COUNTERS_SESSION_ENDED,
    UM_COUNTERS_CONSUMER_LOST /* this consumer read too slowly: frames of the feed did not reach it,
                               * and what it counts at that time is of the others */
};

struct um_counters_event {
    enum um_counters_event_kind kind;
    uint64_t time_ns;    /* of a hang or starvation: when it began, or ended */
    uint32_t hang;       /* of a hang: its id */
    uint32_t starvation; /* of a starvation: its id */
    /* Of a hang that was detected: its length so far. Of one that ended: its length, and the
     * greatest gap between two retrievals of messages. Of a starvation: the peak is the greatest
     * delay of an item so far. Units: ms. */
    double length_ms, peak_ms;
    enum um_state state;  /* of a hang: which kind it is or was in the end; else the present one */
    enum um_state before; /* of STATE_CHANGED */
    bool is_void;         /* of a hang that ended: it turned out to be none */
    bool has_message;     /* of a hang: there is a suspect, `message` in a window of that class */
    uint32_t message;
    char message_name[64];     /* if it is one of RegisterWindowMessage's */
    char window_class[128];    /* of a hang */
    uint64_t hwnd;             /* of WINDOW_CHANGED, here and below */
    uint32_t tid;              /* the thread that is watched now */
    char title[256];           /* of the window */
    enum um_end_reason reason; /* of SESSION_ENDED */
    uint64_t frames;           /* of CONSUMER_LOST */
    char headline[160];        /* of HANG_LOCATED: "parse ← on_command ← WM_COMMAND" */
    uint32_t samples, alike;   /* of HANG_LOCATED: taken in it, and how many are there */
};

/* Who takes them. What is pointed to lives for the call. */
struct um_counters_taker {
    void *context;
    void (*interval)(void *context, const struct um_counters_interval *interval);
    void (*event)(void *context, const struct um_counters_event *event);
    /* The target has a counter of its own that is new, or is told in another way; NULL: nobody
     * asks. */
    void (*target)(void *context, const struct um_counters_target *target);
};

struct um_counters;

/* Owner: um_counters_close. Units: `interval_ns` is not 0. Errors: UM_ERR_MEMORY. */
enum um_status um_counters_open(uint64_t interval_ns, const struct um_counters_taker *taker,
                                struct um_counters **counters);

/* Takes one frame, of any type. A SESSION with UM_WIRE_SESSION_ANEW begins anew. */
void um_counters_frame(struct um_counters *counters, const struct um_wire_frame *frame);

/* The session that is told of; NULL before the first SESSION. Owner: the counters'. */
const struct um_wire_session *um_counters_session(const struct um_counters *counters);

/* Accepts NULL. */
void um_counters_close(struct um_counters *counters);

/* "UiHangDetected" and so on: never changes. Owner: static text. */
const char *um_counters_event_name(enum um_counters_event_kind kind);

/* The counter of that name; UM_COUNTERS_COUNT: there is none. */
enum um_counters_id um_counters_find(const char *name, size_t len_bytes);

#endif
