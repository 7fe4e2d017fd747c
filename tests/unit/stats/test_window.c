#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "monitor/stats/window.h"

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)

static struct um_window window;

struct answer {
    uint64_t p50, p99, count;
};

static struct answer query(uint64_t now_ns, uint64_t outstanding_age_ns)
{
    struct answer answer = {0, 0, 0};
    um_window_query(&window, now_ns, outstanding_age_ns, &answer.p50, &answer.p99, &answer.count);
    return answer;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 32;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The truth: every corrected value written out and sorted. */
struct truth {
    uint64_t *values;
    size_t len;
};

static void truth_add(struct truth *truth, uint64_t latency, uint64_t period)
{
    truth->values[truth->len++] = latency;
    for (uint64_t v = latency; period > 0 && v >= 2 * period; v -= period)
        truth->values[truth->len++] = v - period;
}

static struct answer truth_of(struct truth *truth)
{
    qsort(truth->values, truth->len, sizeof(uint64_t), compare);
    size_t p50 = (truth->len * 50 + 99) / 100;
    size_t p99 = (truth->len * 99 + 99) / 100;
    return (struct answer){truth->values[p50 - 1], truth->values[p99 - 1], truth->len};
}

static void expect_same(struct answer got, struct answer want)
{
    cr_expect_eq(got.count, want.count);
    cr_expect_eq(got.p50, want.p50, "p50 %llu, not %llu", (unsigned long long)got.p50,
                 (unsigned long long)want.p50);
    cr_expect_eq(got.p99, want.p99, "p99 %llu, not %llu", (unsigned long long)got.p99,
                 (unsigned long long)want.p99);
}

static void setup(void)
{
    um_window_init(&window, 10 * MS);
}

TestSuite(window, .init = setup);

Test(window, has_no_percentiles_when_empty)
{
    uint64_t p50 = 77;
    uint64_t p99 = 77;
    uint64_t count = 77;
    um_window_query(&window, S, 0, &p50, &p99, &count);
    cr_expect_eq(count, 0);
    cr_expect_eq(p50, 77);
    cr_expect_eq(p99, 77);
}

Test(window, takes_the_nearest_rank)
{
    um_window_init(&window, 1000 * S);
    for (uint64_t i = 1; i <= 100; i++)
        um_window_add(&window, i * MS, (101 - i) * 1000);
    expect_same(query(100 * MS, 0), (struct answer){50000, 99000, 100});
    um_window_add(&window, 101 * MS, 101000);
    expect_same(query(101 * MS, 0), (struct answer){51000, 100000, 101});
}

Test(window, forgets_what_is_as_old_as_the_span)
{
    um_window_add(&window, 1 * S, 1 * MS);
    um_window_add(&window, 2 * S, 2 * MS);
    cr_expect_eq(query(6 * S - 1, 0).count, 2);
    expect_same(query(6 * S, 0), (struct answer){2 * MS, 2 * MS, 1});
    cr_expect_eq(query(7 * S, 0).count, 0);
}

Test(window, corrects_a_freeze_for_coordinated_omission)
{
    for (uint64_t i = 0; i < 470; i++)
        um_window_add(&window, S + i * 10 * MS, MS / 5);
    um_window_add(&window, 6 * S - 1, 295 * MS);
    /* 470 and 295, 285, ..., 15: of 499 the 250th and the 495th. */
    expect_same(query(6 * S - 1, 0), (struct answer){MS / 5, 255 * MS, 499});
}

Test(window, counts_the_outstanding_beat_at_its_age)
{
    expect_same(query(S, 3 * MS), (struct answer){3 * MS, 3 * MS, 1}); /* it alone */
    um_window_add(&window, S, MS);
    expect_same(query(S + 100 * MS, 45 * MS), (struct answer){25 * MS, 45 * MS, 5});
    expect_same(query(S + 100 * MS, 0), (struct answer){MS, MS, 1});
}

Test(window, survives_an_hour_at_a_beat_a_ms)
{
    um_window_init(&window, MS);
    um_window_add(&window, 10 * S, MS / 2);
    /* 0.5 ms, and 1 ms, 2 ms, ..., 3,600,000 ms. */
    expect_same(query(11 * S, 3600 * S),
                (struct answer){1800000 * MS, UINT64_C(3564000) * MS, 3600001});
}

Test(window, agrees_with_the_sorted_truth)
{
    uint64_t *values = malloc(4000000 * sizeof *values);
    cr_assert_not_null(values);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t x = seed;
        uint64_t period = seed % 4 == 0 ? MS : seed % 4 == 1 ? 10 * MS : next_random(&x) % MS;
        size_t samples = next_random(&x) % (seed % 5 == 0 ? UM_WINDOW_SAMPLES : 300);
        struct truth truth = {.values = values};
        um_window_init(&window, period);
        for (size_t i = 0; i < samples; i++) {
            uint64_t shift = next_random(&x) % 12 + 7; /* up to 33 ms, and few values with seed 3 */
            uint64_t latency = next_random(&x) >> shift;
            latency = seed % 7 == 3 ? latency / MS * MS : latency;
            latency = i % 997 == 50 ? latency * 300 : latency;
            um_window_add(&window, S + i, latency);
            truth_add(&truth, latency, period > 1000 ? period : (period = 0));
        }
        um_window_set_period(&window, period);
        uint64_t age = seed % 2 == 0 ? next_random(&x) * 3 : 0;
        if (age != 0)
            truth_add(&truth, age, period);
        if (truth.len > 0)
            expect_same(query(2 * S, age), truth_of(&truth));
    }
    free(values);
}

Test(window, lets_the_oldest_go_when_it_is_full)
{
    um_window_add(&window, S, 9 * MS);
    for (uint64_t i = 0; i < UM_WINDOW_SAMPLES; i++)
        um_window_add(&window, S + i, MS);
    expect_same(query(2 * S, 0), (struct answer){MS, MS, UM_WINDOW_SAMPLES});
}

Test(window, takes_a_time_that_goes_back_as_the_latest)
{
    um_window_add(&window, 10 * S, MS);
    um_window_add(&window, 1 * S, 2 * MS);
    cr_expect_eq(query(10 * S, 0).count, 2);
    cr_expect_eq(query(15 * S, 0).count, 0);
}

Test(window, knows_the_latencies_0)
{
    um_window_init(&window, 0);
    um_window_add(&window, S, 0);
    um_window_add(&window, S, 0);
    um_window_add(&window, S, 5);
    expect_same(query(S, 0), (struct answer){0, 5, 3});
}
