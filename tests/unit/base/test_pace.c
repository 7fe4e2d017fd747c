/* When a beat is due, look by look. The counter ticks in µs here. */
#include <criterion/criterion.h>

#include "base/plain/pace.h"

#define PERIOD 10000
#define REST 100000

static struct um_pace pace;
static struct um_pace_look look;

static void setup(void)
{
    pace = (struct um_pace){0};
    look = (struct um_pace_look){
        .now = 1000000, .period = PERIOD, .rest = REST, .ticks_per_s = 1000000};
}

TestSuite(pace, .init = setup);

/* The next look, a period later. */
static int next(void)
{
    look.now += PERIOD;
    return um_pace_is_due(&pace, &look);
}

static void send(void)
{
    um_pace_sent(&pace, look.now);
}

static unsigned looks_until_due(void)
{
    unsigned looks = 1;
    while (!next())
        cr_assert_lt(++looks, 1000);
    return looks;
}

Test(pace, the_first_beat_is_due_at_once)
{
    cr_expect(um_pace_is_due(&pace, &look));
    cr_expect_eq(pace.skipped, 0);
}

Test(pace, a_thread_at_rest_gets_a_beat_each_rest_period)
{
    send();
    for (int i = 0; i < 5; i++) {
        cr_expect_eq(looks_until_due(), 10);
        cr_expect_eq(pace.skipped, 9);
        send();
        cr_expect_eq(pace.skipped, 0);
    }
}

Test(pace, late_looks_do_not_add_up)
{
    send();
    look.now += 2000; /* the timer is late once, and then by the period again */
    cr_expect_eq(looks_until_due(), 10);
}

Test(pace, a_thread_at_work_gets_one_each_period)
{
    send();
    look.worked = 1;
    cr_expect(next());
    send();
    cr_expect(next());
    cr_expect_eq(pace.skipped, 0);
}

Test(pace, while_input_arrives_beats_come_at_the_full_rate)
{
    send();
    look.full_until = look.now + 5 * PERIOD;
    for (int i = 0; i < 4; i++) {
        cr_expect(next());
        send();
    }
    cr_expect_eq(looks_until_due(), 10);
}

Test(pace, a_rest_period_of_a_period_leaves_nothing_out)
{
    look.rest = PERIOD;
    send();
    for (int i = 0; i < 100; i++) {
        cr_expect(next());
        send();
    }
    um_pace_sent(&pace, look.now + 8000); /* late: the next look comes 2 ms after it */
    cr_expect(next());
    look.rest = 0; /* until the monitor has asked */
    cr_expect(next());
}

/* The thread runs for 30 ms after the beat, for work that the beat has caused. */
Test(pace, cycles_count_once_they_have_stood_still)
{
    send();
    for (uint64_t i = 1; i <= 3; i++) {
        look.cycles = 100 * i;
        cr_expect(!next());
    }
    cr_expect(!next());
    cr_expect(!next());
    cr_expect_eq(pace.rested, look.now - UM_PACE_CLOCK_US);
    look.cycles = 301;
    cr_expect(next());
    cr_expect_eq(pace.rested, look.now - PERIOD - UM_PACE_CLOCK_US);
}

/* A counter that is updated at the clock interrupt alone: it stands still between two looks
 * although the thread runs. */
Test(pace, a_thread_is_not_known_to_rest_before_the_clock_has_ticked)
{
    look.cycles = 100;
    send();
    cr_expect(!next());
    cr_expect(!next());
    cr_expect_eq(pace.rested, 0);
    look.cycles = 200;
    cr_expect(!next(), "it may have run all the time");
}

Test(pace, without_a_counter_of_cycles_nothing_is_known)
{
    send();
    cr_expect_eq(looks_until_due(), 10);
    cr_expect_eq(pace.rested, 0);
}

/* Beats that would disturb others come at the resting rate, whatever the thread does and whatever
 * input arrives. */
Test(pace, others_are_spared_while_the_thread_works)
{
    look.sparing = 1;
    send();
    look.worked = 1;
    look.full_until = look.now + 1000000;
    for (int i = 0; i < 5; i++) {
        cr_expect_eq(looks_until_due(), 10);
        cr_expect_eq(pace.skipped, 0, "it did not rest");
        cr_expect(pace.left_out);
        send();
        cr_expect_not(pace.left_out);
    }
    look.sparing = 0;
    cr_expect(next());
}

Test(pace, sparing_others_at_rest_is_rest)
{
    look.sparing = 1;
    look.full_until = look.now + 1000000;
    send();
    cr_expect_eq(looks_until_due(), 10);
    cr_expect_eq(pace.skipped, 9);
    cr_expect_not(pace.left_out);
}

/* After the fourth look the thread retrieves a message and sleeps in its handling: its cycles stand
 * still, but it does not rest. */
Test(pace, a_thread_that_stands_still_in_its_work_does_not_rest)
{
    look.sparing = 1;
    look.cycles = 100;
    send();
    for (int i = 0; i < 4; i++)
        cr_expect(!next());
    uint64_t rested = pace.rested;
    cr_expect_neq(rested, 0);
    look.worked = 1;
    look.cycles = 200;
    cr_expect_eq(looks_until_due(), 6);
    cr_expect_eq(pace.rested, rested);
    cr_expect_eq(pace.skipped, 4);
}

/* The next look, when it is to come. */
static int next_announced(void)
{
    look.now += um_pace_next(&pace, &look);
    return um_pace_is_due(&pace, &look);
}

/* Until a beat is due. Returns how many looks that took. */
static unsigned announced_until_due(void)
{
    unsigned looks = 1;
    while (!next_announced())
        cr_assert_lt(++looks, 1000);
    return looks;
}

/* A beat and a time without work. */
static void calm_down(void)
{
    send();
    look.worked = 0;
    uint64_t until = look.now + UM_PACE_QUIET_US + look.rest;
    while (look.now < until)
        if (next_announced())
            send();
}

Test(pace, some_time_without_work_makes_looks_rarer)
{
    send();
    look.worked = 1;
    cr_expect(next());
    send();
    look.worked = 0;
    for (int i = 0; i < UM_PACE_QUIET_US / REST; i++) {
        cr_expect_eq(announced_until_due(), 10);
        send();
    }
    cr_expect_eq(announced_until_due(), 4);
}

/* The same number of beats counts as left out as with a look each period. */
Test(pace, rarer_looks_count_the_same_beats_as_left_out)
{
    calm_down();
    for (int i = 0; i < 5; i++) {
        uint64_t sent = pace.sent;
        cr_expect_eq(announced_until_due(), 4);
        cr_expect_eq(look.now - sent, REST);
        cr_expect_eq(pace.skipped, 9);
        send();
    }
}

Test(pace, rarer_looks_do_not_delay_a_beat)
{
    for (look.rest = PERIOD; look.rest <= 1000000; look.rest += 7000) {
        calm_down();
        send();
        announced_until_due();
        cr_expect_geq(look.now - pace.sent, look.rest - PERIOD / 2, "%d us", (int)look.rest);
        cr_expect_leq(look.now - pace.sent, look.rest + PERIOD / 2, "%d us", (int)look.rest);
    }
}

/* A beat waits for 200 ms. Nothing is known of these but that the thread did not rest. */
Test(pace, while_a_beat_waits_no_beat_is_left_out)
{
    calm_down();
    send();
    look.waits = 1;
    cr_expect_eq(um_pace_next(&pace, &look), 25000);
    for (look.now += 25000; look.now < pace.sent + 200000;)
        look.now += um_pace_next(&pace, &look);
    look.waits = 0;
    cr_expect(um_pace_is_due(&pace, &look));
    cr_expect_eq(pace.skipped, 0);
}

Test(pace, a_beat_that_waits_brings_each_period_a_look_again)
{
    calm_down();
    send();
    look.waits = 1;
    look.now += 25000;
    cr_expect_eq(um_pace_next(&pace, &look), PERIOD);
    look.waits = 0;
    cr_expect_eq(um_pace_next(&pace, &look), PERIOD);
}

/* None could be sent for a while, and no look was announced. */
Test(pace, a_look_that_was_not_announced_counts_for_one_period)
{
    calm_down();
    send();
    um_pace_next(&pace, &look);
    look.now += 60000;
    cr_expect_not(um_pace_is_due(&pace, &look));
    cr_expect_eq(pace.skipped, 1);
}

Test(pace, work_or_input_brings_each_period_a_look_again)
{
    calm_down();
    send();
    look.worked = 1;
    cr_expect(next_announced());
    cr_expect_eq(look.now - pace.sent, 25000);
    send();
    cr_expect_eq(um_pace_next(&pace, &look), PERIOD);
    calm_down();
    send();
    look.full_until = look.now + 1;
    cr_expect(um_pace_is_due(&pace, &look));
    send();
    cr_expect_eq(um_pace_next(&pace, &look), PERIOD);
}

/* A slow heartbeat is not made faster, and until the monitor has asked there is no rest. */
Test(pace, looks_are_never_nearer_than_a_period)
{
    calm_down();
    send();
    look.period = 60000;
    cr_expect_eq(um_pace_next(&pace, &look), 60000);
    look.rest = 0;
    look.period = PERIOD;
    cr_expect_eq(um_pace_next(&pace, &look), PERIOD);
}

Test(pace, full_rate_at_rest_is_full_rate_in_the_background)
{
    look.sparing = 1;
    look.rest = PERIOD;
    send();
    cr_expect(next());
}
