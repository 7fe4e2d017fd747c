#include <criterion/criterion.h>

#include "monitor/measure/awake.h"

Test(awake, stands_still_within_a_cut)
{
    struct um_awake awake = {0};
    um_awake_cut(&awake, 100, 150);
    um_awake_cut(&awake, 200, 300);
    cr_assert_eq(um_awake_time(&awake, 90), 90);
    cr_assert_eq(um_awake_time(&awake, 100), 100);
    cr_assert_eq(um_awake_time(&awake, 120), 100);
    cr_assert_eq(um_awake_time(&awake, 160), 110);
    cr_assert_eq(um_awake_time(&awake, 250), 150);
    cr_assert_eq(um_awake_time(&awake, 400), 250);
}

Test(awake, never_runs_backwards_when_old_cuts_are_forgotten)
{
    struct um_awake awake = {0};
    for (uint64_t i = 1; i <= 3 * UM_AWAKE_CUTS; i++)
        um_awake_cut(&awake, i * 100, i * 100 + 40);
    uint64_t before_ns = 0;
    for (uint64_t time_ns = 0; time_ns < 6000; time_ns += 10) {
        uint64_t now_ns = um_awake_time(&awake, time_ns);
        cr_assert_geq(now_ns, before_ns);
        before_ns = now_ns;
    }
    cr_assert_eq(before_ns, 5990 - 40 * 3 * UM_AWAKE_CUTS);
}

Test(awake, says_when_the_monitor_was_mostly_late)
{
    struct um_awake awake = {0};
    um_awake_late(&awake, 100, 150);
    um_awake_late(&awake, 150, 200);
    cr_assert(um_awake_mostly_late(&awake, 100, 200));
    cr_assert(um_awake_mostly_late(&awake, 50, 240));
    cr_assert_not(um_awake_mostly_late(&awake, 0, 200));
    cr_assert_not(um_awake_mostly_late(&awake, 300, 400));
}
