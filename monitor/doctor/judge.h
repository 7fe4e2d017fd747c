/* Makes findings from the evidence of a run of doctor. Pure. Not on the hot path.
 */
#ifndef UM_MONITOR_JUDGE_H
#define UM_MONITOR_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/doctor/findings.h"
#include "monitor/doctor/scene.h"
#include "monitor/doctor/trial.h"
#include "monitor/options/options.h"

enum um_judge_trial {
    UM_JUDGE_ZERO = 0,       /* raw input, movements by zero */
    UM_JUDGE_PAIR = 1,       /* raw input, pairs */
    UM_JUDGE_MOUSE = 2,      /* mouse messages, the pointer over the window */
    UM_JUDGE_AUTO = 3,       /* the probe that the DLL chooses by itself */
    UM_JUDGE_REST = 4,       /* the same, with fewer beats for a target at rest */
    UM_JUDGE_BACKGROUND = 5, /* another window in front */
    UM_JUDGE_MOVING = 6,     /* the mouse moves meanwhile */
    UM_JUDGE_KEYS = 7,       /* keys are typed meanwhile */
    UM_JUDGE_POINTER = 8,    /* another window in front, which has hidden the pointer */
    UM_JUDGE_STILL = 9,      /* raw input, events without a movement */
    UM_JUDGE_TRIALS = 10
};

/* All that was seen. What was not tried is not judged. */
struct um_judge_evidence {
    struct um_scene_machine machine;
    uint64_t wait_ns; /* what a wait of 1 ms takes, the median */
    struct um_options_hotkey hotkeys[UM_OPTIONS_HOTKEYS];
    bool taken[UM_OPTIONS_HOTKEYS]; /* another program has it */
    char dll_folder[1024];          /* where the hook DLL is loaded from */
    /* What keeps 32-bit programs from being watched; empty: nothing. */
    char error32[UM_OPTIONS_ERROR_BYTES];

    bool named; /* the program was named by the user; else it is uimon's own */
    struct um_scene_policy policy;
    char toolkit[32];   /* empty: none of those in toolkit.h */
    bool asked_methods; /* `methods` is known */
    uint8_t methods;    /* why methods of managed code have no names, enum um_names_why; NO_METHOD:
                          * they have */

    bool attached;
    uint64_t attach_ns;
    char attach_error[UM_OPTIONS_ERROR_BYTES]; /* what kept it from attaching */
    bool tried[UM_JUDGE_TRIALS];
    struct um_trial trials[UM_JUDGE_TRIALS];
    bool in_front;       /* the other window of UM_JUDGE_BACKGROUND was in front */
    bool pointer_hidden; /* by that window, before the beats of UM_JUDGE_POINTER */
    bool leave_tried;
    bool left;
    uint64_t left_ns;

    bool overlay_tried;
    char overlay_error
        [UM_OPTIONS_ERROR_BYTES]; /* what kept a session from being measured, or empty */
    struct um_scene_overlay overlay;
    bool pictured;         /* the screen gave both pictures */
    bool picture_differs;  /* with the overlay and without */
    bool covers_read;      /* the overlay's pixels: from its window alone, and on the screen */
    uint64_t frozen_ns;    /* the freeze of uimon's own program, by its log; 0: there was none */
    uint64_t measured_ns;  /* the freeze as uimon measured it; 0: not found */
    uint64_t uncertain_ns; /* of its beginning */
};

/* Why these policies of a process keep uimon's DLL out; NULL: they do not, or are not known.
 * Owner: static text. */
const char *um_judge_refusal(const struct um_scene_policy *policy);

/* The kind of beat that uimon takes for raw input, by what has reached the target; STILL if nothing
 * was tried so far. */
enum um_beat_kind um_judge_beat_kind(const struct um_judge_evidence *evidence);

void um_judge(const struct um_judge_evidence *evidence, struct um_findings *findings);

#endif
