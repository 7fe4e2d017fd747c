/* `uimon doctor`: what it says of a machine and of programs whose habits are known. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

static const cJSON *finding(const cJSON *json, const char *id)
{
    const cJSON *each;
    cJSON_ArrayForEach(each, cJSON_GetObjectItem(json, "findings"))
    {
        if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(each, "id")), id) == 0)
            return each;
    }
    return NULL;
}

static const char *text_of(const cJSON *json, const char *id, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(finding(json, id), name));
    return text ? text : "";
}

static bool is_ok(const cJSON *json, const char *id)
{
    return strcmp(text_of(json, id, "verdict"), "ok") == 0;
}

/* Asks about a target; the JSON. */
static cJSON *examine(const struct target *target, int expected)
{
    char path[PATH_BYTES];
    const char *err;
    snprintf(path, sizeof path, "%s", test_file("doctor.json"));
    int code = run(NULL, &err, "uimon", "doctor", "--attach", decimal(target->pid), "--json",
                   windows_path(path), NULL);
    cr_expect_eq(code, expected, "exit code %d: %s", code, err);
    return read_json(path);
}

Test(doctor, examines_a_machine_and_leaves_it_as_it_was)
{
    static const char *const must[] = {
        "attach", "leave", "still-beats", "zero-beats", "pair-beats",    "mouse-beats",
        "probe",  "rest",  "keys",        "overlay",    "overlay-shown", "overlay-covers"};
    char json_path[PATH_BYTES];
    const char *out;
    int x;
    int y;

    snprintf(json_path, sizeof json_path, "%s", test_file("doctor.json"));
    x_move(1500, 900);
    int code = run(&out, NULL, "uimon", "doctor", "--json", windows_path(json_path), NULL);
    cr_expect_eq(code, 0, "exit code %d: %s", code, out);
    cr_expect(strstr(out, "Nothing was found that keeps uimon from working here."), "%s", out);
    WAIT_UNTIL((x_pointer(&x, &y), abs(x - 1500) <= 2 && abs(y - 900) <= 2),
               "the pointer is at %d,%d", x, y);

    cJSON *json = read_json(json_path);
    cr_expect(cJSON_IsTrue(cJSON_GetObjectItem(json, "works")));
    for (size_t i = 0; i < sizeof must / sizeof must[0]; i++)
        cr_expect(is_ok(json, must[i]), "%s: %s", must[i], text_of(json, must[i], "text"));
    cr_expect(strstr(text_of(json, "displays", "text"), "1920 x 1080"), "%s",
              text_of(json, "displays", "text"));
    /* Wine does not tell a thread's cycles. */
    cr_expect_str_eq(text_of(json, "witness", "verdict"), "otherwise");
    cJSON_Delete(json);
}

Test(doctor, examines_a_program_without_disturbing_it)
{
    struct target target;
    struct um_demo_log_event *events;

    start_target(&target, "target_odd_win32", "--mode", "quiet", NULL);
    cJSON *json = examine(&target, 0);
    cr_expect(is_ok(json, "attach"), "%s", text_of(json, "attach", "text"));
    cr_expect(is_ok(json, "still-beats"), "%s", text_of(json, "still-beats", "text"));
    cr_expect(is_ok(json, "probe"), "%s", text_of(json, "probe", "text"));
    cr_expect(finding(json, "keys") == NULL && finding(json, "overlay") == NULL);
    cr_expect_eq(log_events(target.log, UM_DEMO_LOG_INPUT, &events), 0, "input reached it");
    free(events);
    cJSON_Delete(json);
    cJSON_Delete(examine(&target, 0)); /* once more: the first one has left */
}

Test(doctor, knows_a_program_that_uses_raw_input_itself)
{
    struct target target;

    start_target(&target, "target_odd_win32", "--mode", "raw-early", NULL);
    cJSON *json = examine(&target, 0);
    cr_expect_str_eq(text_of(json, "probe", "verdict"), "otherwise");
    cr_expect(strstr(text_of(json, "probe", "text"), "uses raw input itself"));
    cJSON_Delete(json);
    cr_expect_str_eq(raw_owner(&target), "own");
}

/* Its loop retrieves no raw input, so that only mouse messages reach it. Over a window, Wine makes
 * one of a movement by zero too. */
Test(doctor, knows_a_program_that_raw_input_does_not_reach)
{
    struct target target;

    start_target(&target, "target_odd_win32", "--mode", "filter-raw", "--pos", "40,40,800,600",
                 NULL);
    probe("cursor", "1900", "1000", NULL);
    cJSON *json = examine(&target, 0);
    cr_expect_str_eq(text_of(json, "zero-beats", "verdict"), "unknown");
    cr_expect(strstr(text_of(json, "zero-beats", "advice"), "put the pointer over the window"));
    cJSON_Delete(json);

    probe("cursor", "440", "340", NULL);
    json = examine(&target, 0);
    cr_expect_str_eq(text_of(json, "zero-beats", "verdict"), "otherwise");
    cr_expect(strstr(text_of(json, "zero-beats", "advice"), "mouse messages"));
    cJSON_Delete(json);
}

Test(doctor, names_a_toolkit_and_a_second_uimon)
{
    struct target target;
    struct monitor monitor;

    start_target(&target, "target_odd_win32", "--mode", "quiet", "--class", "SunAwtFrame", NULL);
    start_monitor(&monitor, &target, NULL);
    cJSON *json = examine(&target, 1);
    cr_expect_str_eq(text_of(json, "toolkit", "verdict"), "otherwise");
    cr_expect(strstr(text_of(json, "toolkit", "text"), "Java"));
    cr_expect_str_eq(text_of(json, "attach", "verdict"), "fails");
    cr_expect(strstr(text_of(json, "attach", "text"), "the uimon with pid "));
    cr_expect(cJSON_IsFalse(cJSON_GetObjectItem(json, "works")));
    cJSON_Delete(json);
    cJSON_Delete(stop_monitor(&monitor));
}

/* A package without its DLL, as an antivirus may leave it. */
Test(doctor, says_what_is_missing)
{
    static const char *const files[] = {"uimon.exe", "uimon-demo.exe"};
    char program[PATH_BYTES];
    char path[PATH_BYTES];
    const char *out;

    snprintf(path, sizeof path, "%s", test_folder("package"));
    for (size_t i = 2; i > 0; i--) {
        snprintf(program, sizeof program, "%s/%s", path, files[i - 1]);
        copy_file(dist_file(files[i - 1]), program);
    }
    int code = run(&out, NULL, windows_path(program), "doctor", NULL);
    cr_expect_eq(code, 1, "exit code %d: %s", code, out);
    cr_expect(strstr(out, "DOES NOT WORK"), "%s", out);
    cr_expect(strstr(out, "uimon-hook64.dll is not"), "%s", out);
    cr_expect(!strstr(out, "Beats:"), "%s", out);
}
