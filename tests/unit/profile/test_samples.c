/* The weights of samples, against freezes of which it is known how long each function took. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "base/random.h"
#include "monitor/profile/headline.h"
#include "monitor/profile/mine.h"
#include "monitor/profile/samples.h"
#include "tests/unit/profile/fake_program.h"

#define MS UM_CLOCK_NS_PER_MS
#define DENSE_MS 10
#define SPARSE_MS 55

static struct fake_program fake;

static void setup(void)
{
    fake_program_init(&fake);
}

static void teardown(void)
{
    fake_program_deinit(&fake);
}

TestSuite(samples, .init = setup, .fini = teardown);

/* Samples of one absence at these times. */
static void add_all(const uint64_t *at_ms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fake_program_add_at(&fake, 1, "12", at_ms[i] * MS,
                            i > 0 ? (at_ms[i] - at_ms[i - 1]) * MS : 0);
}

static void expect_weights(const uint64_t *ms, size_t count)
{
    cr_assert_eq(fake.samples.count, count);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(fake.samples.entries[i].cost.wall_ns, ms[i] * MS, "sample %zu weighs %g ms", i,
                     (double)fake.samples.entries[i].cost.wall_ns / MS);
}

#define EXPECT_WEIGHTS(...)                                                                        \
    expect_weights((const uint64_t[]){__VA_ARGS__},                                                \
                   sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
#define ADD_ALL(...)                                                                               \
    add_all((const uint64_t[]){__VA_ARGS__},                                                       \
            sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

Test(samples, what_has_no_room_is_lost)
{
    struct um_samples samples;
    struct um_samples_entry entry = {.thread = 1, .gap_ns = 5, .cost = {1, 0, 0, 0}};
    uint64_t key = um_samples_key(3, 0x1234);
    cr_assert_eq(um_samples_module(key), 3);
    cr_assert_eq(um_samples_offset(key), 0x1234);
    cr_assert_eq(um_samples_module(um_samples_key(-1, 0x7fff12345678)), -1);
    cr_assert_eq(um_samples_init(&samples, 1), UM_OK);
    cr_assert_eq(um_samples_add(&samples, &entry, &key, 1, false), UM_OK);
    cr_assert_eq(um_samples_add(&samples, &entry, &key, 1, false), UM_ERR_TOO_LARGE);
    cr_assert_eq(samples.count, 1);
    cr_assert_eq(samples.stacks.lost.samples, 1);
    cr_assert_eq(samples.entries[0].cost.wall_ns, 5);
    um_samples_deinit(&samples);
}

Test(samples, weigh_the_time_since_the_one_before)
{
    ADD_ALL(100, 108, 120, 131, 186, 240);
    EXPECT_WEIGHTS(8, 8, 12, 11, 55, 54);
}

Test(samples, one_alone_weighs_the_default_interval)
{
    ADD_ALL(100);
    EXPECT_WEIGHTS(10);
}

/* As a budget wants it that is overdrawn. */
Test(samples, a_longer_interval_weighs_more)
{
    ADD_ALL(100, 110, 120, 1270, 2410, 3560);
    EXPECT_WEIGHTS(10, 10, 10, 1150, 1140, 1150);
}

Test(samples, threads_and_absences_have_their_own_intervals)
{
    uint64_t key = 16;
    static const struct {
        uint64_t at_ms, gap_ms;
        uint32_t thread;
        uint64_t weight_ms;
    } list[] = {{100, 0, 7, 10},  {105, 0, 8, 400},   {110, 10, 7, 10},  {300, 0, 7, 20},
                {320, 20, 7, 20}, {505, 400, 8, 400}, {900, 395, 8, 395}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct um_samples_entry entry = {.at_ns = list[i].at_ms * MS,
                                         .thread = list[i].thread,
                                         .gap_ns = list[i].gap_ms * MS,
                                         .cost = {.samples = 1}};
        cr_assert_eq(um_samples_add(&fake.samples, &entry, &key, 1, false), UM_OK);
    }
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        cr_expect_eq(fake.samples.entries[i].cost.wall_ns, list[i].weight_ms * MS, "sample %zu: %g",
                     i, (double)fake.samples.entries[i].cost.wall_ns / MS);
}

/* A freeze of two seconds whose first 400 ms are parse_solution's. The sampler begins with a sample
 * each 10 ms, and goes over to one each 55 ms when its budget is spent. */
static void sample_freeze(void)
{
    uint64_t last_ms = 0;
    for (uint64_t at_ms = 0; at_ms < 2000;
         last_ms = at_ms, at_ms += at_ms < 400 ? DENSE_MS : SPARSE_MS)
        fake_program_add_at(&fake, 1, at_ms < 400 ? "125" : "124", at_ms * MS,
                            (at_ms - last_ms) * MS);
}

Test(samples, the_begin_of_a_freeze_does_not_lean)
{
    struct um_view_function *costs;
    size_t count;
    sample_freeze();
    cr_assert_eq(um_view_functions(&fake.view, &costs, &count), UM_OK);
    uint32_t parse = um_functions_of(&fake.functions, FAKE_PARSE * 16);
    uint32_t proc = um_functions_of(&fake.functions, FAKE_PROC * 16);
    double whole_ns = (double)(costs[parse].top.wall_ns + costs[proc].top.wall_ns);
    double counted = (double)costs[parse].top.samples /
                     (double)(costs[parse].top.samples + costs[proc].top.samples);
    cr_expect_float_eq((double)costs[parse].top.wall_ns / whole_ns, 0.2, 0.02);
    cr_expect_gt(counted, 0.5, "the samples do not lean, so this proves nothing");
    free(costs);
}

Test(samples, the_headline_is_where_most_of_the_time_was)
{
    struct um_headline headline;
    sample_freeze();
    cr_assert_eq(um_headline_make(&fake.view, NULL, &headline), UM_OK);
    cr_expect_str_eq(headline.names[0], "window \"proc\"; 2");
    cr_expect_float_eq((double)headline.alike / (double)headline.of, 0.8, 0.02);
}

Test(samples, whose_it_was_is_by_time)
{
    struct um_mine mine;
    double sum = 0, squares = 0;
    sample_freeze();
    um_mine_count(&fake.view, "plug", &mine);
    cr_expect_lt(mine.low, 0.2);
    cr_expect_gt(mine.high, 0.2);
    cr_expect_lt(mine.high, 0.5, "%g", mine.high);
    for (size_t i = 0; i < fake.samples.count; i++) {
        double ms = (double)fake.samples.entries[i].gap_ns / MS;
        ms = i == 0 ? DENSE_MS : ms;
        sum += ms;
        squares += ms * ms;
    }
    cr_expect_float_eq(mine.effective, sum * sum / squares, 1e-6);
    cr_expect_lt(mine.effective, (double)fake.samples.count - 10);
}

/* So many freezes, in which two functions take turns for times by chance, and the sampler goes from
 * dense to sparse at a time by chance. Returns how often the interval has the true share in it. */
static unsigned count_covered(unsigned freezes, bool weighed)
{
    struct um_random random = {.state = 25};
    unsigned covered = 0;
    for (unsigned i = 0; i < freezes; i++) {
        struct um_mine mine;
        double end_ms = 2000 + 4000 * um_random_unit(&random), sparse_ms = end_ms / 6;
        double at_ms = 0, last_ms = 0, truth_ms = 0;
        /* The plug is more often there at the begin. */
        for (double slot_ms = 0; slot_ms < end_ms; slot_ms += 1) {
            bool is_plug = um_random_unit(&random) < (slot_ms < end_ms / 4 ? 0.7 : 0.2);
            truth_ms += is_plug;
            if (slot_ms < at_ms)
                continue;
            fake_program_add_at(&fake, 1, is_plug ? "125" : "124", (uint64_t)(slot_ms * MS),
                                (uint64_t)((slot_ms - last_ms) * MS));
            last_ms = slot_ms;
            at_ms += (slot_ms < sparse_ms ? DENSE_MS : SPARSE_MS) *
                     (0.75 + 0.5 * um_random_unit(&random));
        }
        um_mine_count(&fake.view, "plug", &mine);
        if (!weighed)
            um_mine_interval((double)mine.yours, (double)(mine.yours + mine.others), &mine.low,
                             &mine.high);
        covered += mine.low <= truth_ms / end_ms && truth_ms / end_ms <= mine.high;
        teardown();
        setup();
    }
    return covered;
}

Test(samples, intervals_have_the_truth_in_them_as_often_as_they_say)
{
    unsigned covered = count_covered(400, true);
    cr_expect_geq(covered, 367, "%u of 400", covered); /* 95 % is 380: three deviations less */
    covered = count_covered(400, false);
    cr_expect_lt(covered, 300, "counted, %u of 400: this proves nothing", covered);
}
