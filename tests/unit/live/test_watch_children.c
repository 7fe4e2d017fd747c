/* What a launched program has started, with a system that says what a test wants. */
#include "monitor/live/watch_children.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"

#define S UM_CLOCK_NS_PER_S
#define LAUNCHER 1u
#define MOST 80

/* The system ------------------------------------------------------------------------------------*/

struct um_target_process {
    uint32_t pid;
    bool open;
};

static struct child {
    uint32_t pid;
    const char *title; /* NULL: it has no window */
    const char *why_not;
    const char *path; /* NULL: it is not known */
    bool is_managed;
} system_children[MOST];
static size_t child_count;
static bool is_unknown; /* the system does not tell the children */
static bool is_reused;  /* the ids are other programs' as soon as somebody opens one */
static uint32_t launcher_code;
static struct um_target_process launcher, opened;
static bool launcher_runs;

static enum um_status started(const struct um_target_process *launched, uint32_t **pids,
                              size_t *count)
{
    cr_assert_eq(launched, &launcher);
    if (is_unknown)
        return UM_ERR_UNSUPPORTED;
    *count = is_reused && opened.open ? 0 : child_count;
    *pids = calloc(*count + 1, sizeof **pids);
    for (size_t i = 0; i < *count; i++)
        (*pids)[i] = system_children[i].pid;
    return UM_OK;
}

static enum um_status look(uint32_t pid, uint32_t thread_id, struct um_target_info *info)
{
    cr_assert_eq(thread_id, 0);
    *info = (struct um_target_info){.pid = pid, .name = "child.exe"};
    for (size_t i = 0; i < child_count; i++)
        if (system_children[i].pid == pid && system_children[i].title) {
            info->hwnd = 100 + pid;
            snprintf(info->title, sizeof info->title, "%s", system_children[i].title);
            snprintf(info->why_not, sizeof info->why_not, "%s",
                     system_children[i].why_not ? system_children[i].why_not : "");
        }
    return info->hwnd ? UM_OK : UM_ERR_NOT_FOUND;
}

static enum um_status open_process(uint32_t pid, struct um_target_process **process)
{
    opened = (struct um_target_process){pid, true};
    *process = &opened;
    return UM_OK;
}

static void close_process(struct um_target_process *process)
{
    process->open = false;
}

static uint32_t pid_of(const struct um_target_process *process)
{
    return process->pid;
}

static bool running(const struct um_target_process *process)
{
    cr_assert_eq(process, &launcher);
    return launcher_runs;
}

static enum um_status exit_code(const struct um_target_process *process, uint32_t *code)
{
    cr_assert_eq(process, &launcher);
    *code = launcher_code;
    return UM_OK;
}

static const struct child *child_of(uint32_t pid)
{
    for (size_t i = 0; i < child_count; i++)
        if (system_children[i].pid == pid)
            return &system_children[i];
    return NULL;
}

static bool has_module(uint32_t pid, const char *const names[])
{
    const struct child *child = child_of(pid);
    while (*names && strcmp(*names, "coreclr.dll") != 0)
        names++;
    return *names && child && child->is_managed;
}

static bool program_path(uint32_t pid, char *path, size_t cap_bytes)
{
    const struct child *child = child_of(pid);
    if (child && child->path)
        snprintf(path, cap_bytes, "%s", child->path);
    return child && child->path;
}

static const struct um_target_backend backend = {.started = started,
                                                 .look = look,
                                                 .has_module = has_module,
                                                 .program_path = program_path,
                                                 .open = open_process,
                                                 .close = close_process,
                                                 .pid = pid_of,
                                                 .running = running,
                                                 .exit_code = exit_code};

static void add_child(uint32_t pid, const char *title, const char *why_not)
{
    system_children[child_count++] = (struct child){.pid = pid, .title = title, .why_not = why_not};
}

/* The children ----------------------------------------------------------------------------------*/

static struct um_watch_children children;
static struct um_line_queue lines;

static void set_up(void)
{
    um_target = &backend;
    launcher.pid = LAUNCHER;
    children.launched = &launcher;
    um_watch_children_name(&children, &launcher, "launcher.exe");
}

static bool choose(uint64_t now_ns)
{
    return um_watch_children_choose(&children, &launcher, "launcher.exe", &lines, now_ns);
}

static void expect_line(const char *text)
{
    char line[UM_LINE_QUEUE_BYTES];
    cr_assert(um_line_queue_take(&lines, line, sizeof line), "no line: %s", text);
    cr_expect_str_eq(line, text);
}

static void expect_silence(void)
{
    char line[UM_LINE_QUEUE_BYTES];
    cr_expect(!um_line_queue_take(&lines, line, sizeof line), "%s", line);
}

static void expect_description(const char *text)
{
    char how[400];
    um_watch_children_describe(&launcher, &launcher, children.had_any, how, sizeof how);
    cr_expect_str_eq(how, text);
}

Test(watch_children, chooses_the_first_with_a_window, .init = set_up)
{
    add_child(2, NULL, NULL);
    add_child(3, "main", NULL);
    launcher_code = 7;
    cr_expect(!choose(S));
    cr_assert_eq(children.next, &opened);
    cr_expect_eq(children.next_info.pid, 3);
    cr_expect_eq(children.next_info.hwnd, 103);
    expect_line("launcher.exe (pid 1) ended with exit code 7 before it could be watched; "
                "child.exe (pid 3), which it has started, is watched instead");
    expect_silence();
}

Test(watch_children, waits_while_none_has_a_window_and_says_so_once, .init = set_up)
{
    add_child(2, NULL, NULL);
    add_child(3, NULL, NULL);
    cr_expect(choose(S));
    expect_silence();
    cr_expect(choose(2 * S));
    expect_line("launcher.exe (pid 1) ended with exit code 0 without a window; the first window of "
                "child.exe (pid 2) and 1 more, which it has started, is waited for");
    cr_expect(choose(3 * S));
    expect_silence();
    child_count = 0;
    cr_expect(!choose(4 * S));
    cr_expect_null(children.next);
    expect_description("ended with exit code 0 before it showed a window, and what it has started "
                       "has ended, too");
}

/* What cannot be watched is not chosen, and why is said. */
Test(watch_children, waits_for_one_that_can_be_watched, .init = set_up)
{
    add_child(2, "console", "it is a console");
    children.said_waiting = true;
    cr_expect(choose(S));
    cr_expect(choose(2 * S));
    expect_line("child.exe (pid 2), which launcher.exe has started, has a window (console), but it "
                "is a console");
    cr_expect(choose(3 * S));
    add_child(3, "main", NULL);
    cr_expect(!choose(4 * S));
    cr_expect_eq(children.next_info.pid, 3);
}

/* The child ends, and a stranger gets its id, between the list and the opening. */
Test(watch_children, watches_no_stranger, .init = set_up)
{
    add_child(2, "main", NULL);
    is_reused = true;
    choose(S);
    cr_expect_null(children.next);
    cr_expect(!opened.open, "the stranger is still open");
}

Test(watch_children, names_the_others_once_they_have_a_window, .init = set_up)
{
    add_child(2, "main", NULL);
    add_child(3, "beside", NULL);
    add_child(4, NULL, NULL);
    add_child(5, NULL, NULL);
    cr_expect(!choose(S));
    expect_line("launcher.exe (pid 1) ended with exit code 0 before it could be watched; "
                "child.exe (pid 2), which it has started, is watched instead");
    expect_line("child.exe (pid 3), which launcher.exe has started, has a window (beside): "
                "uimon --attach 3 watches it");
    um_watch_children_turn(&children, &lines, 2 * S);
    expect_silence();
    system_children[2].title = "later";
    add_child(6, "started by the chosen one", NULL);
    um_watch_children_turn(&children, &lines, 3 * S);
    um_watch_children_turn(&children, &lines, 4 * S);
    expect_line("child.exe (pid 4), which launcher.exe has started, has a window (later): "
                "uimon --attach 4 watches it");
    expect_silence();
    system_children[3].title = "too late";
    um_watch_children_turn(&children, &lines, 60 * S);
    expect_silence();
}

Test(watch_children, names_what_has_a_window_beside_a_launcher_once, .init = set_up)
{
    add_child(2, "ti\x1btle", NULL);
    um_watch_children_beside(&children, &lines);
    um_watch_children_beside(&children, &lines);
    expect_line("child.exe (pid 2), which launcher.exe has started, has a window (ti\xef\xbf\xbdtle"
                "): uimon --attach 2 watches it");
    expect_silence();
}

Test(watch_children, names_no_more_than_it_can_keep, .init = set_up)
{
    char line[UM_LINE_QUEUE_BYTES];
    size_t named = 0;
    for (uint32_t i = 0; i < MOST; i++)
        add_child(2 + i, NULL, NULL);
    for (size_t i = 0; i < MOST; i++) {
        system_children[i].title = "window";
        um_watch_children_beside(&children, &lines);
        named += um_line_queue_take(&lines, line, sizeof line);
    }
    cr_expect_eq(named, UM_WATCH_CHILDREN_MAX);
    expect_silence();
}

Test(watch_children, names_what_a_program_leaves_behind, .init = set_up)
{
    launcher_runs = true;
    add_child(2, NULL, NULL);
    um_watch_children_left(&children, &launcher, &lines);
    expect_silence();
    launcher_runs = false;
    um_watch_children_left(&children, &launcher, &lines);
    expect_line("child.exe (pid 2), which launcher.exe has started, still runs, without a window "
                "so far: uimon --attach 2 --wait watches it from its first one");
    add_child(3, "main", NULL);
    um_watch_children_left(&children, &launcher, &lines);
    expect_line("child.exe (pid 3), which launcher.exe has started, has a window (main): "
                "uimon --attach 3 watches it");
    expect_silence();
}

Test(watch_children, describes_an_end_without_a_window, .init = set_up)
{
    launcher_code = 0xc0000005;
    expect_description("ended with exit code 0xc0000005 before it showed a window");
    is_unknown = true;
    launcher_code = 7;
    expect_description("ended with exit code 7 before it showed a window; if it starts another "
                       "program, use --attach with --wait on that one");
    is_unknown = false;
    add_child(2, NULL, NULL);
    expect_description("ended with exit code 7 before it showed a window; child.exe (pid 2), which "
                       "it has started, still runs: launch that program itself");
    add_child(3, "main", NULL);
    expect_description("ended with exit code 7 before it showed a window; child.exe (pid 3), which "
                       "it has started, has one: launch that program itself");
}

/* With --trace ---------------------------------------------------------------------------------*/

static struct um_options tracing;

static void set_up_tracing(void)
{
    set_up();
    tracing = (struct um_options){.trace = UM_OPTIONS_TRACE_METHODS, .only = "A&B.Panel,C"};
    children.tracing = &tracing;
    snprintf(children.traced_path, sizeof children.traced_path, "C:\\Some Folder\\launcher.exe");
}

static void add_managed(uint32_t pid, const char *title, const char *path)
{
    add_child(pid, title, NULL);
    system_children[child_count - 1].path = path;
    system_children[child_count - 1].is_managed = true;
}

#define CHILD_PATH "D:\\a b\\child.exe"
#define CHOSEN                                                                                     \
    "launcher.exe (pid 1) ended with exit code 0 before it could be watched; child.exe (pid 2), "  \
    "which it has started, is watched instead"

Test(watch_children, says_how_the_chosen_one_is_traced, .init = set_up_tracing)
{
    add_managed(2, "main", CHILD_PATH);
    cr_expect(!choose(S));
    expect_line(CHOSEN);
    expect_line("child.exe (pid 2) is not traced, because --trace is set for launcher.exe alone: "
                "in a command prompt run uimon trace-env \"D:\\a b\\child.exe\" --trace methods "
                "--only \"A&B.Panel,C\" > trace.cmd, then trace.cmd, start launcher.exe there, and "
                "run uimon --attach \"child.exe\" --trace methods");
    expect_silence();
}

/* A list with a quote, or a long one, is for the user to write again; calls stay calls. */
Test(watch_children, leaves_out_a_list_that_no_line_can_have, .init = set_up_tracing)
{
    tracing = (struct um_options){.trace = UM_OPTIONS_TRACE_CALLS, .mine = "A\" & evil"};
    add_managed(2, "main", NULL);
    choose(S);
    expect_line(CHOSEN);
    expect_line("child.exe (pid 2) is not traced, because --trace is set for launcher.exe alone: "
                "in a command prompt run uimon trace-env \"child.exe\" --trace calls --mine ... > "
                "trace.cmd, then trace.cmd, start launcher.exe there, and run uimon --attach "
                "\"child.exe\" --trace calls");
}

/* The launched program starts itself, or dotnet.exe another dotnet.exe: the environment is for
 * that, too. */
Test(watch_children, is_silent_about_what_is_traced, .init = set_up_tracing)
{
    add_managed(2, "main", "c:\\some folder\\LAUNCHER.exe");
    cr_expect(um_watch_children_is_traced(&children, 2));
    choose(S);
    expect_line(CHOSEN);
    expect_silence();
    cr_expect(!um_watch_children_advised(&children, &lines));
    children.tracing = NULL;
    cr_expect(!um_watch_children_is_traced(&children, 2), "nothing is");
}

/* The launched program's path may lead through a link, and the system tells where a child really
 * is. */
Test(watch_children, is_silent_about_what_is_traced_by_another_path, .init = set_up_tracing)
{
    FILE *file = fopen("uimon-child.tmp", "w");
    cr_assert(file);
    fclose(file);
    snprintf(children.traced_path, sizeof children.traced_path, "./uimon-child.tmp");
    add_managed(2, "main", "uimon-child.tmp");
    add_managed(3, NULL, "uimon-no-such-child.tmp");
    bool is_traced = um_watch_children_is_traced(&children, 2);
    bool is_other_traced = um_watch_children_is_traced(&children, 3);
    remove("uimon-child.tmp");
    cr_expect(is_traced);
    cr_expect(!is_other_traced);
}

/* What the launched program is has not been found: none of them is traced. */
Test(watch_children, says_how_a_child_is_traced_of_a_program_without_a_path, .init = set_up_tracing)
{
    char line[UM_LINE_QUEUE_BYTES];
    children.traced_path[0] = '\0';
    add_managed(2, "main", CHILD_PATH);
    choose(S);
    expect_line(CHOSEN);
    cr_assert(um_line_queue_take(&lines, line, sizeof line));
    cr_expect(strstr(line, "child.exe (pid 2) is not traced, because"), "%s", line);
}

/* The line about the missing runtime is no advice. */
Test(watch_children, advises_when_a_runtime_has_come, .init = set_up_tracing)
{
    char line[UM_LINE_QUEUE_BYTES];
    add_managed(2, "main", CHILD_PATH);
    system_children[0].is_managed = false;
    choose(S);
    expect_line(CHOSEN);
    expect_line("child.exe (pid 2) is not traced: no .NET runtime is seen in it so far");
    cr_expect(!um_watch_children_advised(&children, &lines));
    expect_silence();
    system_children[0].is_managed = true;
    cr_expect(um_watch_children_advised(&children, &lines));
    cr_assert(um_line_queue_take(&lines, line, sizeof line), "no advice");
    cr_expect(strstr(line, "child.exe (pid 2) is not traced, because"), "%s", line);
    expect_silence();
}

Test(watch_children, advises_once_for_each_of_several_programs, .init = set_up_tracing)
{
    char line[UM_LINE_QUEUE_BYTES];
    size_t advised = 0;
    add_managed(2, "one", CHILD_PATH);
    add_managed(3, "two", "D:\\other.exe");
    add_managed(4, "three", CHILD_PATH);
    um_watch_children_beside(&children, &lines);
    while (um_line_queue_take(&lines, line, sizeof line))
        advised += strstr(line, "is not traced, because") != NULL;
    cr_expect_eq(advised, 2);
}

Test(watch_children, says_that_the_chosen_one_has_no_runtime, .init = set_up_tracing)
{
    add_child(2, "main", NULL);
    add_child(3, "beside", NULL);
    choose(S);
    expect_line(CHOSEN);
    expect_line("child.exe (pid 2) is not traced: no .NET runtime is seen in it so far");
    expect_line("child.exe (pid 3), which launcher.exe has started, has a window (beside): "
                "uimon --attach 3 watches it");
    expect_silence();
}

Test(watch_children, says_once_how_children_of_one_program_are_traced, .init = set_up_tracing)
{
    add_managed(2, "one", CHILD_PATH);
    add_managed(3, "two", CHILD_PATH);
    um_watch_children_beside(&children, &lines);
    expect_line("child.exe (pid 2), which launcher.exe has started, has a window (one): "
                "uimon --attach 2 watches it");
    expect_line("child.exe (pid 2) is not traced, because --trace is set for launcher.exe alone: "
                "in a command prompt run uimon trace-env \"D:\\a b\\child.exe\" --trace methods "
                "--only \"A&B.Panel,C\" > trace.cmd, then trace.cmd, start launcher.exe there, and "
                "run uimon --attach \"child.exe\" --trace methods");
    expect_line("child.exe (pid 3), which launcher.exe has started, has a window (two): "
                "uimon --attach 3 watches it");
    expect_silence();
    cr_expect(um_watch_children_advised(&children, &lines));
    expect_silence();
}

Test(watch_children, advises_where_the_launched_program_is_not_managed, .init = set_up_tracing)
{
    char line[UM_LINE_QUEUE_BYTES];
    add_child(2, "native", NULL);
    cr_expect(!um_watch_children_advised(&children, &lines));
    expect_silence();
    add_managed(3, NULL, CHILD_PATH);
    cr_expect(!um_watch_children_advised(&children, &lines), "it has no window to attach to");
    add_managed(4, "managed", CHILD_PATH);
    cr_expect(um_watch_children_advised(&children, &lines));
    cr_assert(um_line_queue_take(&lines, line, sizeof line));
    cr_expect(strstr(line, "child.exe (pid 4) is not traced, because"), "%s", line);
    expect_silence();
}
