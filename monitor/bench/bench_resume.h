/* Resumes a benchmark that was broken off.
 *
 * After each run, the results so far are in FILE.partial; if the benchmark is aborted, they are in
 * FILE. Both then have an object "resume" with what must be the same for the rest: "uimon",
 * "scenario" (its CRC-32), "programs" (path and CRC-32 of each that the scenario starts),
 * "machine", "options" and "seed". "finished" is the number of finished runs, or pairs; a later run
 * in the file was aborted, and is made again. The programs' DLLs are not compared. Not on the hot
 * path.
 */
#ifndef UM_MONITOR_BENCH_RESUME_H
#define UM_MONITOR_BENCH_RESUME_H

#include <stddef.h>

#include <cjson/cJSON.h>

#include "base/plain/status.h"
#include "monitor/bench/bench_job.h"

/* Adds a program that the scenario starts to those of the job. Thread: reads the whole file.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_bench_resume_add_program(struct um_bench_job *job, const char *path);

/* Makes the object "resume". Owner: cJSON_Delete. NULL without memory. */
cJSON *um_bench_resume_object(const struct um_bench_job *job);

/* Reads the results in --resume into a job that is open: runs, order and seed.
 * Errors: those of um_text_file_load and um_results_add; UM_ERR_ARG its runs were not made as the
 * rest would be, or no run is left to make. `error` has the line to print. */
enum um_status um_bench_resume_load(struct um_bench_job *job, char *error, size_t error_cap);

#endif
