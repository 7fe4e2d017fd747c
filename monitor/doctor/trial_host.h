/* Where trials take place: one attachment to a program, and the control beside it. Portable over
 * frame_source.h and control.h. Not on the hot path. Thread: one; all functions block.
 */
#ifndef UM_MONITOR_TRIAL_HOST_H
#define UM_MONITOR_TRIAL_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/doctor/trial.h"
#include "monitor/target/target.h"

#define UM_TRIAL_PERIOD_US 10000

struct um_trial_host;

/* What is sent in a trial, and what else happens meanwhile. */
struct um_trial_plan {
    enum um_probe probe;
    enum um_beat_kind beat_kind;
    uint32_t rest_us; /* from beat to beat while the target rests */
    uint32_t ms;      /* how long beats are sent */
    /* Called about every 5 ms; NULL: nothing else happens. */
    void (*act)(void *context, struct um_trial *trial);
    void *context;
};

/* Attaches. Owner: um_trial_host_close; `process` must outlive it.
 * Errors: as the frames' and the control's open; `error` has the line to print. */
enum um_status um_trial_host_open(const struct um_target_info *target,
                                  const struct um_target_process *process,
                                  struct um_trial_host **host, char *error, size_t error_cap);

/* Runs a trial, which takes plan->ms and 0.3 s more, and up to 5 s more if keys have not come by
 * then. `trial->whole`: it came to its end. */
void um_trial_host_run(struct um_trial_host *host, const struct um_trial_plan *plan,
                       struct um_trial *trial);

/* Asks the DLL to leave. False if its BYE has not come within two seconds. `*after_ns`: how long it
 * took. */
bool um_trial_host_leave(struct um_trial_host *host, uint64_t *after_ns);

/* Accepts NULL. */
void um_trial_host_close(struct um_trial_host *host);

#endif
