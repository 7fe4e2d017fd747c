/* The smallest change that runs would have shown: that fresh sittings with a true change of the
 * said size find it in about 80 of 100, and what is not said. */
#include <criterion/criterion.h>
#include <math.h>

#include "base/random.h"
#include "monitor/compare/smallest.h"

#define MOST_RUNS 12
#define SITTINGS 12 /* each says a size */
#define FRESH 50    /* and is made so often again with a true change of that size */

static const struct um_compare_design pairs = {.paired = true, .level = 0.05};

/* Runs that differ by a share, as a machine without drift has them. */
static void sit(struct um_random *random, double spread, double factor, double *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = factor * 40 * exp(spread * um_random_normal(random));
}

static uint32_t smallest(const struct um_compare_design *design, const double *before, size_t len)
{
    const struct um_compare_runs runs = {before, before, len, len, NULL};
    uint32_t percent = 0;
    cr_assert_eq(um_smallest_percent(design, &runs, &percent), UM_OK);
    return percent;
}

/* The share of fresh sittings in which a change of the said size is found. */
static double found_share(const struct um_compare_design *design, double spread, size_t len,
                          double *mean_percent)
{
    struct um_random random = {len};
    double before[MOST_RUNS], after[MOST_RUNS];
    uint32_t found = 0;
    *mean_percent = 0;
    for (int i = 0; i < SITTINGS; i++) {
        sit(&random, spread, 1, before, len);
        uint32_t percent = smallest(design, before, len);
        *mean_percent += (double)percent / SITTINGS;
        for (int j = 0; j < FRESH; j++) {
            struct um_mann_whitney test;
            enum um_compare_verdict verdict;
            const struct um_compare_runs runs = {before, after, len, len, NULL};
            sit(&random, spread, 1, before, len);
            sit(&random, spread, 1 + percent / 100.0, after, len);
            cr_assert_eq(um_compare_decide(design, &runs, &test, &verdict), UM_OK);
            found += verdict == UM_COMPARE_SLOWER;
        }
    }
    return (double)found / (SITTINGS * FRESH);
}

/* What is drawn from few runs has many ties, and so has this. */
Test(smallest, quick_test_finds_what_the_exact_one_finds)
{
    static const double levels[] = {0.05, 0.01, 0.0025};
    struct um_random random = {7};
    for (int i = 0; i < 1000; i++) {
        double sides[2][25];
        struct um_mann_whitney exact;
        double level = levels[i % 3];
        size_t n = UM_MANN_WHITNEY_QUICK + um_random_below(&random, 18);
        size_t m = UM_MANN_WHITNEY_QUICK + um_random_below(&random, 18);
        uint32_t kinds = i % 2 ? 5 : 100;
        double change = um_random_below(&random, 12) / 10.0;
        int sign;
        for (size_t j = 0; j < 25; j++) {
            sides[0][j] = um_random_below(&random, kinds);
            sides[1][j] = um_random_below(&random, kinds) + change * kinds;
        }
        cr_assert_eq(um_mann_whitney_test(sides[0], n, sides[1], m, &exact), UM_OK);
        cr_assert_eq(um_mann_whitney_finds(sides[0], n, sides[1], m, level, &sign), UM_OK);
        cr_assert_eq(sign != 0, exact.p <= level, "%zu and %zu runs: p %g", n, m, exact.p);
        cr_assert(sign == 0 || (sign > 0) == (exact.delta > 0));
    }
}

static void check(const struct um_compare_design *design, double spread, size_t len)
{
    double percent;
    double share = found_share(design, spread, len, &percent);
    cr_expect(share >= 0.70 && share <= 0.90, "%zu runs: %.1f %% found in %.3f", len, percent,
              share);
}

Test(smallest, two_sittings_find_what_is_said)
{
    check(&um_compare_two_sittings, 0.05, 8);
    check(&um_compare_two_sittings, 0.05, 12);
}

Test(smallest, pairs_find_what_is_said)
{
    check(&pairs, 0.05, 8);
    check(&pairs, 0.05, 12);
}

Test(smallest, is_not_said_of_very_many_runs)
{
    struct um_random random = {3};
    double before[UM_SMALLEST_MOST_RUNS + 1];
    sit(&random, 0.05, 1, before, UM_SMALLEST_MOST_RUNS + 1);
    cr_expect_eq(smallest(&pairs, before, UM_SMALLEST_MOST_RUNS + 1), 0);
}

Test(smallest, is_not_said_of_few_runs)
{
    struct um_random random = {1};
    double before[8];
    sit(&random, 0.05, 1, before, 8);
    cr_expect_eq(smallest(&um_compare_two_sittings, before, 7), 0);
    cr_expect_eq(smallest(&pairs, before, 7), 0);
    cr_expect_gt(smallest(&um_compare_two_sittings, before, 8), 0);
    const struct um_compare_runs uneven = {before, before, 8, 7, NULL};
    uint32_t percent = 1;
    cr_assert_eq(um_smallest_percent(&pairs, &uneven, &percent), UM_OK);
    cr_expect_eq(percent, 0);
    before[3] = 0;
    cr_expect_eq(smallest(&um_compare_two_sittings, before, 8), 0);
}

Test(smallest, grows_with_how_much_runs_differ)
{
    static const double spreads[] = {0.02, 0.05, 0.1, 0.2};
    uint32_t last = 0;
    for (size_t i = 0; i < sizeof spreads / sizeof spreads[0]; i++) {
        struct um_random random = {1};
        double before[12];
        sit(&random, spreads[i], 1, before, 12);
        uint32_t percent = smallest(&um_compare_two_sittings, before, 12);
        cr_expect(percent > last, "%g: %u after %u", spreads[i], percent, last);
        cr_expect_eq(smallest(&um_compare_two_sittings, before, 12), percent, "the same again");
        last = percent;
    }
}

Test(smallest, a_strict_level_finds_less)
{
    struct um_random random = {1};
    const struct um_compare_design strict = {.paired = true, .level = 0.008, .within = 0.05};
    double before[12];
    sit(&random, 0.05, 1, before, 12);
    cr_expect_gt(smallest(&strict, before, 12), smallest(&pairs, before, 12));
}

Test(smallest, runs_that_differ_wildly_find_nothing)
{
    struct um_random random = {1};
    double before[8];
    sit(&random, 2, 1, before, 8);
    cr_expect_eq(smallest(&um_compare_two_sittings, before, 8), UM_SMALLEST_MOST_PERCENT + 1);
}
