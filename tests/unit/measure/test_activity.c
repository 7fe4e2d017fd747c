#include "monitor/measure/activity.h"

#include <criterion/criterion.h>

#define MS UINT64_C(1000000)
#define BEGIN_NS (1000000 * MS)

static struct um_activity activity;
static struct um_wire_frame told;

static bool take(uint64_t at_ms, uint32_t messages, uint32_t paints)
{
    struct um_wire_counted counted = {BEGIN_NS + at_ms * MS, messages, paints};
    return um_activity_take(&activity, &counted, &told);
}

static void expect(uint64_t at_ms, uint64_t since_ms, uint64_t messages, uint64_t paints)
{
    cr_expect_eq(told.type, UM_WIRE_ACTIVITY);
    cr_expect_eq(told.as.activity.time_ns, BEGIN_NS + at_ms * MS);
    cr_expect_eq(told.as.activity.since_ns, BEGIN_NS + since_ms * MS);
    cr_expect_eq(told.as.activity.messages, messages);
    cr_expect_eq(told.as.activity.paints, paints);
}

Test(activity, numbers_are_those_since_counting_began)
{
    cr_assert(take(100, 5000, 70));
    expect(100, 100, 0, 0);
    cr_assert(take(200, 5040, 76));
    expect(200, 100, 40, 6);
    cr_assert(take(300, 5040, 76));
    expect(300, 100, 40, 6);
}

Test(activity, numbers_go_on_where_those_of_the_target_begin_with_0_again)
{
    take(100, UINT32_MAX - 9, UINT32_MAX - 1);
    take(200, 5, 1);
    expect(200, 100, 15, 3);
}

/* Another attachment, or nobody listened meanwhile: what happened then is not known. */
Test(activity, stretch_that_was_not_counted_is_left_out)
{
    take(100, 10, 1);
    take(200, 30, 4);
    um_activity_forget(&activity);
    take(5000, 2, 0);
    expect(5000, 5000, 20, 3);
    take(5100, 9, 2);
    expect(5100, 5000, 27, 5);
}

Test(activity, paints_are_told_once_one_was_seen)
{
    take(100, 10, 0);
    cr_expect_eq(told.flags, 0);
    take(200, 20, 0);
    cr_expect_eq(told.flags, 0);
    take(300, 30, 1);
    cr_expect_eq(told.flags, UM_WIRE_ACTIVITY_PAINTS);
    um_activity_forget(&activity);
    take(400, 0, 0); /* of another window of the same program */
    cr_expect_eq(told.flags, UM_WIRE_ACTIVITY_PAINTS);
}

Test(activity, paints_before_counting_began_tell_that_it_paints)
{
    take(100, 10, 3);
    cr_expect_eq(told.flags, UM_WIRE_ACTIVITY_PAINTS);
    expect(100, 100, 0, 0);
}

Test(activity, time_does_not_go_back)
{
    take(100, 10, 1);
    cr_expect(!take(100, 20, 2));
    cr_expect(!take(99, 30, 3));
    cr_assert(take(200, 40, 4));
    expect(200, 100, 30, 3);
}
