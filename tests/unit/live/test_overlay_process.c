/* With a process that the test ends as it likes, in place of the system's. */
#include <criterion/criterion.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/overlay.h"
#include "monitor/base/platform.h"
#include "monitor/live/overlay_process.h"

struct um_target_process {
    bool running;
    uint32_t code;
};

static struct um_target_process process;
static enum um_status launch_status;
static int launches;
static struct um_options options = {.height = 96, .opacity = 0.9};
static struct um_overlay_process overlay;

enum um_status um_platform_beside(const char *file, char *path, size_t cap_bytes)
{
    (void)file;
    um_wire_set_text(path, cap_bytes, "beside");
    return UM_OK;
}

enum um_status um_target_launch(char *const *argv, int argc, struct um_target_process **out)
{
    (void)argv;
    (void)argc;
    launches++;
    process.running = true;
    *out = launch_status == UM_OK ? &process : NULL;
    return launch_status;
}

bool um_target_running(const struct um_target_process *one)
{
    return one->running;
}

enum um_status um_target_exit_code(const struct um_target_process *one, uint32_t *code)
{
    *code = one->code;
    return one->running ? UM_ERR_BUSY : UM_OK;
}

enum um_status um_target_cpu_ns(const struct um_target_process *one, uint64_t *ns)
{
    (void)one;
    *ns = UM_CLOCK_NS_PER_MS;
    return UM_OK;
}

void um_target_kill(struct um_target_process *one)
{
    one->running = false;
}

void um_target_close(struct um_target_process *one)
{
    (void)one;
}

static void setup(void)
{
    memset(&process, 0, sizeof process);
    launch_status = UM_OK;
    launches = 0;
    um_overlay_process_init(&overlay, &options, "feed");
}

TestSuite(overlay_process, .init = setup);

/* Lives `lives` times for a second each, and ends with `code`. */
static void live(int lives, uint32_t code)
{
    for (int i = 0; i < lives; i++) {
        cr_assert(um_overlay_process_keep(&overlay, (uint64_t)(i + 1) * UM_CLOCK_NS_PER_S));
        process.running = false;
        process.code = code;
    }
}

static void expect_given_up(const char *why)
{
    cr_expect_not(um_overlay_process_keep(&overlay, 6 * UM_CLOCK_NS_PER_S));
    cr_expect_str_eq(um_overlay_process_why(&overlay), why);
    cr_expect(um_overlay_process_keep(&overlay, 7 * UM_CLOCK_NS_PER_S), "it is told twice");
    cr_expect_eq(launches, 4);
}

Test(overlay_process, is_started_again_after_its_end)
{
    cr_expect_str_eq(um_overlay_process_why(&overlay), "");
    live(4, UM_OVERLAY_EXIT_FAILED);
    cr_expect(um_overlay_process_keep(&overlay, 62 * UM_CLOCK_NS_PER_S), "a minute has passed");
    cr_expect_eq(launches, 5);
}

Test(overlay_process, is_given_up_with_the_reason)
{
    live(4, UM_OVERLAY_EXIT_NO_FONT);
    expect_given_up("no font: DejaVuSans.ttf belongs into a folder fonts beside it");
}

Test(overlay_process, is_given_up_with_its_exit_code_where_that_says_nothing)
{
    live(4, 0xc0000135);
    expect_given_up("exit code 0xc0000135");
    setup();
    live(4, UM_OVERLAY_EXIT_USAGE);
    expect_given_up("exit code 0x2");
}

Test(overlay_process, is_given_up_when_it_cannot_be_started)
{
    launch_status = UM_ERR_NOT_FOUND;
    live(4, 0);
    expect_given_up("uimon-overlay.exe cannot be started");
}
