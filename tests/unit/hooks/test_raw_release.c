/* When the raw registration is taken back and made again, look by look. The counter ticks in ms
 * here. */
#include <criterion/criterion.h>

#include "hooks/raw_release.h"

#define POLL 5

static struct um_raw_release lift;
static struct um_raw_release_finds finds;
static struct um_raw_release_look look;

static void setup(void)
{
    lift = (struct um_raw_release){0};
    finds = (struct um_raw_release_finds){0};
    look = (struct um_raw_release_look){.now = 100000, .ticks_per_s = 1000};
}

TestSuite(raw_release, .init = setup);

static enum um_raw_release_step next(void)
{
    look.now += POLL;
    return um_raw_release_next(&lift, &look);
}

/* The time until something is to be done, or `most`. */
static uint64_t until(enum um_raw_release_step step, uint64_t most)
{
    uint64_t begin = look.now;
    enum um_raw_release_step found = UM_RAW_RELEASE_NOTHING;
    while (found == UM_RAW_RELEASE_NOTHING && look.now < begin + most)
        found = next();
    cr_expect(found == UM_RAW_RELEASE_NOTHING || found == step, "step %d", found);
    return look.now - begin;
}

static void lift_one(void)
{
    look.tag = 7;
    cr_assert_leq(until(UM_RAW_RELEASE_TAKE_BACK, 10000), UM_RAW_RELEASE_AFTER_MS + POLL);
    look.lifted = 1;
}

static void expect_take_back(void)
{
    uint64_t took = until(UM_RAW_RELEASE_TAKE_BACK, 10000);
    cr_expect_geq(took, UM_RAW_RELEASE_AFTER_MS);
    cr_expect_leq(took, UM_RAW_RELEASE_AFTER_MS + POLL);
}

Test(raw_release, a_beat_that_waits_for_half_a_second_takes_the_registration_back)
{
    look.tag = 7;
    expect_take_back();
}

Test(raw_release, beats_that_are_answered_leave_it)
{
    for (uint32_t tag = 1; tag < 1000; tag++) {
        look.tag = tag;
        cr_expect_eq(next(), UM_RAW_RELEASE_NOTHING);
        look.tag = 0;
        cr_expect_eq(next(), UM_RAW_RELEASE_NOTHING);
    }
}

Test(raw_release, the_time_is_that_of_one_beat)
{
    look.tag = 7;
    cr_expect_eq(until(UM_RAW_RELEASE_TAKE_BACK, 450), 450);
    look.tag = 8;
    cr_expect_geq(until(UM_RAW_RELEASE_TAKE_BACK, 10000), UM_RAW_RELEASE_AFTER_MS);
}

Test(raw_release, it_stays_taken_back_for_as_long_as_the_beat_waits)
{
    lift_one();
    cr_expect_eq(until(UM_RAW_RELEASE_NOTHING, 60000), 60000);
}

Test(raw_release, it_is_made_again_when_the_beat_was_dequeued)
{
    lift_one();
    look.tag = 0;
    cr_expect_eq(next(), UM_RAW_RELEASE_MAKE_AGAIN);
    look.lifted = 0;
    cr_expect_eq(next(), UM_RAW_RELEASE_NOTHING);
}

Test(raw_release, a_take_back_that_failed_is_tried_again)
{
    look.tag = 7;
    until(UM_RAW_RELEASE_TAKE_BACK, 10000);
    cr_expect_eq(next(), UM_RAW_RELEASE_TAKE_BACK);
}

Test(raw_release, a_beat_that_is_gone_is_abandoned)
{
    lift_one();
    cr_expect_eq(next(), UM_RAW_RELEASE_NOTHING);
    look.gone = 1;
    cr_expect_eq(next(), UM_RAW_RELEASE_ABANDON);
}

/* How often the thread looks in a second. */
static unsigned looks_a_second(int raw_waits)
{
    unsigned looks = 0;
    for (uint64_t now = 1000; now < 2000; now++)
        if (um_raw_release_looks(&finds, 7, now)) {
            um_raw_release_found(&finds, now, 1000, raw_waits);
            looks++;
        }
    return looks;
}

Test(raw_release, looks_of_the_thread_are_few)
{
    cr_expect_eq(looks_a_second(0), 1000 / UM_RAW_RELEASE_LOOK_MS);
    finds = (struct um_raw_release_finds){0};
    cr_expect_eq(looks_a_second(1), 1, "in a flood it hardly looks");
}

static int found_none(uint64_t now)
{
    return um_raw_release_found(&finds, now, 1000, 0);
}

Test(raw_release, two_looks_find_that_a_beat_is_gone)
{
    cr_expect_not(found_none(1000));
    cr_expect(found_none(1000 + UM_RAW_RELEASE_LOOK_MS));
}

/* The thread's own messages and those of the worker may come together. */
Test(raw_release, two_looks_at_nearly_the_same_time_are_one)
{
    cr_expect_not(found_none(1000));
    cr_expect_not(found_none(1001));
    cr_expect(found_none(1300));
}

Test(raw_release, a_thread_that_freezes_again_after_one_look_has_shown_nothing)
{
    cr_expect_not(found_none(1000));
    cr_expect_not(found_none(1000 + UM_RAW_RELEASE_TWO_MS + 1));
    cr_expect(found_none(1000 + UM_RAW_RELEASE_TWO_MS + 1 + UM_RAW_RELEASE_LOOK_MS));
}

Test(raw_release, raw_input_that_waits_may_be_the_beat)
{
    cr_expect_not(found_none(1000));
    cr_expect_not(um_raw_release_found(&finds, 1300, 1000, 1));
    cr_expect_not(found_none(1600));
    cr_expect(found_none(1900));
}

Test(raw_release, what_was_found_for_one_beat_says_nothing_of_the_next)
{
    cr_expect(um_raw_release_looks(&finds, 7, 1000));
    cr_expect_not(found_none(1000));
    cr_expect(um_raw_release_looks(&finds, 8, 1300));
    cr_expect_not(found_none(1300));
}

/* A button is held down, or another program is in front and beats pause then. */
Test(raw_release, beats_that_are_held_take_the_registration_back)
{
    look.held = 1;
    expect_take_back();
    look.lifted = 1;
    look.gone = 1;
    cr_expect_geq(until(UM_RAW_RELEASE_MAKE_AGAIN, 10000), 10000);
    look.held = 0;
    cr_expect_eq(next(), UM_RAW_RELEASE_MAKE_AGAIN);
}

Test(raw_release, a_beat_that_was_answered_while_they_are_held_leaves_it_taken_back)
{
    lift_one();
    look.tag = 0;
    look.held = 1;
    cr_expect_geq(until(UM_RAW_RELEASE_MAKE_AGAIN, 10000), 10000);
    look.held = 0;
    cr_expect_eq(next(), UM_RAW_RELEASE_MAKE_AGAIN);
}
