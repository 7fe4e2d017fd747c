/* Programs that have nothing to report: one that is quiet, and one that works whenever its queue is
 * empty, which beats would drive. */
#include "tests/bench/measures.h"

#include <math.h>
#include <stdlib.h>

#include "tests/bench/driver.h"
#include "tests/bench/freezes.h"

#define QUIET_S "7"
#define LATENCIES 584 /* in these 7 s */
#define WORK_S 4
#define WORK_MORE (15 * (WORK_S + 1)) /* 15 beats a second, and some that are still to come */
#define SETTLE_MS 1500
#define RESTED 4 /* for each beat that was seen, so many were not sent */

static void measure_nothing(void)
{
    struct target target;
    struct monitor monitor;

    driver_start_logged(&target, "uimon-demo", NULL);
    driver_watch(&monitor, target.pid, "--headless", "--duration", QUIET_S, NULL);
    cJSON *summary = driver_finish(&monitor, false);
    unsigned latencies = (unsigned)driver_number(summary, "latency_ms.count");
    struct row row = row_of_number("quiet_freezes", "freezes that a quiet program has in 7 s", "",
                                   freezes_others(summary, &target), 1);
    row_budget(&row, ROW_AT_MOST, 0, NAN, "none");
    driver_row(&row);
    row =
        row_of_number("quiet_latencies", "  latencies of it that were measured", "", latencies, 1);
    row_budget(&row, ROW_AT_LEAST, LATENCIES, NAN, ">= 584");
    driver_row(&row);
    cJSON_Delete(summary);
    driver_kill(&target.program);
}

/* How often the target has worked in some seconds. */
static double rounds(const struct target *target)
{
    char *before = driver_read(target->program.out);
    driver_sleep_ms(1000 * WORK_S);
    char *after = driver_read(target->program.out);
    double more = (double)driver_number_after(after, "rounds ") -
                  (double)driver_number_after(before, "rounds ");
    free(before);
    free(after);
    return more;
}

static void measure_idle_work(void)
{
    struct target target;
    struct monitor monitor;

    driver_start_logged(&target, "target_odd_win32", "--mode", "idle-work", NULL);
    driver_sleep_ms(SETTLE_MS);
    double plain = rounds(&target);
    driver_watch(&monitor, target.pid, "--headless", NULL);
    driver_sleep_ms(SETTLE_MS);
    double watched = rounds(&target);
    cJSON *summary = driver_finish(&monitor, true);
    double seen = driver_number(summary, "beats.seen");
    struct row row = row_of_number("idle_work", "idle work of a program at rest: more in 4 s", "",
                                   watched - plain, 1);
    row_between(&row, 1, WORK_MORE, "1 to 75"); /* with none, there was no beat */
    row_note(&row, "%.0f times, not watched %.0f times", watched, plain);
    driver_row(&row);
    row = row_of_number("idle_work_rested", "  beats not sent for each that was seen", "",
                        driver_number(summary, "beats.rested") / fmax(seen, 1), (unsigned)seen);
    row_budget(&row, ROW_AT_LEAST, RESTED, NAN, ">= 4");
    driver_row(&row);
    row = row_of_number("idle_work_freezes", "  freezes that it has", "",
                        freezes_others(summary, &target), 1);
    row_budget(&row, ROW_AT_MOST, 0, NAN, "none");
    driver_row(&row);
    cJSON_Delete(summary);
    driver_kill(&target.program);
}

void measure_quiet(void)
{
    measure_nothing();
    measure_idle_work();
}
