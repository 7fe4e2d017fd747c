/* A trial: beats of one kind are sent for a second or two, and what the target's UI thread and the
 * control saw of them is counted. Nothing is judged here (judge.h does that). Portable: it takes
 * the DLL's frames and what the control saw. Not on the hot path.
 */
#ifndef UM_MONITOR_TRIAL_H
#define UM_MONITOR_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "base/arrival.h"

#define UM_TRIAL_BEATS 1024 /* later beats of a trial are not counted */
#define UM_TRIAL_KEYS 64

struct um_trial_beat {
    uint32_t seq;
    uint64_t sent_ns;
    uint64_t latency_ns; /* 0: not seen by the target */
};

/* Zero it before the first use. */
struct um_trial {
    bool whole; /* the connection to the DLL held to the end, and nobody interrupted */
    size_t beat_count;
    struct um_trial_beat beats[UM_TRIAL_BEATS];
    size_t control_count;
    uint32_t controls[2 * UM_TRIAL_BEATS]; /* what the control saw, often before SENT has come */
    bool raw;                              /* the target saw at least one as raw input */
    uint64_t moves;                        /* mouse messages that were made of beats */
    uint64_t skipped;                      /* beats that were left out because the target rested */
    uint64_t rested;            /* beats before which the thread is known to have rested */
    struct um_wire_probe probe; /* the last PROBE; its probe is AUTO if there was none */
    bool pointer_shown;         /* the DLL has found that a beat shows a hidden pointer */

    /* Keys, if the trial sends some. */
    uint32_t keys_sent;
    uint32_t keys_refused; /* the system did not let the target's window have them */
    uint32_t keys_taken;   /* key presses that the target retrieved and the hook knew to be input */
    uint32_t keys_unmarked; /* ... that the hook did not know to be input */
    uint32_t paints;
    uint32_t arrival_count;             /* key presses that the control saw */
    uint32_t taken_ms[UM_TRIAL_KEYS];   /* their own times, as the target's messages have them */
    uint32_t arrival_ms[UM_TRIAL_KEYS]; /* ... and as raw input has them */
};

/* Takes a frame of the DLL. One about a beat from before the trial is ignored. */
void um_trial_frame(struct um_trial *trial, const struct um_wire_frame *frame);

/* The control saw a beat. A pair is seen twice, and counts once. */
void um_trial_control(struct um_trial *trial, uint32_t seq);

/* The control saw a key, click or wheel step. */
void um_trial_arrival(struct um_trial *trial, const struct um_arrival *arrival);

/* The sequence number of the last beat, if it was sent before `before_ns` and the target has not
 * seen it; false if there is none. Such a beat holds up the next one. */
bool um_trial_overdue(const struct um_trial *trial, uint64_t before_ns, uint32_t *seq);

/* Sorts the values, and returns the one in the middle; 0 if there is none. */
uint64_t um_trial_median_ns(uint64_t *values, size_t count);

/* What a trial adds up to. */
struct um_trial_sum {
    uint64_t sent;
    uint64_t target;        /* seen by the target's UI thread */
    uint64_t control;       /* seen by the control */
    uint64_t p50_ns;        /* of those the target saw; 0: it saw none */
    uint32_t keys_agreeing; /* keys whose two own times are the same, give or take 1 ms */
};
void um_trial_add_up(const struct um_trial *trial, struct um_trial_sum *sum);

#endif
