/* With the fake target's process, which the test ends as it likes, in place of the system's. */
#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "ipc/overlay.h"
#include "monitor/live/overlay_process.h"
#include "tests/conformance/transport_memory.h"
#include "tests/unit/live/fake_target.h"

static struct um_options options = {.height = 96, .opacity = 0.9};
static struct um_overlay_process overlay;
static struct um_listener *listener;

static void setup(void)
{
    fake_target_start();
    if (listener)
        um_transport_memory()->close_listener(listener);
    cr_assert_eq(um_transport_memory()->listen("feed", 0, &listener), UM_OK);
    um_overlay_process_init(&overlay, &options, um_transport_memory(), "feed");
}

static void teardown(void)
{
    um_transport_memory()->close_listener(listener);
}

TestSuite(overlay_process, .init = setup, .fini = teardown);

/* Lives `lives` times for a second each, and ends with `code`. */
static void live(int lives, uint32_t code)
{
    for (int i = 0; i < lives; i++) {
        cr_assert(um_overlay_process_keep(&overlay, (uint64_t)(i + 1) * UM_CLOCK_NS_PER_S));
        fake_overlay_exit(code);
    }
}

static void expect_given_up(const char *why)
{
    cr_expect_not(um_overlay_process_keep(&overlay, 6 * UM_CLOCK_NS_PER_S));
    cr_expect_str_eq(overlay.why, why);
    cr_expect(um_overlay_process_keep(&overlay, 7 * UM_CLOCK_NS_PER_S), "it is told twice");
    cr_expect_eq(fake_overlay_launches(), 4);
}

Test(overlay_process, is_started_again_after_its_end)
{
    cr_expect_str_eq(overlay.why, "");
    live(4, UM_OVERLAY_EXIT_FAILED);
    cr_expect(um_overlay_process_keep(&overlay, 62 * UM_CLOCK_NS_PER_S), "a minute has passed");
    cr_expect_eq(fake_overlay_launches(), 5);
}

Test(overlay_process, is_given_up_with_the_reason)
{
    live(4, UM_OVERLAY_EXIT_NO_FONT);
    expect_given_up("no font: DejaVuSans.ttf belongs into a folder fonts beside it");
}

Test(overlay_process, is_given_up_with_its_exit_code_where_that_says_nothing)
{
    live(4, 0xc0000005);
    expect_given_up("exit code 0xc0000005");
    setup();
    live(4, UM_OVERLAY_EXIT_USAGE);
    expect_given_up("exit code 0x2");
}

/* It has fewer rights than a monitor that runs as administrator. */
Test(overlay_process, is_given_up_with_a_word_on_its_folder)
{
    live(4, 0xc0000135);
    expect_given_up("ordinary programs cannot read all of uimon's folder (0xc0000135)");
    setup();
    fake_overlay_launch_status(UM_ERR_DENIED);
    live(4, 0);
    expect_given_up("ordinary programs cannot read all of uimon's folder");
}

Test(overlay_process, is_given_up_when_it_cannot_be_started)
{
    fake_overlay_launch_status(UM_ERR_NOT_FOUND);
    live(4, 0);
    expect_given_up("uimon-overlay.exe cannot be started");
}

Test(overlay_process, shows_a_row_while_it_runs)
{
    static const struct um_options rows = {.show = "lag,threadpool", .opacity = 0.9};

    cr_expect_not(um_overlay_process_shows(&overlay, UM_OVERLAY_ROWS_THREADPOOL));
    um_overlay_process_init(&overlay, &rows, um_transport_memory(), "feed");
    cr_expect_not(um_overlay_process_shows(&overlay, UM_OVERLAY_ROWS_THREADPOOL), "none runs");
    cr_assert(um_overlay_process_keep(&overlay, UM_CLOCK_NS_PER_S));
    cr_expect(um_overlay_process_shows(&overlay, UM_OVERLAY_ROWS_THREADPOOL));
    cr_expect_not(um_overlay_process_shows(&overlay, UM_OVERLAY_ROWS_CLICK));
}
