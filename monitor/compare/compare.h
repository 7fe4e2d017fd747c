/* What two builds' runs say of one quantity: statistics, their change with an interval, the
 * verdict.
 *
 * Pure: values in, numbers out, and the same values give the same numbers, always. Start at
 * um_compare_groups. One test decides the verdict (mann_whitney.h, on the median of each run); all
 * else is description. Not on the hot path; no function blocks.
 */
#ifndef UM_MONITOR_COMPARE_H
#define UM_MONITOR_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/compare/mann_whitney.h"

/* A change that a comparison without a result is said to have enough runs for. */
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
    double value; /* finite; in milliseconds as a rule, the functions do not mind */
    uint32_t run; /* below the group's `runs` */
};

/* All values of one side. Owner: the caller's memory; sorted by um_compare_sort. */
struct um_compare_group {
    struct um_compare_value *values;
    size_t len;
    uint32_t runs; /* of which some may have no value */
};

/* Sorts a group by value; every other function needs it sorted. */
void um_compare_sort(struct um_compare_group *group);

/* A statistic of all values together; NAN if there are none.
 * Source: definition 2 of R. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", The
 * American Statistician 50(4), 1996: the median of an even number is the mean of the middle two. */
double um_compare_statistic_of(const struct um_compare_group *group,
                               enum um_compare_statistic statistic);

/* The statistic of each run that has values, into `out`, which has room for `group->runs`.
 * Returns how many they are. */
size_t um_compare_of_runs(const struct um_compare_group *group, enum um_compare_statistic statistic,
                          double *out);

enum um_compare_verdict {
    UM_COMPARE_NO_DIFFERENCE, /* that this many runs can show */
    UM_COMPARE_FASTER,        /* after is smaller */
    UM_COMPARE_SLOWER,
    UM_COMPARE_TOO_FEW, /* runs for any verdict: UM_MANN_WHITNEY_LEAST a side */
    UM_COMPARE_MISSING, /* inputs may be the difference: comparison.h says so, never this module */
    UM_COMPARE_VERDICTS
};

/* "faster", "no difference"... */
const char *um_compare_verdict_name(enum um_compare_verdict verdict);

/* What one number for each run and side decides. `test` is filled when there is a run on each side.
 * Errors: UM_ERR_ARG a side is empty; UM_ERR_MEMORY. */
enum um_status um_compare_decide(const double *before, size_t before_len, const double *after,
                                 size_t after_len, struct um_mann_whitney *test,
                                 enum um_compare_verdict *verdict);

/* A statistic on both sides. The interval holds the true change in about 95 of 100 comparisons.
 * Source: percentile cluster bootstrap (whole runs are drawn) of 2,000 seeded resamples, widened
 * for few runs as T. Hesterberg, "What Teachers Should Know About the Bootstrap", The American
 * Statistician 69(4), 2015, section 3.2 does. */
struct um_compare_change {
    double before, after;
    bool has_interval; /* UM_MANN_WHITNEY_LEAST runs a side */
    double low, high;  /* of after - before */
    bool has_share;    /* before is above 0, also in the resamples */
    double share, share_low,
        share_high; /* of after / before - 1; with an interval the latter two */
};

struct um_compare_result {
    uint32_t before_runs, after_runs; /* which have values */
    struct um_compare_change median, p90;
    struct um_mann_whitney test; /* on the median of each run */
    enum um_compare_verdict verdict;
    uint32_t runs_needed; /* a side, to show UM_COMPARE_SHOWN_CHANGE; see mann_whitney.h; computed
                             only where there is no difference or no verdict */
};

/* Compares both sides in one quantity.
 * Errors: UM_ERR_ARG a side has no values; UM_ERR_MEMORY. */
enum um_status um_compare_groups(const struct um_compare_group *before,
                                 const struct um_compare_group *after,
                                 struct um_compare_result *out);

#endif
