/* The limits of --fail-over: what a statistic of the AFTER side must not exceed.
 *
 *   limit     = quantity "=" bound
 *   quantity  = measure ["." quantity] ["." statistic]
 *   bound     = number ("ms" | "s")               AFTER's statistic must not be above it
 *             | "+" number ("%" | "ms" | "s")     or not more than that above BEFORE's
 *
 * measure is the name of a measure, "startup", or "*" for every measure that has the quantity.
 * quantity is one of comparison.h, "total" if left out; statistic is one of compare.h, "p50" if
 * left out. Blanks do not matter. Examples: typing.p90=+5%, typing.p90=50ms, typing.delay.p98=+2ms,
 * startup.idle=+10%, *.p90=+5%.
 *
 * A limit relative to BEFORE is exceeded if AFTER is that much above it *and* the difference is
 * real: the test of mann_whitney.h, on the statistic of each run, must say slower. Without the
 * test, chance would fail unchanged builds, and people switch off a gate that does so. With too few
 * runs for the test the limit cannot be checked. That fails too, so that a gate which checks
 * nothing is noticed.
 *
 * A limit cannot be checked either if inputs are missing, because these may be the slowest ones.
 * That is so if more than 1 % of the inputs sent in AFTER are missing, or if the share of
 * interactions with this quantity is smaller in AFTER than in BEFORE by more than 1 %. For a
 * relative limit the same holds for BEFORE. For a limit on max one missing input is enough. A limit
 * on a time of the startup cannot be checked if fewer than half of the runs of such a side have it.
 * Not on the hot path.
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
    bool has_quantity, has_statistic; /* whether the text names them */
    enum um_comparison_quantity quantity;
    enum um_compare_statistic statistic;
    enum um_limits_bound bound;
    double value;
};

/* Reads a limit. Owner: `text` must outlive `out`.
 * Errors: UM_ERR_ARG; `error` has the line to print. */
enum um_status um_limits_parse(const char *text, struct um_limits_limit *out, char *error,
                               size_t error_cap);

/* What became of a limit in one measure. */
enum um_limits_outcome {
    UM_LIMITS_KEPT,
    UM_LIMITS_CHANCE, /* AFTER is above it, but that may be chance */
    UM_LIMITS_EXCEEDED,
    UM_LIMITS_UNCHECKED, /* it could not be checked */
    UM_LIMITS_OUTCOMES
};

struct um_limits_finding {
    enum um_limits_outcome outcome;
    char line[UM_LIMITS_ERROR_BYTES]; /* the line to print, without a newline */
};

/* Checks a limit; `take` gets a finding for each measure that the limit is about.
 * Errors: UM_ERR_NOT_FOUND no measure has what the limit names: `error` has the line to print;
 * UM_ERR_MEMORY. */
enum um_status um_limits_check(const struct um_limits_limit *limit,
                               const struct um_comparison *comparison,
                               void (*take)(void *context, const struct um_limits_finding *finding),
                               void *context, char *error, size_t error_cap);

#endif
