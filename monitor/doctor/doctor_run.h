/* What doctor does to find out: sets up trials and a session, and gathers the evidence. Not on the
 * hot path. Thread: main; all functions block for seconds, and stop early when the user interrupts.
 */
#ifndef UM_MONITOR_DOCTOR_RUN_H
#define UM_MONITOR_DOCTOR_RUN_H

#include "monitor/doctor/judge.h"
#include "monitor/options/options.h"
#include "monitor/target/target.h"

/* The evidence, and the texts that it points to. */
struct um_doctor_run {
    struct um_judge_evidence evidence;
    char attach_error[UM_OPTIONS_ERROR_BYTES];
    char error32[UM_OPTIONS_ERROR_BYTES];
    char session_error[UM_OPTIONS_ERROR_BYTES];
    char folder[1024];
    char toolkit[32];
};

/* Asks about this machine. `options` must outlive the evidence. */
void um_doctor_run_machine(struct um_doctor_run *run, const struct um_options *options);

/* Makes all trials with a window of uimon's own, and then a session with the overlay on top. Moves
 * the pointer and types a few keys into that window; the pointer is put back. */
void um_doctor_run_own(struct um_doctor_run *run, const struct um_options *options);

/* Makes those trials with a program of the user's that do not disturb it: no keys, no pointer that
 * moves by itself, no other window in front. */
void um_doctor_run_target(struct um_doctor_run *run, const struct um_target_info *target);

#endif
