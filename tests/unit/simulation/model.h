/* The model of a watched program in virtual time: a UI thread that follows a script, its queue, the
 * hook DLL with its threads, rings and pipe, and the monitor's own view of the input. It drives the
 * real session through the real driver, and the DLL's own decisions are the real ones, too: when a
 * beat is due (pace.h), when the worker looks (poll.h), and what a ring and its records hold.
 *
 * There is no thread and no wait. Each of the model's threads has a time at which it runs next, and
 * the earliest one runs. A fault moves that time.
 *
 * What really happened is kept in the trace, in which the oracle reads.
 */
#ifndef UM_TESTS_SIMULATION_MODEL_H
#define UM_TESTS_SIMULATION_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "monitor/stats/summary.h"
#include "tests/unit/simulation/script.h"

#define MODEL_START_NS UINT64_C(1000000000000) /* when a script begins, on the clock */
#define MODEL_CONTROL_NS UINT64_C(20000)       /* from a delivery until the control has seen it */
#define MODEL_AHEAD_NS UINT64_C(30000)     /* the control is asked so much later than the clock */
#define MODEL_DELIVERY_NS UINT64_C(800000) /* from send to delivery, at most; else it is late */
#define MODEL_BEATS 2048
#define MODEL_BUSY 8192
#define MODEL_KEYS 64
#define MODEL_SIGNS 16384
#define MODEL_LOSSES 64
#define MODEL_PAUSES 64
#define MODEL_SAID 8192

/* A beat, from when it was sent until the thread took it. */
struct model_beat {
    uint64_t sent_ns;
    uint64_t delivered_ns; /* 0: it was lost */
    uint64_t taken_ns;     /* 0: it was not */
    uint64_t rested_ns;    /* the thread rested then, by what the DLL has seen; 0: not known */
    bool given_up;         /* when the thread took it, nobody waited for it any more */
    bool rested;           /* others were left out before it */
    bool left_out;         /* ... although the thread was at work */
};

/* The UI thread was at work. Between two of these it waits for something to do. */
struct model_busy {
    uint64_t begin_ns; /* when it took the message */
    uint64_t end_ns;
    uint64_t hwnd;
    uint32_t message; /* 0: nothing was retrieved */
    bool ours;        /* for a beat */
};

struct model_key {
    uint64_t length_ns; /* of the handler of its character, which `waits` */
    bool waits;
    uint64_t arrival_ns;
    uint64_t dequeued_ns;
    uint64_t handled_ns; /* this and the next one are 0 if it did not come to that */
    uint64_t painted_ns;
};

struct model_span {
    uint64_t from_ns;
    uint64_t to_ns;
};

/* A frame of the feed, and when it was published. */
struct model_said {
    struct um_wire_frame frame;
    uint64_t now_ns;
};

struct model_trace {
    uint64_t drained_ns; /* everything before it has reached the monitor */
    uint64_t gone_ns;    /* the target was killed; 0: it was not */
    uint64_t end_ns;     /* measuring ended */
    struct um_wire_totals totals;
    bool has_totals;
    size_t beat_count, busy_count, key_count, sign_count, loss_count, pause_count, said_count;
    struct model_beat beats[MODEL_BEATS];
    struct model_busy busy[MODEL_BUSY]; /* one after the other */
    struct model_key keys[MODEL_KEYS];
    uint64_t signs[MODEL_SIGNS];            /* the times in the DLL's frames that came through */
    struct model_span losses[MODEL_LOSSES]; /* records of these times are missing */
    struct model_span pauses[MODEL_PAUSES]; /* no beats were sent because the user was away */
    struct model_said said[MODEL_SAID];
};

/* Runs a script to its end. Owner: static, until the next call. */
const struct model_trace *model_run(const struct script *script);

/* When a fault begins and ends on the clock. */
struct model_span model_fault(const struct script_fault *fault);

#endif
