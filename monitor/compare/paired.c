#include "monitor/compare/paired.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/by_size.h"

/* A run, for ranking. */
struct ranked {
    double value;
    size_t pair;
    bool is_after;
};

/* A test: its numbers, and the memory that it needs. */
struct test {
    const double *before, *after;
    size_t pairs;
    enum um_paired_scale scale;
    struct ranked *runs; /* 2 * pairs of them; its memory has all three lists */
    int32_t *steps;      /* of each pair: AFTER's rank minus BEFORE's, doubled */
    double *chance;      /* of each sum of steps: how likely it is */
    size_t room;         /* of `chance` */
};

static enum um_status open_test(struct test *test)
{
    const size_t most =
        test->pairs * 2 * test->pairs * 2 + 1; /* a doubled rank is 4 * pairs at most */
    if (test->pairs == 0 || test->pairs > UM_PAIRED_MOST)
        return UM_ERR_ARG;
    for (size_t i = 0; i < test->pairs; i++)
        if (!(fabs(test->before[i]) < INFINITY && fabs(test->after[i]) < INFINITY))
            return UM_ERR_ARG;
    test->runs = calloc(2 * test->pairs, sizeof *test->runs);
    test->steps = calloc(test->pairs, sizeof *test->steps);
    test->chance = calloc(most, sizeof *test->chance);
    test->room = most;
    return test->runs && test->steps && test->chance ? UM_OK : UM_ERR_MEMORY;
}

static void close_test(struct test *test)
{
    free(test->runs);
    free(test->steps);
    free(test->chance);
}

static int by_value(const void *a, const void *b)
{
    return um_by_size(&((const struct ranked *)a)->value, &((const struct ranked *)b)->value);
}

/* Takes the change out of AFTER's runs, ranks all runs and fills in the steps. Equal runs get the
 * mean of their ranks. */
static void rank(struct test *test, double change)
{
    size_t count = 2 * test->pairs;

    for (size_t i = 0; i < test->pairs; i++) {
        double after = um_paired_take_back(test->after[i], test->scale, change);
        test->runs[2 * i] = (struct ranked){test->before[i], i, false};
        test->runs[2 * i + 1] = (struct ranked){after, i, true};
    }
    qsort(test->runs, count, sizeof *test->runs, by_value);
    memset(test->steps, 0, test->pairs * sizeof *test->steps);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && test->runs[next].value <= test->runs[i].value;)
            next++;
        int32_t twice = (int32_t)(i + next + 1); /* the doubled mean of the ranks i + 1 to next */
        for (size_t j = i; j < next; j++)
            test->steps[test->runs[j].pair] += test->runs[j].is_after ? twice : -twice;
    }
}

static size_t size_of(int32_t step)
{
    return (size_t)(step < 0 ? -step : step);
}

/* Each pair could have come out the other way round. Fills in how likely each sum of the steps that
 * go up then is. Returns the sum of all steps. */
static size_t count_swaps(struct test *test)
{
    size_t total = 0;

    test->chance[0] = 1;
    for (size_t i = 0; i < test->pairs; i++) {
        size_t step = size_of(test->steps[i]);
        if (step == 0)
            continue; /* to swap this pair changes nothing */
        memset(test->chance + total + 1, 0, step * sizeof *test->chance);
        total += step;
        for (size_t sum = total;; sum--) {
            double up = sum >= step ? test->chance[sum - step] : 0;
            test->chance[sum] = (test->chance[sum] + up) / 2;
            if (sum == 0)
                break;
        }
    }
    return total;
}

/* The sum of the steps as they were measured. */
static int64_t observed(const struct test *test)
{
    int64_t sum = 0;
    for (size_t i = 0; i < test->pairs; i++)
        sum += test->steps[i];
    return sum;
}

/* How likely a sum is that is at least as far from the middle as the measured one. */
static double find_p(struct test *test)
{
    int64_t far = observed(test);
    int64_t total = (int64_t)count_swaps(test);
    double p = 0;

    far = far < 0 ? -far : far;
    for (int64_t up = 0; up <= total; up++)
        if (2 * up - total >= far || total - 2 * up >= far)
            p += test->chance[up];
    return fmin(p, 1);
}

enum um_status um_paired_test(const double *before, const double *after, size_t pairs,
                              enum um_paired_scale scale, double change, double *p, int *sign)
{
    struct test test = {.before = before, .after = after, .pairs = pairs, .scale = scale};
    if (scale == UM_PAIRED_SHARE && !(change > -1))
        return UM_ERR_ARG;
    enum um_status status = open_test(&test);

    if (status == UM_OK) {
        rank(&test, change);
        int64_t sum = observed(&test);
        *p = find_p(&test);
        if (sign)
            *sign = (sum > 0) - (sum < 0);
    }
    close_test(&test);
    return status;
}

/* Interval ------------------------------------------------------------------------------------- */

/* The ranks change only at the changes that make a run of AFTER equal to a run of BEFORE. Writes
 * these in order and returns how many. Between two of them the test gives the same answer.
 * Owner: free. */
static size_t find_changes(const struct test *test, double **out)
{
    size_t count = 0;
    double *changes = calloc(test->pairs * test->pairs, sizeof *changes);

    for (size_t i = 0; changes && i < test->pairs; i++)
        for (size_t j = 0; j < test->pairs; j++)
            changes[count++] = test->scale == UM_PAIRED_SHARE ? test->after[i] / test->before[j] - 1
                                                              : test->after[i] - test->before[j];
    if (count > 0)
        qsort(changes, count, sizeof *changes, um_by_size);
    *out = changes;
    return count;
}

/* A change between changes[index - 1] and changes[index]. */
static double between(const struct test *test, const double *changes, size_t count, size_t index)
{
    double lowest = test->scale == UM_PAIRED_SHARE ? -1 : changes[0] - 2;
    if (index == 0)
        return (lowest + changes[0]) / 2;
    if (index == count)
        return changes[count - 1] + 1;
    return changes[index - 1] + (changes[index] - changes[index - 1]) / 2;
}

/* Whether the test says at level `alpha` that AFTER is larger than BEFORE changed by `change`; with
 * `or_not` whether it does not say that AFTER is smaller. At level 1 the rank sum alone decides,
 * which falls as `change` grows. */
static bool is_larger(struct test *test, double change, double alpha, bool or_not)
{
    rank(test, change);
    int64_t sum = observed(test);
    if (or_not)
        return sum >= 0 || find_p(test) > alpha;
    return sum > 0 && find_p(test) <= alpha;
}

/* The index of the first gap between two changes for which is_larger is false; count + 1: there is
 * none. */
static size_t first_no(struct test *test, const double *changes, size_t count, double alpha,
                       bool or_not)
{
    size_t low = 0, high = count + 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_larger(test, between(test, changes, count, middle), alpha, or_not))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void find_ends(struct test *test, const double *changes, size_t count, double alpha,
                      struct um_paired_interval *out)
{
    size_t first = first_no(test, changes, count, alpha, false);
    size_t after = first_no(test, changes, count, alpha, true);
    size_t above = first_no(test, changes, count, 1, false);
    size_t below = first_no(test, changes, count, 1, true);

    out->low = first > 0 ? changes[first - 1] : -INFINITY;
    out->high = after <= count ? changes[after > 0 ? after - 1 : 0] : INFINITY;
    out->estimate = (changes[above > 0 ? above - 1 : 0] + changes[below > 0 ? below - 1 : 0]) / 2;
}

enum um_status um_paired_find_interval(const double *before, const double *after, size_t pairs,
                                       enum um_paired_scale scale, double alpha,
                                       struct um_paired_interval *out)
{
    struct test test = {.before = before, .after = after, .pairs = pairs, .scale = scale};
    double *changes = NULL;

    if (!(alpha > 0 && alpha < 1))
        return UM_ERR_ARG;
    for (size_t i = 0; i < pairs && scale == UM_PAIRED_SHARE; i++)
        if (!(before[i] > 0 && after[i] > 0))
            return UM_ERR_ARG;
    enum um_status status = open_test(&test);
    if (status == UM_OK) {
        size_t count = find_changes(&test, &changes);
        status = count > 0 ? UM_OK : UM_ERR_MEMORY;
        if (status == UM_OK)
            find_ends(&test, changes, count, alpha, out);
    }
    free(changes);
    close_test(&test);
    return status;
}
