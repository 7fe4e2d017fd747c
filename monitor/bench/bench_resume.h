/* A benchmark that was broken off, and goes on.
 *
 * While it runs, its results are in FILE.partial after each run, and in FILE if it was aborted.
 * They have an object "resume" then, with what must be the same for the rest: "uimon", "scenario"
 * (its CRC-32), "programs" (of each that the scenario starts, path and CRC-32), "machine",
 * "options" and "seed". "finished" is how many runs, or pairs, it goes on from: what one side has
 * behind them is of the run that was aborted, which is made again. The programs' DLLs are not
 * looked at. Not on the hot path.
 */
#ifndef UM_MONITOR_BENCH_RESUME_H
#define UM_MONITOR_BENCH_RESUME_H

#include <stddef.h>

#include <cjson/cJSON.h>

#include "ipc/status.h"
#include "monitor/bench/bench_job.h"

/* Adds a program that the scenario starts to those of the job. Thread: reads the whole file.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_bench_resume_add_program(struct um_bench_job *job, const char *path);

/* Makes the object. Owner: cJSON_Delete. NULL without memory. */
cJSON *um_bench_resume_object(const struct um_bench_job *job);

/* Reads the results in --resume of a job that is open, and takes over what is to be kept: runs,
 * order and seed, and the delay of --prove.
 * Errors: those of um_text_file_load and um_results_add; UM_ERR_ARG its runs were made otherwise
 * than the rest would be, or nothing is left to do. `error` has the line to print. */
enum um_status um_bench_resume_load(struct um_bench_job *job, char *error, size_t error_cap);

#endif
