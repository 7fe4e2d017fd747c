/* What beats make a program do, told apart from what it does itself: a window whose WM_NCHITTEST
 * takes long, against its own log. The system sends that for each mouse message. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define HIT_MODE "hittest:1200"
#define HIT_MS 1200.0
#define OVER_XY "380", "300" /* over target_odd_win32 */

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

/* Starts the target with the cursor over it, and a monitor with an option. Its hit tests take long
 * only from then on, so that those of the cursor's own coming are over. */
static void watch_under_cursor(struct target *target, struct monitor *monitor, struct program *feed,
                               const char *option, const char *value)
{
    start_target(target, "target_odd_win32", "--mode", HIT_MODE, NULL);
    probe("cursor", OVER_XY, NULL);
    start_monitor(monitor, target, option, value, NULL);
    tail_feed(feed, monitor);
    probe("post", hwnd_text(target->hwnd), "UimonTestHits", "1", NULL);
}

/* Two freezes of the program's own, some seconds apart, which the feed has told. Owner: free. */
static struct um_demo_log_event *freeze_twice(const struct target *target,
                                              const struct program *feed)
{
    trigger(target, LASTING_FREEZE ",wait:6000," LASTING_FREEZE);
    struct um_demo_log_event *truth = wait_freezes(target, 2);
    wait_told(feed, &truth[0]);
    wait_told(feed, &truth[1]);
    return truth;
}

/* How many hit tests the log has that began in this time, and how long they took. */
static size_t hits_between(const struct target *target, uint64_t from_ns, uint64_t to_ns,
                           double *took_ms)
{
    struct um_demo_log_event *hits;
    size_t in_all = log_events(target->log, UM_DEMO_LOG_HIT, &hits);
    size_t count = 0;
    *took_ms = 0;
    for (size_t i = 0; i < in_all; i++) {
        if (hits[i].begin_ns < from_ns || hits[i].begin_ns >= to_ns)
            continue;
        *took_ms += ms(hits[i].end_ns - hits[i].begin_ns);
        count++;
    }
    free(hits);
    return count;
}

Test(own_beats, of_raw_input_make_a_window_answer_no_hit_test)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    double took_ms;

    watch_under_cursor(&target, &monitor, &feed, "--rest-heartbeat", "10");
    struct um_demo_log_event *truth = freeze_twice(&target, &feed);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(summary, "beat")), "still");
    cr_expect_gt(number(summary, "beats.seen"), 50);
    cr_expect_eq(hits_between(&target, truth[0].end_ns, truth[1].begin_ns, &took_ms), 0,
                 "%.1f ms of hit tests", took_ms);
    cr_expect(!cJSON_HasObjectItem(summary, "own_beats"), "nothing was caused by beats");
    check_freezes(summary, &target);
    cJSON_Delete(summary);
    free(truth);
}

/* The hit tests are told as uimon's own doing, and are no freezes. Ends the monitor, and returns
 * its summary. Owner: cJSON_Delete. */
static cJSON *check_told_apart(struct monitor *monitor, const struct target *target)
{
    double took_ms;
    cJSON *summary = stop_monitor(monitor);
    cr_expect_gt(hits_between(target, 0, machine_now_ns(), &took_ms), 1);
    check_no_other_freeze(summary, target);
    cr_expect_geq(number(summary, "own_beats.freezes"), 1);
    cr_expect_geq(number(summary, "own_beats.longest_ms"), HIT_MS);
    cr_expect_leq(number(summary, "own_beats.total_ms"), took_ms + COARSE_MS,
                  "more than the %.1f ms that the hit tests took", took_ms);
    cr_expect_geq(number(summary, "state_ms.own_beat"), HIT_MS);
    cr_expect_eq(number(summary, "own_beats.heartbeat_ms"), 1000);
    return summary;
}

Test(own_beats, of_the_mouse_probe_are_told_apart_from_freezes)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    watch_under_cursor(&target, &monitor, &feed, "--probe", "mouse");
    wait_line(monitor.program.err, "beats are mouse messages here");
    struct um_demo_log_event *truth = freeze_twice(&target, &feed);
    cJSON *summary = check_told_apart(&monitor, &target);
    check_freeze(summary, &target, &truth[0], "frozen"); /* without the hit test that follows */
    check_freeze(summary, &target, &truth[1], "frozen");
    cJSON_Delete(summary);
    free(truth);
}

Test(own_beats, of_raw_input_that_move_are_told_apart)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    watch_under_cursor(&target, &monitor, &feed, "--beat", "zero");
    wait_line(monitor.program.err, "beats are mouse messages here");
    wait_lines(target.log, "hit ", 5);
    cJSON_Delete(check_told_apart(&monitor, &target));
}
