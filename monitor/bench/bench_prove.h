/* `uimon bench --prove`: a program is compared with itself, and uimon delays each key of one side
 * (hooks/delay.h), so that it is known what the comparison should find. */
#ifndef UM_MONITOR_BENCH_PROVE_H
#define UM_MONITOR_BENCH_PROVE_H

#include <stdbool.h>

#include "ipc/status.h"
#include "monitor/bench/bench_job.h"
#include "monitor/compare/comparison.h"

/* Fixes by how much each key of AFTER is delayed: --prove's share of the median of the keys that
 * the rehearsals measured, or what it was before --resume. Errors: UM_ERR_ARG there were none, or
 * that is no delay which can be had; the job's outcome says so. */
enum um_status um_bench_prove_fix(struct um_bench_job *job);

/* Says whether each measure that has keys was found slower, and returns it. */
bool um_bench_prove_judge(const struct um_bench_job *job, const struct um_comparison *comparison);

#endif
