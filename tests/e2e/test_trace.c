/* Messages that are traced: what the demo sends within one another and posts to itself, by its own
 * log; and what happens when tracing is switched, or left, in the midst of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define LEVELS 5
#define NESTS 4
#define LEVEL_MS 6
#define JANKS 20
#define JANK_MS 5

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

/* The lengths of a kind of event in the log. */
static double sum_ms(const struct target *target, enum um_demo_log_kind kind, size_t expected)
{
    struct um_demo_log_event *events;
    double sum = 0;
    size_t count = log_events(target->log, kind, &events);
    cr_assert_eq(count, expected, "%zu events", count);
    for (size_t i = 0; i < count; i++)
        sum += (double)(events[i].end_ns - events[i].begin_ns) / 1e6;
    free(events);
    return sum;
}

/* Counts are exact, on each level. Times are the log's, but for what lies around a handler. */
static void expect_nests(const struct target *target, const cJSON *rows)
{
    double truth_ms = sum_ms(target, UM_DEMO_LOG_NEST, NESTS);
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
        cr_expect_leq(number(row, "wall_ms"), truth_ms + COARSE_MS, "level %d took %.1f of %.1f ms",
                      level, number(row, "wall_ms"), truth_ms);
        cr_expect_geq(number(row, "wall_ms"), NESTS * (LEVELS - level) * LEVEL_MS - 0.1,
                      "level %d took %.1f ms", level, number(row, "wall_ms"));
        cr_expect_geq(number(row, "self_ms"), NESTS * LEVEL_MS - 0.1, "level %d itself %.1f ms",
                      level, number(row, "self_ms"));
    }
    cr_expect_null(find_row(within(row), "WM_APP+20", "UimonDemoNest"));
}

/* From when each was retrieved until the thread retrieved a message again, and by its handler
 * alone. */
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
    cr_expect_leq(number(row, "wall_ms"), until_back_ms + COARSE_MS);
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

static void flood_once(const struct target *target)
{
    size_t before = lines_with(target->log, "flood ");
    trigger(target, "flood:1");
    wait_lines(target->log, "flood ", before + 1);
}

/* A dialog, and behind it a message after which what came before is over. */
static void end_with_dialog(struct target *target, const char *dialog)
{
    trigger(target, dialog);
    wait_line(target->log, "modal ");
    flood_once(target);
}

/* Messages that are not judged, until the feed tells that messages are traced. */
static void begin_tracing(const struct target *target, const struct monitor *monitor,
                          struct program *feed)
{
    tail_feed(feed, monitor);
    WAIT_UNTIL((flood_once(target), has_line(feed->out, "traced_call ")), "nothing is traced");
}

/* Waits until the feed has told the end of the dialog's message, and so of all before it. */
static void wait_dialog_told(const struct program *feed)
{
    char told[64];
    const char *head = "traced_call 0x8005 UimonDemo ";
    const char *line = strstr(wait_line(feed->out, head), head);
    snprintf(told, sizeof told, "traced node %llu count 1 ended 1",
             (unsigned long long)line_number(line, "node"));
    wait_line(feed->out, told);
}

Test(trace, counts_and_times_are_those_of_the_program)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char recording[PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", test_file("traced.uirec"));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--trace", "messages", "--record", windows_path(recording),
                  NULL);
    begin_tracing(&target, &monitor, &feed);
    send_messages(&target);
    end_with_dialog(&target, "modal:200");
    wait_dialog_told(&feed);
    wait_text(recording, "nest_proc"); /* names come some time after what they are of */
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

/* A freeze names the message that was retrieved before it, and beside it the one that was sent in
 * its handling and took the time, as long as the log has it. */
static void expect_costliest(const cJSON *summary, const struct um_demo_log_event *truth)
{
    const cJSON *freeze = find_freeze(summary, truth);
    const cJSON *costliest = cJSON_GetObjectItem(freeze, "costliest");
    double truth_ms = (double)(truth->end_ns - truth->begin_ns) / 1e6;
    cr_assert(costliest, "no costliest message");
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(freeze, "message")), "WM_APP+13");
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(costliest, "message")), "WM_APP+20");
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(costliest, "window_class")),
                     "UimonDemoNest");
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(costliest, "how")), "sent");
    cr_expect_leq(number(costliest, "ms"), truth_ms + COARSE_MS);
    cr_expect_geq(number(costliest, "ms") + held_up_ms(summary, truth), truth_ms - COARSE_MS);
}

Test(trace, a_freeze_names_the_sent_message_that_took_its_time)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event *truth;
    char recording[PATH_BYTES], result[PATH_BYTES];
    const char *out, *err;

    snprintf(recording, sizeof recording, "%s", test_file("costliest.uirec"));
    snprintf(result, sizeof result, "%s", test_file("costliest.json"));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--trace", "messages", "--record", windows_path(recording),
                  NULL);
    begin_tracing(&target, &monitor, &feed);
    trigger(&target, "nest:1x1500");
    wait_line(target.log, "nest ");
    end_with_dialog(&target, "modal:1");
    wait_dialog_told(&feed);
    cJSON *summary = stop_monitor(&monitor);
    cr_assert_eq(log_events(target.log, UM_DEMO_LOG_NEST, &truth), 1);
    expect_costliest(summary, truth);
    cJSON_Delete(summary);
    cr_assert_eq(run(&out, &err, "uimon", "report", windows_path(recording), "--json",
                     windows_path(result), NULL),
                 0, "%s", err);
    cr_expect(strstr(out, " of it in WM_APP+20 @ UimonDemoNest, sent"), "%s", out);
    summary = read_json(result);
    expect_costliest(summary, truth);
    cJSON_Delete(summary);
    free(truth);
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
Test(trace, each_message_is_a_marker_within_the_one_that_sent_it)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char recording[PATH_BYTES], result[PATH_BYTES];
    const char *out, *err;
    const cJSON *flow;
    size_t nests = 0, levels = 0, janks = 0, posted = 0;
    double nests_ms = 0;

    snprintf(recording, sizeof recording, "%s", test_file("events.uirec"));
    snprintf(result, sizeof result, "%s", test_file("flows.json"));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--trace", "events", "--record", windows_path(recording),
                  NULL);
    begin_tracing(&target, &monitor, &feed);
    send_messages(&target);
    end_with_dialog(&target, "modal:1");
    wait_dialog_told(&feed);
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
    double truth_ms = sum_ms(&target, UM_DEMO_LOG_NEST, NESTS);
    cr_expect_eq(nests, NESTS, "%zu", nests);
    cr_expect_eq(levels, NESTS * LEVELS, "%zu", levels);
    cr_expect_eq(janks, JANKS, "%zu", janks);
    cr_expect_eq(posted, JANKS, "%zu of the posted messages say when", posted);
    cr_expect(nests_ms >= truth_ms && nests_ms <= truth_ms + COARSE_MS, "%.1f of %.1f ms", nests_ms,
              truth_ms);
    cJSON_Delete(root);
}

/* The cases of tests/win/target_odd_win32.c, mode "sends". */
#define SENDS_JUMP "2"
#define SENDS_OWN_END "3"
#define SENDS_THREAD "4"
#define SENDS_LONG "5"
#define SENDS_LOOKS "6"

static void post_case(const struct target *target, const char *number_of_case)
{
    probe("post", hwnd_text(target->hwnd), "UimonTestSends", number_of_case, NULL);
}

/* The log has so many lines when it is over. */
static void send_case(const struct target *target, const char *number_of_case, size_t lines)
{
    post_case(target, number_of_case);
    wait_lines(target->log, "nest ", lines);
}

/* The n-th message within another one is being handled, until the target is told. */
static void begin_long(const struct target *target, size_t n)
{
    post_case(target, SENDS_LONG);
    wait_lines(target->program.out, "inner", n);
}

/* Waits until hooks that the target set before uimon came say for the n-th time that they are
 * called behind others, or alone (tests/win/looks_win32.h). */
static void wait_hooks(const struct target *target, const char *said, size_t n)
{
    wait_lines(target->program.out, said, n);
}

/* A target that has hooks of its own, and logs which others there are. */
static void start_with_hooks(struct target *target)
{
    start_target(target, "target_odd_win32", "--mode", "sends", NULL);
    send_case(target, SENDS_LOOKS, 1);
    wait_hooks(target, "sent alone", 1);
    wait_hooks(target, "answered alone", 1);
    wait_hooks(target, "taken alone", 1);
}

/* Waits until the feed tells that messages are traced: the target looks for hooks with some all the
 * time. What each of them is, the feed tells only once, perhaps before somebody listens to it. */
static void wait_traced(const struct program *feed)
{
    wait_line(feed->out, "traced node ");
}

/* Whether the feed has told so many calls of WM_APP+32, of which so many are over. */
static bool has_inner(const struct program *feed, uint64_t count, uint64_t ended)
{
    static const char head[] = "traced_call 0x8020 UimonSends ";
    char node[40];
    char *text = read_text(feed->out);
    for (const char *at = text; (at = strstr(at, head)) && strchr(at, '\n'); at++) {
        const char *last = NULL; /* what is told of a call is all so far */
        snprintf(node, sizeof node, "traced node %u ", (unsigned)line_number(at, "node"));
        for (const char *told = text; (told = strstr(told, node)) && strchr(told, '\n'); told++)
            last = told;
        count -= last ? line_number(last, "count") : 0;
        ended -= last ? line_number(last, "ended") : 0;
    }
    free(text);
    return count == 0 && ended == 0;
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
    struct program feed;

    start_with_hooks(&target);
    start_monitor(&monitor, &target, "--trace", "messages", NULL);
    tail_feed(&feed, &monitor);
    wait_traced(&feed);
    send_case(&target, SENDS_JUMP, 2);
    send_case(&target, SENDS_OWN_END, 3);
    send_case(&target, SENDS_THREAD, 4);
    WAIT_UNTIL(has_inner(&feed, 3 + 5, 5), "those of the thread are not told: %s",
               read_text(feed.out));
    cJSON *summary = stop_monitor(&monitor);
    expect_calls(summary, "WM_APP+31", 3, 0); /* a jump leaves both each time */
    expect_calls(summary, "WM_APP+32", 3 + 5, 5);
    expect_calls(summary, "WM_APP+33", 1, 1);
    cr_expect(is_running(&target.program));
    cJSON_Delete(summary);
}

/* The same by what is called before the target's own hooks, while the messages are still
 * handled. */
static void check_no_hook_is_left(const char *option, const char *value)
{
    struct target target;
    struct monitor monitor;

    start_with_hooks(&target);
    start_monitor(&monitor, &target, option, value, NULL);
    wait_hooks(&target, "sent behind", 1);
    wait_hooks(&target, "answered behind", 1);
    wait_hooks(&target, "taken behind", 1);
    begin_long(&target, 1);
    kill_hard(&monitor.program);
    wait_hooks(&target, "sent alone", 2);
    wait_hooks(&target, "answered alone", 2);
    tell(&target);
    wait_hooks(&target, "taken alone", 2);
    wait_lines(target.log, "nest ", 2);
    cr_expect(is_running(&target.program));
}

Test(trace, no_hook_is_left_after_the_monitors_death)
{
    check_no_hook_is_left("--trace", "messages");
}

Test(trace, no_hook_of_the_layout_is_left_after_the_monitors_death)
{
    check_no_hook_is_left("--layout", NULL);
}

/* The session leaves in good order; and before that, the keys go from the layout's last mode to
 * off, which leaves the hooks that any session has. */
Test(trace, no_hook_of_the_layout_is_left_when_it_is_off)
{
    struct target target;
    struct monitor monitor;

    start_with_hooks(&target);
    wait_front(&target);
    start_monitor_overlay(&monitor, &target, "--layout", "inspect", NULL);
    wait_hooks(&target, "sent behind", 1);
    wait_hooks(&target, "answered behind", 1);
    probe("chord", "17,18,16,118", NULL);
    wait_hooks(&target, "sent alone", 2);
    wait_hooks(&target, "answered alone", 2);
    cr_expect_eq(lines_with(target.program.out, "taken alone"), 1, "the session has left");
    cJSON_Delete(stop_monitor(&monitor));
    wait_hooks(&target, "taken alone", 2);
}

/* On and off by the keys, each time while messages are handled within one another: what began
 * before is not told, and what has not ended has no end. */
Test(trace, keys_switch_it_in_the_midst_of_calls)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_with_hooks(&target);
    start_monitor(&monitor, &target, "--hotkeys", "trace=Ctrl+Alt+Shift+F5", NULL);
    tail_feed(&feed, &monitor);
    begin_long(&target, 1);
    probe("chord", "17,18,16,116", NULL);
    wait_line(monitor.program.err, "each sent message is slower");
    wait_traced(&feed);
    tell(&target);
    send_case(&target, SENDS_OWN_END, 3); /* after the long one */
    begin_long(&target, 2);
    WAIT_UNTIL(has_inner(&feed, 1, 0), "the second one is not told: %s", read_text(feed.out));
    probe("chord", "17,18,16,116", NULL);
    wait_line(monitor.program.err, "tracing messages has ended");
    wait_hooks(&target, "sent alone", 2);
    tell(&target);
    send_case(&target, SENDS_OWN_END, 5);
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
    struct program feed;

    start_with_hooks(&target);
    start_monitor(&monitor, &target, "--trace", "messages", NULL);
    tail_feed(&feed, &monitor);
    wait_traced(&feed);
    send_case(&target, SENDS_OWN_END, 2);
    begin_long(&target, 1);
    WAIT_UNTIL(has_inner(&feed, 1, 0), "the call is not told: %s", read_text(feed.out));
    kill_hard(&target.program);
    cJSON *summary = finish_monitor(&monitor);
    expect_calls(summary, "WM_APP+31", 1, 0);
    expect_calls(summary, "WM_APP+32", 1, 0);
    expect_calls(summary, "WM_APP+33", 1, 1);
    cJSON_Delete(summary);
}
