/* Standard output that cannot be written: each command says so in one line and ends, with exit code
 * 1, and leaves nothing in its target. If its reader has left, it ends, too, and says nothing. */
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
static const char *const printing[][6] = {
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

static void start_printing(struct program *program, const char *const *command, const char *out)
{
    static const char *const names[] = {"FILE", "RUNS", "SCENARIO", "LINES", "PROGRAM"};
    const char *args[7] = {NULL};
    for (size_t k = 0; k < 6 && command[k]; k++) {
        args[k] = command[k];
        for (size_t n = 0; n < 5; n++)
            if (strcmp(args[k], names[n]) == 0)
                args[k] = paths[n];
    }
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
