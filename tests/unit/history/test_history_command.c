/* `uimon history`, called as main.c calls it. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "monitor/history/history.h"
#include "monitor/options/commands.h"
#include "tests/history_lines.h"
#include "tests/json_read.h"
#include "tests/written.h"

static char folder[] = "/tmp/uimon-history-XXXXXX";
static char history[64], results[64], other[64];

static const char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    return file ? written_read(file, NULL) : "";
}

#define RESULTS(started)                                                                           \
    "{\"schema\":1,\"kind\":\"bench\"" started ",\"runs\":[{\"measures\":[{\"name\":\"typing\","   \
    "\"duration_ms\":900}]}]}"

static void setup(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(history, sizeof history, "%s/h.jsonl", folder);
    snprintf(results, sizeof results, "%s/r.json", folder);
    snprintf(other, sizeof other, "%s/o", folder);
    written_put(results, RESULTS(",\"started\":\"2026-11-21T12:45:34Z\""));
    cr_redirect_stdout();
    cr_redirect_stderr();
}

static void teardown(void)
{
    unlink(history);
    unlink(results);
    unlink(other);
    rmdir(folder);
}

TestSuite(history_command, .init = setup, .fini = teardown);

#define MEASURED_ON(machine)                                                                       \
    RESULTS(",\"started\":\"2026-11-21T12:45:34Z\",\"scenario\":{\"name\":\"edit\"},"              \
            "\"machine\":{\"name\":\"" machine "\"}")

static int add(const char *to, const char *label)
{
    struct um_options options = {.files = {to, results}, .label = label};
    return um_history_command_add(&options);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

Test(history_command, add_makes_and_continues_a_history)
{
    cr_expect_eq(add(history, "one"), UM_EXIT_DONE);
    cr_expect_eq(add(history, NULL), UM_EXIT_DONE);
    const char *text = read_file(history);
    cr_assert_eq(lines_of(text), 2, "%s", text);
    cr_expect(begins(text, UM_HISTORY_HEAD "\"schema\":1,\"label\":\"one\""), "%s", text);
    cr_expect(strstr(text, "\n" UM_HISTORY_HEAD "\"schema\":1,\"label\":\"2026-11-21T12:45:34Z\""));
}

Test(history_command, add_leaves_half_a_line_to_itself)
{
    written_put(history, UM_HISTORY_HEAD "\"sch");
    cr_expect_eq(add(history, "one"), UM_EXIT_DONE);
    const char *content = written_file(history, NULL);
    cr_expect(begins(content, UM_HISTORY_HEAD "\"sch\n" UM_HISTORY_HEAD));
    cr_expect_eq(lines_of(content), 2);
}

/* What is swapped or mistyped must not cost anybody a file. */
Test(history_command, add_appends_to_histories_only)
{
    static const char *const others[] = {RESULTS(""), "# notes\n", "{\"kind\":\"historian\"", "[]"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        written_put(other, others[i]);
        cr_expect_eq(add(other, "one"), UM_EXIT_USAGE, "%s", others[i]);
        cr_expect_str_eq(read_file(other), others[i]);
    }
    cr_expect_eq(add(results, "one"), UM_EXIT_USAGE);
    written_put(other, "{\"ki");
    cr_expect_eq(add(other, "one"), UM_EXIT_DONE, "it may be a history whose first line is half");
    written_put(other, "\n\n");
    cr_expect_eq(add(other, "one"), UM_EXIT_DONE);
}

Test(history_command, add_refuses_labels_that_cannot_be_shown)
{
    static const char *const labels[] = {"",
                                         "a\nb",
                                         "\x1b[2J",
                                         "\xff",
                                         "a\xe2\x80\xae"
                                         "b",
                                         "12345678901234567890123456789012345678901"};
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
        cr_expect_eq(add(history, labels[i]), UM_EXIT_USAGE, "%zu", i);
    cr_expect_eq(access(history, F_OK), -1, "nothing was made");
    cr_expect_eq(add(history, "1234567890123456789012345678901234567890"), UM_EXIT_DONE);
}

Test(history_command, add_needs_results_with_a_measure_and_a_name)
{
    static const char *const bad[] = {
        "{}", RESULTS(""), "{\"schema\":1,\"kind\":\"bench\",\"started\":\"x\",\"runs\":[{}]}",
        "{\"schema\":1,\"kind\":\"bench\",\"started\":\"x\",\"aborted\":\"no\",\"runs\":[{}]}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        written_put(results, bad[i]);
        cr_expect_eq(add(history, NULL), UM_EXIT_FAILED, "%s", bad[i]);
    }
    cr_expect_eq(access(history, F_OK), -1, "nothing was made");
    unlink(results);
    cr_expect_eq(add(history, "one"), UM_EXIT_FAILED);
    written_put(results, RESULTS(""));
    cr_expect_eq(add("/nosuch/h.jsonl", "one"), UM_EXIT_FAILED);
    cr_expect_eq(add(history, "one"), UM_EXIT_DONE);
}

/* Each of the lines that were added, with the machine that it is of. */
static void assert_machines(const char *const *machines, size_t count)
{
    char *line = strtok(written_file(history, NULL), "\n");
    for (size_t i = 0; i < count; i++, line = strtok(NULL, "\n")) {
        char member[64];
        cr_assert(line);
        snprintf(member, sizeof member, "\"machine\":\"%s\"", machines[i]);
        cr_expect(strstr(line, member), "%s", line);
    }
    cr_expect_null(line);
}

/* The second and the fourth line begin series; that of another case of letters and that of the
 * machine that was there before do not. */
Test(history_command, add_says_that_a_machine_begins_a_series)
{
    static const char *const on[] = {MEASURED_ON("one"), MEASURED_ON("two"), MEASURED_ON("ONE"),
                                     MEASURED_ON("three"), MEASURED_ON("two")};
    static const char *const machines[] = {"one", "two", "ONE", "three", "two"};
    char label[8], expected[512];
    for (size_t i = 0; i < sizeof on / sizeof on[0]; i++) {
        written_put(results, on[i]);
        snprintf(label, sizeof label, "c%zu", i);
        cr_expect_eq(add(history, label), UM_EXIT_DONE);
    }
    assert_machines(machines, sizeof machines / sizeof machines[0]);
    fflush(stderr);
    snprintf(expected, sizeof expected,
             "uimon: %s: edit was measured on 1 other machine, and two begins a series of its own; "
             "--machine NAME joins them, here and in 'uimon history show'\n"
             "uimon: %s: edit was measured on 2 other machines, and three begins a series of its "
             "own; --machine NAME joins them, here and in 'uimon history show'\n",
             history, history);
    cr_assert_stderr_eq_str(expected);
}

Test(history_command, add_writes_the_machine_that_is_given)
{
    static const char *const machines[] = {"ci", "ci"};
    struct um_options options = {.files = {history, results}, .machine = "ci"};
    written_put(results, MEASURED_ON("one"));
    options.label = "c0";
    cr_expect_eq(um_history_command_add(&options), UM_EXIT_DONE);
    written_put(results, MEASURED_ON("two"));
    options.label = "c1";
    cr_expect_eq(um_history_command_add(&options), UM_EXIT_DONE);
    assert_machines(machines, 2);
    fflush(stderr);
    cr_assert_stderr_eq_str("");
}

Test(history_command, show_says_that_machines_have_series_of_their_own)
{
    struct growing_text lines = {0};
    struct um_options options = {.files = {history}, .json = other};
    char expected[256];
    history_lines_runners(&lines, 20, 20);
    history_lines_step(&lines, 3, 3); /* another scenario, of one machine */
    written_put(history, lines.text);
    free(lines.text);
    cr_expect_eq(um_history_command_show(&options), UM_EXIT_DONE);
    options.quiet = true;
    cr_expect_eq(um_history_command_show(&options), UM_EXIT_DONE);
    fflush(stderr);
    snprintf(expected, sizeof expected,
             "uimon: %s: edit was measured on 20 machines, and each has a series of its own; "
             "--machine NAME joins them\n",
             history);
    cr_assert_stderr_eq_str(expected);
}

Test(history_command, show_joins_machines)
{
    struct growing_text lines = {0};
    struct um_options options = {.files = {history}, .json = other, .machine = "ci"};
    char expected[256];
    history_lines_runners(&lines, 20, 20);
    history_lines_add(&lines, "c19", 30); /* of another scenario */
    growing_text_put(&lines, UM_HISTORY_HEAD "\"schema\":1,\"label\":\"c7\",\"machine\":\"x\","
                                             "\"scenario\":\"edit\",\"measures\":[]}\n");
    written_put(history, lines.text);
    free(lines.text);
    cr_expect_eq(um_history_command_show(&options), UM_EXIT_DONE);
    cJSON *root = cJSON_Parse(read_file(other));
    cr_expect_eq(json_size(root, "tracks"), 2);
    cr_expect_str_eq(json_text(root, "tracks.0.machine"), "ci");
    cr_expect_eq(json_size(root, "tracks.0.commits"), 20);
    cr_expect_eq(json_size(root, "tracks.0.series.0.points"), 19);
    cJSON_Delete(root);
    fflush(stderr);
    snprintf(expected, sizeof expected,
             "uimon: %s: 1 line is left out, because a later one of another machine has the same "
             "label\n",
             history);
    cr_assert_stderr_eq_str(expected);
}

Test(history_command, machines_have_names_that_can_be_shown)
{
    static const char *const names[] = {"", "a\nb", "\xff",
                                        "12345678901234567890123456789012345678901"};
    cr_assert_eq(add(history, "one"), UM_EXIT_DONE);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct um_options options = {.files = {history, results}, .machine = names[i]};
        cr_expect_eq(um_history_command_add(&options), UM_EXIT_USAGE, "%zu", i);
        cr_expect_eq(um_history_command_show(&options), UM_EXIT_USAGE, "%zu", i);
    }
    cr_expect_eq(lines_of(read_file(history)), 1);
}

Test(history_command, show_writes_what_is_asked_for)
{
    struct growing_text lines = {0};
    struct um_options options = {.files = {history}, .quiet = true};
    history_lines_step(&lines, 30, 18);
    written_put(history, lines.text);
    options.json = other;
    cr_expect_eq(um_history_command_show(&options), UM_EXIT_DONE);
    cr_expect(strstr(read_file(other), "\"history-changes\""));
    options = (struct um_options){.files = {history}, .html = other, .quiet = true};
    cr_expect_eq(um_history_command_show(&options), UM_EXIT_DONE);
    cr_expect(strstr(read_file(other), "<!doctype html>"));
    options = (struct um_options){.files = {history}, .github_benchmark = other, .quiet = true};
    cr_expect_eq(um_history_command_show(&options), UM_EXIT_DONE);
    cr_expect(strstr(read_file(other), "\"edit: typing total\""));
    options.github_benchmark = "/nosuch/folder/file";
    cr_expect_eq(um_history_command_show(&options), UM_EXIT_FAILED);
    free(lines.text);
}

Test(history_command, show_does_not_overwrite_the_history)
{
    char spelled[80];
    snprintf(spelled, sizeof spelled, "%s/./h.jsonl", folder);
    cr_assert_eq(add(history, "one"), UM_EXIT_DONE);
    for (int i = 0; i < 3; i++) {
        struct um_options options = {.files = {history},
                                     .json = i == 0 ? spelled : NULL,
                                     .html = i == 1 ? spelled : NULL,
                                     .github_benchmark = i == 2 ? spelled : NULL};
        cr_expect_eq(um_history_command_show(&options), UM_EXIT_USAGE);
    }
    cr_expect_eq(lines_of(read_file(history)), 1);
}

Test(history_command, show_fails_where_there_is_nothing)
{
    struct um_options options = {.files = {history}};
    cr_expect_eq(um_history_command_show(&options), UM_EXIT_FAILED);
    written_put(history, "");
    cr_expect_eq(um_history_command_show(&options), UM_EXIT_FAILED);
    written_put(history, UM_HISTORY_HEAD "\"sch");
    cr_expect_eq(um_history_command_show(&options), UM_EXIT_FAILED);
}

Test(history_command, show_says_what_it_leaves_out)
{
    struct um_options options = {.files = {history}};
    cr_assert_eq(add(history, "one"), UM_EXIT_DONE);
    FILE *file = fopen(history, "ab");
    fputs(UM_HISTORY_HEAD "\"sch", file);
    fclose(file);
    cr_expect_eq(um_history_command_show(&options), UM_EXIT_DONE);
    fflush(stderr);
    char expected[256];
    snprintf(expected, sizeof expected,
             "uimon: %s: 1 line cannot be read and is left out, the first is line 2\n", history);
    cr_assert_stderr_eq_str(expected);
}
