/* Finds where a series of numbers changes: E-divisive, with a test by permutation.
 *
 * The series can be cut between any two neighbours. The best cut makes two groups that differ most
 * from one another and least within. A test shows whether chance alone would make such groups: the
 * numbers are shuffled within each piece again and again, and each time the best cut is searched
 * anew. If the cut is not due to chance, it is a change point, and both pieces are searched in the
 * same way. Nothing is assumed about the distribution. A slow drift is found as well, although no
 * two neighbours differ much.
 *
 * Pure, and seeded: the same numbers always give the same changes. Start at um_divisive_find. Not
 * on the hot path.
 * Source: D. Matteson, N. James, "A Nonparametric Approach for Multiple Change Point Analysis of
 * Multivariate Data", JASA 109, 2014, with alpha = 1. As there, the right group may end anywhere
 * after the cut, and not only at the end of the series: otherwise a change that was reverted later
 * would be hard to see.
 */
#ifndef UM_MONITOR_DIVISIVE_H
#define UM_MONITOR_DIVISIVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

/* The most numbers that a series can have. The time grows with the square of it. */
#define UM_DIVISIVE_MOST 1000

/* How a series is searched. */
struct um_divisive_config {
    size_t least;          /* a piece has at least so many numbers; from 2 on */
    uint32_t permutations; /* in each test, besides the series itself; from 1 on */
    double level;          /* p up to this is a change */
};

/* What uimon uses. Pieces have at least 3 numbers, so that one or two odd results are no change.
 * The level is 1 %, with 499 permutations: a history has some ten series, and at 5 % four of ten
 * histories would show a false change. With fewer than 10 numbers no p is below 1 %. */
extern const struct um_divisive_config um_divisive_config;

struct um_divisive_change {
    size_t at; /* the first number of the new piece */
    double p;  /* the share of orders with as good a cut: the permutations and the series itself */
};

/* Finds all changes, sorted by `at`. All numbers must be finite.
 * `changes` has room for len / config->least of them.
 * Errors: UM_ERR_ARG `len` is above UM_DIVISIVE_MOST, or the config is not as said above;
 * UM_ERR_MEMORY. */
enum um_status um_divisive_find(const double *values, size_t len,
                                const struct um_divisive_config *config,
                                struct um_divisive_change *changes, size_t *count);

/* Finds the best cut of a series, whether it is significant or not: the first number of the right
 * group, and the distance of the groups, Q of the paper's equation 5. The cut is 0 if the series is
 * too short for two pieces.
 * Errors: UM_ERR_ARG `least` is below 2; UM_ERR_MEMORY. */
enum um_status um_divisive_best(const double *values, size_t len, size_t least, size_t *cut,
                                double *distance);

#endif
