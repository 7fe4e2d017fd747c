/* What --fail-over says: a limit that a statistic of the AFTER side must not exceed.
 *
 *   limit     = quantity "=" bound
 *   quantity  = measure ["." quantity] ["." statistic]
 *   bound     = number ("ms" | "s")               AFTER's statistic is not to be above it
 *             | "+" number ("%" | "ms" | "s")     nor that much above BEFORE's
 *
 * measure is a measure's name, "startup", or "*" for every measure that has the quantity; quantity
 * one of comparison.h's, "total" if it is left out; statistic one of compare.h's, "p50" if it is
 * left out. Blanks do not matter. Examples: typing.p90=+5%, typing.p90=50ms,
 * typing.delay.p98=+2ms, startup.idle=+10%, *.p90=+5%.
 *
 * A limit relative to BEFORE is exceeded when AFTER is that much above *and* the difference is
 * real: the test of mann_whitney.h, on the statistic of each run, must say slower. Without the
 * second half a gate of 5 % would fail an unchanged build as often as chance moves it by 5 %, and
 * people switch off a gate that does so. With too few runs for the test it cannot be checked, which
 * is a failure of its own: a gate that looks at nothing is not to be green.
 *
 * Nor can a limit be checked where inputs are missing that may have been the slowest ones: more
 * than 1 % of those that were sent in AFTER, or it knows the quantity of a share of its
 * interactions that is smaller than BEFORE's by more than 1 %. A limit relative to BEFORE asks the
 * same of BEFORE. The maximum may be any input's: for a limit on max, one missing is enough. Not on
 * the hot path.
 */
#ifndef UM_MONITOR_LIMITS_H
#define UM_MONITOR_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "ipc/status.h"
#include "monitor/compare/comparison.h"

#define UM_LIMITS_ERROR_BYTES 512

enum um_limits_bound {
    UM_LIMITS_ABSOLUTE, /* `value` in milliseconds */
    UM_LIMITS_MORE_MS,  /* than BEFORE */
    UM_LIMITS_MORE_PERCENT
};

struct um_limits_limit {
    const char *text; /* as written */
    char measure[UM_RESULTS_NAME_BYTES];
    bool has_quantity, has_statistic; /* whether they were written */
    enum um_comparison_quantity quantity;
    enum um_compare_statistic statistic;
    enum um_limits_bound bound;
    double value;
};

/* Reads a limit. Owner: `text` must outlive `out`.
 * Errors: UM_ERR_ARG; `error` has the line to print. */
enum um_status um_limits_parse(const char *text, struct um_limits_limit *out, char *error,
                               size_t error_cap);

/* What a limit came to in one measure. */
enum um_limits_outcome {
    UM_LIMITS_KEPT,
    UM_LIMITS_CHANCE, /* over it, but the runs cannot tell that from chance */
    UM_LIMITS_EXCEEDED,
    UM_LIMITS_UNCHECKED, /* it could not be checked */
    UM_LIMITS_OUTCOMES
};

struct um_limits_finding {
    enum um_limits_outcome outcome;
    char line[UM_LIMITS_ERROR_BYTES]; /* what to print of it, without a newline */
};

/* Checks a limit against a comparison; `take` gets a finding for each measure that it is about.
 * Errors: UM_ERR_NOT_FOUND no measure has what it names: `error` has the line to print;
 * UM_ERR_MEMORY. */
enum um_status um_limits_check(const struct um_limits_limit *limit,
                               const struct um_comparison *comparison,
                               void (*take)(void *context, const struct um_limits_finding *finding),
                               void *context, char *error, size_t error_cap);

#endif
