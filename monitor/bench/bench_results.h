/* The results of a benchmark: collects each run from the feed, and writes the file that `uimon
 * compare` reads (results.h). The file has every single value, so that later questions can be
 * answered from it too.
 *
 * A run goes um_bench_results_begin, then startup times and measures as they come, then
 * um_bench_results_end. The output takes frames on the session's thread meanwhile; everything else
 * is for one thread. Positions in time are ms since the run's begin. A number that was not observed
 * is absent. An interaction belongs to the measure in which it arrived, however late it was dealt
 * with; where that was not observed, to the one in which it was dequeued. Portable; not on the hot
 * path, but for the output. A run in which keys were delayed on purpose (PROVING of the feed) has
 * "key_delay_us"; other runs do not have it.
 */
#ifndef UM_MONITOR_BENCH_RESULTS_H
#define UM_MONITOR_BENCH_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/feed/feed.h"

#define UM_BENCH_RESULTS_SCHEMA 1
#define UM_BENCH_RESULTS_SCHEMA_PAIRS 2 /* both sides of a sitting, each as in schema 1 */
/* Frames of one kind that are kept of a run; what is over is counted. Three hours of beats. */
#define UM_BENCH_RESULTS_MAX_FRAMES ((size_t)1 << 20)
#define UM_BENCH_RESULTS_MAX_MEASURES ((size_t)1 << 16)

struct um_bench_results;

/* What stands above the runs. Texts are UTF-8; NULL and 0 are not known. */
struct um_bench_results_header {
    const char *scenario_file;
    const char *scenario_name;
    uint32_t scenario_crc32;
    const char *const *defines; /* NAME=VALUE, of this side; `define_count` of them */
    int define_count;
    int64_t utc_ms;
    const char *target;
    const char *toolkit; /* as in summary.h */
    double heartbeat_ms;
    double rest_heartbeat_ms;
    double threshold_ms;
    double slow_ms;
    const char *probe;
    const char *beat;
    const char *machine;
    uint32_t cpus;
    const char *system;
    const cJSON *floor; /* NULL: none; copied */
    uint32_t rehearsals;
    uint32_t partial_of; /* runs, if not all of them are made yet; 0: they are */
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
    uint64_t injected;   /* keys, clicks and notches sent in it */
    uint64_t given_up;   /* of those: not dealt with at settled_ns; they may have been later */
};

/* Owner: um_bench_results_close. Errors: UM_ERR_MEMORY. */
enum um_status um_bench_results_open(struct um_bench_results **results);

/* Accepts NULL. */
void um_bench_results_close(struct um_bench_results *results);

/* The collector, for um_watch_open. Owner: `results` must outlive the session. */
struct um_feed_output um_bench_results_output(struct um_bench_results *results);

/* Begins a run: what the output took before is forgotten. */
void um_bench_results_begin(struct um_bench_results *results, uint64_t start_ns, int64_t utc_ms);

/* A time after the launch. */
void um_bench_results_startup(struct um_bench_results *results, enum um_bench_results_startup which,
                              uint64_t after_ns);

/* A measure is over. Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE there are too many in this run. */
enum um_status um_bench_results_measure(struct um_bench_results *results,
                                        const struct um_bench_results_measure *measure);

/* How late an input was sent; the run's greatest is kept. */
void um_bench_results_late(struct um_bench_results *results, uint64_t late_ns);

/* How many inputs of a kind that arrived at `since_ns` or later have been reported as dealt with.
 * One whose arrival was not observed counts by when it was dequeued. Thread: any. */
uint64_t um_bench_results_dealt_with(struct um_bench_results *results, enum um_interaction kind,
                                     uint64_t since_ns);

/* Writes how long each key of the present run took, in ms, to `out`: those that arrived in a
 * measure, from arrival to painted, or to handled if painting was observed for fewer than half of
 * them. Returns how many; no more than `room`. Thread: that of the others. */
size_t um_bench_results_keys(struct um_bench_results *results, double *out, size_t room);

/* Ends a run. One that is not counted (a rehearsal) leaves nothing behind.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_bench_results_end(struct um_bench_results *results, bool counted);

/* Takes over the runs of a file, which counted there. Errors: UM_ERR_MEMORY. */
enum um_status um_bench_results_take(struct um_bench_results *results, const cJSON *runs);

/* Takes back the last run that was counted. Does nothing if there is none. */
void um_bench_results_drop(struct um_bench_results *results);

/* The runs counted so far. */
uint32_t um_bench_results_runs(const struct um_bench_results *results);

/* Makes the file's text, without a newline at its end. Owner: cJSON_free. Errors: UM_ERR_MEMORY. */
enum um_status um_bench_results_json(const struct um_bench_results *results,
                                     const struct um_bench_results_header *header, char **out);

/* A sitting in which both sides were run in turn. */
struct um_bench_results_sitting {
    int64_t utc_ms;
    const bool *after_first; /* of each pair: AFTER was run first */
    uint32_t pairs;
    uint32_t discarded;
    double within; /* of the plan in until.h; 0: none */
    uint32_t most;
    double alpha;
    const cJSON *resume; /* as above */
    const char *aborted; /* why; NULL: it was not */
};

/* Makes the text of a file of pairs, from the texts of BEFORE and AFTER. Owner: cJSON_free. Errors:
 * UM_ERR_MEMORY. */
enum um_status um_bench_results_pairs_json(const struct um_bench_results_sitting *sitting,
                                           const char *const sides[2], char **out);

#endif
