/* `uimon bench` from the scenario to the results, on programs that know nothing of it. What was
 * typed is read from the programs' own windows. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"
#include "tests/e2e/panes.h"

#define CAPS_LOCK "20"  /* VK_CAPITAL */
#define BENCH_MS 240000 /* for several runs; only a hang gets there */

struct said {
    int code;
    char *out;
    char *err;
};

static void forget(struct said *said)
{
    free(said->out);
    free(said->err);
}

/* A scenario of this test's own, as a Windows path. Owner: static, for a few calls. */
static const char *scenario(const char *text)
{
    const char *path = test_file("test.uimon");
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL);
    fputs(text, file);
    fclose(file);
    return windows_path(path);
}

static struct said finish(struct program *program)
{
    struct said said = {.code = wait_end(program, BENCH_MS)};
    said.out = read_text(program->out);
    said.err = read_text(program->err);
    return said;
}

/* Runs `uimon bench` with results in results.json and more arguments up to a NULL. */
static void begin_bench(struct program *program, const char *path, const char *const *more)
{
    const char *args[MAX_ARGS + 1] = {"bench", path, "--json",
                                      windows_path(test_file("results.json"))};
    size_t count = 4;
    while (*more && count < MAX_ARGS)
        args[count++] = *more++;
    start_list(program, "uimon", args);
}

static struct said bench(const char *path, const char *const *more)
{
    struct program program;
    begin_bench(&program, path, more);
    return finish(&program);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Owner: cJSON_Delete. */
static cJSON *results(void)
{
    char *text = read_text(test_file("results.json"));
    cJSON *root = cJSON_Parse(text);
    cr_assert(cJSON_IsObject(root), "no results: %s", text);
    free(text);
    return root;
}

static const cJSON *runs_of(const cJSON *root)
{
    return cJSON_GetObjectItem(root, "runs");
}

static const cJSON *measure_of(const cJSON *run, const char *name)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(run, "measures"))
    {
        if (strcmp(cJSON_GetObjectItem(one, "name")->valuestring, name) == 0)
            return one;
    }
    cr_assert_fail("no measure %s", name);
    return NULL;
}

static size_t length_of(const cJSON *object, const char *name)
{
    return (size_t)cJSON_GetArraySize(cJSON_GetObjectItem(object, name));
}

/* The parts of an interaction are there, and add up. */
static void check_interaction(const cJSON *one, const char *kind)
{
    cr_expect_str_eq(cJSON_GetObjectItem(one, "kind")->valuestring, kind);
    cr_expect(has_number(one, "processing_ms") &&
                  has_number(one, "arrival_ms") == has_number(one, "input_delay_ms"),
              "%s", cJSON_PrintUnformatted(one));
    if (!has_number(one, "total_ms"))
        return;
    double sum = number(one, "input_delay_ms") + number(one, "processing_ms") +
                 number(one, "presentation_ms");
    double total = number(one, "total_ms");
    cr_expect(sum - total < 0.001 && total - sum < 0.001, "%g is not %g", sum, total);
}

/* A measure of each run has so many interactions, no more and no less. */
static void check_measures(const cJSON *root, size_t runs, const char *name, size_t inputs,
                           const char *kind)
{
    const cJSON *run;
    cr_assert_eq(length_of(root, "runs"), runs);
    cJSON_ArrayForEach(run, runs_of(root))
    {
        const cJSON *measure = measure_of(run, name);
        const cJSON *one;
        cr_expect_eq((size_t)number(measure, "injected"), inputs);
        cr_expect_eq(length_of(measure, "interactions"), inputs, "%s: %zu interactions of %zu",
                     name, length_of(measure, "interactions"), inputs);
        cr_expect_gt(length_of(measure, "beats_ms"), 0);
        cr_expect_gt(number(measure, "duration_ms"), 0);
        cJSON_ArrayForEach(one, cJSON_GetObjectItem(measure, "interactions"))
        {
            check_interaction(one, kind);
        }
    }
}

/* The Windows process of the window with this in its title, once it is there. */
static uint32_t wait_window(const char *title, char hwnd[32])
{
    uint64_t until = unix_now_ms() + LIMIT_MS;
    unsigned pid = 0;
    while (sscanf(probe("find", title, NULL), "%31s %u", hwnd, &pid) != 2) {
        cr_assert_lt(unix_now_ms(), until, "no window %s", title);
        sleep_ms(50);
    }
    return pid;
}

static const char *text_in(uint32_t pid, const char *class_name)
{
    char id[16];
    snprintf(id, sizeof id, "%u", pid);
    return probe("text", id, class_name, NULL);
}

/* Notepad, started by the test and attached to. */
static uint32_t start_notepad(struct program *notepad)
{
    char hwnd[32];
    start(notepad, "notepad", NULL);
    return wait_window("Untitled - Notepad", hwnd);
}

Test(bench, types_into_notepad_every_key_once)
{
    struct program notepad;
    uint32_t pid = start_notepad(&notepad);
    struct said said =
        bench(scenario("set TEXT x\nattach notepad\nwait-idle 300\n"
                       "measure typing {\n  type \"${TEXT}\" rate 20/s\n}\n"
                       "measure keys {\n  key shift+home\n  key end times 3\n}\nkey enter\n"),
              ARGS("--define", "TEXT=Hello, World! (1 + 2) ", "--runs", "2", "--rehearsals", "0"));
    cr_assert_eq(said.code, 0, "%d: %s", said.code, said.err);
    const char *typed = "Hello, World! (1 + 2) \r\nHello, World! (1 + 2) \r\n";
    WAIT_UNTIL(strcmp(text_in(pid, "Edit"), typed) == 0, "%s", text_in(pid, "Edit"));
    cJSON *root = results();
    check_measures(root, 2, "typing", 22, "key");
    check_measures(root, 2, "keys", 4, "key");
    cr_expect_str_eq(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "target"), "name")->valuestring,
                     "notepad.exe");
    cr_expect_null(cJSON_GetObjectItem(root, "aborted"));
    cr_expect_null(cJSON_GetObjectItem(cJSON_GetArrayItem(runs_of(root), 0), "startup"),
                   "an attached program was not started");
    cr_expect(strstr(said.out, "typing") && strstr(said.out, "uimon compare"), "%s", said.out);
    cr_expect(strstr(said.err, "run 2 of 2") != NULL, "%s", said.err);
    cr_expect(is_running(&notepad), "an attached program is left alone");
    cJSON_Delete(root);
    forget(&said);
}

/* Characters that are on no key of the layout arrive too, and are measured as any other. */
Test(bench, types_what_is_on_no_key)
{
    struct program notepad;
    uint32_t pid = start_notepad(&notepad);
    struct said said = bench(scenario("attach notepad\nwait-idle 300\nmeasure m {\ntype "
                                      "\"a\xc3\xa4\xe6\xbc\xa2z\" rate 5\n}\n"),
                             ARGS("--runs", "1", "--rehearsals", "0"));
    cr_assert_eq(said.code, 0, "%d: %s", said.code, said.err);
    cr_expect_str_eq(text_in(pid, "Edit"), "a\xc3\xa4\xe6\xbc\xa2z");
    cJSON *root = results();
    check_measures(root, 1, "m", 4, "key");
    const cJSON *measure = measure_of(cJSON_GetArrayItem(runs_of(root), 0), "m");
    cr_expect_float_eq(number(measure, "typed_units"), 4, 0);
    cr_expect_float_eq(number(measure, "taken_units"), 4, 0);
    cJSON_Delete(root);
    forget(&said);
}

/* Notepad may be painted, and may wait for input, before uimon can see that: then it does not say
 * when it was painted, or idle. */
Test(bench, the_scenario_of_notepads_startup_measures_it)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s", dist_file("scenarios/notepad-startup.uimon"));
    struct said said = bench(windows_path(path), ARGS("--runs", "2"));
    cr_assert_eq(said.code, 0, "%d: %s", said.code, said.err);
    cJSON *root = results();
    const cJSON *run;
    cr_assert_eq(length_of(root, "runs"), 2);
    cJSON_ArrayForEach(run, runs_of(root))
    {
        double window = number(run, "startup.first_window_ms");
        cr_expect(window > 1 && window < 60000, "%g", window);
        cr_expect_geq(number(run, "startup.first_ready_ms"), window);
    }
    WAIT_UNTIL(!*probe("find", "Untitled - Notepad", NULL), "it is still open");
    cJSON_Delete(root);
    forget(&said);
}

/* What the program works before it paints, in ms. */
#define STARTUP_MS 2500

/* Starts a program that has work when its window comes, and paints after that. Returns the run. */
static const cJSON *startup_with_work(cJSON **root)
{
    char program[PATH_BYTES + 16];
    char log[PATH_BYTES + 16];
    struct um_demo_log_event *events;

    snprintf(program, sizeof program, "PROGRAM=%s", windows_path(dist_file("uimon-demo.exe")));
    snprintf(log, sizeof log, "LOG=%s", windows_path(test_file("startup.log")));
    struct said said = bench(scenario("launch ${PROGRAM} --still --delay 0 --pause 0 "
                                      "--play jank:25x100 --log ${LOG}\n"
                                      "wait-idle 500 within 60s\nclose\n"),
                             ARGS("--runs", "1", "--define", program, "--define", log));
    cr_assert_eq(said.code, 0, "%d: %s", said.code, said.err);
    cr_assert_eq(log_events(test_file("startup.log"), UM_DEMO_LOG_FREEZE, &events), 25);
    free(events);
    forget(&said);
    *root = results();
    return cJSON_GetArrayItem(runs_of(*root), 0);
}

Test(bench, the_times_of_a_startup_are_told)
{
    cJSON *root;
    const cJSON *run = startup_with_work(&root);
    double window_ms = number(run, "startup.first_window_ms");
    double paint_ms = number(run, "startup.first_paint_ms");
    double ready_ms = number(run, "startup.first_ready_ms");

    cr_expect(window_ms > 1 && window_ms <= paint_ms, "%g %g", window_ms, paint_ms);
    cr_expect_geq(paint_ms, STARTUP_MS);
    cr_expect(ready_ms >= STARTUP_MS && ready_ms >= window_ms, "%g %g", window_ms, ready_ms);
    cJSON_Delete(root);
}

/* It is not told where the machine holds the program or uimon up when the program comes to rest. */
Test(bench, the_first_rest_after_a_startup_is_told, .measured = true)
{
    cJSON *root;
    const cJSON *run = startup_with_work(&root);
    double idle_ms = number(run, "startup.first_idle_ms");

    cr_expect(idle_ms >= STARTUP_MS && idle_ms >= number(run, "startup.first_ready_ms"), "%g",
              idle_ms);
    cJSON_Delete(root);
}

Test(bench, the_scenario_of_an_editor_counts_keys_and_notches)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s", dist_file("scenarios/editor.uimon"));
    struct said said = bench(windows_path(path), ARGS("--runs", "1", "--define",
                                                      "PROGRAM=C:\\Program Files\\Windows NT\\"
                                                      "Accessories\\wordpad.exe"));
    cr_assert_eq(said.code, 0, "%d: %s", said.code, said.err);
    cJSON *root = results();
    check_measures(root, 1, "typing", 41, "key");
    check_measures(root, 1, "selecting", 10, "key");
    check_measures(root, 1, "scrolling", 10, "wheel");
    const cJSON *run = cJSON_GetArrayItem(runs_of(root), 0);
    cr_expect_str_eq(
        cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(run, "notes"), 0), "text")
            ->valuestring,
        "typed");
    cJSON_Delete(root);
    forget(&said);
}

/* What a key of the demo is told to cost is what the benchmark finds. */
Test(bench, the_scenario_of_the_demo_finds_what_a_key_costs)
{
    char path[PATH_BYTES];
    char program[PATH_BYTES + 16];
    snprintf(path, sizeof path, "%s", dist_file("scenarios/demo-typing.uimon"));
    snprintf(program, sizeof program, "PROGRAM=%s", windows_path(dist_file("uimon-demo.exe")));
    struct said said = bench(windows_path(path),
                             ARGS("--runs", "2", "--define", program, "--define", "KEY_MS=25"));
    cr_assert_eq(said.code, 0, "%d: %s", said.code, said.err);
    cJSON *root = results();
    check_measures(root, 2, "typing", 28, "key");
    const cJSON *one;
    cJSON_ArrayForEach(
        one, cJSON_GetObjectItem(measure_of(cJSON_GetArrayItem(runs_of(root), 1), "typing"),
                                 "interactions"))
    {
        cr_expect_geq(number(one, "processing_ms"), 24.9);
    }
    cJSON_Delete(root);
    forget(&said);
}

/* Nothing may be typed into another program: neither when it comes to the front between two steps,
 * where the very next key must stop ... */
Test(bench_guards, stops_before_the_first_key_that_would_go_elsewhere)
{
    struct program notepad;
    struct target other;
    char text[PATH_BYTES + 256];
    char front[64];
    uint32_t pid = start_notepad(&notepad);
    start_target(&other, NULL, "--still", NULL);
    snprintf(front, sizeof front, "0x%llx", (unsigned long long)other.hwnd);
    snprintf(text, sizeof text,
             "attach notepad\nwait-idle 300\ntype abc\nexec ${PROBE} front %s\n"
             "measure m {\ntype xyz\n}\n",
             front);
    char define[PATH_BYTES + 16];
    snprintf(define, sizeof define, "PROBE=%s", windows_path(test_program("probe_win32")));
    struct said said =
        bench(scenario(text), ARGS("--define", define, "--runs", "3", "--rehearsals", "0"));
    cr_expect_eq(said.code, 1, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, "aborted: line 6: the foreground is uimon-demo.exe (pid ") &&
                  strstr(said.err, "not the target: nothing was sent"),
              "%s", said.err);
    cr_expect_str_eq(text_in(pid, "Edit"), "abc");
    cr_expect_str_eq(text_in(other.pid, "Edit"), "");
    cJSON *root = results();
    const cJSON *aborted = cJSON_GetObjectItem(root, "aborted");
    cr_expect(cJSON_IsString(aborted) && strstr(aborted->valuestring, "line 6: the foreground"),
              "%s", said.err);
    cr_expect_eq(length_of(root, "runs"), 1, "what was measured until then is kept");
    cJSON_Delete(root);
    forget(&said);
}

/* ... nor when it comes at any time in the middle of typing. */
Test(bench_guards, a_window_that_comes_in_the_middle_of_typing_gets_no_key)
{
    struct program notepad, program;
    struct target other;
    char front[64];
    uint32_t pid = start_notepad(&notepad);
    start_target(&other, NULL, "--still", NULL);
    snprintf(front, sizeof front, "0x%llx", (unsigned long long)other.hwnd);
    begin_bench(
        &program,
        scenario("attach notepad\nwait-idle 300\nrepeat 100 {\ntype abcdefghij rate 50\n}\n"),
        ARGS("--runs", "1", "--rehearsals", "0"));
    uint64_t until = unix_now_ms() + LIMIT_MS;
    while (strlen(text_in(pid, "Edit")) < 20)
        cr_assert_lt(unix_now_ms(), until, "nothing is typed");
    probe("front", front, NULL);
    struct said said = finish(&program);
    cr_expect_eq(said.code, 1, "%d: %s", said.code, said.err);
    /* While the system changes the foreground, there is none for a moment. */
    cr_expect(strstr(said.err, "the foreground is uimon-demo.exe") ||
                  strstr(said.err, "the foreground is no window"),
              "%s", said.err);
    cr_expect_str_eq(text_in(other.pid, "Edit"), "");
    cr_expect_geq(strlen(text_in(pid, "Edit")), 20);
    forget(&said);
}

/* ... nor does another window of the program that was there before. */
Test(bench_guards, a_window_of_the_target_that_was_not_in_front_gets_no_key)
{
    struct target target;
    struct um_demo_log_event second;
    char text[PATH_BYTES];
    char front[32];
    char define[PATH_BYTES + 16];

    start_target(&target, "target_odd_win32", "--mode", "two-threads", NULL);
    cr_assert_eq(um_demo_log_parse(wait_line(target.log, "window "), &second), UM_OK);
    /* A new window comes to the front by itself, which must not happen after the next line. */
    WAIT_UNTIL(strtoull(probe("foreground", NULL), NULL, 16) == second.hwnd,
               "the second window does not come to the front: %s", probe("foreground", NULL));
    snprintf(front, sizeof front, "0x%llx", (unsigned long long)target.hwnd);
    probe("front", front, NULL);
    snprintf(text, sizeof text,
             "attach %lu\nwait-idle 300\ntype abc\nexec ${PROBE} front 0x%llx\n"
             "type xyz\n",
             (unsigned long)target.pid, (unsigned long long)second.hwnd);
    snprintf(define, sizeof define, "PROBE=%s", windows_path(test_program("probe_win32")));
    struct said said =
        bench(scenario(text), ARGS("--define", define, "--runs", "1", "--rehearsals", "0"));
    cr_expect_eq(said.code, 1, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, "aborted: line 5: the foreground is another window of the target"),
              "%s", said.err);
    cr_expect(strstr(said.err, "nothing was sent"), "%s", said.err);
    forget(&said);
}

#define DIALOG "A modal dialog" /* of the demo, which disables its window */
#define ANOTHER_WINDOW "the foreground is another window of the target (\"" DIALOG "\") than before"

/* How many characters the demo's log has for its typing area, or for its other windows. */
static size_t characters_of(const struct target *target, bool typing_area)
{
    struct um_demo_log_event *events;
    size_t found = 0, count = log_events(target->log, UM_DEMO_LOG_INPUT, &events);
    for (size_t i = 0; i < count; i++)
        found += strcmp(events[i].name, "WM_CHAR") == 0 &&
                 (strcmp(events[i].class_name, "Edit") == 0) == typing_area;
    free(events);
    return found;
}

/* How many keys uimon says may have gone astray. */
static size_t told_astray(const char *err)
{
    const char *astray = strstr(err, "may have gone astray");
    unsigned before = 0;
    if (astray && strstr(err, "' and the "))
        sscanf(strstr(err, "' and the "), "' and the %u before it", &before);
    return astray ? 1 + before : 0;
}

/* ... nor does a dialog of the program that comes by itself while it types. Its button has the
 * focus. */
Test(bench_guards, a_dialog_that_comes_by_itself_gets_no_key)
{
    struct target target;
    struct program program;
    char text[256];
    start_target(&target, NULL, "--still", NULL);
    snprintf(text, sizeof text,
             "attach %lu\nwait-idle 300\nclick class:Edit\n"
             "repeat 100 {\ntype abcdefghij rate 20\n}\n",
             (unsigned long)target.pid);
    begin_bench(&program, scenario(text), ARGS("--runs", "1", "--rehearsals", "0"));
    WAIT_UNTIL(characters_of(&target, true) >= 10, "nothing is typed");
    trigger(&target, "modal:60000");
    struct said said = finish(&program);
    cr_expect_eq(said.code, 1, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, ANOTHER_WINDOW) != NULL, "%s", said.err);
    cr_expect_leq(characters_of(&target, false), told_astray(said.err), "%s", said.err);
    cr_expect_geq(characters_of(&target, true), 10);
    forget(&said);
}

/* The same between two steps. */
Test(bench_guards, a_dialog_that_came_between_two_steps_gets_no_key)
{
    struct target target;
    char text[512], define[PATH_BYTES + 16];
    start_target(&target, NULL, "--still", NULL);
    snprintf(text, sizeof text,
             "attach %lu\nwait-idle 300\nclick class:Edit\ntype abc\n"
             "exec ${PROBE} trigger 0x%llx modal:60000\nwait-idle 500\n"
             "repeat 100 {\ntype defghijklm rate 20\n}\n",
             (unsigned long)target.pid, (unsigned long long)target.hwnd);
    snprintf(define, sizeof define, "PROBE=%s", windows_path(test_program("probe_win32")));
    struct said said =
        bench(scenario(text), ARGS("--define", define, "--runs", "1", "--rehearsals", "0"));
    cr_expect_eq(said.code, 1, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, "aborted: line 8: ") && strstr(said.err, ANOTHER_WINDOW), "%s",
              said.err);
    cr_expect_leq(characters_of(&target, false), told_astray(said.err), "%s", said.err);
    forget(&said);
}

/* A run does not begin with a dialog open, unless the scenario names it. */
Test(bench_guards, a_dialog_that_is_open_at_the_start_gets_keys_only_if_it_is_named)
{
    struct target target;
    char text[256];
    start_target(&target, NULL, "--still", NULL);
    trigger(&target, "modal:60000");
    WAIT_UNTIL(strstr(probe("foreground", NULL), DIALOG), "%s", probe("foreground", NULL));
    snprintf(text, sizeof text, "attach %lu\nwait-idle 300\ntype abc\n", (unsigned long)target.pid);
    struct said said = bench(scenario(text), ARGS("--runs", "1", "--rehearsals", "0"));
    cr_expect_eq(said.code, 1, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, "aborted: line 3: a dialog of the target (\"" DIALOG
                               "\") is open before the first input: nothing was sent; close it"),
              "%s", said.err);
    cr_expect_eq(characters_of(&target, false), 0);
    forget(&said);
    snprintf(text, sizeof text, "attach %lu\nwait-window \"" DIALOG "\"\ntype abc\n",
             (unsigned long)target.pid);
    said = bench(scenario(text), ARGS("--runs", "1", "--rehearsals", "0"));
    cr_expect_eq(said.code, 0, "%d: %s", said.code, said.err);
    WAIT_UNTIL(characters_of(&target, false) == 3, "%s", said.err);
    forget(&said);
}

/* A message box without an owner leaves the main window enabled. */
Test(bench_guards, a_message_box_of_a_program_that_was_launched_gets_no_key)
{
    char program[PATH_BYTES + 16];
    snprintf(program, sizeof program, "PROGRAM=%s", windows_path(test_program("target_odd_win32")));
    struct said said =
        bench(scenario("launch ${PROGRAM} --mode box\nwait-window \"A box\"\nwait-idle 500\nkey a\n"
                       "close discard\n"),
              ARGS("--define", program, "--runs", "1", "--rehearsals", "0"));
    cr_expect_eq(said.code, 0, "it was named: %d: %s", said.code, said.err);
    forget(&said);
    said = bench(scenario("launch ${PROGRAM} --mode box\nwait-idle 1s\nkey a\nclose discard\n"),
                 ARGS("--define", program, "--runs", "1", "--rehearsals", "0"));
    cr_expect_eq(said.code, 1, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, "line 3: a dialog of the target (\"A box\") is open before"), "%s",
              said.err);
    forget(&said);
}

static void set_layout(const char *name)
{
    char command[64];
    snprintf(command, sizeof command, "setxkbmap %s", name);
    cr_assert_eq(system(command), 0, "%s", command);
}

static void restore_layout(void)
{
    (void)system("setxkbmap us");
}

/* Notepad knows Ctrl+A by its virtual key. No key of a Greek layout makes an a. */
Test(bench, a_shortcut_is_the_same_key_with_a_greek_layout, .fini = restore_layout)
{
    struct program notepad;
    uint32_t pid = start_notepad(&notepad);
    set_layout("gr");
    struct said said = bench(scenario("attach notepad\nwait-idle 300\ntype abc\nkey ctrl+a\n"
                                      "key delete\nwait-idle 300\ntype \"\xcf\x83x\"\n"),
                             ARGS("--runs", "1", "--rehearsals", "0"));
    cr_expect_eq(said.code, 0, "%d: %s", said.code, said.err);
    WAIT_UNTIL(strcmp(text_in(pid, "Edit"), "\xcf\x83x") == 0, "it reads: %s",
               text_in(pid, "Edit"));
    forget(&said);
}

/* Ctrl+F opens Notepad's dialog, which is typed into, and Esc closes it. */
Test(bench, types_into_the_window_that_a_key_has_opened)
{
    struct program notepad;
    uint32_t pid = start_notepad(&notepad);
    struct said said =
        bench(scenario("attach notepad\nwait-idle 300\ntype abc\nkey ctrl+f\nwait-idle 500\n"
                       "measure find {\n  type \"xyz\"\n}\nkey esc\nwait-idle 500\ntype d\n"),
              ARGS("--runs", "1", "--rehearsals", "0"));
    cr_expect_eq(said.code, 0, "%d: %s", said.code, said.err);
    WAIT_UNTIL(strcmp(text_in(pid, "Edit"), "abcd") == 0, "it reads: %s", text_in(pid, "Edit"));
    cJSON *root = results();
    check_measures(root, 1, "find", 3, "key");
    cJSON_Delete(root);
    forget(&said);
}

/* The program hangs in its eighth character for good. What was sent was seen or given up, and what
 * was seen is what its own log has. */
Test(bench, of_a_program_that_hangs_while_it_is_typed_into_the_counts_add_up)
{
    struct target target = {.log = ""};
    struct um_demo_log_event *events;
    char program[PATH_BYTES + 16], log[PATH_BYTES + 16], expected[64];
    size_t keys = 0;
    snprintf(program, sizeof program, "PROGRAM=%s", windows_path(dist_file("uimon-demo.exe")));
    snprintf(target.log, sizeof target.log, "%s", test_file("hang.log"));
    snprintf(log, sizeof log, "LOG=%s", windows_path(target.log));
    struct said said =
        bench(scenario("launch ${PROGRAM} --still --log ${LOG} "
                       "--key-cost 0,0,0,0,0,0,0,60000\nwait-idle 500\nclick 100,100\n"
                       "measure typing {\n  type \"the quick brown fox\" rate 10/s\n}\n"
                       "close discard\n"),
              ARGS("--runs", "1", "--rehearsals", "0", "--define", program, "--define", log));
    cr_assert_eq(said.code, 0, "%d: %s", said.code, said.err);
    size_t count = log_events(target.log, UM_DEMO_LOG_INPUT, &events);
    for (size_t i = 0; i < count; i++)
        keys += strcmp(events[i].name, "WM_KEYDOWN") == 0;
    free(events);
    cr_expect_eq(keys, 8, "%zu", keys);
    snprintf(expected, sizeof expected, "%zu of 19 inputs seen, %zu given up;", keys, 19 - keys);
    cr_expect(strstr(said.out, expected), "no '%s': %s", expected, said.out);
    cJSON *root = results();
    const cJSON *measure = measure_of(cJSON_GetArrayItem(runs_of(root), 0), "typing");
    cr_expect_eq(number(measure, "injected"), 19);
    cr_expect_eq(length_of(measure, "interactions"), keys);
    cr_expect_eq(number(measure, "given_up"), 19 - keys);
    cJSON_Delete(root);
    forget(&said);
}

/* Caps Lock would have other letters typed than those of the scenario. */
Test(bench_guards, with_caps_lock_nothing_is_typed)
{
    struct program notepad;
    char define[PATH_BYTES + 16];
    uint32_t pid = start_notepad(&notepad);
    snprintf(define, sizeof define, "PROBE=%s", windows_path(test_program("probe_win32")));
    struct said said = bench(scenario("attach notepad\nwait-idle 300\n"
                                      "exec ${PROBE} chord " CAPS_LOCK "\ntype \"abc\"\n"),
                             ARGS("--define", define, "--runs", "1", "--rehearsals", "0"));
    if (said.code == 0 || strstr(said.err, "line 4: ")) /* it has been switched on */
        probe("chord", CAPS_LOCK, NULL);
    cr_expect_eq(said.code, 1, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, "line 4: Caps Lock is on: nothing was sent") != NULL, "%s",
              said.err);
    cr_expect_str_eq(text_in(pid, "Edit"), "");
    forget(&said);
}

Test(bench, ctrl_c_leaves_no_key_down_and_keeps_the_results)
{
    struct program notepad, feed;
    struct monitor monitor;
    start_notepad(&notepad);
    begin_bench(&monitor.program,
                scenario("attach notepad\nwait-idle 300\nmeasure m {\nkey a\n}\n"
                         "type b\nkey ctrl+shift+end times 10000 rate 100\n"),
                ARGS("--runs", "1", "--rehearsals", "0", "--verbose"));
    name_feed(&monitor);
    tail_feed(&feed, &monitor);
    wait_lines(feed.out, "interaction key ", 4); /* more than before the last line */
    interrupt(&monitor.program);
    struct said said = finish(&monitor.program);
    cr_expect_eq(said.code, 1, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, "aborted: line 7: interrupted") != NULL, "%s", said.err);
    cr_expect_str_eq(probe("held", NULL), "\n");
    cJSON *root = results();
    cr_expect_str_eq(cJSON_GetObjectItem(root, "aborted")->valuestring, "line 7: interrupted");
    check_measures(root, 1, "m", 1, "key");
    cJSON_Delete(root);
    forget(&said);
}

/* The second time that the last step is reached, it kills uimon: in the second run. */
Test(bench, a_kill_costs_one_run_and_the_rest_can_be_made_later)
{
    struct program notepad;
    char partial[PATH_BYTES], path[PATH_BYTES], define[PATH_BYTES + 16], count[PATH_BYTES + 16];
    const char *out, *err;
    snprintf(partial, sizeof partial, "%s", test_file("results.json.partial"));
    snprintf(define, sizeof define, "PROBE=%s", windows_path(test_program("probe_win32")));
    snprintf(count, sizeof count, "COUNT=%s", windows_path(test_file("count")));
    FILE *file = fopen(test_file("results.json"), "wb");
    cr_assert(file && fputs("before", file) >= 0 && fclose(file) == 0);
    start_notepad(&notepad);
    snprintf(path, sizeof path, "%s",
             scenario("attach notepad\nwait-idle 300\nmeasure m {\nkey a\n}\n"
                      "exec ${PROBE} kill-at ${COUNT} 2\n"));
    struct said said = bench(
        path, ARGS("--runs", "2", "--rehearsals", "0", "--define", define, "--define", count));
    forget(&said);
    char *calls = read_text(test_file("count")), *before = read_text(test_file("results.json"));
    cr_expect_str_eq(calls, "..", "it was not killed in its second run: %s", calls);
    cr_expect_str_eq(before, "before");
    free(calls);
    free(before);
    cr_expect(run(&out, &err, "uimon", "compare", windows_path(partial), windows_path(partial),
                  NULL) == 0 &&
                  strstr(out, "BEFORE is partial: 1 of 2 runs"),
              "%s%s", out, err);

    said = bench(path, ARGS("--runs", "3", "--rehearsals", "0", "--define", define, "--define",
                            count, "--resume", windows_path(partial)));
    cr_expect(said.code == 2 && strstr(said.err, "with another --runs"), "%d: %s", said.code,
              said.err);
    forget(&said);
    said = bench(path, ARGS("--runs", "2", "--rehearsals", "0", "--define", define, "--define",
                            count, "--resume", windows_path(partial)));
    cr_assert_eq(said.code, 0, "%d: %s", said.code, said.err);
    forget(&said);
    cJSON *root = results();
    check_measures(root, 2, "m", 1, "key");
    cr_expect(!cJSON_GetObjectItem(root, "partial_of") && !cJSON_GetObjectItem(root, "resume"));
    cr_expect_null(fopen(partial, "rb"), "it is left beside the whole results");
    cJSON_Delete(root);
}

/* The runs of one that was killed may be hours of work. */
Test(bench_guards, that_fails_before_its_first_run_replaces_no_file)
{
    char probe_path[PATH_BYTES + 16], partial[PATH_BYTES];
    struct program notepad;
    snprintf(probe_path, sizeof probe_path, "PROBE=%s", windows_path(test_program("probe_win32")));
    snprintf(partial, sizeof partial, "%s", test_file("results.json.partial"));
    FILE *file = fopen(test_file("results.json"), "wb");
    cr_assert(file && fputs("before", file) >= 0 && fclose(file) == 0);
    file = fopen(partial, "wb");
    cr_assert(file && fputs("hours", file) >= 0 && fclose(file) == 0);
    start_notepad(&notepad);
    struct said said = bench(scenario("attach notepad\nexec ${PROBE} nonsense\n"),
                             ARGS("--define", probe_path, "--runs", "2"));
    cr_expect_eq(said.code, 1, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, "aborted: line 2: ") && strstr(said.err, "is as it was"), "%s",
              said.err);
    forget(&said);
    char *whole = read_text(test_file("results.json")), *left = read_text(partial);
    cr_expect_str_eq(whole, "before");
    cr_expect_str_eq(left, "hours");
    free(whole);
    free(left);
}

Test(bench_guards, a_failed_tool_and_a_dead_program_abort_with_their_reason)
{
    char probe_path[PATH_BYTES + 16];
    snprintf(probe_path, sizeof probe_path, "PROBE=%s", windows_path(test_program("probe_win32")));
    struct said said = bench(scenario("launch notepad.exe\nexec ${PROBE} nonsense\ntype a\n"),
                             ARGS("--define", probe_path, "--runs", "1"));
    cr_expect_eq(said.code, 1, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, "line 2: ") && strstr(said.err, "exit code 2"), "%s", said.err);
    forget(&said);
    said = bench(scenario("launch notepad.exe\nwait-idle 300\nkey alt+f4\nsleep 10s\n"),
                 ARGS("--runs", "1"));
    cr_expect_eq(said.code, 1, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, "aborted: line 4: the program ended") != NULL, "%s", said.err);
    forget(&said);
}

/* Two sides ------------------------------------------------------------------------------------ */

static const char two_costs[] = "set COST 20\n"
                                "launch uimon-demo.exe --still --key-cost ${COST}\n"
                                "wait-idle 300\nclick class:Edit\n"
                                "measure typing {\n  type \"interleaved\" rate 15/s\n}\nclose\n";

/* The demo is told that a key costs 20 ms before and 50 ms after. */
Test(bench, two_sides_are_run_in_turn_and_compared)
{
    struct said said = bench(scenario(two_costs), ARGS("--before", "COST=20", "--after", "COST=50",
                                                       "--runs", "3", "--rehearsals", "0"));
    cr_assert_eq(said.code, 0, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.out, "\ntyping: "), "%s", said.out);
    cr_expect(strstr(said.err, "pair 3 of 3, before"), "%s", said.err);
    cr_expect(strstr(said.err, "pair 3 of 3, after"), "%s", said.err);
    cr_expect(strstr(said.err, "3 runs of each side: likely "), "%s", said.err);
    cr_expect(strstr(said.err, "the first run of each side took "), "%s", said.err);
    cJSON *root = results();
    cr_expect_eq(number(root, "schema"), 2);
    cr_expect_eq(length_of(root, "order"), 3);
    check_measures(cJSON_GetObjectItem(root, "before"), 3, "typing", 11, "key");
    check_measures(cJSON_GetObjectItem(root, "after"), 3, "typing", 11, "key");
    cJSON_Delete(root);
    forget(&said);
}

/* Layout --------------------------------------------------------------------------------------- */

/* Each key resizes the panes of target_odd_win32 (demo/panes_win32.h). */
static const char panes[] = "launch ${PROGRAM} --mode panes:${INNER} --log ${LOG}\nwait-idle 300\n"
                            "measure resizing {\n  key f5 times 10\n}\nclose\n";

/* A key makes a layout frame, in each run of a side. That of the last run, whose log it is, took at
 * least as long as the panes were busy, and at most as long as the calls took that resized them. */
static void check_layout(const cJSON *side, const char *log)
{
    const cJSON *run;
    double busy_ms = 0, call_ms = pane_cost(log, "outer").call_ms, layout_ms = 0;
    for (int i = 0; i < PANES; i++)
        busy_ms += pane_cost(log, pane_names[i]).busy_ms;
    cr_expect(cJSON_IsTrue(cJSON_GetObjectItem(cJSON_GetObjectItem(side, "options"), "layout")));
    cJSON_ArrayForEach(run, runs_of(side))
    {
        double frames = number(run, "layout.frames");
        cr_expect_geq(frames, 9, "a key makes a layout frame");
        cr_expect_float_eq(number(run, "layout.layout_ms"), frames * number(run, "layout.frame_ms"),
                           0.01);
        layout_ms = number(run, "layout.layout_ms");
    }
    cr_log_info("%.2f ms, between %.2f and %.2f", layout_ms, busy_ms, call_ms);
    cr_expect_geq(layout_ms, 0.95 * busy_ms);
    cr_expect_leq(layout_ms, call_ms);
}

/* Runs both sides with --layout, the inner pane costing so many ms. */
static struct said bench_panes(unsigned before_ms, unsigned after_ms)
{
    char program[PATH_BYTES + 16], before[32], after[32];
    char before_log[PATH_BYTES + 16], after_log[PATH_BYTES + 16];
    snprintf(program, sizeof program, "PROGRAM=%s", windows_path(test_program("target_odd_win32")));
    snprintf(before, sizeof before, "INNER=%u", before_ms);
    snprintf(after, sizeof after, "INNER=%u", after_ms);
    snprintf(before_log, sizeof before_log, "LOG=%s", windows_path(test_file("before.log")));
    snprintf(after_log, sizeof after_log, "LOG=%s", windows_path(test_file("after.log")));
    struct said said =
        bench(scenario(panes), ARGS("--layout", "--define", program, "--before", before, "--before",
                                    before_log, "--after", after, "--after", after_log, "--runs",
                                    "6", "--rehearsals", "0", "--fail-over", "layout.frame=+25%"));
    cJSON *root = results();
    check_layout(cJSON_GetObjectItem(root, "before"), test_file("before.log"));
    check_layout(cJSON_GetObjectItem(root, "after"), test_file("after.log"));
    cJSON_Delete(root);
    return said;
}

Test(bench, layout_that_costs_more_is_found_slower, .measured = true)
{
    struct said said = bench_panes(5, 40);
    cr_expect_eq(said.code, 5, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.out, "\nlayout: slower by "), "%s", said.out);
    forget(&said);
}

/* In six pairs chance makes the same build slower once in 64 times, but never by a quarter. */
Test(bench, layout_that_costs_the_same_is_not, .measured = true)
{
    struct said said = bench_panes(5, 5);
    cr_expect_neq(said.code, 5, "%s", said.out);
    cr_expect(strstr(said.out, "\nlayout: "), "%s", said.out);
    forget(&said);
}

/* AFTER cannot be run: its pairs do not count, and after three of them in a row it ends. What was
 * measured until then is kept, and is no comparison. */
Test(bench_guards, pairs_that_fail_do_not_count)
{
    char probe_path[PATH_BYTES + 16];
    snprintf(probe_path, sizeof probe_path, "PROBE=%s", windows_path(test_program("probe_win32")));
    struct said said =
        bench(scenario("set WORD nonsense\nlaunch notepad.exe\nexec ${PROBE} ${WORD}\n"
                       "measure m {\n  key end\n}\n"),
              ARGS("--define", probe_path, "--before", "WORD=held", "--after", "WORD=nonsense",
                   "--runs", "8", "--rehearsals", "0"));
    cr_expect_eq(said.code, 1, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, "pair 1 did not finish and does not count: line 3: "), "%s",
              said.err);
    cr_expect(strstr(said.err, "aborted: line 3: "), "%s", said.err);
    cJSON *root = results();
    cr_expect_eq(number(root, "discarded"), 2);
    cr_expect_eq(length_of(root, "order"), 0);
    cr_expect_eq(length_of(cJSON_GetObjectItem(root, "before"), "runs"), 0);
    cr_expect(strstr(cJSON_GetObjectItem(root, "aborted")->valuestring, "line 3: "));
    cJSON_Delete(root);
    forget(&said);
}

Test(bench, chooses_from_a_menu_by_its_letters)
{
    struct program notepad;
    uint32_t pid = start_notepad(&notepad);
    /* Edit, Select all; then what is typed takes the place of what was there. */
    struct said said = bench(scenario("attach notepad\nwait-idle 300\ntype abc\nmenu \"&Edit\" "
                                      "\"Select &all\"\nwait-idle 300\n"
                                      "type x\n"),
                             ARGS("--runs", "1", "--rehearsals", "0"));
    cr_expect_eq(said.code, 0, "%d: %s", said.code, said.err);
    WAIT_UNTIL(strcmp(text_in(pid, "Edit"), "x") == 0, "it reads: %s", text_in(pid, "Edit"));
    forget(&said);
}

/* Refusals ------------------------------------------------------------------------------------- */

static void refuses(const char *text, const char *const *more, int code, const char *expected)
{
    remove(test_file("results.json"));
    struct said said = bench(scenario(text), more);
    cr_expect_eq(said.code, code, "%d: %s: %s", said.code, text, said.err);
    cr_expect(strstr(said.err, expected) != NULL, "no '%s': %s", expected, said.err);
    cr_expect(strncmp(said.err, "uimon: ", 7) == 0 &&
                  strchr(said.err, '\n') == said.err + strlen(said.err) - 1,
              "not one line: %s", said.err);
    cr_expect_str_eq(read_text(test_file("results.json")), "", "results of nothing");
    forget(&said);
}

Test(bench_guards, refuses_a_wrong_scenario_and_says_where)
{
    refuses("attach a\n\ntipe \"x\"\n", ARGS("--runs", "1"), 2,
            "test.uimon:3: unknown step 'tipe'; did you mean 'type'?");
    refuses("attach a\nrepeat 3 {\nkey a\n", ARGS("--runs", "1"), 2, "test.uimon:2: the '{'");
    refuses("\xff\xfe", ARGS("--runs", "1"), 2, "test.uimon:1: the text is not UTF-8");
    refuses("", ARGS("--runs", "1"), 2, "there are no steps");
    refuses("attach a\n", ARGS("--define", "X=1"), 2, "uimon: X: ");
    refuses("launch no-such-program.exe\n", ARGS("--runs", "1"), 3,
            "test.uimon:1: there is no program 'no-such-program.exe'");
    struct said said = bench("Z:\\no\\such.uimon", ARGS("--runs", "1"));
    cr_expect_eq(said.code, 2);
    cr_expect(strstr(said.err, "there is no such file") != NULL, "%s", said.err);
    forget(&said);
}

/* A misspelt measure is told before anything else is done: the program would not be found. */
Test(bench_guards, refuses_a_misspelt_measure_before_the_first_run)
{
    static const char text[] = "set A 1\nlaunch no-such-program.exe ${A}\n"
                               "measure typing {\n  key end\n}\n";
    static const char why[] = "there is no measure 'typng' in the scenario; did you mean "
                              "'typing'? (there are startup, typing)";
    struct program program;
    refuses(text, ARGS("--before", "A=1", "--after", "A=2", "--fail-over", "typng.p90=50ms"), 2,
            why);
    refuses(text, ARGS("--before", "A=1", "--after", "A=2", "--bisect", "--fail-over", "typng=+5%"),
            130, why);
    refuses(text, ARGS("--before", "A=1", "--after", "A=2", "--fail-over", "typing=+5%"), 3,
            "there is no program");
    start_list(&program, "uimon",
               ARGS("bisect", scenario(text), "--suspect", "A=2", "--suspect", "A=3", "--measure",
                    "typng"));
    struct said said = finish(&program);
    cr_expect_eq(said.code, 2, "%d: %s", said.code, said.err);
    cr_expect(strncmp(said.err, "uimon: --measure typng: ", 24) == 0 && strstr(said.err, why), "%s",
              said.err);
    cr_expect_str_eq(said.out, "", "an outcome of nothing");
    forget(&said);
}

/* Runs a command whose output would overwrite one of its inputs: it says so, and leaves that
 * alone. */
static void keeps_its_input(const char *content, const char *input, const char *const *args)
{
    struct program program;
    FILE *file = fopen(test_file(input), "wb");
    cr_assert(file != NULL);
    fputs(content, file);
    fclose(file);
    start_list(&program, "uimon", args);
    struct said said = finish(&program);
    cr_expect_eq(said.code, 2, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, "another file"), "%s", said.err);
    cr_expect_eq(strchr(said.err, '\n'), said.err + strlen(said.err) - 1, "%s", said.err);
    char *left = read_text(test_file(input));
    cr_expect_str_eq(left, content);
    free(left);
    forget(&said);
}

Test(bench_guards, results_do_not_take_the_place_of_an_input)
{
    char path[PATH_BYTES];
    char other[PATH_BYTES];
    char list[PATH_BYTES + 1];
    char folder[PATH_BYTES];
    snprintf(path, sizeof path, "%s", windows_path(test_file("in.json")));
    char *name = strrchr(path, '\\') + 1;
    /* The same file, spelled otherwise. */
    snprintf(other, sizeof other, "%.*s.\\IN.json", (int)(name - path), path);
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path - 1), path);
    snprintf(list, sizeof list, ",%s", path);
    keeps_its_input("attach a\n", "in.json", ARGS("bench", path, "--json", other));
    keeps_its_input("{}\n", "in.json", ARGS("compare", path, path, "--json", other));
    keeps_its_input("{}\n", "in.json", ARGS("compare", folder, path, "--json", other));
    keeps_its_input("{}\n", "in.json", ARGS("compare", list, path, "--json", other));
    keeps_its_input("x\n", "in.json", ARGS("report", path, "--html", other));
    keeps_its_input("x\n", "in.json", ARGS("report", path, "--json", other));
}

Test(bench_guards, a_target_that_is_not_there_is_exit_code_3)
{
    struct said said = bench(scenario("attach no-such-program\nkey a\n"), ARGS("--runs", "1"));
    cr_expect_eq(said.code, 3, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.err, "line 1: ") != NULL, "%s", said.err);
    forget(&said);
}

/* What lies in the present folder under a program's name is not that program, unless the folder is
 * named. */
Test(bench_guards, the_present_folder_is_not_searched_for_programs)
{
    static const char cmd[] = "C:\\windows\\system32\\cmd.exe";
    char folder[PATH_BYTES], program[PATH_BYTES], go[PATH_BYTES * 3];
    const char *out, *err;

    snprintf(folder, sizeof folder, "%s", test_folder("here"));
    snprintf(program, sizeof program, "%s/planted.exe", folder);
    copy_file(dist_file("uimon-demo.exe"), program);
    const char *files[] = {"bare", "named"};
    const char *texts[] = {"launch planted\n", "launch ./planted\n"};
    for (int i = 0; i < 2; i++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s.uimon", folder, files[i]);
        FILE *file = fopen(path, "wb");
        cr_assert(file && fputs(texts[i], file) >= 0 && fclose(file) == 0);
    }
    snprintf(go, sizeof go, "cd /d %s && %s bench bare.uimon --dry-run", windows_path(folder),
             windows_path(dist_file("uimon.exe")));
    int code = run(&out, &err, cmd, "/c", go, NULL);
    cr_expect_eq(code, 3, "%d: %s", code, err);
    cr_expect(strstr(err, "there is no program 'planted'"), "%s", err);
    snprintf(go, sizeof go, "cd /d %s && %s bench named.uimon --dry-run", windows_path(folder),
             windows_path(dist_file("uimon.exe")));
    code = run(&out, &err, cmd, "/c", go, NULL);
    cr_expect_eq(code, 0, "%d: %s", code, err);
    cr_expect(strstr(out, "line 1 starts ") && strstr(out, "\\here\\planted.exe"), "%s", out);
}

Test(bench_guards, a_dry_run_sends_nothing)
{
    struct program notepad;
    uint32_t pid = start_notepad(&notepad);
    struct said said = bench(scenario("attach notepad\nrepeat 1000 {\n  type abc\n}\n"),
                             ARGS("--dry-run", "--runs", "2"));
    cr_expect_eq(said.code, 0, "%d: %s", said.code, said.err);
    cr_expect(strstr(said.out, "repeat 1000 {") && strstr(said.out, "3000 inputs"), "%s", said.out);
    /* 3 runs of 3,000 keys, 10 in a second */
    cr_expect(strstr(said.out, "In all: 3 runs: likely 15 min or more, "), "%s", said.out);
    cr_expect_lt(strlen(said.out), 1000, "the loop is unrolled");
    cr_expect_str_eq(text_in(pid, "Edit"), "");
    cr_expect_str_eq(read_text(test_file("results.json")), "");
    forget(&said);
}
