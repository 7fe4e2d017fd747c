/* What a watch tells the layout costs of the target's windows, by the fake target. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

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

/* Until the DLL records ------------------------------------------------------------------------ */

#define S UINT64_C(1000000000)

static unsigned said;

static void say_detail(void *context, const char *text)
{
    (void)context;
    said += strstr(text, "takes 290.0 us longer") != NULL;
}

static void publish(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    (void)frame;
}

/* Measuring layout is wanted, and the DLL was asked. */
static void ask(void)
{
    watched.config.publish = publish;
    watched.xaml.host.say_detail = say_detail;
    atomic_store(&watched.mode, UM_WIRE_LAYOUT_MODE_COMPONENTS);
    cr_assert_eq(um_layout_open(&watched.config, &watched.layout), UM_OK);
    watched.wanted = true;
    said = 0;
}

Test(watch_layout, steps_are_awaited_while_they_are_wanted_for_five_seconds_at_most)
{
    const struct um_target_info info = {.pid = FAKE_PID, .tid = FAKE_TID, .hwnd = FAKE_WINDOW};
    cr_expect(!um_watch_layout_awaits(&watched, S), "the mode is off");
    ask();
    cr_expect(um_watch_layout_awaits(&watched, 2 * S));
    cr_expect(um_watch_layout_awaits(&watched, 7 * S - 1));
    cr_expect(!um_watch_layout_awaits(&watched, 7 * S));
    um_watch_layout_attached(&watched, &info);
    cr_expect(um_watch_layout_awaits(&watched, 9 * S), "another DLL");
    um_layout_close(watched.layout);
}

Test(watch_layout, steps_are_awaited_until_the_dll_says_that_it_records)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_STEPS,
                                  .as.layout_steps = {.hook_ns = 290000, .count = 1}};
    ask();
    cr_expect(um_watch_layout_awaits(&watched, S));
    um_watch_layout_take(&watched, &frame);
    cr_expect(um_watch_layout_awaits(&watched, S), "these are of an earlier time");
    frame.as.layout_steps.count = 0;
    um_watch_layout_take(&watched, &frame);
    cr_expect(!um_watch_layout_awaits(&watched, S));
    um_watch_layout_take(&watched, &frame);
    cr_expect_eq(said, 1);
    um_layout_close(watched.layout);
}

static unsigned unasked;

static void say(void *context, const char *text)
{
    (void)context;
    unasked += strstr(text, "nobody has asked for") != NULL;
}

Test(watch_layout, steps_that_nobody_has_asked_for_are_said_once)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SEEN};
    watched.xaml.host.say = say;
    um_watch_layout_take(&watched, &frame);
    cr_expect_eq(unasked, 0);
    frame.type = UM_WIRE_LAYOUT_STEPS;
    for (int i = 0; i < 2; i++)
        um_watch_layout_take(&watched, &frame);
    cr_expect_eq(unasked, 1);
}
