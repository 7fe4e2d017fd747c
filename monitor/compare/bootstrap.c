#include "monitor/compare/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/by_size.h"
#include "base/random.h"

#define RESAMPLES 2000
#define SEED UINT64_C(0x6c6167) /* any number, but always the same one */
#define Z_975 1.95996398454005
#define TINY 1e-9 /* tolerance when places are compared: as doubles 0.9 * 10 is not exactly 9 */

/* Computes quantiles of a sorted group in which each value counts as often as its run was drawn.
 * `weights` says how often each run was drawn; `total` is the number of values counted so, at least
 * 1. `fractions` ascend. */
static void quantiles(const struct um_compare_group *group, const uint32_t *weights, double total,
                      const double *fractions, double *out, size_t count)
{
    double reached = 0;
    size_t next = 0;
    bool halved = false; /* the quantile lies between two values: out[next] has the first of them */

    for (size_t i = 0; i < group->len && next < count; i++) {
        uint32_t weight = weights[group->values[i].run];
        if (weight == 0)
            continue;
        double value = group->values[i].value;
        reached += weight;
        if (halved) {
            out[next] = (out[next] + value) / 2.0;
            halved = false;
            next++;
        }
        while (next < count && reached > fractions[next] * total + TINY)
            out[next++] = value;
        if (next < count && reached > fractions[next] * total - TINY) {
            out[next] = value;
            halved = true;
        }
    }
}

/* One side of the bootstrap. */
struct side {
    const struct um_compare_group *group;
    uint32_t *runs;   /* the `count` runs that have values; its memory has all three lists */
    uint32_t *sizes;  /* of each run: how many values it has */
    uint32_t *weight; /* of each run: how often it was drawn */
    uint32_t count;
};

static bool side_open(struct side *side, const struct um_compare_group *group)
{
    size_t room = (size_t)group->runs + 1;
    uint32_t *memory = calloc(3 * room, sizeof *memory);
    *side = (struct side){.group = group, .runs = memory};
    if (!memory)
        return false;
    side->sizes = memory + room;
    side->weight = memory + 2 * room;
    for (size_t i = 0; i < group->len; i++)
        side->sizes[group->values[i].run]++;
    for (uint32_t run = 0; run < group->runs; run++)
        if (side->sizes[run] > 0)
            side->runs[side->count++] = run;
    return true;
}

/* Draws as many runs as the side has, with replacement, and takes median and p90 of their
 * values. */
static void resample(struct side *side, struct um_random *random, double out[2])
{
    static const double fractions[] = {0.50, 0.90};
    double total = 0;
    memset(side->weight, 0, side->group->runs * sizeof *side->weight);
    for (uint32_t i = 0; i < side->count; i++) {
        uint32_t run = side->runs[um_random_below(random, side->count)];
        side->weight[run]++;
        total += side->sizes[run];
    }
    quantiles(side->group, side->weight, total, fractions, out, 2);
}

/* The 97.5 % quantile of Student's t. Source: M. Abramowitz, I. Stegun, "Handbook of Mathematical
 * Functions", 26.7.5; within 0.1 % from 6 degrees of freedom on, the fewest there are here. */
static double student_975(double freedom)
{
    double z = Z_975, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

/* The share of resamples to leave out at each end of the interval. */
static double tail_share(uint32_t before_runs, uint32_t after_runs)
{
    double fewer = before_runs < after_runs ? before_runs : after_runs;
    double wide = sqrt(fewer / (fewer - 1)) * student_975(before_runs + after_runs - 2.0);
    return erfc(wide / sqrt(2.0)) / 2.0;
}

/* Finds the ends of the interval from resampled values, and sorts these. */
static void find_ends(double *values, double tail, double *low, double *high)
{
    size_t out = (size_t)(tail * RESAMPLES);
    qsort(values, RESAMPLES, sizeof *values, um_by_size);
    *low = values[out];
    *high = values[RESAMPLES - 1 - out];
}

struct resamples {
    double difference[2]
                     [RESAMPLES]; /* of each resample: the change of the median, and that of p90 */
    double share[2][RESAMPLES];
};

static void fill_interval(struct um_compare_change *change, struct resamples *resamples,
                          size_t which, double tail)
{
    change->has_interval = true;
    find_ends(resamples->difference[which], tail, &change->low, &change->high);
    if (change->has_share)
        find_ends(resamples->share[which], tail, &change->share_low, &change->share_high);
}

static void draw(struct side *before, struct side *after, struct resamples *resamples,
                 struct um_compare_change *const changes[2])
{
    struct um_random random = {SEED};
    for (size_t i = 0; i < RESAMPLES; i++) {
        double old[2];
        double new[2];
        resample(before, &random, old);
        resample(after, &random, new);
        for (size_t which = 0; which < 2; which++) {
            resamples->difference[which][i] = new[which] - old[which];
            if (!(old[which] > 0))
                changes[which]->has_share = false;
            else
                resamples->share[which][i] = new[which] / old[which] - 1.0;
        }
    }
}

enum um_status um_bootstrap_intervals(const struct um_compare_group *before,
                                      const struct um_compare_group *after,
                                      struct um_compare_change *const changes[2])
{
    struct side sides[2];
    struct resamples *resamples = malloc(sizeof *resamples);
    bool have = side_open(&sides[0], before);
    have = side_open(&sides[1], after) && have && resamples;
    if (have && sides[0].count >= UM_MANN_WHITNEY_LEAST &&
        sides[1].count >= UM_MANN_WHITNEY_LEAST) {
        double tail = tail_share(sides[0].count, sides[1].count);
        draw(&sides[0], &sides[1], resamples, changes);
        fill_interval(changes[0], resamples, 0, tail);
        fill_interval(changes[1], resamples, 1, tail);
    }
    free(resamples);
    free(sides[0].runs);
    free(sides[1].runs);
    return have ? UM_OK : UM_ERR_MEMORY;
}
