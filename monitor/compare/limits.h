/* The limits of --fail-over: bounds that a statistic of the AFTER side must not exceed.
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
 * There are three answers. A limit is kept if the runs show that the true value is below the bound,
 * and exceeded if they show that it is above. Otherwise there are too few runs to know, and the
 * finding says how many it would take. So a limit neither fails nor passes by chance.
 *
 * The statistic of each run is tested. A bound relative to BEFORE uses the test of the comparison:
 * is AFTER equal to BEFORE changed by exactly the bound? An absolute bound uses the sign test: do
 * as many runs lie above the bound as below? A limit on max needs no test, because one value above
 * it is enough. All limits together are wrong in at most one comparison of twenty. Sources: W.
 * Conover, "Practical Nonparametric Statistics", 3.4 (sign test); S. Holm, "A Simple Sequentially
 * Rejective Multiple Test Procedure", Scand. J. Stat. 6, 1979.
 *
 * A limit cannot be checked if inputs are missing, because these may be the slowest ones: if more
 * than 1 % of the inputs sent in AFTER are missing, or if the share of interactions with this
 * quantity is smaller in AFTER than in BEFORE by more than 1 %. For a relative limit the same holds
 * for BEFORE. For a limit on max one missing input is enough. A limit on a time of the startup
 * cannot be checked if fewer than half of the side's runs have it, nor can a share of a statistic
 * that is 0 in BEFORE. Not on the hot path.
 */
#ifndef UM_MONITOR_LIMITS_H
#define UM_MONITOR_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/compare/comparison.h"

#define UM_LIMITS_ERROR_BYTES 512

enum um_limits_bound {
    UM_LIMITS_ABSOLUTE, /* `value` in milliseconds */
    UM_LIMITS_MORE_MS,  /* more than BEFORE by `value` milliseconds */
    UM_LIMITS_MORE_PERCENT
};

struct um_limits_limit {
    const char *text; /* as written */
    char measure[UM_RESULTS_NAME_BYTES];
    bool has_quantity; /* the text names it */
    enum um_comparison_quantity quantity;
    enum um_compare_statistic statistic;
    enum um_limits_bound bound;
    double value;
};

/* Reads a limit. Owner: `text` must outlive `out`.
 * Errors: UM_ERR_ARG; `error` has the line to print. */
enum um_status um_limits_parse(const char *text, struct um_limits_limit *out, char *error,
                               size_t error_cap);

/* A measure that limits can name, and its quantities: 1u << enum um_comparison_quantity each. */
struct um_limits_measure {
    const char *name;
    uint32_t quantities;
};

/* The measures that there are or will be. `where` is for errors: "" or " in the scenario". */
struct um_limits_names {
    const struct um_limits_measure *list;
    size_t count; /* UM_LIMITS_NAMES_MOST at most */
    const char *where;
};
#define UM_LIMITS_NAMES_MOST (2 * UM_RESULTS_MEASURES)

/* Whether the limit is one relative to BEFORE. */
bool um_limits_is_relative(const struct um_limits_limit *limit);

/* Checks that there is a measure with the limit's quantity.
 * Errors: UM_ERR_NOT_FOUND; `error` has the line to print, which names what there is. */
enum um_status um_limits_check_names(const struct um_limits_limit *limit,
                                     const struct um_limits_names *names, char *error,
                                     size_t error_cap);

/* The same for a measure alone, as an option names it: "--measure typing". */
enum um_status um_limits_check_measure(const char *option, const char *measure,
                                       const struct um_limits_names *names, char *error,
                                       size_t error_cap);

/* The answer about a limit in one measure. */
enum um_limits_outcome {
    UM_LIMITS_KEPT,
    UM_LIMITS_EXCEEDED,
    UM_LIMITS_CANNOT_TELL,
    UM_LIMITS_UNCHECKED, /* something was not measured that may decide the answer */
    UM_LIMITS_OUTCOMES
};

/* "kept", "exceeded", "cannot tell", "unchecked". */
const char *um_limits_outcome_name(enum um_limits_outcome outcome);

struct um_limits_finding {
    enum um_limits_outcome outcome;
    bool open; /* more runs may decide it: there are too few, or the share of missing inputs may
                  become small */
    char line[UM_LIMITS_ERROR_BYTES]; /* the line to print, without a newline */
};

/* The findings of all limits, and how many have each outcome. */
struct um_limits_findings {
    struct um_limits_finding *list;
    size_t count;
    size_t outcomes[UM_LIMITS_OUTCOMES];
    size_t open;
};

/* Checks all limits. Each gives a finding for each measure that it names. Owner: um_limits_free.
 * Errors: UM_ERR_NOT_FOUND no measure has what a limit names: `error` has the line to print;
 * UM_ERR_MEMORY. */
enum um_status um_limits_check(const struct um_limits_limit *limits, size_t count,
                               const struct um_comparison *comparison,
                               struct um_limits_findings *out, char *error, size_t error_cap);

/* Accepts a zeroed struct. */
void um_limits_free(struct um_limits_findings *findings);

#endif
