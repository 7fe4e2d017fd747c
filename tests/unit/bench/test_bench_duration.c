/* How long a benchmark takes, in words. The times are reckoned by hand in each test. */
#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/bench/bench_duration.h"

#define S UM_CLOCK_NS_PER_S

static void assert_plan(struct um_bench_duration left, uint64_t own_ns, uint64_t most_ns,
                        const char *expected)
{
    char line[UM_BENCH_DURATION_BYTES];
    um_bench_duration_plan(&left, own_ns, most_ns, line);
    cr_expect_str_eq(line, expected);
}

static void assert_rest(struct um_bench_duration left, uint64_t before_ns, uint64_t after_ns,
                        const char *expected)
{
    char line[UM_BENCH_DURATION_BYTES];
    const uint64_t took_ns[] = {before_ns, after_ns};
    um_bench_duration_rest(&left, took_ns, line);
    cr_expect_str_eq(line, expected);
}

/* 16 runs of 15 s are 4 min; 16 of 149 s are 39 min 44 s. */
Test(bench_duration, plan_of_one_side)
{
    struct um_bench_duration left = {.sides = 1, .runs = 16};
    assert_plan(left, 15 * S, 149 * S,
                "16 runs: likely 4 min or more, by what the scenario itself waits and types; "
                "40 min at most");
    assert_plan(left, 0, 149 * S, "16 runs, 40 min at most");
    left.runs = 1;
    assert_plan(left, 400 * UM_CLOCK_NS_PER_MS, 67 * S,
                "1 run: likely 1 s or more, by what the scenario itself waits and types; 2 min at "
                "most");
}

/* Nine runs of both sides take 9 * 20 s to the pair after which it may end. */
Test(bench_duration, plan_of_a_sitting_that_may_end_early)
{
    struct um_bench_duration left = {.sides = 2, .runs = 61, .look = 8, .until_look = 9};
    assert_plan(left, 20 * S, 300 * S,
                "61 runs of each side: likely 3 min or more until it may end, after pair 8, by "
                "what the scenario itself waits and types; 5 h 6 min at most");
}

Test(bench_duration, rest_is_as_long_as_the_first_runs)
{
    assert_rest((struct um_bench_duration){.sides = 1, .runs = 15}, 14 * S, 0,
                "the first run took 14 s: likely 4 min more"); /* 210 s */
    assert_rest((struct um_bench_duration){.sides = 1, .runs = 3}, 14400 * S / 1000, 0,
                "the first run took 14 s: likely 43 s more");
    assert_rest((struct um_bench_duration){.sides = 2, .runs = 15}, 14 * S, 90 * S,
                "the first run of each side took 14 s and 90 s: likely 26 min more");
    assert_rest(
        (struct um_bench_duration){.sides = 2, .runs = 60, .look = 8, .until_look = 8}, 10 * S,
        12 * S,
        "the first run of each side took 10 s and 12 s: likely 3 min until it may end, after "
        "pair 8, and 22 min for all");
}
