#include "base/plain/clock.h"

#include <criterion/criterion.h>

Test(clock, converts_ticks_of_common_counters)
{
    cr_assert_eq(um_clock_ticks_to_ns(0, 10000000), 0);
    cr_assert_eq(um_clock_ticks_to_ns(1, 10000000), 100);
    cr_assert_eq(um_clock_ticks_to_ns(10000000, 10000000), UM_CLOCK_NS_PER_S);
    cr_assert_eq(um_clock_ticks_to_ns(12345, 1000000000), 12345);
    cr_assert_eq(um_clock_ticks_to_ns(1, 3), 333333333);
    cr_assert_eq(um_clock_ticks_to_ns(2, 3), 666666666);
    cr_assert_eq(um_clock_ticks_to_ns(3, 3), UM_CLOCK_NS_PER_S);
}

Test(clock, converts_a_century_of_ticks_without_overflow)
{
    /* ticks * 10^9 would overflow after half an hour at 10 MHz. */
    const uint64_t century_s = UINT64_C(100) * 366 * 86400;
    cr_assert_eq(um_clock_ticks_to_ns(century_s * 10000000 + 7, 10000000),
                 century_s * UM_CLOCK_NS_PER_S + 700);
}

Test(clock, converts_the_greatest_tick_count)
{
    cr_assert_eq(um_clock_ticks_to_ns(UINT64_MAX, 1000000000), UINT64_MAX);
    /* A time stamp counter: 2^64 ticks of 4 GHz are 4611686018.427387903 s and three quarters. */
    cr_assert_eq(um_clock_ticks_to_ns(UINT64_MAX, UINT64_C(4000000000)),
                 UINT64_C(4611686018427387903));
    cr_assert_eq(um_clock_ticks_to_ns(UINT64_C(17999999999), UINT64_C(18000000000)), 999999999);
}

Test(clock, never_goes_back)
{
    uint64_t last_ns = um_clock_now_ns();
    for (int i = 0; i < 10000; i++) {
        uint64_t now_ns = um_clock_now_ns();
        cr_assert_geq(now_ns, last_ns);
        last_ns = now_ns;
    }
}

Test(clock, sleeps_at_least_as_long_as_asked)
{
    uint64_t start_ns = um_clock_now_ns();
    um_clock_sleep_ns(3 * UM_CLOCK_NS_PER_MS);
    cr_assert_geq(um_clock_now_ns() - start_ns, 3 * UM_CLOCK_NS_PER_MS);
}

Test(clock, calendar_time_is_of_this_age)
{
    /* Between 2024 and 2100: milliseconds, since 1970. */
    cr_assert_gt(um_clock_utc_ms(), INT64_C(1704067200000));
    cr_assert_lt(um_clock_utc_ms(), INT64_C(4102444800000));
}
