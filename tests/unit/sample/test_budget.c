#include <stdlib.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/random.h"
#include "monitor/sample/budget.h"

#define MS UM_CLOCK_NS_PER_MS
#define SAMPLES 4000

/* Costs of 0.1 to 1 ms, and one of 30 ms now and then. */
static uint64_t some_length(struct um_random *random)
{
    uint64_t us = 100 + um_random_next(random) % 900;
    return (um_random_next(random) % 50 == 0 ? 30000 : us) * UM_CLOCK_NS_PER_US;
}

Test(budget, a_stretch_of_time_has_its_share_for_samples_and_no_more)
{
    static uint64_t begin_ns[SAMPLES];
    static uint64_t length_ns[SAMPLES];
    struct um_budget budget = {.permille = 25, .most_ns = 3 * MS};
    struct um_random random = {10};
    uint64_t now_ns = 5000 * MS;
    for (size_t i = 0; i < SAMPLES; i++) {
        now_ns = um_budget_next_ns(&budget, now_ns);
        begin_ns[i] = now_ns;
        length_ns[i] = some_length(&random);
        now_ns += length_ns[i];
        um_budget_spend(&budget, length_ns[i], now_ns);
        now_ns += 10 * MS; /* the interval that is asked for */
    }
    for (size_t from = 0; from < SAMPLES; from += 7) {
        uint64_t sum_ns = 0;
        for (size_t to = from; to < SAMPLES; to++) {
            double most_ns = 0.025 * (double)(begin_ns[to] - begin_ns[from]) + 3e6;
            cr_assert_leq((double)sum_ns, most_ns + 1, "samples %zu to %zu", from, to);
            sum_ns += length_ns[to]; /* the last one is not counted in the rule */
        }
    }
}

Test(budget, cheap_samples_are_not_held_up)
{
    struct um_budget budget = {.permille = 25, .most_ns = 3 * MS};
    uint64_t now_ns = 1000 * MS;
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(um_budget_next_ns(&budget, now_ns), now_ns);
        now_ns += MS / 4;
        um_budget_spend(&budget, MS / 4, now_ns);
        now_ns += 10 * MS;
    }
}

Test(budget, five_sixths_of_what_is_promised_are_earned)
{
    cr_expect_eq(um_budget_permille(1), 8);
    cr_expect_eq(um_budget_permille(3), 25);
    cr_expect_eq(um_budget_permille(25), 208);
}

Test(budget, a_greater_share_pays_a_debt_sooner)
{
    struct um_budget budget = {.permille = 100, .most_ns = 3 * MS};
    cr_assert_eq(um_budget_next_ns(&budget, 1000 * MS), 1000 * MS);
    um_budget_spend(&budget, 28 * MS, 1000 * MS); /* of which 3 ms are credit */
    cr_assert_eq(um_budget_next_ns(&budget, 1000 * MS), 1250 * MS);
}

Test(budget, a_debt_is_paid_by_time)
{
    struct um_budget budget = {.permille = 25, .most_ns = 3 * MS};
    cr_assert_eq(um_budget_next_ns(&budget, 1000 * MS), 1000 * MS);
    um_budget_spend(&budget, 28 * MS, 1000 * MS); /* of which 3 ms are credit */
    cr_assert_eq(um_budget_next_ns(&budget, 1000 * MS), 2000 * MS);
    cr_assert_eq(um_budget_next_ns(&budget, 1400 * MS), 2000 * MS);
    cr_assert_eq(um_budget_next_ns(&budget, 2000 * MS), 2000 * MS);
}

Test(budget, times_and_lengths_without_sense_do_no_harm)
{
    struct um_budget budget = {.permille = 25, .most_ns = 3 * MS};
    um_budget_spend(&budget, UINT64_MAX, UINT64_MAX);
    um_budget_spend(&budget, UINT64_MAX, 0);
    uint64_t next_ns = um_budget_next_ns(&budget, 10 * MS);
    cr_assert_gt(next_ns, 10 * MS);
    cr_assert_leq(next_ns, 10 * MS + 2401 * UM_CLOCK_NS_PER_S);
}
