/* The world of a benchmark's run as it really is: processes, windows, the session, input. Fills
 * um_bench_run_host (bench_run.h). Portable: everything of the system's comes from target.h,
 * inject.h, bench_window.h, platform.h. Not on the hot path.
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

/* Leaves an attached target alone, and one that was launched as it is. Accepts NULL. */
void um_bench_host_close(struct um_bench_host *host);

/* What um_bench_run takes. */
struct um_bench_run_host um_bench_host_contract(struct um_bench_host *host);

/* What progress calls the next run: "run 3 of 10". Where the console is a pipe, it is a line. */
void um_bench_host_name_run(struct um_bench_host *host, const char *name);

/* Takes the progress off the terminal, for what is printed next. */
void um_bench_host_hide_progress(struct um_bench_host *host);

/* The target's program: "notepad.exe"; "" before the first run has found it. */
const char *um_bench_host_target_name(const struct um_bench_host *host);

/* "raw" or "mouse": how it was measured last; NULL: not known. */
const char *um_bench_host_probe(const struct um_bench_host *host);

#endif
