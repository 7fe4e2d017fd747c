/* What is said at the console of why a time is blind. */
#include <criterion/criterion.h>

#include "monitor/live/watch_said.h"

static struct um_options options;
static struct um_watch_said said;

static void hold_back(enum um_probe_held held)
{
    const struct um_wire_probe probe = {
        .probe = UM_PROBE_PING, .status = UM_PROBE_OFF_TARGET, .held = (uint8_t)held};
    um_watch_said_probe(&said, &probe);
}

/* "" if there is none. Owner: static, until the next call. */
static const char *next_line(void)
{
    static char line[UM_WATCH_LINE_BYTES];
    return um_line_queue_take(&said.lines, line, sizeof line) ? line : "";
}

static void setup(void)
{
    options = (struct um_options){.verbose = true};
    said.options = &options;
}

TestSuite(watch_said, .init = setup);

Test(watch_said, what_says_nothing_of_the_program_is_said_each_time)
{
    hold_back(UM_PROBE_HELD_LATE);
    hold_back(UM_PROBE_HELD_UNDELIVERED);
    hold_back(UM_PROBE_HELD_LATE);
    hold_back(UM_PROBE_HELD_NO_ANSWER_YET);
    cr_expect_str_eq(next_line(), "blind while uimon itself did not run, or the machine slept");
    cr_expect_str_eq(next_line(), "blind while beats did not come to the program");
    cr_expect_str_eq(next_line(), "blind while uimon itself did not run, or the machine slept");
    cr_expect_str_eq(next_line(), "blind while it was not known whether the program answers pings");
    cr_expect_str_eq(next_line(), "");
}

Test(watch_said, only_verbose_says_that)
{
    options.verbose = false;
    hold_back(UM_PROBE_HELD_LATE);
    cr_expect_str_eq(next_line(), "");
}

Test(watch_said, what_the_program_does_is_said_once)
{
    options.verbose = false;
    for (int i = 0; i < 2; i++)
        hold_back(UM_PROBE_HELD_NO_ANSWER);
    cr_expect_str_eq(next_line(),
                     "the program's window does not answer pings (_NET_WM_PING), though it "
                     "declares that it does: blind until it answers");
    cr_expect_str_eq(next_line(), "");
}
