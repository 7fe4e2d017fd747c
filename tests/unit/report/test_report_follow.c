/* When the page of a growing recording is made anew, with a clock that is turned by hand. */
#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/report/report_follow.h"

#define MS UM_CLOCK_NS_PER_MS
#define S UM_CLOCK_NS_PER_S

static struct um_report_follow follow;

static enum um_report_follow_next turn(uint64_t now_ns, uint64_t bytes, bool is_written)
{
    struct um_report_follow_look look = {now_ns, bytes, is_written};
    return um_report_follow_turn(&follow, &look);
}

static void made(uint64_t now_ns, uint64_t bytes, uint64_t took_ns)
{
    struct um_report_follow_look look = {now_ns, bytes, true};
    um_report_follow_made(&follow, &look, took_ns);
}

Test(report_follow, the_first_page_is_made_at_once)
{
    cr_expect_eq(turn(S, 100, true), UM_REPORT_FOLLOW_MAKE);
}

Test(report_follow, pages_are_two_seconds_apart)
{
    turn(S, 100, true);
    made(S, 100, 10 * MS);
    cr_expect_eq(turn(3 * S - 1, 200, true), UM_REPORT_FOLLOW_WAIT);
    cr_expect_eq(turn(3 * S, 200, true), UM_REPORT_FOLLOW_MAKE);
}

Test(report_follow, a_page_that_took_long_is_rare)
{
    turn(S, 100, true);
    made(S, 100, 500 * MS);
    cr_expect_eq(turn(11 * S - 1, 200, true), UM_REPORT_FOLLOW_WAIT);
    cr_expect_eq(turn(11 * S, 200, true), UM_REPORT_FOLLOW_MAKE);
    cr_expect_eq(um_report_follow_period(500 * MS), 10 * S);
    cr_expect_eq(um_report_follow_period(UINT64_MAX / 2), UINT64_MAX);
}

Test(report_follow, nothing_is_made_of_what_has_not_grown)
{
    turn(S, 100, true);
    made(S, 100, 0);
    cr_expect_eq(turn(100 * S, 100, true), UM_REPORT_FOLLOW_WAIT);
    cr_expect_eq(turn(101 * S, 90, true), UM_REPORT_FOLLOW_MAKE, "it was begun anew");
}

Test(report_follow, it_is_over_when_nobody_writes_and_it_has_not_grown)
{
    turn(S, 100, true);
    made(S, 100, 0);
    cr_expect_eq(turn(20 * S, 100, true), UM_REPORT_FOLLOW_WAIT, "its writer may wait");
    cr_expect_eq(turn(21 * S, 100, false), UM_REPORT_FOLLOW_GONE);
}

/* A copy that is made bit by bit may be locked by nobody. */
Test(report_follow, what_grows_without_a_writer_is_followed)
{
    turn(S, 100, false);
    made(S, 100, 0);
    for (uint64_t at = 4; at < 40; at += 4) {
        cr_expect_eq(turn(at * S, 100 + at, false), UM_REPORT_FOLLOW_MAKE);
        made(at * S, 100 + at, 0);
    }
    cr_expect_eq(turn(40 * S, 136, false), UM_REPORT_FOLLOW_WAIT);
    cr_expect_eq(turn(41 * S, 136, false), UM_REPORT_FOLLOW_GONE);
}
