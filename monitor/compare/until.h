/* When a sitting of pairs may stop: as soon as the answer is known, or at its last pair.
 *
 * The sitting looks at its results after 8 pairs, after 10, 12 and so on. A look tests at a level
 * of its own (alpha_spending.h). The sides differ if the test rejects "no difference". They are the
 * same if it rejects both a change by the share that was asked for (`within`) and one by its
 * negative. Pure; start at um_until_plan. Not on the hot path.
 */
#ifndef UM_MONITOR_UNTIL_H
#define UM_MONITOR_UNTIL_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/compare/alpha_spending.h"
#include "monitor/compare/paired.h"

#define UM_UNTIL_FIRST 8 /* pairs; with fewer no difference could be shown */
#define UM_UNTIL_STEP 2
#define UM_UNTIL_ALPHA 0.05

/* The plan of a sitting. It owns nothing. */
struct um_until {
    double within; /* a change that is too small to matter; a share, as 0.05 */
    size_t looks;
    uint32_t pairs[UM_ALPHA_SPENDING_MOST];
    double levels[UM_ALPHA_SPENDING_MOST];
};

enum um_until_answer {
    UM_UNTIL_FASTER,
    UM_UNTIL_SLOWER,
    UM_UNTIL_SAME,       /* the change is less than `within`, either way */
    UM_UNTIL_CANNOT_TELL /* none of these is shown */
};

/* Makes the plan for `most` pairs at most, at a level of `alpha` for all looks together, which is
 * usually UM_UNTIL_ALPHA.
 * Errors: UM_ERR_ARG fewer than UM_UNTIL_FIRST pairs or more than UM_PAIRED_MOST, or a share or
 * level that is not above 0 and below 1; UM_ERR_MEMORY. */
enum um_status um_until_plan(uint32_t most, double within, double alpha, struct um_until *out);

/* The level of the look after so many pairs; 0 if there is none. */
double um_until_level(const struct um_until *until, uint32_t pairs);

/* The answer of these pairs at `level`. `within` as in the plan; 0: UM_UNTIL_SAME is not asked for.
 * `p` gets the p of "there is no difference". Errors: as um_paired_test. */
enum um_status um_until_decide(const double *before, const double *after, size_t pairs,
                               double level, double within, enum um_until_answer *answer,
                               double *p);

#endif
