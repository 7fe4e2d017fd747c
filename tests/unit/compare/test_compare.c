#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "monitor/compare/compare.h"
#include "monitor/compare/results.h"
#include "tests/compare_sim.h"

/* 20 runs of assets/scenarios/demo-typing.uimon under Wine, on a machine that was busy with other
 * things; and runs made by a formula. */
static const char *const pools[] = {UM_SOURCE_DIR "/tests/golden/runs_notepad.json",
                                    UM_SOURCE_DIR "/tests/golden/runs_demo.json",
                                    UM_SOURCE_DIR "/tests/golden/runs_synthetic.json"};
#define POOLS (sizeof pools / sizeof pools[0])
#define RUNS_FOR_10_PERCENT 15 /* what the README says is enough */
#define COMPARISONS 2000

static void assert_near(double value, double expected, double tolerance)
{
    cr_assert_leq(fabs(value - expected), tolerance, "%.6f is not %.6f", value, expected);
}

static double u_of(const double *values, unsigned members, size_t len)
{
    double u = 0;
    for (size_t i = 0; i < len; i++) {
        for (size_t j = 0; j < len; j++) {
            bool pair = (members >> i & 1) && !(members >> j & 1);
            if (pair && values[i] > values[j])
                u += 1;
            else if (pair && !(values[i] < values[j]))
                u += 0.5;
        }
    }
    return u;
}

/* The truth of the exact test, by going through every way to divide the runs into two sides. */
static double p_by_hand(const double *before, size_t n, const double *after, size_t m)
{
    double all[16];
    size_t len = n + m;
    unsigned ways = 0;
    unsigned far = 0;
    for (size_t i = 0; i < len; i++)
        all[i] = i < n ? before[i] : after[i - n];
    double middle = (double)(n * m) / 2.0;
    double seen = fabs(u_of(all, ((1u << m) - 1) << n, len) - middle);
    for (unsigned members = 0; members < 1u << len; members++) {
        size_t count = 0;
        for (unsigned left = members; left != 0; left &= left - 1)
            count++;
        if (count != m)
            continue;
        ways++;
        far += fabs(u_of(all, members, len) - middle) >= seen - 1e-9;
    }
    return (double)far / ways;
}

static void assert_exact(const double *before, size_t n, const double *after, size_t m)
{
    struct um_mann_whitney test;
    double all[16];
    for (size_t i = 0; i < n + m; i++)
        all[i] = i < n ? before[i] : after[i - n];
    cr_assert_eq(um_mann_whitney_test(before, n, after, m, &test), UM_OK);
    cr_assert(test.exact);
    assert_near(test.p, p_by_hand(before, n, after, m), 1e-9);
    assert_near(test.u, u_of(all, ((1u << m) - 1) << n, n + m), 1e-9);
    assert_near(test.superiority, test.u / (double)(n * m), 1e-12);
}

Test(compare, exact_test_agrees_with_counting_by_hand)
{
    struct um_random random = {1};
    for (int round = 0; round < 60; round++) {
        double before[6];
        double after[6];
        size_t n = 1 + um_random_below(&random, 6);
        size_t m = 1 + um_random_below(&random, 6);
        uint32_t kinds = round % 2 ? 4 : 1000000; /* few kinds of values: many ties */
        for (size_t i = 0; i < n; i++)
            before[i] = um_random_below(&random, kinds);
        for (size_t i = 0; i < m; i++)
            after[i] = um_random_below(&random, kinds) + (round % 3 ? 0 : kinds / 3.0);
        assert_exact(before, n, after, m);
    }
}

/* Source of the critical values: the usual tables for a two-sided test at 0.05. */
Test(compare, exact_test_agrees_with_the_printed_tables)
{
    static const struct {
        size_t n;
        double critical_u; /* the largest that is significant */
    } rows[] = {{4, 0}, {5, 2}, {8, 13}, {10, 23}, {12, 37}, {15, 64}, {20, 127}};
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        for (int off = 0; off < 2; off++) {
            double before[20];
            double after[20];
            struct um_mann_whitney test;
            size_t n = rows[row].n;
            double left = rows[row].critical_u + off; /* U to reach */
            for (size_t i = 0; i < n; i++)
                before[i] = (double)i;
            for (size_t i = 0; i < n; i++) { /* each lies above as many as are left to give */
                double above = left < (double)n ? left : (double)n;
                after[i] = above - 0.5 - (double)(i + 1) / 100.0;
                left -= above;
            }
            cr_assert_eq(um_mann_whitney_test(before, n, after, n, &test), UM_OK);
            assert_near(test.u, rows[row].critical_u + off, 1e-9);
            cr_assert_eq(test.p <= 0.05, off == 0, "n %zu, U %g: p %g", n, test.u, test.p);
        }
    }
}

Test(compare, approximation_joins_the_exact_test)
{
    double before[30];
    double after[30];
    struct um_random random = {5};
    struct um_mann_whitney exact;
    struct um_mann_whitney normal;
    for (size_t i = 0; i < 30; i++) {
        before[i] = i < 26 ? um_random_normal(&random) : before[i - 26];
        after[i] = i < 26 ? um_random_normal(&random) + 0.5 : after[i - 26];
    }
    um_mann_whitney_test(before, 25, after, 25, &exact);
    um_mann_whitney_test(before, 26, after, 25, &normal);
    cr_assert(exact.exact && !normal.exact);
    cr_assert(exact.p > 0.001 && exact.p < 0.2, "%g shows nothing", exact.p);
    assert_near(normal.p, exact.p, 0.03);
}

Test(compare, equal_runs_are_no_difference)
{
    const double same[30] = {0};
    struct um_mann_whitney test;
    um_mann_whitney_test(same, 5, same, 5, &test);
    assert_near(test.p, 1, 1e-12);
    um_mann_whitney_test(same, 30, same, 30, &test);
    assert_near(test.p, 1, 1e-12);
    assert_near(test.delta, 0, 1e-12);
    cr_assert_eq(um_mann_whitney_test(same, 0, same, 5, &test), UM_ERR_ARG);
}

static enum um_compare_verdict decide(const double *before, size_t n, const double *after, size_t m)
{
    struct um_mann_whitney test;
    enum um_compare_verdict verdict = UM_COMPARE_VERDICTS;
    const struct um_compare_runs runs = {before, after, n, m, NULL};
    cr_assert_eq(um_compare_decide(&um_compare_two_sittings, &runs, &test, &verdict), UM_OK);
    return verdict;
}

Test(compare, four_runs_a_side_are_the_least)
{
    const double low[] = {1, 2, 3, 4};
    const double high[] = {5, 6, 7, 8};
    cr_assert_eq(decide(low, 4, high, 4), UM_COMPARE_SLOWER);
    cr_assert_eq(decide(high, 4, low, 4), UM_COMPARE_FASTER);
    cr_assert_eq(decide(low, 4, low, 4), UM_COMPARE_NO_DIFFERENCE);
    cr_assert_eq(decide(low, 3, high, 4), UM_COMPARE_TOO_FEW);
    cr_assert_eq(decide(low, 4, high, 1), UM_COMPARE_TOO_FEW);
}

/* 1, 2, ... len, the same number in each run. */
static struct um_compare_group count_up(struct um_compare_value *values, size_t len, uint32_t runs)
{
    for (size_t i = 0; i < len; i++)
        values[len - 1 - i] = (struct um_compare_value){(double)(i + 1), (uint32_t)(i % runs)};
    struct um_compare_group group = {values, len, runs};
    um_compare_sort(&group);
    return group;
}

Test(compare, statistics_of_known_values)
{
    struct um_compare_value values[10];
    struct um_compare_group group = count_up(values, 10, 2);
    double runs[2];
    assert_near(um_compare_statistic_of(&group, UM_COMPARE_P50), 5.5, 0);
    assert_near(um_compare_statistic_of(&group, UM_COMPARE_P75), 8, 0);
    assert_near(um_compare_statistic_of(&group, UM_COMPARE_P90), 9.5, 0);
    assert_near(um_compare_statistic_of(&group, UM_COMPARE_P98), 10, 0);
    assert_near(um_compare_statistic_of(&group, UM_COMPARE_MAX), 10, 0);
    assert_near(um_compare_statistic_of(&group, UM_COMPARE_MEAN), 5.5, 0);
    cr_assert_eq(um_compare_of_runs(&group, UM_COMPARE_P50, runs), 2);
    assert_near(runs[0], 5, 0); /* 1, 3, 5, 7, 9 */
    assert_near(runs[1], 6, 0);
    group.len = 0;
    cr_assert(isnan(um_compare_statistic_of(&group, UM_COMPARE_P50)));
    cr_assert_eq(um_compare_of_runs(&group, UM_COMPARE_P50, runs), 0);
}

Test(compare, runs_without_values_are_left_out)
{
    struct um_compare_value values[] = {{1, 4}, {2, 4}, {3, 7}};
    const struct um_compare_group group = {values, 3, 9};
    double runs[9];
    cr_assert_eq(um_compare_of_runs(&group, UM_COMPARE_MAX, runs), 2);
    assert_near(runs[0], 2, 0);
    assert_near(runs[1], 3, 0);
}

/* `runs` runs of `keys` keys around `level`; runs differ by 5 %, keys of a run by 10 % more. */
static struct um_compare_group make_group(struct um_random *random, struct um_compare_value *values,
                                          uint32_t runs, uint32_t keys, double level)
{
    struct um_compare_group group = {values, 0, runs};
    for (uint32_t run = 0; run < runs; run++) {
        double at = level * (1 + 0.05 * um_random_normal(random));
        for (uint32_t key = 0; key < keys; key++)
            values[group.len++] =
                (struct um_compare_value){at * (1 + 0.1 * um_random_normal(random)), run};
    }
    um_compare_sort(&group);
    return group;
}

Test(compare, interval_holds_the_truth_as_often_as_it_says)
{
    struct um_random random = {77};
    int held = 0;
    int rounds = 300;
    for (int i = 0; i < rounds; i++) {
        struct um_compare_value values[2][8 * 15];
        struct um_compare_result result;
        struct um_compare_group before = make_group(&random, values[0], 8, 15, 10);
        struct um_compare_group after = make_group(&random, values[1], 8, 15, 11);
        cr_assert_eq(um_compare_groups(&um_compare_two_sittings, &before, &after, &result), UM_OK);
        cr_assert(result.median.has_interval && result.median.has_share);
        held += result.median.share_low <= 0.1 && result.median.share_high >= 0.1;
    }
    /* 95 % of 300, give or take three standard deviations. An interval that took every key for an
     * independent one would hold it in about half. */
    cr_assert_geq(held, 0.912 * rounds, "%d of %d", held, rounds);
    cr_assert_leq(held, 0.995 * rounds, "%d of %d: too wide to be of use", held, rounds);
}

Test(compare, same_values_give_the_same_numbers)
{
    struct um_random random = {3};
    struct um_compare_value values[2][90];
    struct um_compare_result results[2];
    struct um_compare_group before = make_group(&random, values[0], 6, 15, 10);
    struct um_compare_group after = make_group(&random, values[1], 6, 15, 10);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(um_compare_groups(&um_compare_two_sittings, &before, &after, &results[i]),
                     UM_OK);
    assert_near(results[0].median.low, results[1].median.low, 0);
    assert_near(results[0].p90.share_high, results[1].p90.share_high, 0);
    cr_assert_eq(results[0].runs_needed, results[1].runs_needed);
}

Test(compare, no_interval_from_too_few_runs)
{
    struct um_compare_value values[] = {{1, 0}, {2, 1}, {3, 2}};
    const struct um_compare_group group = {values, 3, 3};
    const struct um_compare_group none = {values, 0, 3};
    struct um_compare_result result;
    cr_assert_eq(um_compare_groups(&um_compare_two_sittings, &group, &group, &result), UM_OK);
    cr_assert_eq(result.verdict, UM_COMPARE_TOO_FEW);
    cr_assert_not(result.median.has_interval);
    cr_assert_eq(um_compare_groups(&um_compare_two_sittings, &group, &none, &result), UM_ERR_ARG);
}

Test(compare, no_share_of_nothing)
{
    struct um_compare_value zeros[] = {{0, 0}, {0, 1}, {0, 2}, {0, 3}};
    struct um_compare_value some[] = {{5, 0}, {6, 1}, {7, 2}, {8, 3}};
    const struct um_compare_group before = {zeros, 4, 4};
    const struct um_compare_group after = {some, 4, 4};
    struct um_compare_result result;
    cr_assert_eq(um_compare_groups(&um_compare_two_sittings, &before, &after, &result), UM_OK);
    cr_assert_eq(result.verdict, UM_COMPARE_SLOWER);
    cr_assert_not(result.median.has_share);
    cr_assert(result.median.has_interval);
    cr_assert(result.median.low >= 5 && result.median.high <= 8);
}

/* Runs that differ by 5 % (standard deviation) take 9 to find 10 % in 95 of 100: two samples from
 * normal distributions, two standard deviations apart, t-test 8, divided by the test's efficiency
 * of 0.955. */
Test(compare, runs_needed_agree_with_the_textbook)
{
    double before[200];
    double after[200];
    struct um_random random = {9};
    for (int i = 0; i < 200; i++) {
        before[i] = 10 * (1 + 0.05 * um_random_normal(&random));
        after[i] = 10 * (1 + 0.05 * um_random_normal(&random));
    }
    uint32_t needed = um_mann_whitney_runs_needed(before, 200, after, 200, 0.10);
    cr_assert(needed >= 7 && needed <= 11, "%u", needed);
    cr_assert_gt(um_mann_whitney_runs_needed(before, 200, after, 200, 0.005),
                 UM_MANN_WHITNEY_MOST_RUNS);
    cr_assert_eq(um_mann_whitney_runs_needed(before, 1, after, 200, 0.1), 0);
    before[0] = before[1] = before[2] = before[3] = 10;
    cr_assert_eq(um_mann_whitney_runs_needed(before, 4, before, 4, 0.05), UM_MANN_WHITNEY_LEAST);
}

static struct compare_sim_pool open_pool(const char *path)
{
    char error[256];
    struct um_results results = {0};
    struct compare_sim_pool pool;
    cr_assert_eq(um_results_read_file(&results, false, path, error, sizeof error), UM_OK, "%s",
                 error);
    cr_assert(compare_sim_open(&results, "typing", 1.10, &pool));
    um_results_deinit(&results);
    return pool;
}

Test(compare, same_build_is_seldom_called_a_difference)
{
    for (size_t i = 0; i < POOLS; i++) {
        struct compare_sim_pool pool = open_pool(pools[i]);
        double rate = compare_sim_false_alarms(&pool, RUNS_FOR_10_PERCENT, COMPARISONS);
        compare_sim_close(&pool);
        cr_assert_leq(rate, 0.065, "%s: %.2f %%", pools[i], 100 * rate);
        cr_assert_geq(rate, 0.02, "%s: %.2f %%: a test that never speaks", pools[i], 100 * rate);
    }
}

Test(compare, slowdown_of_10_percent_is_found)
{
    for (size_t i = 0; i < POOLS; i++) {
        struct compare_sim_pool pool = open_pool(pools[i]);
        double rate = compare_sim_power(&pool, RUNS_FOR_10_PERCENT, COMPARISONS);
        compare_sim_close(&pool);
        cr_assert_geq(rate, 0.95, "%s: %.2f %%", pools[i], 100 * rate);
    }
}

Test(compare, random_numbers_are_those_of_the_reference)
{
    struct um_random random = {1234567}; /* S. Vigna's splitmix64.c prints these for that seed */
    cr_assert_eq(um_random_next(&random), UINT64_C(6457827717110365317));
    cr_assert_eq(um_random_next(&random), UINT64_C(3203168211198807973));
    cr_assert_eq(um_random_next(&random), UINT64_C(9817491932198370423));
}
