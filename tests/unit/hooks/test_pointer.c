/* Which beats are held so that a hidden pointer stays hidden. The counter ticks in µs here. */
#include <criterion/criterion.h>

#include "hooks/pointer.h"

#define PERIOD 10000

static struct um_pointer pointer;
static struct um_pointer_look look;

static void setup(void)
{
    pointer = (struct um_pointer){0};
    look = (struct um_pointer_look){.now = 1000000,
                                    .own = UM_POINTER_OWN_US,
                                    .most = UM_POINTER_HELD_US,
                                    .soon = UM_POINTER_SOON_US + PERIOD,
                                    .known = 1,
                                    .shown = 1,
                                    .x = 300,
                                    .y = 200};
}

TestSuite(pointer, .init = setup);

/* The heartbeat thread's turn, a period later. Returns whether it has sent a beat. */
static int turn(void)
{
    look.now += PERIOD;
    um_pointer_see(&pointer, &look);
    if (!um_pointer_allows(&pointer))
        return 0;
    um_pointer_sent(&pointer, &look);
    return 1;
}

/* How many of so many turns have sent a beat. */
static int beats_in(int turns)
{
    int beats = 0;
    for (int i = 0; i < turns; i++)
        beats += turn();
    return beats;
}

/* The pointer is hidden, and stays so until a beat is sent. Returns whether one is. */
static int hide(void)
{
    look.shown = 0;
    for (int i = 0; i < 10; i++)
        if (turn())
            return 1;
    return 0;
}

/* A test in which the beat shows the pointer. */
static void show_by_beat(void)
{
    cr_assert(hide(), "no beat is sent");
    look.shown = 1;
    turn();
}

static void hide_and_show_by_beat_twice(void)
{
    show_by_beat();
    cr_assert_not(um_pointer_holds(&pointer), "once may have been chance");
    show_by_beat();
    cr_assert(um_pointer_holds(&pointer));
}

static void move(void)
{
    look.x++;
    turn();
}

Test(pointer, one_that_is_shown_does_not_matter)
{
    cr_expect_eq(beats_in(20), 20);
    cr_expect_not(um_pointer_matters(&pointer));
}

Test(pointer, no_beat_is_sent_for_a_moment_once_it_is_hidden)
{
    look.shown = 0;
    cr_expect_eq(beats_in(UM_POINTER_OWN_US / PERIOD), 0);
    cr_expect_not(um_pointer_holds(&pointer), "that is no blind time");
    cr_expect(turn());
}

Test(pointer, one_that_stays_hidden_gets_its_beats)
{
    for (int i = 0; i < 10; i++) {
        cr_expect(hide());
        cr_expect_eq(beats_in(20), 20);
        look.shown = 1;
        cr_expect_eq(beats_in(20), 20);
    }
    cr_expect_not(um_pointer_is_shown_by_beats(&pointer));
}

/* A slide show that ends, or a key that the user pressed. */
Test(pointer, what_shows_it_after_beats_that_have_not_was_no_beat)
{
    for (int i = 0; i < 10; i++) {
        cr_expect(hide());
        cr_expect_eq(beats_in(6 + i), 6 + i);
        look.shown = 1;
        cr_expect_eq(beats_in(5), 5);
    }
    cr_expect_not(um_pointer_is_shown_by_beats(&pointer));
}

Test(pointer, a_program_that_shows_its_own_soon_is_not_taken_for_a_beat)
{
    for (int i = 0; i < 100; i++) {
        look.shown = 0;
        cr_expect_eq(beats_in(1 + i % 5), 0);
        look.shown = 1;
        cr_expect_eq(beats_in(7), 7);
    }
    cr_expect_eq(pointer.tests, 0);
}

Test(pointer, one_that_beats_have_shown_twice_holds_them_until_the_mouse_moves)
{
    hide_and_show_by_beat_twice();
    cr_expect_eq(beats_in(100), 0);
    move();
    cr_expect_not(um_pointer_holds(&pointer));
    cr_expect_eq(beats_in(5), 5);
}

Test(pointer, two_of_three_must_agree)
{
    show_by_beat();
    for (int i = 0; i < 2; i++) {
        cr_expect(hide());
        beats_in(10);
        look.shown = 1;
        beats_in(1);
    }
    show_by_beat();
    cr_expect_not(um_pointer_holds(&pointer), "the first one was too long ago");
    show_by_beat();
    cr_expect(um_pointer_holds(&pointer));
}

Test(pointer, one_that_the_mouse_has_shown_is_none_that_a_beat_has_shown)
{
    for (int i = 0; i < 5; i++) {
        cr_expect(hide());
        look.shown = 1;
        look.y--;
        cr_expect(turn());
    }
    cr_expect_eq(pointer.tests, 0);
}

/* A touch moves the pointer too, and leaves it hidden. */
Test(pointer, one_that_moves_while_it_is_hidden_goes_on_holding)
{
    hide_and_show_by_beat_twice();
    look.shown = 0;
    look.x = 10;
    cr_expect_eq(beats_in(2), 0);
    look.shown = 1;
    cr_expect(turn());
}

Test(pointer, what_is_known_is_not_tried_at_each_word)
{
    hide_and_show_by_beat_twice();
    move();
    for (int i = 0; i < UM_POINTER_ANEW - 1; i++) {
        cr_expect_not(hide(), "a beat was sent that would show it");
        look.shown = 1;
        cr_expect(turn(), "somebody else has shown it");
    }
    cr_expect(hide(), "it is not tried anew");
}

/* The user has another mouse by now. */
Test(pointer, a_judgement_ends_when_tests_no_longer_say_so)
{
    int held = 0;
    hide_and_show_by_beat_twice();
    move();
    for (int i = 0; i < 3 * UM_POINTER_ANEW; i++) {
        held += !hide();
        beats_in(10);
        look.shown = 1;
        turn();
    }
    cr_expect_eq(held, 2 * (UM_POINTER_ANEW - 1), "%d", held);
    cr_expect_not(um_pointer_is_shown_by_beats(&pointer));
}

/* Somebody types for long, and never touches the mouse. */
Test(pointer, beats_are_held_for_a_minute_at_most)
{
    hide_and_show_by_beat_twice();
    look.shown = 0;
    cr_expect_eq(beats_in(UM_POINTER_HELD_US / PERIOD - 1), 0);
    cr_expect(hide(), "it is not tried anew");
    look.shown = 1;
    cr_expect_not(turn(), "it was shown by a beat again");
    cr_expect_eq(beats_in(UM_POINTER_HELD_US / PERIOD - 1), 0);
    cr_expect_eq(beats_in(5), 5, "nobody has moved it, but it is shown");
}

/* The screen was locked just after a key. */
Test(pointer, a_test_is_over_where_the_system_says_nothing_more)
{
    look.shown = 0;
    cr_expect_not(turn());
    look.known = 0;
    cr_expect_eq(beats_in(20), 20);
    cr_expect_eq(pointer.tests, 0);
}

Test(pointer, where_the_system_says_nothing_all_stays_as_it_was)
{
    look.known = 0;
    look.shown = 0;
    cr_expect_eq(beats_in(20), 20);
    look.known = 1;
    look.shown = 1;
    hide_and_show_by_beat_twice();
    look.known = 0;
    look.x++;
    cr_expect_not(turn());
    cr_expect(um_pointer_holds(&pointer));
}
