/* Compares one quantity of two builds: statistics, their change with an interval, the verdict.
 *
 * Pure: the same values always give the same numbers. Start at um_compare_groups. The verdict rests
 * on one test (mann_whitney.h, on the median of each run); everything else describes. Not on the
 * hot path; no function blocks.
 */
#ifndef UM_MONITOR_COMPARE_H
#define UM_MONITOR_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/compare/mann_whitney.h"

/* Where no difference was found, a comparison says how many runs would show a change this large. */
#define UM_COMPARE_SHOWN_CHANGE 0.05

enum um_compare_statistic {
    UM_COMPARE_P50,
    UM_COMPARE_P75,
    UM_COMPARE_P90,
    UM_COMPARE_P95,
    UM_COMPARE_P98,
    UM_COMPARE_P99,
    UM_COMPARE_MAX,
    UM_COMPARE_MEAN,
    UM_COMPARE_STATISTICS
};

/* "p50", "max"... */
const char *um_compare_statistic_name(enum um_compare_statistic statistic);

struct um_compare_value {
    double value; /* finite; in milliseconds as a rule, but any unit will do */
    uint32_t run; /* below the group's `runs` */
};

/* All values of one side. Owner: the caller's memory; sorted by um_compare_sort. */
struct um_compare_group {
    struct um_compare_value *values;
    size_t len;
    uint32_t runs; /* of this side, including those without a value here */
};

/* Sorts a group by value; every other function needs it sorted. */
void um_compare_sort(struct um_compare_group *group);

/* A statistic of all values together; NAN if there are none.
 * Source: definition 2 of R. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", The
 * American Statistician 50(4), 1996: the median of an even number is the mean of the middle two. */
double um_compare_statistic_of(const struct um_compare_group *group,
                               enum um_compare_statistic statistic);

/* Writes the statistic of each run that has values to `out`, which has room for `group->runs`.
 * Returns how many these are. */
size_t um_compare_of_runs(const struct um_compare_group *group, enum um_compare_statistic statistic,
                          double *out);

enum um_compare_verdict {
    UM_COMPARE_NO_DIFFERENCE, /* none that this many runs can show */
    UM_COMPARE_FASTER,        /* AFTER is smaller */
    UM_COMPARE_SLOWER,
    UM_COMPARE_TOO_FEW, /* fewer runs than UM_MANN_WHITNEY_LEAST on a side */
    UM_COMPARE_MISSING, /* missing inputs may be the difference; only comparison.h gives this one */
    UM_COMPARE_VERDICTS
};

/* "faster", "no difference"... */
const char *um_compare_verdict_name(enum um_compare_verdict verdict);

/* Tests and decides, from one number for each run of both sides. `test` is filled if each side has
 * a run.
 * Errors: UM_ERR_ARG a side is empty; UM_ERR_MEMORY. */
enum um_status um_compare_decide(const double *before, size_t before_len, const double *after,
                                 size_t after_len, struct um_mann_whitney *test,
                                 enum um_compare_verdict *verdict);

/* A statistic on both sides and its change. In about 95 of 100 comparisons the true change lies
 * within the interval.
 * Source: percentile cluster bootstrap (whole runs are drawn) of 2,000 seeded resamples, widened
 * for few runs as T. Hesterberg, "What Teachers Should Know About the Bootstrap", The American
 * Statistician 69(4), 2015, section 3.2 does. */
struct um_compare_change {
    double before, after;
    bool has_interval;            /* each side has UM_MANN_WHITNEY_LEAST runs */
    double low, high;             /* of after - before */
    bool has_share;               /* `before` is above 0, also in the resamples */
    double share;                 /* after / before - 1 */
    double share_low, share_high; /* its interval, if has_interval */
};

struct um_compare_result {
    uint32_t before_runs, after_runs; /* runs that have values */
    struct um_compare_change median, p90;
    struct um_mann_whitney test; /* on the median of each run */
    enum um_compare_verdict verdict;
    /* Runs on each side that would show UM_COMPARE_SHOWN_CHANGE, as um_mann_whitney_runs_needed
     * says. Computed for UM_COMPARE_NO_DIFFERENCE and UM_COMPARE_TOO_FEW, else 0. */
    uint32_t runs_needed;
};

/* Compares both sides of one quantity.
 * Errors: UM_ERR_ARG a side has no values; UM_ERR_MEMORY. */
enum um_status um_compare_groups(const struct um_compare_group *before,
                                 const struct um_compare_group *after,
                                 struct um_compare_result *out);

#endif
