/* Finds where a series of numbers changes: E-divisive, with a test by permutation.
 *
 * Between each two neighbours the series could be cut. The cut that is best parts the numbers into
 * two groups that differ most from one another and least within. A test says whether chance alone
 * would part them as far: within each piece the numbers are shuffled again and again, and each time
 * the best cut is looked for anew. If it is no chance, the cut is a change point, and both pieces
 * are looked at in the same way. Nothing is assumed about the distribution, and no two neighbours
 * need differ: of a slow drift the pieces before and after differ.
 *
 * Pure, and seeded: the same numbers always give the same changes. Start at um_divisive_find. Not
 * on the hot path; no function waits.
 * Source: D. Matteson, N. James, "A Nonparametric Approach for Multiple Change Point Analysis of
 * Multivariate Data", JASA 109, 2014, with alpha = 1. As there, a cut is judged by the numbers up
 * to some later place, and not always by those up to the end: otherwise a change that was taken
 * back would be hard to see.
 */
#ifndef UM_MONITOR_DIVISIVE_H
#define UM_MONITOR_DIVISIVE_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"

/* The most numbers that a series can have. The time grows with the square of it. */
#define UM_DIVISIVE_MOST 1000

/* How a series is looked at. um_divisive_config has what uimon uses. */
struct um_divisive_config {
    size_t least;          /* a piece has at least so many numbers; from 2 on */
    uint32_t permutations; /* in each test, besides the series as it is; from 1 on */
    double level;          /* p up to this is a change */
};

/* Pieces of 3, so that one or two odd runs of a machine are no change. 499 permutations at the
 * level of 1 %: a history has some ten series, and at 5 % four of ten histories would show a change
 * where there is none. With fewer than 10 numbers no p comes down to 1 %. */
extern const struct um_divisive_config um_divisive_config;

struct um_divisive_change {
    size_t at; /* the first number of the new piece */
    double p;  /* the share of permutations that part as far, the series as it is among them */
};

/* Finds all changes, sorted by `at`. All numbers must be finite.
 * `changes` has room for len / config->least of them.
 * Errors: UM_ERR_ARG `len` is above UM_DIVISIVE_MOST, or the config is not as said above;
 * UM_ERR_MEMORY. */
enum um_status um_divisive_find(const double *values, size_t len,
                                const struct um_divisive_config *config,
                                struct um_divisive_change *changes, size_t *count);

/* How far the first `split` of `len` numbers differ from the rest: the Q of the paper's equation 5.
 * Both groups have 2 numbers or more. Units: those of the numbers. */
double um_divisive_distance(const double *values, size_t len, size_t split);

/* Finds the best cut of a series, whether it is significant or not: the first number of the right
 * group, and its Q. The cut is 0 if the series is too short for two pieces.
 * Errors: UM_ERR_ARG `least` is below 2; UM_ERR_MEMORY. */
enum um_status um_divisive_best(const double *values, size_t len, size_t least, size_t *cut,
                                double *distance);

#endif
