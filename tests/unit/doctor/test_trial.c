#include "monitor/doctor/trial.h"

#include <criterion/criterion.h>
#include <string.h>

#define MS UINT64_C(1000000)

static struct um_trial trial;

static void begin(void)
{
    memset(&trial, 0, sizeof trial);
}

TestSuite(trial, .init = begin);

static void sent(uint32_t seq, uint64_t time_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SENT};
    frame.as.sent = (struct um_wire_sent){.seq = seq, .time_ns = time_ns};
    um_trial_frame(&trial, &frame);
}

static void seen(uint32_t seq, uint64_t time_ns, uint8_t flags)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SEEN, .flags = flags};
    frame.as.seen = (struct um_wire_seen){.seq = seq, .time_ns = time_ns};
    um_trial_frame(&trial, &frame);
}

static void taken(uint32_t message, uint8_t flags, uint32_t own_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TAKEN, .flags = flags};
    frame.as.taken = (struct um_wire_taken){.message = message, .own_ms = own_ms};
    um_trial_frame(&trial, &frame);
}

static void arrived(uint8_t kind, bool release, uint32_t own_ms)
{
    struct um_arrival arrival = {.kind = kind, .release = release, .own_ms = own_ms};
    um_trial_arrival(&trial, &arrival);
}

static struct um_trial_sum sum(void)
{
    struct um_trial_sum result;
    um_trial_add_up(&trial, &result);
    return result;
}

Test(trial, an_empty_one_adds_up_to_nothing)
{
    struct um_trial_sum none = {0};
    struct um_trial_sum result = sum();
    cr_expect_eq(memcmp(&none, &result, sizeof none), 0);
}

Test(trial, counts_what_target_and_control_saw)
{
    for (uint32_t i = 0; i < 10; i++) {
        sent(100 + i, i * 10 * MS);
        if (i < 7)
            seen(100 + i, i * 10 * MS + (i + 1) * MS, UM_WIRE_SEEN_RAW);
        if (i < 5)
            um_trial_control(&trial, 100 + i);
    }
    struct um_trial_sum result = sum();
    cr_expect(result.sent == 10 && result.target == 7 && result.control == 5);
    cr_expect_eq(result.p50_ns, 4 * MS);
    cr_expect(trial.raw);
}

Test(trial, raw_input_is_known_also_where_the_mouse_message_is_first)
{
    sent(1, MS);
    seen(1, 2 * MS, UM_WIRE_SEEN_MOUSE);
    cr_expect(!trial.raw);
    taken(0x00ff, UM_WIRE_TAKEN_OURS, 0);
    cr_expect(trial.raw);
}

Test(trial, the_control_may_be_first_and_see_both_halves_of_a_pair)
{
    um_trial_control(&trial, 7);
    um_trial_control(&trial, 7);
    sent(7, MS);
    cr_expect_eq(sum().control, 1);
}

Test(trial, beats_from_before_do_not_count)
{
    seen(3, MS, UM_WIRE_SEEN_MOUSE);
    um_trial_control(&trial, 3);
    sent(4, 2 * MS);
    struct um_trial_sum result = sum();
    cr_expect(result.sent == 1 && result.target == 0 && result.control == 0);
    taken(0x00ff, 0, 0); /* the target's own */
    cr_expect(!trial.raw);
}

Test(trial, a_beat_that_was_not_seen_is_overdue)
{
    uint32_t seq = 0;
    cr_expect(!um_trial_overdue(&trial, UINT64_MAX, &seq));
    sent(5, 10 * MS);
    cr_expect(!um_trial_overdue(&trial, 10 * MS, &seq));
    cr_expect(um_trial_overdue(&trial, 10 * MS + 1, &seq) && seq == 5);
    seen(5, 11 * MS, UM_WIRE_SEEN_RAW);
    cr_expect(!um_trial_overdue(&trial, UINT64_MAX, &seq));
}

Test(trial, takes_no_more_beats_than_it_has_room_for)
{
    for (uint32_t i = 0; i < UM_TRIAL_BEATS + 10; i++) {
        sent(i, (i + 1) * MS);
        seen(i, (i + 2) * MS, UM_WIRE_SEEN_RAW);
        um_trial_control(&trial, i);
        um_trial_control(&trial, i);
        um_trial_control(&trial, i);
    }
    cr_expect(sum().sent == UM_TRIAL_BEATS && sum().target == UM_TRIAL_BEATS);
}

Test(trial, keys_are_counted_by_what_the_hook_knew)
{
    taken(0x0100, UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS, 5000); /* WM_KEYDOWN */
    taken(0x0101, UM_WIRE_TAKEN_INPUT, 5001);                        /* WM_KEYUP */
    taken(0x0100, 0, 0);
    taken(0x000f, UM_WIRE_TAKEN_PAINT, 0);
    arrived(UM_INTERACTION_KEY, false, 5000);
    arrived(UM_INTERACTION_CLICK, false, 5000);
    cr_expect(trial.keys_taken == 1 && trial.keys_unmarked == 1 && trial.paints == 1);
    cr_expect(trial.arrival_count == 1 && sum().keys_agreeing == 1);
}

Test(trial, own_times_agree_to_a_millisecond_also_where_the_clock_wraps)
{
    const uint32_t messages[] = {UINT32_MAX, 100, 200, 300};
    const uint32_t inputs[] = {0, 101, 202, 299};
    for (size_t i = 0; i < 4; i++) {
        taken(0x0100, UM_WIRE_TAKEN_INPUT, messages[i]);
        arrived(UM_INTERACTION_KEY, false, inputs[i]);
    }
    cr_expect_eq(sum().keys_agreeing, 3);
}

Test(trial, own_times_say_nothing_where_a_key_is_missing)
{
    taken(0x0100, UM_WIRE_TAKEN_INPUT, 100);
    taken(0x0100, UM_WIRE_TAKEN_INPUT, 200);
    arrived(UM_INTERACTION_KEY, false, 200);
    cr_expect_eq(sum().keys_agreeing, 0);
}

Test(trial, keys_beyond_the_room_are_counted_and_not_kept)
{
    for (uint32_t i = 0; i < UM_TRIAL_KEYS + 5; i++) {
        taken(0x0100, UM_WIRE_TAKEN_INPUT, i);
        arrived(UM_INTERACTION_KEY, false, i);
    }
    cr_expect_eq(trial.keys_taken, UM_TRIAL_KEYS + 5);
    cr_expect_eq(sum().keys_agreeing, UM_TRIAL_KEYS);
}
