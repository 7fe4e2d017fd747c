/* A scene for tests of the watchdog: a clock that is set by hand, frames written one by one, or a
 * small model of a UI thread with its hook DLL that makes them. What the watchdog says is kept, and
 * what must always hold (begin and end in pairs, rising ids, sums that add up) is checked at once.
 * Times are ms as double in the calls, measured from 1 s on the clock.
 */
#ifndef UM_TESTS_SCENE_H
#define UM_TESTS_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/measure/watchdog.h"

#define SCENE_PERIOD_MS 10.0
#define SCENE_DELIVERY_MS 0.35
#define SCENE_FRAMES 4096
#define SCENE_WORK 4096

struct scene_said { /* a frame the watchdog published, and when */
    struct um_wire_frame frame;
    uint64_t now_ns;
};

struct scene_work {
    double at_ms;
    double length_ms;
    uint32_t message; /* 0: a sent message or an idle-time handler, which no hook sees */
    bool done;
};

struct scene {
    struct um_watchdog watchdog;
    uint64_t now_ns;
    uint64_t lost;
    size_t said_count;
    struct scene_said said[SCENE_FRAMES];
    uint32_t abandoned[64];
    size_t abandoned_count;
    struct scene_work work[SCENE_WORK];
    size_t work_count;
    double phase_ms;      /* of the model's heartbeats */
    double sleep_at_ms;   /* the model's process stands still from here ... */
    double sleep_ms;      /* ... for so long */
    bool monitor_sleeps;  /* ... and the monitor as well */
    double monitor_at_ms; /* the monitor alone is late from here ... */
    double monitor_ms;    /* ... for so long */
};

/* Thresholds in ms. A new scene on the heap; scene_free checks its end and frees it. */
struct scene *scene_new(double threshold_ms, double slow_ms, bool control);
void scene_free(struct scene *scene);

uint64_t scene_ns(double ms);
double scene_ms(uint64_t time_ns);   /* a time on the clock */
double scene_span(uint64_t span_ns); /* a length */

/* One frame each, received at its own time unless the clock is later already. */
void scene_sent(struct scene *scene, double ms, uint32_t seq);
/* The same after a rest: beats were left out. The thread is known to have rested at `rested_ms`; 0:
 * not known. */
void scene_sent_rested(struct scene *scene, double ms, uint32_t seq, double rested_ms,
                       uint32_t skipped);

/* The same for one before which beats were left out although the thread was at work. */
void scene_sent_left_out(struct scene *scene, double ms, uint32_t seq);
void scene_seen(struct scene *scene, double ms, uint32_t seq);
/* The beat is seen as a mouse message; `flags` are further ones of SEEN. */
void scene_seen_as_move(struct scene *scene, double ms, uint32_t seq, uint8_t flags);
void scene_taken(struct scene *scene, double ms, uint32_t message);
void scene_own_move(struct scene *scene, double ms); /* TAKEN of the move that a beat became */
void scene_beat(struct scene *scene, double ms);     /* TAKEN of a beat */
void scene_marker(struct scene *scene, double ms);   /* TAKEN of a marker of ours */
/* The thread takes the question about a beat of the mouse probe. */
void scene_asked(struct scene *scene, double asked_ms, double taken_ms, uint32_t seq);
/* TAKEN of the timer that has found a beat of the mouse probe in no queue. */
void scene_missed(struct scene *scene, double ms, uint32_t seq);
void scene_input(struct scene *scene, double ms, uint32_t message, uint32_t age_ms);
void scene_probe(struct scene *scene, double ms, enum um_probe_status status);
void scene_mouse_probe(struct scene *scene, double ms); /* it is in use from now on */
void scene_drained(struct scene *scene, double ms);
void scene_tick(struct scene *scene, double ms);
void scene_control(struct scene *scene, double ms, uint32_t seq);
void scene_stop(struct scene *scene, double ms);

/* DRAINEDs each 5 ms and ticks each 50 ms over this time. */
void scene_drains(struct scene *scene, double from_ms, double to_ms);
/* Ticks alone each 50 ms: the process is silent. */
void scene_ticks(struct scene *scene, double from_ms, double to_ms);
/* A beat that is answered at once, with its DRAINED; from_ms to to_ms each period. */
void scene_quiet(struct scene *scene, double from_ms, double to_ms, uint32_t first_seq);

/* The model: work for the thread, then run all of it up to this time. */
void scene_post(struct scene *scene, double at_ms, double length_ms, uint32_t message);
void scene_send(struct scene *scene, double at_ms, double length_ms);
void scene_run(struct scene *scene, double until_ms);

/* What was said: ends (not VOID) of this state, begins, frames of a type. */
size_t scene_count(const struct scene *scene, enum um_wire_type type);
size_t scene_begins(const struct scene *scene, enum um_state state);
size_t scene_ends(const struct scene *scene, enum um_state state);
size_t scene_voids(const struct scene *scene);
/* The nth end of this state, or NULL; fails the test if it is missing. */
const struct scene_said *scene_end(const struct scene *scene, enum um_state state, size_t nth);
const struct scene_said *scene_begin(const struct scene *scene, enum um_state state, size_t nth);
double scene_length(const struct scene_said *said); /* end - start of an episode, ms */
double scene_state_ms(const struct scene *scene, double at_ms, enum um_state state);
enum um_state scene_present(const struct scene *scene, double at_ms);

#endif
