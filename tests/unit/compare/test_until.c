/* Sittings that stop when they know. `./run bench until` prints the same rates for more of them. */
#include <criterion/criterion.h>

#include "tests/until_sim.h"

#define TEN_PERCENT 1.1

static struct um_until plan;

Test(until, looks_after_eight_pairs_and_each_two)
{
    static const uint32_t pairs[] = {8, 10, 12, 13};
    double before[13], after[13];
    enum um_until_answer answer;

    cr_assert_eq(um_until_plan(13, 0.05, UM_UNTIL_ALPHA, &plan), UM_OK);
    cr_assert_eq(plan.looks, 4);
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq(plan.pairs[i], pairs[i]);
    for (uint32_t i = 0; i < 13; i++) {
        before[i] = 10 + i % 3;
        after[i] = 100 + i % 2;
        bool ends = until_sim_ends(&plan, before, after, i + 1, &answer);
        if (i + 1 < 8 || i + 1 == 9 || i + 1 == 11)
            cr_expect_not(ends, "%u pairs", i + 1);
    }
    cr_expect_eq(answer, UM_UNTIL_SLOWER);
    cr_assert(until_sim_ends(&plan, after, before, 13, &answer));
    cr_expect_eq(answer, UM_UNTIL_FASTER);
}

Test(until, tells_the_same_from_what_it_cannot_tell)
{
    double before[40], after[40];
    enum um_until_answer answer;

    plan = until_sim_once(40, 0.05);
    for (int i = 0; i < 40; i++) { /* within 1 % of each other */
        before[i] = 100 + 0.1 * (i % 7);
        after[i] = 100 + 0.1 * (i % 5) + 0.1;
    }
    cr_assert(until_sim_ends(&plan, before, after, 40, &answer));
    cr_expect_eq(answer, UM_UNTIL_SAME);
    for (int i = 0; i < 40; i++) { /* from 100 to 300, and no order in it */
        before[i] = 100 + 5 * (i * 17 % 40);
        after[i] = 100 + 5 * (i * 23 % 40);
    }
    cr_assert(until_sim_ends(&plan, before, after, 40, &answer));
    cr_expect_eq(answer, UM_UNTIL_CANNOT_TELL);
}

Test(until, is_not_fooled_by_its_machine, .timeout = 300)
{
    cr_assert_eq(um_until_plan(20, 0.05, UM_UNTIL_ALPHA, &plan), UM_OK);
    for (int noise = 0; noise < UNTIL_SIM_NOISES; noise++) {
        struct until_sim_rates same =
            until_sim(&plan, (enum until_sim_noise)noise, 0.04, 1, 400, 21);
        struct until_sim_rates slower =
            until_sim(&plan, (enum until_sim_noise)noise, 0.04, TEN_PERCENT, 200, 22);
        cr_expect_leq(same.slower + same.faster, 0.065, "%s: %.3f false alarms",
                      until_sim_names[noise], same.slower + same.faster);
        cr_expect_geq(slower.slower, 0.95, "%s: %.3f found", until_sim_names[noise], slower.slower);
        cr_expect_lt(slower.pairs, 15, "%s: %.1f pairs", until_sim_names[noise], slower.pairs);
    }
}

Test(until, plans_that_are_none_are_refused)
{
    cr_expect_eq(um_until_plan(7, 0.05, UM_UNTIL_ALPHA, &plan), UM_ERR_ARG);
    cr_expect_eq(um_until_plan(UM_PAIRED_MOST + 1, 0.05, UM_UNTIL_ALPHA, &plan), UM_ERR_ARG);
    cr_expect_eq(um_until_plan(20, 0, UM_UNTIL_ALPHA, &plan), UM_ERR_ARG);
    cr_expect_eq(um_until_plan(20, 1, UM_UNTIL_ALPHA, &plan), UM_ERR_ARG);
}
