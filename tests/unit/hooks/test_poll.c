/* How long the worker waits between two looks. */
#include <criterion/criterion.h>

#include "hooks/poll.h"

#define MS UM_CLOCK_NS_PER_MS

static struct um_poll_look look;

static void setup(void)
{
    look = (struct um_poll_look){.now = 1000 * MS, .drained = 1000 * MS};
}

TestSuite(poll, .init = setup);

Test(poll, rests_where_nothing_is_to_be_looked_after)
{
    static const struct {
        const char *what;
        struct um_poll_look given;
        uint64_t wait_ms;
    } rows[] = {
        {"a beat is out", {.beat_out = 1}, 5},
        {"where records were found more may come", {.found = 1}, 5},
        {"a thread may have to be resumed", {.paused = 1, .claimed = 1}, 5},
        {"nothing", {.paused = 0}, 25},
        {"beats are paused", {.paused = 1, .found = 1, .beat_out = 1}, 25},
        {"the heartbeat thread looks after the rings", {.guarded = 1}, 45},
        {"it does, but a beat is out", {.guarded = 1, .beat_out = 1}, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        look = rows[i].given;
        look.now = look.drained = 1000 * MS;
        cr_expect_eq(um_poll_wait(&look), rows[i].wait_ms * MS, "%s", rows[i].what);
        cr_expect_eq(um_poll_rests(&look), rows[i].wait_ms >= 25, "%s", rows[i].what);
    }
}

Test(poll, the_next_question_is_near)
{
    look.asked = 1;
    cr_expect_leq(um_poll_wait(&look), MS);
    cr_expect_not(um_poll_rests(&look));
}

Test(poll, signs_of_life_come_in_time_from_a_rest)
{
    for (unsigned looks = 0; looks < 100; looks++) {
        while (!um_poll_drained_is_due(look.now, look.drained)) {
            look.now += um_poll_wait(&look);
            cr_assert_leq(look.now - look.drained, 45 * MS);
        }
        look.drained = look.now;
    }
}

Test(poll, a_drained_that_is_overdue_does_not_spin)
{
    look.now = look.drained + 60 * MS;
    cr_expect_geq(um_poll_wait(&look), MS);
}

static unsigned looks_in_a_second(void)
{
    unsigned looks = 0;
    uint64_t end = look.now + 1000 * MS;
    while (look.now < end) {
        look.now += um_poll_wait(&look);
        looks++;
        if (um_poll_drained_is_due(look.now, look.drained))
            look.drained = look.now;
    }
    return looks;
}

Test(poll, a_rest_has_few_looks)
{
    cr_expect_leq(looks_in_a_second(), 46);
    look.guarded = 1;
    cr_expect_leq(looks_in_a_second(), 23);
}
