/* What a watch tells the layout costs of the target's windows, by the fake target. */
#include <stdio.h>

#include <criterion/criterion.h>

#include "monitor/live/watch_layout.h"
#include "tests/unit/live/fake_target.h"

static struct um_watch_layout watched;

static struct um_layout_window describe(uint64_t window)
{
    struct um_layout_window told = {.parent = 0};
    cr_assert(um_watch_layout_describe(&watched, window, &told));
    return told;
}

static void setup(void)
{
    fake_target_start();
    watched = (struct um_watch_layout){.pid = FAKE_PID};
}

TestSuite(watch_layout, .init = setup);

Test(watch_layout, a_message_only_window_counts_nowhere)
{
    cr_expect(describe(FAKE_HELPER).counts_nowhere);
    cr_expect(!describe(FAKE_WINDOW).counts_nowhere && !describe(FAKE_BUTTON).counts_nowhere);
}

Test(watch_layout, parts_of_a_toolkit_that_draws_them_are_not_seen)
{
    struct um_target_info info = {.pid = FAKE_PID, .tid = FAKE_TID, .hwnd = FAKE_WINDOW};
    um_watch_layout_attached(&watched, &info);
    cr_expect(!describe(FAKE_WINDOW).draws_parts);
    snprintf(info.toolkit, sizeof info.toolkit, "Java");
    um_watch_layout_attached(&watched, &info);
    cr_expect(describe(FAKE_WINDOW).draws_parts && !describe(FAKE_BUTTON).draws_parts);
}

Test(watch_layout, a_window_has_a_place_in_its_root)
{
    struct um_wire_layout_place place;
    cr_assert(um_watch_layout_locate(FAKE_BUTTON, FAKE_WINDOW, &place));
    cr_expect(place.left == -10 && place.top == 20 && place.width == 90 && place.height == 25);
    cr_expect(!um_watch_layout_locate(FAKE_HELPER, FAKE_WINDOW, &place));
}
