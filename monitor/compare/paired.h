/* Whether two builds differ that were measured in pairs, one run of each in random order.
 *
 * A machine drifts: it grows warm, caches fill, something else begins to work. Two runs of a pair
 * have nearly the same drift, and which of them came first was chosen at random. So if the builds
 * do not differ, each pair might as well have come out the other way round. The statistic is the
 * rank sum of all runs of AFTER among the runs of both sides. Its distribution comes from swapping
 * the sides within pairs; all ways to do that are equally likely. Nothing is assumed about how the
 * times are distributed, nor that they stay the same over the sitting.
 *
 * The distribution is exact for any number of pairs: the swaps are not drawn but counted, by the
 * shift algorithm that mann_whitney.h uses too. Sources: E. Pitman, "Significance Tests which may
 * be Applied to Samples from any Populations", J. R. Stat. Soc. Suppl. 4, 1937; B. Streitberg, J.
 * Roehmel, as in mann_whitney.h. Pure; not on the hot path; no function blocks.
 */
#ifndef UM_MONITOR_PAIRED_H
#define UM_MONITOR_PAIRED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/plain/status.h"

#define UM_PAIRED_MOST 250 /* pairs: the work grows with their third power */

/* With fewer pairs than this there is no verdict: 5 pairs can never reach a two-sided p of 0.05, 6
 * can reach 0.032. */
#define UM_PAIRED_LEAST 6

/* The unit of a change: a share of BEFORE (0.05 is 5 % more), or an amount. */
enum um_paired_scale { UM_PAIRED_SHARE, UM_PAIRED_AMOUNT };

/* Takes a change out of a run of AFTER. */
static inline double um_paired_take_back(double after, enum um_paired_scale scale, double change)
{
    return scale == UM_PAIRED_SHARE ? after / (1 + change) : after - change;
}

/* The two-sided p of "AFTER is BEFORE changed by `change`", against anything else; 0 tests whether
 * there is a difference. `sign` (may be NULL) gets 1 if AFTER is larger than that, -1 if it is
 * smaller, 0 if neither.
 * Units: before[i] and after[i] are a pair; all finite. A share is above -1.
 * Errors: UM_ERR_ARG no pairs, too many, or such a number; UM_ERR_MEMORY. */
enum um_status um_paired_test(const double *before, const double *after, size_t pairs,
                              enum um_paired_scale scale, double change, double *p, int *sign);

struct um_paired_interval {
    double low, high; /* the changes that the test does not reject; infinite if there is no end */
    double estimate;  /* if this change is taken out of AFTER, the rank sum shows no difference */
};

/* Finds the changes that the test does not reject at level `alpha`. In 1 - `alpha` of all sittings
 * the true change is among them. Units: as above; for a share all numbers are above 0.
 * Errors: as above; also UM_ERR_ARG for a level that is not between 0 and 1. */
enum um_status um_paired_find_interval(const double *before, const double *after, size_t pairs,
                                       enum um_paired_scale scale, double alpha,
                                       struct um_paired_interval *out);

#endif
