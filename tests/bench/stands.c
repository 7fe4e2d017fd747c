/* How long a thread stands that uimon has suspended when uimon is itself suspended, or killed: at a
 * hundred moments each, by the program's own clock. */
#include "tests/bench/measures.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/driver.h"
#include "tests/stood_posix.h"

#define ROUNDS 100
#define ROUNDS_MOST 250
#define CAUGHT_MS 100 /* for less, uimon had resumed the thread before */
#define WORK "spin:716"
#define TRIES 100000

static double stood_ms(const struct target *target, unsigned round)
{
    char said[32];
    snprintf(said, sizeof said, "stood %u ", round);
    const char *line = driver_wait_line(target->program.out, said);
    return (double)strtoull(strstr(line, said) + strlen(said), NULL, 10) / 1e6;
}

static void rounds(const char *id, const char *what, int signal)
{
    static struct series stood;
    struct target target;
    struct monitor monitor;

    driver_start_logged(&target, "target_works_win32", NULL);
    stood = (struct series){0};
    for (unsigned round = 1; stood.len < ROUNDS; round++) {
        if (round > ROUNDS_MOST)
            driver_fail("uimon was caught in %zu of %u rounds", stood.len, round);
        driver_watch(&monitor, target.pid, "--headless", "--slow", "20", "--sample-every", "1",
                     NULL);
        driver_trigger(&target, WORK);
        driver_sleep_ms(60 + 23 * (round % 7));
        stood_catch(target.program.pid, monitor.program.pid, signal, TRIES);
        double ms = stood_ms(&target, round);
        if (ms > CAUGHT_MS)
            series_add(&stood, ms);
        driver_kill(&monitor.program);
    }
    struct row row = row_of_series(id, what, "ms", &stood);
    row_budget(&row, ROW_AT_MOST, 500, 500, "<= 500 ms");
    driver_row(&row);
    driver_kill(&target.program);
}

void measure_thaw_stands(void)
{
    rounds("thaw_stands_suspended", "a sampled thread stands: uimon is suspended", SIGSTOP);
    rounds("thaw_stands_killed", "a sampled thread stands: uimon is killed", SIGKILL);
}
