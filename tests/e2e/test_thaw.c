/* A thread that uimon has suspended when something happens to uimon runs again within half a
 * second, by the target's own account. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "tests/e2e/harness.h"
#include "tests/stood_posix.h"

TestSuite(thaw, .fini = conclude);

#define ROUNDS 6
#define STANDS_MS 500.0 /* for longer no thread stands */
#define CAUGHT_MS 100.0 /* for less, uimon had resumed the thread before */
#define WORK "spin:716"
#define TRIES 100000
#define ROUNDS_MOST 18 /* in some rounds uimon is not caught in time */

static double stood_ms(const struct target *target, unsigned round, struct um_demo_log_event *truth)
{
    char said[32];
    struct um_demo_log_event *events;
    snprintf(said, sizeof said, "stood %u ", round);
    const char *line = wait_line(target->program.out, said);
    double stood = (double)strtoull(line + strlen(said), NULL, 10) / 1e6;
    for (unsigned waited = 0;; waited += 10) {
        size_t count = log_events(target->log, UM_DEMO_LOG_FREEZE, &events);
        if (count >= round)
            *truth = events[round - 1];
        free(events);
        if (count >= round)
            return stood;
        cr_assert_lt(waited, LIMIT_MS, "the log has no freeze %u", round);
        sleep_ms(10);
    }
}

/* Something happens to uimon, in so many rounds in which it has the thread suspended, at a moment
 * that depends on the machine's mood and on the round. */
static void expect_thaws(int signal)
{
    struct target target;
    struct monitor monitor;
    struct um_demo_log_event truth;
    unsigned caught = 0;
    unsigned round = 0;

    start_target(&target, "target_works_win32", NULL);
    while (caught < ROUNDS) {
        cr_assert(++round <= ROUNDS_MOST, "uimon was caught in %u of %u rounds", caught, round);
        start_monitor(&monitor, &target, "--slow", "20", "--sample-every", "1", NULL);
        trigger(&target, WORK);
        sleep_ms(60 + 23 * (round % 7));
        stood_catch((pid_t)target.program.process, (pid_t)monitor.program.process, signal, TRIES);
        double stood = stood_ms(&target, round, &truth);
        kill_hard(&monitor.program);
        wait_end(&monitor.program, LIMIT_MS);
        cr_expect(is_within(stood, STANDS_MS,
                            (double)stalled_ns(target.log, truth.begin_ns, truth.end_ns) / 1e6),
                  "it stood for %.1f ms in round %u", stood, round);
        caught += stood > CAUGHT_MS;
    }
    cr_expect_eq(probe_number("thread", "go", decimal(target.tid), NULL), 0, "still suspended");
}

Test(thaw, uimon_is_suspended_while_it_has_a_thread_suspended, .measured = true)
{
    expect_thaws(SIGSTOP);
}

Test(thaw, uimon_is_killed_while_it_has_a_thread_suspended, .measured = true)
{
    expect_thaws(SIGKILL);
}
