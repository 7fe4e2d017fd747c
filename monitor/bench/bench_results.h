/* The results of a benchmark: collects each run from the feed, and writes the file that `uimon
 * compare` reads (results.h). The file has every single value, for later questions.
 *
 * A run is um_bench_results_begin, then startup times and measures as they come, then
 * um_bench_results_end. Meanwhile the output takes frames on the session's thread; everything else
 * is for one thread. In the file, points in time are ms since the run's begin, and a number that
 * was not observed is absent. An interaction belongs to the measure in which it arrived or, if its
 * arrival was not observed, was dequeued. Not on the hot path, but for the output.
 */
#ifndef UM_MONITOR_BENCH_RESULTS_H
#define UM_MONITOR_BENCH_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "base/platform.h"
#include "monitor/bench/bench_sitting.h"
#include "monitor/feed/feed.h"
#include "monitor/options/options.h"

/* The most frames of one kind that are kept of a run: three hours of beats. The rest is counted. */
#define UM_BENCH_RESULTS_MAX_FRAMES ((size_t)1 << 20)
#define UM_BENCH_RESULTS_MAX_MEASURES ((size_t)1 << 16)

struct um_bench_results;

/* What the file says above the runs. Texts are UTF-8; NULL and 0 are unknown. */
struct um_bench_results_header {
    const char *scenario_file;
    const char *scenario_name;
    uint32_t scenario_crc32;
    const char *const *defines; /* NAME=VALUE, of this side; `define_count` of them */
    int define_count;
    int64_t utc_ms;
    const char *target;
    const char *toolkit;              /* as in summary.h */
    const struct um_options *options; /* how beats were sent, and how many rehearsals there were */
    const char *probe;
    const char *beat;
    struct um_platform_machine machine;
    const cJSON *floor;  /* NULL: none; copied */
    uint32_t partial_of; /* how many runs there will be; 0: all of them are here */
    const cJSON *resume; /* as in bench_resume.h, for a file of one side; NULL: none; copied */
    const char *aborted; /* why; NULL: it was not */
};

enum um_bench_results_startup {
    UM_BENCH_RESULTS_WINDOW = 0,
    UM_BENCH_RESULTS_PAINT,
    UM_BENCH_RESULTS_READY, /* it waited for input for the first time */
    UM_BENCH_RESULTS_IDLE,  /* the first quiet stretch began */
    UM_BENCH_RESULTS_STARTUPS
};

/* One measure as it was carried out. */
struct um_bench_results_measure {
    const char *name;
    uint64_t start_ns;
    uint64_t end_ns;     /* of its last step */
    uint64_t settled_ns; /* when its inputs were dealt with, or given up: never before end_ns */
    uint64_t injected[UM_INTERACTION_COUNT]; /* keys, clicks and notches sent in it */
    uint64_t typed;                          /* UTF-16 units that `type` steps sent in it */
    uint64_t taken;                          /* how many WM_CHAR the target took until settled_ns */
    bool compares_typed; /* `taken` should be `typed`: no other step sent keys, none was given up */
};

/* With `layout` each run says what a layout frame cost (--layout). Owner: um_bench_results_close.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_bench_results_open(bool layout, struct um_bench_results **results);

/* Accepts NULL. */
void um_bench_results_close(struct um_bench_results *results);

/* The collector, for um_watch_open. Owner: `results` must outlive the session. */
struct um_feed_output um_bench_results_output(struct um_bench_results *results);

/* Begins a run, and forgets the frames that the output took before. */
void um_bench_results_begin(struct um_bench_results *results, uint64_t start_ns, int64_t utc_ms);

/* Keeps a startup time, counted from the launch. */
void um_bench_results_startup(struct um_bench_results *results, enum um_bench_results_startup which,
                              uint64_t after_ns);

/* Keeps a measure, whose name must live until um_bench_results_end. Errors: UM_ERR_MEMORY;
 * UM_ERR_TOO_LARGE there are too many in this run. */
enum um_status um_bench_results_measure(struct um_bench_results *results,
                                        const struct um_bench_results_measure *measure);

/* Keeps how late an input was sent, if that is the greatest delay of the run. */
void um_bench_results_late(struct um_bench_results *results, uint64_t late_ns);

/* How many inputs of a kind, arrived at `since_ns` or later, the target has dealt with so far. An
 * input whose arrival was not observed counts by when it was dequeued. Thread: any. */
uint64_t um_bench_results_dealt_with(struct um_bench_results *results, enum um_interaction kind,
                                     uint64_t since_ns);

/* Ends a run, and keeps it if it is counted; a rehearsal is not. Errors: UM_ERR_MEMORY. */
enum um_status um_bench_results_end(struct um_bench_results *results, bool counted);

/* Adds the runs of a results file. Errors: UM_ERR_MEMORY. */
enum um_status um_bench_results_take(struct um_bench_results *results, const cJSON *runs);

/* Removes the last run that was counted, if there is one. */
void um_bench_results_drop(struct um_bench_results *results);

/* The runs counted so far. */
uint32_t um_bench_results_runs(const struct um_bench_results *results);

/* Makes the file's text, without a newline at its end. Owner: cJSON_free. Errors: UM_ERR_MEMORY. */
enum um_status um_bench_results_json(const struct um_bench_results *results,
                                     const struct um_bench_results_header *header, char **out);

/* A sitting in which both sides were run in turn. */
struct um_bench_results_sitting {
    int64_t utc_ms;
    const struct um_bench_sitting *sat; /* its pairs, and how many were discarded */
    double within;                      /* of the plan in until.h; 0: none */
    uint32_t most;
    double alpha;
    const cJSON *resume; /* as in the header */
    const char *aborted; /* why; NULL: it was not */
};

/* Makes the text of a file of pairs, from the texts of BEFORE and AFTER. Owner: cJSON_free. Errors:
 * UM_ERR_MEMORY. */
enum um_status um_bench_results_pairs_json(const struct um_bench_results_sitting *sitting,
                                           const char *const sides[2], char **out);

#endif
