/* Messages that are traced: what the demo sends within one another and posts to itself, by its own
 * log; and what happens when tracing is switched, or left, in the midst of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

TestSuite(trace, .fini = conclude);

#define LEVELS 5
#define NESTS 4
#define LEVEL_MS 6
#define JANKS 20
#define JANK_MS 5
#define HOOKS_MS 3.0 /* the system's way to the hooks of one row of messages */

/* The row of a message and class among rows; NULL: there is none. */
static const cJSON *find_row(const cJSON *rows, const char *message, const char *window_class)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(row, "message"));
        const char *of = cJSON_GetStringValue(cJSON_GetObjectItem(row, "window_class"));
        if (name && of && strcmp(name, message) == 0 && strcmp(of, window_class) == 0)
            return row;
    }
    return NULL;
}

static const cJSON *within(const cJSON *row)
{
    return cJSON_GetObjectItem(row, "within");
}

/* The lengths of a kind of event in the log, and how long the machine held up the target in it. */
static double sum_ms(const struct target *target, enum um_demo_log_kind kind, size_t expected,
                     double *stalled_ms)
{
    struct um_demo_log_event *events;
    double sum = 0;
    size_t count = log_events(target->log, kind, &events);
    cr_assert_eq(count, expected, "%zu events", count);
    *stalled_ms = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)(events[i].end_ns - events[i].begin_ns) / 1e6;
        *stalled_ms += (double)stalled_ns(target->log, events[i].begin_ns, events[i].end_ns) / 1e6;
    }
    free(events);
    return sum;
}

/* Counts are exact, on each level. Times are the log's, but for what lies around a handler. */
static void expect_nests(const struct target *target, const cJSON *rows)
{
    double stalled_ms;
    double truth_ms = sum_ms(target, UM_DEMO_LOG_NEST, NESTS, &stalled_ms);
    const cJSON *row = find_row(rows, "WM_APP+13", "UimonDemo");
    cr_assert(row, "no message that nests");
    cr_expect_eq(number(row, "count"), NESTS);
    for (int level = 0; level < LEVELS; level++) {
        row = find_row(within(row), "WM_APP+20", "UimonDemoNest");
        cr_assert(row, "no level %d", level);
        cr_expect_eq(number(row, "count"), NESTS);
        cr_expect_eq(number(row, "ended"), NESTS);
        cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(row, "kind")), "sent");
        cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(row, "handler")), "nest_proc");
        double left_ms = truth_ms * (LEVELS - level) / LEVELS;
        cr_expect(is_within(number(row, "wall_ms"), left_ms + NESTS * HOOKS_MS, stalled_ms),
                  "level %d took %.1f of %.1f ms", level, number(row, "wall_ms"), left_ms);
        cr_expect_geq(number(row, "self_ms"), NESTS * LEVEL_MS - 0.1, "level %d itself %.1f ms",
                      level, number(row, "self_ms"));
        cr_expect(is_within(number(row, "self_ms"), NESTS * (LEVEL_MS + HOOKS_MS), stalled_ms),
                  "level %d itself %.1f ms", level, number(row, "self_ms"));
    }
    cr_expect_null(find_row(within(row), "WM_APP+20", "UimonDemoNest"));
}

/* From when each was retrieved until the thread retrieved a message again, and by its handler
 * alone. They follow one another, so the machine may hold the thread up anywhere in between. */
static void expect_janks(const struct target *target, const cJSON *rows)
{
    struct um_demo_log_event *events;
    double handled_ms = 0, until_back_ms = 0;
    size_t count = log_events(target->log, UM_DEMO_LOG_FREEZE, &events);
    cr_assert_eq(count, JANKS, "%zu events", count);
    for (size_t i = 0; i < count; i++) {
        struct um_demo_log_event back = find_back(target->log, &events[i]);
        handled_ms += (double)(events[i].end_ns - events[i].begin_ns) / 1e6;
        until_back_ms += (double)(back.begin_ns - events[i].retrieved_ns) / 1e6;
    }
    free(events);
    const cJSON *row = find_row(rows, "WM_APP+3", "UimonDemo");
    cr_assert(row, "no posted message");
    cr_expect_eq(number(row, "count"), JANKS);
    cr_expect_eq(number(row, "ended"), JANKS);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(row, "kind")), "retrieved");
    cr_expect_geq(number(row, "wall_ms"), handled_ms);
    cr_expect_leq(number(row, "wall_ms"), until_back_ms + JANKS * 1.0);
}

/* Messages within one another, and posted ones. */
static void send_messages(struct target *target)
{
    char list[64];
    for (int i = 0; i < NESTS; i++) {
        snprintf(list, sizeof list, "nest:%dx%d", LEVELS, LEVEL_MS);
        trigger(target, list);
    }
    snprintf(list, sizeof list, "jank:%dx%d", JANKS, JANK_MS);
    trigger(target, list);
}

Test(trace, counts_and_times_are_those_of_the_program, .measured = true)
{
    struct target target;
    struct monitor monitor;
    char recording[PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", test_file("traced.uirec"));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--trace", "messages", "--record", windows_path(recording),
                  NULL);
    send_messages(&target);
    trigger(&target, "modal:200");
    wait_line(target.log, "modal ");
    sleep_ms(300);
    cJSON *summary = stop_monitor(&monitor);
    const cJSON *rows = cJSON_GetObjectItem(cJSON_GetObjectItem(summary, "messages"), "rows");
    expect_nests(&target, rows);
    expect_janks(&target, rows);
    /* The dialog's loop is within the message that opens it. */
    const cJSON *modal = find_row(rows, "WM_APP+5", "UimonDemo");
    cr_assert(modal);
    cr_expect_eq(number(modal, "ended"), 1);
    cr_expect(find_row(within(modal), "WM_INITDIALOG", "UimonDemoDialog") ||
              find_row(within(modal), "WM_CREATE", "UimonDemoDialog"));
    cr_expect_geq(number(modal, "wall_ms"), 200, "%.1f ms", number(modal, "wall_ms"));

    const char *out, *err;
    cr_assert_eq(run(&out, &err, "uimon", "report", windows_path(recording), NULL), 0, "%s", err);
    cr_expect(strstr(out, "  Messages   ") && strstr(out, "WM_APP+20 @ UimonDemoNest, nest_proc"),
              "%s", out);
    cJSON_Delete(summary);
}

/* The last marker of a flow, if it has that name; else NULL. */
static const cJSON *last_named(const cJSON *flow, const char *name)
{
    const cJSON *markers = cJSON_GetObjectItem(flow, "markers");
    const cJSON *last = cJSON_GetArrayItem(markers, cJSON_GetArraySize(markers) - 1);
    const char *its = cJSON_GetStringValue(cJSON_GetObjectItem(last, "name"));
    return its && strcmp(its, name) == 0 ? last : NULL;
}

/* A flow leads to those of the messages that were sent within its own, and from the one around. */
static size_t count_flows(const cJSON *flow, const char *direction)
{
    return (size_t)cJSON_GetArraySize(cJSON_GetObjectItem(flow, direction));
}

/* With --trace events, each message that the demo has sent or posted is a flow of its own, with its
 * place and length by the demo's log. */
Test(trace, each_message_is_a_marker_within_the_one_that_sent_it, .measured = true)
{
    struct target target;
    struct monitor monitor;
    char recording[PATH_BYTES], result[PATH_BYTES];
    const char *out, *err;
    const cJSON *flow;
    size_t nests = 0, levels = 0, janks = 0, posted = 0;
    double nests_ms = 0, stalled_ms;

    snprintf(recording, sizeof recording, "%s", test_file("events.uirec"));
    snprintf(result, sizeof result, "%s", test_file("flows.json"));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--trace", "events", "--record", windows_path(recording),
                  NULL);
    send_messages(&target);
    trigger(&target, "modal:1"); /* it comes after the others */
    wait_line(target.log, "modal ");
    sleep_ms(300);
    cJSON_Delete(stop_monitor(&monitor));
    cr_assert_eq(run(&out, &err, "uimon", "flows", windows_path(recording), "--quiet", "--json",
                     windows_path(result), NULL),
                 0, "%s", err);
    cJSON *root = read_json(result);
    cJSON_ArrayForEach(flow, cJSON_GetObjectItem(root, "flows"))
    {
        const cJSON *marker = last_named(flow, "WM_APP+13");
        if (marker) {
            nests++;
            nests_ms += number(marker, "end_ms") - number(marker, "start_ms");
            cr_expect_geq(count_flows(flow, "outgoing"), 1);
        }
        if (last_named(flow, "WM_APP+20")) {
            levels++;
            cr_expect_eq(count_flows(flow, "incoming"), 1);
        }
        marker = last_named(flow, "WM_APP+3");
        if (!marker)
            continue;
        janks++;
        const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(flow, "markers"), 0);
        posted += first != marker;
        cr_expect_leq(number(first, "start_ms"), number(marker, "start_ms"));
        cr_expect_geq(number(marker, "end_ms") - number(marker, "start_ms"), JANK_MS - 0.1);
    }
    double truth_ms = sum_ms(&target, UM_DEMO_LOG_NEST, NESTS, &stalled_ms);
    cr_expect_eq(nests, NESTS, "%zu", nests);
    cr_expect_eq(levels, NESTS * LEVELS, "%zu", levels);
    cr_expect_eq(janks, JANKS, "%zu", janks);
    cr_expect_eq(posted, JANKS, "%zu of the posted messages say when", posted);
    /* A nest also makes and destroys its windows: ten messages more have their hooks. */
    cr_expect(is_within(nests_ms, truth_ms + 2 * NESTS * HOOKS_MS, stalled_ms), "%.1f of %.1f ms",
              nests_ms, truth_ms);
    cJSON_Delete(root);
}

/* The cases of tests/win/target_odd_win32.c, mode "sends". */
static void send_case(const struct target *target, const char *number_of_case, size_t lines)
{
    struct um_demo_log_event *events;
    char hwnd[24];
    snprintf(hwnd, sizeof hwnd, "0x%llx", (unsigned long long)target->hwnd);
    probe("post", hwnd, "UimonTestSends", number_of_case, NULL);
    for (unsigned waited = 0; log_events(target->log, UM_DEMO_LOG_NEST, &events) < lines;
         waited += 10) {
        free(events);
        cr_assert_lt(waited, LIMIT_MS, "case %s does not end", number_of_case);
        sleep_ms(10);
    }
    free(events);
}

/* All calls of a message to a class, wherever they lie: how many, and how many of them ended. */
static void add_up(const cJSON *rows, const char *message, double *count, double *ended)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(row, "message"));
        const char *of = cJSON_GetStringValue(cJSON_GetObjectItem(row, "window_class"));
        if (name && of && strcmp(name, message) == 0 && strcmp(of, "UimonSends") == 0) {
            *count += number(row, "count");
            *ended += number(row, "ended");
        }
        add_up(within(row), message, count, ended);
    }
}

static void expect_calls(const cJSON *summary, const char *message, double count, double ended)
{
    double counted = 0, over = 0;
    const cJSON *rows = cJSON_GetObjectItem(cJSON_GetObjectItem(summary, "messages"), "rows");
    add_up(rows, message, &counted, &over);
    cr_expect_eq(counted, count, "%s was counted %.0f times", message, counted);
    cr_expect_eq(over, ended, "%s ended %.0f times", message, over);
}

Test(trace, handlers_that_are_left_in_odd_ways_are_counted)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, "target_odd_win32", "--mode", "sends", NULL);
    start_monitor(&monitor, &target, "--trace", "messages", NULL);
    send_case(&target, "2", 1);
    send_case(&target, "3", 2);
    send_case(&target, "4", 3);
    sleep_ms(500);
    cJSON *summary = stop_monitor(&monitor);
    expect_calls(summary, "WM_APP+31", 3, 0); /* a jump leaves both each time */
    expect_calls(summary, "WM_APP+32", 3 + 5, 5);
    expect_calls(summary, "WM_APP+33", 1, 1);
    cr_expect(is_running(&target.program));
    cJSON_Delete(summary);
}

/* How long 2,000 messages take now. The line of it is the n-th in the log. */
static double many_ms(const struct target *target, size_t line)
{
    struct um_demo_log_event *events;
    send_case(target, "1", line);
    cr_assert_eq(log_events(target->log, UM_DEMO_LOG_NEST, &events), line);
    double length_ms = (double)(events[line - 1].end_ns - events[line - 1].begin_ns) / 1e6;
    free(events);
    return length_ms;
}

/* The monitor dies while messages are handled within one another: within a second the hooks are
 * gone, and sent messages are as fast as before. */
static void check_hooks_are_gone(const char *option, const char *value)
{
    struct target target;
    struct monitor monitor;
    char hwnd[24];

    start_target(&target, "target_odd_win32", "--mode", "sends", NULL);
    double before_ms = many_ms(&target, 1);
    start_monitor(&monitor, &target, option, value, NULL);
    sleep_ms(300); /* the layout's hooks come after a beat */
    double traced_ms = many_ms(&target, 2);
    cr_assert_gt(traced_ms, 3 * before_ms, "%.1f ms, without the hooks %.1f ms", traced_ms,
                 before_ms);
    snprintf(hwnd, sizeof hwnd, "0x%llx", (unsigned long long)target.hwnd);
    probe("post", hwnd, "UimonTestSends", "5", NULL);
    sleep_ms(300);
    kill_hard(&monitor.program);
    double after_ms = many_ms(&target, 4); /* when the long one is over, 1.2 s later */
    cr_expect_lt(after_ms, traced_ms / 2, "%.1f ms, with the hooks %.1f ms, before %.1f ms",
                 after_ms, traced_ms, before_ms);
    cr_expect(is_running(&target.program));
}

Test(trace, hooks_are_gone_after_the_monitors_death, .measured = true)
{
    check_hooks_are_gone("--trace", "messages");
}

Test(trace, hooks_of_the_layout_are_gone_after_the_monitors_death, .measured = true)
{
    check_hooks_are_gone("--layout", NULL);
}

/* The keys go from the last mode to off. */
Test(trace, hooks_of_the_layout_are_gone_when_it_is_off, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, "target_odd_win32", "--mode", "sends", NULL);
    wait_front(&target);
    double before_ms = many_ms(&target, 1);
    start_monitor_overlay(&monitor, &target, "--layout", "inspect", NULL);
    sleep_ms(500);
    double with_ms = many_ms(&target, 2);
    cr_assert_gt(with_ms, 3 * before_ms, "%.1f ms, without the hooks %.1f ms", with_ms, before_ms);
    probe("chord", "17,18,16,118", NULL);
    sleep_ms(500);
    double after_ms = many_ms(&target, 3);
    cr_expect_lt(after_ms, with_ms / 2, "%.1f ms, with the hooks %.1f ms, before %.1f ms", after_ms,
                 with_ms, before_ms);
    cJSON_Delete(stop_monitor(&monitor));
}

static void wait_said(const struct monitor *monitor, const char *line)
{
    wait_line(monitor->program.err, line);
}

/* On and off by the keys, each time while messages are handled within one another: what began
 * before is not told, and what has not ended has no end. */
Test(trace, keys_switch_it_in_the_midst_of_calls)
{
    struct target target;
    struct monitor monitor;
    struct um_demo_log_event *events;
    char hwnd[24];

    start_target(&target, "target_odd_win32", "--mode", "sends", NULL);
    start_monitor(&monitor, &target, "--hotkeys", "trace=Ctrl+Alt+Shift+F5", NULL);
    snprintf(hwnd, sizeof hwnd, "0x%llx", (unsigned long long)target.hwnd);
    probe("post", hwnd, "UimonTestSends", "5", NULL);
    sleep_ms(300);
    probe("chord", "17,18,16,116", NULL);
    wait_said(&monitor, "each sent message is slower");
    send_case(&target, "3", 2); /* after the long one */
    probe("post", hwnd, "UimonTestSends", "5", NULL);
    sleep_ms(500);
    probe("chord", "17,18,16,116", NULL);
    wait_said(&monitor, "tracing messages has ended");
    send_case(&target, "3", 4);
    cr_expect_eq(log_events(target.log, UM_DEMO_LOG_NEST, &events), 4);
    free(events);
    sleep_ms(100);
    cJSON *summary = stop_monitor(&monitor);
    expect_calls(summary, "WM_APP+31", 1, 0);
    expect_calls(summary, "WM_APP+32", 1, 0);
    expect_calls(summary, "WM_APP+33", 1, 1);
    cJSON_Delete(summary);
}

/* What was traced up to half a second before its death is told, and what has no end says so. */
Test(trace, target_killed_in_the_midst_of_calls_ends_the_session)
{
    struct target target;
    struct monitor monitor;
    char hwnd[24];

    start_target(&target, "target_odd_win32", "--mode", "sends", NULL);
    start_monitor(&monitor, &target, "--trace", "messages", NULL);
    send_case(&target, "3", 1);
    snprintf(hwnd, sizeof hwnd, "0x%llx", (unsigned long long)target.hwnd);
    probe("post", hwnd, "UimonTestSends", "5", NULL);
    sleep_ms(1200);
    kill_hard(&target.program);
    cJSON *summary = finish_monitor(&monitor);
    expect_calls(summary, "WM_APP+31", 1, 0);
    expect_calls(summary, "WM_APP+32", 1, 0);
    expect_calls(summary, "WM_APP+33", 1, 1);
    cJSON_Delete(summary);
}
