#include "monitor/live/watch_children.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ns.h"
#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/utf8.h"
#include "monitor/live/trace_env.h"

#define LINE_BYTES 512
#define NAME_COLUMNS 60
#define WAITING_NS UM_CLOCK_NS_PER_S /* a child's window that comes sooner needs no line */
#define LASTING_NS (500 * UM_CLOCK_NS_PER_MS)
#define AWAITED_NS (30 * UM_CLOCK_NS_PER_S) /* for how long the others are looked at */

/* The children that run. */
struct children {
    uint32_t *pids;
    size_t count;
    bool known; /* false: the system does not tell them, and there is none in the list */
};

/* Owner: free(all.pids). */
static struct children list_children(const struct um_target_process *launched)
{
    struct children all = {0};
    all.known = um_target->started(launched, &all.pids, &all.count) == UM_OK;
    return all;
}

static bool has(const uint32_t *pids, size_t count, uint32_t pid)
{
    for (size_t i = 0; i < count; i++)
        if (pids[i] == pid)
            return true;
    return false;
}

void um_watch_children_name(struct um_watch_children *children,
                            const struct um_target_process *process, const char *name)
{
    if (process == children->launched && name[0])
        um_utf8_fit(name, NAME_COLUMNS, children->name, sizeof children->name);
}

static const char *launched_name(const struct um_watch_children *children)
{
    return children->name[0] ? children->name : "the program";
}

static bool is_named(const struct um_watch_children *children, uint32_t pid)
{
    return has(children->named, children->named_count, pid);
}

static void note_named(struct um_watch_children *children, uint32_t pid)
{
    if (children->named_count < UM_WATCH_CHILDREN_MAX && !is_named(children, pid))
        children->named[children->named_count++] = pid;
}

static bool has_room(const struct um_watch_children *children)
{
    return children->named_count < UM_WATCH_CHILDREN_MAX;
}

/* "devenv.exe (pid 1234)", shown safely. */
static void write_program(const char *name, uint32_t pid, char *text, size_t cap_bytes)
{
    snprintf(text, cap_bytes, "%s (pid %lu)",
             name[0] ? um_utf8_show(name, NAME_COLUMNS).text : "a program", (unsigned long)pid);
}

/* How a program has ended. Codes of the system, such as that of an access violation, are known by
 * their hexadecimal numbers. */
static void write_end(const struct um_target_process *ended, char *text, size_t cap_bytes)
{
    uint32_t code;
    if (um_target->exit_code(ended, &code) != UM_OK)
        snprintf(text, cap_bytes, "ended");
    else
        snprintf(text, cap_bytes,
                 code < 0x10000 ? "ended with exit code %lu" : "ended with exit code 0x%08lx",
                 (unsigned long)code);
}

/* The path of a child's program, or its name if that is not known. */
static void find_path(const struct um_target_info *child, char *path, size_t cap_bytes)
{
    if (!um_target->program_path(child->pid, path, cap_bytes))
        um_text_set(path, cap_bytes, child->name);
}

/* The system tells a child's real path. The launched program's may lead through a link, or a drive
 * that stands for a folder. */
bool um_watch_children_is_traced(const struct um_watch_children *children, uint32_t pid)
{
    char path[UM_PLATFORM_PATH_BYTES];
    return children->tracing && um_target->program_path(pid, path, sizeof path) &&
           (um_utf8_equal(path, children->traced_path) ||
            um_platform_same_file(path, children->traced_path));
}

/* Notes a program that a line is about. False if it is noted already. */
static bool note_path(struct um_watch_children_paths *noted, const char *path)
{
    for (size_t i = 0; i < noted->count && i < UM_WATCH_CHILDREN_PATHS; i++)
        if (um_utf8_equal(path, noted->paths[i]))
            return false;
    um_text_set(noted->paths[noted->count++ % UM_WATCH_CHILDREN_PATHS], UM_PLATFORM_PATH_BYTES,
                path);
    return true;
}

/* Says that the methods of a child are not traced, and what to do. Of children without a runtime,
 * only the chosen one gets a line. It may load its runtime later, and one that brings the runtime
 * in its own file seems to have none. */
static void say_untraced(struct um_watch_children *children, const struct um_target_info *child,
                         struct um_line_queue *lines)
{
    char line[UM_LINE_QUEUE_BYTES], program[160], advice[UM_TRACE_ENV_ADVICE_BYTES];
    char path[UM_PLATFORM_PATH_BYTES];
    bool has_runtime = children->tracing && um_trace_env_has_runtime(child->pid);
    if (!children->tracing || (!has_runtime && child != &children->next_info) ||
        um_watch_children_is_traced(children, child->pid))
        return;
    find_path(child, path, sizeof path);
    if (!note_path(has_runtime ? &children->advised : &children->no_runtime, path))
        return;
    write_program(child->name, child->pid, program, sizeof program);
    if (has_runtime) {
        um_trace_env_advise(children->tracing, path, launched_name(children), advice,
                            sizeof advice);
        snprintf(line, sizeof line, "%s is not traced, because --trace is set for %s alone: %s",
                 program, launched_name(children), advice);
    } else {
        snprintf(line, sizeof line, "%s is not traced: no .NET runtime is seen in it so far",
                 program);
    }
    um_line_queue_put(lines, line);
}

/* Names a child with a window, and the command that watches it. */
static void say_shown(struct um_watch_children *children, const struct um_target_info *shown,
                      struct um_line_queue *lines)
{
    char line[LINE_BYTES], program[160];
    if (!has_room(children) || is_named(children, shown->pid))
        return;
    note_named(children, shown->pid);
    write_program(shown->name, shown->pid, program, sizeof program);
    if (shown->why_not[0])
        snprintf(line, sizeof line, "%s, which %s has started, has a window (%s), but %s", program,
                 launched_name(children), um_utf8_show(shown->title, NAME_COLUMNS).text,
                 shown->why_not);
    else
        snprintf(line, sizeof line,
                 "%s, which %s has started, has a window (%s): uimon --attach %lu watches it",
                 program, launched_name(children), um_utf8_show(shown->title, NAME_COLUMNS).text,
                 (unsigned long)shown->pid);
    um_line_queue_put(lines, line);
    if (!shown->why_not[0])
        say_untraced(children, shown, lines);
}

/* Names all children with a window that no line has named so far; with `refused` only those that
 * cannot be watched. */
static void say_all_shown(struct um_watch_children *children, const struct children *all,
                          bool refused, struct um_line_queue *lines)
{
    struct um_target_info info;
    for (size_t i = 0; i < all->count; i++)
        if (!is_named(children, all->pids[i]) && um_target->look(all->pids[i], 0, &info) == UM_OK &&
            (info.why_not[0] || !refused))
            say_shown(children, &info, lines);
}

void um_watch_children_beside(struct um_watch_children *children, struct um_line_queue *lines)
{
    struct children all = list_children(children->launched);
    children->had_any = children->had_any || all.count > 0;
    say_all_shown(children, &all, false, lines);
    free(all.pids);
}

/* Opens a child. Its id may have been given to another program since it was listed: the program
 * that is open keeps its id, so a second list tells. */
static bool open_child(const struct um_watch_children *children, uint32_t pid,
                       struct um_target_process **process)
{
    struct um_target_process *made;
    if (um_target->open(pid, &made) != UM_OK)
        return false;
    struct children all = list_children(children->launched);
    bool is_child = has(all.pids, all.count, pid);
    free(all.pids);
    if (is_child)
        *process = made;
    else
        um_target->close(made);
    return is_child;
}

/* Finds the first child with a window that can be watched. */
static bool find_next(struct um_watch_children *children, const struct children *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (um_target->look(all->pids[i], 0, &children->next_info) == UM_OK &&
            !children->next_info.why_not[0] && open_child(children, all->pids[i], &children->next))
            return true;
    return false;
}

/* Keeps those that run beside the chosen one without a window. */
static void keep_awaited(struct um_watch_children *children, const struct children *all,
                         uint64_t now_ns)
{
    children->awaited_count = 0;
    children->chosen_ns = now_ns;
    for (size_t i = 0; i < all->count && children->awaited_count < UM_WATCH_CHILDREN_MAX; i++)
        if (!is_named(children, all->pids[i]))
            children->awaited[children->awaited_count++] = all->pids[i];
}

static void say_chosen(const struct um_watch_children *children,
                       const struct um_target_process *ended, const char *name,
                       struct um_line_queue *lines)
{
    char line[LINE_BYTES], program[160], next[160], end[48];
    write_program(name, um_target->pid(ended), program, sizeof program);
    write_program(children->next_info.name, children->next_info.pid, next, sizeof next);
    write_end(ended, end, sizeof end);
    snprintf(line, sizeof line, "%s %s before it could be watched; %s, %s, is watched instead",
             program, end, next,
             ended == children->launched ? "which it has started" : "started beside it");
    um_line_queue_put(lines, line);
}

/* Says once what is waited for. */
static void say_waiting(struct um_watch_children *children, const struct children *all,
                        const struct um_target_process *ended, const char *name,
                        struct um_line_queue *lines)
{
    char line[LINE_BYTES], program[160], first[160], end[48], more[48] = "";
    struct um_target_info info;
    if (children->said_waiting)
        return;
    children->said_waiting = true;
    um_target->look(all->pids[0], 0, &info);
    write_program(name, um_target->pid(ended), program, sizeof program);
    write_program(info.name, all->pids[0], first, sizeof first);
    write_end(ended, end, sizeof end);
    if (all->count > 1)
        snprintf(more, sizeof more, " and %zu more", all->count - 1);
    snprintf(line, sizeof line,
             "%s %s without a window; the first window of %s%s, which it has started, is waited "
             "for",
             program, end, first, more);
    um_line_queue_put(lines, line);
}

bool um_watch_children_choose(struct um_watch_children *children,
                              const struct um_target_process *ended, const char *name,
                              struct um_line_queue *lines, uint64_t now_ns)
{
    struct children all = list_children(children->launched);
    bool waits = all.count > 0;
    children->had_any = children->had_any || waits;
    if (children->ended_ns == 0)
        children->ended_ns = now_ns;
    if (find_next(children, &all)) {
        waits = false;
        note_named(children, children->next_info.pid);
        say_chosen(children, ended, name, lines);
        say_untraced(children, &children->next_info, lines);
        say_all_shown(children, &all, false, lines);
        keep_awaited(children, &all, now_ns);
    } else if (waits && um_ns_elapsed(children->ended_ns, now_ns) >= WAITING_NS) {
        say_waiting(children, &all, ended, name, lines);
        say_all_shown(children, &all, true, lines);
    }
    free(all.pids);
    return waits;
}

void um_watch_children_turn(struct um_watch_children *children, struct um_line_queue *lines,
                            uint64_t now_ns)
{
    struct um_target_info info;
    if (um_ns_elapsed(children->chosen_ns, now_ns) > AWAITED_NS)
        children->awaited_count = 0;
    if (children->awaited_count == 0)
        return;
    struct children all = list_children(children->launched);
    for (size_t i = 0; i < all.count; i++)
        if (has(children->awaited, children->awaited_count, all.pids[i]) &&
            !is_named(children, all.pids[i]) && um_target->look(all.pids[i], 0, &info) == UM_OK)
            say_shown(children, &info, lines);
    free(all.pids);
}

/* Names one that a program leaves behind without a window. */
static void say_hidden(struct um_watch_children *children, uint32_t pid,
                       struct um_line_queue *lines)
{
    char line[LINE_BYTES], program[160];
    struct um_target_info info;
    um_target->look(pid, 0, &info);
    note_named(children, pid);
    write_program(info.name, pid, program, sizeof program);
    snprintf(line, sizeof line,
             "%s, which %s has started, still runs, without a window so far: "
             "uimon --attach %lu --wait watches it from its first one",
             program, launched_name(children), (unsigned long)pid);
    um_line_queue_put(lines, line);
    say_untraced(children, &info, lines);
}

/* Names one of these if it outlasts the program for a while. The helpers of a program end shortly
 * after it. */
static void say_lasting(struct um_watch_children *children, const struct children *all,
                        struct um_line_queue *lines)
{
    um_clock_sleep_ns(LASTING_NS);
    struct children still = list_children(children->launched);
    size_t at = 0;
    while (at < all->count && !has(still.pids, still.count, all->pids[at]))
        at++;
    if (at < all->count)
        say_hidden(children, all->pids[at], lines);
    free(still.pids);
}

void um_watch_children_left(struct um_watch_children *children,
                            const struct um_target_process *watched, struct um_line_queue *lines)
{
    struct children all = list_children(children->launched);
    bool none = true;
    say_all_shown(children, &all, false, lines);
    for (size_t i = 0; i < all.count; i++)
        none = none && !is_named(children, all.pids[i]);
    if (none && all.count > 0 && !um_target->running(watched))
        say_lasting(children, &all, lines);
    free(all.pids);
}

bool um_watch_children_advised(struct um_watch_children *children, struct um_line_queue *lines)
{
    struct children all = list_children(children->launched);
    struct um_target_info info;
    for (size_t i = 0; i < all.count; i++)
        if (um_target->look(all.pids[i], 0, &info) == UM_OK && !info.why_not[0] &&
            um_trace_env_has_runtime(info.pid))
            say_untraced(children, &info, lines);
    free(all.pids);
    return children->advised.count > 0;
}

/* Finds a child to be named: one with a window, or else the first. */
static bool find_to_name(const struct children *all, struct um_target_info *info)
{
    for (size_t i = 0; i < all->count; i++)
        if (um_target->look(all->pids[i], 0, info) == UM_OK)
            return true;
    um_target->look(all->pids[0], 0, info);
    return false;
}

void um_watch_children_describe(const struct um_target_process *launched,
                                const struct um_target_process *ended, bool had_any, char *text,
                                size_t cap_bytes)
{
    char end[48], program[160];
    struct um_target_info info;
    struct children all = list_children(launched);
    write_end(ended, end, sizeof end);
    if (all.count > 0) {
        bool has_window = find_to_name(&all, &info);
        write_program(info.name, info.pid, program, sizeof program);
        snprintf(text, cap_bytes,
                 "%s before it showed a window; %s, which it has started, %s: launch that program "
                 "itself",
                 end, program, has_window ? "has one" : "still runs");
    } else {
        snprintf(text, cap_bytes, "%s before it showed a window%s", end,
                 had_any      ? ", and what it has started has ended, too"
                 : !all.known ? "; if it starts another program, use --attach with --wait on that "
                                "one"
                              : "");
    }
    free(all.pids);
}
