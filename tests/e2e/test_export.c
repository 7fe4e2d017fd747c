/* Stacks of a recording for other tools, and shown by `uimon report`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define ROUNDED_MS 0.0005 /* a time of the JSON is that of the program to this, or less */

static char recording[PATH_BYTES];

/* What the live session said, which did not come by the recording. */
static double sampled; /* in all */
static double in_freezes;
static double sampled_ms;  /* from the first to the last sample of each freeze, in all */
static double duration_ms; /* of the session */

/* Two freezes of the demo, recorded; the second one sleeps. */
static void record(const char *sample)
{
    struct target target;
    struct monitor monitor;

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("stacks.uirec")));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--sample", sample, "--record", recording, NULL);
    trigger(&target, "spin:400,wait:600,400");
    wait_line(target.log, " sleep 400 "); /* a name is in the file before its freeze is over */
    if (strcmp(sample, "off") != 0)
        wait_text(test_file("stacks.uirec"), "um_timer_wait"); /* in the second one */
    cJSON *summary = stop_monitor(&monitor);
    cr_assert_geq(freeze_count(summary), 2, "%zu freezes", freeze_count(summary));
    sampled = has_number(summary, "sampling.samples") ? number(summary, "sampling.samples") : 0;
    in_freezes = sampled_ms = 0;
    duration_ms = number(summary, "duration_ms");
    for (size_t i = 0; i < freeze_count(summary); i++)
        if (has_number(freeze_at(summary, i), "samples"))
            in_freezes += number(freeze_at(summary, i), "samples");
    for (size_t i = 0; i < freeze_count(summary); i++)
        if (has_number(freeze_at(summary, i), "sampled_ms"))
            sampled_ms += number(freeze_at(summary, i), "sampled_ms");
    cJSON_Delete(summary);
}

/* The time of folded stacks in whose lines all of the texts are. Units: µs */
static long folded_us(const char *folded, const char *one, const char *other)
{
    long sum = 0;
    while (*folded) {
        char line[8192];
        size_t len = strcspn(folded, "\n");
        cr_assert_lt(len, sizeof line);
        memcpy(line, folded, len);
        line[len] = '\0';
        const char *blank = strrchr(line, ' ');
        cr_assert(blank, "%s", line);
        sum += strstr(line, one) && strstr(line, other) ? strtol(blank, NULL, 10) : 0;
        folded += len + (folded[len] == '\n');
    }
    return sum;
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

    record("on");
    cr_assert_eq(run(&out, &err, "uimon", "export", recording, "--format", "folded", NULL), 0, "%s",
                 err);
    char *folded = strdup(out);
    long blocked = folded_us(folded, "um_demo_ui_block", "");
    double all_ms = (double)folded_us(folded, "", "") / 1000;
    cr_expect(all_ms >= sampled_ms * 0.9 && all_ms <= duration_ms, "%.0f, %.0f to %.0f: %s", all_ms,
              sampled_ms, duration_ms, folded);
    cr_expect(sampled_ms > 0 && (double)blocked / 1000 >= sampled_ms * 0.8, "%s", folded);
    free(folded);
    cr_assert_eq(run(&out, &err, "uimon", "export", recording, "--format", "folded", "--freeze",
                     "2", "--hide", "ntdll,kernelbase,kernel32,user32", NULL),
                 0, "%s", err);
    long of_second = folded_us(out, "um_demo_ui_block", "");
    cr_expect(of_second > 0 && of_second < blocked, "%ld of %ld", of_second, blocked);
    cr_expect_eq(folded_us(out, "ntdll", ""), 0, "%s", out);
    cr_expect_gt(folded_us(out, "[hidden]", "um_demo_ui_block"), 0, "%s", out);
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

    record("on");
    snprintf(json, sizeof json, "%s", test_file("report.json"));
    cr_assert_eq(run(&out, &err, "uimon", "report", recording, "--mine", "uimon-demo", "--json",
                     windows_path(json), NULL),
                 0, "%s", err);
    cr_expect(strstr(out, "uimon-demo!um_demo_ui_block"), "%s", out);
    cr_expect(strstr(out, "  Yours      modules uimon-demo"), "%s", out);
    cJSON *summary = read_json(json);
    cr_expect_geq(number(summary, "profile.samples"), in_freezes);
    cr_expect_leq(number(summary, "profile.samples"), sampled);
    cr_expect(in_freezes > 0 && number(summary, "profile.mine.yours") >= in_freezes * 0.9);
    cr_expect_leq(number(summary, "profile.mine.others"), in_freezes * 0.1);
    double told = number(summary, "profile.wall_ms") + number(summary, "profile.unattributed_ms");
    double frozen = number(summary, "freezes.total_ms");
    cr_expect_geq(told, frozen - 3 * ROUNDED_MS, "%.4f of %.4f", told, frozen);
    cJSON_Delete(summary);
}

Test(export, says_why_there_is_nothing_to_export)
{
    const char *out, *err;

    record("off");
    cr_expect_eq(run(&out, &err, "uimon", "export", recording, NULL), 1);
    cr_expect(strstr(err, "no stacks are in it"), "%s", err);
    cr_expect_eq(run(&out, &err, "uimon", "export", recording, "--freeze", "99", NULL), 2);
    cr_expect(strstr(err, "--freeze 99: the recording has "), "%s", err);
    cr_expect_eq(run(&out, &err, "uimon", "export", recording, "--output", recording, NULL), 2);
    cr_expect(strstr(err, "would overwrite the recording"), "%s", err);
}
