/* The example in C of docs/feed.md reads a running uimon's feed; its Unix half is in
 * tests/unit/feed/test_examples.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

TestSuite(examples, .fini = conclude);

#define ACCURACY_MS 2.0

Test(examples, c_reads_the_feed_of_a_running_uimon, .measured = true)
{
    struct target target;
    struct monitor monitor;
    struct program example;
    struct um_demo_log_event *truth;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--rest-heartbeat", "1", NULL);
    start(&example, "example_feed", monitor.feed, NULL);
    wait_line(example.out, "watching uimon-demo.exe");
    trigger(&target, "400");
    const char *line = wait_line(example.out, "freeze of");
    cr_assert_eq(log_events(target.log, UM_DEMO_LOG_FREEZE, &truth), 1);
    double length_ms = atof(line + sizeof "freeze of");
    double off_ms = length_off_ms(target.log, truth, length_ms);
    double stalled_ms = (double)stalled_ns(target.log, truth->begin_ns, truth->end_ns) / 1e6;
    cr_expect(is_within(fabs(off_ms), ACCURACY_MS, stalled_ms), "%.2f ms too long or short",
              off_ms);
    cJSON_Delete(stop_monitor(&monitor));
    cr_expect_eq(wait_end(&example, LIMIT_MS), 0);
    cr_expect(has_line(example.out, " beats, the longest "));
    free(truth);
}
