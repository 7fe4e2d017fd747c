/* --prometheus: what the file says of a freeze, against the demo's own log and the summary. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

/* The value of the sample whose line begins with `name` and contains `label`. */
static double sample(const char *path, const char *name, const char *label)
{
    double value = -1;
    char *text = read_text(path);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, name, strlen(name)) == 0 && strstr(line, label))
            value = atof(strrchr(line, ' '));
    free(text);
    return value;
}

/* The file follows what happens, and is gone when it would claim what no longer holds. */
Test(prometheus, file_has_the_freeze_as_the_log_has_it_and_goes_with_the_session)
{
    struct target target;
    struct monitor monitor;
    char path[PATH_BYTES], label[64];

    start_target(&target, NULL, NULL);
    snprintf(path, sizeof path, "%s", test_file("demo.prom"));
    /* A busy machine holds up the target for less than the threshold, and leaves more than that of
     * the freeze where it holds up the DLL's thread. At rest, the begin of the freeze would be
     * uncertain by up to 110 ms. */
    start_monitor(&monitor, &target, "--prometheus", windows_path(path), "--threshold", "1000",
                  "--rest-heartbeat", "1", NULL);
    snprintf(label, sizeof label, "pid=\"%s\",process=\"uimon-demo.exe\"", decimal(target.pid));
    wait_line(path, "uimon_ui_hangs_total");
    cr_expect_eq(sample(path, "uimon_ui_hangs_total", "state=\"frozen\""), 0);
    trigger(&target, "3000");
    struct um_demo_log_event *truth = wait_freezes(&target, 1);
    WAIT_UNTIL(sample(path, "uimon_ui_hangs_total", "state=\"frozen\"") == 1,
               "the freeze is not in the file");
    double reported_ms = sample(path, "uimon_ui_hang_duration_seconds_sum", label) * 1000;
    double off_ms = length_off_ms(target.log, truth, reported_ms);
    cr_expect_eq(sample(path, "uimon_ui_hang_duration_seconds_bucket", "le=\"1\""),
                 reported_ms <= 1000);
    cr_expect_eq(sample(path, "uimon_ui_hang_duration_seconds_bucket", "le=\"2.5\""),
                 reported_ms <= 2500);
    double counted = sample(path, "uimon_input_latency_seconds_count", label);
    double waited = counted - sample(path, "uimon_input_latency_seconds_bucket", "le=\"0.1\"");

    cJSON *summary = stop_monitor(&monitor);
    cr_expect(is_about(off_ms, summary, truth), "%.2f ms too long or short", off_ms);
    /* Beats that would have waited longer than 100 ms: one each 10 ms of the first 2,900. */
    cr_expect_geq(waited, (2900 - COARSE_MS - held_up_ms(summary, truth)) / 10, "%.0f", waited);
    cr_expect_geq(number(summary, "latency_ms.count"), counted);
    cJSON_Delete(summary);
    char *left = read_text(path);
    cr_expect_str_eq(left, "", "the file stays behind");
    free(left);
    free(truth);
}

/* The second one says so and changes nothing. A killed one is in nobody's way. */
Test(prometheus, file_is_of_one_uimon_at_a_time)
{
    struct target target, other;
    struct monitor first, next;
    char path[PATH_BYTES], windows[PATH_BYTES], lock[PATH_BYTES + 8];
    const char *out, *err;

    start_target(&target, NULL, NULL);
    start_target(&other, NULL, NULL);
    snprintf(path, sizeof path, "%s", test_file("demo.prom"));
    snprintf(windows, sizeof windows, "%s", windows_path(path));
    snprintf(lock, sizeof lock, "%s.lock", path);
    start_monitor(&first, &target, "--prometheus", windows, NULL);
    int code = run(&out, &err, "uimon", "--attach", decimal(other.pid), "--headless",
                   "--prometheus", windows, "--duration", "1", NULL);
    cr_expect_eq(code, 1, "%s", err);
    cr_expect(strstr(err, "another uimon writes this file") && strchr(err, '\n')[1] == '\0', "%s",
              err);
    wait_line(path, decimal(target.pid));
    kill_hard(&first.program);
    start_monitor(&next, &other, "--prometheus", windows, NULL);
    wait_line(path, decimal(other.pid));
    cJSON_Delete(stop_monitor(&next));
    FILE *left = fopen(lock, "rb");
    cr_expect(!left, "the lock stays behind");
    if (left)
        fclose(left);
}
