/* `uimon history` as a program: several that add at the same time, and what is shown of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"
#include "tests/history_lines.h"

#define ADDERS 6
#define LEAST_MEASURES 100

/* Writes results with so many measures that a line of them is long. */
static void write_results(const char *path, int measures)
{
    FILE *file = open_file(path, "wb");
    cr_assert(file != NULL);
    fputs("{\"schema\":1,\"kind\":\"bench\",\"started\":\"2026-11-21T12:45:34Z\",\"runs\":["
          "{\"measures\":[",
          file);
    for (int i = 0; i < measures; i++)
        fprintf(file, "%s{\"name\":\"measure number %d\",\"duration_ms\":%d}", i > 0 ? "," : "", i,
                900 + i);
    fputs("]}]}\n", file);
    fclose(file);
}

/* Each line is whole, and has the measures of its own results. */
static void check_lines(const char *path, bool seen[ADDERS])
{
    char *text = read_text(path);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        cJSON *root = cJSON_Parse(line);
        cr_assert(root, "%.60s... is no JSON", line);
        int adder = atoi(cJSON_GetObjectItem(root, "label")->valuestring);
        cr_assert(adder >= 0 && adder < ADDERS && !seen[adder]);
        seen[adder] = true;
        cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "measures")),
                     LEAST_MEASURES + adder);
        cJSON_Delete(root);
    }
    free(text);
}

Test(history, those_who_add_at_the_same_time_take_turns)
{
    struct program adders[ADDERS];
    bool seen[ADDERS] = {false};
    char history[PATH_BYTES], windows_history[PATH_BYTES], results[PATH_BYTES];
    snprintf(history, sizeof history, "%s", test_file("h.jsonl"));
    snprintf(windows_history, sizeof windows_history, "%s", windows_path(history));
    for (int i = 0; i < ADDERS; i++) {
        char name[32], label[16];
        snprintf(name, sizeof name, "r%d.json", i);
        snprintf(label, sizeof label, "%d", i);
        snprintf(results, sizeof results, "%s", test_file(name));
        write_results(results, LEAST_MEASURES + i);
        start(&adders[i], "uimon", "history", "add", windows_history, windows_path(results),
              "--label", label, NULL);
    }
    for (int i = 0; i < ADDERS; i++)
        cr_assert_eq(wait_end(&adders[i], LIMIT_MS), 0);
    check_lines(history, seen);
    for (int i = 0; i < ADDERS; i++)
        cr_expect(seen[i], "the line of %d is missing", i);
}

Test(history, shows_since_when_something_is_slower)
{
    char history[PATH_BYTES], results[PATH_BYTES], github[PATH_BYTES], unix_github[PATH_BYTES];
    struct growing_text lines = {0};
    const char *out;
    const char *err;
    history_lines_step(&lines, 30, 18);
    growing_text_put(&lines, "{\"kind\":\"history\",\"sch"); /* as a power cut leaves it */
    FILE *file = open_file(test_file("h.jsonl"), "wb");
    cr_assert(file && fputs(lines.text, file) >= 0 && fclose(file) == 0);
    free(lines.text);
    snprintf(history, sizeof history, "%s", windows_path(test_file("h.jsonl")));
    write_results(test_file("r.json"), 1);
    snprintf(results, sizeof results, "%s", windows_path(test_file("r.json")));
    snprintf(unix_github, sizeof unix_github, "%s", test_file("g.json"));
    snprintf(github, sizeof github, "%s", windows_path(unix_github));

    cr_expect_eq(run(&out, &err, "uimon", "history", "add", history, results, NULL), 0, "%s", err);
    cr_expect_eq(
        run(&out, &err, "uimon", "history", "show", history, "--github-benchmark", github, NULL), 0,
        "%s", err);
    cr_expect(strstr(out, "edit of a.exe on VM: 30 commits"), "%s", out);
    cr_expect(strstr(out, "1 change. The newest: typing total is slower since c18."), "%s", out);
    cr_expect(strstr(out, "20.20 -> 25.20 ms  +24.8 %"), "%s", out);
    cr_expect(strstr(err, "1 line cannot be read and is left out, the first is line 31"), "%s",
              err);
    cJSON *benches = read_json(unix_github);
    const cJSON *bench = cJSON_GetArrayItem(benches, 0);
    cr_expect_eq(cJSON_GetArraySize(benches), 1);
    cr_expect_str_eq(cJSON_GetObjectItem(bench, "name")->valuestring,
                     "benchmark: measure number 0 duration");
    cr_expect_eq(cJSON_GetObjectItem(bench, "value")->valuedouble, 900);
    cJSON_Delete(benches);
}

Test(history, says_why_it_adds_nothing)
{
    static const struct {
        const char *history, *label, *said;
        int code;
    } cases[] = {
        {"notes.txt", "one", "no history of uimon", 2},
        {"new.jsonl", "two\nlines", "--label", 2},
        {"nosuch\\h.jsonl", "one", "folder does not exist", 1},
    };
    char results[PATH_BYTES], folder[PATH_BYTES], history[2 * PATH_BYTES];
    const char *out;
    const char *err;
    FILE *file = open_file(test_file("notes.txt"), "wb");
    cr_assert(file && fputs("my notes\n", file) >= 0 && fclose(file) == 0);
    write_results(test_file("r.json"), 1);
    snprintf(results, sizeof results, "%s", windows_path(test_file("r.json")));
    snprintf(folder, sizeof folder, "%s", results);
    *(strrchr(folder, '\\') + 1) = '\0';
    size_t prefix = strlen(strrchr(results, '\\') + 1) - strlen("r.json"); /* of this test */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(history, sizeof history, "%s%.*s%s", folder, (int)prefix, results + strlen(folder),
                 cases[i].history);
        cr_expect_eq(run(&out, &err, "uimon", "history", "add", history, results, "--label",
                         cases[i].label, NULL),
                     cases[i].code, "%s", err);
        cr_expect(strstr(err, cases[i].said) && strncmp(err, "uimon: ", 7) == 0, "%s", err);
        cr_expect_eq(strchr(err, '\n'), err + strlen(err) - 1, "%s", err);
    }
    char *left = read_text(test_file("notes.txt"));
    cr_expect_str_eq(left, "my notes\n");
    free(left);
}
