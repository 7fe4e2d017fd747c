#include <string.h>

#include <criterion/criterion.h>

#include "monitor/sample/suspensions.h"

Test(suspensions, none_add_up_to_nothing)
{
    static struct um_suspensions suspensions;
    struct um_wire_sampling sum = {.samples = 77};
    cr_assert_not(um_suspensions_sum(&suspensions, &sum));
    cr_assert_eq(sum.samples, 77);
}

Test(suspensions, add_up)
{
    static struct um_suspensions suspensions;
    static const uint64_t us[] = {400, 2000, 300, 2001, 900};
    struct um_wire_sampling sum;
    for (size_t i = 0; i < 5; i++)
        um_suspensions_add(&suspensions, us[i] * 1000, i == 0 ? 0 : i * 1000000);
    cr_assert(um_suspensions_sum(&suspensions, &sum));
    cr_assert_eq(sum.samples, 5);
    cr_assert_eq(sum.over_2ms, 1);
    cr_assert_eq(sum.total_ns, 5601000);
    cr_assert_eq(sum.p50_ns, 900000);
    cr_assert_eq(sum.max_ns, 2001000);
    cr_assert_eq(sum.interval_ns, 2500000);
}

Test(suspensions, the_median_is_that_of_the_latest)
{
    static struct um_suspensions suspensions;
    struct um_wire_sampling sum;
    for (uint64_t i = 0; i < 3 * UM_SUSPENSIONS_KEPT; i++)
        um_suspensions_add(&suspensions, 5000 - i, 0);
    cr_assert(um_suspensions_sum(&suspensions, &sum));
    cr_assert_eq(sum.samples, 3 * UM_SUSPENSIONS_KEPT);
    cr_assert_eq(sum.max_ns, 5000);
    /* 1929 to 2952 are kept */
    cr_assert_eq(sum.p50_ns, 1929 + UM_SUSPENSIONS_KEPT / 2 - 1);
}
