/* What a running thread has lost by a sample. */
#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/sample/stopper.h"

#define MS UM_CLOCK_NS_PER_MS

Test(stopper, a_thread_loses_what_it_was_stopped_for)
{
    cr_expect_eq(um_stopper_lost_ns(false, 3 * MS), 3 * MS);
    cr_expect_eq(um_stopper_lost_ns(false, 500 * MS), 500 * MS);
}

/* Wine works for a sample twice as long again, and not for what held uimon up meanwhile. */
Test(stopper, under_wine_it_loses_more_by_the_sample_alone)
{
    cr_expect_eq(um_stopper_lost_ns(true, 3 * MS), 9 * MS);
    cr_expect_eq(um_stopper_lost_ns(true, 10 * MS), 30 * MS);
    cr_expect_eq(um_stopper_lost_ns(true, 500 * MS), 520 * MS, "a stall is charged once");
}
