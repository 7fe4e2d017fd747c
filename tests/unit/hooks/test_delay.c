/* Which messages are delayed, and for how long. */
#include <criterion/criterion.h>

#include "hooks/delay.h"

#define PRESSED 0x001e0001 /* lParam of a key that goes down */
#define REPEATED (PRESSED | 1 << 30)

Test(delay, takes_what_is_asked_up_to_its_bound_and_nothing_beyond)
{
    cr_expect_eq(um_delay_accept_us(0), 0);
    cr_expect_eq(um_delay_accept_us(312), 312);
    cr_expect_eq(um_delay_accept_us(20000), 20000);
    cr_expect_eq(um_delay_accept_us(20001), 0);
    cr_expect_eq(um_delay_accept_us(UINT32_MAX), 0);
    cr_expect_eq(um_delay_accept_us((UINT64_C(1) << 32) + 312), 0);
}

/* Of all messages these two alone: WM_KEYDOWN and WM_SYSKEYDOWN. A beat comes as WM_INPUT or as a
 * mouse message. */
Test(delay, is_for_keys_that_go_down_and_for_nothing_else)
{
    for (uint32_t message = 0; message < 0x10000; message++)
        cr_expect_eq(um_delay_is_for(message, 'A', PRESSED) != 0,
                     message == 0x100 || message == 0x104, "0x%x", message);
}

Test(delay, is_not_for_repeats_and_modifiers)
{
    cr_expect_not(um_delay_is_for(0x100, 'A', REPEATED));
    cr_expect_not(um_delay_is_for(0x100, 0x10, PRESSED), "VK_SHIFT");
    cr_expect_not(um_delay_is_for(0x104, 0x12, PRESSED), "VK_MENU");
}

/* How many ticks it lasts if each turn takes so many. */
static uint64_t ticks_taken(uint32_t delay_us, uint64_t ticks_per_s, uint64_t turn)
{
    const uint64_t begin = UINT64_MAX - 50; /* the counter passes through 0 */
    uint64_t now = begin;
    struct um_delay delay = um_delay_begin(begin, delay_us, ticks_per_s);
    while (um_delay_goes_on(&delay, now))
        now += turn;
    return now - begin;
}

/* 10 MHz is Windows' counter, 1 GHz Wine's at times, 3.58 MHz the ACPI timer: 312 of its µs are
 * 1116.8 ticks. */
Test(delay, is_never_shorter_than_asked_and_at_most_a_turn_longer)
{
    cr_expect_eq(ticks_taken(312, 10000000, 1), 3120);
    cr_expect_eq(ticks_taken(312, 10000000, 7), 3122);
    cr_expect_eq(ticks_taken(312, 1000000000, 13), 312000);
    cr_expect_eq(ticks_taken(20000, 1000000000, 10), 20000000);
    cr_expect_eq(ticks_taken(312, 3579545, 1), 1117);
    cr_expect_eq(ticks_taken(1, 10000000, 1), 10);
}

/* A preemption ends the delay with the first look after it. */
Test(delay, is_over_when_the_thread_was_held_up)
{
    struct um_delay delay = um_delay_begin(1000, 312, 10000000);
    cr_expect(um_delay_goes_on(&delay, 1000));
    cr_expect_not(um_delay_goes_on(&delay, 900000));
}

Test(delay, ends_although_the_counter_stands_still)
{
    struct um_delay delay = um_delay_begin(1000, 20000, 10000000);
    uint64_t turns = 0;
    while (um_delay_goes_on(&delay, 1000))
        turns++;
    cr_expect_eq(turns, 20000 * 250);
    cr_expect_not(um_delay_goes_on(&delay, 1000), "nor does it begin again");
}
