/* Hotkeys on an X server: who gets a key, and when it is taken. */
#include <stdatomic.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "base/hotkeys.h"
#include "tests/e2e/chord_x11.h"
#include "tests/e2e/harness.h"

TestSuite(hotkeys_x11, .threads = true);

#define CTRL_ALT_SHIFT (UM_HOTKEY_CTRL | UM_HOTKEY_ALT | UM_HOTKEY_SHIFT)
#define KEYS 3

/* Ctrl+Alt+Shift+F9, the same again, and Ctrl+Alt+Shift+Q. */
static const struct um_hotkey keys[KEYS] = {
    {CTRL_ALT_SHIFT, 0x78}, {CTRL_ALT_SHIFT, 0x78}, {CTRL_ALT_SHIFT, 'Q'}};

static atomic_int presses[KEYS];
static Display *x;

static void count_press(void *context, size_t which)
{
    (void)context;
    atomic_fetch_add(&presses[which], 1);
}

static void setup(void)
{
    x = XOpenDisplay(NULL);
    cr_assert(x != NULL, "no X display");
}

Test(hotkeys_x11, presses_are_told_with_any_lock, .init = setup)
{
    struct um_hotkeys *hotkeys;
    bool taken[KEYS] = {false};

    cr_assert_eq(um_hotkeys->open(keys, KEYS, count_press, NULL, taken, &hotkeys), UM_OK);
    cr_expect(!taken[0] && taken[1] && !taken[2]);
    chord_press(x, XK_F9);
    WAIT_UNTIL(presses[0] == 1, "F9 is not told");
    chord_press(x, XK_q);
    WAIT_UNTIL(presses[2] == 1, "Q is not told");
    chord_press(x, XK_Num_Lock); /* on: it works with modifiers, too */
    chord_press(x, XK_F9);
    WAIT_UNTIL(presses[0] == 2, "F9 is not told with num lock");
    chord_press(x, XK_Num_Lock);
    chord_key(x, XK_F9, true); /* without modifiers, for others */
    chord_key(x, XK_F9, false);
    um_hotkeys->close(hotkeys);
    cr_expect_eq(presses[0], 2);
    cr_expect_eq(presses[1], 0);
    chord_press(x, XK_F9);
    sleep_ms(100);
    cr_expect_eq(presses[0], 2);
}

/* The server repeats a key that is held, after 660 ms and then each 40 ms. */
Test(hotkeys_x11, a_key_that_is_held_is_told_once, .init = setup)
{
    struct um_hotkeys *hotkeys;
    bool taken[KEYS] = {false};

    cr_assert_eq(um_hotkeys->open(keys, 1, count_press, NULL, taken, &hotkeys), UM_OK);
    chord_modifiers(x, true);
    chord_key(x, XK_F9, true);
    sleep_ms(1200);
    chord_key(x, XK_F9, false);
    chord_modifiers(x, false);
    WAIT_UNTIL(presses[0] > 0, "F9 is not told");
    um_hotkeys->close(hotkeys);
    cr_expect_eq(presses[0], 1);
}

Test(hotkeys_x11, a_key_of_another_program_is_taken_until_that_closes, .init = setup)
{
    struct um_hotkeys *hotkeys, *others;
    bool taken[KEYS] = {false};

    cr_assert_eq(um_hotkeys->open(keys, 1, count_press, NULL, taken, &others), UM_OK);
    cr_assert_eq(um_hotkeys->open(keys, KEYS, count_press, NULL, taken, &hotkeys), UM_OK);
    cr_expect(taken[0] && taken[1] && !taken[2]);
    chord_press(x, XK_q);
    WAIT_UNTIL(presses[2] == 1, "Q is not told");
    um_hotkeys->close(hotkeys);
    um_hotkeys->close(others);
    cr_assert_eq(um_hotkeys->open(keys, 1, count_press, NULL, taken, &hotkeys), UM_OK);
    cr_expect(!taken[0]);
    um_hotkeys->close(hotkeys);
}

Test(hotkeys_x11, there_are_none_without_a_server)
{
    struct um_hotkeys *hotkeys;
    bool taken[KEYS] = {false};

    set_variable("DISPLAY", "");
    cr_expect_eq(um_hotkeys->open(keys, 1, count_press, NULL, taken, &hotkeys), UM_ERR_UNSUPPORTED);
}
