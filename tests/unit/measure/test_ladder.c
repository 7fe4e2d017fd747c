#include "monitor/measure/ladder.h"

#include <criterion/criterion.h>

static struct um_ladder ladder;
static uint32_t seq;

static void begin(void)
{
    um_ladder_init(&ladder);
    seq = 100;
}

/* The tests of the two upper rungs begin where still beats were seen to be dropped. */
static void begin_at_zero(void)
{
    begin();
    ladder.beat_kind = UM_BEAT_KIND_ZERO;
    ladder.seen = true;
}

TestSuite(ladder, .init = begin_at_zero);

static enum um_ladder_step send(enum um_beat_kind kind, bool seen)
{
    enum um_ladder_step step = um_ladder_sent(&ladder, ++seq, kind);
    if (seen)
        um_ladder_seen(&ladder, seq);
    return step;
}

static void miss(int count)
{
    for (int i = 0; i < count; i++)
        cr_expect_eq(send(UM_BEAT_KIND_ZERO, false), UM_LADDER_STAY, "beat %d of %d", i, count);
}

Test(ladder, begins_with_still_beats, .init = begin)
{
    cr_expect(ladder.beat_kind == UM_BEAT_KIND_STILL && !um_ladder_is_climbing(&ladder));
}

static void miss_still(int count)
{
    for (int i = 0; i < count; i++)
        cr_expect_eq(send(UM_BEAT_KIND_STILL, false), UM_LADDER_STAY, "beat %d of %d", i, count);
}

Test(ladder, a_zero_beat_is_tried_soon_where_no_still_one_was_ever_seen, .init = begin)
{
    miss_still(UM_LADDER_MISSED_SOON);
    cr_expect_eq(send(UM_BEAT_KIND_STILL, false), UM_LADDER_TRY);
    cr_expect_eq(ladder.tried, UM_BEAT_KIND_ZERO);
    send(UM_BEAT_KIND_ZERO, true);
    send(UM_BEAT_KIND_STILL, false);
    cr_expect_eq(send(UM_BEAT_KIND_STILL, false), UM_LADDER_CLIMB);
    cr_expect_eq(ladder.beat_kind, UM_BEAT_KIND_ZERO);
}

Test(ladder, still_beats_that_were_seen_once_get_more_time, .init = begin)
{
    send(UM_BEAT_KIND_STILL, true);
    miss_still(UM_LADDER_MISSED);
    cr_expect_eq(send(UM_BEAT_KIND_STILL, false), UM_LADDER_TRY);
}

Test(ladder, a_pair_is_tried_where_neither_still_nor_zero_beats_are_seen, .init = begin)
{
    miss_still(UM_LADDER_MISSED_SOON);
    send(UM_BEAT_KIND_STILL, false);
    send(UM_BEAT_KIND_ZERO, false);
    miss_still(UM_LADDER_MISSED_SOON);
    cr_expect(um_ladder_is_climbing(&ladder), "a pair was not tried yet");
    cr_expect_eq(send(UM_BEAT_KIND_STILL, false), UM_LADDER_TRY);
    cr_expect_eq(ladder.tried, UM_BEAT_KIND_PAIR);
    send(UM_BEAT_KIND_PAIR, true);
    send(UM_BEAT_KIND_STILL, false);
    cr_expect_eq(send(UM_BEAT_KIND_STILL, false), UM_LADDER_CLIMB);
    cr_expect_eq(ladder.beat_kind, UM_BEAT_KIND_PAIR);
}

Test(ladder, where_nothing_is_seen_each_kind_is_tried_again, .init = begin)
{
    miss_still(UM_LADDER_MISSED_SOON);
    send(UM_BEAT_KIND_STILL, false);
    send(UM_BEAT_KIND_ZERO, false);
    miss_still(UM_LADDER_MISSED_SOON);
    send(UM_BEAT_KIND_STILL, false);
    send(UM_BEAT_KIND_PAIR, false);
    miss_still(1);
    cr_expect(!um_ladder_is_climbing(&ladder), "another probe may be tried");
    miss_still(UM_LADDER_MISSED - 1);
    cr_expect_eq(send(UM_BEAT_KIND_STILL, false), UM_LADDER_TRY);
    cr_expect_eq(ladder.tried, UM_BEAT_KIND_ZERO);
    send(UM_BEAT_KIND_ZERO, false);
    miss_still(UM_LADDER_MISSED_SOON);
    cr_expect_eq(send(UM_BEAT_KIND_STILL, false), UM_LADDER_TRY);
    cr_expect_eq(ladder.tried, UM_BEAT_KIND_PAIR);
}

Test(ladder, a_still_beat_that_is_refused_and_was_never_seen_climbs_at_once, .init = begin)
{
    cr_expect_eq(um_ladder_refused(&ladder), UM_LADDER_CLIMB);
    cr_expect_eq(ladder.beat_kind, UM_BEAT_KIND_ZERO);
    cr_expect_eq(um_ladder_refused(&ladder), UM_LADDER_STAY);
}

Test(ladder, still_beats_that_were_seen_stay_when_one_is_refused, .init = begin)
{
    send(UM_BEAT_KIND_STILL, true);
    send(UM_BEAT_KIND_STILL, true);
    cr_expect_eq(um_ladder_refused(&ladder), UM_LADDER_STAY);
    cr_expect_eq(ladder.beat_kind, UM_BEAT_KIND_STILL);
}

Test(ladder, tries_one_pair_after_twenty_missed_beats)
{
    miss(UM_LADDER_MISSED);
    cr_expect_eq(send(UM_BEAT_KIND_ZERO, false), UM_LADDER_TRY);
    cr_expect(um_ladder_is_climbing(&ladder));
    miss(100); /* until the DLL has been told */
    cr_expect_eq(ladder.beat_kind, UM_BEAT_KIND_ZERO);
}

Test(ladder, one_beat_that_is_seen_begins_the_count_anew)
{
    miss(UM_LADDER_MISSED - 1);
    send(UM_BEAT_KIND_ZERO, true);
    miss(UM_LADDER_MISSED);
    cr_expect(um_ladder_is_climbing(&ladder));
    cr_expect_eq(send(UM_BEAT_KIND_ZERO, false), UM_LADDER_TRY);
}

Test(ladder, climbs_if_the_pair_is_seen_and_zero_beats_are_not)
{
    miss(UM_LADDER_MISSED);
    cr_expect_eq(send(UM_BEAT_KIND_ZERO, false), UM_LADDER_TRY);
    cr_expect_eq(send(UM_BEAT_KIND_PAIR, true), UM_LADDER_STAY);
    cr_expect_eq(send(UM_BEAT_KIND_ZERO, false), UM_LADDER_STAY);
    cr_expect_eq(send(UM_BEAT_KIND_ZERO, false), UM_LADDER_CLIMB);
    cr_expect(ladder.beat_kind == UM_BEAT_KIND_PAIR && !um_ladder_is_climbing(&ladder));
    for (int i = 0; i < 100; i++)
        cr_expect_eq(send(UM_BEAT_KIND_PAIR, false), UM_LADDER_STAY);
}

Test(ladder, does_not_climb_if_everything_arrives_again)
{
    miss(UM_LADDER_MISSED);
    send(UM_BEAT_KIND_ZERO, false);
    send(UM_BEAT_KIND_PAIR, true);
    for (int i = 0; i < 100; i++)
        cr_expect_eq(send(UM_BEAT_KIND_ZERO, true), UM_LADDER_STAY);
    cr_expect(ladder.beat_kind == UM_BEAT_KIND_ZERO && !um_ladder_is_climbing(&ladder));
}

Test(ladder, stays_if_the_pair_is_missed_and_tries_again_later)
{
    miss(UM_LADDER_MISSED);
    send(UM_BEAT_KIND_ZERO, false);
    send(UM_BEAT_KIND_PAIR, false);
    miss(1);
    cr_expect(!um_ladder_is_climbing(&ladder), "another probe may be tried");
    miss(UM_LADDER_MISSED - 1);
    cr_expect_eq(send(UM_BEAT_KIND_ZERO, false), UM_LADDER_TRY);
    cr_expect_eq(ladder.beat_kind, UM_BEAT_KIND_ZERO);
}

Test(ladder, knows_a_beat_that_the_control_sees_first)
{
    for (int i = 0; i < 100; i++) {
        um_ladder_seen(&ladder, seq + 1);
        um_ladder_seen(&ladder, seq + 1);
        cr_expect_eq(um_ladder_sent(&ladder, ++seq, UM_BEAT_KIND_ZERO), UM_LADDER_STAY);
    }
}

Test(ladder, other_monitors_beats_prove_nothing)
{
    for (int i = 0; i <= UM_LADDER_MISSED; i++) {
        um_ladder_seen(&ladder, 70000 + (uint32_t)i);
        cr_expect_eq(send(UM_BEAT_KIND_ZERO, false),
                     (i < UM_LADDER_MISSED ? UM_LADDER_STAY : UM_LADDER_TRY));
    }
}

Test(ladder, beats_of_the_mouse_probe_are_none)
{
    for (int i = 0; i < 100; i++)
        cr_expect_eq(send(UM_BEAT_KIND_AUTO, false), UM_LADDER_STAY);
    cr_expect(!um_ladder_is_climbing(&ladder));
}

Test(ladder, begins_to_count_anew_after_what_kept_all_beats_away)
{
    miss(UM_LADDER_MISSED);
    um_ladder_forget(&ladder);
    cr_expect(!um_ladder_is_climbing(&ladder));
    miss(UM_LADDER_MISSED);
    cr_expect_eq(send(UM_BEAT_KIND_ZERO, false), UM_LADDER_TRY);
}

Test(ladder, a_beat_kind_that_was_climbed_stays)
{
    miss(UM_LADDER_MISSED);
    send(UM_BEAT_KIND_ZERO, false);
    send(UM_BEAT_KIND_PAIR, true);
    send(UM_BEAT_KIND_ZERO, false);
    send(UM_BEAT_KIND_ZERO, false);
    um_ladder_forget(&ladder);
    cr_expect_eq(ladder.beat_kind, UM_BEAT_KIND_PAIR);
}
