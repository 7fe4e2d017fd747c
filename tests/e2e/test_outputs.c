/* Standard output that cannot be written: each command says so in one line and ends, with exit code
 * 1, and leaves nothing in its target. If its reader has left, it ends, too, and says nothing. If
 * there was none from the start, a command fails that has something to say there alone; of any
 * other the files and the exit code are as ever. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define SAYS "standard output could not be written to its end"

static void copy_golden(const char *name, const char *to)
{
    char from[PATH_BYTES];
    snprintf(from, sizeof from, UM_SOURCE_DIR "/tests/golden/%s", name);
    copy_file(from, test_file(to));
}

/* How many lines uimon has written to standard error. */
static size_t count_said(const char *text)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, "uimon: ")) != NULL; at++)
        count += at == text || at[-1] == '\n';
    return count;
}

/* All commands that print what they have found. FILE stands for a recording, RUNS for results,
 * LINES for a history, PROGRAM for the demo. */
static const char *const printing[][7] = {
    {"--help"},
    {"--version"},
    {"list"},
    {"report", "FILE"},
    {"report", "FILE", "--quiet", "--json", "-"},
    {"report", "FILE", "--quiet", "--html", "-"},
    {"export", "FILE", "--format", "csv"},
    {"export", "FILE", "--format", "firefox"},
    {"export", "FILE", "--format", "perfetto"},
    {"export", "FILE", "--format", "chrome"},
    {"export", "FILE", "--format", "hgrm"},
    {"export", "FILE", "--format", "hlog"},
    {"flows", "FILE"},
    {"compare", "RUNS", "RUNS"},
    {"compare", "RUNS", "RUNS", "--markdown"},
    {"compare", "RUNS", "RUNS", "--quiet", "--json", "-"},
    {"bench", "SCENARIO", "--dry-run"},
    {"history", "show", "LINES"},
    {"history", "show", "LINES", "--quiet", "--json", "-"},
    {"trace-env", "PROGRAM", "--trace", "methods", "--only", "MyPlugin"},
};

/* Commands that are not among these: what asks a program has tests of its own below, `replay`
 * prints nothing, and the last two take minutes. */
static const char *const not_printing[] = {"demo",   "doctor", "listen",   "query",
                                           "replay", "bisect", "calibrate"};

static bool is_known(const char *command)
{
    bool known = false;
    for (size_t i = 0; i < sizeof printing / sizeof printing[0]; i++)
        known |= strcmp(printing[i][0], command) == 0;
    for (size_t i = 0; i < sizeof not_printing / sizeof not_printing[0]; i++)
        known |= strcmp(not_printing[i], command) == 0;
    return known;
}

/* A command's usage is a line of --help. */
Test(outputs, each_command_is_among_them)
{
    const char *out, *err;
    size_t count = 0;
    cr_assert_eq(run(&out, &err, "uimon", "--help", NULL), 0, "%s", err);
    for (const char *line = out; line; line = strchr(line, '\n')) {
        char command[32];
        line += strspn(line, "\n");
        if (strncmp(line, "       uimon ", 13) != 0 || sscanf(line + 13, "%31[a-z-]", command) != 1)
            continue;
        cr_expect(command[0] == '-' || is_known(command), "%s is a new command", command);
        count += command[0] != '-';
    }
    cr_expect_gt(count, sizeof not_printing / sizeof not_printing[0]);
}

static void expect_said(struct program *program, const char *command)
{
    cr_expect_eq(wait_end(program, LIMIT_MS), 1, "%s", command);
    char *said = read_text(program->err);
    cr_expect(strstr(said, SAYS) && count_said(said) == 1, "%s: %s", command, said);
    free(said);
}

/* What the words of `printing` stand for. */
static char paths[5][PATH_BYTES];

static void make_files(void)
{
    copy_golden("recording_v1.bin", "r.uirec");
    copy_golden("runs_demo.json", "runs.json");
    copy_file(UM_SOURCE_DIR "/assets/scenarios/demo-typing.uimon", test_file("demo.uimon"));
    snprintf(paths[0], PATH_BYTES, "%s", windows_path(test_file("r.uirec")));
    snprintf(paths[1], PATH_BYTES, "%s", windows_path(test_file("runs.json")));
    snprintf(paths[2], PATH_BYTES, "%s", windows_path(test_file("demo.uimon")));
    snprintf(paths[3], PATH_BYTES, "%s", windows_path(test_file("lines.jsonl")));
    snprintf(paths[4], PATH_BYTES, "%s", windows_path(dist_file("uimon-demo.exe")));
    cr_assert_eq(run(NULL, NULL, "uimon", "history", "add", paths[3], paths[1], NULL), 0);
}

/* The path that a word of `printing` stands for, or the word. */
static const char *path_of(const char *word)
{
    static const char *const names[] = {"FILE", "RUNS", "SCENARIO", "LINES", "PROGRAM"};
    for (size_t n = 0; n < 5; n++)
        if (strcmp(word, names[n]) == 0)
            return paths[n];
    return word;
}

static void start_printing(struct program *program, const char *const *command, const char *out)
{
    const char *args[7] = {NULL};
    for (size_t k = 0; k < 6 && command[k]; k++)
        args[k] = path_of(command[k]);
    start_into(program, out, "uimon", args);
}

Test(outputs, what_cannot_be_printed_is_said)
{
    struct program program;
    make_files();
    for (size_t i = 0; i < sizeof printing / sizeof printing[0]; i++) {
        start_printing(&program, printing[i], "/dev/full");
        expect_said(&program, printing[i][0]);
    }
}

/* A pipe that nobody reads any more, as when `head` has seen enough. Owner: close. */
static int open_unread(char *path, size_t cap)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
    snprintf(path, cap, "/proc/self/fd/%d", ends[1]); /* the program inherits it */
    return ends[1];
}

static void expect_quiet(struct program *program, const char *command)
{
    cr_expect_eq(wait_end(program, LIMIT_MS), 0, "%s", command);
    char *said = read_text(program->err);
    cr_expect_eq(count_said(said), 0, "%s: %s", command, said);
    free(said);
}

Test(outputs, a_reader_that_leaves_is_no_error)
{
    struct program program;
    char unread[64];
    int file = open_unread(unread, sizeof unread);
    make_files();
    for (size_t i = 0; i < sizeof printing / sizeof printing[0]; i++) {
        start_printing(&program, printing[i], unread);
        expect_quiet(&program, printing[i][0]);
    }
    close(file);
}

/* The same of those that ask a program. */
Test(outputs, what_a_program_says_and_cannot_be_printed_is_said)
{
    struct target target;
    struct monitor monitor;
    struct program program;
    char pid[16];
    start_into(&program, "/dev/full", "uimon", ARGS("demo", "--headless", "--duration", "1"));
    cr_expect_eq(wait_end(&program, LIMIT_MS), 1);
    cr_expect_eq(lines_with(program.err, SAYS), 1, "%s", read_text(program.err));
    start_target(&target, NULL, "--still", NULL);
    snprintf(pid, sizeof pid, "%u", target.pid);
    start_into(&program, "/dev/full", "uimon",
               ARGS("doctor", "--quiet", "--attach", pid, "--json", "-"));
    expect_said(&program, "doctor");
    start_monitor(&monitor, &target, NULL);
    start_into(&program, "/dev/full", "uimon", ARGS("query", pid, "input-latency-ms.max"));
    expect_said(&program, "query");
    cJSON_Delete(stop_monitor(&monitor));
}

/* Starts uimon with its standard output in a pipe, and leaves when it has written something. */
static void start_and_leave(struct program *program, const char *const *args)
{
    char path[PATH_BYTES], byte;
    ssize_t got;
    snprintf(path, sizeof path, "%s", test_file("pipe"));
    cr_assert_eq(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    cr_assert_geq(reader, 0);
    start_into(program, path, "uimon", args);
    WAIT_UNTIL((got = read(reader, &byte, 1)) == 1, "it writes nothing: %s",
               read_text(program->err));
    close(reader);
    unlink(path);
}

Test(outputs, watching_ends_when_the_reader_of_the_csv_leaves)
{
    struct target target;
    struct program program;
    start_target(&target, NULL, NULL);
    char pid[16];
    snprintf(pid, sizeof pid, "%u", target.pid);
    const char *const args[] = {"--attach", pid, "--headless", "--csv", "-", NULL};
    start_and_leave(&program, args);
    cr_expect_eq(wait_end(&program, LIMIT_MS), 1);
    char *said = read_text(program.err);
    cr_expect(strstr(said, "--csv -: the CSV could not be written to its end: its reader has left"),
              "%s", said);
    free(said);
    WAIT_UNTIL(probe_number("sinks", decimal(target.pid), NULL) == 0, "it leaves its window");
}

Test(outputs, listening_ends_when_its_reader_leaves)
{
    struct target target;
    struct monitor monitor;
    struct program program;
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    char pid[16];
    snprintf(pid, sizeof pid, "%u", target.pid);
    const char *const args[] = {"listen", pid, "--interval", "0.2", NULL};
    start_and_leave(&program, args);
    expect_quiet(&program, "listen");
    cJSON_Delete(stop_monitor(&monitor));
}

/* Starts uimon with these standard handles (`probe_win32 handleless`). */
static void start_handleless(struct program *program, const char *kind, const char *const *command)
{
    static char uimon[PATH_BYTES];
    const char *args[MAX_ARGS] = {"handleless", kind, uimon};
    snprintf(uimon, sizeof uimon, "%s", windows_path(dist_file("uimon.exe")));
    for (size_t i = 0; command[i]; i++)
        args[i + 3] = path_of(command[i]);
    start_list(program, "probe_win32", args);
}

/* Whether the command leaves a verdict in its exit code, besides what it prints. */
static bool is_verdict(const char *const *command)
{
    return strcmp(command[0], "report") == 0 && !command[2];
}

Test(outputs, what_was_asked_for_on_a_standard_output_that_is_missing_is_refused)
{
    struct program program;
    make_files();
    for (size_t i = 0; i < sizeof printing / sizeof printing[0]; i++) {
        bool is_refused = !is_verdict(printing[i]);
        start_handleless(&program, "output", printing[i]);
        cr_expect_eq(wait_end(&program, LIMIT_MS), is_refused, "%s", printing[i][0]);
        char *said = read_text(program.err);
        cr_expect_eq(count_said(said), is_refused, "%s: %s", printing[i][0], said);
        cr_expect_eq(strstr(said, "uimon was started without one") != NULL, is_refused, "%s: %s",
                     printing[i][0], said);
        free(said);
    }
    start_handleless(&program, "null", ARGS("query", "1", "input-latency-ms.max"));
    cr_expect_eq(wait_end(&program, LIMIT_MS), 1);
}

/* A file of this test as uimon takes it. Owner: static, one for each name. */
static const char *file_arg(char buf[PATH_BYTES], const char *name)
{
    snprintf(buf, PATH_BYTES, "%s", windows_path(test_file(name)));
    return buf;
}

/* Both files are there, and the same. */
static void expect_same(const char *name, const char *as)
{
    char *text = read_text(test_file(name)), *other = read_text(test_file(as));
    cr_expect(text[0] && strcmp(text, other) == 0, "%s: %s", name, text);
    free(text);
    free(other);
}

static const char *const kinds[] = {"detached", "null", "invalid", "output"};
#define KINDS (sizeof kinds / sizeof kinds[0])

Test(outputs, without_a_standard_output_files_are_whole_and_limits_decide)
{
    struct program program;
    char json[PATH_BYTES], csv[PATH_BYTES];
    make_files();
    cr_assert_eq(
        run(NULL, NULL, "uimon", "report", paths[0], "--json", file_arg(json, "as.json"), NULL), 0);
    cr_assert_eq(run(NULL, NULL, "uimon", "export", paths[0], "--format", "csv", "--output",
                     file_arg(csv, "as.csv"), NULL),
                 0);
    file_arg(json, "r.json");
    file_arg(csv, "r.csv");
    for (size_t i = 0; i < KINDS; i++) {
        const struct {
            int code;
            const char *const *args;
        } commands[] = {
            {0, ARGS("report", "FILE", "--json", json)},
            {0, ARGS("export", "FILE", "--format", "csv", "--output", csv)},
            {0, ARGS("flows", "FILE", "--json", file_arg((char[PATH_BYTES]){0}, "f.json"))},
            {0,
             ARGS("history", "show", "LINES", "--json", file_arg((char[PATH_BYTES]){0}, "h.json"))},
            {0, ARGS("compare", "RUNS", "RUNS", "--fail-over", "typing.p50=+50%")},
            {5, ARGS("compare", "RUNS", "RUNS", "--fail-over", "typing.p50=0.001ms")},
        };
        for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++) {
            start_handleless(&program, kinds[i], commands[k].args);
            cr_expect_eq(wait_end(&program, LIMIT_MS), commands[k].code, "%s: %s", kinds[i],
                         commands[k].args[0]);
        }
        expect_same("r.json", "as.json");
        expect_same("r.csv", "as.csv");
        remove(test_file("r.json"));
        remove(test_file("r.csv"));
    }
}

/* A service that watches: nothing of what it prints is in its files. */
Test(outputs, without_a_standard_output_watching_writes_its_files)
{
    struct target target;
    struct program program;
    char pid[16], json[PATH_BYTES], csv[PATH_BYTES], record[PATH_BYTES];
    const char *out, *err;
    start_target(&target, NULL, NULL);
    snprintf(pid, sizeof pid, "%u", target.pid);
    file_arg(json, "w.json");
    file_arg(csv, "w.csv");
    file_arg(record, "w.uirec");
    for (size_t i = 0; i < KINDS; i++) {
        start_handleless(&program, kinds[i],
                         ARGS("--attach", pid, "--headless", "--duration", "1", "--json", json,
                              "--csv", csv, "--record", record));
        cr_expect_eq(wait_end(&program, LIMIT_MS), 0, "%s", kinds[i]);
        cJSON *summary = read_json(test_file("w.json"));
        cr_expect_gt(number(summary, "beats.seen"), 0);
        cJSON_Delete(summary);
        char *rows = read_text(test_file("w.csv"));
        for (const char *at = rows; *at; at = strchr(at, '\n') + 1) {
            size_t version = strcspn(at, ",");
            const char *next = at == rows ? ",ProcessName," : ",uimon-demo.exe,";
            cr_assert(strncmp(at + version, next, strlen(next)) == 0 && strchr(at, '\n'), "%s", at);
        }
        free(rows);
        cr_expect_eq(run(&out, &err, "uimon", "report", record, NULL), 0, "%s", err);
        remove(test_file("w.json"));
        remove(test_file("w.csv"));
        remove(test_file("w.uirec"));
    }
}
