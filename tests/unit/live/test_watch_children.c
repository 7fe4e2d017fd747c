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

static const struct um_target_backend backend = {.started = started,
                                                 .look = look,
                                                 .open = open_process,
                                                 .close = close_process,
                                                 .pid = pid_of,
                                                 .running = running,
                                                 .exit_code = exit_code};

static void add_child(uint32_t pid, const char *title, const char *why_not)
{
    system_children[child_count++] = (struct child){pid, title, why_not};
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
