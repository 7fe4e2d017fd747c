/* The example in C of docs/feed.md reads a running uimon's feed; its Unix half is in
 * tests/unit/feed/test_examples.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

/* How many of the freezes that it has printed are as long as the log's. */
static size_t count_printed(const struct program *example, const struct target *target,
                            const struct um_demo_log_event *truth, const cJSON *summary)
{
    static const char word[] = "freeze of ";
    char *text = read_text(example->out);
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        count += is_about(length_off_ms(target->log, truth, atof(at + sizeof word - 1)), summary);
    free(text);
    return count;
}

Test(examples, c_reads_the_feed_of_a_running_uimon)
{
    struct target target;
    struct monitor monitor;
    struct program example;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--rest-heartbeat", "1", NULL);
    start(&example, "example_feed", monitor.feed, NULL);
    wait_line(example.out, "watching uimon-demo.exe");
    trigger(&target, "1000");
    struct um_demo_log_event *truth = wait_freezes(&target, 1);
    wait_line(example.out, "freeze of ");
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(wait_end(&example, LIMIT_MS), 0);
    cr_expect_eq(count_printed(&example, &target, truth, summary), 1, "it is printed once");
    cJSON_Delete(summary);
    cr_expect(has_line(example.out, " beats, the longest "));
    free(truth);
}
