/* Change points against published examples, against all cuts and all orders tried one by one, and
 * in simulated histories: how often there is a false alarm, and how often a change is found. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "monitor/compare/compare.h"
#include "monitor/history/divisive.h"
#include "tests/divisive_slow.h"

static double values[UM_DIVISIVE_MOST + 1];
static struct um_divisive_change changes[UM_DIVISIVE_MOST];
static size_t count;

static void find(size_t len)
{
    cr_assert_eq(um_divisive_find(values, len, &um_divisive_config, changes, &count), UM_OK);
}

static size_t arithmetic(double *out, double from, double below, double step)
{
    size_t len = 0;
    for (double value = from; value < below; value += step)
        out[len++] = value;
    return len;
}

/* Source: the values `t` in tests/test_energy_statistics.py of MongoDB's
 * signal-processing-algorithms. They divide the distances within a group by n * n, and not by
 * n * (n - 1). Of n numbers with `step` between them the mean distance is step * (n + 1) / 3.
 * They are meant to hold to 1.5e-3 (decimal=3 of numpy's assert_almost_equal). */
Test(divisive, distances_are_those_of_mongodb)
{
    static const struct {
        double from[2], below[2], step[2], t;
    } published[] = {
        {{1, 1}, {100, 105}, {1, 1}, 8.136},
        {{1, 10000}, {100, 13000}, {1, 14}, 1481794.709},
        {{1, 1000}, {300, 5000}, {1, 10}, 728381.015},
        {{300, 400}, {500, 900}, {1, 11}, 10035.943},
    };
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        const double *step = published[i].step;
        size_t left = arithmetic(values, published[i].from[0], published[i].below[0], step[0]);
        size_t right =
            arithmetic(values + left, published[i].from[1], published[i].below[1], step[1]);
        double n = (double)left;
        double m = (double)right;
        double within = step[0] * (n + 1) / (3 * n) + step[1] * (m + 1) / (3 * m);
        double expected = published[i].t - n * m / (n + m) * within;
        double q = divisive_slow(values, left + right, left);
        cr_expect_lt(fabs(q - expected), 0.0015, "%zu: %.4f is not %.4f", i, q, expected);
    }
}

static size_t read_golden(const char *path)
{
    char line[128];
    size_t len = 0;
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    while (fgets(line, sizeof line, file))
        if (line[0] != '#')
            values[len++] = strtod(line, NULL);
    fclose(file);
    return len;
}

/* Source: section 4.1 of that paper, which counts from 1: found in this order were 201, 308 and
 * 108, with p of 0.002, 0.002 and 0.010; looked at last was 358, and not significant. */
Test(divisive, finds_what_the_package_ecp_finds)
{
    static const size_t at[] = {107, 200, 307};
    static const double p[] = {0.010, 0.002, 0.002};
    const struct um_divisive_config config = {30, 499, 0.05};
    size_t cut;
    double distance;
    cr_assert_eq(read_golden(UM_SOURCE_DIR "/tests/golden/divisive_ecp.txt"), 400);
    cr_assert_eq(um_divisive_find(values, 400, &config, changes, &count), UM_OK);
    cr_assert_eq(count, 3);
    for (size_t i = 0; i < 3; i++) {
        cr_expect_eq(changes[i].at, at[i], "%zu", changes[i].at);
        cr_expect_lt(fabs(changes[i].p - p[i]), 0.007, "%g", changes[i].p); /* shuffled otherwise */
    }
    cr_assert_eq(um_divisive_best(values + 307, 93, 30, &cut, &distance), UM_OK);
    cr_expect_eq(307 + cut, 357);
}

/* Source: tests/analysis_test.py of DataStax's Hunter, now Apache Otava. */
Test(divisive, finds_what_hunter_finds)
{
    static const double series[] = {1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96,
                                    0.50, 0.51, 0.48, 0.48, 0.55, 0.50, 0.49, 0.51, 0.50, 0.49};
    memcpy(values, series, sizeof series);
    find(20);
    cr_assert_eq(count, 1);
    cr_expect_eq(changes[0].at, 10);
    cr_expect_leq(changes[0].p, 0.01);
}

/* Source: test_default_implementation_sanity in tests/test_e_divisive.py of MongoDB's. */
Test(divisive, finds_a_step_without_noise_where_it_is)
{
    for (size_t at = 5; at < 100; at += 5) {
        for (size_t i = 0; i < 2 * at; i++)
            values[i] = i >= at;
        find(2 * at);
        cr_assert_eq(count, 1, "%zu", at);
        cr_assert_eq(changes[0].at, at);
    }
}

/* The largest Q over all cuts and all ends of the right group. */
static double best_of_all(const double *series, size_t len, size_t least, size_t *cut)
{
    double best = -INFINITY;
    for (size_t at = least; at + least <= len; at++) {
        for (size_t end = at + least; end <= len; end++) {
            double q = divisive_slow(series, end, at);
            if (q > best + 1e-9) {
                best = q;
                *cut = at;
            }
        }
    }
    return best;
}

Test(divisive, best_cut_is_the_best_of_all)
{
    struct um_random random = {21};
    for (int round = 0; round < 100; round++) {
        size_t len = 4 + um_random_below(&random, 30);
        size_t least = 2 + um_random_below(&random, 3);
        size_t cut = 0;
        size_t expected = 0;
        double distance = 0;
        for (size_t i = 0; i < len; i++) {
            values[i] = 50 + um_random_normal(&random) + (double)(2 * i / len);
            if (round % 3 == 0)
                values[i] = rint(values[i]);
        }
        double best = best_of_all(values, len, least, &expected);
        cr_assert_eq(um_divisive_best(values, len, least, &cut, &distance), UM_OK);
        cr_assert_eq(cut > 0, len >= 2 * least);
        if (cut == 0)
            continue;
        cr_assert_lt(fabs(distance - best), 1e-9, "round %d: %.12f, not %.12f", round, distance,
                     best);
        cr_assert(round % 3 == 0 || cut == expected, "round %d: %zu, not %zu", round, cut,
                  expected);
    }
}

/* Goes over all orders of the numbers from `from` on, and counts those that part as far. */
static void try_orders(double *series, size_t from, size_t len, double enough, size_t *far,
                       size_t *all)
{
    if (from == len) {
        size_t cut;
        *all += 1;
        *far += best_of_all(series, len, 2, &cut) > enough - 1e-9;
    }
    for (size_t i = from; i < len; i++) {
        double moved = series[from];
        series[from] = series[i];
        series[i] = moved;
        try_orders(series, from + 1, len, enough, far, all);
        series[i] = series[from];
        series[from] = moved;
    }
}

Test(divisive, p_is_the_share_of_all_orders)
{
    static const double series[][7] = {
        {1, 2, 3, 4, 5, 6, 7}, {3, 1, 2, 9, 8, 7, 6}, {5, 1, 4, 2, 6, 3, 7}, {1, 1, 1, 1, 2, 2, 2}};
    const struct um_divisive_config config = {2, 20000, 1};
    for (size_t i = 0; i < sizeof series / sizeof series[0]; i++) {
        size_t far = 0;
        size_t all = 0;
        size_t cut = 0;
        memcpy(values, series[i], sizeof series[i]);
        try_orders(values, 0, 7, best_of_all(series[i], 7, 2, &cut), &far, &all);
        double expected = (double)far / (double)all;
        cr_assert_eq(um_divisive_find(values, 7, &config, changes, &count), UM_OK);
        size_t first = 0;
        while (first < count && changes[first].at != cut)
            first++;
        cr_assert_lt(first, count);
        double error = 4 * sqrt(expected * (1 - expected) / 20000) + 1e-4;
        cr_expect_lt(fabs(changes[first].p - expected), error, "%zu: %.4f, not %.4f", i,
                     changes[first].p, expected);
    }
}

Test(divisive, what_does_not_differ_has_no_change)
{
    for (size_t len = 0; len <= 40; len++) {
        for (size_t i = 0; i < len; i++)
            values[i] = 0.1;
        find(len);
        cr_assert_eq(count, 0, "%zu", len);
    }
}

Test(divisive, few_numbers_show_nothing)
{
    for (size_t len = 0; len < 10; len++) {
        for (size_t i = 0; i < len; i++)
            values[i] = i >= len / 2;
        find(len);
        cr_assert_eq(count, 0, "%zu", len);
    }
}

Test(divisive, same_numbers_give_the_same_changes)
{
    struct um_divisive_change before[UM_DIVISIVE_MOST / 3];
    struct um_random random = {22};
    for (size_t i = 0; i < 90; i++)
        values[i] = um_random_normal(&random) + (double)(i / 30);
    find(90);
    size_t found = count;
    cr_assert_gt(found, 0);
    memcpy(before, changes, found * sizeof *before);
    find(90);
    cr_assert_eq(count, found);
    cr_expect_eq(memcmp(before, changes, found * sizeof *before), 0);
}

Test(divisive, refuses_what_it_cannot_do)
{
    const struct um_divisive_config narrow = {1, 199, 0.05}, idle = {3, 0, 0.05};
    size_t cut;
    double distance;
    cr_expect_eq(
        um_divisive_find(values, UM_DIVISIVE_MOST + 1, &um_divisive_config, changes, &count),
        UM_ERR_ARG);
    cr_expect_eq(um_divisive_find(values, 20, &narrow, changes, &count), UM_ERR_ARG);
    cr_expect_eq(um_divisive_find(values, 20, &idle, changes, &count), UM_ERR_ARG);
    cr_expect_eq(um_divisive_best(values, 20, 1, &cut, &distance), UM_ERR_ARG);
}

/* From here on: simulated histories. */

#define ALARM_ROUNDS 1000
#define ROUNDS 100

/* The chance that a share that is truly `level` comes out above this in so many tries is 0.1 %. */
static double at_most(double level)
{
    return level + 3.09 * sqrt(level * (1 - level) / ALARM_ROUNDS);
}

static double normal(struct um_random *random)
{
    return um_random_normal(random);
}

/* Most are alike, and one of ten is far slower: a machine that did something else. */
static double with_outliers(struct um_random *random)
{
    double value = um_random_normal(random);
    return um_random_unit(random) < 0.1 ? value + 10 * um_random_unit(random) : value;
}

Test(divisive, false_alarms_are_as_rare_as_the_level_says)
{
    double (*const noises[])(struct um_random *) = {normal, with_outliers};
    static const size_t lens[] = {12, 30, 60};
    struct um_random random = {23};
    for (size_t noise = 0; noise < 2; noise++) {
        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
            size_t alarms = 0;
            for (int round = 0; round < ALARM_ROUNDS; round++) {
                for (size_t j = 0; j < lens[i]; j++)
                    values[j] = 100 + noises[noise](&random);
                find(lens[i]);
                alarms += count > 0;
            }
            cr_expect_leq((double)alarms / ALARM_ROUNDS, at_most(um_divisive_config.level),
                          "noise %zu, %zu numbers: %zu of %d", noise, lens[i], alarms,
                          ALARM_ROUNDS);
        }
    }
}

Test(divisive, a_step_of_two_deviations_is_found_where_it_is)
{
    struct um_random random = {24};
    size_t near = 0;
    for (int round = 0; round < ROUNDS; round++) {
        size_t at = 20 + um_random_below(&random, 21);
        bool found = false;
        for (size_t i = 0; i < 60; i++)
            values[i] = um_random_normal(&random) + (i >= at ? 2 : 0);
        find(60);
        for (size_t i = 0; i < count; i++)
            found = found || (changes[i].at + 2 >= at && changes[i].at <= at + 2);
        near += found;
    }
    cr_expect_geq(near, 0.9 * ROUNDS, "%zu of %d", near, ROUNDS);
}

#define RUNS 15
#define COMMITS 60

static double median_of_runs(const double *runs)
{
    struct um_compare_value sorted[RUNS];
    struct um_compare_group group = {sorted, RUNS, RUNS};
    for (uint32_t i = 0; i < RUNS; i++)
        sorted[i] = (struct um_compare_value){runs[i], i};
    um_compare_sort(&group);
    return um_compare_statistic_of(&group, UM_COMPARE_P50);
}

/* Runs of each commit, whose medians differ by 5 % from run to run. From commit 20 to 40 each
 * commit is 1 % slower than the one before it. A comparison of two neighbours that differ by
 * nothing calls one in twenty different, half of them slower: so of drifting neighbours only a few
 * more. */
Test(divisive, a_drift_that_no_pair_shows_is_found)
{
    struct um_random random = {25};
    struct um_mann_whitney shown;
    size_t found = 0;
    size_t pairs = 0;
    size_t slower = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double runs[2][RUNS];
        for (size_t i = 0; i < COMMITS; i++) {
            double steps = i < 20 ? 0 : i < 40 ? (double)(i - 19) : 20;
            for (size_t j = 0; j < RUNS; j++)
                runs[i % 2][j] = 20 * pow(1.01, steps) * exp(0.05 * um_random_normal(&random));
            values[i] = median_of_runs(runs[i % 2]);
            if (i < 20 || i >= 40)
                continue;
            enum um_compare_verdict verdict;
            const struct um_compare_runs both = {runs[(i + 1) % 2], runs[i % 2], RUNS, RUNS, NULL};
            cr_assert_eq(um_compare_decide(&um_compare_two_sittings, &both, &shown, &verdict),
                         UM_OK);
            pairs++;
            slower += verdict == UM_COMPARE_SLOWER;
        }
        find(COMMITS);
        found += count > 0;
    }
    cr_expect_geq(found, 0.95 * ROUNDS, "%zu of %d drifts", found, ROUNDS);
    cr_expect_leq(slower, 0.1 * (double)pairs, "%zu of %zu pairs", slower, pairs);
}

/* A history that is nothing but drift, with noise of the commits' own of 2 %. */
Test(divisive, a_drift_from_the_first_commit_on_is_found)
{
    struct um_random random = {26};
    size_t found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < 20; i++)
            values[i] = 20 * pow(1.01, (double)i) * (1 + 0.02 * um_random_normal(&random));
        find(20);
        found += count > 0;
    }
    cr_expect_geq(found, 0.95 * ROUNDS, "%zu of %d", found, ROUNDS);
}

Test(divisive, a_change_that_is_taken_back_is_found_twice)
{
    struct um_random random = {27};
    size_t found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < 60; i++)
            values[i] = um_random_normal(&random) + (i >= 25 && i < 35 ? 3 : 0);
        find(60);
        found += count > 1;
    }
    cr_expect_geq(found, 0.95 * ROUNDS, "%zu of %d", found, ROUNDS);
}
