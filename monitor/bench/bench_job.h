/* A benchmark from its scenario to the text of its results: of one side, or of two in turn.
 *
 * Start at um_bench_job_read, then um_bench_job_open, um_bench_job_run and um_bench_job_text. The
 * command (bench_command.c) checks files and programs before, and prints afterwards. Thread: one.
 */
#ifndef UM_MONITOR_BENCH_JOB_H
#define UM_MONITOR_BENCH_JOB_H

#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/plain/status.h"
#include "monitor/bench/bench_duration.h"
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

/* One side of a benchmark: what is run, and what was measured. */
struct um_bench_job_side {
    const char *defines[UM_BENCH_JOB_DEFINES]; /* --define, then this side's, which override it */
    int define_count;
    const char *const *shown; /* the defines that the results name */
    int shown_count;
    struct um_scenario scenario;
    struct um_bench_results *results;
    struct um_bench_host *host;
    char target[UM_BENCH_JOB_NAME_BYTES]; /* program of the runs taken from --resume; "": none */
    uint64_t first_ns;                    /* how long its first run took; 0: none is finished */
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
    cJSON *programs; /* that the scenario starts, for bench_resume.h; NULL: not collected */
    /* The caller may set these five: `kept` and its context before the runs, the rest before
     * um_bench_job_read. */
    void (*kept)(void *context); /* called after each run, or pair, that counts; or NULL */
    void *kept_context;
    double alpha;          /* level of --until; 0: UM_UNTIL_ALPHA */
    bool one_measure;      /* --until waits for one measure (um_bench_job_deciding), not for all */
    const char *measure;   /* that measure's name; NULL: the first one */
    struct um_until until; /* the plan of --until; no looks: a fixed number of pairs */
    struct um_bench_sitting sitting;
    struct um_bench_run_outcome outcome;
};

/* Reads scenario, limits and plan into a zeroed job, and checks that the scenario has the measures
 * that limits and `measure` name. Owner: um_bench_job_close, also after a failure; `options` must
 * outlive the job.
 * Errors: UM_ERR_ARG and those of um_text_file_load; `error` has the line to print. */
enum um_status um_bench_job_read(struct um_bench_job *job, const struct um_options *options,
                                 char *error, size_t error_cap);

/* Prepares the runs. Errors: UM_ERR_MEMORY. */
enum um_status um_bench_job_open(struct um_bench_job *job);

/* How long all runs will take (bench_duration.h), before the first of them. */
void um_bench_job_plan(const struct um_bench_job *job, char line[UM_BENCH_DURATION_BYTES]);

/* Makes all runs, after um_bench_job_open, and says how long they will take (bench_duration.h). If
 * a run has ended it, `outcome` says why. Errors: as um_bench_sitting_run. */
enum um_status um_bench_job_run(struct um_bench_job *job);

/* The JSON of the results so far. `partial`: the benchmark still runs, and the JSON says so. Owner:
 * cJSON_free. NULL without memory. */
char *um_bench_job_text(const struct um_bench_job *job, bool partial);

/* Compares both sides, given that text. `sides` and `comparison` are zeroed before. Owner:
 * um_comparison_deinit, and um_results_deinit of both sides, also after a failure. Errors: those of
 * um_results_read_pairs. */
enum um_status um_bench_job_compare(const char *text, struct um_results sides[2],
                                    struct um_comparison *comparison, char *error,
                                    size_t error_cap);

/* The measure that the job names; else the first that can be compared, the startup last. NULL if
 * there is none. */
const struct um_comparison_measure *um_bench_job_deciding(const struct um_bench_job *job,
                                                          const struct um_comparison *comparison);

/* Frees what it points to. */
void um_bench_job_close(struct um_bench_job *job);

#endif
