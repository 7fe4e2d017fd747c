/* Whether uimon ends when its target does, whenever that is: while uimon attaches, while it
 * measures, and while it leaves. The target ends by itself or is killed, at a moment that is drawn.
 * A uimon that does not end within 60 s hangs: what each of its threads waits for is printed. */
#include "tests/bench/measures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/plain/clock.h"
#include "tests/bench/driver.h"

#define ENDS 60 /* UM_BENCH_ENDS: more of them, about 3 s each */

enum phase { ATTACHING, MEASURING, LEAVING, PHASES };

/* How long the target lives on in a phase, at most. Units: ms. Under Wine, attaching takes 1 s. */
static const struct {
    const char *id, *what;
    unsigned most_ms;
} phases[PHASES] = {{"ends_attaching", "the target ends while uimon attaches: hangs", 1500},
                    {"ends_measuring", "  while it measures", 700},
                    {"ends_leaving", "  while it leaves", 200}};

static void print_waits(struct program *monitor)
{
    fprintf(stderr, "ends: uimon hangs; it said last:\n%s\n", driver_read(monitor->err));
    fflush(stderr);
    if (system("winedbg --command 'bt all' >&2") != 0)
        fprintf(stderr, "ends: no debugger\n");
}

static bool ends(struct program *monitor)
{
    uint64_t until_ns = um_clock_now_ns() + DRIVER_LIMIT_MS * UM_CLOCK_NS_PER_MS;
    while (waitpid(monitor->pid, NULL, WNOHANG) == 0) {
        if (um_clock_now_ns() > until_ns) {
            print_waits(monitor);
            driver_kill(monitor);
            return false;
        }
        driver_sleep_ms(5);
    }
    return true;
}

/* True if uimon ended. */
static bool end_one(enum phase phase, bool killed, unsigned after_ms)
{
    struct program target, monitor;
    char pid[16];
    snprintf(pid, sizeof pid, "%u", driver_start_target(&target));
    driver_start(&monitor, false, "uimon", "--config=", "--attach", pid, "--headless", "--verbose",
                 NULL);
    if (phase != ATTACHING)
        driver_wait_line(monitor.err, "probe: ");
    if (phase == LEAVING)
        driver_interrupt(&monitor);
    driver_sleep_ms(after_ms);
    if (!killed)
        driver_say(&target, "quit");
    else
        driver_kill(&target);
    bool ended = ends(&monitor);
    if (!killed)
        driver_wait_end(&target, DRIVER_LIMIT_MS);
    close(target.to);
    close(target.from);
    return ended;
}

void measure_ends(void)
{
    const char *text = getenv("UM_BENCH_ENDS");
    unsigned count = text ? (unsigned)strtoul(text, NULL, 10) : ENDS;
    unsigned hangs[PHASES] = {0}, times[PHASES] = {0};
    uint32_t drawn = 1;

    for (unsigned i = 0; i < count; i++) {
        enum phase phase = i % PHASES;
        drawn = drawn * 1664525u + 1013904223u; /* the constants of Numerical Recipes */
        bool killed = drawn >> 31;
        times[phase]++;
        hangs[phase] += !end_one(phase, killed, (drawn >> 8) % phases[phase].most_ms);
    }
    for (enum phase phase = ATTACHING; phase < PHASES; phase++) {
        struct row row =
            row_of_number(phases[phase].id, phases[phase].what, "", hangs[phase], times[phase]);
        row_budget(&row, ROW_AT_MOST, 0, NAN, "none");
        driver_row(&row);
    }
}
