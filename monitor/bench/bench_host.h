/* Implements um_bench_run_host (bench_run.h) for a real target: processes, windows, the session,
 * input. Portable: it reaches the system through target.h, inject.h, bench_window.h and platform.h.
 * Not on the hot path.
 */
#ifndef UM_MONITOR_BENCH_HOST_H
#define UM_MONITOR_BENCH_HOST_H

#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/bench/bench_results.h"
#include "monitor/bench/bench_run.h"
#include "monitor/options/options.h"

struct um_bench_host;

/* `options` and `results` must outlive it. Owner: um_bench_host_close. Errors: UM_ERR_MEMORY. */
enum um_status um_bench_host_open(const struct um_options *options,
                                  struct um_bench_results *results, struct um_bench_host **host);

/* Frees it. A target that still runs is left running. Accepts NULL. */
void um_bench_host_close(struct um_bench_host *host);

/* The functions that um_bench_run calls. */
struct um_bench_run_host um_bench_host_contract(struct um_bench_host *host);

/* Sets the next run's name for the progress line: "run 3 of 10". If standard error is no terminal,
 * the name is printed as a line. */
void um_bench_host_name_run(struct um_bench_host *host, const char *name);

/* Prints, before the first run, how long all runs will take, as in bench_duration.h. */
void um_bench_host_say_plan(const struct um_options *options, const char *plan);

/* Clears the progress line, so that something else can be printed. */
void um_bench_host_hide_progress(struct um_bench_host *host);

/* What is known of the target. */
struct um_bench_host_target {
    char name[128];    /* of its program: "notepad.exe"; "" until the first run has found it */
    char toolkit[32];  /* if beats measure only the thread of its window; else "" */
    const char *probe; /* of the last run: um_wire_probe_word */
    const char *beat;  /* of the last run: "zero" or "pair"; NULL if unknown, or with "mouse" */
};

/* Owner: the host. */
const struct um_bench_host_target *um_bench_host_target(const struct um_bench_host *host);

#endif
