/* From what doctor has seen to what it says: the evidence of a run becomes findings. Pure. Not on
 * the hot path.
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
    UM_JUDGE_TRIALS = 9
};

/* All that was seen. What was not tried is not judged. */
struct um_judge_evidence {
    struct um_scene_machine machine;
    uint64_t wait_ns; /* what a wait of 1 ms takes, the median */
    struct um_options_hotkey hotkeys[UM_OPTIONS_HOTKEYS];
    bool taken[UM_OPTIONS_HOTKEYS]; /* another program has it */
    const char *dll_folder;         /* where the hook DLL is loaded from */
    const char *error32; /* what keeps 32-bit programs from being watched; empty: nothing */

    bool named; /* the program was named by the user; else it is uimon's own */
    struct um_scene_policy policy;
    const char *toolkit; /* NULL or empty: none of those in toolkit.h */
    bool asked_methods;  /* whether methods of managed code can be named, and why not: */
    uint8_t methods;     /* enum um_names_why; NO_METHOD: they can */

    bool attached;
    uint64_t attach_ns;
    const char *attach_error; /* what kept it from attaching */
    bool tried[UM_JUDGE_TRIALS];
    struct um_trial trials[UM_JUDGE_TRIALS];
    bool in_front;       /* the other window of UM_JUDGE_BACKGROUND was in front */
    bool pointer_hidden; /* by that window, before the beats of UM_JUDGE_POINTER */
    bool leave_tried;
    bool left;
    uint64_t left_ns;

    bool overlay_tried;
    const char *overlay_error; /* what kept a session from being measured; NULL: nothing */
    struct um_scene_overlay overlay;
    bool pictured;         /* the screen gave both pictures */
    bool picture_differs;  /* with the overlay and without */
    uint64_t frozen_ns;    /* the freeze of uimon's own program, by its log; 0: there was none */
    uint64_t measured_ns;  /* the freeze as uimon measured it; 0: not found */
    uint64_t uncertain_ns; /* of its beginning */
};

/* Why these policies of a process keep uimon's DLL out, so that there is no use in trying; NULL:
 * they do not, or are not known. Owner: static text. */
const char *um_judge_refusal(const struct um_scene_policy *policy);

void um_judge(const struct um_judge_evidence *evidence, struct um_findings *findings);

#endif
