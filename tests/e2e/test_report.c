/* The pages of `uimon report` and `uimon history show`, opened in a browser: what they show is what
 * was recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"
#include "tests/e2e/pages.h"
#include "tests/e2e/laid_out.h"
#include "tests/e2e/panes.h"
#include "tests/e2e/sampled.h"
#include "tests/history_lines.h"

/* Interactions of all kinds, by the summary. */
static int count_interactions(const cJSON *summary)
{
    static const char *const kinds[] = {"key", "click", "wheel"};
    int count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "interactions.%s.count", kinds[i]);
        count += has_number(summary, path) ? (int)number(summary, path) : 0;
    }
    return count;
}

/* How many messages a bundle of the flight recorder lists: they stand behind the line of titles. */
static int count_messages(const char *dir, const cJSON *summary)
{
    char path[2 * PATH_BYTES];
    const cJSON *bundle = cJSON_GetArrayItem(cJSON_GetObjectItem(summary, "bundles"), 0);
    const char *folder = cJSON_GetStringValue(cJSON_GetObjectItem(bundle, "folder"));
    int count = 0;
    cr_assert(folder && strrchr(folder, '\\'), "no freeze was saved");
    snprintf(path, sizeof path, "%s/%s/messages.txt", dir, strrchr(folder, '\\') + 1);
    char *text = read_text(path);
    const char *at = strstr(text, "took  message");
    cr_assert(at != NULL, "%s", text);
    for (at = strchr(at, '\n'); at && at[1] != '\0'; at = strchr(at + 1, '\n'))
        count++;
    free(text);
    return count;
}

/* Types into the demo, and makes it freeze once more when it has taken all keys: when that is over,
 * it has painted what it was typed, too. */
static void type_text(const struct target *target, const char *text)
{
    wait_front(target);
    x_type(text);
    wait_lines(target->log, " WM_KEYUP ", strlen(text));
    trigger(target, "wait:300," LASTING_FREEZE);
}

Test(report, page_shows_what_was_recorded)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char recording[PATH_BYTES];
    char page[PATH_BYTES];
    char windows_page[PATH_BYTES];
    char dumps[PATH_BYTES];
    const char *out;
    const char *err;

    snprintf(dumps, sizeof dumps, "%s", test_folder("dumps"));
    snprintf(recording, sizeof recording, "%s", windows_path(test_file("page.uirec")));
    snprintf(page, sizeof page, "%s", test_file("page.html"));
    snprintf(windows_page, sizeof windows_page, "%s", windows_path(page));
    start_target(&target, NULL, "--animate", "--title", "</script><b>&amp;", NULL);
    start_monitor(&monitor, &target, "--interactions", "--record", recording, "--dump-dir",
                  windows_path(dumps), "--dump-over", "200", NULL);
    tail_feed(&feed, &monitor);
    /* Each alone: two that follow each other would be one. */
    freeze_once(&target, &feed, LASTING_FREEZE, 1);
    freeze_once(&target, &feed, "wait:1500," LASTING_FREEZE, 2);
    type_text(&target, "the quick brown fox");
    struct um_demo_log_event *freezes = wait_freezes(&target, 3);
    wait_told(&feed, &freezes[2]);
    free(freezes);
    cJSON *summary = stop_monitor(&monitor);
    check_freezes(summary, &target);
    cr_expect_eq(count_interactions(summary), 19, "%d of 19 keys", count_interactions(summary));
    cr_expect_eq(run(&out, &err, "uimon", "report", recording, "--html", windows_page, NULL), 0,
                 "%s", err);

    look_at("check_page.py recorded %s %d %d %d", page, (int)number(summary, "freezes.count"),
            count_interactions(summary), count_messages(dumps, summary));
    char *text = read_text(page);
    cr_expect(strstr(text, "<pre>uimon-demo.exe (pid "), "the page has no text");
    cr_expect(strstr(text, "  &lt;/script>&lt;b>&amp;amp;\n"), "it lacks the title");
    free(text);
    cJSON_Delete(summary);
}

/* Stacks, with the source of the demo that was built here: the page is used by keyboard and by
 * clicks. */
Test(report, page_shows_where_it_was)
{
    struct target target;
    struct monitor monitor;
    char recording[PATH_BYTES], page[PATH_BYTES], json[PATH_BYTES];
    const char *out;
    const char *err;

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("stacks.uirec")));
    snprintf(page, sizeof page, "%s", test_file("stacks.html"));
    snprintf(json, sizeof json, "%s", test_file("stacks.json"));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--record", recording, NULL);
    sampled_freezes(&target, "spin:1000", test_file("stacks.uirec"), "um_demo_ui_block");
    sampled_freezes(&target, "1000", test_file("stacks.uirec"), "um_timer_wait");
    cJSON_Delete(stop_monitor(&monitor));
    char windows_page[PATH_BYTES], windows_json[PATH_BYTES];
    snprintf(windows_page, sizeof windows_page, "%s", windows_path(page));
    snprintf(windows_json, sizeof windows_json, "%s", windows_path(json));
    cr_expect_eq(run(&out, &err, "uimon", "report", recording, "--html", windows_page, "--json",
                     windows_json, "--mine", "uimon-demo", "--source-path",
                     windows_path(UM_SOURCE_DIR), "--editor-link", "vscode://file/{file}:{line}",
                     NULL),
                 0, "%s", err);
    char *text = read_text(page);
    cr_expect(strstr(text, "void um_demo_ui_block("), "the source of the demo is not in the page");
    free(text);
    cJSON *summary = read_json(json);
    look_at("check_page.py stacks %s um_demo_ui_block %d", page,
            (int)number(summary, "profile.samples"));
    cJSON_Delete(summary);
    char source[PATH_BYTES]; /* DWARF has no checksum of it */
    snprintf(source, sizeof source, "%s", windows_path(UM_SOURCE_DIR "/demo/spin_win32.h"));
    for (char *at = source; *at; at++)
        *at = *at == '\\' ? '/' : *at;
    look_at("check_page.py source %s unknown '%s' 'static inline void um_demo_spin_ns('", page,
            source);
}

/* Makes the page of a recording, and looks at its flows beside what `uimon flows` says of them.
 * `what`: what to look at, as check_flows.py takes it before the files. */
static void check_flows(const char *name, const char *what)
{
    char recording[PATH_BYTES], page[PATH_BYTES], json[PATH_BYTES];
    char windows_page[PATH_BYTES], windows_json[PATH_BYTES];
    const char *out;
    const char *err;

    snprintf(recording, sizeof recording, "%s", windows_path(test_file(name)));
    snprintf(page, sizeof page, "%s", test_file("flows.html"));
    snprintf(json, sizeof json, "%s", test_file("flows.json"));
    snprintf(windows_page, sizeof windows_page, "%s", windows_path(page));
    snprintf(windows_json, sizeof windows_json, "%s", windows_path(json));
    cr_expect_eq(run(&out, &err, "uimon", "report", recording, "--html", windows_page, NULL), 0,
                 "%s", err);
    cr_expect_eq(run(&out, &err, "uimon", "flows", recording, "--json", windows_json, NULL), 0,
                 "%s", err);
    look_at("check_flows.py %s %s %s", what, page, json);
}

/* Keys that wait in a freeze, which lasts until all have been typed: their flows are followed with
 * the mouse, with the keyboard alone, and as a screen reader does it. */
Test(report, page_follows_flows)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char recording[PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("keys.uirec")));
    start_target(&target, NULL, "--still", "--typing", "plain", NULL);
    start_monitor(&monitor, &target, "--interactions", "--threshold", "1000", "--record", recording,
                  NULL); /* so that a busy machine makes no other freeze */
    tail_feed(&feed, &monitor);
    probe("front", hwnd_text(target.hwnd), NULL);
    hold(&target, "5000");
    probe("keys", hwnd_text(target.hwnd), "flow", "4", NULL);
    let_go(&target);
    wait_lines(feed.out, "interaction key", 4);
    cJSON_Delete(stop_monitor(&monitor));
    check_flows("keys.uirec", "");
}

/* A message that is sent within another one: an arrow leads from that one's row to it. */
Test(report, page_shows_what_ran_around_a_marker)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char recording[PATH_BYTES];
    size_t floods = 0;

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("nested.uirec")));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--trace", "events", "--record", recording, NULL);
    tail_feed(&feed, &monitor);
    uint64_t until_ms = unix_now_ms() + LIMIT_MS;
    do { /* messages that are not judged, until the feed tells that messages are traced */
        cr_assert_lt(unix_now_ms(), until_ms, "messages are not traced");
        trigger(&target, "flood:1");
        wait_lines(target.log, "flood ", ++floods);
    } while (!has_line(feed.out, "traced_call "));
    trigger(&target, "nest:3x60,wait:100,20");
    free(wait_freezes(&target, 1)); /* so what is around the messages is over, too */
    cJSON_Delete(stop_monitor(&monitor));
    check_flows("nested.uirec", "--contexts WM_APP+13 WM_APP+20");
}

/* Makes the page of a recording, and compares its tracks with what is in the recording. */
static void check_tracks(const char *name)
{
    char recording[PATH_BYTES], page[PATH_BYTES], windows[2][PATH_BYTES];
    const char *out;
    const char *err;

    snprintf(recording, sizeof recording, "%s", test_file(name));
    snprintf(page, sizeof page, "%s", test_file("tracks.html"));
    snprintf(windows[0], PATH_BYTES, "%s", windows_path(recording));
    snprintf(windows[1], PATH_BYTES, "%s", windows_path(page));
    cr_assert_eq(run(&out, &err, "uimon", "report", windows[0], "--html", windows[1], NULL), 0,
                 "%s", err);
    look_at("check_curves.py %s %s", page, recording);
}

/* A recording that has all tracks, with gaps and hostile names, by a program that is not uimon. */
Test(report, page_has_tracks_of_what_else_was_counted)
{
    look_at("check_curves.py make %s", test_file("made.uirec"));
    check_tracks("made.uirec");
}

/* Recordings of traced methods, by a program that is not uimon; the report and the comparison are
 * made by uimon as it is built for this system. */
Test(report, page_has_the_calls_of_methods)
{
    look_at("check_methods.py %s/uimon %s", UM_PROGRAMS, test_folder("methods"));
}

/* A recording by a program that is not uimon, whose freezes are longer than the lag of any beat.
 * The report is made by uimon as it is built for this system. */
Test(report, page_has_one_number_for_each_quantity)
{
    look_at("check_numbers.py %s/uimon %s", UM_PROGRAMS, test_folder("numbers"));
}

/* The pages on servers that block scripts, styles or neither. They are made by uimon as it is built
 * for this system. */
Test(report, page_has_its_numbers_where_its_script_is_blocked)
{
    look_at("check_blocked.py %s/uimon %s", UM_PROGRAMS, test_folder("blocked"));
}

/* Prometheus' file has the metric, and it is not 0. */
static bool is_counted(const char *metric)
{
    char *text = read_text(test_file("demo.prom"));
    bool is_so = false;
    for (const char *line = text; line && !is_so; line = strchr(line + 1, '\n')) {
        const char *name = line + (*line == '\n');
        const char *value = strchr(name, '}');
        is_so = value && strncmp(name, metric, strlen(metric)) == 0 && strtod(value + 1, NULL) > 0;
    }
    free(text);
    return is_so;
}

/* The demo's pool is starved, its frames and messages are counted as long as Prometheus' file is
 * written. */
Test(report, tracks_are_those_of_a_recorded_program)
{
    struct target target;
    struct monitor monitor;
    char recording[PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("demo.uirec")));
    start_target(&target, NULL, "--animate", NULL);
    start_monitor(&monitor, &target, "--record", recording, "--prometheus",
                  windows_path(test_file("demo.prom")), NULL);
    trigger(&target, "400");
    WAIT_UNTIL(is_counted("uimon_messages_retrieved_total") &&
                   is_counted("uimon_frames_painted_total") &&
                   is_counted("uimon_threadpool_queue_delay_seconds_count"),
               "something is not counted");
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_gt(number(summary, "rates.messages_per_s"), 0);
    cr_expect_gt(number(summary, "rates.frames_per_s"), 0);
    cr_expect_gt(number(summary, "threadpool.delay_ms.count"), 0);
    cJSON_Delete(summary);
    check_tracks("demo.uirec");
}

/* A recording that grows, by a program that is not uimon, is followed by uimon as it is built for
 * this system; the page is open in a browser meanwhile. */
Test(report, page_of_a_growing_recording_keeps_its_place)
{
    look_at("check_follow.py %s/uimon %s", UM_PROGRAMS, test_folder("followed"));
}

/* When a page was made that another one follows, which the page says; 0: it is the last one. Units:
 * ms. */
static double made_at(const char *page)
{
    char *text = read_text(page);
    const char *follow = strstr(text, "\"follow\":");
    const char *made = follow ? strstr(follow, "\"made_utc_ms\":") : NULL;
    double at = made ? strtod(made + strlen("\"made_utc_ms\":"), NULL) : 0;
    free(text);
    return at;
}

/* Whoever records and who follows are two programs under Wine: the page is there while it is
 * recorded, and the end is seen. */
Test(report, following_ends_with_the_recording)
{
    struct target target;
    struct monitor monitor;
    struct program follower, feed;
    char recording[PATH_BYTES], page[PATH_BYTES], windows[2][PATH_BYTES];

    snprintf(recording, sizeof recording, "%s", test_file("followed.uirec"));
    snprintf(page, sizeof page, "%s", test_file("followed.html"));
    snprintf(windows[0], PATH_BYTES, "%s", windows_path(recording));
    snprintf(windows[1], PATH_BYTES, "%s", windows_path(page));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--record", windows[0], NULL);
    start(&follower, "uimon", "report", windows[0], "--html", windows[1], "--follow", NULL);
    WAIT_UNTIL(made_at(page) > 0, "there is no page");
    tail_feed(&feed, &monitor);
    freeze_once(&target, &feed, LASTING_FREEZE, 1);
    double made_ms = made_at(page);
    WAIT_UNTIL(made_at(page) > made_ms, "it is not made anew");
    cr_expect(is_running(&follower));
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(wait_end(&follower, LIMIT_MS), 0);
    char *text = read_text(page);
    cr_expect(!strstr(text, "\"follow\":"), "the last one has one after it");
    cr_expect(strstr(text, "\"whole\":true"));
    free(text);
    check_freezes(summary, &target);
    cJSON_Delete(summary);
}

/* Compares a recording with itself: each component costs as much as it does. */
static void compare_layout(const char *recording, int components)
{
    char page[PATH_BYTES], json[PATH_BYTES], windows_page[PATH_BYTES], windows_json[PATH_BYTES];
    const char *out;
    const char *err;
    const cJSON *row;

    snprintf(page, sizeof page, "%s", test_file("layout_diff.html"));
    snprintf(json, sizeof json, "%s", test_file("layout_diff.json"));
    snprintf(windows_page, sizeof windows_page, "%s", windows_path(page));
    snprintf(windows_json, sizeof windows_json, "%s", windows_path(json));
    cr_assert_eq(run(&out, &err, "uimon", "compare", recording, recording, "--html", windows_page,
                     "--json", windows_json, NULL),
                 0, "%s", err);
    cr_expect(strstr(out, "inner @ UimonDemoPane < middle"), "%s", out);
    cJSON *root = read_json(json);
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "layout")), components);
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(root, "layout"))
    {
        if (number(row, "before.layout_ms") > 0)
            cr_expect_eq(number(row, "ratio"), 1);
    }
    cJSON_Delete(root);
    look_at("check_page.py layout-diff %s %d inner", page, components);
}

/* The page of panes within one another (demo/panes_win32.h). The last of five resizes makes the
 * outer pane 399 px wide, and 300 high. Each pane lies 6 px within the one around it. */
Test(report, page_shows_what_layout_costs)
{
    struct target target;
    struct monitor monitor;
    char recording[PATH_BYTES], page[PATH_BYTES], windows_page[PATH_BYTES];
    const char *out;
    const char *err;

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("panes.uirec")));
    snprintf(page, sizeof page, "%s", test_file("panes.html"));
    snprintf(windows_page, sizeof windows_page, "%s", windows_path(page));
    start_target(&target, "target_odd_win32", "--mode", "panes", NULL);
    start_monitor(&monitor, &target, "--layout", "--sample", "off", "--record", recording, NULL);
    laid_out_resize(&target);
    resize_panes(&target, 5, 1);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(run(&out, &err, "uimon", "report", recording, "--html", windows_page, NULL), 0,
                 "%s", err);
    look_at("check_page.py layout %s %d middle inner 22 22 375 276", page,
            cJSON_GetArraySize(cJSON_GetObjectItem(summary, "layout")));
    compare_layout(recording, cJSON_GetArraySize(cJSON_GetObjectItem(summary, "layout")));
    cJSON_Delete(summary);
}

/* Records freezes, until a function in them has its name. */
static void record_freeze(const char *play, const char *function, char *recording, size_t cap)
{
    struct target target;
    struct monitor monitor;
    const char *name = play[0] == 's' ? "a.uirec" : "b.uirec";

    snprintf(recording, cap, "%s", windows_path(test_file(name)));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--record", recording, NULL);
    sampled_freezes(&target, play, test_file(name), function);
    cJSON_Delete(stop_monitor(&monitor));
    kill_hard(&target.program);
}

/* Before, the demo works until the time is over; after, it sleeps. */
Test(report, two_recordings_are_compared_by_their_stacks)
{
    char before[PATH_BYTES], after[PATH_BYTES], page[PATH_BYTES], json[PATH_BYTES];
    char windows_page[PATH_BYTES], windows_json[PATH_BYTES];
    const char *out;
    const char *err;

    record_freeze("spin:1000", "um_demo_ui_block", before, sizeof before);
    record_freeze("1000", "um_timer_wait", after, sizeof after);
    snprintf(page, sizeof page, "%s", test_file("diff.html"));
    snprintf(json, sizeof json, "%s", test_file("diff.json"));
    snprintf(windows_page, sizeof windows_page, "%s", windows_path(page));
    snprintf(windows_json, sizeof windows_json, "%s", windows_path(json));
    cr_assert_eq(run(&out, &err, "uimon", "compare", before, after, "--hide",
                     "ntdll,kernelbase,kernel32,user32", "--html", windows_page, "--json",
                     windows_json, NULL),
                 0, "%s", err);
    const char *slower = strstr(out, "Slower"), *faster = strstr(out, "Faster");
    cr_assert(slower && faster, "%s", out);
    const char *sleeps = strstr(slower, "um_timer_wait"),
               *spins = strstr(faster, "um_demo_ui_block");
    cr_expect(sleeps && sleeps < faster && spins, "%s", out);
    cJSON *root = read_json(json);
    cr_expect(number(root, "after.samples") >= 1 && number(root, "before.samples") >= 1);
    cr_expect_gt(cJSON_GetArraySize(cJSON_GetObjectItem(root, "functions")), 3);
    cJSON_Delete(root);
    look_at("check_page.py diff %s um_timer_wait", page);
    cr_expect_eq(run(&out, &err, "uimon", "compare", before, after, "--fail-over", "x=1ms", NULL),
                 2);
    cr_expect(strstr(err, "--fail-over"), "%s", err);
}

/* Checks the page of a history that has one change, at a label. Frees the lines. */
static void check_history_page(struct growing_text lines, const char *label)
{
    char page[PATH_BYTES];
    char history[PATH_BYTES];
    char windows_history[PATH_BYTES];
    const char *out;
    const char *err;

    snprintf(page, sizeof page, "%s", test_file("history.html"));
    snprintf(history, sizeof history, "%s", test_file("history.jsonl"));
    snprintf(windows_history, sizeof windows_history, "%s", windows_path(history));
    FILE *file = fopen(history, "wb");
    cr_assert(file && fputs(lines.text, file) >= 0 && fclose(file) == 0);
    free(lines.text);
    cr_expect_eq(run(&out, &err, "uimon", "history", "show", windows_history, "--html",
                     windows_path(page), NULL),
                 0, "%s", err);
    look_at("check_page.py history %s 1 1 %s", page, label);
}

/* A history with one step, and with a label that looks like markup. */
Test(report, page_of_a_history_shows_its_changes)
{
    struct growing_text lines = {0};
    history_lines_step(&lines, 30, 18);
    history_lines_add(&lines, "</script><b>&amp;", 25);
    check_history_page(lines, "c18");
}

/* In each the numbers before and after would be the same if they were rounded as others. */
Test(report, page_of_a_history_shows_that_a_small_change_is_one)
{
    static const double levels[][2] = {{12, 12.012}, {0, 0.002}};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        struct growing_text lines = {0};
        history_lines_levels(&lines, levels[i][0], levels[i][1]);
        check_history_page(lines, "c20");
    }
}
