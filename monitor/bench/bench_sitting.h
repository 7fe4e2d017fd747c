/* In what order the runs of a benchmark are made, and when it ends.
 *
 * One side: rehearsals, then the runs. Two sides: rehearsals of both, then pairs, one run of each
 * side in an order that is drawn for each pair, so that what drifts on the machine meets both sides
 * alike (paired.h says what follows from that). A run that fails ends the rehearsals and a
 * benchmark of one side. In a pair it discards the pair; the sitting goes on, unless the user has
 * asked to stop or UM_BENCH_SITTING_FAILURES pairs in a row have failed.
 *
 * Pure but for what the host does. Start at um_bench_sitting_run.
 */
#ifndef UM_MONITOR_BENCH_SITTING_H
#define UM_MONITOR_BENCH_SITTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/compare/paired.h"

#define UM_BENCH_SITTING_FAILURES 3

enum um_bench_sitting_side { UM_BENCH_SITTING_BEFORE, UM_BENCH_SITTING_AFTER };

struct um_bench_sitting_plan {
    uint32_t sides; /* 1: only BEFORE, or 2 */
    uint32_t rehearsals;
    uint32_t runs; /* of each side, at most; of two sides no more than UM_PAIRED_MOST */
    uint64_t seed; /* of the order within pairs */
    /* What was made before it was broken off, with the same seed, or NULL. Its runs are not made
     * again; the rehearsals are, and the order goes on as it was drawn. */
    const struct um_bench_sitting *before;
};

struct um_bench_sitting_host {
    void *context;
    /* Makes a run; one that is counted and succeeds is kept. `name` is for the user: "pair 3 of 15,
     * after". Errors: as um_bench_run. */
    enum um_status (*run)(void *context, enum um_bench_sitting_side side, bool counted,
                          const char *name);
    /* Forgets the last run of a side that was kept. */
    void (*drop)(void *context, enum um_bench_sitting_side side);
    /* After the rehearsals. Errors: the host's own, which end the sitting. */
    enum um_status (*rehearsed)(void *context);
    /* Whether the user has asked to stop: then a failure ends the sitting. */
    bool (*is_stopped)(void *context);
    /* A pair was discarded; the sitting goes on. */
    void (*discarded)(void *context, const char *name);
    /* One more run of one side, or pair of two, is kept. */
    void (*kept)(void *context);
    /* After each pair, and after those of `before`: whether more of them are needed.
     * Errors: UM_ERR_MEMORY. */
    enum um_status (*look)(void *context, uint32_t pairs, bool *enough);
};

struct um_bench_sitting {
    uint32_t pairs; /* that count; of one side: runs */
    uint32_t discarded;
    bool after_first[UM_PAIRED_MOST]; /* of each pair that counts */
};

/* Makes all runs. `out`, which is not the plan's `before`, says what has come of it so far, also
 * after a failure and whenever the host is asked.
 * Errors: those of the run that ended it, or of `look`. Thread: blocks as long as the runs take. */
enum um_status um_bench_sitting_run(const struct um_bench_sitting_plan *plan,
                                    const struct um_bench_sitting_host *host,
                                    struct um_bench_sitting *out);

#endif
