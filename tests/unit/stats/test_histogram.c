#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/stats/histogram.h"

#define MS UINT64_C(1000000)

static uint64_t counts[UM_HISTOGRAM_LATENCY_COUNTS];
static uint64_t other_counts[UM_HISTOGRAM_LATENCY_COUNTS];

static struct um_histogram histogram; /* of latencies, and empty, when a test begins */

static void setup(void)
{
    memset(counts, 0, sizeof counts);
    um_histogram_init_latency(&histogram, counts);
}

TestSuite(histogram, .init = setup);

static void init_range(uint64_t lowest, uint64_t highest, unsigned digits)
{
    cr_assert_eq(
        um_histogram_init(&histogram, lowest, highest, digits, counts, UM_HISTOGRAM_LATENCY_COUNTS),
        UM_OK);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Compares with a table of figures that another implementation made. */
static void expect_golden(const char *name)
{
    char path[512];
    char line[256];
    int figures = 0;
    snprintf(path, sizeof path, UM_SOURCE_DIR "/tests/golden/%s", name);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    while (fgets(line, sizeof line, file)) {
        double percentile;
        double mean;
        unsigned long long value;
        if (sscanf(line, "count %llu", &value) == 1) {
            cr_expect_eq(um_histogram_count(&histogram), value);
        } else if (sscanf(line, "mean %lf", &mean) == 1) {
            cr_expect_float_eq(um_histogram_mean(&histogram), mean, mean * 1e-9);
        } else if (sscanf(line, "p %lf %llu", &percentile, &value) == 2) {
            uint64_t ours = um_histogram_value_at_percentile(&histogram, percentile);
            cr_expect_eq(ours, value, "p%g is %llu, not %llu", percentile, (unsigned long long)ours,
                         value);
        } else {
            continue;
        }
        figures++;
    }
    fclose(file);
    cr_expect_eq(figures, 15);
}

Test(histogram, agrees_with_hdrhistogram_on_its_classic_raw_data)
{
    init_range(1, 3600000000, 3);
    for (int i = 0; i < 10000; i++)
        um_histogram_record(&histogram, 1000);
    um_histogram_record(&histogram, 100000000);
    expect_golden("histogram_raw.txt");
}

Test(histogram, agrees_with_hdrhistogram_on_its_classic_corrected_data)
{
    init_range(1, 3600000000, 3);
    for (int i = 0; i < 10000; i++)
        um_histogram_record_corrected(&histogram, 1000, 10000);
    um_histogram_record_corrected(&histogram, 100000000, 10000);
    expect_golden("histogram_corrected.txt");
}

Test(histogram, agrees_with_hdrhistogram_in_ns)
{
    for (int i = 0; i < 10000; i++)
        um_histogram_record_corrected(&histogram, 1 * MS, 10 * MS);
    um_histogram_record_corrected(&histogram, 100000 * MS, 10 * MS);
    expect_golden("histogram_latency.txt");
}

Test(histogram, agrees_with_hdrhistogram_on_random_values)
{
    uint64_t x = 1;
    for (int i = 0; i < 100000; i++) {
        next_random(&x);
        um_histogram_record_corrected(&histogram, x >> 33 >> (x >> 8 & 31), 10 * MS);
    }
    expect_golden("histogram_random.txt");
}

/* The true value by nearest rank, with the precision that the histogram promises. */
static void expect_near(const uint64_t *sorted, size_t len, unsigned per_mille)
{
    size_t rank = (len * per_mille + 999) / 1000;
    uint64_t truth = sorted[rank > 0 ? rank - 1 : 0];
    uint64_t ours = um_histogram_value_at_percentile(&histogram, per_mille / 10.0);
    uint64_t slack = truth / 1000 > 512 ? truth / 1000 : 512;
    cr_expect_geq(ours, truth, "%u per mille", per_mille);
    cr_expect_leq(ours, truth + slack, "%u per mille", per_mille);
}

Test(histogram, keeps_its_precision_against_sorted_values)
{
    enum { LEN = 20011 };
    static uint64_t values[LEN];
    static const unsigned per_mille[] = {1, 10, 100, 250, 500, 750, 900, 950, 990, 999, 1000};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        setup();
        uint64_t x = seed;
        double sum = 0;
        for (size_t i = 0; i < LEN; i++) {
            /* From flat over 4 ms to spread over eleven powers of two, up to 34 s. */
            uint64_t bits = 22 + next_random(&x) % (seed % 12 + 1);
            values[i] = 1000 + (next_random(&x) >> (64 - bits)) * (seed % 3 + 1);
            um_histogram_record(&histogram, values[i]);
            sum += (double)values[i];
        }
        qsort(values, LEN, sizeof values[0], compare);
        for (size_t i = 0; i < sizeof per_mille / sizeof per_mille[0]; i++)
            expect_near(values, LEN, per_mille[i]);
        cr_expect_float_eq(um_histogram_mean(&histogram), sum / LEN, sum / LEN * 1e-3);
        cr_expect_eq(um_histogram_max(&histogram), values[LEN - 1]);
    }
}

Test(histogram, corrects_as_the_plain_loop_would)
{
    struct um_histogram plain;
    um_histogram_init_latency(&plain, other_counts);
    uint64_t x = 7;
    for (int i = 0; i < 300; i++) {
        uint64_t interval = 1 + (next_random(&x) >> 43);
        uint64_t value = interval * (next_random(&x) >> 53) + (next_random(&x) >> 44);
        um_histogram_record_corrected(&histogram, value, interval);
        um_histogram_record(&plain, value);
        for (uint64_t v = value; v >= 2 * interval; v -= interval)
            um_histogram_record(&plain, v - interval);
    }
    cr_expect_eq(histogram.total, plain.total);
    cr_expect_arr_eq(histogram.counts, plain.counts, sizeof counts);
}

Test(histogram, corrects_thirty_days_at_a_tiny_interval_at_once)
{
    um_histogram_record_corrected(&histogram, UM_HISTOGRAM_LATENCY_HIGHEST, 1);
    cr_expect_eq(um_histogram_count(&histogram), UM_HISTOGRAM_LATENCY_HIGHEST);
}

Test(histogram, does_not_correct_values_within_the_interval)
{
    um_histogram_record_corrected(&histogram, 19 * MS, 10 * MS);
    cr_expect_eq(um_histogram_count(&histogram), 1);
    um_histogram_record_corrected(&histogram, 20 * MS, 10 * MS);
    cr_expect_eq(um_histogram_count(&histogram), 3);
    um_histogram_record_corrected(&histogram, 20 * MS, 0);
    cr_expect_eq(um_histogram_count(&histogram), 4);
}

Test(histogram, keeps_its_precision_over_the_length_of_a_recording)
{
    for (uint64_t hours = 1; hours <= 30 * 24; hours += 7) {
        setup();
        uint64_t value = hours * 3600000 * MS;
        um_histogram_record(&histogram, value);
        expect_near(&value, 1, 500);
        cr_expect_eq(um_histogram_max(&histogram), value);
    }
}

Test(histogram, counts_what_lies_over_its_range)
{
    um_histogram_record(&histogram, UM_HISTOGRAM_LATENCY_HIGHEST);
    um_histogram_record(&histogram, UM_HISTOGRAM_LATENCY_HIGHEST + 1);
    um_histogram_record(&histogram, UINT64_MAX);
    cr_expect_eq(um_histogram_count(&histogram), 3);
    cr_expect_eq(um_histogram_max(&histogram), UINT64_MAX);
    uint64_t highest = um_histogram_value_at_percentile(&histogram, 100.0);
    cr_expect_eq(highest,
                 um_histogram_highest_equivalent(&histogram, UM_HISTOGRAM_LATENCY_HIGHEST));
}

Test(histogram, has_a_place_for_every_value)
{
    uint64_t next = 0;
    for (size_t i = 0; i < histogram.counts_len; i++) {
        uint64_t lowest = um_histogram_value_at_index(&histogram, i);
        cr_assert_eq(lowest, next, "index %zu leaves a hole", i);
        cr_assert_eq(um_histogram_lowest_equivalent(&histogram, lowest), lowest);
        next = um_histogram_highest_equivalent(&histogram, lowest) + 1;
        cr_assert_eq(um_histogram_lowest_equivalent(&histogram, next - 1), lowest);
    }
    cr_expect_gt(next, UM_HISTOGRAM_LATENCY_HIGHEST);
}

Test(histogram, is_0_when_empty)
{
    cr_expect_eq(um_histogram_value_at_percentile(&histogram, 50.0), 0);
    cr_expect_eq(um_histogram_mean(&histogram), 0.0);
    cr_expect_eq(um_histogram_max(&histogram), 0);
}

Test(histogram, clears_counts_of_another_before)
{
    memset(counts, 0xff, sizeof counts);
    cr_assert_eq(um_histogram_init(&histogram, UM_HISTOGRAM_LATENCY_LOWEST,
                                   UM_HISTOGRAM_LATENCY_HIGHEST, UM_HISTOGRAM_LATENCY_DIGITS,
                                   counts, UM_HISTOGRAM_LATENCY_COUNTS),
                 UM_OK);
    cr_expect_arr_eq(counts, other_counts, sizeof counts); /* all 0 */
}

Test(histogram, forgets_on_reset)
{
    um_histogram_record(&histogram, UINT64_MAX);
    um_histogram_reset(&histogram);
    cr_expect_arr_eq(counts, other_counts, sizeof counts); /* all 0 */
    cr_expect_eq(um_histogram_count(&histogram), 0);
    cr_expect_eq(um_histogram_max(&histogram), 0);
    cr_expect_eq(um_histogram_value_at_percentile(&histogram, 100.0), 0);
}

Test(histogram, knows_its_size)
{
    cr_expect_eq(histogram.counts_len, UM_HISTOGRAM_LATENCY_COUNTS);
}

Test(histogram, refuses_a_range_it_cannot_lay_out)
{
    cr_expect_eq(um_histogram_init(&histogram, 0, 1000, 3, counts, UM_HISTOGRAM_LATENCY_COUNTS),
                 UM_ERR_ARG);
    cr_expect_eq(um_histogram_init(&histogram, 1000, 1999, 3, counts, UM_HISTOGRAM_LATENCY_COUNTS),
                 UM_ERR_ARG);
    cr_expect_eq(um_histogram_init(&histogram, 1, 1000, 0, counts, UM_HISTOGRAM_LATENCY_COUNTS),
                 UM_ERR_ARG);
    cr_expect_eq(um_histogram_init(&histogram, 1, 1000, 6, counts, UM_HISTOGRAM_LATENCY_COUNTS),
                 UM_ERR_ARG);
    cr_expect_eq(
        um_histogram_init(&histogram, 1, UINT64_MAX, 3, counts, UM_HISTOGRAM_LATENCY_COUNTS),
        UM_ERR_ARG);
    cr_expect_eq(um_histogram_init(&histogram, 1000, 3600000000000, 3, counts, 24575),
                 UM_ERR_TOO_LARGE);
}

Test(histogram, can_reach_the_largest_range)
{
    init_range(1, INT64_MAX, 1);
    um_histogram_record(&histogram, INT64_MAX);
    um_histogram_record(&histogram, UINT64_MAX);
    cr_expect_eq(um_histogram_value_at_percentile(&histogram, 100.0), (uint64_t)INT64_MAX);
}
