/* How long the worker waits between two looks. */
#include <criterion/criterion.h>

#include "hooks/poll.h"

#define MS UM_CLOCK_NS_PER_MS

static struct um_poll_look look;

static void setup(void)
{
    look = (struct um_poll_look){.now = 1000 * MS, .mark = 1000 * MS};
}

TestSuite(poll, .init = setup);

Test(poll, a_beat_that_is_out_is_looked_after)
{
    look.beat_out = 1;
    cr_expect_eq(um_poll_wait(&look), 5 * MS);
    cr_expect_not(um_poll_rests(&look));
}

Test(poll, where_records_were_found_more_may_come)
{
    look.found = 1;
    cr_expect_eq(um_poll_wait(&look), 5 * MS);
    cr_expect_not(um_poll_rests(&look));
}

Test(poll, else_it_rests)
{
    cr_expect(um_poll_rests(&look));
    cr_expect_eq(um_poll_wait(&look), 25 * MS);
}

Test(poll, the_next_question_is_near)
{
    look.asked = 1;
    cr_expect_leq(um_poll_wait(&look), MS);
    cr_expect_not(um_poll_rests(&look));
}

Test(poll, while_beats_are_paused_it_rests_whatever_happens)
{
    look.paused = look.found = look.beat_out = 1;
    cr_expect(um_poll_rests(&look));
    cr_expect_eq(um_poll_wait(&look), 25 * MS);
}

Test(poll, a_thread_that_may_have_to_be_resumed_is_looked_after)
{
    look.paused = look.claimed = 1;
    cr_expect_not(um_poll_rests(&look));
    cr_expect_eq(um_poll_wait(&look), 5 * MS);
}

Test(poll, signs_of_life_come_in_time_from_a_rest)
{
    for (unsigned marks = 0; marks < 100; marks++) {
        while (!um_poll_mark_is_due(look.now, look.mark)) {
            look.now += um_poll_wait(&look);
            cr_assert_leq(look.now - look.mark, 45 * MS);
        }
        look.mark = look.now;
    }
}

Test(poll, a_mark_that_is_overdue_does_not_spin)
{
    look.now = look.mark + 60 * MS;
    cr_expect_geq(um_poll_wait(&look), MS);
}

Test(poll, a_rest_has_few_looks)
{
    unsigned looks = 0;
    uint64_t end = look.now + 1000 * MS;
    while (look.now < end) {
        look.now += um_poll_wait(&look);
        looks++;
        if (um_poll_mark_is_due(look.now, look.mark))
            look.mark = look.now;
    }
    cr_expect_leq(looks, 46, "%u looks a second", looks);
}
