/* How long after its target has moved, or changed its size or its state, the overlay's strip
 * has. */
#include "tests/bench/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "tests/bench/driver.h"

#define LATE_MS 100.0
#define REST_MS 700 /* it is at rest again, where it looks less often */

struct tracker {
    struct program program;
    const char *target;
    char strip[24];
    uint64_t strip_ns; /* its last change */
    struct series late;
};

/* When the window last changed, by `probe track`; 0: not told yet. */
static uint64_t changed_ns(const struct tracker *tracker, const char *hwnd)
{
    char *text = driver_read(tracker->program.out);
    uint64_t found_ns = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        uint64_t ns;
        char name[24];
        if (sscanf(line, "%" SCNu64 " %23s", &ns, name) == 2 && strcmp(name, hwnd) == 0)
            found_ns = ns;
    }
    free(text);
    return found_ns;
}

static void wait_strip(struct tracker *tracker)
{
    uint64_t until_ns = um_clock_now_ns() + DRIVER_LIMIT_MS * UM_CLOCK_NS_PER_MS;
    while (sscanf(driver_output("probe_win32", "find", "uimon overlay", NULL), "%23s",
                  tracker->strip) != 1) {
        if (um_clock_now_ns() > until_ns)
            driver_fail("no overlay came");
        driver_sleep_ms(100);
    }
}

/* After a change of the target's. */
static void add_late(struct tracker *tracker)
{
    uint64_t until_ns = um_clock_now_ns() + DRIVER_LIMIT_MS * UM_CLOCK_NS_PER_MS;
    uint64_t strip_ns;
    while ((strip_ns = changed_ns(tracker, tracker->strip)) == tracker->strip_ns) {
        if (um_clock_now_ns() > until_ns)
            driver_fail("the strip does not follow its target");
        driver_sleep_ms(20);
    }
    driver_sleep_ms(REST_MS);
    strip_ns = changed_ns(tracker, tracker->strip);
    uint64_t target_ns = changed_ns(tracker, tracker->target);
    series_add(&tracker->late, fmax(0, ((double)strip_ns - (double)target_ns) / 1e6));
    tracker->strip_ns = strip_ns;
}

static void move(struct tracker *tracker, const char *x, const char *y, const char *width,
                 const char *height)
{
    driver_output("probe_win32", "move", tracker->target, x, y, width, height, NULL);
    add_late(tracker);
}

static void change(struct tracker *tracker, const char *what)
{
    driver_output("probe_win32", what, tracker->target, NULL);
    add_late(tracker);
}

void measure_follow(void)
{
    static struct tracker tracker;
    struct target target;
    struct monitor monitor;

    driver_start_logged(&target, "uimon-demo", "--still", "--pos", "200,100,900,640", NULL);
    driver_watch(&monitor, target.pid, NULL);
    wait_strip(&tracker);
    tracker.target = target.hwnd;
    driver_sleep_ms(2000); /* until it has its place */
    driver_start(&tracker.program, false, "probe_win32", "track", "120", tracker.target,
                 tracker.strip, NULL);
    driver_wait_line(tracker.program.out, tracker.strip);
    tracker.strip_ns = changed_ns(&tracker, tracker.strip);
    move(&tracker, "420", "260", "900", "640");
    move(&tracker, "420", "260", "1100", "560");
    move(&tracker, "300", "200", "700", "600");
    change(&tracker, "minimize");
    change(&tracker, "restore");
    change(&tracker, "maximize");
    change(&tracker, "restore");
    change(&tracker, "close");
    cJSON_Delete(driver_finish(&monitor, false));
    struct row row =
        row_of_series("strip_follows", "the strip follows its target after", "ms", &tracker.late);
    row_budget(&row, ROW_AT_MOST, LATE_MS, LATE_MS, "worst 100 ms");
    driver_row(&row);
}
