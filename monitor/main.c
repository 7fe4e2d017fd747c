/* uimon.exe: reads the command line and runs its command. The commands `--attach`, `--launch`,
 * `demo` and `list` are here; monitor/live/watch.h does their measuring. Each other command has a
 * file in its own folder, such as compare_command.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/plain/clock.h"
#include "base/config.h"
#include "base/exit_code.h"
#include "base/line_queue.h"
#include "base/output.h"
#include "base/platform.h"
#include "base/terminal_line.h"
#include "base/text_file.h"
#include "base/utf8.h"
#include "ipc/transport.h"
#include "monitor/dotnet/reverse.h"
#include "monitor/layout/layout_rules.h"
#include "monitor/live/trace_env.h"
#include "monitor/live/watch.h"
#include "monitor/live/watch_children.h"
#include "monitor/live/watch_files.h"
#include "monitor/options/commands.h"
#include "monitor/options/options.h"
#include "monitor/stats/statusline.h"
#include "monitor/stats/summary.h"
#include "monitor/target/target.h"
#include "monitor/target/target_pick.h"

#define WAIT_POLL_MS 100
#define CONSOLE_POLL_MS 100

/* Set when a write still blocks at the end: exit() would wait for that stream for ever. */
static bool stuck;

/* Writes the JSON. False, with a line on stderr, if that failed. */
static bool write_json(const char *path, const struct um_summary *summary, bool has_keys)
{
    char *text = NULL;
    if (um_summary_json(summary, &text) != UM_OK) {
        fprintf(stderr, "uimon: --json %s: out of memory\n", path);
        return false;
    }
    bool whole = um_output_write_rights(path, "--json", text, has_keys);
    cJSON_free(text);
    return whole;
}

/* With an overlay there is a status line only while something hides that. */
static void show_status_line(const struct um_options *options, struct um_watch *watch,
                             size_t columns, struct um_terminal_line *shown)
{
    char line[UM_STATUSLINE_BYTES];
    struct um_watch_view view = um_watch_view(watch);

    if (!options->headless && !view.hidden_by[0])
        um_terminal_line_clear(shown);
    else if (view.has_status &&
             um_statusline_format(&view.status, view.flags, view.target.toolkit[0], view.hidden_by,
                                  view.elapsed_s, columns, line, sizeof line) == UM_OK)
        um_terminal_line_show(shown, line, columns);
}

/* Prints the lines that the watch and the files have by now. `shown` NULL: there is no status
 * line. */
static void print_lines(const struct um_options *options, struct um_watch *watch,
                        struct um_watch_files *files, struct um_terminal_line *shown)
{
    char line[UM_LINE_QUEUE_BYTES];
    while (um_watch_next_line(watch, line, sizeof line) ||
           um_watch_files_trouble(files, line, sizeof line)) {
        if (options->quiet)
            continue;
        if (shown)
            um_terminal_line_clear(shown);
        um_output_note(line);
    }
}

/* Keeps the status line up to date and prints the watch's lines, until the session ends or the user
 * ends it. */
static void stand_by(const struct um_options *options, struct um_watch *watch,
                     struct um_watch_files *files)
{
    struct um_terminal_line shown = {0};

    for (bool over = false; !over;) {
        over = um_watch_over(watch) || um_platform_interrupted() || files->is_over;
        size_t columns = !options->quiet ? um_platform_stderr_columns() : 0;
        print_lines(options, watch, files, &shown);
        if (columns)
            show_status_line(options, watch, columns, &shown);
        fflush(stderr);
        if (!over)
            um_platform_wait_interrupt(CONSOLE_POLL_MS);
    }
    um_terminal_line_clear(&shown);
    um_watch_stop(watch);
}

/* Waits until long freezes are saved, lists them, and prints the last lines about them. */
static void await_saved(const struct um_options *options, struct um_watch_files *files,
                        struct um_summary *summary)
{
    char line[UM_LINE_QUEUE_BYTES];
    um_watch_files_saved(files, summary);
    while (um_watch_files_trouble(files, line, sizeof line))
        if (!options->quiet)
            um_output_note(line);
    fflush(stderr);
}

static int report(const struct um_options *options, const struct um_summary *summary)
{
    int code = UM_EXIT_DONE;
    if (options->json && !write_json(options->json, summary, options->keep_keys))
        code = UM_EXIT_FAILED;
    if (!options->quiet) {
        /* If results go to standard output, the text goes to standard error. */
        FILE *out = um_output_is_stdout(options->json) || um_output_is_stdout(options->csv)
                        ? stderr
                        : stdout;
        um_summary_text_write(out, summary);
        fflush(out);
    }
    return code;
}

static int fail_claim(enum um_status status, uint32_t pid, uint32_t owner)
{
    char why[UM_OPTIONS_ERROR_BYTES];
    char line[UM_OPTIONS_ERROR_BYTES + 64];

    snprintf(why, sizeof why, "%s", um_status_text(status));
    if (status == UM_ERR_BUSY)
        um_target->claimed(owner, why, sizeof why);
    snprintf(line, sizeof line, "process %lu cannot be watched: %s", (unsigned long)pid, why);
    um_output_note(line);
    return UM_EXIT_FAILED;
}

/* Watches a process that is claimed, until the session ends, and reports it. */
static int watch_claimed(const struct um_options *options, struct um_target_process *process,
                         const struct um_target_info *attach_to, struct um_reverse *reverse,
                         struct um_watch_children *children, struct um_watch_files *files)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_watch *watch = NULL;
    struct um_feed_output list[UM_FEED_OUTPUT_MAX];
    struct um_summary summary;
    bool measured;

    size_t count = um_watch_files_outputs(files, list);
    enum um_status status =
        um_watch_open(options, process, attach_to, reverse, children, list, count, &watch);
    if (status != UM_OK) {
        fprintf(stderr, "uimon: watching cannot begin: %s\n", um_status_text(status));
        return UM_EXIT_FAILED;
    }
    stand_by(options, watch, files);
    status = um_watch_finish(watch, &summary, &measured, error, sizeof error);
    print_lines(options, watch, files, NULL); /* what was found out at the end */
    if (measured)
        await_saved(options, files, &summary);
    int code = measured ? report(options, &summary) : UM_EXIT_FAILED;
    if (status != UM_OK)
        code = um_output_fail(error, um_output_exit_code(status));
    else if (!measured && !(children && children->next))
        fprintf(stderr, "uimon: watching ended before anything was measured\n");
    um_watch_close(watch);
    return code;
}

/* Ends the outputs, which the session of the launched program has left open for that of a child. */
static void end_outputs(struct um_watch_files *files, enum um_end_reason reason)
{
    struct um_feed_output list[UM_FEED_OUTPUT_MAX];
    struct um_wire_frame end = {
        .type = UM_WIRE_END, .as.end = {.time_ns = um_clock_now_ns(), .reason = (uint8_t)reason}};
    um_feed_publish(list, um_watch_files_outputs(files, list), &end);
}

/* Watches the next child in place of the launched program. */
static int watch_child(const struct um_options *options, struct um_watch_children *children,
                       struct um_watch_files *files)
{
    struct um_options attached = *options;
    struct um_platform_held *claim = NULL;
    struct um_target_process *process = children->next;
    struct um_target_info info = children->next_info;
    uint32_t owner = 0;

    children->next = NULL;
    if (children->tracing && !um_watch_children_is_traced(children, info.pid))
        attached.trace = UM_OPTIONS_TRACE_OFF;
    if (options->dotnet && !options->quiet)
        um_output_note("counters of .NET of the program that is watched now begin when it is "
                       "measured, not with its first moments");
    enum um_status status = um_platform_claim(info.pid, &owner, &claim);
    int code = status == UM_OK ? watch_claimed(&attached, process, &info, NULL, children, files)
                               : fail_claim(status, info.pid, owner);
    if (status != UM_OK)
        end_outputs(files, UM_END_FAILED);
    um_platform_let_go(claim);
    um_target->close(process);
    return code;
}

/* Watches a process, and then what takes the place of a launched one. `children` NULL: nothing
 * does. */
static int watch_process(const struct um_options *options, struct um_target_process *process,
                         const struct um_target_info *attach_to, struct um_reverse *reverse,
                         struct um_watch_children *children)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_platform_held *claim = NULL;
    struct um_watch_files files;
    uint32_t owner = 0;

    enum um_status status = um_platform_claim(um_target->pid(process), &owner, &claim);
    if (status != UM_OK)
        return fail_claim(status, um_target->pid(process), owner);
    status = um_watch_files_open(options, &files, error, sizeof error);
    if (status != UM_OK) {
        um_watch_files_close(&files, &stuck);
        um_platform_let_go(claim);
        return um_output_fail(error, UM_EXIT_FAILED);
    }
    int code = watch_claimed(options, process, attach_to, reverse, children, &files);
    while (children && children->next && !um_platform_interrupted())
        code = watch_child(options, children, &files);
    if (children && children->next) {
        end_outputs(&files, UM_END_STOPPED);
        um_target->close(children->next);
        children->next = NULL;
    }
    if (!um_watch_files_close(&files, &stuck) && code == UM_EXIT_DONE)
        code = UM_EXIT_FAILED;
    um_platform_let_go(claim);
    return code;
}

/* Finds the target. With --wait it tries again until that time is over. */
static enum um_status find_target(const struct um_options *options,
                                  const struct um_target_spec *spec, struct um_target_info *found,
                                  char *error, size_t cap)
{
    uint64_t begun_ns = um_clock_now_ns();
    for (;;) {
        enum um_status status = um_target_pick(spec, options->newest, found, error, cap);
        double waited_s = (double)(um_clock_now_ns() - begun_ns) / 1e9;
        bool more = options->wait && (options->wait_s < 0 || waited_s < options->wait_s);
        if (status != UM_ERR_NOT_FOUND || !more || um_platform_interrupted())
            return status;
        um_platform_wait_interrupt(WAIT_POLL_MS);
    }
}

/* With --thread, replaces the target by that thread of the same process. */
static enum um_status find_thread(const struct um_options *options, struct um_target_info *target,
                                  char *error, size_t cap)
{
    struct um_target_info other;
    if (!options->thread_id)
        return UM_OK;
    if (um_target->look(target->pid, options->thread_id, &other) != UM_OK) {
        snprintf(error, cap,
                 "uimon: thread %lu of %s (pid %lu) has no window that could be watched",
                 (unsigned long)options->thread_id, target->name, (unsigned long)target->pid);
        return UM_ERR_NOT_FOUND;
    }
    *target = other;
    return UM_OK;
}

static int run_watch(const struct um_options *options)
{
    char error[UM_OPTIONS_ERROR_BYTES] = "";
    struct um_target_spec spec;
    struct um_target_info target;
    struct um_target_process *process = NULL;

    if (um_target_spec_parse(options->target, &spec, error, sizeof error) != UM_OK)
        return um_output_fail(error, UM_EXIT_USAGE);
    spec.could_wait = !options->wait;
    enum um_status status = find_target(options, &spec, &target, error, sizeof error);
    if (status == UM_OK)
        status = find_thread(options, &target, error, sizeof error);
    if (status != UM_OK)
        return um_output_fail(error, um_output_exit_code(status));
    status = um_target->open(target.pid, &process);
    if (status != UM_OK) {
        fprintf(stderr, "uimon: %s (pid %lu) cannot be opened: %s\n",
                um_utf8_show(target.name, 60).text, (unsigned long)target.pid,
                um_status_text(status));
        return um_output_exit_code(status);
    }
    int code = watch_process(options, process, &target, NULL, NULL);
    um_target->close(process);
    return code;
}

/* Makes the pipe to which the runtime of a program of .NET 5 or later connects at its start.
 * Without it (NULL), the runtime is asked once the program has a window. */
static struct um_reverse *open_reverse(const struct um_options *options)
{
    struct um_reverse *reverse = NULL;
    char line[128];
    if (!options->dotnet)
        return NULL;
    enum um_status status = um_reverse_open(um_transport_system(), &reverse);
    if (status == UM_OK)
        return reverse;
    snprintf(line, sizeof line, "no counters of .NET from the program's first moments on: %s",
             um_status_text(status));
    um_output_note(line);
    return NULL;
}

/* Says which other tool's profiler the traced program will not have. */
static void note_foreign(const struct um_options *options)
{
    char line[UM_OPTIONS_ERROR_BYTES];
    if (!options->quiet && um_trace_env_foreign(line, sizeof line))
        um_output_note(line);
}

/* Starts a program and watches it; with `end_it` the program is ended after that. */
static int launch(const struct um_options *options, char *const *argv, int argc, bool end_it)
{
    struct um_target_process *process = NULL;
    struct um_trace_env env = {0};
    char why[UM_OPTIONS_ERROR_BYTES];
    if (um_options_trace_is_managed(options->trace) &&
        um_trace_env_make(options, argv[0], &env, why, sizeof why) != UM_OK)
        return um_output_fail(why, UM_EXIT_FAILED);
    if (um_options_trace_is_managed(options->trace))
        note_foreign(options);
    struct um_reverse *reverse = open_reverse(options);
    struct um_target_variable variables[UM_TRACE_ENV_VARIABLES + 2] = {{0}};
    memcpy(variables, env.list, env.count * sizeof env.list[0]);
    if (reverse)
        variables[env.count] =
            (struct um_target_variable){UM_REVERSE_VARIABLE, um_reverse_value(reverse), true};
    enum um_status status = um_target->launch(argv, argc, variables, &process);
    um_trace_env_free(&env);
    if (status != UM_OK) {
        um_reverse_close(reverse);
        fprintf(stderr, "uimon: --launch %s: it cannot be started: %s\n",
                um_utf8_show_path(argv[0]).text, um_target_spec_not_started(status));
        return um_output_exit_code(status);
    }
    struct um_watch_children children = {.launched = process};
    if (um_options_trace_is_managed(options->trace)) {
        children.tracing = options;
        (void)um_target->find_program(argv[0], children.traced_path, sizeof children.traced_path);
    }
    int code = watch_process(options, process, NULL, reverse, &children);
    if (end_it && um_target->running(process))
        um_target->kill(process);
    um_target->close(process);
    um_reverse_close(reverse);
    return code;
}

/* Watches the bundled demo. With --duration the demo freezes by itself. */
static int run_demo(const struct um_options *options)
{
    static char animate[] = "--animate", repeat[] = "--repeat=0";
    static char play[] = "--play=150,spin:80,300,spin:150,jank:8x30,1000,50";
    static char play_panes[] = "--play=panes:20x20,150,spin:80,300,spin:150,jank:8x30,1000,50";
    char program[UM_PLATFORM_PATH_BYTES];
    char *argv[] = {program, animate,
                    options->layout != UM_WIRE_LAYOUT_MODE_OFF ? play_panes : play, repeat, NULL};

    if (um_platform_program("uimon-demo", program, sizeof program) != UM_OK)
        return um_output_fail(
            "uimon: uimon-demo.exe is missing: unpack the whole package into one folder",
            UM_EXIT_FAILED);
    int argc = options->duration_s > 0 ? 4 : 2;
    argv[argc] = NULL;
    return launch(options, argv, argc, true);
}

static int run_trace_env(const struct um_options *options)
{
    struct um_trace_env env;
    char why[UM_OPTIONS_ERROR_BYTES];
    if (um_trace_env_make(options, options->files[0], &env, why, sizeof why) != UM_OK)
        return um_output_fail(why, UM_EXIT_FAILED);
    enum um_status status = um_trace_env_write(&env, um_platform_stdout_columns() == 0, stdout);
    um_trace_env_free(&env);
    if (status != UM_OK)
        return um_output_fail(
            "uimon: trace-env: cmd cannot set a value with a line break or another "
            "control character: leave it out of --only or --mine",
            UM_EXIT_FAILED);
    note_foreign(options);
    return UM_EXIT_DONE;
}

static int run_list(void)
{
    struct um_target_info *list;
    size_t count;
    enum um_status status = um_target->find(NULL, &list, &count);
    if (status != UM_OK) {
        fprintf(stderr, "uimon: the list cannot be made: %s\n", um_status_text(status));
        return UM_EXIT_FAILED;
    }
    status = um_target_spec_print_list(stdout, list, count, um_platform_stdout_columns());
    free(list);
    if (status == UM_ERR_MEMORY)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    return um_output_printed(stdout, status == UM_OK) ? UM_EXIT_DONE : UM_EXIT_FAILED;
}

/* Reads the configuration file. It may be missing, unless --config names it. */
static enum um_status read_config(struct um_options *options, char *error, size_t cap)
{
    char path[UM_PLATFORM_PATH_BYTES];
    const char *name = options->config;
    char *text;
    size_t len;

    if (name && !*name)
        return UM_OK;
    if (!name && um_platform_config_path(path, sizeof path) == UM_OK)
        name = path;
    if (!name)
        return UM_OK;
    enum um_status status = um_config_load(name, &text, &len, error, cap);
    if (status == UM_ERR_NOT_FOUND && !options->config_given)
        return UM_OK;
    if (status != UM_OK)
        return status;
    status = um_options_apply_config(options, text, len, name, error, cap);
    free(text);
    if (status == UM_OK && error[0] && !options->quiet)
        um_output_note(error);
    return status;
}

/* Reads the rules of --layout-components. */
static enum um_status read_layout_rules(const struct um_options *options,
                                        struct um_layout_rules **rules, char *error, size_t cap)
{
    char *text;
    size_t len;
    if (!options->layout_components)
        return UM_OK;
    enum um_status status = um_text_file_load(options->layout_components, UM_LAYOUT_RULES_MAX_BYTES,
                                              "a file of rules", &text, &len, error, cap);
    if (status != UM_OK)
        return status;
    status = um_layout_rules_open(text, len, options->layout_components, rules, error, cap);
    free(text);
    return status;
}

/* Whether a command runs until the user ends it, and writes its results at the end. */
static bool lasts(enum um_options_command command)
{
    return command == UM_OPTIONS_WATCH || command == UM_OPTIONS_LAUNCH ||
           command == UM_OPTIONS_DEMO || command == UM_OPTIONS_BENCH ||
           command == UM_OPTIONS_BISECT || command == UM_OPTIONS_CALIBRATE;
}

static bool needs_target(enum um_options_command command)
{
    return lasts(command) || command == UM_OPTIONS_LIST || command == UM_OPTIONS_TRACE_ENV ||
           command == UM_OPTIONS_DOCTOR;
}

/* Whether a command does more with programs than watching them. */
static bool does_more(enum um_options_command command)
{
    return command == UM_OPTIONS_BENCH || command == UM_OPTIONS_BISECT ||
           command == UM_OPTIONS_CALIBRATE || command == UM_OPTIONS_DOCTOR ||
           command == UM_OPTIONS_TRACE_ENV;
}

/* Why a command does not work on this system, as the line to print; NULL: it does. */
static const char *why_not_here(enum um_options_command command)
{
    if (um_target->why_watch_only && does_more(command))
        return um_target->why_watch_only;
    return needs_target(command) && um_target->why_none ? um_target->why_none() : NULL;
}

static int run_settled(struct um_options *options)
{
    const char *why_not = why_not_here(options->command);
    char line[UM_OPTIONS_ERROR_BYTES] = "";
    if (why_not)
        return um_output_fail(why_not, UM_EXIT_FAILED);
    if (um_target->why_watch_only && lasts(options->command) &&
        um_options_windows_leave_out(options, line, sizeof line) != UM_OK)
        return um_output_fail(line, UM_EXIT_FAILED);
    if (line[0] && !options->quiet)
        fprintf(stderr, "%s\n", line);
    if (lasts(options->command))
        um_platform_watch_session_end();
    switch (options->command) {
    case UM_OPTIONS_WATCH:
        return run_watch(options);
    case UM_OPTIONS_LAUNCH:
        return launch(options, options->launch_argv, options->launch_argc, false);
    case UM_OPTIONS_DEMO:
        return run_demo(options);
    case UM_OPTIONS_TRACE_ENV:
        return run_trace_env(options);
    case UM_OPTIONS_REPLAY:
        return um_replay_command_run(options);
    case UM_OPTIONS_REPORT:
        return um_report_command_run(options);
    case UM_OPTIONS_EXPORT:
        return um_export_command_run(options);
    case UM_OPTIONS_FLOWS:
        return um_flows_command_run(options);
    case UM_OPTIONS_BENCH:
        return um_bench_command_run(options);
    case UM_OPTIONS_BISECT:
        return um_bisect_command_run(options);
    case UM_OPTIONS_COMPARE:
        return um_stack_diff_command_wants(options) ? um_stack_diff_command_run(options)
                                                    : um_compare_command_run(options);
    case UM_OPTIONS_CALIBRATE:
        return um_calibrate_command_run(options);
    case UM_OPTIONS_DOCTOR:
        return um_doctor_command_run(options);
    case UM_OPTIONS_HISTORY_ADD:
        return um_history_command_add(options);
    case UM_OPTIONS_HISTORY_SHOW:
        return um_history_command_show(options);
    case UM_OPTIONS_LISTEN:
        return um_listen_command_run(options);
    case UM_OPTIONS_QUERY:
        return um_query_command_run(options);
    default:
        return run_list();
    }
}

static int run_command(struct um_options *options)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_layout_rules *rules = NULL;
    if (read_config(options, error, sizeof error) != UM_OK ||
        um_options_finish(options, error, sizeof error) != UM_OK ||
        read_layout_rules(options, &rules, error, sizeof error) != UM_OK)
        return um_output_fail(error, UM_EXIT_USAGE);
    options->layout_rules = rules;
    int code = run_settled(options);
    um_layout_rules_close(rules);
    return code;
}

/* Handles a start without arguments. After a double click it waits for a key, because the console
 * closes with the program. */
static int run_bare(void)
{
    um_options_help_usage(stdout);
    if (um_platform_owns_console()) {
        printf("\nuimon is a command-line program: open a terminal in this folder, or press a key "
               "to close this window.\n");
        fflush(stdout);
        um_platform_wait_key();
    }
    return UM_EXIT_USAGE;
}

/* What was asked for on standard output cannot go anywhere. */
static int refuse_stdout(const struct um_options *options, const char *what)
{
    char line[UM_OPTIONS_ERROR_BYTES];
    snprintf(line, sizeof line,
             "uimon: %s: this is for standard output, and uimon was started without one; send it "
             "into a file, as with > FILE",
             what);
    return um_output_fail(line, options->bisect ? UM_EXIT_BISECT_SKIP : UM_EXIT_FAILED);
}

static int run(struct um_options *options)
{
    char what[64];

    if (um_platform_is_missing(stdout) && um_options_asks_stdout(options, what, sizeof what))
        return refuse_stdout(options, what);
    switch (options->command) {
    case UM_OPTIONS_NONE:
        return run_bare();
    case UM_OPTIONS_HELP:
        um_options_help(stdout, options->topic);
        return UM_EXIT_DONE;
    case UM_OPTIONS_VERSION:
        printf("uimon %s\n", UM_VERSION);
        return UM_EXIT_DONE;
    default:
        return run_command(options);
    }
}

int main(void)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_options options;
    char **argv;
    int argc;

    if (um_platform_start(&argc, &argv) != UM_OK)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    if (um_options_parse(argc, argv, &options, error, sizeof error) != UM_OK)
        return um_output_fail(error, UM_EXIT_USAGE);
    int code = run(&options);
    um_platform_unwatch_session_end();
    bool is_bisect = options.bisect;
    um_options_deinit(&options);
    if (stuck) {
        fflush(stderr);
        um_platform_leave(code);
    }
    int ended = um_output_end_stdout(code);
    return is_bisect && ended != code ? UM_EXIT_BISECT_SKIP : ended;
}
