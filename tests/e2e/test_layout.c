/* What the layout of panes costs, by the log of the program that has them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/laid_out.h"
#include "tests/e2e/listened.h"
#include "tests/e2e/panes.h"

#define RESIZES 20
#define INNER_MS 20
/* uimon takes out what its hooks cost. It has measured that once, when the machine may have been
 * busier, so a frame of INNER_MS is told with this at least. ./run bench asks for more. */
#define INNER_LEAST_MS (INNER_MS / 2.0)

/* By its text, or by its class if it has none; its place in the table. -1: it is not there. */
static int place_of(const cJSON *summary, const char *text)
{
    const cJSON *row;
    int place = 0;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(summary, "layout"))
    {
        const cJSON *shown = cJSON_GetObjectItem(row, "text");
        if (strcmp((shown ? shown : cJSON_GetObjectItem(row, "class"))->valuestring, text) == 0)
            return place;
        place++;
    }
    return -1;
}

/* NULL: it is not there. */
static const cJSON *find_component(const cJSON *summary, const char *text)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(summary, "layout"), place_of(summary, text));
}

/* A pane has a frame for each time that it was resized. With all that lies within it, it cost at
 * least as much as the innermost one, which alone has layout of its own that is worth the name. */
static void check_pane(const cJSON *summary, const char *log, const char *pane)
{
    const cJSON *row = find_component(summary, pane);
    struct pane_cost cost = pane_cost(log, pane);
    bool is_inner = strcmp(pane, pane_names[PANES - 1]) == 0;
    cr_expect_eq(cost.count, RESIZES, "%s", pane);
    cr_assert(row, "no component %s", pane);
    cr_log_info("%s: %.2f ms, of itself %.2f of %.2f; the calls took %.2f", pane,
                number(row, "layout_ms"), number(row, "own_layout_ms"), cost.busy_ms, cost.call_ms);
    cr_expect_geq(number(row, "layout_ms"), RESIZES * INNER_LEAST_MS, "%s", pane);
    cr_expect_geq(number(row, "frames"), (double)cost.count, "%s", pane);
    cr_expect_str_eq(cJSON_GetObjectItem(row, "class")->valuestring, "UimonDemoPane");
    cr_expect_str_eq(cJSON_GetObjectItem(row, "handler")->valuestring, "pane_proc");
    if (!is_inner)
        return; /* the others cost so little that another message may cost more */
    cr_expect_geq(cost.busy_ms, RESIZES * INNER_MS);
    cr_expect_geq(number(row, "own_layout_ms"), RESIZES * INNER_LEAST_MS);
    cr_expect_str_eq(cJSON_GetObjectItem(row, "message")->valuestring, "WM_SIZE");
}

/* Of two panes, the one that cost more with all that lies within it comes first. Where uimon
 * has taken out too much for its hooks, the two can have cost the same. */
static void check_order(const cJSON *summary, const char *around, const char *within)
{
    double around_ms = number(find_component(summary, around), "layout_ms");
    double within_ms = number(find_component(summary, within), "layout_ms");
    cr_expect_geq(around_ms, within_ms, "%s and %s", around, within);
    cr_expect(around_ms == within_ms || place_of(summary, around) < place_of(summary, within),
              "%s does not come before %s", around, within);
}

/* Checks all panes, which were resized RESIZES times. */
static void check_panes(const cJSON *summary, const char *log)
{
    for (int i = PANES - 1; i >= 0; i--) {
        check_pane(summary, log, pane_names[i]);
        if (i + 1 < PANES)
            check_order(summary, pane_names[i], pane_names[i + 1]);
    }
}

/* The recording of a session whose panes are checked. Owner: as windows_path. */
static const char *recorded_panes(void)
{
    return windows_path(test_file("panes.uirec"));
}

/* Resizes panes within one another, until it is known who has handled that. */
static void resize_known(struct target *target)
{
    laid_out_resize(target);
    resize_panes(target, RESIZES, 1);
    wait_text(test_file("panes.uirec"), "pane_proc");
}

/* The same, and compares what the monitor says with the panes' log. */
static void check_resized(struct target *target, struct monitor *monitor)
{
    double own_ms = 0;
    resize_known(target);
    cJSON *summary = stop_monitor(monitor);
    check_panes(summary, target->log);
    for (int i = 0; i < PANES; i++) {
        const cJSON *row = find_component(summary, pane_names[i]);
        own_ms += number(row, "own_layout_ms");
        cr_expect_leq(number(row, "layout_ms"),
                      pane_cost(target->log, pane_names[i]).call_ms + COARSE_MS, "%s",
                      pane_names[i]);
        cr_expect_leq(number(row, "frames"), RESIZES, "%s", pane_names[i]);
    }
    cr_expect_lt(fabs(own_ms - number(find_component(summary, "outer"), "layout_ms")), 0.1,
                 "the panes do not add up");
    cJSON_Delete(summary);
}

Test(layout, panes_within_one_another_cost_what_they_say)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, "target_odd_win32", "--mode", "panes", NULL);
    start_monitor(&monitor, &target, "--layout", "--record", recorded_panes(), NULL);
    check_resized(&target, &monitor);
}

/* The inner pane's resizing that took longest, by the log. */
static struct um_demo_log_event longest_resize(const char *log)
{
    struct um_demo_log_event *events, longest = {.begin_ns = 0};
    size_t count = log_events(log, UM_DEMO_LOG_PANE, &events);
    for (size_t i = 0; i < count; i++)
        if (strcmp(events[i].name, "inner") == 0 &&
            events[i].end_ns - events[i].begin_ns > longest.end_ns - longest.begin_ns)
            longest = events[i];
    free(events);
    return longest;
}

/* The message that was retrieved before the freeze only began what others did. */
Test(layout, a_freeze_names_the_step_that_took_its_time)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, "target_odd_win32", "--mode", "panes", NULL);
    start_monitor(&monitor, &target, "--layout", NULL);
    laid_out_resize(&target);
    size_t before = lines_with(target.log, "panes ");
    trigger(&target, "panes:1x1500");
    wait_lines(target.log, "panes ", before + 1);
    resize_panes(&target, 1, (unsigned)before + 2);
    cJSON *summary = stop_monitor(&monitor);
    struct um_demo_log_event truth = longest_resize(target.log);
    double truth_ms = (double)(truth.end_ns - truth.begin_ns) / 1e6;
    cr_assert_geq(truth_ms, 1500);
    const cJSON *costliest = cJSON_GetObjectItem(find_freeze(summary, &truth), "costliest");
    cr_assert(costliest, "no costliest message");
    cr_expect_str_eq(cJSON_GetObjectItem(costliest, "message")->valuestring, "WM_SIZE");
    cr_expect_str_eq(cJSON_GetObjectItem(costliest, "window_class")->valuestring, "UimonDemoPane");
    cr_expect_leq(number(costliest, "ms"), truth_ms + COARSE_MS);
    cr_expect_geq(number(costliest, "ms") + held_up_ms(summary, &truth), truth_ms - COARSE_MS);
    cJSON_Delete(summary);
}

/* Everything that the target records of its layout becomes such frames of the feed. */
static size_t layout_frames(struct program *feed)
{
    cr_expect_eq(wait_end(feed, LIMIT_MS), 0);
    return lines_with(feed->out, "layout frame ");
}

/* The same target, resized as often: first without `--layout`, then with it. */
Test(layout, nothing_is_recorded_when_it_is_off)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    start_target(&target, "target_odd_win32", "--mode", "panes", NULL);
    start_monitor(&monitor, &target, "--layout", "off", NULL);
    tail_feed(&feed, &monitor);
    resize_panes(&target, RESIZES, 1);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(layout_frames(&feed), 0);
    cr_expect_eq(lines_with(monitor.program.err, "nobody has asked for"), 0, "the DLL records");
    cr_expect_eq(cJSON_GetObjectItem(summary, "layout"), NULL);
    cJSON_Delete(summary);

    start_monitor(&monitor, &target, "--layout", NULL);
    tail_feed(&feed, &monitor);
    laid_out_resize(&target);
    cJSON_Delete(stop_monitor(&monitor));
    cr_expect_gt(layout_frames(&feed), 0);
}

/* The tracer has set the same hooks before. They are taken away to find out what they cost. */
Test(layout, panes_cost_what_they_say_while_messages_are_traced)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, "target_odd_win32", "--mode", "panes", NULL);
    start_monitor(&monitor, &target, "--trace", "messages", "--layout", "--verbose", "--record",
                  recorded_panes(), NULL);
    check_resized(&target, &monitor);
    wait_line(monitor.program.err, "a message that one window sends another takes ");
}

/* The text has the panes in the order of the JSON. */
static void check_text(const cJSON *summary, const char *path)
{
    char *text = read_text(path), *at = text;
    const cJSON *row;
    size_t count = 0;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(summary, "layout"))
    {
        char shown[64];
        if (strcmp(cJSON_GetObjectItem(row, "class")->valuestring, "UimonDemoPane") != 0)
            continue;
        snprintf(shown, sizeof shown, " %s @ UimonDemoPane",
                 cJSON_GetObjectItem(row, "text")->valuestring);
        char *next = strstr(at, shown);
        cr_expect(next, "no%s: %s", shown, text);
        at = next ? next : at;
        count++;
    }
    cr_expect_eq(count, PANES);
    free(text);
}

/* The panes are made when they are asked for, and stay. */
Test(layout, panes_of_the_demo_cost_what_its_log_says)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, "--still", NULL);
    start_monitor(&monitor, &target, "--layout", "--record", recorded_panes(), NULL);
    resize_known(&target);
    cJSON *summary = stop_monitor(&monitor);
    check_panes(summary, target.log);
    check_text(summary, monitor.program.out);
    cJSON_Delete(summary);
}

/* Waits until the listener has told four intervals in which there was no more layout. */
static void wait_quiet(const char *jsonl)
{
    static cJSON *lines[LISTENED_LINES];
    for (size_t quiet = 0; quiet < 4;) {
        wait_lines(jsonl, "", lines_with(jsonl, "") + 1);
        size_t count = listened_read(jsonl, lines);
        quiet = 0;
        for (size_t i = 0; i < count; i++) {
            const cJSON *values = cJSON_GetObjectItem(lines[i], "values");
            quiet = !values || cJSON_GetObjectItem(values, "layout/inner") ? 0 : quiet + 1;
            cJSON_Delete(lines[i]);
        }
    }
}

/* Each interval in which the inner pane was resized has what that costs. Returns the worst. */
static double check_heard(const char *jsonl)
{
    static cJSON *lines[LISTENED_LINES];
    double worst_ms = 0;
    size_t told = 0;
    size_t count = listened_read(jsonl, lines);
    for (size_t i = 0; i < count; i++) {
        const cJSON *values = cJSON_GetObjectItem(lines[i], "values");
        const cJSON *inner = cJSON_GetObjectItem(values, "layout/inner");
        cr_expect_null(cJSON_GetObjectItem(values, "beats-lost"));
        if (inner) {
            told++;
            worst_ms = fmax(worst_ms, listened_value(inner, "max"));
            cr_expect_geq(listened_value(inner, "max"), INNER_LEAST_MS);
            cr_expect_geq(listened_value(inner, "mean"), INNER_LEAST_MS);
            cr_expect_geq(listened_value(inner, "arrange"), INNER_LEAST_MS);
        }
        cJSON_Delete(lines[i]);
    }
    cr_expect(told > 0 && told < count, "%zu of %zu", told, count);
    return worst_ms;
}

/* Resizes the panes twice, to another size and back. */
static void resize_twice(const struct target *target, unsigned nth)
{
    resize_panes(target, 2, nth);
}

/* The counters of the panes, as a listener of the whole run is told them. */
Test(layout, what_panes_cost_is_heard_live)
{
    struct target target;
    struct monitor monitor;
    struct program listener, query;
    char jsonl[PATH_BYTES];

    start_target(&target, "target_odd_win32", "--mode", "panes", NULL);
    start_monitor(&monitor, &target, "--layout", NULL);
    snprintf(jsonl, sizeof jsonl, "%s", laid_out_listen(&target, &listener));
    unsigned before = laid_out_repeat(&target, resize_twice, jsonl);
    unsigned times = before;
    start(&query, "uimon", "query", decimal(target.pid), "layout/inner.max", NULL);
    /* It waits for an interval with layout in it. */
    WAIT_UNTIL((resize_twice(&target, ++times), !is_running(&query)), "nobody hears of the layout");
    resize_panes(&target, RESIZES, times + 1);
    wait_quiet(jsonl);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(wait_end(&listener, LIMIT_MS), 0);
    double worst_ms = check_heard(jsonl);
    const cJSON *row = find_component(summary, "inner");
    cr_assert(row);
    cr_expect_geq(number(row, "frames"), RESIZES + 2 * (times - before) - 1);
    cr_expect_leq(worst_ms, number(row, "worst_frame_ms") + 0.001);
    cr_expect_eq(wait_end(&query, LIMIT_MS), 0);
    char *asked = read_text(query.out);
    cr_expect(strtod(asked, NULL) >= INNER_LEAST_MS && strtod(asked, NULL) < worst_ms + 0.001, "%s",
              asked);
    free(asked);
    cJSON_Delete(summary);
}

/* How many lines have what the layout of the window costs, with all that lies within it. */
static size_t heard_window(const char *jsonl)
{
    return lines_with(jsonl, "\"layout/uimon demo\":");
}

/* Nobody does anything after the last resize. */
Test(layout, a_frame_is_told_also_when_the_program_rests_after_it)
{
    struct target target;
    struct monitor monitor;
    struct program listener;
    char jsonl[PATH_BYTES];

    start_target(&target, "target_odd_win32", "--mode", "panes", NULL);
    start_monitor(&monitor, &target, "--layout", NULL);
    snprintf(jsonl, sizeof jsonl, "%s", laid_out_listen(&target, &listener));
    laid_out_repeat(&target, resize_twice, jsonl);
    wait_quiet(jsonl);
    size_t before = heard_window(jsonl);
    probe("move", hwnd_text(target.hwnd), "50", "50", "620", "420", NULL);
    WAIT_UNTIL(heard_window(jsonl) > before, "the last frame is not told");
    cJSON_Delete(stop_monitor(&monitor));
}

/* Of all components of a class: how many layout frames they had, and how long their own layout
 * took. Returns how many there are. */
static int sum_of(const cJSON *summary, const char *class_name, double *frames, double *own_ms)
{
    const cJSON *row;
    int count = 0;
    *frames = *own_ms = 0;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(summary, "layout"))
    {
        if (strcmp(cJSON_GetObjectItem(row, "class")->valuestring, class_name) != 0)
            continue;
        *frames += number(row, "frames");
        *own_ms += number(row, "own_layout_ms");
        count++;
    }
    return count;
}

/* One window comes and goes. */
static void churn_once(const struct target *target, unsigned nth)
{
    probe("post", hwnd_text(target->hwnd), "UimonTestChurn", "1", NULL);
    wait_lines(target->program.out, "churn done", nth);
}

/* So many windows come and go while their layout is measured. Returns the summary and the most
 * frames that those of a class can have. Owner: cJSON_Delete. */
static cJSON *churn(unsigned windows, double *most)
{
    struct target target;
    struct monitor monitor;
    struct program listener;
    char jsonl[PATH_BYTES];

    start_target(&target, "target_odd_win32", "--mode", "churn", NULL);
    start_monitor(&monitor, &target, "--layout", NULL);
    snprintf(jsonl, sizeof jsonl, "%s", laid_out_listen(&target, &listener));
    unsigned before = laid_out_repeat(&target, churn_once, jsonl);
    probe("post", hwnd_text(target.hwnd), "UimonTestChurn", decimal(windows), NULL);
    uint64_t until = unix_now_ms() + 600000;
    while (lines_with(target.program.out, "churn done") == before) {
        cr_assert_lt(unix_now_ms(), until, "the windows do not come to an end");
        sleep_ms(50);
    }
    *most = windows / 2.0 + before;
    return stop_monitor(&monitor);
}

/* Every other window is slow, and their handles are used again. Some are gone before uimon has
 * asked for their names, and have none; some are asked before they have their text, and are a row
 * of their own. */
static void check_names(const cJSON *summary, double most)
{
    static const char *const classes[] = {"UimonSlow", "UimonQuick"};
    double frames, own_ms;
    for (size_t i = 0; i < 2; i++) {
        int rows = sum_of(summary, classes[i], &frames, &own_ms);
        cr_expect(rows == 1 || rows == 2, "%d rows, in place of one for each name", rows);
        cr_expect(frames > 0 && frames <= most, "%g frames", frames);
        if (i == 0)
            cr_expect_gt(own_ms, 0, "%g frames cost nothing", frames);
    }
}

Test(layout, windows_that_come_and_go_keep_their_names)
{
    double most;
    cJSON *summary = churn(300, &most);
    check_names(summary, most);
    cJSON_Delete(summary);
}

/* What a slow one has cost does not become a quick one's. */
Test(layout, six_thousand_windows_that_come_and_go_keep_their_names_and_costs, .measured = true)
{
    double slow_frames, slow_ms, quick_frames, quick_ms, most;
    cJSON *summary = churn(6000, &most);
    check_names(summary, most);
    sum_of(summary, "UimonSlow", &slow_frames, &slow_ms);
    sum_of(summary, "UimonQuick", &quick_frames, &quick_ms);
    cr_log_info("slow: %g ms in %g frames; quick: %g in %g", slow_ms, slow_frames, quick_ms,
                quick_frames);
    cr_expect_lt(quick_ms / quick_frames, slow_ms / slow_frames - 1);
    cJSON_Delete(summary);
}

Test(layout, a_target_that_is_killed_meanwhile_ends_the_session)
{
    struct target target;
    struct monitor monitor;
    struct program listener;
    char jsonl[PATH_BYTES];

    start_target(&target, "target_odd_win32", "--mode", "churn", NULL);
    start_monitor(&monitor, &target, "--layout", NULL);
    snprintf(jsonl, sizeof jsonl, "%s", laid_out_listen(&target, &listener));
    probe("post", hwnd_text(target.hwnd), "UimonTestChurn", "1000000", NULL);
    wait_lines(jsonl, "\"layout/", 6); /* the sums are told less often */
    kill_hard(&target.program);
    cJSON *summary = finish_monitor(&monitor);
    cr_expect_gt(number(cJSON_GetObjectItem(summary, "layout_frames"), "count"), 0);
    cJSON_Delete(summary);
}

/* What the target has said: "made combo 1 3". `title` is the component's text or class: a combo box
 * keeps its text to itself. */
static void check_made(const cJSON *summary, const char *said, const char *name, const char *title)
{
    char head[64];
    unsigned authored, rendered;
    snprintf(head, sizeof head, "made %s ", name);
    const char *at = strstr(said, head);
    cr_assert(at && sscanf(at + strlen(head), "%u %u", &authored, &rendered) == 2, "%s", said);
    const cJSON *row = find_component(summary, title);
    if (!row && strcmp(name, "dialog") == 0)
        row = find_component(summary, "#32770"); /* it was asked before it had its text */
    cr_assert(row, "no component %s", name);
    cr_log_info("%s: %u and %u", name, authored, rendered);
    cr_expect_eq(number(row, "authored"), authored, "%s", name);
    cr_expect_eq(number(row, "rendered"), rendered, "%s", name);
}

Test(layout, windows_that_the_program_has_created_are_told_from_those_of_controls)
{
    static const char *const made[][2] = {{"old list", "old list"},
                                          {"combo", "ComboBox"},
                                          {"list", "list"},
                                          {"buttons", "buttons"},
                                          {"dialog", "dialog"}};
    struct target target;
    struct monitor monitor;

    start_target(&target, "target_odd_win32", "--mode", "makes", NULL);
    start_monitor(&monitor, &target, "--layout", NULL);
    laid_out_resize(&target);
    probe("post", hwnd_text(target.hwnd), "UimonTestMakes", "1", NULL);
    wait_line(target.program.out, "made all");
    cJSON *summary = stop_monitor(&monitor);
    char *said = read_text(target.program.out);
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        check_made(summary, said, made[i][0], made[i][1]);
    cr_expect(!find_component(summary, "helper") && !find_component(summary, "Message"),
              "a message-only window counts");
    free(said);
    cJSON_Delete(summary);
}

#define OWNER_ROUNDS 10

/* A step of a control in which its parent was busy for so long is that control's. The parent says
 * that each time: "drawn 101 NS". */
static void check_owner_drawn(const cJSON *summary, const char *said, const char *what,
                              const char *id, const char *time)
{
    char head[64];
    double busy_ms = 0;
    snprintf(head, sizeof head, "%s %s ", what, id);
    for (const char *at = said; (at = strstr(at, head)); at += strlen(head))
        busy_ms += strtod(at + strlen(head), NULL) / 1e6;
    const cJSON *row = find_component(summary, id);
    cr_assert(row, "no component %s", id);
    cr_expect_gt(busy_ms, COARSE_MS, "%s was asked too seldom to judge", id);
    cr_expect_geq(number(row, time), busy_ms - COARSE_MS, "%s", id);
}

/* The controls of tests/win/owner_drawn_win32.h are components, each called by its number. Returns
 * the summary, and what the target has said. Owner: cJSON_Delete, free. */
static cJSON *watch_owner_drawn(char **said)
{
    struct target target;
    struct monitor monitor;
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s", test_file("parts.txt"));
    FILE *file = open_file(path, "wb");
    cr_assert(file);
    for (int id = 101; id <= 106; id++)
        fprintf(file, "id:%d = %d\n", id, id);
    fclose(file);
    start_target(&target, "target_odd_win32", "--mode", "owner-drawn", NULL);
    start_monitor(&monitor, &target, "--layout", "--layout-components", windows_path(path), NULL);
    laid_out_resize(&target);
    probe("post", hwnd_text(target.hwnd), "UimonTestOwner", decimal(OWNER_ROUNDS), NULL);
    wait_line(target.program.out, "owner done");
    cJSON *summary = stop_monitor(&monitor);
    *said = read_text(target.program.out);
    return summary;
}

/* The parent handles these messages, and they are about a control in it. */
Test(layout, what_a_parent_does_for_a_control_is_the_controls)
{
    char *said;
    cJSON *summary = watch_owner_drawn(&said);
    check_owner_drawn(summary, said, "drawn", "101", "paint_ms");
    check_owner_drawn(summary, said, "drawn", "102", "paint_ms");
    check_owner_drawn(summary, said, "drawn", "103", "paint_ms");
    check_owner_drawn(summary, said, "measured", "104", "measure_ms");
    free(said);
    cJSON_Delete(summary);
}

/* Both windows get the same message; one is of a class that is made of the header's. */
Test(layout, a_number_that_is_private_to_a_class_counts_for_that_class_alone)
{
    char *said;
    cJSON *summary = watch_owner_drawn(&said);
    check_owner_drawn(summary, said, "laid", "106", "measure_ms");
    cr_expect_str_eq(cJSON_GetObjectItem(find_component(summary, "106"), "message")->valuestring,
                     "HDM_LAYOUT");
    const cJSON *other = cJSON_GetObjectItem(find_component(summary, "105"), "message");
    cr_expect(!other || strcmp(other->valuestring, "HDM_LAYOUT") != 0);
    cr_expect(strstr(said, "laid 105 "));
    free(said);
    cJSON_Delete(summary);
}

Test(layout, components_are_those_that_a_file_chooses)
{
    struct target target;
    struct monitor monitor;
    struct program listener;
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s", test_file("parts.txt"));
    FILE *file = open_file(path, "wb");
    cr_assert(file);
    fputs("# the second pane\ntext:MIDDLE = The second\nid:77\n", file);
    fclose(file);
    start_target(&target, "target_odd_win32", "--mode", "panes", NULL);
    start_monitor(&monitor, &target, "--layout", "--layout-components", windows_path(path), NULL);
    snprintf(path, sizeof path, "%s", laid_out_listen(&target, &listener));
    laid_out_repeat(&target, resize_twice, path);
    cJSON *summary = stop_monitor(&monitor);
    const cJSON *second = find_component(summary, "The second");
    cr_assert(second, "it is not there");
    cr_expect_str_eq(cJSON_GetObjectItem(second, "class")->valuestring, "UimonDemoPane");
    cr_expect_eq(number(second, "rendered"), 3, "itself, the inner one and its label");
    cr_expect(!find_component(summary, "inner") && !find_component(summary, "outer"));
    cJSON_Delete(summary);
}
