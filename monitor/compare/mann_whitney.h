/* The test that decides whether two builds differ, and how many runs it would take to see it.
 *
 * The numbers given to it are one for each run (a median, say): runs are what is independent, the
 * keystrokes of one run are not. It asks only for the order of the runs, so one run that went wrong
 * cannot turn the answer, and it assumes no bell shape, which latencies do not have.
 * Sources: H. Mann, D. Whitney, "On a Test of Whether one of Two Random Variables is
 * Stochastically Larger than the Other", Ann. Math. Stat. 18, 1947; the exact distribution, ties
 * included, by B. Streitberg, J. Roehmel, "Exact Distributions for Permutation and Rank Tests",
 * Stat. Software Newsletter 12, 1986 (the shift algorithm). Not on the hot path; no function
 * blocks.
 */
#ifndef UM_MONITOR_MANN_WHITNEY_H
#define UM_MONITOR_MANN_WHITNEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"

#define UM_MANN_WHITNEY_ALPHA 0.05

/* Runs on each side below which no verdict is given: 3 against 3 cannot reach 0.05, two-sided,
 * whatever they are; 4 against 4 reach 0.029. */
#define UM_MANN_WHITNEY_LEAST 4

/* Together; above it the normal approximation, corrected for ties and continuity, takes over. */
#define UM_MANN_WHITNEY_EXACT 50

/* The most runs a side that um_mann_whitney_runs_needed tries. */
#define UM_MANN_WHITNEY_MOST_RUNS 100

struct um_mann_whitney {
    double u;           /* pairs in which the run after is the larger one, equal ones count half */
    double superiority; /* the same as a share of all pairs: 0.5 where nothing differs */
    double delta;       /* Cliff's delta, -1 to 1: 2 * superiority - 1 */
    double p;           /* two-sided */
    bool exact;
};

/* Tests whether both sides come from the same distribution. All numbers are finite.
 * Errors: UM_ERR_ARG a side is empty; UM_ERR_MEMORY. */
enum um_status um_mann_whitney_test(const double *before, size_t before_len, const double *after,
                                    size_t after_len, struct um_mann_whitney *out);

/* About how many runs each side needs for the test to find a change of `fraction` (0.05 for 5 %)
 * in 95 of 100 tries, given how much these runs differ within their own side.
 * Returns UM_MANN_WHITNEY_MOST_RUNS + 1 for more than that many, and 0 where it cannot be known:
 * fewer than two runs on each side, a median of 0, or no memory.
 * Source: smoothed bootstrap of the residuals, bandwidth after B. Silverman, "Density Estimation",
 * 1986, eq. 3.31; seeded. */
uint32_t um_mann_whitney_runs_needed(const double *before, size_t before_len, const double *after,
                                     size_t after_len, double fraction);

#endif
