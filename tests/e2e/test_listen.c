/* `uimon listen` and `uimon query`: what they say of a feed, against the demo's own log. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "tests/e2e/listened.h"

/* A listener that writes JSON Lines to a file of the test's. */
struct listener {
    struct program program;
    char jsonl[PATH_BYTES];
};

static void start_listener(struct listener *listener, const char *name, const struct target *target,
                           const char *option)
{
    snprintf(listener->jsonl, sizeof listener->jsonl, "%s", test_file(name));
    start(&listener->program, "uimon", "listen", decimal(target->pid), "--interval", "0.1",
          "--json", windows_path(listener->jsonl), option, NULL);
}

static void free_lines(cJSON **lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cJSON_Delete(lines[i]);
}

/* The places of the events of a hang that overlaps with the log's freeze; both 0 if it is not
 * there. There must not be another one. */
static void find_hang(cJSON **lines, size_t count, const struct um_demo_log_event *truth,
                      size_t *detected, size_t *ended)
{
    *detected = *ended = 0;
    for (size_t i = 0; i < count; i++) {
        if (!listened_is_event(lines[i], "UiHangEnded"))
            continue;
        double end_ns = listened_value(lines[i], "clock_ns");
        double begin_ns = end_ns - listened_value(lines[i], "length_ms") * 1e6;
        if (begin_ns > (double)truth->end_ns || end_ns < (double)truth->begin_ns)
            continue;
        cr_expect_eq(*ended, 0, "two hangs are in the time of the freeze");
        *ended = i;
    }
    for (size_t i = 0; *ended && i < count; i++) {
        if (!listened_is_event(lines[i], "UiHangDetected") ||
            listened_value(lines[i], "hang") != listened_value(lines[*ended], "hang"))
            continue;
        cr_expect_eq(*detected, 0, "it is detected twice");
        *detected = i;
    }
}

/* The lag of each interval that ended in the freeze: how long the beat had waited, without the time
 * in which the machine held it up. Where uimon knows nothing for that reason there is none. The
 * beat may have waited before the freeze, too, if a busy machine did not let the thread have it:
 * `begin_ns` is when the hang began that was told. */
static size_t check_lag(cJSON **lines, size_t count, const struct um_demo_log_event *truth,
                        double begin_ns, double held_up)
{
    size_t inside = 0;
    double last_ms = 0, from_ns = fmin(begin_ns, (double)truth->begin_ns);
    for (size_t i = 0; i < count; i++) {
        const cJSON *values = cJSON_GetObjectItem(lines[i], "values");
        double at_ns = values ? listened_value(lines[i], "clock_ns") : 0;
        double since_ms = (at_ns - (double)truth->begin_ns) / 1e6;
        const char *state = cJSON_GetStringValue(cJSON_GetObjectItem(lines[i], "state"));
        if (since_ms < COARSE_MS || at_ns > (double)truth->end_ns || strcmp(state, "frozen") != 0)
            continue;
        double lag_ms = listened_value(values, "ui-thread-lag-ms");
        cr_expect_geq(lag_ms, last_ms - held_up, "%.1f ms after %.1f ms", lag_ms, last_ms);
        cr_expect_leq(lag_ms, (at_ns - from_ns) / 1e6 + COARSE_MS, "%.1f ms at %.1f ms", lag_ms,
                      since_ms);
        last_ms = lag_ms;
        inside++;
    }
    return inside;
}

/* One detected, one ended, in this order, as long as the log says, and lag that rises between. */
static void check_told(const struct listener *listener, const struct target *target,
                       const struct um_demo_log_event *truth, const cJSON *summary)
{
    static cJSON *lines[LISTENED_LINES];
    size_t count = listened_read(listener->jsonl, lines), first, last;

    find_hang(lines, count, truth, &first, &last);
    cr_assert(first && last, "it is %sdetected, and does %send", first ? "" : "not ",
              last ? "" : "not ");
    cr_expect_lt(first, last);
    cr_expect_lt(listened_value(lines[first], "clock_ns"), listened_value(lines[last], "clock_ns"));
    double off_ms = length_off_ms(target->log, truth, listened_value(lines[last], "length_ms"));
    cr_expect(is_about(off_ms, summary, truth), "%.2f ms too long or short", off_ms);
    double begin_ns =
        listened_value(lines[last], "clock_ns") - listened_value(lines[last], "length_ms") * 1e6;
    cr_expect_gt(check_lag(lines, count, truth, begin_ns, held_up_ms(summary, truth)), 0,
                 "no lag is told in the freeze");
    free_lines(lines, count);
}

#define FROZEN_ROW "\"state\":\"frozen\",\"values\""

/* Two listeners and a table of rows hear the same. */
Test(listen, freeze_is_detected_once_and_ended_once_for_each_listener)
{
    struct target target;
    struct monitor monitor;
    struct listener one, two;
    struct program rows, feed;
    char csv[PATH_BYTES];

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--rest-heartbeat", "1", NULL);
    snprintf(csv, sizeof csv, "%s", test_file("rows.csv"));
    start_listener(&one, "one.jsonl", &target, NULL);
    start_listener(&two, "two.jsonl", &target, NULL);
    start(&rows, "uimon", "listen", decimal(target.pid), "--csv", windows_path(csv), "--counters",
          "ui-thread-lag-ms", NULL);
    wait_line(one.jsonl, "\"counters\"");
    wait_line(two.jsonl, "\"counters\"");
    wait_line(csv, "ui-thread-lag-ms");
    tail_feed(&feed, &monitor);
    hold(&target, "5000");
    /* The lag of an interval that lies that far in the freeze is judged. */
    uint64_t judged_ns = machine_now_ns() + COARSE_MS * UM_CLOCK_NS_PER_MS;
    WAIT_UNTIL(listened_has_after(one.jsonl, FROZEN_ROW, judged_ns) &&
                   listened_has_after(two.jsonl, FROZEN_ROW, judged_ns),
               "no lag is told in the freeze");
    let_go(&target);
    struct um_demo_log_event *truth = wait_freezes(&target, 1);
    wait_told(&feed, truth);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(wait_end(&one.program, LIMIT_MS), 0);
    cr_expect_eq(wait_end(&two.program, LIMIT_MS), 0);
    cr_expect_eq(wait_end(&rows, LIMIT_MS), 0);
    check_told(&one, &target, truth, summary);
    check_told(&two, &target, truth, summary);
    free(truth);
    cJSON_Delete(summary);
    cr_expect(has_line(one.jsonl, "SessionEnded") && has_line(two.jsonl, "SessionEnded"));
    cr_expect(has_line(csv, "UiHangEnded"));
    cr_expect(has_line(csv, "ui-thread-lag-ms") && !has_line(csv, "input-latency-ms"));
    cr_expect_eq(probe_number("feeds", NULL), 0, "a file stays behind");
}

/* It comes first, and outlives a monitor that is killed. */
Test(listen, wait_outlives_a_killed_monitor_and_goes_on_with_the_next)
{
    struct target target;
    struct monitor killed, next;
    struct listener listener;
    const char *err;

    start_target(&target, NULL, NULL);
    start_listener(&listener, "wait.jsonl", &target, "--wait");
    start_monitor(&killed, &target, NULL);
    wait_line(listener.jsonl, "\"kind\":\"counters\"");
    cr_expect_eq(probe_number("feeds", NULL), 1);
    kill_hard(&killed.program);
    wait_line(listener.program.err, "its feed broke off");
    cr_expect(is_running(&listener.program));
    /* Another listener removes what the killed one has left, if that has not been done yet. */
    cr_expect_eq(run(NULL, &err, "uimon", "listen", decimal(target.pid), NULL), 3);
    cr_expect(strstr(err, "no uimon watches such a program") != NULL, "%s", err);
    cr_expect_eq(probe_number("feeds", NULL), 0, "a file stays behind");
    start_monitor(&next, &target, NULL);
    uint64_t until = unix_now_ms() + LIMIT_MS;
    for (size_t sessions = 0; sessions < 2;) {
        char *text = read_text(listener.jsonl);
        sessions = 0;
        for (const char *at = text; (at = strstr(at, "monitor_pid")) != NULL; at++)
            sessions++;
        free(text);
        cr_assert_lt(unix_now_ms(), until, "the next monitor was not found");
        sleep_ms(50);
    }
    wait_line(listener.program.err, "is followed now");
    interrupt(&listener.program);
    cr_expect_eq(wait_end(&listener.program, LIMIT_MS), 0);
    cJSON_Delete(stop_monitor(&next));
}

/* How many lines of counters end between two times. */
static size_t rows_between(const struct listener *listener, uint64_t from_ns, uint64_t to_ns)
{
    static cJSON *lines[LISTENED_LINES];
    size_t count = listened_read(listener->jsonl, lines), rows = 0;
    for (size_t i = 0; i < count; i++) {
        double at_ns =
            cJSON_GetObjectItem(lines[i], "values") ? listened_value(lines[i], "clock_ns") : 0;
        rows += at_ns > (double)from_ns && at_ns < (double)to_ns;
    }
    free_lines(lines, count);
    return rows;
}

/* The monitor stands still, and with it the feed. */
Test(listen, an_interval_of_which_the_feed_says_nothing_has_no_line)
{
    struct target target;
    struct monitor monitor;
    struct listener listener;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    start_listener(&listener, "still.jsonl", &target, NULL);
    const char *row = "\"kind\":\"counters\"", *key = "\"monitor_pid\":";
    wait_line(listener.jsonl, row);
    const char *at = strstr(wait_line(listener.jsonl, key), key);
    const char *monitor_pid = decimal(strtoull(at + strlen(key), NULL, 10));
    probe("suspend", monitor_pid, NULL);
    uint64_t from_ns = (uint64_t)probe_number("now", NULL);
    sleep_ms(3000);
    size_t rows = lines_with(listener.jsonl, row);
    uint64_t to_ns = (uint64_t)probe_number("now", NULL);
    probe("resume", monitor_pid, NULL);
    wait_lines(listener.jsonl, row, rows + 2);
    WAIT_UNTIL(listened_has_after(listener.jsonl, row, to_ns), "none comes afterwards");
    cJSON_Delete(stop_monitor(&monitor));
    cr_expect_eq(wait_end(&listener.program, LIMIT_MS), 0);
    rows = rows_between(&listener, from_ns + COARSE_MS * UM_CLOCK_NS_PER_MS, to_ns);
    cr_expect_eq(rows, 0, "%zu lines of a time of which nothing is known", rows);
}

/* A number with three decimals, and a line's end. */
static bool is_one_number(const char *text)
{
    size_t whole = strspn(text, "0123456789");
    const char *end = text + whole + 4;
    return whole > 0 && text[whole] == '.' && strspn(text + whole + 1, "0123456789") == 3 &&
           (strcmp(end, "\n") == 0 || strcmp(end, "\r\n") == 0);
}

Test(listen, query_prints_one_number)
{
    struct target target;
    struct monitor monitor;
    const char *out, *err;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    cr_expect_eq(
        run(&out, &err, "uimon", "query", "uimon-demo", "ui-hang-count", "--interval", "0.2", NULL),
        0, "%s", err);
    cr_expect(is_one_number(out), "%s", out);
    cr_expect_eq(
        run(&out, &err, "uimon", "query", decimal(target.pid), "input-latency-ms.p99", NULL), 0,
        "%s", err);
    cr_expect(is_one_number(out) && atof(out) > 0, "%s", out);
    cr_expect_eq(run(&out, &err, "uimon", "query", "uimon-demo", "ui-hang-cont", NULL), 2);
    cr_expect(strstr(err, "did you mean 'ui-hang-count'?") != NULL, "%s", err);
    cJSON_Delete(stop_monitor(&monitor));
}

#define CROWD 10
#define READERS "6" /* that get all of it: the one that sends garbage, too */
#define STALLED "3"
#define BEATS 30000 /* 0.76 MB in 3 s or more: twice what a pipe and the queue hold */

/* A number of a consumer's last line. */
static uint64_t crowd_number(const struct program *consumer, const char *word)
{
    return line_number(wait_line(consumer->out, "beats "), word);
}

/* Three of the ten stall, one is killed and one sends garbage; nothing of that reaches the other
 * five. The stalled ones are told what they have lost, and get the rest. */
Test(listen, five_of_ten_consumers_get_all_whatever_the_others_do)
{
    static const char *const modes[CROWD] = {"read",  "read",  "read",  "read",  "read",
                                             "stray", "stall", "stall", "stall", "garbage"};
    struct program server, consumers[CROWD];
    char feed[128];

    start(&server, "crowd_win32", "serve", decimal(CROWD), READERS, STALLED, decimal(BEATS), NULL);
    cr_assert_eq(sscanf(wait_line(server.out, "feed "), "feed %127s", feed), 1);
    for (int i = 0; i < CROWD; i++)
        start(&consumers[i], "crowd_win32", modes[i], feed, NULL);
    wait_line(consumers[5].out, "reads");
    kill_hard(&consumers[5]);
    cr_expect_eq(wait_end(&server, LIMIT_MS), 0);
    for (int i = 0; i < CROWD; i++) {
        bool stalls = strcmp(modes[i], "stall") == 0;
        if (i == 5)
            continue;
        cr_expect_eq(wait_end(&consumers[i], LIMIT_MS), 0, "consumer %d", i);
        cr_expect_eq(crowd_number(&consumers[i], "broken"), 0, "consumer %d", i);
        cr_expect_eq(crowd_number(&consumers[i], "last"), BEATS, "consumer %d", i);
        cr_expect_eq(crowd_number(&consumers[i], "losses"), stalls, "consumer %d", i);
        cr_expect_eq((crowd_number(&consumers[i], "beats") == BEATS), !stalls, "consumer %d", i);
    }
    cr_expect_gt(crowd_number(&consumers[9], "sent"), 0, "it sent no garbage");
}

/* The line of a kind that is about a target. Owner: static. */
static const char *line_of(const char *kind, const struct target *target)
{
    static char text[PATH_BYTES];
    snprintf(text, sizeof text, "\"kind\":\"%s\",\"target\":\"uimon-demo.exe\",\"pid\":%s,", kind,
             decimal(target->pid));
    return text;
}

/* Whether there is a line about an event of a target. */
static bool has_line_of(const char *jsonl, const char *event, const struct target *target)
{
    char *text = read_text(jsonl);
    bool found = false;
    for (char *line = text, *end; !found && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        found = strstr(line, event) && strstr(line, line_of("event", target));
    }
    free(text);
    return found;
}

Test(listen, without_a_target_follows_every_monitor_also_one_that_starts_later)
{
    struct target first, second;
    struct monitor one, two;
    struct program listener;
    char jsonl[PATH_BYTES], whose[PATH_BYTES];

    snprintf(jsonl, sizeof jsonl, "%s", test_file("all.jsonl"));
    start(&listener, "uimon", "listen", "--interval", "0.1", "--json", windows_path(jsonl), NULL);
    start_target(&first, NULL, NULL);
    start_monitor(&one, &first, NULL);
    wait_line(jsonl, line_of("counters", &first));
    start_target(&second, NULL, NULL);
    start_monitor(&two, &second, NULL);
    wait_line(jsonl, line_of("counters", &second));
    cJSON_Delete(stop_monitor(&one));
    WAIT_UNTIL(has_line_of(jsonl, "SessionEnded", &first), "the first session does not end");
    cr_expect(!has_line_of(jsonl, "SessionEnded", &second), "the second session ends");
    trigger(&second, LASTING_FREEZE);
    WAIT_UNTIL(has_line_of(jsonl, "UiHangEnded", &second), "no freeze of the second is told");
    interrupt(&listener);
    cr_expect_eq(wait_end(&listener, LIMIT_MS), 0);
    snprintf(whose, sizeof whose, "uimon-demo.exe (%s)  ", decimal(second.pid));
    cr_expect(has_line(listener.out, whose), "a line of text does not say whose it is");
    cJSON_Delete(stop_monitor(&two));
}
