/* When a sitting of pairs may stop: as soon as it knows, or at its last pair.
 *
 * It looks after 8 pairs, after 10, 12 and so on. A look knows if the interval at its own level
 * (looks.h) says that there is a difference, because 0 is outside, or that there is none worth
 * speaking of, because all of the interval is within the change that was asked for. Pure; start at
 * um_until_look. Not on the hot path.
 */
#ifndef UM_MONITOR_UNTIL_H
#define UM_MONITOR_UNTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/compare/looks.h"
#include "monitor/compare/paired.h"

#define UM_UNTIL_FIRST 8 /* pairs; with fewer no difference could be shown */
#define UM_UNTIL_STEP 2
#define UM_UNTIL_ALPHA 0.05

/* The plan of a sitting. It owns nothing. */
struct um_until {
    double within; /* a change that is not worth speaking of; a share, as 0.05 */
    size_t looks;
    uint32_t pairs[UM_LOOKS_MOST];
    double levels[UM_LOOKS_MOST];
};

enum um_until_answer {
    UM_UNTIL_GO_ON,
    UM_UNTIL_FASTER,
    UM_UNTIL_SLOWER,
    UM_UNTIL_SAME,       /* the change is less than `within`, either way */
    UM_UNTIL_CANNOT_TELL /* all pairs are measured, and neither is shown */
};

/* Makes the plan for `most` pairs at most, at a level of `alpha` for all looks together, which is
 * UM_UNTIL_ALPHA as a rule. With `once` it looks at the last pair only.
 * Errors: UM_ERR_ARG fewer than UM_UNTIL_FIRST pairs or more than UM_PAIRED_MOST, or a share that
 * or level that is not above 0 and below 1; UM_ERR_MEMORY. */
enum um_status um_until_plan(uint32_t most, bool once, double within, double alpha,
                             struct um_until *out);

/* The level of the look after so many pairs; 0 if there is none. */
double um_until_level(const struct um_until *until, uint32_t pairs);

/* What pairs say at a level: never UM_UNTIL_GO_ON. `within` as in the plan; 0: it is not asked
 * whether they are the same. `p` gets that of "there is no difference".
 * Errors: as um_paired_test. */
enum um_status um_until_decide(const double *before, const double *after, size_t pairs,
                               double level, double within, enum um_until_answer *answer,
                               double *p);

/* What these pairs say, of which all up to the last one were looked at before. Between two looks it
 * says to go on. Errors: as um_paired_test. */
enum um_status um_until_look(const struct um_until *until, const double *before,
                             const double *after, uint32_t pairs, enum um_until_answer *answer);

#endif
