/* What doctor does to find out: sets up trials and a session, and gathers the evidence. Not on the
 * hot path. Thread: main; all functions block for seconds, and stop early when the user interrupts.
 */
#ifndef UM_MONITOR_DOCTOR_RUN_H
#define UM_MONITOR_DOCTOR_RUN_H

#include "monitor/doctor/judge.h"
#include "monitor/options/options.h"
#include "monitor/target/target.h"

/* Asks about this machine. The evidence is zeroed at first; `options` must outlive it. */
void um_doctor_run_machine(struct um_judge_evidence *evidence, const struct um_options *options);

/* Makes all trials with a window of uimon's own, and then a session with the overlay on top. Moves
 * the pointer and types a few keys into that window; the pointer is put back. */
void um_doctor_run_own(struct um_judge_evidence *evidence, const struct um_options *options);

/* Makes those trials with a program of the user's that do not disturb it: no keys, no pointer that
 * moves by itself, no other window in front. */
void um_doctor_run_target(struct um_judge_evidence *evidence, const struct um_target_info *target);

#endif
