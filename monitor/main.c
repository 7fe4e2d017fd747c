/* uimon: the command line. What each command does is here; how it measures begins in watch.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "ipc/clock.h"
#include "monitor/base/config.h"
#include "monitor/base/exit_code.h"
#include "monitor/base/output.h"
#include "monitor/base/platform.h"
#include "monitor/base/utf8.h"
#include "monitor/live/watch.h"
#include "monitor/live/watch_outputs.h"
#include "monitor/options/commands.h"
#include "monitor/options/options.h"
#include "monitor/stats/statusline.h"
#include "monitor/stats/summary.h"
#include "monitor/target/target.h"
#include "monitor/target/target_pick.h"

#define WAIT_POLL_MS 100
#define CONSOLE_POLL_MS 100

/* Set when a stream no longer takes anything, so that exit() would wait for it for ever. */
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

/* Wipes a status line of so many columns off the terminal; there is none of 0. */
static void clear_status_line(size_t *columns)
{
    if (*columns)
        fprintf(stderr, "\r%*s\r", (int)*columns, "");
    *columns = 0;
}

/* Writes the status line over the one of `*shown` columns. */
static void show_status_line(struct um_watch *watch, size_t terminal_columns, size_t *shown)
{
    char line[UM_STATUSLINE_BYTES];
    struct um_wire_status status;
    struct um_target_info target;
    uint8_t flags;
    double elapsed_s;

    if (!um_watch_status(watch, &status, &flags, &elapsed_s))
        return;
    bool window_only = um_watch_target(watch, &target) && target.toolkit[0];
    if (um_statusline_format(&status, flags, window_only, elapsed_s, terminal_columns, line,
                             sizeof line) != UM_OK)
        return;
    size_t width = um_utf8_columns(line);
    fprintf(stderr, "\r%s%*s", line, *shown > width ? (int)(*shown - width) : 0, "");
    *shown = width;
}

/* Keeps the status line up to date and prints what watching has to say, until the session ends or
 * the user ends it. */
static void stand_by(const struct um_options *options, struct um_watch *watch,
                     struct um_watch_outputs *outputs)
{
    char line[UM_FLIGHT_LINE_BYTES];
    size_t shown = 0; /* columns of the status line that stands on the terminal */

    for (bool over = false; !over;) {
        over = um_watch_over(watch) || um_platform_interrupted();
        size_t columns = options->headless && !options->quiet ? um_platform_stderr_columns() : 0;
        while (um_watch_next_line(watch, line, sizeof line) ||
               um_watch_outputs_trouble(outputs, line, sizeof line)) {
            if (options->quiet)
                continue;
            clear_status_line(&shown);
            um_output_note(line);
        }
        if (columns)
            show_status_line(watch, columns, &shown);
        fflush(stderr);
        if (!over)
            um_platform_wait_interrupt(CONSOLE_POLL_MS);
    }
    clear_status_line(&shown);
    fflush(stderr); /* before the summary, which goes to another stream */
    um_watch_stop(watch);
}

/* Lists what was saved of long freezes, and prints what there is still to say of it. */
static void await_saved(const struct um_options *options, struct um_watch_outputs *outputs,
                        struct um_summary *summary)
{
    char line[UM_FLIGHT_LINE_BYTES];
    um_watch_outputs_saved(outputs, summary);
    while (um_watch_outputs_trouble(outputs, line, sizeof line))
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
        um_summary_write_text(out, summary);
        fflush(out);
    }
    return code;
}

/* Says why this uimon cannot have the process to itself. */
static int fail_claim(enum um_status status, uint32_t pid, uint32_t owner)
{
    char why[UM_OPTIONS_ERROR_BYTES];
    char line[UM_OPTIONS_ERROR_BYTES + 64];

    snprintf(why, sizeof why, "%s", um_status_text(status));
    if (status == UM_ERR_BUSY)
        um_target_claimed(owner, why, sizeof why);
    snprintf(line, sizeof line, "process %lu cannot be watched: %s", (unsigned long)pid, why);
    um_output_note(line);
    return UM_EXIT_FAILED;
}

/* Watches a process to the end and reports. */
static int watch_process(const struct um_options *options, struct um_target_process *process,
                         const struct um_target_info *attach_to)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_platform_claim *claim = NULL;
    struct um_watch *watch = NULL;
    struct um_watch_outputs outputs;
    struct um_feed_output list[UM_FEED_OUTPUT_MAX];
    struct um_summary summary;
    uint32_t owner = 0;
    bool measured;

    enum um_status status = um_platform_claim(um_target_pid(process), &owner, &claim);
    if (status != UM_OK)
        return fail_claim(status, um_target_pid(process), owner);
    status = um_watch_outputs_open(options, &outputs, error, sizeof error);
    if (status != UM_OK) {
        um_watch_outputs_close(&outputs, &stuck);
        um_platform_release(claim);
        return um_output_fail(error, UM_EXIT_FAILED);
    }
    size_t count = um_watch_outputs_list(&outputs, list);
    status = um_watch_open(options, process, attach_to, list, count, &watch);
    if (status != UM_OK) {
        fprintf(stderr, "uimon: watching cannot begin: %s\n", um_status_text(status));
        um_watch_outputs_close(&outputs, &stuck);
        um_platform_release(claim);
        return UM_EXIT_FAILED;
    }
    stand_by(options, watch, &outputs);
    status = um_watch_finish(watch, &summary, &measured, error, sizeof error);
    if (measured)
        await_saved(options, &outputs, &summary);
    int code = measured ? report(options, &summary) : UM_EXIT_FAILED;
    if (status != UM_OK)
        code = um_output_fail(error, um_output_exit_code(status));
    else if (!measured)
        fprintf(stderr, "uimon: watching ended before anything was measured\n");
    um_watch_close(watch);
    if (!um_watch_outputs_close(&outputs, &stuck) && code == UM_EXIT_DONE)
        code = UM_EXIT_FAILED;
    um_platform_release(claim);
    return code;
}

/* Finds the target. With --wait it looks again and again, for as long as that says. */
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

/* Takes another UI thread of the same process as the target, if --thread names one. */
static enum um_status find_thread(const struct um_options *options, struct um_target_info *target,
                                  char *error, size_t cap)
{
    struct um_target_info other;
    if (!options->thread_id)
        return UM_OK;
    if (um_target_look(target->pid, options->thread_id, &other) != UM_OK) {
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
    enum um_status status = find_target(options, &spec, &target, error, sizeof error);
    if (status == UM_OK)
        status = find_thread(options, &target, error, sizeof error);
    if (status != UM_OK)
        return um_output_fail(error, um_output_exit_code(status));
    status = um_target_open(target.pid, &process);
    if (status != UM_OK) {
        fprintf(stderr, "uimon: %s (pid %lu) cannot be opened: %s\n",
                um_utf8_show(target.name, 60).text, (unsigned long)target.pid,
                um_status_text(status));
        return um_output_exit_code(status);
    }
    int code = watch_process(options, process, &target);
    um_target_close(process);
    return code;
}

/* Starts a program and watches it; with `end_it` the program is ended with the watching. */
static int launch(const struct um_options *options, char *const *argv, int argc, bool end_it)
{
    struct um_target_process *process = NULL;
    enum um_status status = um_target_launch(argv, argc, &process);
    if (status != UM_OK) {
        fprintf(stderr, "uimon: --launch %s: it cannot be started: %s\n", argv[0],
                status == UM_ERR_NOT_FOUND ? "there is no such program; give its whole path"
                                           : um_status_text(status));
        return um_output_exit_code(status);
    }
    int code = watch_process(options, process, NULL);
    if (end_it && um_target_running(process))
        um_target_kill(process);
    um_target_close(process);
    return code;
}

/* The bundled target with the overlay on top. With --seconds it freezes by itself. */
static int run_demo(struct um_options *options)
{
    static char play[] = "--play", seconds_list[] = "150,spin:80,300,sent:150,jank:8x30,1000,50";
    static char repeat[] = "--repeat", forever[] = "0", log[] = "--log", animate[] = "--animate";
    char program[UM_PLATFORM_PATH_BYTES];
    char *argv[10] = {program, animate};
    int argc = 2;

    if (um_platform_beside("uimon-demo.exe", program, sizeof program) != UM_OK)
        return um_output_fail(
            "uimon: uimon-demo.exe is missing: unpack the whole package into one folder",
            UM_EXIT_FAILED);
    if (options->demo_play || options->demo_seconds > 0) {
        argv[argc++] = play;
        argv[argc++] = options->demo_play ? (char *)(uintptr_t)options->demo_play : seconds_list;
    }
    if (!options->demo_play && options->demo_seconds > 0) {
        argv[argc++] = repeat;
        argv[argc++] = forever;
    }
    if (options->demo_log) {
        argv[argc++] = log;
        argv[argc++] = (char *)(uintptr_t)options->demo_log;
    }
    argv[argc] = NULL;
    if (options->demo_seconds > 0)
        options->duration_s = options->demo_seconds;
    return launch(options, argv, argc, true);
}

static int run_list(void)
{
    struct um_target_info *list;
    size_t count;
    enum um_status status = um_target_list(&list, &count);
    if (status == UM_OK) {
        status = um_target_spec_print_list(stdout, list, count, um_platform_stdout_columns());
        free(list);
    }
    if (status != UM_OK)
        fprintf(stderr, "uimon: the list cannot be made: %s\n", um_status_text(status));
    return status == UM_OK ? UM_EXIT_DONE : UM_EXIT_FAILED;
}

/* Reads the configuration file. Its usual place may be empty; a file that --config names must be
 * there. */
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
    return status;
}

/* Whether a command goes on for as long as the user likes, and has results to write at its end. */
static bool lasts(enum um_options_command command)
{
    return command == UM_OPTIONS_WATCH || command == UM_OPTIONS_LAUNCH ||
           command == UM_OPTIONS_DEMO || command == UM_OPTIONS_BENCH ||
           command == UM_OPTIONS_BISECT || command == UM_OPTIONS_CALIBRATE;
}

static int run_command(struct um_options *options)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    if (read_config(options, error, sizeof error) != UM_OK ||
        um_options_finish(options, error, sizeof error) != UM_OK)
        return um_output_fail(error, UM_EXIT_USAGE);
    if (lasts(options->command))
        um_platform_watch_session_end();
    switch (options->command) {
    case UM_OPTIONS_WATCH:
        return run_watch(options);
    case UM_OPTIONS_LAUNCH:
        return launch(options, options->launch_argv, options->launch_argc, false);
    case UM_OPTIONS_DEMO:
        return run_demo(options);
    case UM_OPTIONS_REPLAY:
        return um_replay_command_run(options);
    case UM_OPTIONS_REPORT:
        return um_report_command_run(options);
    case UM_OPTIONS_EXPORT:
        return um_export_command_run(options);
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

/* Handles a start without arguments. After a double click the console would close with the text in
 * it, so it waits for a key. */
static int run_bare(void)
{
    um_options_usage(stdout);
    if (um_platform_owns_console()) {
        printf("\nuimon is a command-line program: open a terminal in this folder, or press a key "
               "to close this window.\n");
        fflush(stdout);
        um_platform_wait_key();
    }
    return UM_EXIT_USAGE;
}

int main(void)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_options options;
    char **argv;
    int argc;
    int code;

    if (um_platform_start(&argc, &argv) != UM_OK)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    if (um_options_parse(argc, argv, &options, error, sizeof error) != UM_OK)
        return um_output_fail(error, UM_EXIT_USAGE);
    switch (options.command) {
    case UM_OPTIONS_NONE:
        code = run_bare();
        break;
    case UM_OPTIONS_HELP:
        um_options_help(stdout);
        code = UM_EXIT_DONE;
        break;
    case UM_OPTIONS_VERSION:
        printf("uimon %s\n", UM_VERSION);
        code = UM_EXIT_DONE;
        break;
    default:
        code = run_command(&options);
        um_platform_unwatch_session_end();
    }
    um_options_deinit(&options);
    if (stuck) {
        fflush(stderr);
        um_platform_leave(code);
    }
    return code;
}
