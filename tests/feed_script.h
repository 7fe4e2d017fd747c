/* Makes feeds for tests of what consumes them: a target that is quiet, freezes, is suspended.
 *
 * A script advances in steps of 10 ms and calls `emit` for every frame that a monitor would send:
 * STATUS at the end of each slice and at each change of state, EPISODE at begin and end. The same
 * calls always make the same frames. Header-only, so that a test program of one file can use it.
 */
#ifndef UM_TESTS_FEED_SCRIPT_H
#define UM_TESTS_FEED_SCRIPT_H

#include <stdbool.h>
#include <string.h>

#include "base/plain/slice.h"
#include "base/plain/text.h"
#include "ipc/wire.h"

#define FEED_MS UINT64_C(1000000)
#define FEED_STEP_NS (10 * FEED_MS)
#define FEED_THRESHOLD_NS (100 * FEED_MS)

struct feed_script {
    void (*emit)(void *context, const struct um_wire_frame *frame);
    void *context;
    uint64_t now_ns;
    uint64_t slice_ns;
    uint64_t worst_ns;
    bool measured;
    uint32_t random;
    uint32_t episode;
    uint64_t p99_ns;
    uint8_t more_flags;     /* UM_WIRE_STATUS_*, for fields of `status` that a test has set */
    uint64_t beat_after_ns; /* how long after a freeze began its beat is sent; under FEED_STEP_NS */
    struct um_wire_status status;
};

static inline void feed_emit_status(struct feed_script *s)
{
    struct um_wire_frame frame = {.type = UM_WIRE_STATUS};

    s->status.time_ns = s->now_ns;
    s->status.slice_start_ns = s->slice_ns;
    s->status.slice_worst_ns = s->worst_ns;
    s->status.p99_ns = s->p99_ns;
    frame.as.status = s->status;
    frame.flags = s->more_flags;
    if (s->measured)
        frame.flags |= UM_WIRE_STATUS_HAS_LAG;
    if (s->p99_ns != 0)
        frame.flags |= UM_WIRE_STATUS_HAS_LATENCY;
    if (s->status.last_freeze_ns != 0)
        frame.flags |= UM_WIRE_STATUS_HAS_LAST_FREEZE;
    s->emit(s->context, &frame);
}

static inline void feed_emit_episode(struct feed_script *s, uint8_t flags, uint8_t state,
                                     uint64_t start_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = flags};

    frame.as.episode = (struct um_wire_episode){.start_ns = start_ns,
                                                .end_ns = s->now_ns,
                                                .peak_ns = s->now_ns - start_ns,
                                                .id = s->episode,
                                                .state = state};
    s->emit(s->context, &frame);
}

static inline void feed_begin(struct feed_script *s, uint64_t start_ns, uint64_t hwnd,
                              const char *name, const char *caption)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    struct um_wire_session *session = &frame.as.session;

    s->now_ns = s->slice_ns = start_ns;
    s->random = 1;
    s->status = (struct um_wire_status){.state = UM_STATE_RESPONSIVE, .state_since_ns = start_ns};
    session->start_ns = start_ns;
    session->hwnd = hwnd;
    session->period_us = 10000;
    session->threshold_us = 100000;
    session->slow_us = 50000;
    session->bits = 64;
    session->probe = UM_PROBE_RAW;
    um_text_set(session->name, sizeof session->name, name);
    um_text_set(session->caption, sizeof session->caption, caption);
    s->emit(s->context, &frame);
}

static inline void feed_set_state(struct feed_script *s, uint8_t state, uint64_t since_ns)
{
    s->status.state = state;
    s->status.state_since_ns = since_ns;
    feed_emit_status(s);
}

/* A work item of the thread pool ran, or waits still, after `delay_ms`; `starved` whether the pool
 * is starved since `delay_ms` ago, or was so until now. */
static inline void feed_pool(struct feed_script *s, uint32_t delay_ms, uint32_t peak_ms,
                             bool starved)
{
    struct um_wire_frame frame = {.type = UM_WIRE_POOL};

    frame.flags = starved ? UM_WIRE_POOL_WAITS | UM_WIRE_POOL_STARVED : 0;
    frame.as.pool = (struct um_wire_pool){.time_ns = s->now_ns,
                                          .delay_ns = delay_ms * FEED_MS + FEED_MS * 3 / 10,
                                          .peak_ns = peak_ms * FEED_MS,
                                          .starvation = peak_ms > 0};
    if (peak_ms > 0) {
        frame.as.pool.start_ns = s->now_ns - peak_ms * FEED_MS;
        frame.as.pool.end_ns = starved ? 0 : s->now_ns;
    }
    s->emit(s->context, &frame);
}

/* A second in which the UI thread retrieved so many messages and was done with so many
 * WM_PAINTs. */
static inline void feed_activity(struct feed_script *s, uint64_t messages, uint64_t paints)
{
    struct um_wire_frame frame = {.type = UM_WIRE_ACTIVITY, .flags = UM_WIRE_ACTIVITY_PAINTS};

    frame.as.activity = (struct um_wire_activity){.time_ns = s->now_ns - 1000 * FEED_MS,
                                                  .since_ns = s->now_ns - 1000 * FEED_MS};
    s->emit(s->context, &frame);
    frame.as.activity.time_ns = s->now_ns;
    frame.as.activity.messages = messages;
    frame.as.activity.paints = paints;
    s->emit(s->context, &frame);
}

/* What TOTALS says after so many seconds, of a monitor that costs 0.7 % of a core. */
static inline void feed_totals(struct feed_script *s, uint64_t seconds, uint64_t beats_lost)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TOTALS};

    frame.as.totals = (struct um_wire_totals){.time_ns = s->now_ns,
                                              .beats_lost = beats_lost,
                                              .heartbeat_cpu_ns = seconds * FEED_MS,
                                              .monitor_cpu_ns = seconds * 5 * FEED_MS,
                                              .overlay_cpu_ns = seconds * FEED_MS};
    s->emit(s->context, &frame);
}

/* One step; `lag_ns` is the greatest lag in it, `measured` whether there is one. */
static inline void feed_step(struct feed_script *s, bool measured, uint64_t lag_ns)
{
    s->now_ns += FEED_STEP_NS;
    s->status.lag_ns = measured ? lag_ns : 0;
    s->measured = s->measured || measured;
    if (measured && lag_ns > s->worst_ns)
        s->worst_ns = lag_ns;
    if (s->now_ns - s->slice_ns < UM_SLICE_NS)
        return;
    feed_emit_status(s);
    s->slice_ns += UM_SLICE_NS;
    s->worst_ns = 0;
    s->measured = false;
}

static inline uint32_t feed_random(struct feed_script *s, uint32_t below)
{
    s->random = s->random * UINT32_C(1664525) + UINT32_C(1013904223);
    return (s->random >> 8) % below;
}

/* Beats answered in 0.2 ms to `lag_ms`, most of them quickly. */
static inline void feed_lag(struct feed_script *s, uint32_t length_ms, uint32_t lag_ms)
{
    for (uint32_t ms = 0; ms < length_ms; ms += 10) {
        uint64_t lag_ns = FEED_MS / 5 + feed_random(s, 400) * FEED_MS / 1000;
        if (lag_ms > 0 && feed_random(s, 8) == 0)
            lag_ns += feed_random(s, lag_ms * 1000) * (FEED_MS / 1000);
        s->status.p50_ns = 3 * FEED_MS / 10;
        s->p99_ns = lag_ms * FEED_MS * 9 / 10 + 7 * FEED_MS / 10;
        feed_step(s, true, lag_ns);
    }
}

static inline void feed_count(struct feed_script *s, uint64_t length_ns)
{
    s->status.freezes++;
    s->status.over_100 += length_ns > 100 * FEED_MS;
    s->status.over_250 += length_ns > 250 * FEED_MS;
    s->status.over_1000 += length_ns > 1000 * FEED_MS;
    s->status.freeze_total_ns += length_ns;
    s->status.last_freeze_ns = length_ns;
    s->status.last_freeze_end_ns = s->now_ns;
    s->p99_ns = length_ns * 95 / 100;
}

/* A beat goes unanswered for `length_ms`; with `over` false it still is when this returns. */
static inline void feed_freeze(struct feed_script *s, uint32_t length_ms, uint8_t state, bool over)
{
    uint64_t start_ns = s->now_ns;

    s->status.outstanding_ns = start_ns + s->beat_after_ns;
    for (uint32_t ms = 0; ms < length_ms; ms += 10) {
        bool begins = s->status.state != state && s->now_ns - start_ns >= FEED_THRESHOLD_NS;
        if (begins) {
            s->episode++;
            feed_emit_episode(s, UM_WIRE_EPISODE_BEGIN, state, start_ns);
            feed_set_state(s, state, start_ns);
        }
        feed_step(s, true, s->now_ns + FEED_STEP_NS - s->status.outstanding_ns);
    }
    if (!over)
        return;
    s->status.outstanding_ns = 0;
    if (s->status.state != state)
        return;
    feed_count(s, s->now_ns - start_ns);
    feed_emit_episode(s, UM_WIRE_EPISODE_END, state, start_ns);
    feed_set_state(s, UM_STATE_RESPONSIVE, s->now_ns);
}

/* The target is starved for `length_ms`: each beat is answered, after `beat_ms`. */
static inline void feed_starved(struct feed_script *s, uint32_t length_ms, uint32_t beat_ms)
{
    uint64_t start_ns = s->now_ns;

    s->status.outstanding_ns = start_ns;
    for (uint32_t ms = 0; ms < length_ms; ms += 10) {
        if (ms == FEED_THRESHOLD_NS / FEED_MS) {
            s->episode++;
            feed_emit_episode(s, UM_WIRE_EPISODE_BEGIN, UM_STATE_STARVED, start_ns);
            feed_set_state(s, UM_STATE_STARVED, start_ns);
        }
        uint64_t lag_ns = s->now_ns + FEED_STEP_NS - s->status.outstanding_ns;
        bool answered = lag_ns >= beat_ms * FEED_MS || ms + 10 >= length_ms;
        if (answered)
            s->status.outstanding_ns = ms + 10 < length_ms ? s->now_ns + FEED_STEP_NS : 0;
        feed_step(s, true, lag_ns);
    }
    feed_count(s, s->now_ns - start_ns);
    feed_emit_episode(s, UM_WIRE_EPISODE_END, UM_STATE_STARVED, start_ns);
    feed_set_state(s, UM_STATE_RESPONSIVE, s->now_ns);
}

/* A stretch in which nothing is measured: suspended, blind or idle. */
static inline void feed_unmeasured(struct feed_script *s, uint32_t length_ms, uint8_t state,
                                   bool over)
{
    uint64_t start_ns = s->now_ns;

    s->episode++;
    s->p99_ns = 0;
    feed_emit_episode(s, UM_WIRE_EPISODE_BEGIN, state, start_ns);
    feed_set_state(s, state, start_ns);
    for (uint32_t ms = 0; ms < length_ms; ms += 10)
        feed_step(s, false, 0);
    if (!over)
        return;
    feed_emit_episode(s, UM_WIRE_EPISODE_END, state, start_ns);
    feed_set_state(s, UM_STATE_RESPONSIVE, s->now_ns);
}

#endif
