/* Comparisons made up from recorded runs: how often the same build is called a difference, and how
 * often a slowdown is found. Shared by the unit test that holds both rates and the benchmark that
 * prints them for several numbers of runs.
 *
 * The runs of both sides are drawn from the pool with replacement, whole, so the keystrokes of a
 * run stay together. What that can and cannot say: the draws are independent of each other, as the
 * runs of a real comparison are only if nothing else changes between its two halves; a pool of K
 * runs has (K-1)/K of the variance of what it was drawn from, and none of the rarer accidents, so
 * the power is a little optimistic; and the same run may be drawn on both sides, which makes ties
 * that real comparisons have not (the exact test counts them as what they are, so false alarms stay
 * below 5 %).
 */
#ifndef UM_TESTS_COMPARE_SIM_H
#define UM_TESTS_COMPARE_SIM_H

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "monitor/compare/compare.h"
#include "monitor/compare/results.h"

#define COMPARE_SIM_MAX_RUNS 50

struct compare_sim_pool {
    uint32_t runs;
    double *as_is;  /* the median of each run */
    double *slower; /* the same, every interaction taking `factor` times as long */
};

/* Takes the medians of a measure's totals. False if there is no such measure. Owner:
 * compare_sim_close. */
static inline bool compare_sim_open(const struct um_results *results, const char *measure,
                                    double factor, struct compare_sim_pool *pool)
{
    const struct um_results_measure *found = um_results_find(results, measure);
    memset(pool, 0, sizeof *pool);
    if (!found)
        return false;
    bool painted = found->groups[UM_RESULTS_PAINTED].len > 0;
    struct um_compare_group group =
        found->groups[painted ? UM_RESULTS_PAINTED : UM_RESULTS_HANDLED];
    struct um_compare_value *scaled = malloc(group.len * sizeof *scaled + 1);
    pool->as_is = calloc((size_t)group.runs + 1, sizeof *pool->as_is);
    pool->slower = calloc((size_t)group.runs + 1, sizeof *pool->slower);
    if (!scaled || !pool->as_is || !pool->slower)
        abort();
    for (size_t i = 0; i < group.len; i++)
        scaled[i] = (struct um_compare_value){group.values[i].value * factor, group.values[i].run};
    pool->runs = (uint32_t)um_compare_of_runs(&group, UM_COMPARE_P50, pool->as_is);
    group.values = scaled;
    um_compare_of_runs(&group, UM_COMPARE_P50, pool->slower);
    free(scaled);
    return pool->runs > 0;
}

static inline void compare_sim_close(struct compare_sim_pool *pool)
{
    free(pool->as_is);
    free(pool->slower);
}

/* Makes `count` comparisons of `runs` runs a side and returns the share that gets the verdict; for
 * UM_COMPARE_NO_DIFFERENCE the share that gets another one. */
static inline double compare_sim_rate(const struct compare_sim_pool *pool, const double *after_from,
                                      uint32_t runs, uint32_t count, enum um_compare_verdict wanted,
                                      uint64_t seed)
{
    struct um_random random = {seed};
    double before[COMPARE_SIM_MAX_RUNS];
    double after[COMPARE_SIM_MAX_RUNS];
    uint32_t hits = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct um_mann_whitney test;
        enum um_compare_verdict verdict;
        for (uint32_t run = 0; run < runs; run++) {
            before[run] = pool->as_is[um_random_below(&random, pool->runs)];
            after[run] = after_from[um_random_below(&random, pool->runs)];
        }
        const struct um_compare_runs both = {before, after, runs, runs, NULL};
        if (um_compare_decide(&um_compare_two_sittings, &both, &test, &verdict) != UM_OK)
            abort();
        hits += wanted == UM_COMPARE_NO_DIFFERENCE ? verdict != wanted : verdict == wanted;
    }
    return (double)hits / count;
}

/* The share of comparisons that call the same build a difference. */
static inline double compare_sim_false_alarms(const struct compare_sim_pool *pool, uint32_t runs,
                                              uint32_t count)
{
    return compare_sim_rate(pool, pool->as_is, runs, count, UM_COMPARE_NO_DIFFERENCE, runs);
}

/* The share of comparisons that find the slowdown. */
static inline double compare_sim_power(const struct compare_sim_pool *pool, uint32_t runs,
                                       uint32_t count)
{
    return compare_sim_rate(pool, pool->slower, runs, count, UM_COMPARE_SLOWER, 1000 + runs);
}

#endif
