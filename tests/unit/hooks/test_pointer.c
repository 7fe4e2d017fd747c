/* Which beats are held so that a hidden pointer stays hidden. The counter ticks in µs here. */
#include <criterion/criterion.h>

#include "hooks/pointer.h"

#define PERIOD 10000

static struct um_pointer pointer;
static struct um_pointer_look look;

static void setup(void)
{
    pointer = (struct um_pointer){0};
    look = (struct um_pointer_look){
        .now = 1000000, .soon = UM_POINTER_SOON_US, .known = 1, .shown = 1, .x = 300, .y = 200};
}

TestSuite(pointer, .init = setup);

/* Whether beats are held a period later, as the heartbeat thread would find out. */
static int next(void)
{
    look.now += PERIOD;
    return um_pointer_matters(&pointer) && um_pointer_holds(&pointer, &look);
}

/* A beat to a hidden pointer, which is shown a period later at the same place. */
static void show_by_beat(void)
{
    look.shown = 0;
    um_pointer_sent(&pointer, &look);
    look.shown = 1;
    cr_assert(next());
}

Test(pointer, one_that_is_shown_does_not_matter)
{
    um_pointer_sent(&pointer, &look);
    cr_expect_not(um_pointer_matters(&pointer));
    cr_expect_not(next());
}

Test(pointer, one_that_stays_hidden_holds_no_beat)
{
    look.shown = 0;
    for (int i = 0; i < 20; i++) {
        um_pointer_sent(&pointer, &look);
        cr_expect_not(next());
    }
}

/* A slide show that ends, or a key that the user pressed. */
Test(pointer, what_shows_it_after_beats_that_have_not_was_no_beat)
{
    look.shown = 0;
    for (int i = 0; i < 20; i++) {
        um_pointer_sent(&pointer, &look);
        cr_expect_not(next());
    }
    look.shown = 1;
    cr_expect_not(next());
    um_pointer_sent(&pointer, &look);
    show_by_beat(); /* the next time it is hidden nothing is known again */
}

Test(pointer, one_that_a_beat_has_shown_holds_beats_until_the_mouse_moves)
{
    show_by_beat();
    for (int i = 0; i < 100; i++)
        cr_expect(next());
    look.x++;
    cr_expect_not(next());
    um_pointer_sent(&pointer, &look);
    cr_expect_not(next());
}

Test(pointer, one_that_the_mouse_has_shown_is_none_that_a_beat_has_shown)
{
    look.shown = 0;
    um_pointer_sent(&pointer, &look);
    look.shown = 1;
    look.y--;
    cr_expect_not(next());
    cr_expect_not(um_pointer_matters(&pointer));
}

Test(pointer, one_that_is_shown_long_after_a_beat_was_not_shown_by_it)
{
    look.shown = 0;
    um_pointer_sent(&pointer, &look);
    for (int i = 0; i < 6; i++)
        cr_expect_not(next());
    look.shown = 1;
    cr_expect_not(next());
    cr_expect_not(um_pointer_matters(&pointer));
}

/* A touch moves the pointer too, and leaves it hidden. */
Test(pointer, one_that_moves_while_it_is_hidden_goes_on_holding)
{
    show_by_beat();
    look.shown = 0;
    look.x = 10;
    cr_expect(next());
    cr_expect(next());
    look.shown = 1;
    cr_expect_not(next());
}

/* It happens once a session, and not at each word that is typed. */
Test(pointer, what_happened_once_does_not_happen_again)
{
    show_by_beat();
    look.x++;
    cr_assert_not(next());
    look.shown = 0;
    cr_expect(next(), "no beat is sent that would show it");
    cr_expect(next());
    look.shown = 1;
    cr_expect_not(next(), "somebody else has shown it");
}

Test(pointer, where_the_system_says_nothing_all_stays_as_it_was)
{
    look.known = 0;
    look.shown = 0;
    um_pointer_sent(&pointer, &look);
    cr_expect_not(um_pointer_matters(&pointer));
    look.known = 1;
    show_by_beat();
    look.known = 0;
    look.x++;
    cr_expect(next());
}
