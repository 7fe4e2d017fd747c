/* Recordings, end to end: what the report says is what the live session said, and neither a kill
 * nor a full disk costs more than its last moment. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define DISK_BYTES 16384 /* some seconds of beats */

static char folder[PATH_BYTES]; /* where a small disk is mounted; "" for none */

static void unmount(void)
{
    if (folder[0])
        umount2(folder, MNT_DETACH);
}

/* `uimon report FILE`: its exit code, and its JSON. Owner: cJSON_Delete. */
static cJSON *report(const char *recording, int wanted_code, const char **out, const char **err)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s", windows_path(recording));
    const char *json = test_file("report.json");
    int code = run(out, err, "uimon", "report", path, "--json", windows_path(json), NULL);
    cr_assert_eq(code, wanted_code, "report ended with %d: %s", code, *err);
    char *text = read_text(test_file("report.json"));
    cJSON *summary = cJSON_Parse(text);
    cr_assert(summary != NULL, "no JSON: %s", text);
    free(text);
    return summary;
}

/* The text without what uimon itself has cost, which goes on after the last TOTALS. */
static void cut_costs(char *text)
{
    char *costs = strstr(text, "  Own CPU");
    if (costs)
        *costs = '\0';
}

Test(recording, report_says_what_the_live_session_said)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char recording[PATH_BYTES];
    const char *out;
    const char *err;

    snprintf(recording, sizeof recording, "%s", test_file("live.rec"));
    start_target(&target, NULL, NULL);
    /* What a report says of stacks is more: tests/e2e/test_export.c. */
    start_monitor(&monitor, &target, "--sample", "off", "--record", windows_path(recording), NULL);
    tail_feed(&feed, &monitor);
    freeze_once(&target, &feed, LASTING_FREEZE, 1);
    freeze_once(&target, &feed, "2000", 2);
    cJSON *live = stop_monitor(&monitor);
    cJSON *told = report(recording, 0, &out, &err);
    cr_expect(freeze_count(told) >= 2 && err[0] == '\0', "%s", err);

    char *live_text = read_text(monitor.program.out);
    char *told_text = strdup(out);
    cut_costs(live_text);
    cut_costs(told_text);
    cr_expect_str_eq(told_text, live_text);
    cJSON_DeleteItemFromObject(live, "cost");
    cJSON_DeleteItemFromObject(told, "cost");
    char *live_json = cJSON_Print(live);
    char *told_json = cJSON_Print(told);
    cr_expect_str_eq(told_json, live_json);
    cJSON_Delete(live);
    cJSON_Delete(told);
    cJSON_free(live_json);
    cJSON_free(told_json);
    free(live_text);
    free(told_text);
}

/* A window of Java's, say, answers beats while the program hangs. */
Test(recording, windows_thread_is_not_called_responsive)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char recording[PATH_BYTES];
    const char *out;
    const char *err;

    snprintf(recording, sizeof recording, "%s", test_file("java.rec"));
    start_target(&target, "target_odd_win32", "--mode", "quiet", "--class", "SunAwtFrame", NULL);
    start_monitor(&monitor, &target, "--record", windows_path(recording), NULL);
    wait_line(monitor.program.err, "a Java program: beats show whether its window's thread takes "
                                   "input, but its own code runs elsewhere");
    tail_feed(&feed, &monitor);
    cJSON *live = stop_monitor(&monitor);
    cJSON *told = report(recording, 0, &out, &err);
    char *live_text = read_text(monitor.program.out);
    cr_expect(strstr(live_text, "window thread") && !strstr(live_text, "responsive"), "%s",
              live_text);
    cr_expect(strstr(out, "window thread") && !strstr(out, "responsive"), "%s", out);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(live, "stage")), "window");
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(told, "stage")), "window");
    cJSON_Delete(live);
    cJSON_Delete(told);
    free(live_text);
}

/* Whether the feed has told that a freeze at the time of the log's began with a registered
 * message. */
static bool knows_message(const struct program *feed, const struct um_demo_log_event *truth)
{
    const uint64_t first_registered = 0xc000;
    char *text = read_text(feed->out);
    bool found = false;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        found |= strncmp(line, "episode end frozen ", 19) == 0 &&
                 line_number(line, "start") < truth->end_ns &&
                 line_number(line, "end") > truth->begin_ns &&
                 line_number(line, "message") >= first_registered;
    free(text);
    return found;
}

/* A registered message has another number on each machine; the recording keeps its name. */
Test(recording, names_a_registered_message)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char recording[PATH_BYTES];
    char hwnd[24];
    const char *out;
    const char *err;

    snprintf(recording, sizeof recording, "%s", test_file("registered.rec"));
    start_target(&target, "target_odd_win32", "--mode", "registered", NULL);
    start_monitor(&monitor, &target, "--record", windows_path(recording), NULL);
    snprintf(hwnd, sizeof hwnd, "0x%llx", (unsigned long long)target.hwnd);
    tail_feed(&feed, &monitor);
    /* On a busy machine it may not be known with which message a freeze began. */
    uint64_t until = unix_now_ms() + LIMIT_MS;
    struct um_demo_log_event truth;
    for (size_t count = 1; count == 1 || !knows_message(&feed, &truth); count++) {
        cr_assert_lt(unix_now_ms(), until, "no freeze has a message");
        probe("post", hwnd, "Dispatcher\x1b[2JQueue", "1500", NULL);
        struct um_demo_log_event *freezes = wait_freezes(&target, count);
        truth = freezes[count - 1];
        free(freezes);
        wait_told(&feed, &truth);
    }
    cJSON *live = stop_monitor(&monitor);
    cJSON *told = report(recording, 0, &out, &err);
    const cJSON *freezes[] = {find_freeze(live, &truth), find_freeze(told, &truth)};
    for (size_t i = 0; i < 2; i++)
        cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(freezes[i], "message")),
                         "Dispatcher\xef\xbf\xbd[2JQueue");
    char *live_text = read_text(monitor.program.out);
    cr_expect(strstr(live_text, "[2JQueue @ ") && !strchr(live_text, 0x1b), "%s", live_text);
    cr_expect(strstr(out, "[2JQueue @ ") && !strchr(out, 0x1b), "%s", out);
    cJSON_Delete(live);
    cJSON_Delete(told);
    free(live_text);
}

static off_t size_of(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 ? there.st_size : 0;
}

/* Waits until everything that has been recorded up to now is in the file: it has grown twice. */
static void wait_flushed(const char *path)
{
    for (int i = 0; i < 2; i++) {
        off_t before = size_of(path);
        WAIT_UNTIL(size_of(path) > before, "the recording does not grow");
    }
}

Test(recording, killed_monitor_leaves_what_was_recorded)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    struct um_demo_log_event truth[2];
    char recording[PATH_BYTES];
    const char *out;
    const char *err;

    snprintf(recording, sizeof recording, "%s", test_file("killed.rec"));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--record", windows_path(recording), NULL);
    tail_feed(&feed, &monitor);
    truth[0] = freeze_once(&target, &feed, LASTING_FREEZE, 1);
    truth[1] = freeze_once(&target, &feed, "2000", 2);
    wait_flushed(recording);
    kill_hard(&monitor.program);

    cJSON *told = report(recording, 1, &out, &err);
    cr_expect(strstr(err, "the recording breaks off") != NULL, "%s", err);
    cr_expect(strstr(out, " freezes in") != NULL, "%s", out);
    for (size_t i = 0; i < 2; i++)
        check_freeze(told, &target, &truth[i], "frozen");
    check_no_other_freeze(told, &target);
    double ended_ms = ((double)truth[1].end_ns - number(told, "clock_start_ns")) / 1e6;
    cr_expect_geq(number(told, "duration_ms"), ended_ms,
                  "known until %.0f ms, and a freeze ended at %.0f", number(told, "duration_ms"),
                  ended_ms);
    cJSON_Delete(told);
}

/* A disk of a few pages; where mounting is not allowed, a limit on the size of the files of what
 * this test starts, which makes the same write fail. */
static void make_small_disk(void)
{
    char options[32];
    snprintf(folder, sizeof folder, "%s", test_folder("disk"));
    snprintf(options, sizeof options, "size=%d", DISK_BYTES);
    if (mount("tmpfs", folder, "tmpfs", 0, options) == 0)
        return;
    cr_log_info("no disk can be mounted: a limit takes its place");
    struct rlimit limit = {DISK_BYTES, DISK_BYTES};
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    folder[0] = '\0';
}

static size_t count_lines(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

Test(recording, full_disk_ends_the_recording_and_not_the_measuring, .fini = unmount)
{
    struct target target;
    struct monitor monitor;
    struct program feed;
    char recording[PATH_BYTES];
    const char *out;
    const char *err;

    start_target(&target, NULL, NULL);
    make_small_disk();
    if (folder[0])
        snprintf(recording, sizeof recording, "%.400s/full.rec", folder);
    else
        snprintf(recording, sizeof recording, "%s", test_file("full.rec"));
    start_monitor(&monitor, &target, "--record", windows_path(recording), "--rest-heartbeat", "1",
                  NULL);
    wait_line(monitor.program.err, "recording has stopped");
    tail_feed(&feed, &monitor);
    struct um_demo_log_event truth = freeze_once(&target, &feed, LASTING_FREEZE, 1);
    interrupt(&monitor.program);
    cr_expect_eq(wait_end(&monitor.program, LIMIT_MS), 1, "it says that something is missing");

    char *said = read_text(monitor.program.err);
    cr_expect_eq(count_lines(said, "--record"), 2, "once when it stopped, once at the end: %s",
                 said);
    char *text = read_text(monitor.json);
    cJSON *live = cJSON_Parse(text);
    cr_assert(live != NULL, "%s", text);
    check_freeze(live, &target, &truth, "frozen"); /* after the disk was full */
    cr_expect(size_of(recording) > 0 && size_of(recording) <= DISK_BYTES);
    cJSON *told = report(recording, 1, &out, &err);
    cr_expect_gt(number(told, "duration_ms"), 0, "%s", out);
    cr_expect_lt(number(told, "duration_ms"), number(live, "duration_ms"));
    cJSON_Delete(live);
    cJSON_Delete(told);
    free(said);
    free(text);
}
