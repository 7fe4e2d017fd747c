/* The flight recorder, end to end: a long freeze is saved while it lasts, also if the program is
 * killed in it, and a shorter one leaves nothing behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define OVER_MS 500             /* a freeze that lasts so long is saved */
#define SLEEP_LONG "spin:50003" /* of target_works_win32: a freeze until it is told to end */

/* A file of a bundle, as a Unix path. (The folder's name as uimon told it is in `bundle`.) */
static const char *bundle_file(const char *dir, const cJSON *bundle, const char *name)
{
    static char path[PATH_BYTES * 2];
    const char *folder = cJSON_GetStringValue(cJSON_GetObjectItem(bundle, "folder"));
    cr_assert(folder != NULL, "the summary has no folder");
    const char *last = strrchr(folder, '\\');
    cr_assert(last != NULL, "%s", folder);
    snprintf(path, sizeof path, "%s/%s/%s", dir, last + 1, name);
    return path;
}

/* What `uimon report` says of a bundle's recording, which must be whole. Owner: cJSON_Delete. */
static cJSON *report(const char *dir, const cJSON *bundle)
{
    char recording[PATH_BYTES * 2];
    char json[PATH_BYTES];
    const char *err;
    snprintf(recording, sizeof recording, "%s",
             windows_path(bundle_file(dir, bundle, "recording.uirec")));
    snprintf(json, sizeof json, "%s", test_file("bundle.json"));
    int code = run(NULL, &err, "uimon", "report", recording, "--json", windows_path(json),
                   "--quiet", NULL);
    cr_assert_eq(code, 0, "report ended with %d: %s", code, err);
    return read_json(json);
}

static bool is_whole_page(const char *path)
{
    char *page = read_text(path);
    bool whole = strstr(page, "target_works_win32") && strstr(page, "</html>");
    free(page);
    return whole;
}

/* The freeze in which the program died: the log does not have it, but its message, the kill and the
 * samples are known. */
static void expect_killed(const char *dir, const cJSON *bundle, const cJSON *told)
{
    const cJSON *freeze = freeze_at(told, freeze_count(told) - 1);
    char *messages = read_text(bundle_file(dir, bundle, "messages.txt"));
    const char *last = strstr(messages, "lasts");

    double unseen_ms = number(told, "state_ms.blind") + number(told, "state_ms.suspended");
    cr_expect_geq(number(freeze, "duration_ms") + unseen_ms, OVER_MS, "%g ms, held up %g ms",
                  number(freeze, "duration_ms"), unseen_ms);
    cr_expect(has_number(freeze, "samples") && number(freeze, "samples") > 0);
    cr_expect(last && strstr(messages, "WM_APP+8") && strstr(messages, "UimonWorks"), "%s",
              messages);
    cr_expect(!last || !strchr(last, '\n') || strchr(last, '\n')[1] == '\0',
              "the one that lasts is the latest: %s", messages);
    free(messages);
}

static size_t count_saves(const struct monitor *monitor)
{
    char *err = read_text(monitor->program.err);
    size_t count = 0;
    for (const char *at = err; (at = strstr(at, "being saved in")); at++)
        count++;
    free(err);
    return count;
}

Test(flight, program_killed_in_a_freeze_leaves_it_saved)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char dir[PATH_BYTES], sample[48];

    snprintf(dir, sizeof dir, "%s", test_folder("dumps"));
    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--dump-dir", windows_path(dir), "--dump-over", "500ms",
                  "--keep", "60s", NULL);
    tail_feed(&feed, &monitor);
    begin_freeze(&target, SLEEP_LONG);
    WAIT_UNTIL(count_saves(&monitor) == 1, "the first freeze is not saved");
    tell(&target);
    struct um_demo_log_event *truth = wait_freezes(&target, 1);
    wait_line(monitor.program.err, "saved: ");
    trigger(&target, SLEEP_LONG);
    WAIT_UNTIL(count_saves(&monitor) == 2, "the second freeze is not saved");
    uint64_t saved_ns = machine_now_ns();
    snprintf(sample, sizeof sample, "sample thread %u ", target.tid);
    WAIT_UNTIL(line_number_from(feed.out, sample, "at", saved_ns, "at") > 0,
               "the second freeze is not sampled");
    kill_hard(&target.program);
    cJSON *live = finish_monitor(&monitor);
    const cJSON *bundles = cJSON_GetObjectItem(live, "bundles");
    cr_assert_eq(cJSON_GetArraySize(bundles), 2);

    for (int i = 0; i < 2; i++) {
        const cJSON *bundle = cJSON_GetArrayItem(bundles, i);
        cJSON *told = report(dir, bundle);
        cr_expect(cJSON_IsTrue(cJSON_GetObjectItem(bundle, "whole")));
        check_freeze(told, &target, truth, "frozen");
        WAIT_UNTIL(is_whole_page(bundle_file(dir, bundle, "page.html")), "the page does not come");
        if (i == 1)
            expect_killed(dir, bundle, told);
        cJSON_Delete(told);
    }
    cJSON_Delete(live);
    free(truth);
}

Test(flight, shorter_freezes_leave_nothing_behind)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char dir[PATH_BYTES];
    const char *out;

    snprintf(dir, sizeof dir, "%s", test_folder("dumps"));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--dump-dir", windows_path(dir), "--dump-over", "60000", NULL);
    tail_feed(&feed, &monitor);
    struct um_demo_log_event truth = freeze_once(&target, &feed, LASTING_FREEZE, 1);
    cJSON *live = stop_monitor(&monitor);
    check_freeze(live, &target, &truth, "frozen");
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(live, "bundles")), 0);
    cr_expect(cJSON_GetObjectItem(live, "bundles") != NULL);
    run(&out, NULL, "C:\\windows\\system32\\cmd.exe", "/c", "dir", "/b", "/a-d", "/s",
        windows_path(dir), NULL);
    cr_expect_str_eq(out, "");
    cJSON_Delete(live);
}

/* Minidumps by a program that stops all threads and hangs -------------------------------------- */

static char dumps[PATH_BYTES]; /* a Unix path */

/* Starts uimon from a folder in which that program stands in for uimon-names. */
static void start_with_hanging(struct monitor *monitor, const struct target *target)
{
    static const char *const files[] = {"uimon.exe", "uimon-hook64.dll"};
    char folder[PATH_BYTES], path[PATH_BYTES * 2];

    snprintf(folder, sizeof folder, "%s", test_folder("parts"));
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        copy_file(dist_file(files[i]), path);
    }
    snprintf(path, sizeof path, "%s/uimon-names.exe", folder);
    copy_file(test_program("names_hang_win32"), path);
    snprintf(dumps, sizeof dumps, "%s", test_folder("dumps"));
    set_variable("UM_DIST", folder);
    start_monitor(monitor, target, "--sample", "off", "--dump-dir", windows_path(dumps),
                  "--dump-over", "500ms", "--minidump", NULL);
}

/* How often the target's UI thread is stopped. */
static double count_stops(const struct target *target)
{
    return probe_number("stops", decimal(target->tid), NULL);
}

static void expect_going_on(const struct target *target)
{
    free(wait_freezes(target, 1));
    WAIT_UNTIL(count_stops(target) == 0, "it stays stopped");
    trigger(target, "100");
    free(wait_freezes(target, 2));
}

Test(flight, minidump_that_hangs_stops_the_program_for_some_seconds_at_most)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    start_with_hanging(&monitor, &target);
    trigger(&target, "3000");
    WAIT_UNTIL(count_stops(&target) > 0, "it is not stopped");
    expect_going_on(&target);
    const char *line = wait_line(monitor.program.err, "minidump.dmp was not made in ");
    cr_expect(strstr(line, ": threads of the program were still suspended after 5 s, so its writer "
                           "was ended; it is tried once more "),
              "%s", line);
    cJSON_Delete(stop_monitor(&monitor));
}

static bool is_minidump(const char *path)
{
    char *bytes = read_text(path);
    bool is = strncmp(bytes, "MDMP", 4) == 0;
    free(bytes);
    return is;
}

/* What hung in the freeze works after it. The file's name and each word about it say which of the
 * two it is. */
Test(flight, minidump_that_failed_in_the_freeze_is_made_once_more_after_it)
{
    struct target target;
    struct monitor monitor;
    char path[PATH_BYTES * 2];

    start_target(&target, "target_works_win32", NULL);
    start_with_hanging(&monitor, &target);
    begin_freeze(&target, SLEEP_LONG);
    wait_line(monitor.program.err, "it is tried once more when the freeze is over");
    tell(&target);
    free(wait_freezes(&target, 1));
    wait_line(monitor.program.err, "minidump of the program after the freeze");
    cr_expect_eq(lines_with(monitor.program.err, "minidump-after.dmp was not made"), 0);
    cJSON *live = stop_monitor(&monitor);
    const cJSON *bundles = cJSON_GetObjectItem(live, "bundles");
    cr_assert_eq(cJSON_GetArraySize(bundles), 1);
    const cJSON *bundle = cJSON_GetArrayItem(bundles, 0);
    const char *which = cJSON_GetStringValue(cJSON_GetObjectItem(bundle, "minidump"));
    cr_expect(which && strcmp(which, "after") == 0, "%s", which ? which : "none");
    cr_expect(has_line(monitor.program.out, "its minidump shows the program after the freeze"));
    snprintf(path, sizeof path, "%s", bundle_file(dumps, bundle, "minidump-after.dmp"));
    cr_expect(is_minidump(path), "%s", path);
    snprintf(path, sizeof path, "%s", bundle_file(dumps, bundle, "minidump.dmp"));
    cr_expect(!file_has(path, ""), "there is one of the freeze, too");
    cJSON_Delete(live);
}

Test(flight, program_goes_on_when_whoever_writes_its_minidump_is_killed)
{
    struct target target;
    struct monitor monitor;
    char writer[32];

    start_target(&target, NULL, NULL);
    start_with_hanging(&monitor, &target);
    trigger(&target, "3000");
    WAIT_UNTIL(count_stops(&target) > 0, "it is not stopped");
    snprintf(writer, sizeof writer, "%.0f", probe_number("pid", "uimon-names.exe", NULL));
    probe("kill", writer, NULL);
    expect_going_on(&target);
    wait_line(monitor.program.err, "minidump.dmp was not made in ");
    cJSON_Delete(stop_monitor(&monitor));
}

Test(flight, program_goes_on_when_uimon_is_killed_while_its_minidump_hangs)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    start_with_hanging(&monitor, &target);
    trigger(&target, "3000");
    WAIT_UNTIL(count_stops(&target) > 0, "it is not stopped");
    kill_hard(&monitor.program);
    expect_going_on(&target);
    WAIT_UNTIL(probe_number("pid", "uimon-names.exe", NULL) == 0, "the writer is still there");
}
