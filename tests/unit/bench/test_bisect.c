/* The search for the setting that costs: against a host that knows, and on simulated machines. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "monitor/bench/bisect.h"
#include "tests/until_sim.h"

/* What each suspect costs, as a share of a run; and how the machine behaves, if it is simulated. */
static double costs[UM_BISECT_MOST];
static const struct um_until *plan;
static struct um_random seeds;
static double spread;
static enum until_sim_noise noise;

static double factor_of(uint64_t mask)
{
    double factor = 1;
    for (unsigned i = 0; i < UM_BISECT_MOST; i++)
        factor += mask >> i & 1 ? costs[i] : 0;
    return factor;
}

/* A host that always knows; within 0.5 % two sides are the same. */
static enum um_status know(void *context, struct um_bisect_step *step)
{
    (void)context;
    double more = factor_of(step->after) / factor_of(step->before) - 1;
    step->answer = more > 0.005 ? UM_UNTIL_SLOWER : more < -0.005 ? UM_UNTIL_FASTER : UM_UNTIL_SAME;
    return UM_OK;
}

/* A host that sits, as `uimon bisect` does. */
static enum um_status sit(void *context, struct um_bisect_step *step)
{
    struct until_sim_machine machine = {.random = {um_random_next(&seeds)},
                                        .noise = noise,
                                        .spread = spread,
                                        .runs = 2 * plan->pairs[plan->looks - 1]};
    (void)context;
    step->answer = until_sim_sit(plan, &machine, factor_of(step->before), factor_of(step->after),
                                 &step->pairs);
    return UM_OK;
}

static enum um_status give_up(void *context, struct um_bisect_step *step)
{
    (void)context, (void)step;
    return UM_ERR_TIMEOUT;
}

static struct um_bisect search(enum um_status (*ask)(void *, struct um_bisect_step *),
                               unsigned count)
{
    struct um_bisect found;
    const struct um_bisect_host host = {NULL, ask};
    cr_assert_eq(um_bisect_search(&host, count, &found), UM_OK);
    return found;
}

Test(bisect, each_suspect_is_found_among_any_number)
{
    for (unsigned count = 2; count <= UM_BISECT_MOST; count++) {
        for (unsigned which = 0; which < count; which++) {
            costs[which] = 0.1;
            struct um_bisect found = search(know, count);
            costs[which] = 0;
            cr_assert_eq(found.outcome, UM_BISECT_FOUND);
            cr_assert_eq(found.left, UINT64_C(1) << which, "%u of %u", which, count);
            cr_assert_leq(found.step_count, 1 + (size_t)ceil(log2(count)));
        }
    }
}

Test(bisect, what_is_not_one_alone_is_said)
{
    cr_expect_eq(search(know, 8).outcome, UM_BISECT_NONE);
    costs[0] = costs[7] = 0.1;
    struct um_bisect found = search(know, 8);
    cr_expect_eq(found.outcome, UM_BISECT_SHARED);
    cr_expect_eq(found.left, 0xff);
    costs[0] = costs[7] = -0.1;
    cr_expect_eq(search(know, 8).outcome, UM_BISECT_FASTER);
}

Test(bisect, a_failure_ends_it)
{
    struct um_bisect found;
    const struct um_bisect_host host = {NULL, give_up};
    cr_expect_eq(um_bisect_search(&host, 8, &found), UM_ERR_TIMEOUT);
    cr_expect_eq(found.outcome, UM_BISECT_CANNOT_TELL);
    cr_expect_eq(found.left, 0xff);
    cr_expect_eq(found.step_count, 0);
    cr_expect_eq(um_bisect_search(&host, 1, &found), UM_ERR_ARG);
    cr_expect_eq(um_bisect_search(&host, UM_BISECT_MOST + 1, &found), UM_ERR_ARG);
}

/* 200 searches among eight suspects, one of which costs 10 %, on a machine. */
static void assert_found(enum until_sim_noise behaves)
{
    static struct um_until until;
    unsigned right = 0, wrong = 0;
    noise = behaves;
    spread = 0.05;
    seeds = (struct um_random){1};
    cr_assert_eq(um_until_plan(60, 0.05, UM_BISECT_ALPHA, &until), UM_OK);
    plan = &until;
    for (unsigned i = 0; i < 200; i++) {
        costs[i % 8] = 0.1;
        struct um_bisect found = search(sit, 8);
        costs[i % 8] = 0;
        bool named = found.outcome == UM_BISECT_FOUND;
        right += named && found.left == UINT64_C(1) << i % 8;
        wrong += named && found.left != UINT64_C(1) << i % 8;
    }
    cr_expect_geq(right, 190, "%s: %u right, %u wrong", until_sim_names[behaves], right, wrong);
    cr_expect_leq(wrong, 8, "%u", wrong); /* 4 answers, each wrong in 1 of 100 */
}

Test(bisect, finds_ten_per_cent_on_a_machine_that_drifts)
{
    assert_found(UNTIL_SIM_DRIFT);
}

Test(bisect, finds_ten_per_cent_among_spikes)
{
    assert_found(UNTIL_SIM_SPIKES);
}
