/* How many beats go where they could be in somebody's way: to a busy program behind another one,
 * while a third program hangs under the cursor, and to a program that registers raw input
 * itself. */
#include "tests/bench/measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "tests/bench/driver.h"

#define WATCHED_S "3"
#define FEW 5 /* beats a second: from so many, to so many */
#define FEW_MOST 15
#define MANY 30
#define LEAST_REGISTRATIONS 12
#define REPLACED_MOST 0.1

static double beats(const struct target *target, const char *background)
{
    struct monitor monitor;
    driver_watch(&monitor, target->pid, "--headless", "--background", background, "--duration",
                 WATCHED_S, NULL);
    cJSON *summary = driver_finish(&monitor, false);
    double beats =
        driver_number(summary, "beats.seen") * 1000 / driver_number(summary, "duration_ms");
    cJSON_Delete(summary);
    return beats;
}

static void report_few(const char *id, const char *what, double value)
{
    struct row row = row_of_number(id, what, "", value, 1);
    row_between(&row, FEW, FEW_MOST, "5 to 15");
    driver_row(&row);
}

static void measure_behind(void)
{
    struct target target, front;

    driver_start_logged(&target, "target_odd_win32", "--mode", "busy-paint", NULL);
    driver_start_logged(&front, "uimon-demo", "--still", "--pos", "900,100,400,300", NULL);
    driver_wait_front(&front);
    report_few("beats_behind", "beats a second, a busy program behind another",
               beats(&target, "rest"));
    struct row row = row_of_number("beats_behind_full", "  the same with --background full", "",
                                   beats(&target, "full"), 1);
    row_budget(&row, ROW_AT_LEAST, MANY, NAN, "> 30");
    driver_row(&row);
    driver_kill(&front.program);
    driver_kill(&target.program);
}

static void measure_hung(void)
{
    struct target target, hung;

    driver_start_logged(&hung, "uimon-demo", "--still", "--pos", "900,100,400,300", NULL);
    driver_start_logged(&target, "target_odd_win32", "--mode", "busy-paint", NULL);
    driver_sleep_ms(1000); /* a window that comes takes the pointer back to where it was */
    driver_output("probe_win32", "cursor", "1100", "250", NULL);
    driver_trigger(&hung, "60000");
    uint64_t until_ns = um_clock_now_ns() + DRIVER_LIMIT_MS / 2 * UM_CLOCK_NS_PER_MS;
    while (driver_probe_number("hung", hung.hwnd, NULL) < 1) {
        if (um_clock_now_ns() > until_ns)
            driver_fail("a program that sleeps does not hang");
        driver_sleep_ms(100);
    }
    report_few("beats_hung", "beats a second, one that hangs under the cursor",
               beats(&target, "full"));
    driver_kill(&hung.program);
    driver_kill(&target.program);
}

/* The target is without a registration for 2 ms, over and over; uimon replaces one of its
 * registrations in 2 ms / (the time between its look and its own registration). */
static void measure_replaced(void)
{
    struct target target;
    struct monitor monitor;
    struct um_demo_log_event *raw;

    driver_start_logged(&target, "target_odd_win32", "--mode", "raw-loop:2", "--seconds", "12",
                        NULL);
    driver_watch(&monitor, target.pid, "--headless", NULL);
    driver_wait_line(target.log, " loop");
    cJSON_Delete(driver_finish(&monitor, false));
    driver_wait_end(&target.program, DRIVER_LIMIT_MS);
    size_t count = driver_events(target.log, UM_DEMO_LOG_RAW, 1, &raw);
    const struct um_demo_log_event *loop = &raw[count - 1];
    if (loop->count < LEAST_REGISTRATIONS)
        driver_fail("uimon registered only %u times", (unsigned)loop->count);
    struct row row = row_of_number("raw_replaced", "raw registrations: replaced / uimon's own", "",
                                   (double)loop->tagged / (double)loop->count,
                                   (unsigned)(loop->count + loop->tagged));
    row_budget(&row, ROW_AT_MOST, REPLACED_MOST, NAN, "<= 0.1");
    row_note(&row, "%u of %u", (unsigned)loop->tagged, (unsigned)(loop->count + loop->tagged));
    driver_row(&row);
    free(raw);
}

void measure_beats(void)
{
    measure_behind();
    measure_hung();
    measure_replaced();
}
