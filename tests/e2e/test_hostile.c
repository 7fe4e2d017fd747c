/* A program whose window's title and class mean harm: what people read of it on a terminal, in a
 * table, in a spreadsheet. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

/* A terminal's title, a line of its own, and what is written from right to left. */
#define TITLE "=1+1\x1b]0;owned\x07\nuimon: forged \xe2\x80\xae"
#define CLASS "@class\x1b[2J\nuimon: forged"

static void expect_harmless(const char *what, const char *text)
{
    cr_expect(text[0], "%s: nothing", what);
    for (const char *at = text; *at; at++)
        cr_expect((unsigned char)*at >= 0x20 || *at == '\n' || *at == '\r', "%s: 0x%x in %s", what,
                  (unsigned char)*at, text);
    cr_expect(!strstr(text, "\xe2\x80\xae"), "%s: %s", what, text);
    cr_expect(!strstr(text, "\nuimon: forged"), "%s: %s", what, text);
}

Test(hostile, titles_and_classes_do_no_harm)
{
    struct target target;
    struct monitor monitor;
    char csv[PATH_BYTES], recording[PATH_BYTES];
    const char *out, *err;

    snprintf(csv, sizeof csv, "%s", test_file("rows.csv"));
    snprintf(recording, sizeof recording, "%s", test_file("session.uirec"));
    start_target(&target, "target_odd_win32", "--mode", "quiet", "--title", TITLE, "--class", CLASS,
                 NULL);
    cr_expect_eq(run(&out, &err, "uimon", "list", NULL), 0);
    expect_harmless("list", out);
    start_monitor(&monitor, &target, "--csv", windows_path(csv), "--record",
                  windows_path(recording), NULL);
    wait_measured(&monitor);
    /* On a busy machine it may not be known with which message, and so in which class, a freeze
     * began. */
    uint64_t until = unix_now_ms() + LIMIT_MS;
    for (size_t count = 1; !file_has(csv, "@class"); count++) {
        cr_assert_lt(unix_now_ms(), until, "no freeze has a class");
        trigger(&target, LASTING_FREEZE);
        free(wait_freezes(&target, count));
        wait_lines(csv, ",freeze,", count);
    }
    cJSON *summary = stop_monitor(&monitor);
    check_freezes(summary, &target);
    cJSON_Delete(summary);

    char *greeting = read_text(monitor.program.err);
    char *text = read_text(monitor.program.out);
    char *rows = read_text(csv);
    expect_harmless("greeting", greeting);
    expect_harmless("summary", text);
    expect_harmless("csv", rows);
    cr_expect(strstr(rows, "'@class") && !strstr(rows, ",@class"), "%s", rows);
    free(greeting);
    free(text);
    free(rows);
    cr_expect_eq(run(&out, &err, "uimon", "report", windows_path(recording), NULL), 0);
    expect_harmless("report", out);
}

/* A watched program that lies first, and its uimon. */
struct hook_pipe {
    struct target target;
    struct monitor monitor;
    char name[128];
};

static void start_hook_pipe(struct hook_pipe *hook)
{
    struct target *target = &hook->target;

    start_target(target, "target_liar_win32", NULL);
    snprintf(hook->monitor.json, PATH_BYTES, "%s", test_file("summary.json"));
    start(&hook->monitor.program, "uimon", "--attach", decimal(target->pid), "--headless",
          "--verbose", "--json", windows_path(hook->monitor.json), NULL);
    const char *line = wait_line(target->program.out, "pipe ");
    cr_assert_eq(sscanf(line, "pipe %127s", hook->name), 1);
}

/* The target lies, and each lie is refused. */
static void let_it_lie(const struct hook_pipe *hook)
{
    static const char *const lies[] = {"nonce",    "pid",     "tid",    "another-frame",
                                       "preamble", "rubbish", "nothing"};

    probe("close", hwnd_text(hook->target.hwnd), NULL);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "lie %s: refused", lies[i]);
        wait_line(hook->target.program.out, wanted);
    }
    wait_line(hook->target.program.out, "done");
}

static void expect_answer(const struct hook_pipe *hook, const char *who, const char *wanted)
{
    const char *answer =
        probe("hello", hook->name, decimal(hook->target.pid), decimal(hook->target.tid), NULL);
    cr_expect_eq(strncmp(answer, wanted, strlen(wanted)), 0, "%s: %s", who, answer);
}

static void expect_measured(struct hook_pipe *hook)
{
    const char *out, *err;
    wait_line(hook->monitor.program.err, "watching ");
    cr_expect_eq(
        run(&out, &err, "uimon", "query", decimal(hook->target.pid), "input-latency-ms.max", NULL),
        0, "%s", err);
    cJSON *summary = stop_monitor(&hook->monitor);
    cr_expect_gt(number(summary, "beats.seen"), 0);
    cJSON_Delete(summary);
}

/* The pipe's name is no secret, and the nonce is in it. What keeps strangers out is that uimon
 * looks which process has connected. */
Test(hostile, nobody_else_is_believed_on_the_hook_pipe)
{
    struct hook_pipe hook;

    start_hook_pipe(&hook);
    expect_answer(&hook, "another process", "refused");
    let_it_lie(&hook);
    probe("close", hwnd_text(hook.target.hwnd), NULL);
    wait_line(hook.monitor.program.err, "watching ");
    expect_answer(&hook, "a second client", "nobody");
    expect_measured(&hook);
}

/* A stranger of the same user can make an instance of the hook pipe. Here the DLL can reach no
 * other: somebody holds uimon's own, and uimon is suspended, so that it makes no new one. */
Test(hostile, the_dll_tells_a_strangers_pipe_nothing)
{
    struct hook_pipe hook;
    struct program held, instance;
    unsigned uimon;

    start_hook_pipe(&hook);
    WAIT_UNTIL(sscanf(probe("find", "uimon session end", NULL), "%*s %u", &uimon) == 1,
               "it has no such window");
    let_it_lie(&hook);
    probe("suspend", decimal(uimon), NULL);
    start(&held, "probe_win32", "silent", hook.name, "600", NULL);
    wait_line(held.out, "held");
    start(&instance, "probe_win32", "instance", hook.name, "600", NULL);
    wait_line(instance.out, "made");
    probe("close", hwnd_text(hook.target.hwnd), NULL);
    const char *line = wait_line(instance.out, "client, ");
    cr_expect_eq(strncmp(line, "client, 0 bytes", 15), 0, "%s", line);
    kill_hard(&held);
    kill_hard(&instance);
    probe("resume", decimal(uimon), NULL);
    expect_measured(&hook);
}
