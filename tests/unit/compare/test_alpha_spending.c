/* Boundaries of the alpha-spending function of O'Brien and Fleming's type, for 5 equal steps and a
 * two-sided 5 %: as published with the program of D. Reboussin, D. DeMets, K. Kim, K. Lan,
 * "Computations for Group Sequential Boundaries Using the Lan-DeMets Spending Function Method",
 * Controlled Clinical Trials 21, 2000. */
#include <criterion/criterion.h>
#include <math.h>

#include "base/random.h"
#include "monitor/compare/alpha_spending.h"

#define ALPHA 0.05

static double z_of(double level)
{
    double low = 0, high = 20;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (erfc(middle / sqrt(2.0)) > level)
            low = middle;
        else
            high = middle;
    }
    return low;
}

Test(alpha_spending, five_equal_steps_are_as_published)
{
    static const uint32_t pairs[] = {12, 24, 36, 48, 60};
    static const double published[] = {4.8769, 3.3569, 2.6803, 2.2898, 2.0310};
    double levels[5];

    cr_assert_eq(um_alpha_spending_levels(pairs, 5, ALPHA, levels), UM_OK);
    for (size_t i = 0; i < 5; i++)
        cr_expect_lt(fabs(z_of(levels[i]) - published[i]), 0.0005, "look %zu: %.5f", i + 1,
                     z_of(levels[i]));
}

Test(alpha_spending, one_look_has_the_whole_level)
{
    static const uint32_t once[] = {20};
    double level;

    cr_assert_eq(um_alpha_spending_levels(once, 1, ALPHA, &level), UM_OK);
    cr_expect_lt(fabs(level - ALPHA), 1e-9, "%.12f", level);
}

/* Sums of normal deviates, looked at as often as a benchmark of 60 pairs does. */
Test(alpha_spending, all_looks_together_are_wrong_in_one_of_twenty)
{
    enum { LOOKS = 27, SITTINGS = 20000 };
    uint32_t pairs[LOOKS];
    double levels[LOOKS], limits[LOOKS];
    struct um_random random = {7};
    int crossed = 0;

    for (uint32_t i = 0; i < LOOKS; i++)
        pairs[i] = 8 + 2 * i;
    cr_assert_eq(um_alpha_spending_levels(pairs, LOOKS, ALPHA, levels), UM_OK);
    for (size_t i = 0; i < LOOKS; i++) {
        limits[i] = z_of(levels[i]) * sqrt(pairs[i]);
        cr_expect(i == 0 || levels[i] > levels[i - 1], "a later look is stricter");
    }
    cr_expect_lt(levels[LOOKS - 1], ALPHA);
    for (int sitting = 0; sitting < SITTINGS; sitting++) {
        double sum = 0;
        for (uint32_t pair = 1, look = 0; pair <= pairs[LOOKS - 1]; pair++) {
            sum += um_random_normal(&random);
            if (pair != pairs[look])
                continue;
            if (fabs(sum) >= limits[look++]) {
                crossed++;
                break;
            }
        }
    }
    double rate = (double)crossed / SITTINGS; /* its own deviation is 0.0015 */
    cr_expect(rate > 0.044 && rate < 0.056, "%.4f", rate);
}

Test(alpha_spending, plans_that_are_none_are_refused)
{
    static const uint32_t falling[] = {8, 8}, none[] = {0, 4};
    double levels[2];

    cr_expect_eq(um_alpha_spending_levels(falling, 2, ALPHA, levels), UM_ERR_ARG);
    cr_expect_eq(um_alpha_spending_levels(none, 2, ALPHA, levels), UM_ERR_ARG);
    cr_expect_eq(um_alpha_spending_levels(falling, 0, ALPHA, levels), UM_ERR_ARG);
    cr_expect_eq(um_alpha_spending_levels(falling, 1, 1, levels), UM_ERR_ARG);
    cr_expect_eq(um_alpha_spending_levels(falling, 1, 0, levels), UM_ERR_ARG);
}
