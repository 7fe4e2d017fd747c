#include "monitor/target/pings.h"

#include <criterion/criterion.h>

#define MS UM_CLOCK_NS_PER_MS
#define BEGIN_MS 1000
#define TAG 7u /* of the beat; those that ask again follow */

static struct um_pings pings;
static uint32_t tag;                 /* of the last ping */
static uint64_t waits;               /* of the target's thread */
static bool busy;                    /* it is: it does not wait */
static uint64_t polled_ms;           /* since the beat */
static enum um_pings_step steps[64]; /* what was not WAIT or AGAIN */
static size_t step_count;

static void begin(bool proven)
{
    pings = (struct um_pings){.proven = proven};
    tag = TAG;
    waits = 100;
    busy = false;
    polled_ms = 0;
    step_count = 0;
    um_pings_sent(&pings, tag, BEGIN_MS * MS);
    um_pings_look(&pings, waits, true);
}

static uint64_t at(uint64_t ms)
{
    return (BEGIN_MS + ms) * MS;
}

static void poll_once(bool open)
{
    um_pings_look(&pings, waits, !busy);
    enum um_pings_step step = um_pings_poll(&pings, open, at(polled_ms));
    if (step == UM_PINGS_AGAIN)
        um_pings_sent(&pings, ++tag, at(polled_ms));
    else if (step != UM_PINGS_WAIT)
        steps[step_count++] = step;
}

/* Polls each ms up to this time after the beat. */
static void poll_until(uint64_t ms)
{
    while (polled_ms < ms) {
        polled_ms++;
        poll_once(true);
    }
}

static bool answer(uint32_t which)
{
    bool taken = um_pings_answer(&pings, which, at(polled_ms));
    poll_once(true);
    return taken;
}

static void expect_step(enum um_pings_step step)
{
    cr_assert_eq(step_count, 1, "%zu steps", step_count);
    cr_expect_eq(steps[0], step, "%d", (int)steps[0]);
}

Test(pings, an_answer_in_time_proves_the_target)
{
    begin(false);
    poll_until(59);
    cr_expect(answer(TAG));
    expect_step(UM_PINGS_ANSWERED);
    cr_expect_eq(pings.answered_ns, at(59));
    cr_expect(pings.proven && pings.sent_ns == 0);
    cr_expect_not(answer(TAG), "it was answered");
}

/* Again after 60, 180, 420, 900 ms, and each second after that. */
Test(pings, a_late_beat_is_asked_again_more_and_more_seldom)
{
    begin(true);
    static const uint64_t again_ms[] = {60, 180, 420, 900, 1860, 2860, 3860};
    for (size_t i = 0; i < sizeof again_ms / sizeof again_ms[0]; i++) {
        poll_until(again_ms[i] - 1);
        cr_expect_eq(tag, TAG + i, "before %d ms", (int)again_ms[i]);
        poll_until(again_ms[i]);
        cr_expect_eq(tag, TAG + i + 1, "at %d ms", (int)again_ms[i]);
    }
    cr_expect_eq(step_count, 0, "a thread that waits for a lock is away");
}

Test(pings, answers_that_come_at_once_are_those_of_a_thread_that_was_away)
{
    static const struct {
        bool named, wakes;
    } rows[] = {{true, false}, {true, true}, {false, false}, {false, true}};
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        begin(true);
        poll_until(450);
        waits += rows[row].wakes ? 450 : 0;
        cr_assert_eq(tag, TAG + 3);
        poll_once(true);
        bool at_once = rows[row].named && !rows[row].wakes;
        for (uint32_t i = 0; i < 4; i++) {
            (void)answer(rows[row].named ? TAG + i : 0);
            cr_expect_eq(step_count, at_once || i == 3, "row %zu", row);
        }
        expect_step(UM_PINGS_ANSWERED);
        cr_expect_eq(pings.answered_ns, at(450));
    }
}

/* ... and of the first only, of a thread that did not wake, or is busy again. */
Test(pings, one_late_answer_ends_a_freeze_unless_the_thread_woke)
{
    static const struct {
        uint32_t tag;
        uint64_t wakes;
        bool is_busy;
        bool at_once;
        enum um_pings_step step;
    } rows[] = {
        {TAG, 1, false, true, UM_PINGS_ANSWERED},   {TAG, 2, false, false, UM_PINGS_LOST},
        {TAG, 500, true, false, UM_PINGS_ANSWERED}, {0, 0, false, false, UM_PINGS_LOST},
        {0, 0, true, false, UM_PINGS_ANSWERED},
    };
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        begin(true);
        poll_until(299);
        waits += rows[row].wakes;
        poll_once(true);
        cr_expect(answer(rows[row].tag));
        waits += 10; /* what comes then is no evidence */
        busy = rows[row].is_busy;
        poll_until(348);
        cr_expect_eq(step_count, rows[row].at_once, "row %zu: the other answer may come", row);
        poll_until(349);
        cr_assert_eq(step_count, 1, "row %zu", row);
        cr_expect_eq(steps[0], rows[row].step, "row %zu", row);
        cr_expect_eq(pings.proven, rows[row].step == UM_PINGS_ANSWERED, "row %zu", row);
        cr_expect(steps[0] == UM_PINGS_LOST || pings.answered_ns == at(299), "row %zu", row);
    }
}

Test(pings, an_answer_of_a_later_ping_says_that_the_beat_was_lost)
{
    begin(true);
    poll_until(61);
    cr_expect(answer(TAG + 1));
    expect_step(UM_PINGS_LOST);
    cr_expect(!pings.proven && pings.sent_ns == 0);
}

Test(pings, only_answers_of_pings_that_are_out_count)
{
    begin(true);
    waits += 3;
    poll_until(190);
    cr_assert_eq(tag, TAG + 2);
    cr_expect_not(answer(TAG - 1), "of an earlier beat");
    cr_expect_not(answer(TAG + 3), "of none");
    cr_expect(answer(TAG));
    cr_expect_not(answer(TAG), "a second time");
    cr_expect(answer(TAG + 1));
    cr_expect_eq(step_count, 0);
    cr_expect(answer(TAG + 2));
    expect_step(UM_PINGS_ANSWERED);
}

Test(pings, tags_begin_anew_after_the_greatest)
{
    pings = (struct um_pings){.proven = true};
    um_pings_sent(&pings, UINT32_MAX, at(0));
    um_pings_sent(&pings, 1, at(100));
    cr_expect(um_pings_answer(&pings, UINT32_MAX, at(110)));
    cr_expect(um_pings_answer(&pings, 1, at(110)));
    cr_expect_eq(um_pings_poll(&pings, true, at(110)), UM_PINGS_ANSWERED);
}

/* A thread that goes on and answers nothing is silent after a second, once. */
Test(pings, a_thread_that_wakes_and_does_not_answer_is_silent)
{
    static const struct {
        uint64_t wakes;
        bool silent;
    } rows[] = {{2, false}, {3, true}};
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        begin(true);
        waits += rows[row].wakes;
        poll_until(999);
        cr_expect_eq(step_count, 0, "row %zu", row);
        poll_until(5000);
        cr_expect_eq(step_count, rows[row].silent, "row %zu", row);
        cr_expect(!rows[row].silent || steps[0] == UM_PINGS_SILENT, "row %zu", row);
        cr_expect_eq(pings.proven, !rows[row].silent, "row %zu", row);
        cr_expect_eq(pings.sent_ns, at(0), "row %zu: the beat stays out", row);
    }
}

/* ... so if it has only waited for files, its freeze is known in the end. */
Test(pings, a_silent_thread_that_answers_all_at_last_was_away)
{
    begin(true);
    waits += 1000;
    poll_until(3000);
    expect_step(UM_PINGS_SILENT);
    step_count = 0;
    for (uint32_t which = TAG, last = tag; which <= last; which++)
        cr_expect(answer(which));
    expect_step(UM_PINGS_ANSWERED);
    cr_expect(pings.proven && pings.answered_ns == at(3000));
}

/* ... but it may be busy. Only if its thread goes on as well, it seems not to answer. */
Test(pings, of_a_target_that_was_never_seen_to_answer_nothing_is_known_at_once)
{
    static const struct {
        uint64_t wakes;
        bool silent;
    } rows[] = {{2, false}, {3, true}};
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        begin(false);
        waits += rows[row].wakes;
        poll_until(59);
        cr_expect_eq(step_count, 0);
        poll_until(999);
        expect_step(UM_PINGS_LATE);
        poll_until(5000);
        cr_assert_eq(step_count, 1 + rows[row].silent, "row %zu", row);
        cr_expect(!rows[row].silent || steps[1] == UM_PINGS_SILENT, "row %zu", row);
        cr_expect(pings.unknown && !pings.proven);
    }
}

Test(pings, nobody_is_silent_while_the_way_is_shut)
{
    begin(false);
    while (polled_ms < 5000) {
        polled_ms++;
        poll_once(false);
    }
    cr_expect_eq(step_count, 0);
}

/* To be stopped and go on again wakes a thread, too. */
Test(pings, stops_are_no_wakes)
{
    begin(true);
    for (int i = 0; i < 10; i++) {
        um_pings_stopped(&pings, at(polled_ms));
        waits++;
        poll_until(polled_ms + 200);
    }
    cr_expect_eq(step_count, 0);
}

Test(pings, the_time_of_a_stop_is_not_late)
{
    begin(false);
    um_pings_stopped(&pings, at(5000));
    polled_ms = 5000;
    poll_until(5059);
    cr_expect(step_count == 0 && tag == TAG);
    poll_until(5060);
    expect_step(UM_PINGS_LATE);
}

Test(pings, a_beat_that_is_forgotten_has_no_answer)
{
    begin(true);
    um_pings_forget(&pings, at(0));
    poll_until(5000);
    cr_expect(!answer(TAG) && step_count == 0 && pings.proven);
}

/* The answers of pings that are forgotten name none, and are not taken for those of others. */
Test(pings, after_a_lost_answer_without_a_tag_no_ping_is_sent_for_a_second)
{
    begin(true);
    poll_until(61);
    cr_expect(answer(0));
    poll_until(111);
    expect_step(UM_PINGS_LOST);
    cr_expect_not(um_pings_may_send(&pings, at(1110)));
    cr_expect(um_pings_may_send(&pings, at(1111)));
    um_pings_sent(&pings, ++tag, at(1111));
    polled_ms = 1112;
    cr_expect(answer(0));
    cr_expect(pings.proven && um_pings_may_send(&pings, at(1112)));
}
