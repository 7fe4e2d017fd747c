/* The test by swaps within pairs against all swaps made one by one; its interval against the test;
 * and both in sittings in which the machine drifts. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "monitor/compare/mann_whitney.h"
#include "monitor/compare/paired.h"

#define MOST 12

/* The rank sum of `after` among all runs, equal runs sharing their ranks; found by counting. */
static double rank_sum(const double *before, const double *after, size_t pairs)
{
    double sum = 0;
    for (size_t i = 0; i < pairs; i++) {
        sum += 0.5; /* itself */
        for (size_t j = 0; j < pairs; j++) {
            sum += before[j] < after[i] ? 1 : before[j] > after[i] ? 0 : 0.5;
            sum += after[j] < after[i] ? 1 : after[j] > after[i] ? 0 : 0.5;
        }
    }
    return sum;
}

/* The share of all swaps that are at least as far from the middle. */
static double p_of_all_swaps(const double *before, const double *after, size_t pairs)
{
    double middle = (double)pairs * (2.0 * (double)pairs + 1) / 2;
    double far = fabs(rank_sum(before, after, pairs) - middle);
    unsigned as_far = 0, all = 1u << pairs;

    for (unsigned swaps = 0; swaps < all; swaps++) {
        double one[MOST], other[MOST];
        for (size_t i = 0; i < pairs; i++) {
            bool swapped = swaps >> i & 1;
            one[i] = swapped ? after[i] : before[i];
            other[i] = swapped ? before[i] : after[i];
        }
        as_far += fabs(rank_sum(one, other, pairs) - middle) > far - 1e-9;
    }
    return (double)as_far / all;
}

Test(paired, is_the_share_of_all_swaps)
{
    struct um_random random = {11};

    for (int round = 0; round < 300; round++) {
        double before[MOST], after[MOST], p;
        size_t pairs = 1 + um_random_below(&random, MOST - 1);
        bool ties = round % 3 == 0;
        for (size_t i = 0; i < pairs; i++) {
            before[i] = 10 + um_random_normal(&random);
            after[i] = 10.5 + um_random_normal(&random);
            if (ties) {
                before[i] = rint(before[i]);
                after[i] = rint(after[i]);
            }
        }
        cr_assert_eq(um_paired_test(before, after, pairs, UM_PAIRED_AMOUNT, 0, &p, NULL), UM_OK);
        cr_expect_lt(fabs(p - p_of_all_swaps(before, after, pairs)), 1e-9,
                     "round %d: %.9f, not %.9f", round, p, p_of_all_swaps(before, after, pairs));
    }
}

Test(paired, says_which_side_is_larger)
{
    static const double small[] = {1, 2, 3, 4, 5, 6, 7, 8},
                        large[] = {9, 10, 11, 12, 13, 14, 15, 16};
    double p;
    int sign = 7;

    cr_assert_eq(um_paired_test(small, large, 8, UM_PAIRED_SHARE, 0, &p, &sign), UM_OK);
    cr_expect(sign == 1 && fabs(p - 2 / 256.0) < 1e-12, "%g", p); /* as far only all swapped */
    cr_assert_eq(um_paired_test(large, small, 8, UM_PAIRED_SHARE, 0, &p, &sign), UM_OK);
    cr_expect_eq(sign, -1);
    cr_assert_eq(um_paired_test(small, small, 8, UM_PAIRED_SHARE, 0, &p, &sign), UM_OK);
    cr_expect(sign == 0 && p == 1);
}

Test(paired, interval_is_what_the_test_does_not_reject)
{
    struct um_random random = {12};

    for (int round = 0; round < 40; round++) {
        double before[20], after[20], p;
        struct um_paired_interval interval;
        enum um_paired_scale scale = round % 2 ? UM_PAIRED_SHARE : UM_PAIRED_AMOUNT;
        for (size_t i = 0; i < 20; i++) {
            before[i] = 50 * exp(0.05 * um_random_normal(&random));
            after[i] = 55 * exp(0.05 * um_random_normal(&random));
        }
        cr_assert_eq(um_paired_find_interval(before, after, 20, scale, 0.05, &interval), UM_OK);
        double unit = scale == UM_PAIRED_SHARE ? 1 : 50;
        cr_expect(interval.low < interval.estimate && interval.estimate < interval.high);
        cr_expect_lt(fabs(interval.estimate - 0.1 * unit), 0.06 * unit, "%g", interval.estimate);
        um_paired_test(before, after, 20, scale, interval.low - 1e-6 * unit, &p, NULL);
        cr_expect_leq(p, 0.05, "just below: %g", p);
        um_paired_test(before, after, 20, scale, interval.low + 1e-6 * unit, &p, NULL);
        cr_expect_gt(p, 0.05, "just in it: %g", p);
        um_paired_test(before, after, 20, scale, interval.high - 1e-6 * unit, &p, NULL);
        cr_expect_gt(p, 0.05, "just in it: %g", p);
        um_paired_test(before, after, 20, scale, interval.high + 1e-6 * unit, &p, NULL);
        cr_expect_leq(p, 0.05, "just above: %g", p);
    }
}

Test(paired, few_pairs_have_no_end)
{
    static const double before[] = {1, 2, 3}, after[] = {1.1, 2.1, 3.1};
    struct um_paired_interval interval;

    cr_assert_eq(um_paired_find_interval(before, after, 3, UM_PAIRED_AMOUNT, 0.05, &interval),
                 UM_OK);
    cr_expect(interval.low == -INFINITY && interval.high == INFINITY);
    cr_expect_lt(fabs(interval.estimate - 0.1), 0.5);
}

/* A sitting of 15 pairs on a machine that becomes slower all the time, by `drift` standard
 * deviations of a run in all. The same build is on both sides. */
static void sit(struct um_random *random, double drift, double before[15], double after[15])
{
    for (int i = 0; i < 30; i += 2) {
        double runs[2];
        for (int j = 0; j < 2; j++)
            runs[j] = 40 * exp(0.05 * (um_random_normal(random) + drift * (i + j) / 30.0));
        bool after_first = um_random_below(random, 2);
        before[i / 2] = runs[after_first];
        after[i / 2] = runs[!after_first];
    }
}

/* The rates that the test promises, and what the test without pairs makes of runs that were
 * measured one side after the other. */
Test(paired, drift_makes_no_difference)
{
    enum { SITTINGS = 2000 };
    struct um_random random = {13};

    for (int drift = 0; drift <= 3; drift++) {
        int alarms = 0, fooled = 0;
        for (int i = 0; i < SITTINGS; i++) {
            double before[15], after[15], runs[30], p;
            struct um_mann_whitney plain;
            sit(&random, drift, before, after);
            cr_assert_eq(um_paired_test(before, after, 15, UM_PAIRED_SHARE, 0, &p, NULL), UM_OK);
            alarms += p <= 0.05;
            for (int j = 0; j < 30; j++)
                runs[j] = 40 * exp(0.05 * (um_random_normal(&random) + drift * j / 30.0));
            cr_assert_eq(um_mann_whitney_test(runs, 15, runs + 15, 15, &plain), UM_OK);
            fooled += plain.p <= 0.05;
        }
        cr_expect_leq(alarms, SITTINGS * 0.065, "drift %d: %d alarms", drift, alarms);
        cr_expect(drift == 0 || fooled > SITTINGS * 0.2, "drift %d: %d fooled", drift, fooled);
    }
}

Test(paired, finds_what_is_slower)
{
    enum { SITTINGS = 500 };
    struct um_random random = {14};
    int found = 0;

    for (int i = 0; i < SITTINGS; i++) {
        double before[15], after[15], p;
        int sign;
        sit(&random, 1, before, after);
        for (int j = 0; j < 15; j++)
            after[j] *= 1.1;
        cr_assert_eq(um_paired_test(before, after, 15, UM_PAIRED_SHARE, 0, &p, &sign), UM_OK);
        found += p <= 0.05 && sign > 0;
    }
    cr_expect_gt(found, SITTINGS * 0.95, "%d", found);
}

Test(paired, numbers_that_are_none_are_refused)
{
    const double one[] = {1}, zero[] = {0}, endless[] = {INFINITY}, none[] = {NAN};
    struct um_paired_interval interval;
    double p;

    cr_expect_eq(um_paired_test(one, one, 0, UM_PAIRED_AMOUNT, 0, &p, NULL), UM_ERR_ARG);
    cr_expect_eq(um_paired_test(zero, one, 1, UM_PAIRED_SHARE, -1, &p, NULL), UM_ERR_ARG);
    cr_expect_eq(um_paired_test(one, endless, 1, UM_PAIRED_AMOUNT, 0, &p, NULL), UM_ERR_ARG);
    cr_expect_eq(um_paired_test(none, one, 1, UM_PAIRED_AMOUNT, 0, &p, NULL), UM_ERR_ARG);
    cr_expect_eq(um_paired_test(one, one, UM_PAIRED_MOST + 1, UM_PAIRED_AMOUNT, 0, &p, NULL),
                 UM_ERR_ARG);
    cr_expect_eq(um_paired_find_interval(one, one, 1, UM_PAIRED_SHARE, 0, &interval), UM_ERR_ARG);
    cr_expect_eq(um_paired_find_interval(zero, one, 1, UM_PAIRED_SHARE, 0.05, &interval),
                 UM_ERR_ARG);
}
