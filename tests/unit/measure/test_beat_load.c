#include "monitor/measure/beat_load.h"

#include <criterion/criterion.h>

#define MS UM_CLOCK_NS_PER_MS

static struct um_beat_load load;
static uint64_t now_ns, beats, own_ns;

static void begin(void)
{
    load = (struct um_beat_load){0};
    now_ns = 1000 * MS;
    beats = 7; /* of before */
    own_ns = 3 * MS;
}

TestSuite(beat_load, .init = begin);

/* Beats go out each 10 ms or as far apart as they should, and each makes the target work for
 * `each_ns`, until now_ns + span_ns. */
static void run(uint64_t each_ns, uint64_t span_ns)
{
    uint64_t until_ns = now_ns + span_ns;
    while (now_ns < until_ns) {
        uint64_t apart_ns = load.spare_ns > 10 * MS ? load.spare_ns : 10 * MS;
        now_ns += apart_ns > each_ns ? apart_ns : each_ns;
        beats++;
        own_ns += each_ns;
        um_beat_load_take(&load, now_ns, beats, own_ns);
    }
}

Test(beat_load, beats_that_cost_nothing_are_left_alone)
{
    run(0, 10000 * MS);
    cr_assert_eq(load.spare_ns, 0);
}

Test(beat_load, what_was_counted_before_does_not_count)
{
    own_ns = 5000 * MS;
    run(0, 1000 * MS);
    cr_assert_eq(load.spare_ns, 0);
}

Test(beat_load, less_than_the_share_is_left_alone)
{
    run(MS / 4, 10000 * MS); /* 2.5 % of 10 ms */
    cr_assert_eq(load.spare_ns, 0);
}

Test(beat_load, beats_get_so_far_apart_that_they_take_the_share)
{
    run(3 * MS, 1000 * MS);
    cr_assert_eq(load.spare_ns, 100 * MS);
    uint64_t before_ns = own_ns, from_ns = now_ns;
    run(3 * MS, 10000 * MS);
    cr_assert_leq((double)(own_ns - before_ns), 0.0301 * (double)(now_ns - from_ns));
    cr_assert_eq(load.spare_ns, 100 * MS, "and it stays there");
}

Test(beat_load, one_a_second_is_the_least)
{
    run(120 * MS, 5000 * MS);
    cr_assert_eq(load.spare_ns, 1000 * MS);
}

Test(beat_load, beats_come_as_before_when_they_cost_nothing_any_more)
{
    run(120 * MS, 5000 * MS);
    run(0, 5000 * MS);
    cr_assert_eq(load.spare_ns, 0);
}

Test(beat_load, a_little_less_changes_nothing)
{
    run(3 * MS, 1000 * MS);
    run(2 * MS, 3000 * MS);
    cr_assert_eq(load.spare_ns, 100 * MS);
    run(MS, 3000 * MS);
    cr_assert_leq(load.spare_ns, 34 * MS);
}
