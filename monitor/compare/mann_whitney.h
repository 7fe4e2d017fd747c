/* The test that decides whether two builds differ, and how many runs it takes to see a difference.
 *
 * It takes one number for each run, such as a median: runs are independent of one another, the keys
 * within a run are not. It looks only at the order of the runs. So one bad run cannot change the
 * answer, and nothing is assumed about the distribution; that of latencies is not normal. Sources:
 * H. Mann, D. Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger
 * than the Other", Ann. Math. Stat. 18, 1947; the exact distribution, ties included, by B.
 * Streitberg, J. Roehmel, "Exact Distributions for Permutation and Rank Tests", Stat. Software
 * Newsletter 12, 1986 (the shift algorithm). Not on the hot path; no function blocks.
 */
#ifndef UM_MONITOR_MANN_WHITNEY_H
#define UM_MONITOR_MANN_WHITNEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

#define UM_MANN_WHITNEY_ALPHA 0.05

/* With fewer runs than this on a side there is no verdict: 3 against 3 runs can never reach a
 * two-sided p of 0.05, 4 against 4 can reach 0.029. */
#define UM_MANN_WHITNEY_LEAST 4

/* Up to this many runs on both sides together, p is exact. Above it p is the normal approximation,
 * corrected for ties and continuity. */
#define UM_MANN_WHITNEY_EXACT 50

/* The most runs a side that um_mann_whitney_runs_needed tries. */
#define UM_MANN_WHITNEY_MOST_RUNS 100

struct um_mann_whitney {
    double u;           /* pairs in which the run of AFTER is larger; equal pairs count half */
    double superiority; /* u as a share of all pairs: 0.5 if the sides do not differ */
    double delta;       /* Cliff's delta, -1 to 1: 2 * superiority - 1 */
    double p;           /* two-sided */
    bool exact;
};

/* Tests whether both sides come from the same distribution. All numbers must be finite.
 * Errors: UM_ERR_ARG a side is empty; UM_ERR_MEMORY. */
enum um_status um_mann_whitney_test(const double *before, size_t before_len, const double *after,
                                    size_t after_len, struct um_mann_whitney *out);

/* Whether the test's p is at most `level`, and which side is larger then: 1 AFTER, -1 BEFORE, 0
 * if p is above the level. For thousands of tests in a row: the exact p is only counted where
 * the normal approximation is within a factor of UM_MANN_WHITNEY_DOUBT of the level. For sides
 * of at least UM_MANN_WHITNEY_QUICK runs. Errors: as um_mann_whitney_test. */
#define UM_MANN_WHITNEY_DOUBT 4
#define UM_MANN_WHITNEY_QUICK 8
enum um_status um_mann_whitney_finds(const double *before, size_t before_len, const double *after,
                                     size_t after_len, double level, int *sign);

/* About how many runs each side needs so that the test finds a change of `fraction` (0.05 for 5 %)
 * in 95 of 100 tries, judged by how much these runs differ within their own side. Returns
 * UM_MANN_WHITNEY_MOST_RUNS + 1 if that many are not enough, and 0 if that is unknown: a side has
 * fewer than two runs or a median of 0, or there is no memory.
 * Source: smoothed bootstrap of the residuals, bandwidth after B. Silverman, "Density Estimation",
 * 1986, eq. 3.31; seeded. */
uint32_t um_mann_whitney_runs_needed(const double *before, size_t before_len, const double *after,
                                     size_t after_len, double fraction);

#endif
