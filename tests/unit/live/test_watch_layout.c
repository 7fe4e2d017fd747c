/* What a watch tells the layout costs of the target's windows, by the fake target. */
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
