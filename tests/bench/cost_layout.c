/* CPU of the overlay over a window of 200 components, each with a meter: with --layout, and with
 * the strip alone. The components are laid out all the time, at a rate that the target keeps with
 * the hooks of --layout. Each layout frame is of one component, so the frames of a component are as
 * long as those of the window, and it has a meter. */
#include "tests/bench/measures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/driver.h"

#define TURNS 3
#define SECONDS 8
#define SETTLE_MS 3000 /* in which all components have had a layout frame */
#define PARTS 200
#define RATE 200 /* components that are laid out, a second */

/* Units: percent of a core; `laid` is a second. */
struct load {
    struct series overlay, monitor, server, laid;
};

static double laid(struct program *target)
{
    driver_say(target, "laid");
    return atof(driver_hear(target));
}

static pid_t wait_overlay(bool there)
{
    uint64_t until_ns = driver_now_ns() + DRIVER_LIMIT_MS * UINT64_C(1000000);
    pid_t pid;
    while (((pid = driver_find("uimon-overlay")) != 0) != there) {
        if (driver_now_ns() > until_ns)
            driver_fail(there ? "no overlay came" : "the overlay stays");
        driver_sleep_ms(50);
    }
    return pid;
}

/* Switches the meters off and on again, which takes the legend away. Else it is there for 20 s. */
static void dismiss_legend(void)
{
    const int modes = 4;
    for (int i = 0; i < modes; i++)
        driver_output("probe_win32", "chord", "17,18,16,118", NULL); /* Ctrl+Alt+Shift+F7 */
}

static void run(struct program *target, uint32_t pid, bool layout, struct load *load)
{
    struct monitor monitor;
    driver_watch(&monitor, pid, "--height", "160", "--idle-pause", "0",
                 layout ? "--layout" : "--layout=off", NULL);
    pid_t overlay = wait_overlay(true);
    driver_sleep_ms(SETTLE_MS);
    if (layout)
        dismiss_legend();
    driver_sleep_ms(SETTLE_MS);
    uint64_t begin_ns = driver_now_ns();
    double of_overlay = driver_cpu_s(overlay), of_monitor = driver_cpu_s(monitor.program.pid);
    pid_t server = driver_find("wineserver");
    double of_server = driver_cpu_s(server), count = laid(target);
    driver_sleep_ms(SECONDS * 1000);
    double seconds = (double)(driver_now_ns() - begin_ns) / 1e9;
    series_add(&load->overlay, (driver_cpu_s(overlay) - of_overlay) * 100 / seconds);
    series_add(&load->monitor, (driver_cpu_s(monitor.program.pid) - of_monitor) * 100 / seconds);
    series_add(&load->server, (driver_cpu_s(server) - of_server) * 100 / seconds);
    series_add(&load->laid, (laid(target) - count) / seconds);
    cJSON *summary = driver_finish(&monitor, true);
    if (layout && driver_laid_out(summary, "UimonPart") < PARTS)
        driver_fail("%d components had a layout frame, and not %d",
                    driver_laid_out(summary, "UimonPart"), PARTS);
    cJSON_Delete(summary);
    wait_overlay(false);
}

static void report(const char *id, const char *what, const struct load *alone,
                   const struct load *with)
{
    char ratio_id[40];
    struct row row = row_of_series(id, what, "%", &with->overlay);
    row_note(
        &row,
        "the strip alone %.1f %% (%.1f to %.1f); monitor %.1f and %.1f %%, Wine's server %.0f "
        "and %.0f %%; %.0f and %.0f laid out a second",
        series_median(&alone->overlay), series_min(&alone->overlay), series_max(&alone->overlay),
        series_median(&with->monitor), series_median(&alone->monitor), series_median(&with->server),
        series_median(&alone->server), series_median(&with->laid), series_median(&alone->laid));
    driver_row(&row);
    snprintf(ratio_id, sizeof ratio_id, "%s_share", id);
    row = row_of_number(ratio_id, "  that / the strip alone", "",
                        series_median(&with->overlay) / series_median(&alone->overlay), TURNS);
    driver_row(&row);
}

static void compare(struct program *target, uint32_t pid, const char *id, const char *what)
{
    static struct load alone, with;
    alone = with = (struct load){0};
    for (int i = 0; i < TURNS; i++) {
        run(target, pid, i % 2 != 0, i % 2 != 0 ? &with : &alone);
        run(target, pid, i % 2 == 0, i % 2 == 0 ? &with : &alone);
    }
    report(id, what, &alone, &with);
}

static void lay(struct program *target, int step)
{
    driver_say(target, "lay %d %d", RATE, step);
    driver_hear(target);
}

void measure_cost_layout(void)
{
    struct program target;
    uint32_t pid = driver_start_target(&target);
    driver_say(&target, "parts %d", PARTS);
    if (atoi(driver_hear(&target)) != PARTS)
        driver_fail("there are not %d components", PARTS);
    lay(&target, 1);
    compare(&target, pid, "cpu_meters_moving", "CPU of the overlay, 200 components that move");
    lay(&target, 0);
    compare(&target, pid, "cpu_meters", "the same where they are laid out and do not move");
    driver_say(&target, "quit");
    driver_wait_end(&target, DRIVER_LIMIT_MS);
}
