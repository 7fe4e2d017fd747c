#include <criterion/criterion.h>

#include <stdlib.h>

#include "monitor/measure/timeline.h"

static struct um_timeline timeline;

static void setup(void)
{
    um_timeline_init(&timeline, 0);
}

TestSuite(timeline, .init = setup);

static uint64_t sum(void)
{
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        sum_ns += timeline.state_ns[i];
    return sum_ns;
}

Test(timeline, counts_the_unpainted_as_responsive)
{
    um_timeline_init(&timeline, 1000);
    um_timeline_settle(&timeline, 1500);
    cr_assert_eq(timeline.state_ns[UM_STATE_RESPONSIVE], 500);
}

Test(timeline, lets_the_stronger_state_win_in_either_order)
{
    for (int order = 0; order < 2; order++) {
        setup();
        if (order)
            um_timeline_paint(&timeline, UM_STATE_SUSPENDED, 40, 60);
        um_timeline_paint(&timeline, UM_STATE_FROZEN, 10, 100);
        if (!order)
            um_timeline_paint(&timeline, UM_STATE_SUSPENDED, 40, 60);
        um_timeline_settle(&timeline, 200);
        cr_assert_eq(timeline.state_ns[UM_STATE_SUSPENDED], 20);
        cr_assert_eq(timeline.state_ns[UM_STATE_FROZEN], 70);
        cr_assert_eq(timeline.state_ns[UM_STATE_RESPONSIVE], 110);
    }
}

Test(timeline, does_not_change_what_is_settled)
{
    um_timeline_settle(&timeline, 50);
    um_timeline_paint(&timeline, UM_STATE_FROZEN, 0, 100);
    um_timeline_settle(&timeline, 40);
    um_timeline_settle(&timeline, 100);
    cr_assert_eq(timeline.state_ns[UM_STATE_FROZEN], 50);
    cr_assert_eq(timeline.state_ns[UM_STATE_RESPONSIVE], 50);
}

Test(timeline, settles_within_a_span)
{
    um_timeline_paint(&timeline, UM_STATE_IDLE, 10, 100);
    um_timeline_settle(&timeline, 30);
    cr_assert_eq(timeline.state_ns[UM_STATE_IDLE], 20);
    um_timeline_settle(&timeline, 100);
    cr_assert_eq(timeline.state_ns[UM_STATE_IDLE], 90);
    cr_assert_eq(timeline.count, 0);
}

Test(timeline, settles_its_oldest_part_when_full)
{
    for (uint64_t i = 0; i < 1000; i++)
        um_timeline_paint(&timeline, UM_STATE_SLOW, i * 10, i * 10 + 4);
    cr_assert_eq(timeline.count, UM_TIMELINE_SPANS);
    um_timeline_settle(&timeline, 10000);
    cr_assert_eq(timeline.state_ns[UM_STATE_SLOW], 4000);
    cr_assert_eq(timeline.state_ns[UM_STATE_RESPONSIVE], 6000);
}

Test(timeline, survives_a_weak_span_over_a_full_window_of_strong_ones)
{
    for (uint64_t i = 0; i < UM_TIMELINE_SPANS; i++)
        um_timeline_paint(&timeline, UM_STATE_BLIND, 10 + i * 10, 15 + i * 10);
    um_timeline_paint(&timeline, UM_STATE_SLOW, 0, 2000);
    um_timeline_settle(&timeline, 2000);
    cr_assert_eq(timeline.state_ns[UM_STATE_BLIND], 5 * UM_TIMELINE_SPANS);
    cr_assert_eq(timeline.state_ns[UM_STATE_SLOW], 2000 - 5 * UM_TIMELINE_SPANS);
}

Test(timeline, agrees_with_painting_each_instant)
{
    static const int strength[UM_STATE_COUNT] = {
        [UM_STATE_SUSPENDED] = 0, [UM_STATE_BLIND] = 1,   [UM_STATE_IDLE] = 2,
        [UM_STATE_OWN_BEAT] = 3,  [UM_STATE_FROZEN] = 4,  [UM_STATE_STARVED] = 5,
        [UM_STATE_SLOW] = 6,      [UM_STATE_UNKNOWN] = 7, [UM_STATE_RESPONSIVE] = 8};
    srand(7);
    for (int round = 0; round < 300; round++) {
        setup();
        unsigned char model[1000];
        uint64_t expected[UM_STATE_COUNT] = {0};
        for (size_t i = 0; i < 1000; i++)
            model[i] = UM_STATE_RESPONSIVE;
        for (int spans = rand() % 30; spans > 0; spans--) {
            uint64_t start = (uint64_t)(rand() % 1000);
            uint64_t end = start + (uint64_t)(rand() % 200);
            enum um_state state = (enum um_state)(rand() % UM_STATE_COUNT);
            um_timeline_paint(&timeline, state, start, end);
            for (uint64_t i = start; i < end && i < 1000; i++)
                model[i] = strength[state] < strength[model[i]] ? (unsigned char)state : model[i];
        }
        um_timeline_settle(&timeline, 1000);
        for (size_t i = 0; i < 1000; i++)
            expected[model[i]]++;
        cr_assert_arr_eq(timeline.state_ns, expected, sizeof expected);
        cr_assert_eq(sum(), 1000);
    }
}
