/* Launchers: the program that `--launch` starts is not the one that the user wants to see. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define LAUNCHED "ended with exit code 3" /* tests/win/launcher_win32.c */

/* Starts a launcher with uimon, whose standard output gets the rows of the CSV. */
static void launch(struct monitor *monitor, const char *how)
{
    char program[PATH_BYTES];
    snprintf(program, sizeof program, "%s", windows_path(test_program("launcher_win32")));
    snprintf(monitor->json, PATH_BYTES, "%s", test_file("launch.json"));
    start(&monitor->program, "uimon", "--headless", "--verbose", "--csv", "-", "--json",
          windows_path(monitor->json), "--launch", program, how, NULL);
}

/* The one window with that title, hidden or shown, once it is there, as the system knows it. */
static struct target window_of(const char *title)
{
    struct target found = {.window_class = NULL};
    const char *line = "";
    unsigned long long hwnd;
    unsigned long pid;
    WAIT_UNTIL(*(line = probe("find", title, NULL)), "no window is called %s", title);
    cr_assert_eq(sscanf(line, "0x%llx %lu", &hwnd, &pid), 2, "%s", line);
    found.hwnd = hwnd;
    found.pid = (uint32_t)pid;
    return found;
}

/* A line of uimon's with the texts around the id of a window's process. */
static void wait_named(const struct monitor *monitor, const struct target *child,
                       const char *before, const char *after)
{
    char named[200];
    snprintf(named, sizeof named, "%s%lu%s", before, (unsigned long)child->pid, after);
    wait_line(monitor->program.err, named);
}

/* The child is watched, until its window is closed; and the session is about it. */
static void watch_to_the_end(struct monitor *monitor, const struct target *child)
{
    char row[100];
    wait_named(monitor, child, "watching launcher_win32.exe (pid ", ", ");
    wait_line(monitor->program.err, "measuring has begun");
    probe("close", hwnd_text(child->hwnd), NULL);
    cJSON *summary = finish_monitor(monitor);
    cr_expect_eq(number(summary, "target.pid"), child->pid);
    cr_expect_eq(lines_with(monitor->program.out, "Uimon,ProcessName"), 1, "heads of the table");
    snprintf(row, sizeof row, "launcher_win32.exe,%lu,beat", (unsigned long)child->pid);
    cr_expect_gt(lines_with(monitor->program.out, row), 0);
    cJSON_Delete(summary);
}

Test(launch, watches_what_a_launcher_has_started)
{
    struct monitor monitor;
    launch(&monitor, "exit");
    struct target child = window_of("first");
    wait_named(&monitor, &child, LAUNCHED " before it could be watched; launcher_win32.exe (pid ",
               "), which it has started, is watched instead");
    watch_to_the_end(&monitor, &child);
}

Test(launch, watches_what_was_started_through_another_launcher)
{
    struct monitor monitor;
    launch(&monitor, "chain");
    struct target child = window_of("first");
    wait_named(&monitor, &child, "; launcher_win32.exe (pid ",
               "), which it has started, is watched");
    watch_to_the_end(&monitor, &child);
}

Test(launch, watches_one_of_two_and_names_the_other)
{
    struct monitor monitor;
    launch(&monitor, "two");
    struct target first = window_of("first"), second = window_of("second");
    const char *line = wait_line(monitor.program.err, "is watched instead");
    bool is_first = strstr(line, decimal(first.pid)) != NULL;
    const struct target *watched = is_first ? &first : &second,
                        *other = is_first ? &second : &first;
    wait_named(&monitor, other, ": uimon --attach ", " watches it");
    watch_to_the_end(&monitor, watched);
    cr_expect_eq(lines_with(monitor.program.err, "uimon --attach"), 1);
    probe("close", hwnd_text(other->hwnd), NULL);
}

Test(launch, waits_for_a_window_that_comes_late)
{
    struct monitor monitor;
    launch(&monitor, "late");
    struct target child = window_of("late");
    wait_named(&monitor, &child,
               LAUNCHED " without a window; the first window of launcher_win32.exe (pid ",
               "), which it has started, is waited for");
    tell(&child);
    wait_named(&monitor, &child, "; launcher_win32.exe (pid ",
               "), which it has started, is watched");
    watch_to_the_end(&monitor, &child);
}

/* uimon fails with a code and a line, having measured nothing. */
static void expect_failure(struct monitor *monitor, const char *text)
{
    cr_expect_eq(wait_end(&monitor->program, LIMIT_MS), 3);
    cr_expect(has_line(monitor->program.err, text), "it says: %s", read_text(monitor->program.err));
    cr_expect(!has_line(monitor->program.err, "watching launcher"));
}

Test(launch, says_that_all_have_ended_without_a_window)
{
    struct monitor monitor;
    launch(&monitor, "never");
    struct target child = window_of("never");
    wait_named(&monitor, &child, "; the first window of launcher_win32.exe (pid ",
               "), which it has started, is waited for");
    tell(&child);
    expect_failure(&monitor,
                   LAUNCHED " before it showed a window, and what it has started has ended, too");
}

Test(launch, says_the_exit_code_of_one_that_starts_nothing)
{
    struct monitor monitor;
    launch(&monitor, "code");
    expect_failure(&monitor, "launcher_win32.exe ended with exit code 7 before it showed a window");
}

/* It could still show a window of its own, so it is waited for; once it has ended, the child is
 * gone, too. */
Test(launch, names_a_window_beside_a_launcher_that_stays)
{
    struct monitor monitor;
    launch(&monitor, "stay");
    struct target child = window_of("first");
    wait_named(&monitor, &child, "has a window (first): uimon --attach ", " watches it");
    wait_line(monitor.program.err, "the program has no window yet");
    cr_expect_eq(lines_with(monitor.program.err, "uimon --attach"), 1);
    probe("close", hwnd_text(child.hwnd), NULL);
    expect_failure(&monitor, LAUNCHED " before it showed a window");
}

/* Its window was watched, so the session is about the launcher. Returns it. */
static struct target leave_splash(struct monitor *monitor, const char *how)
{
    launch(monitor, how);
    struct target splash = window_of("splash");
    wait_named(monitor, &splash, "watching launcher_win32.exe (pid ", ", ");
    wait_line(monitor->program.err, "measuring has begun");
    probe("close", hwnd_text(splash.hwnd), NULL);
    return splash;
}

Test(launch, names_what_a_splash_screen_leaves_behind)
{
    struct monitor monitor;
    struct target splash = leave_splash(&monitor, "splash");
    struct target child = window_of("first");
    cJSON *summary = finish_monitor(&monitor);
    cr_expect_eq(number(summary, "target.pid"), splash.pid);
    wait_named(&monitor, &child, "uimon --attach ", " ");
    cr_expect_eq(lines_with(monitor.program.err, "uimon --attach"), 1);
    probe("close", hwnd_text(child.hwnd), NULL);
    cJSON_Delete(summary);
}

Test(launch, names_what_a_splash_screen_stays_for)
{
    struct monitor monitor;
    struct target splash = leave_splash(&monitor, "splash-stay");
    struct target child = window_of("first");
    wait_named(&monitor, &child, "has a window (first): uimon --attach ", " watches it");
    interrupt(&monitor.program);
    cJSON *summary = finish_monitor(&monitor);
    cr_expect_eq(number(summary, "target.pid"), splash.pid);
    cr_expect_eq(lines_with(monitor.program.err, "uimon --attach"), 1);
    probe("close", hwnd_text(child.hwnd), NULL);
    cJSON_Delete(summary);
}

/* A benchmark watches what it has launched and nothing else. */
Test(launch, scenario_fails_with_the_name_of_what_was_started)
{
    char scenario[PATH_BYTES], json[PATH_BYTES], named[200];
    const char *err;
    snprintf(scenario, sizeof scenario, "%s", test_file("launch.uimon"));
    snprintf(json, sizeof json, "%s", windows_path(test_file("bench.json")));
    FILE *file = open_file(scenario, "w");
    cr_assert_not_null(file);
    fputs("launch ${PROGRAM} never\nwait-idle 300\n", file);
    fclose(file);
    char define[PATH_BYTES];
    snprintf(define, sizeof define, "PROGRAM=%s", windows_path(test_program("launcher_win32")));
    int code = run(NULL, &err, "uimon", "bench", windows_path(scenario), "--runs", "1", "--define",
                   define, "--json", json, NULL);
    char *said = strdup(err);
    struct target child = window_of("never");
    snprintf(named, sizeof named,
             LAUNCHED " before it showed a window; launcher_win32.exe (pid %lu), which it has "
                      "started, still runs: launch that program itself",
             (unsigned long)child.pid);
    cr_expect_eq(code, 3);
    cr_expect(strstr(said, named), "%s", said);
    free(said);
    tell(&child);
}

/* With --trace --------------------------------------------------------------------------------- */

static char other[PATH_BYTES * 2];

/* Makes `other`: the launcher once more, as another program, with what stands for .NET's runtime
 * beside it. There is a space in the names of both its folder and its own. */
static void place_other(void)
{
    char from[PATH_BYTES], runtime[PATH_BYTES * 2], folder[PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", test_folder("the other"));
    snprintf(from, sizeof from, "%s", test_program("launcher_win32"));
    char *slash = strrchr(from, '/');
    cr_assert(slash, "%s", from);
    snprintf(slash, sizeof from - (size_t)(slash - from), "/coreclr.dll");
    snprintf(runtime, sizeof runtime, "%s/coreclr.dll", folder);
    copy_file(from, runtime);
    snprintf(other, sizeof other, "%s/a child.exe", folder);
    copy_file(test_program("launcher_win32"), other);
}

/* Starts the launcher with --trace. It starts the other program, with the window `title`. */
static void launch_traced(struct monitor *monitor, const char *how, const char *title)
{
    char program[PATH_BYTES], child[PATH_BYTES];
    place_other();
    snprintf(program, sizeof program, "%s", windows_path(test_program("launcher_win32")));
    snprintf(child, sizeof child, "%s", windows_path(other));
    snprintf(monitor->json, PATH_BYTES, "%s", test_file("launch.json"));
    start(&monitor->program, "uimon", "--headless", "--verbose", "--trace", "methods", "--only",
          "A&B,C", "--json", windows_path(monitor->json), "--launch", program, how, child, "window",
          title, NULL);
}

/* The line that says what to do. Its first command is run by cmd in a folder of the test's: the
 * script that it writes must name the child. */
static void expect_advice(const struct monitor *monitor, const struct target *child)
{
    char named[200], advice[PATH_BYTES * 2], batch[PATH_BYTES], written[PATH_BYTES];
    char expected[PATH_BYTES * 2];
    const char *out, *err;
    snprintf(named, sizeof named,
             "a child.exe (pid %lu) is not traced, because --trace is set for launcher_win32.exe "
             "alone: in a command prompt run ",
             (unsigned long)child->pid);
    snprintf(advice, sizeof advice, "%s", wait_line(monitor->program.err, named));
    char *command = strstr(advice, "uimon trace-env ");
    char *end = command ? strstr(command, ", then trace.cmd, start launcher_win32.exe there, and "
                                          "run uimon --attach \"a child.exe\" --trace methods")
                        : NULL;
    cr_assert(end, "%s", advice);
    *end = '\0';
    snprintf(batch, sizeof batch, "%s", test_file("advice.cmd"));
    snprintf(written, sizeof written, "%s", test_file("trace.cmd"));
    char *arguments = command + strlen("uimon ");
    char *to = strstr(arguments, " > trace.cmd");
    cr_assert(to, "%s", advice);
    *to = '\0';
    FILE *file = open_file(batch, "w");
    cr_assert_not_null(file);
    fprintf(file, "@\"%s\" %s > \"%s\"\n", windows_path(dist_file("uimon.exe")), arguments,
            windows_path(written));
    fclose(file);
    cr_assert_eq(run(&out, &err, "C:\\windows\\system32\\cmd.exe", "/c", windows_path(batch), NULL),
                 0, "%s", err);
    char *script = read_text(written);
    snprintf(expected, sizeof expected, "set \"UIMON_CLR_PROGRAM=%s\"", windows_path(other));
    cr_expect(strstr(script, expected), "%s lacks %s", script, expected);
    cr_expect(strstr(script, "set \"UIMON_CLR_ONLY=A&B,C\""), "%s", script);
    free(script);
}

/* One line is about tracing, and it is right. */
static void expect_one_line(const struct monitor *monitor)
{
    cr_expect_eq(lines_with(monitor->program.err, "trace"), 1);
}

Test(launch, says_how_the_child_that_is_watched_instead_is_traced)
{
    struct monitor monitor;
    launch_traced(&monitor, "other", "managed");
    struct target child = window_of("managed");
    expect_advice(&monitor, &child);
    wait_line(monitor.program.err, "measuring has begun");
    probe("close", hwnd_text(child.hwnd), NULL);
    cJSON *summary = finish_monitor(&monitor);
    cr_expect_eq(number(summary, "target.pid"), child.pid);
    expect_one_line(&monitor);
    cJSON_Delete(summary);
}

Test(launch, says_how_a_child_beside_the_launcher_is_traced)
{
    struct monitor monitor;
    launch_traced(&monitor, "other-stay", "managed");
    struct target child = window_of("managed");
    expect_advice(&monitor, &child);
    probe("close", hwnd_text(child.hwnd), NULL);
    expect_failure(&monitor, LAUNCHED " before it showed a window");
    expect_one_line(&monitor);
}

/* The launcher was watched and is not managed. What to do about that is said with the child. */
Test(launch, says_how_a_child_after_a_splash_screen_is_traced)
{
    struct monitor monitor;
    launch_traced(&monitor, "other-splash", "managed");
    struct target splash = window_of("splash");
    wait_line(monitor.program.err, "measuring has begun");
    probe("close", hwnd_text(splash.hwnd), NULL);
    struct target child = window_of("managed");
    cJSON_Delete(finish_monitor(&monitor));
    expect_advice(&monitor, &child);
    cr_expect_eq(lines_with(monitor.program.err, "has traced nothing"), 0);
    probe("close", hwnd_text(child.hwnd), NULL);
}

Test(launch, says_that_the_child_has_no_runtime)
{
    struct monitor monitor;
    launch_traced(&monitor, "other", "native");
    struct target child = window_of("native");
    wait_named(&monitor, &child, "a child.exe (pid ",
               ") is not traced: no .NET runtime is seen in it so far");
    wait_line(monitor.program.err, "measuring has begun");
    probe("close", hwnd_text(child.hwnd), NULL);
    cJSON_Delete(finish_monitor(&monitor));
    expect_one_line(&monitor);
}
