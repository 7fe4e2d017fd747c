/* The flight recorder, end to end: a long freeze is saved while it lasts, also if the program is
 * killed in it, and a shorter one leaves nothing behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

TestSuite(flight, .fini = conclude);

#define ACCURACY_MS 2.0
#define OVER_MS 500
#define FREEZE_MS 800
#define LASTS_MS 30000 /* nobody waits for that */
#define KILLED_AFTER_MS 300
#define SAMPLES 10 /* at least, in the last second of the killed program */
#define PAGE_MS 20000

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

/* The page may come a moment after uimon, which does not wait for ever. */
static void expect_page(const char *dir, const cJSON *bundle)
{
    for (unsigned waited = 0;; waited += 50) {
        char *page = read_text(bundle_file(dir, bundle, "page.html"));
        bool whole = strstr(page, "uimon-demo") && strstr(page, "</html>");
        free(page);
        if (whole)
            return;
        cr_assert_lt(waited, PAGE_MS, "the page does not come");
        sleep_ms(50);
    }
}

static struct um_demo_log_event wait_freeze(const struct target *target)
{
    for (unsigned waited = 0;; waited += 10) {
        struct um_demo_log_event *events;
        struct um_demo_log_event found = {.pid = 0};
        size_t count = log_events(target->log, UM_DEMO_LOG_FREEZE, &events);
        if (count > 0)
            found = events[0];
        free(events);
        if (count > 0)
            return found;
        cr_assert_lt(waited, LIMIT_MS, "the freeze did not come");
        sleep_ms(10);
    }
}

/* The freeze in which the program died: the demo has not written it down, but its message, the kill
 * and the samples are known. */
static void expect_killed(const char *dir, const cJSON *bundle, const cJSON *told)
{
    const cJSON *freeze = freeze_at(told, freeze_count(told) - 1);
    double length_ms = number(freeze, "duration_ms");
    char *messages = read_text(bundle_file(dir, bundle, "messages.txt"));
    const char *last = strstr(messages, "lasts");

    cr_expect(length_ms >= OVER_MS + KILLED_AFTER_MS - 100 && length_ms < LASTS_MS / 2, "%g ms",
              length_ms);
    cr_expect(has_number(freeze, "samples") && number(freeze, "samples") >= SAMPLES);
    cr_expect(last && strstr(messages, "WM_APP+1") && strstr(messages, "UimonDemo"), "%s",
              messages);
    cr_expect(!last || !strchr(last, '\n') || strchr(last, '\n')[1] == '\0',
              "the one that lasts is the latest: %s", messages);
    free(messages);
}

Test(flight, program_killed_in_a_freeze_leaves_it_saved, .measured = true)
{
    struct target target;
    struct monitor monitor;
    char dir[PATH_BYTES];
    char list[64];

    snprintf(dir, sizeof dir, "%s", test_folder("dumps"));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--dump-dir", windows_path(dir), "--dump-over", "500ms",
                  "--keep", "30s", NULL);
    snprintf(list, sizeof list, "wait:300,%d", FREEZE_MS);
    trigger(&target, list);
    struct um_demo_log_event truth = wait_freeze(&target);
    wait_line(monitor.program.err, "saved: ");
    snprintf(list, sizeof list, "wait:100,%d", LASTS_MS);
    trigger(&target, list);
    for (unsigned waited = 0;; waited += 10) {
        char *err = read_text(monitor.program.err);
        const char *first = strstr(err, "being saved in");
        bool second = first && strstr(first + 1, "being saved in");
        free(err);
        if (second)
            break;
        cr_assert_lt(waited, LIMIT_MS, "the second freeze is not saved");
        sleep_ms(10);
    }
    sleep_ms(KILLED_AFTER_MS);
    kill_hard(&target.program);
    cJSON *live = finish_monitor(&monitor);
    const cJSON *bundles = cJSON_GetObjectItem(live, "bundles");
    cr_assert_eq(cJSON_GetArraySize(bundles), 2);

    for (int i = 0; i < 2; i++) {
        const cJSON *bundle = cJSON_GetArrayItem(bundles, i);
        cJSON *told = report(dir, bundle);
        cr_expect(cJSON_IsTrue(cJSON_GetObjectItem(bundle, "whole")));
        cr_assert_eq(freeze_count(told), (size_t)i + 1);
        cr_expect(has_freeze_of(told, &target, &truth, ACCURACY_MS),
                  "the freeze of the demo's log is not in bundle %d", i);
        expect_page(dir, bundle);
        if (i == 1)
            expect_killed(dir, bundle, told);
        cJSON_Delete(told);
    }
    cJSON_Delete(live);
}

Test(flight, shorter_freezes_leave_nothing_behind, .measured = true)
{
    struct target target;
    struct monitor monitor;
    char dir[PATH_BYTES];
    const char *out;

    snprintf(dir, sizeof dir, "%s", test_folder("dumps"));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--dump-dir", windows_path(dir), NULL);
    trigger(&target, "wait:300,350");
    struct um_demo_log_event truth = wait_freeze(&target);
    sleep_ms(300);
    cJSON *live = stop_monitor(&monitor);
    cr_expect(has_freeze_of(live, &target, &truth, ACCURACY_MS));
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(live, "bundles")), 0);
    cr_expect(cJSON_GetObjectItem(live, "bundles") != NULL);
    run(&out, NULL, "C:\\windows\\system32\\cmd.exe", "/c", "dir", "/b", "/a-d", "/s",
        windows_path(dir), NULL);
    cr_expect_str_eq(out, "");
    cJSON_Delete(live);
}

/* Minidumps by a program that stops all threads and hangs -------------------------------------- */

#define STOPPED_MOST_MS 5000.0 /* then whoever writes a minidump is ended */
#define ENDED_MS 2000.0        /* the program is ended, looks are taken, and the threads resumed */
#define ASKED_MS 3000          /* so long the freeze would last otherwise */
#define HELD_MS 500            /* and it lasts for so much longer at least */

/* Starts uimon from a folder in which that program stands in for uimon-names. */
static void start_with_hanging(struct monitor *monitor, const struct target *target)
{
    static const char *const files[] = {"uimon.exe", "uimon-hook64.dll"};
    char folder[PATH_BYTES], path[PATH_BYTES * 2], dir[PATH_BYTES];

    snprintf(folder, sizeof folder, "%s", test_folder("parts"));
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        copy_file(dist_file(files[i]), path);
    }
    snprintf(path, sizeof path, "%s/uimon-names.exe", folder);
    copy_file(test_program("names_hang_win32"), path);
    snprintf(dir, sizeof dir, "%s", windows_path(test_folder("dumps")));
    set_variable("UM_DIST", folder);
    start_monitor(monitor, target, "--sample", "off", "--dump-dir", dir, "--dump-over", "500ms",
                  "--minidump", NULL);
}

static double length_ms(const struct um_demo_log_event *freeze)
{
    return (double)(freeze->end_ns - freeze->begin_ns) / 1e6;
}

/* A freeze that lasts until the hanging program has been started and has stopped its threads. */
static void freeze_for_minidump(const struct target *target)
{
    char list[64];
    snprintf(list, sizeof list, "wait:100,%d", ASKED_MS);
    trigger(target, list);
}

static void expect_held(const struct um_demo_log_event *truth)
{
    cr_expect_gt(length_ms(truth), ASKED_MS + HELD_MS, "it was not stopped: %.1f ms",
                 length_ms(truth));
}

Test(flight, minidump_that_hangs_stops_the_program_for_some_seconds_at_most, .measured = true)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, NULL, NULL);
    start_with_hanging(&monitor, &target);
    freeze_for_minidump(&target);
    struct um_demo_log_event truth = wait_freeze(&target);
    expect_held(&truth);
    cr_expect(is_within(length_ms(&truth), OVER_MS + STOPPED_MOST_MS + ENDED_MS,
                        (double)stalled_ns(target.log, truth.begin_ns, truth.end_ns) / 1e6),
              "%.1f ms", length_ms(&truth));
    wait_line(monitor.program.err, "minidump.dmp was not made in ");
    cJSON_Delete(stop_monitor(&monitor));
}

Test(flight, program_goes_on_when_whoever_writes_its_minidump_is_killed, .measured = true)
{
    struct target target;
    struct monitor monitor;
    char writer[32];

    start_target(&target, NULL, NULL);
    start_with_hanging(&monitor, &target);
    freeze_for_minidump(&target);
    wait_line(monitor.program.err, "it is being saved in");
    uint64_t saved_ns = machine_now_ns();
    while ((double)(machine_now_ns() - saved_ns) / 1e6 < ASKED_MS + HELD_MS - OVER_MS)
        sleep_ms(10);
    snprintf(writer, sizeof writer, "%.0f", probe_number("pid", "uimon-names.exe", NULL));
    probe("kill", writer, NULL);
    uint64_t killed_ns = machine_now_ns();
    struct um_demo_log_event truth = wait_freeze(&target);
    expect_held(&truth);
    cr_expect(is_within((double)truth.end_ns / 1e6 - (double)killed_ns / 1e6, ENDED_MS,
                        (double)stalled_ns(target.log, truth.begin_ns, truth.end_ns) / 1e6));
    cJSON_Delete(stop_monitor(&monitor));
}
