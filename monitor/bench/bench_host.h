/* The real world of a benchmark: processes, windows, the session, input. It implements
 * um_bench_run_host (bench_run.h). Portable: it reaches the system through target.h, inject.h,
 * bench_window.h and platform.h. Not on the hot path.
 */
#ifndef UM_MONITOR_BENCH_HOST_H
#define UM_MONITOR_BENCH_HOST_H

#include <stdint.h>

#include "ipc/status.h"
#include "monitor/bench/bench_results.h"
#include "monitor/bench/bench_run.h"
#include "monitor/options/options.h"

struct um_bench_host;

/* `options` and `results` must outlive it. Owner: um_bench_host_close. Errors: UM_ERR_MEMORY. */
enum um_status um_bench_host_open(const struct um_options *options,
                                  struct um_bench_results *results, struct um_bench_host **host);

/* Frees it. A target that still runs goes on running. Accepts NULL. */
void um_bench_host_close(struct um_bench_host *host);

/* Delays each key of the target in the runs that follow (hooks/delay.h); 0: none. A host begins
 * with key_delay_us of its options. Delayed runs say so in their results. Units: µs.
 * Errors: UM_ERR_ARG more than UM_WIRE_KEY_DELAY_MAX_US; UM_ERR_BUSY a run is under way, and its
 * delay is fixed. */
enum um_status um_bench_host_delay_keys(struct um_bench_host *host, uint32_t key_delay_us);

/* The functions that um_bench_run calls. */
struct um_bench_run_host um_bench_host_contract(struct um_bench_host *host);

/* Names the next run in the progress line: "run 3 of 10". If standard error is no terminal, the
 * name is printed as a line. */
void um_bench_host_name_run(struct um_bench_host *host, const char *name);

/* Says, before the first run, how long they may take together. `most_ns` is for one run of each
 * side. */
void um_bench_host_say_limit(const struct um_options *options, uint32_t runs, uint32_t sides,
                             uint64_t most_ns);

/* Clears the progress line, so that something else can be printed. */
void um_bench_host_hide_progress(struct um_bench_host *host);

/* The name of the target's program: "notepad.exe"; "" until the first run has found it. */
const char *um_bench_host_target_name(const struct um_bench_host *host);

/* Its toolkit, if beats tell of its window's thread alone; else "". Owner: the host's. */
const char *um_bench_host_toolkit(const struct um_bench_host *host);

/* The probe of the last run: "raw" or "mouse"; NULL if unknown. */
const char *um_bench_host_probe(const struct um_bench_host *host);

/* The kind of its beats: "zero" or "pair"; NULL if unknown, or with the mouse probe. */
const char *um_bench_host_beat(const struct um_bench_host *host);

#endif
