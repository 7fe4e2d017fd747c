#include "monitor/compare/mann_whitney.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/by_size.h"
#include "base/random.h"

#define TRIES 1000 /* simulated comparisons for each number of runs that is tried */
#define POWER 0.95
#define SEED UINT64_C(0x75696d6f6e) /* any number, but always the same one */
#define IQR_OF_NORMAL 1.349

struct item {
    double value;
    bool after;
};

/* Ranks are kept doubled, so that the mean rank of equal values is a whole number. */
struct ranked {
    uint32_t *twice; /* the doubled ranks, ascending */
    double u;
    uint64_t twice_sum; /* the doubled ranks of the smaller side, added up */
    double tied;        /* for ties: the sum of t^3 - t over all groups of t equal values */
};

static int by_value(const void *a, const void *b)
{
    return um_by_size(&((const struct item *)a)->value, &((const struct item *)b)->value);
}

/* Ranks sorted items; equal items all get the mean of their places. */
static void rank_items(const struct item *items, size_t len, bool smaller_is_after,
                       struct ranked *out)
{
    uint64_t twice_after = 0;
    size_t after_len = 0;

    out->tied = 0;
    out->twice_sum = 0;
    for (size_t begin = 0, end; begin < len; begin = end) {
        end = begin + 1;
        while (end < len && !(items[end].value > items[begin].value))
            end++;
        uint32_t twice = (uint32_t)(begin + end + 1);
        double ties = (double)(end - begin);
        out->tied += ties * ties * ties - ties;
        for (size_t i = begin; i < end; i++) {
            out->twice[i] = twice;
            after_len += items[i].after;
            twice_after += items[i].after ? twice : 0;
            out->twice_sum += items[i].after == smaller_is_after ? twice : 0;
        }
    }
    out->u = ((double)twice_after - (double)(after_len * (after_len + 1))) / 2.0;
}

/* Counts, for each sum, in how many ways `pick` of the doubled ranks add up to it: result[sum].
 * The ranks ascend, and are UM_MANN_WHITNEY_EXACT at most. `sums` is the length of the result.
 * Owner: free. NULL without memory. */
static double *count_sums(const uint32_t *twice, size_t len, size_t pick, size_t *sums)
{
    size_t below[UM_MANN_WHITNEY_EXACT + 1] = {0}; /* the sum of the first so many ranks */
    for (size_t i = 0; i < len; i++)
        below[i + 1] = below[i] + twice[i];
    size_t width = 1 + below[len] - below[len - pick];
    double *ways = calloc((pick + 1) * width, sizeof *ways);
    if (!ways)
        return NULL;
    ways[0] = 1;
    for (size_t i = 0; i < len; i++) {
        /* With fewer than `least` picked by now, the ranks that are left would not be enough. */
        size_t least = pick + i + 1 > len ? pick + i + 1 - len : 1;
        for (size_t k = i + 1 < pick ? i + 1 : pick; k >= least && k > 0; k--) {
            const double *from = ways + (k - 1) * width;
            double *to = ways + k * width + twice[i];
            size_t most = below[i] - below[i + 1 - k]; /* k - 1 of the ranks before this one */
            for (size_t s = below[k - 1]; s <= most; s++)
                to[s] += from[s];
        }
    }
    memmove(ways, ways + pick * width, width * sizeof *ways);
    *sums = width;
    return ways;
}

/* The share of all ways whose sum is at least `distance` away from the middle. */
static double tails(const double *ways, size_t sums, uint64_t middle, uint64_t distance)
{
    double all = 0;
    double far = 0;
    for (size_t s = 0; s < sums; s++) {
        uint64_t away = s > middle ? s - middle : middle - s;
        all += ways[s];
        far += away >= distance ? ways[s] : 0;
    }
    return far / all;
}

static enum um_status exact_p(const struct ranked *ranked, size_t len, size_t pick, double *p)
{
    size_t sums;
    uint64_t middle = (uint64_t)pick * (len + 1);
    uint64_t sum = ranked->twice_sum;
    double *ways = count_sums(ranked->twice, len, pick, &sums);
    if (!ways)
        return UM_ERR_MEMORY;
    *p = tails(ways, sums, middle, sum > middle ? sum - middle : middle - sum);
    free(ways);
    return UM_OK;
}

/* Source: E. Lehmann, "Nonparametrics: Statistical Methods Based on Ranks", 1975, sections
 * 1.2-4. */
static double normal_p(double u, double n, double m, double tied)
{
    double all = n + m;
    double variance = n * m / 12.0 * (all + 1 - tied / (all * (all - 1)));
    double distance = fabs(u - n * m / 2.0) - 0.5;
    if (!(variance > 0) || distance <= 0)
        return 1.0;
    return erfc(distance / sqrt(2.0 * variance));
}

static void collect(struct item *items, const double *before, size_t before_len,
                    const double *after, size_t after_len)
{
    for (size_t i = 0; i < before_len; i++)
        items[i] = (struct item){before[i], false};
    for (size_t i = 0; i < after_len; i++)
        items[before_len + i] = (struct item){after[i], true};
    qsort(items, before_len + after_len, sizeof *items, by_value);
}

/* As um_mann_whitney_test. The exact p is not counted where the approximation is so far from
 * `level`. */
static enum um_status test_at(const double *before, size_t before_len, const double *after,
                              size_t after_len, double level, double doubt,
                              struct um_mann_whitney *out)
{
    size_t len = before_len + after_len;
    size_t smaller = before_len < after_len ? before_len : after_len;
    struct um_mann_whitney made = {.exact = len <= UM_MANN_WHITNEY_EXACT};
    struct ranked ranked;

    if (smaller == 0)
        return UM_ERR_ARG;
    struct item *items = malloc(len * sizeof *items);
    ranked.twice = malloc(len * sizeof *ranked.twice);
    enum um_status status = items && ranked.twice ? UM_OK : UM_ERR_MEMORY;
    if (status == UM_OK) {
        collect(items, before, before_len, after, after_len);
        rank_items(items, len, after_len < before_len, &ranked);
        made.u = ranked.u;
        made.superiority = ranked.u / ((double)before_len * (double)after_len);
        made.delta = 2.0 * made.superiority - 1.0;
        made.p = normal_p(ranked.u, (double)before_len, (double)after_len, ranked.tied);
        made.exact = made.exact && made.p * doubt >= level && made.p <= level * doubt;
        if (made.exact)
            status = exact_p(&ranked, len, smaller, &made.p);
    }
    free(items);
    free(ranked.twice);
    if (status == UM_OK)
        *out = made;
    return status;
}

enum um_status um_mann_whitney_test(const double *before, size_t before_len, const double *after,
                                    size_t after_len, struct um_mann_whitney *out)
{
    return test_at(before, before_len, after, after_len, 1, HUGE_VAL, out);
}

enum um_status um_mann_whitney_finds(const double *before, size_t before_len, const double *after,
                                     size_t after_len, double level, int *sign)
{
    struct um_mann_whitney test = {.p = 1};
    enum um_status status =
        test_at(before, before_len, after, after_len, level, UM_MANN_WHITNEY_DOUBT, &test);
    *sign = test.p <= level ? (test.delta > 0) - (test.delta < 0) : 0;
    return status;
}

/* From here on: how many runs are needed. */

/* The smallest U above the middle whose p is at most alpha, for n runs a side without ties; n * n +
 * 1 if there is none. Negative without memory. */
static double critical_u(size_t n)
{
    double pairs = (double)n * (double)n;
    double u = floor(pairs / 2.0) + 1;
    if (2 * n > UM_MANN_WHITNEY_EXACT) {
        while (u <= pairs && normal_p(u, (double)n, (double)n, 0) > UM_MANN_WHITNEY_ALPHA)
            u++;
        return u;
    }
    uint32_t twice[UM_MANN_WHITNEY_EXACT] = {0};
    size_t sums;
    for (size_t i = 0; i < 2 * n; i++)
        twice[i] = (uint32_t)(2 * (i + 1));
    double *ways = count_sums(twice, 2 * n, n, &sums);
    if (!ways)
        return -1;
    uint64_t middle = (uint64_t)n * (2 * n + 1);
    while (u <= pairs &&
           tails(ways, sums, middle, (uint64_t)(2 * u - pairs)) > UM_MANN_WHITNEY_ALPHA)
        u++;
    free(ways);
    return u;
}

/* How runs differ within their own side, as shares of its median. */
struct residuals {
    double *values;
    size_t len;
    double bandwidth;
    double scale; /* makes up for the medians being of these same runs */
};

static bool add_residuals(struct residuals *residuals, const double *values, size_t len)
{
    double *sorted = residuals->values + residuals->len;
    memcpy(sorted, values, len * sizeof *sorted);
    qsort(sorted, len, sizeof *sorted, um_by_size);
    double median = (sorted[(len - 1) / 2] + sorted[len / 2]) / 2.0;
    if (!(median > 0))
        return false;
    for (size_t i = 0; i < len; i++)
        sorted[i] = sorted[i] / median - 1.0;
    residuals->len += len;
    return true;
}

static void choose_bandwidth(struct residuals *residuals)
{
    size_t len = residuals->len;
    double squares = 0;
    qsort(residuals->values, len, sizeof *residuals->values, um_by_size);
    for (size_t i = 0; i < len; i++)
        squares += residuals->values[i] * residuals->values[i];
    double spread = sqrt(squares / (double)(len - 2));
    double middle =
        (residuals->values[len - 1 - len / 4] - residuals->values[len / 4]) / IQR_OF_NORMAL;
    if (middle > 0 && middle < spread)
        spread = middle;
    residuals->bandwidth = 0.9 * spread * pow((double)len, -0.2);
    residuals->scale = sqrt((double)len / (double)(len - 2));
}

static double draw_residual(const struct residuals *residuals, struct um_random *random)
{
    double drawn = residuals->values[um_random_below(random, (uint32_t)residuals->len)];
    return drawn * residuals->scale + residuals->bandwidth * um_random_normal(random);
}

/* Whether n runs on each side find the change often enough. */
static bool suffices(const struct residuals *residuals, size_t n, double fraction)
{
    struct um_random random = {SEED};
    double before[UM_MANN_WHITNEY_MOST_RUNS];
    double critical = critical_u(n);
    int found = 0;

    for (int try = 0; try < TRIES && critical >= 0; try++) {
        size_t larger = 0;
        for (size_t i = 0; i < n; i++)
            before[i] = draw_residual(residuals, &random);
        for (size_t i = 0; i < n; i++) {
            double after = draw_residual(residuals, &random) + fraction;
            for (size_t j = 0; j < n; j++)
                larger += after > before[j];
        }
        found += (double)larger >= critical;
    }
    return found >= (int)(POWER * TRIES);
}

static uint32_t search_runs(const struct residuals *residuals, double fraction)
{
    static const uint32_t tried[] = {4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                     17, 18, 19, 20, 22, 25, 30, 35, 40, 50, 60, 80, 100};
    _Static_assert(UM_MANN_WHITNEY_LEAST == 4 && UM_MANN_WHITNEY_MOST_RUNS == 100,
                   "as in the list");
    size_t count = sizeof tried / sizeof tried[0];
    size_t low = 0;
    size_t high = count; /* more runs never find less, so the fewest are found by halving */
    while (low < high) {
        size_t half = (low + high) / 2;
        if (suffices(residuals, tried[half], fraction))
            high = half;
        else
            low = half + 1;
    }
    return low < count ? tried[low] : UM_MANN_WHITNEY_MOST_RUNS + 1;
}

uint32_t um_mann_whitney_runs_needed(const double *before, size_t before_len, const double *after,
                                     size_t after_len, double fraction)
{
    struct residuals residuals = {.len = 0};
    uint32_t needed = 0;
    if (before_len < 2 || after_len < 2)
        return 0;
    residuals.values = malloc((before_len + after_len) * sizeof *residuals.values);
    if (residuals.values && add_residuals(&residuals, before, before_len) &&
        add_residuals(&residuals, after, after_len)) {
        choose_bandwidth(&residuals);
        needed = search_runs(&residuals, fraction);
    }
    free(residuals.values);
    return needed;
}
