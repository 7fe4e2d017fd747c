#include <criterion/criterion.h>

#include "monitor/measure/clock_gaps.h"

Test(clock_gaps, stands_still_within_a_cut)
{
    struct um_clock_gaps awake = {0};
    um_clock_gaps_cut(&awake, 100, 150);
    um_clock_gaps_cut(&awake, 200, 300);
    cr_assert_eq(um_clock_gaps_awake_time(&awake, 90), 90);
    cr_assert_eq(um_clock_gaps_awake_time(&awake, 100), 100);
    cr_assert_eq(um_clock_gaps_awake_time(&awake, 120), 100);
    cr_assert_eq(um_clock_gaps_awake_time(&awake, 160), 110);
    cr_assert_eq(um_clock_gaps_awake_time(&awake, 250), 150);
    cr_assert_eq(um_clock_gaps_awake_time(&awake, 400), 250);
}

Test(clock_gaps, never_runs_backwards_when_old_cuts_are_forgotten)
{
    struct um_clock_gaps awake = {0};
    for (uint64_t i = 1; i <= 3 * UM_CLOCK_GAPS_CUTS; i++)
        um_clock_gaps_cut(&awake, i * 100, i * 100 + 40);
    uint64_t before_ns = 0;
    for (uint64_t time_ns = 0; time_ns < 6000; time_ns += 10) {
        uint64_t now_ns = um_clock_gaps_awake_time(&awake, time_ns);
        cr_assert_geq(now_ns, before_ns);
        before_ns = now_ns;
    }
    cr_assert_eq(before_ns, 5990 - 40 * 3 * UM_CLOCK_GAPS_CUTS);
}

Test(clock_gaps, says_when_the_monitor_was_mostly_late)
{
    struct um_clock_gaps awake = {0};
    um_clock_gaps_late(&awake, 100, 150);
    um_clock_gaps_late(&awake, 150, 200);
    cr_assert(um_clock_gaps_mostly_late(&awake, 100, 200));
    cr_assert(um_clock_gaps_mostly_late(&awake, 50, 240));
    cr_assert_not(um_clock_gaps_mostly_late(&awake, 0, 200));
    cr_assert_not(um_clock_gaps_mostly_late(&awake, 300, 400));
}
