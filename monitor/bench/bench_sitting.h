/* A sitting: in what order the runs of a benchmark are made, and when it ends.
 *
 * One side: rehearsals, then the runs. Two sides: rehearsals of both, then pairs, one run of each
 * side. The order within each pair is drawn, so that the machine's drift affects both sides alike
 * (paired.h). A run that fails ends the rehearsals and a benchmark of one side. A failed run of a
 * pair discards the pair; the sitting goes on, unless the user has asked to stop or
 * UM_BENCH_SITTING_FAILURES pairs in a row have failed.
 *
 * Pure but for what the host does. Start at um_bench_sitting_run.
 */
#ifndef UM_MONITOR_BENCH_SITTING_H
#define UM_MONITOR_BENCH_SITTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/compare/paired.h"

#define UM_BENCH_SITTING_FAILURES 3

enum um_bench_sitting_side { UM_BENCH_SITTING_BEFORE, UM_BENCH_SITTING_AFTER };

struct um_bench_sitting_plan {
    uint32_t sides; /* 1: only BEFORE, or 2 */
    uint32_t rehearsals;
    uint32_t runs; /* of each side, at most; of two sides no more than UM_PAIRED_MOST */
    uint64_t seed; /* of the order within pairs */
    /* The earlier sitting that this one resumes, with the same seed; or NULL. Its runs are not
     * made again, only the rehearsals. */
    const struct um_bench_sitting *before;
};

struct um_bench_sitting_host {
    void *context;
    /* Makes a run, and keeps it if it is counted and succeeds. `name` is for the user: "pair 3 of
     * 15, after". Errors: as um_bench_run. */
    enum um_status (*run)(void *context, enum um_bench_sitting_side side, bool counted,
                          const char *name);
    /* Forgets the run of a side that was kept last. */
    void (*drop)(void *context, enum um_bench_sitting_side side);
    /* Called after the rehearsals. Errors: the host's own, which end the sitting. */
    enum um_status (*rehearsed)(void *context);
    /* Whether the user has asked to stop: then a failure ends the sitting. */
    bool (*is_stopped)(void *context);
    /* Called after a pair was discarded; the sitting goes on. */
    void (*discarded)(void *context, const char *name);
    /* Called after a run of one side, or a pair of two, was kept. */
    void (*kept)(void *context);
    /* Whether the pairs so far are enough; asked after each pair, and after those of `before`.
     * Errors: UM_ERR_MEMORY. */
    enum um_status (*look)(void *context, uint32_t pairs, bool *enough);
};

struct um_bench_sitting {
    uint32_t pairs; /* that count; with one side: runs */
    uint32_t discarded;
    bool after_first[UM_PAIRED_MOST]; /* for each pair that counts: AFTER was run first */
};

/* Makes all runs. `out`, which is not the plan's `before`, holds the pairs so far, also after a
 * failure and whenever a function of the host is called.
 * Errors: those of the run that ended it, or of `look`. Thread: blocks as long as the runs take. */
enum um_status um_bench_sitting_run(const struct um_bench_sitting_plan *plan,
                                    const struct um_bench_sitting_host *host,
                                    struct um_bench_sitting *out);

#endif
