/* Says how sure a result must be at each look, where one looks several times and stops when the
 * result is clear.
 *
 * Each look is another chance to be wrong: somebody who looks after each pair and stops at p < 0.05
 * calls the same build different in a third of all sittings. So the looks share the chance of a
 * mistake, alpha. The first looks get little of it and the last ones most, after O'Brien and
 * Fleming: when the share t of the pairs is measured, 2 - 2 * Phi(z / sqrt(t)) is used up on either
 * side. z is the normal deviate that is exceeded with a chance of alpha / 4, so that alpha / 2 is
 * used up on either side at the end. Each look's own level follows from that: a sum of independent
 * parts crosses the look's boundary for the first time with the chance that this look adds.
 * Sources: P. O'Brien, T. Fleming, "A Multiple Testing Procedure for Clinical Trials", Biometrics
 * 35, 1979; K. Lan, D. DeMets, "Discrete Sequential Boundaries for Clinical Trials", Biometrika 70,
 * 1983; the recursion: P. Armitage, C. McPherson, B. Rowe, "Repeated Significance Tests on
 * Accumulating Data", J. R. Stat. Soc. A 132, 1969. Pure; not on the hot path.
 */
#ifndef UM_MONITOR_ALPHA_SPENDING_H
#define UM_MONITOR_ALPHA_SPENDING_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

#define UM_ALPHA_SPENDING_MOST 128

/* The two-sided level of each look. `pairs` says after how many pairs each look is, rising; the
 * last one is the sitting's end. Units: `levels` has room for `count`.
 * Errors: UM_ERR_ARG no looks, too many, not rising, or alpha not between 0 and 1;
 * UM_ERR_MEMORY. */
enum um_status um_alpha_spending_levels(const uint32_t *pairs, size_t count, double alpha,
                                        double *levels);

#endif
