/* A benchmark from its scenario to the text of its results: one side, or two that are run in turn.
 *
 * Start at um_bench_job_read, then um_bench_job_open, um_bench_job_run and um_bench_job_text. The
 * command (bench_command.c) checks files and programs before, and prints afterwards. Thread: all of
 * it belongs to one.
 */
#ifndef UM_MONITOR_BENCH_JOB_H
#define UM_MONITOR_BENCH_JOB_H

#include <stdint.h>

#include <cjson/cJSON.h>

#include "ipc/status.h"
#include "monitor/bench/bench_host.h"
#include "monitor/bench/bench_results.h"
#include "monitor/bench/bench_run.h"
#include "monitor/bench/bench_sitting.h"
#include "monitor/bench/scenario.h"
#include "monitor/compare/compare_report.h"
#include "monitor/compare/comparison.h"
#include "monitor/compare/results.h"
#include "monitor/compare/until.h"
#include "monitor/options/options.h"

#define UM_BENCH_JOB_NAME_BYTES 128
#define UM_BENCH_JOB_DEFINES (2 * UM_OPTIONS_MANY)
#define UM_BENCH_JOB_KEYS 4096 /* of the rehearsals of --prove */

/* One side of a benchmark: what is run, and what was measured. */
struct um_bench_job_side {
    /* --define, then those of this side, which go over them. */
    const char *defines[UM_BENCH_JOB_DEFINES];
    int define_count;
    const char *const *shown; /* those that the results name */
    int shown_count;
    struct um_scenario scenario;
    struct um_bench_results *results;
    struct um_bench_host *host;
    char target[UM_BENCH_JOB_NAME_BYTES]; /* of the runs of --resume; "" if there are none */
};

struct um_bench_job {
    const struct um_options *options;
    uint32_t sides; /* 1, or 2: BEFORE and AFTER */
    struct um_bench_job_side side[2];
    uint32_t crc32;
    char name[UM_BENCH_JOB_NAME_BYTES]; /* the file's name without its folder and ".uimon" */
    int64_t utc_ms;
    struct um_compare_report_gate gate;
    uint64_t seed;   /* of the order within pairs */
    cJSON *programs; /* that the scenario starts, for bench_resume.h; NULL: not asked for */
    /* From here to `measure` it begins as 0, and is set before reading where that is not wanted. */
    void (*kept)(void *context); /* one more run, or pair, is among the results; or NULL */
    void *kept_context;
    double alpha;          /* of the plan; 0: UM_UNTIL_ALPHA */
    bool one_measure;      /* decides when it is enough (um_bench_job_deciding); else all do */
    const char *measure;   /* its name; NULL: the first one */
    struct um_until until; /* no looks: a fixed number of pairs */
    struct um_bench_sitting sitting;
    struct um_bench_run_outcome outcome;
    /* --prove */
    double key_ms[UM_BENCH_JOB_KEYS]; /* how long each key of the rehearsals took */
    size_t keys;
    uint32_t delay_us; /* of each key of AFTER */
};

/* Reads scenario, limits and plan. Owner: um_bench_job_close, also after a failure; `options` must
 * outlive the job, which is zeroed before, but for what says otherwise.
 * Errors: UM_ERR_ARG and those of um_scenario_load; `error` has the line to print. */
enum um_status um_bench_job_read(struct um_bench_job *job, const struct um_options *options,
                                 char *error, size_t error_cap);

/* Prepares the runs. Errors: UM_ERR_MEMORY. */
enum um_status um_bench_job_open(struct um_bench_job *job);

/* Makes all runs, after um_bench_job_open. If one of them has ended it, `outcome` says why. Errors:
 * as um_bench_sitting_run. */
enum um_status um_bench_job_run(struct um_bench_job *job);

/* The JSON of the results so far. Owner: cJSON_free. NULL without memory. */
char *um_bench_job_text(const struct um_bench_job *job);

/* The same of a benchmark that still runs: it says that it is partial, and what --resume asks. */
char *um_bench_job_partial_text(const struct um_bench_job *job);

/* Compares both sides, given that text. Owner: um_comparison_deinit, and um_results_deinit of both
 * sides, which begin zeroed, also after a failure. Errors: those of um_results_read_pairs. */
enum um_status um_bench_job_compare(const char *text, struct um_results sides[2],
                                    struct um_comparison *comparison, char *error,
                                    size_t error_cap);

/* The job's measure; without one the first that can be compared and is not the startup, or else the
 * startup. NULL if there is none. */
const struct um_comparison_measure *um_bench_job_deciding(const struct um_bench_job *job,
                                                          const struct um_comparison *comparison);

/* Frees all it has. */
void um_bench_job_close(struct um_bench_job *job);

#endif
