/* Freezes against the demo's own log: each is reported once, in order, as long as it was. How exact
 * the lengths are is asked by ./run bench accuracy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

static void check_reported(const char *beat)
{
    /* A second in which the machine holds uimon's thread in the target up is no part of them. */
    static const char *const items[] = {"1500", "1700", "2000", "sent:1500"};
    struct target target;
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event truth[4];
    double before_ns = 0;
    unsigned certain = 0;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--beat", beat, "--rest-heartbeat", "1", NULL);
    tail_feed(&feed, &monitor);
    for (size_t i = 0; i < 4; i++)
        truth[i] = freeze_once(&target, &feed, items[i], i + 1);
    cJSON *summary = stop_monitor(&monitor);
    for (size_t i = 0; i < 4; i++) {
        const cJSON *freeze = check_freeze(summary, &target, &truth[i], "frozen");
        cr_expect_gt(freeze_start_ns(summary, freeze), before_ns, "they are not in order");
        before_ns = freeze_start_ns(summary, freeze);
        certain += truth[i].retrieved_ns && number(freeze, "start_uncertainty_ms") == 0;
    }
    cr_expect_gt(certain, 0, "no begin is that of its message, which was retrieved");
    check_no_other_freeze(summary, &target);
    cr_expect(!has_number(summary, "freezes.felt"), "no input was observed");
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(summary, "beat")), beat);
    cJSON_Delete(summary);
}

Test(accuracy, freezes_are_reported_once_and_in_order)
{
    check_reported("zero");
}

Test(accuracy, freezes_are_reported_once_and_in_order_with_pairs)
{
    check_reported("pair");
}
