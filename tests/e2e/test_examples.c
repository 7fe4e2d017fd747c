/* The example in C of docs/feed.md reads a running uimon's feed; its Unix half is in
 * tests/unit/feed/test_examples.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

/* How many of the freezes that it has printed are so long. */
static size_t count_printed(const struct program *example, double length_ms)
{
    static const char word[] = "freeze of ";
    const double rounding_ms = 0.1;
    char *text = read_text(example->out);
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        count += fabs(atof(at + sizeof word - 1) - length_ms) <= rounding_ms;
    free(text);
    return count;
}

Test(examples, c_reads_the_feed_of_a_running_uimon)
{
    struct target target;
    struct monitor monitor;
    struct program example, feed;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--rest-heartbeat", "1", NULL);
    start(&example, "example_feed", monitor.feed, NULL);
    wait_line(example.out, "watching uimon-demo.exe");
    tail_feed(&feed, &monitor);
    struct um_demo_log_event truth = freeze_once(&target, &feed, LASTING_FREEZE, 1);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(wait_end(&example, LIMIT_MS), 0);
    const cJSON *freeze = check_freeze(summary, &target, &truth, "frozen");
    double length_ms = number(freeze, "duration_ms");
    cr_expect_eq(count_printed(&example, length_ms), 1, "%.1f ms are printed %zu times", length_ms,
                 count_printed(&example, length_ms));
    cJSON_Delete(summary);
    cr_expect(has_line(example.out, " beats, the longest "));
}
