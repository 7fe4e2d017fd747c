/* Stacks of a recording for other tools, and shown by `uimon report`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/folded.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/sampled.h"

#define SLEEP_LONG "spin:50003" /* of target_works_win32: a freeze until it is told to end */
#define ROUNDED_MS 0.0005       /* a time of the JSON is that of the program to this, or less */

static char recording[PATH_BYTES];

/* What the live session said, which did not come by the recording. */
static double sampled; /* in all */
static double in_freezes;
static double duration_ms; /* of the session */

/* The place of the target's last freeze in the list of freezes, from 1. */
static unsigned place_of_last(const cJSON *summary, const struct target *target)
{
    struct um_demo_log_event *truth;
    size_t count = log_events(target->log, UM_DEMO_LOG_FREEZE, &truth), place = 0;
    cr_assert_gt(count, 0);
    while (place < freeze_count(summary) &&
           !freeze_is_of(summary, freeze_at(summary, place), &truth[count - 1]))
        place++;
    free(truth);
    cr_assert_lt(place, freeze_count(summary), "the last freeze is missing");
    return (unsigned)place + 1;
}

/* Freezes of the demo, recorded: in some it works, and in the last one it sleeps. Returns the place
 * of that one. */
static unsigned record(void)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("stacks.uirec")));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--record", recording, NULL);
    tail_feed(&feed, &monitor);
    sampled_freezes(&target, "spin:1000", test_file("stacks.uirec"), "um_demo_ui_block");
    size_t count = sampled_freezes(&target, "1000", test_file("stacks.uirec"), "um_timer_wait");
    struct um_demo_log_event *freezes = wait_freezes(&target, count);
    wait_told(&feed, &freezes[count - 1]);
    free(freezes);
    cJSON *summary = stop_monitor(&monitor);
    sampled = number(summary, "sampling.samples");
    in_freezes = 0;
    for (size_t i = 0; i < freeze_count(summary); i++)
        if (has_number(freeze_at(summary, i), "samples"))
            in_freezes += number(freeze_at(summary, i), "samples");
    duration_ms = number(summary, "duration_ms");
    unsigned last = place_of_last(summary, &target);
    cJSON_Delete(summary);
    return last;
}

/* A freeze without samples, which the recording has. */
static void record_without_samples(void)
{
    struct target target;
    struct monitor monitor;
    struct program feed;

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("stacks.uirec")));
    start_target(&target, "target_works_win32", NULL);
    start_monitor(&monitor, &target, "--sample", "off", "--record", recording, NULL);
    tail_feed(&feed, &monitor);
    uint64_t since_ns = machine_now_ns();
    begin_freeze(&target, SLEEP_LONG);
    WAIT_UNTIL(line_number_from(feed.out, "state frozen ", "now", since_ns, "now") > 0,
               "no freeze is told: %s", read_text(feed.out));
    tell(&target);
    struct um_demo_log_event *freezes = wait_freezes(&target, 1);
    wait_told(&feed, &freezes[0]);
    free(freezes);
    cJSON *summary = stop_monitor(&monitor);
    place_of_last(summary, &target);
    cJSON_Delete(summary);
}

/* Perfetto's bytes are the same on standard output as in a file. */
static void expect_same_on_stdout(const char *path)
{
    struct program program;
    static char in_file[1 << 20], on_stdout[sizeof in_file];

    start(&program, "uimon", "export", recording, "--format", "perfetto", NULL);
    cr_assert_eq(wait_end(&program, LIMIT_MS), 0);
    FILE *file = open_file(path, "rb");
    FILE *out = open_file(program.out, "rb");
    cr_assert(file && out);
    size_t len = fread(in_file, 1, sizeof in_file, file);
    size_t out_len = fread(on_stdout, 1, sizeof on_stdout, out);
    cr_expect(len > 1000 && len == out_len && memcmp(in_file, on_stdout, len) == 0,
              "%zu and %zu bytes", len, out_len);
    fclose(file);
    fclose(out);
}

Test(export, stacks_of_a_recording_for_each_tool)
{
    static const char *const formats[] = {"speedscope", "firefox", "perfetto"};
    const char *out, *err;

    const char *last = decimal(record());
    cr_assert_eq(run(&out, &err, "uimon", "export", recording, "--format", "folded", NULL), 0, "%s",
                 err);
    char *folded = strdup(out);
    long blocked = folded_us(folded, "um_demo_ui_block", "");
    double all_ms = (double)folded_us(folded, "", "") / 1000;
    cr_expect(all_ms > 0 && all_ms <= duration_ms, "%.0f of %.0f: %s", all_ms, duration_ms, folded);
    cr_expect(folded_us(folded, "um_demo_ui_block", "um_timer_wait") > 0, "%s", folded);
    free(folded);
    cr_assert_eq(run(&out, &err, "uimon", "export", recording, "--format", "folded", "--freeze",
                     last, "--hide", "ntdll,kernelbase,kernel32,user32", NULL),
                 0, "%s", err);
    long of_last = folded_us(out, "um_demo_ui_block", "");
    cr_expect(of_last > 0 && of_last < blocked, "%ld of %ld", of_last, blocked);
    cr_expect_eq(folded_us(out, "ntdll", ""), 0, "%s", out);
    cr_expect_gt(folded_us(out, "[hidden]", "um_demo_ui_block"), 0, "%s", out);
    cr_assert_eq(run(&out, &err, "uimon", "export", recording, "--format", "folded", "--only",
                     "uimon-dmeo", NULL),
                 0, "%s", err);
    cr_expect(strstr(err, "uimon: --only: no stack has uimon-dmeo; did you mean uimon-demo?"), "%s",
              err);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s", test_file(formats[i]));
        cr_assert_eq(run(&out, &err, "uimon", "export", recording, "--format", formats[i],
                         "--output", windows_path(path), NULL),
                     0, "%s", err);
        char *text = read_text(path);
        cr_expect(i == 2 || strstr(text, "um_demo_ui_block"), "%s", formats[i]);
        free(text);
        if (i < 2)
            cJSON_Delete(read_json(path));
        else
            expect_same_on_stdout(path);
    }
}

Test(export, report_says_where_it_was_and_whose)
{
    const char *out, *err;
    char json[PATH_BYTES];

    record();
    snprintf(json, sizeof json, "%s", test_file("report.json"));
    cr_assert_eq(run(&out, &err, "uimon", "report", recording, "--mine", "uimon-demo", "--json",
                     windows_path(json), NULL),
                 0, "%s", err);
    cr_expect(strstr(out, "uimon-demo!um_demo_ui_block"), "%s", out);
    cr_expect(strstr(out, "  Yours      modules uimon-demo"), "%s", out);
    cJSON *summary = read_json(json);
    cr_expect_geq(number(summary, "profile.samples"), in_freezes);
    cr_expect_leq(number(summary, "profile.samples"), sampled);
    cr_expect_gt(number(summary, "profile.mine.yours"), 0);
    cr_expect_lt(number(summary, "profile.mine.others"), number(summary, "profile.mine.yours"));
    double told = number(summary, "profile.wall_ms") + number(summary, "profile.unattributed_ms");
    double frozen = number(summary, "freezes.total_ms");
    cr_expect_geq(told, frozen - 3 * ROUNDED_MS, "%.4f of %.4f", told, frozen);
    cJSON_Delete(summary);
}

Test(export, says_why_there_is_nothing_to_export)
{
    const char *out, *err;

    record_without_samples();
    cr_expect_eq(run(&out, &err, "uimon", "export", recording, NULL), 1);
    cr_expect(strstr(err, "no stacks are in it"), "%s", err);
    cr_expect_eq(run(&out, &err, "uimon", "export", recording, "--freeze", "99", NULL), 2);
    cr_expect(strstr(err, "--freeze 99: the recording has "), "%s", err);
    cr_expect_eq(run(&out, &err, "uimon", "export", recording, "--output", recording, NULL), 2);
    cr_expect(strstr(err, "would overwrite the recording"), "%s", err);
}
