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
