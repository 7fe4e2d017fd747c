#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/judge/judge.h"

/* Ten seconds from 1 s on the clock; a freeze of 300 ms that begins 2 s later, as the demo logs it:
 * posted, retrieved 0.1 ms later, and over when the next message is retrieved. */
#define LOG_START "start 500000000 7 70 0x1\n"
#define LOG_FREEZE                                                                                 \
    "freeze 3000000000 3300000000 sleep 300 2999900000 0x8001 0x1 70 2999800000\n"                 \
    "back 3300100000 70 3000500000\n"
#define SUMMARY                                                                                    \
    "{\"clock_start_ns\": 1000000000, \"duration_ms\": 10000, \"heartbeat_ms\": 10,"               \
    " \"rest_heartbeat_ms\": 100, \"freezes\": {\"threshold_ms\": 100, \"unlisted\": %d},"         \
    " \"freeze_list\": [%s]}"
#define REPORT(start, duration, uncertainty)                                                       \
    "{\"start_ms\": " #start ", \"duration_ms\": " #duration                                       \
    ", \"start_uncertainty_ms\": " #uncertainty "}"

static int judge_list(const char *list, int unlisted, const char *log,
                      struct judge_verdict *verdict)
{
    char summary[1024];
    FILE *out = tmpfile();

    cr_assert(out != NULL);
    snprintf(summary, sizeof summary, SUMMARY, unlisted, list);
    int result = judge(summary, log, 2, out, verdict);
    fclose(out);
    return result;
}

static void expect(const char *list, const char *log, size_t right, size_t wrong)
{
    struct judge_verdict verdict;
    cr_assert_eq(judge_list(list, 0, log, &verdict), 0);
    cr_expect_eq(verdict.wrong, wrong, "%zu wrong", verdict.wrong);
    cr_expect_eq(verdict.compared - verdict.wrong, right, "%zu compared", verdict.compared);
}

Test(summary_judge, agrees_with_the_log)
{
    expect(REPORT(1999.9, 300.1, 0), LOG_START LOG_FREEZE, 1, 0);
}

Test(summary_judge, finds_a_freeze_that_is_missing)
{
    expect("", LOG_START LOG_FREEZE, 0, 1);
}

Test(summary_judge, finds_a_freeze_that_was_invented)
{
    expect(REPORT(1999.9, 300.1, 0) "," REPORT(5000, 150, 0), LOG_START LOG_FREEZE, 1, 1);
}

Test(summary_judge, finds_a_freeze_that_was_reported_twice)
{
    /* Neither half is as long as the freeze was, and there is one too many. */
    expect(REPORT(1999.9, 150, 0) "," REPORT(2149.9, 150, 0), LOG_START LOG_FREEZE, 0, 3);
}

Test(summary_judge, finds_a_length_that_is_wrong)
{
    expect(REPORT(1999.9, 303, 0), LOG_START LOG_FREEZE, 0, 1);
    expect(REPORT(1999.9, 297, 0), LOG_START LOG_FREEZE, 0, 1);
}

Test(summary_judge, finds_a_begin_that_is_wrong)
{
    expect(REPORT(1996, 300.1, 0), LOG_START LOG_FREEZE, 0, 1);
    expect(REPORT(2003, 300.1, 0), LOG_START LOG_FREEZE, 0, 1);
}

Test(summary_judge, takes_an_uncertainty_into_account)
{
    expect(REPORT(1996, 304, 6), LOG_START LOG_FREEZE, 1, 0);
    expect(REPORT(1994, 306, 6), LOG_START LOG_FREEZE, 0, 1);
}

Test(summary_judge, does_not_ask_for_the_end_of_what_lasted_at_the_end)
{
    const char *report = "{\"start_ms\": 1999.9, \"duration_ms\": 200, \"start_uncertainty_ms\": "
                         "0, \"open\": true},";
    char list[256];

    snprintf(list, sizeof list, "%s%s", report, REPORT(3999.9, 300.1, 0));
    const char *log = LOG_START LOG_FREEZE
        "freeze 5000000000 5300000000 sleep 300 4999900000 0x8001 0x1 70 4999800000\n"
        "back 5300100000 70 5000500000\n";
    expect(list, log, 2, 0);
}

Test(summary_judge, excuses_what_the_machine_held_up)
{
    const char *log = LOG_START LOG_FREEZE "stall 3295000000 3316000000\n";
    expect(REPORT(1999.9, 316, 0), log, 1, 0);
    expect(REPORT(1999.9, 330, 0), log, 0, 1);
}

Test(summary_judge, lets_a_sent_freeze_begin_with_the_message_before_it)
{
    const char *log = LOG_START "freeze 3000000000 3300000000 sent 300 0 0x0 0x1 70 0\n"
                                "back 3300100000 70 3000500000\n";
    expect(REPORT(1992, 308, 0), log, 1, 0);
    expect(REPORT(1980, 320, 0), log, 0, 1);
}

Test(summary_judge, does_not_ask_for_a_sent_freeze_that_a_resting_beat_can_miss)
{
    const char *log = LOG_START LOG_FREEZE "freeze 5000000000 5150000000 sent 150 0 0x0 0x1 70 0\n"
                                           "back 5150100000 70 5000500000\n";
    expect(REPORT(1999.9, 300.1, 0), log, 1, 0);
}

Test(summary_judge, takes_a_row_for_one)
{
    const char *log =
        LOG_START "freeze 3000000000 3080000000 jank 80 2999900000 0x8003 0x1 70 2999800000\n"
                  "back 3080100000 70 2999800000\n"
                  "freeze 3080200000 3160000000 jank 80 3080100000 0x8003 0x1 70 2999800000\n"
                  "back 3160100000 70 2999800000\n"
                  "freeze 5000000000 5300000000 sleep 300 4999900000 0x8001 0x1 70 4999800000\n"
                  "back 5300100000 70 5000500000\n";
    expect(REPORT(1999.9, 160.2, 0) "," REPORT(3999.9, 300.1, 0), log, 2, 0);
    expect(REPORT(1980, 180, 0) "," REPORT(3999.9, 300.1, 0), log, 1, 1);
}

Test(summary_judge, skips_other_threads_and_other_times)
{
    const char *log = LOG_START LOG_FREEZE
        "freeze 5000000000 5300000000 sleep 300 4999900000 0x8001 0x1 71 4999800000\n"
        "freeze 600000000 900000000 sleep 300 599900000 0x8001 0x1 70 599800000\n";
    expect(REPORT(1999.9, 300.1, 0), log, 1, 0);
}

Test(summary_judge, refuses_what_it_cannot_compare)
{
    struct judge_verdict verdict;
    cr_expect_eq(judge_list("", 0, LOG_FREEZE, &verdict), -1, "no demo's log");
    cr_expect_eq(judge_list("", 0, LOG_START, &verdict), -1, "no freeze");
    cr_expect_eq(judge_list("", 1, LOG_START LOG_FREEZE, &verdict), -1, "not all are listed");
    cr_expect_eq(judge_list("{}", 0, LOG_START LOG_FREEZE, &verdict), -1, "no times");
    cr_expect_eq(judge_list("\"", 0, LOG_START LOG_FREEZE, &verdict), -1, "no JSON");
}
