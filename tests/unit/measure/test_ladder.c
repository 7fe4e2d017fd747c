#include "monitor/measure/ladder.h"

#include <criterion/criterion.h>

static struct um_ladder ladder;
static uint32_t seq;

static void begin(void)
{
    um_ladder_init(&ladder);
    seq = 100;
}

TestSuite(ladder, .init = begin);

static enum um_ladder_step send(enum um_rung rung, bool seen)
{
    enum um_ladder_step step = um_ladder_sent(&ladder, ++seq, rung);
    if (seen)
        um_ladder_seen(&ladder, seq);
    return step;
}

static void miss(int count)
{
    for (int i = 0; i < count; i++)
        cr_expect(send(UM_RUNG_ZERO, false) == UM_LADDER_STAY, "beat %d of %d", i, count);
}

Test(ladder, begins_with_zero_beats)
{
    cr_expect(ladder.rung == UM_RUNG_ZERO && !um_ladder_is_climbing(&ladder));
}

Test(ladder, tries_one_pair_after_twenty_missed_beats)
{
    miss(UM_LADDER_MISSED);
    cr_expect(send(UM_RUNG_ZERO, false) == UM_LADDER_TRY);
    cr_expect(um_ladder_is_climbing(&ladder));
    miss(100); /* until the DLL has been told */
    cr_expect(ladder.rung == UM_RUNG_ZERO);
}

Test(ladder, one_beat_that_is_seen_begins_the_count_anew)
{
    miss(UM_LADDER_MISSED - 1);
    send(UM_RUNG_ZERO, true);
    miss(UM_LADDER_MISSED);
    cr_expect(um_ladder_is_climbing(&ladder));
    cr_expect(send(UM_RUNG_ZERO, false) == UM_LADDER_TRY);
}

Test(ladder, climbs_if_the_pair_is_seen_and_zero_beats_are_not)
{
    miss(UM_LADDER_MISSED);
    cr_expect(send(UM_RUNG_ZERO, false) == UM_LADDER_TRY);
    cr_expect(send(UM_RUNG_PAIR, true) == UM_LADDER_STAY);
    cr_expect(send(UM_RUNG_ZERO, false) == UM_LADDER_STAY);
    cr_expect(send(UM_RUNG_ZERO, false) == UM_LADDER_CLIMB);
    cr_expect(ladder.rung == UM_RUNG_PAIR && !um_ladder_is_climbing(&ladder));
    for (int i = 0; i < 100; i++)
        cr_expect(send(UM_RUNG_PAIR, false) == UM_LADDER_STAY);
}

Test(ladder, does_not_climb_if_everything_arrives_again)
{
    miss(UM_LADDER_MISSED);
    send(UM_RUNG_ZERO, false);
    send(UM_RUNG_PAIR, true);
    for (int i = 0; i < 100; i++)
        cr_expect(send(UM_RUNG_ZERO, true) == UM_LADDER_STAY);
    cr_expect(ladder.rung == UM_RUNG_ZERO && !um_ladder_is_climbing(&ladder));
}

Test(ladder, stays_if_the_pair_is_missed_and_tries_again_later)
{
    miss(UM_LADDER_MISSED);
    send(UM_RUNG_ZERO, false);
    send(UM_RUNG_PAIR, false);
    miss(1);
    cr_expect(!um_ladder_is_climbing(&ladder), "another probe may be tried");
    miss(UM_LADDER_MISSED - 1);
    cr_expect(send(UM_RUNG_ZERO, false) == UM_LADDER_TRY);
    cr_expect(ladder.rung == UM_RUNG_ZERO);
}

Test(ladder, knows_a_beat_that_the_control_sees_first)
{
    for (int i = 0; i < 100; i++) {
        um_ladder_seen(&ladder, seq + 1);
        um_ladder_seen(&ladder, seq + 1);
        cr_expect(um_ladder_sent(&ladder, ++seq, UM_RUNG_ZERO) == UM_LADDER_STAY);
    }
}

Test(ladder, other_monitors_beats_prove_nothing)
{
    for (int i = 0; i <= UM_LADDER_MISSED; i++) {
        um_ladder_seen(&ladder, 70000 + (uint32_t)i);
        cr_expect(send(UM_RUNG_ZERO, false) ==
                  (i < UM_LADDER_MISSED ? UM_LADDER_STAY : UM_LADDER_TRY));
    }
}

Test(ladder, beats_of_the_mouse_probe_are_none)
{
    for (int i = 0; i < 100; i++)
        cr_expect(send(UM_RUNG_AUTO, false) == UM_LADDER_STAY);
    cr_expect(!um_ladder_is_climbing(&ladder));
}

Test(ladder, begins_to_count_anew_after_what_kept_all_beats_away)
{
    miss(UM_LADDER_MISSED);
    um_ladder_forget(&ladder);
    cr_expect(!um_ladder_is_climbing(&ladder));
    miss(UM_LADDER_MISSED);
    cr_expect(send(UM_RUNG_ZERO, false) == UM_LADDER_TRY);
}

Test(ladder, a_rung_that_was_climbed_stays)
{
    miss(UM_LADDER_MISSED);
    send(UM_RUNG_ZERO, false);
    send(UM_RUNG_PAIR, true);
    send(UM_RUNG_ZERO, false);
    send(UM_RUNG_ZERO, false);
    um_ladder_forget(&ladder);
    cr_expect(ladder.rung == UM_RUNG_PAIR);
}
