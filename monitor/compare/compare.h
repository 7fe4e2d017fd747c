/* Compares one quantity of two builds: statistics, their change with an interval, the verdict.
 *
 * Pure: the same values always give the same numbers. Start at um_compare_groups. One test on the
 * medians of the runs decides the verdict: that of paired.h for runs made in pairs, that of
 * mann_whitney.h for two sittings. All other numbers only describe. Not on the hot path.
 */
#ifndef UM_MONITOR_COMPARE_H
#define UM_MONITOR_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/compare/mann_whitney.h"
#include "monitor/compare/paired.h"

/* If no difference was found, a comparison says how many runs would show a change this large. */
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
    double value; /* finite; any unit, usually milliseconds */
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
 * Returns how many runs have values. */
size_t um_compare_of_runs(const struct um_compare_group *group, enum um_compare_statistic statistic,
                          double *out);

/* How the runs were made, and how sure a verdict must be. */
struct um_compare_design {
    bool paired;   /* run i of BEFORE and run i of AFTER are a pair; both sides have as many runs */
    double level;  /* of the test, two-sided */
    double within; /* pairs: UM_COMPARE_SAME if the change is less than this share; 0: never */
};

/* Two sittings, one after the other, at UM_MANN_WHITNEY_ALPHA. */
extern const struct um_compare_design um_compare_two_sittings;

/* One number for each run. In pairs both lists have the same length, and number i of both is a
 * pair. */
struct um_compare_runs {
    const double *before, *after;
    size_t before_len, after_len;
    double *room; /* the memory of both lists, from um_compare_take_runs; else NULL */
};

/* Computes a statistic of each run. Pairs of which a run has no values are left out. Owner:
 * um_compare_free_runs. Errors: UM_ERR_MEMORY. */
enum um_status um_compare_take_runs(const struct um_compare_design *design,
                                    const struct um_compare_group *before,
                                    const struct um_compare_group *after,
                                    enum um_compare_statistic statistic,
                                    struct um_compare_runs *out);

/* Accepts a zeroed struct. */
void um_compare_free_runs(struct um_compare_runs *runs);

/* The fewest runs a side with which the test can show a difference at 5 %. */
size_t um_compare_least_runs(const struct um_compare_design *design);

struct um_compare_change;

/* The change of a statistic. `runs` are those of um_compare_take_runs; with pairs there is at least
 * one. For two sittings it has no interval. Errors: as um_compare_against. */
enum um_status um_compare_find_change(const struct um_compare_design *design,
                                      const struct um_compare_group *before,
                                      const struct um_compare_group *after,
                                      enum um_compare_statistic statistic,
                                      const struct um_compare_runs *runs,
                                      struct um_compare_change *out);

/* The two-sided p of "AFTER is BEFORE changed by `change`"; `sign` says whether AFTER is above or
 * below that, as in um_paired_test. Errors: UM_ERR_ARG a side is empty, or pairs cannot be tested
 * (paired.h); UM_ERR_MEMORY. */
enum um_status um_compare_against(const struct um_compare_design *design,
                                  const struct um_compare_runs *runs, enum um_paired_scale scale,
                                  double change, double *p, int *sign);

/* About how many runs a side it takes to reject at `level` in 95 of 100 tries, if `runs` runs gave
 * `p`. Assumes that the test's normal deviate grows with the square root of the number of runs.
 * UM_COMPARE_MOST_RUNS + 1 if it takes more than UM_COMPARE_MOST_RUNS. */
uint32_t um_compare_runs_for(size_t runs, double p, double level);

#define UM_COMPARE_MOST_RUNS 1000

enum um_compare_verdict {
    UM_COMPARE_NO_DIFFERENCE, /* none that this many runs can show */
    UM_COMPARE_FASTER,        /* AFTER is smaller */
    UM_COMPARE_SLOWER,
    UM_COMPARE_SAME,    /* shown: the change is less than the design's `within` */
    UM_COMPARE_TOO_FEW, /* fewer runs than um_compare_least_runs on a side */
    UM_COMPARE_MISSING, /* missing inputs may be the difference; only comparison.h gives this one */
    UM_COMPARE_VERDICTS
};

/* "faster", "no difference"... */
const char *um_compare_verdict_name(enum um_compare_verdict verdict);

/* Tests, and gives the verdict. Each side has a run. With pairs, the p of `test` is that of the
 * pairs. Errors: as um_compare_against. */
enum um_status um_compare_decide(const struct um_compare_design *design,
                                 const struct um_compare_runs *runs, struct um_mann_whitney *test,
                                 enum um_compare_verdict *verdict);

/* Whether the slowest tenth lies further above the median in AFTER. Tests each run's p90 minus its
 * median; `p` gets the test's. False with too few runs. Errors: as um_compare_against. */
enum um_status um_compare_tail(const struct um_compare_design *design,
                               const struct um_compare_group *before,
                               const struct um_compare_group *after, bool *slower, double *p);

/* A statistic on both sides and its change. In about 95 of 100 comparisons the true change lies
 * within the interval. With pairs the interval is what the test does not reject at the design's
 * level, and the change is its centre, not the difference of `before` and `after`. Source for two
 * sittings: percentile cluster bootstrap (whole runs are drawn) of 2,000 seeded resamples, widened
 * for few runs as T. Hesterberg, "What Teachers Should Know About the Bootstrap", The American
 * Statistician 69(4), 2015, section 3.2 does. */
struct um_compare_change {
    double before, after;
    double difference; /* after - before */
    bool has_interval; /* there are enough runs for one */
    double low, high;  /* of `difference` */
    bool has_share;    /* `before` is above 0, in the resamples too; of pairs: each run */
    double share;      /* after / before - 1 */
    double share_low, share_high; /* its interval, if has_interval */
};

struct um_compare_result {
    uint32_t before_runs, after_runs; /* runs that have values */
    struct um_compare_change median, p90;
    struct um_mann_whitney test; /* on the median of each run */
    enum um_compare_verdict verdict;
    /* Runs a side that would show UM_COMPARE_SHOWN_CHANGE, by um_mann_whitney_runs_needed, or of
     * pairs by um_compare_runs_for; more than `most_runs` if those are not enough. 0 unless the
     * verdict is UM_COMPARE_NO_DIFFERENCE or UM_COMPARE_TOO_FEW. */
    uint32_t runs_needed;
    uint32_t most_runs;
};

/* Compares both sides of one quantity.
 * Errors: UM_ERR_ARG a side has no values; UM_ERR_MEMORY. */
enum um_status um_compare_groups(const struct um_compare_design *design,
                                 const struct um_compare_group *before,
                                 const struct um_compare_group *after,
                                 struct um_compare_result *out);

#endif
