/* uimon: the command line. What each command does is here; how it measures begins in watch.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "ipc/clock.h"
#include "monitor/config.h"
#include "monitor/csv_writer.h"
#include "monitor/options.h"
#include "monitor/platform.h"
#include "monitor/statusline.h"
#include "monitor/summary.h"
#include "monitor/target.h"
#include "monitor/utf8.h"
#include "monitor/watch.h"

enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_NO_TARGET = 3,
    EXIT_DENIED = 4
};

#define WAIT_POLL_MS 100
#define CONSOLE_POLL_MS 100
#define CSV_END_NS (2 * UM_CLOCK_NS_PER_S) /* for the rows that are not written at the end */

/* Set when the CSV's stream takes nothing any more: exit() would wait for it for ever. */
static bool stuck;

static int fail(const char *line, enum exit_code code)
{
    fprintf(stderr, "%s\n", line);
    return code;
}

static enum exit_code code_of(enum um_status status)
{
    switch (status) {
    case UM_OK:
        return EXIT_DONE;
    case UM_ERR_NOT_FOUND:
        return EXIT_NO_TARGET;
    case UM_ERR_AMBIGUOUS:
        return EXIT_USAGE;
    case UM_ERR_DENIED:
        return EXIT_DENIED;
    default:
        return EXIT_FAILED;
    }
}

static FILE *open_output(const char *path, const char *mode)
{
    return strcmp(path, "-") == 0 ? stdout : fopen(path, mode);
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* Whether the file can be written, without touching what is in it, or leaving one that was not
 * there: an hour of measuring is not to be lost to a mistyped folder. */
static bool can_write(const char *path, const char *option, char *error, size_t cap)
{
    if (!path || is_stdout(path))
        return true;
    FILE *there = fopen(path, "rb");
    if (there)
        fclose(there);
    FILE *file = fopen(path, "ab");
    if (!file) {
        snprintf(error, cap,
                 "uimon: %s %s: the file cannot be written; does its folder exist, and may you "
                 "write there?",
                 option, path);
        return false;
    }
    /* Nothing is written; the end's position is the file's length. */
    /* cppcheck-suppress seekOnAppendedFile */
    bool made = !there && fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0;
    fclose(file);
    if (made)
        remove(path);
    return true;
}

/* Checks the files that results go to, and opens the CSV. None is touched before all of them are
 * known to be writable; the JSON is written at the end, if there is something to write. */
static bool open_outputs(const struct um_options *options, FILE **csv, struct um_csv_writer **rows,
                         char *error, size_t cap)
{
    *csv = NULL;
    *rows = NULL;
    if (!can_write(options->json, "--json", error, cap) ||
        !can_write(options->csv, "--csv", error, cap))
        return false;
    if (!options->csv)
        return true;
    *csv = open_output(options->csv, "wb");
    if (*csv && um_csv_writer_open(*csv, rows) == UM_OK)
        return true;
    snprintf(error, cap, "uimon: --csv %s: the file cannot be written: is the disk full?",
             options->csv);
    if (*csv && *csv != stdout)
        fclose(*csv);
    return false;
}

/* Ends the CSV; false, with a line on stderr, if it is not whole. */
static bool close_csv(const struct um_options *options, FILE *csv, struct um_csv_writer *rows)
{
    const char *why = is_stdout(options->csv) ? "its reader has left" : "is the disk full?";
    enum um_status status = um_csv_writer_close(rows, CSV_END_NS);
    if (status == UM_ERR_TIMEOUT) {
        stuck = true; /* its thread goes on writing until the process ends */
        why = "nobody takes its rows; read them, or name a file";
    } else if (csv && csv != stdout && fclose(csv) != 0) {
        status = UM_ERR_IO;
    }
    if (status != UM_OK)
        fprintf(stderr, "uimon: --csv %s: the CSV could not be written to its end: %s\n",
                options->csv, why);
    return status == UM_OK;
}

/* Writes the JSON; the file is whole or the error says so. */
static bool write_json(const char *path, const struct um_summary *summary)
{
    char *text = NULL;
    if (um_summary_json(summary, &text) != UM_OK)
        return false;
    FILE *file = open_output(path, "wb");
    bool whole = file && fprintf(file, "%s\n", text) > 0 && fflush(file) == 0;
    if (file && file != stdout && fclose(file) != 0)
        whole = false;
    cJSON_free(text);
    return whole;
}

/* Keeps the status line up to date and prints notes, until the session ends or the user ends it. */
static void stand_by(const struct um_options *options, struct um_watch *watch)
{
    char note[UM_WATCH_NOTE_BYTES];
    char line[UM_STATUSLINE_BYTES];
    struct um_wire_status status;
    uint8_t flags;
    double elapsed_s;
    size_t shown = 0;

    for (bool over = false; !over;) {
        over = um_watch_over(watch) || um_platform_interrupted();
        size_t columns = options->headless && !options->quiet ? um_platform_stderr_columns() : 0;
        while (um_watch_note(watch, note, sizeof note)) {
            if (options->quiet)
                continue;
            if (shown)
                fprintf(stderr, "\r%*s\r", (int)shown, "");
            shown = 0;
            fprintf(stderr, "uimon: %s\n", note);
        }
        if (columns && um_watch_status(watch, &status, &flags, &elapsed_s) &&
            um_statusline_format(&status, flags, elapsed_s, columns, line, sizeof line) == UM_OK) {
            size_t width = um_utf8_columns(line);
            fprintf(stderr, "\r%s%*s", line, shown > width ? (int)(shown - width) : 0, "");
            shown = width;
        }
        fflush(stderr);
        if (!over)
            um_platform_wait_interrupt(CONSOLE_POLL_MS);
    }
    if (shown)
        fprintf(stderr, "\r%*s\r", (int)shown, "");
    fflush(stderr); /* before the summary, which goes another way */
    um_watch_stop(watch);
}

static int report(const struct um_options *options, struct um_summary *summary)
{
    int code = EXIT_DONE;
    summary->cost.monitor.ns = um_platform_cpu_ns();
    summary->cost.monitor.measured = summary->cost.monitor.ns > 0; /* it comes in whole ticks */
    if (options->json && !write_json(options->json, summary)) {
        fprintf(stderr, "uimon: --json %s: the file could not be written to its end\n",
                options->json);
        code = EXIT_FAILED;
    }
    if (!options->quiet) {
        /* Standard output belongs to the results when they go there. */
        FILE *out = is_stdout(options->json) || is_stdout(options->csv) ? stderr : stdout;
        um_summary_write_text(out, summary);
        fflush(out);
    }
    return code;
}

/* Says why the process could not be claimed. */
static int fail_claim(enum um_status status, uint32_t pid, uint32_t owner)
{
    if (status != UM_ERR_BUSY)
        fprintf(stderr, "uimon: process %lu cannot be reserved for this uimon: %s\n",
                (unsigned long)pid, um_status_text(status));
    else if (owner == 0)
        fprintf(stderr,
                "uimon: process %lu is being watched already, by another uimon, elevated or of "
                "another user: end that one first\n",
                (unsigned long)pid);
    else
        fprintf(stderr,
                "uimon: process %lu is being watched already, by the uimon with pid %lu: end that "
                "one first\n",
                (unsigned long)pid, (unsigned long)owner);
    return EXIT_FAILED;
}

/* Watches a process to the end and reports. */
static int watch_process(const struct um_options *options, struct um_target_process *process,
                         const struct um_target_info *attach_to)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_platform_claim *claim = NULL;
    struct um_watch *watch = NULL;
    struct um_csv_writer *rows;
    FILE *csv;
    struct um_summary summary;
    uint32_t owner = 0;
    bool measured;
    int code;

    enum um_status status = um_platform_claim(um_target_pid(process), &owner, &claim);
    if (status != UM_OK)
        return fail_claim(status, um_target_pid(process), owner);
    if (!open_outputs(options, &csv, &rows, error, sizeof error)) {
        um_platform_release(claim);
        return fail(error, EXIT_FAILED);
    }
    status = um_watch_open(options, process, attach_to, rows, &watch);
    if (status != UM_OK) {
        fprintf(stderr, "uimon: watching cannot begin: %s\n", um_status_text(status));
        close_csv(options, csv, rows);
        um_platform_release(claim);
        return EXIT_FAILED;
    }
    stand_by(options, watch);
    status = um_watch_finish(watch, &summary, &measured, error, sizeof error);
    code = measured ? report(options, &summary) : EXIT_FAILED;
    if (status != UM_OK)
        code = fail(error, code_of(status));
    else if (!measured)
        fprintf(stderr, "uimon: it ended before anything was measured\n");
    um_watch_close(watch);
    if (!close_csv(options, csv, rows) && code == EXIT_DONE)
        code = EXIT_FAILED;
    um_platform_release(claim);
    return code;
}

/* Finds the target; with --wait, for as long as that says. */
static enum um_status find_target(const struct um_options *options,
                                  const struct um_target_spec *spec, struct um_target_info *found,
                                  char *error, size_t cap)
{
    uint64_t begun_ns = um_clock_now_ns();
    for (;;) {
        struct um_target_info *list;
        size_t count;
        size_t index;
        enum um_status status = um_target_list(&list, &count);
        if (status != UM_OK) {
            snprintf(error, cap, "uimon: the running programs cannot be listed: %s",
                     um_status_text(status));
            return status;
        }
        status = um_target_spec_match(spec, list, count, options->newest, &index, error, cap);
        if (status == UM_OK)
            *found = list[index];
        free(list);
        double waited_s = (double)(um_clock_now_ns() - begun_ns) / 1e9;
        bool more = options->wait && (options->wait_s < 0 || waited_s < options->wait_s);
        if (status != UM_ERR_NOT_FOUND || !more || um_platform_interrupted())
            return status;
        um_platform_wait_interrupt(WAIT_POLL_MS);
    }
}

/* --thread: another UI thread of the same process. */
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
        return fail(error, EXIT_USAGE);
    enum um_status status = find_target(options, &spec, &target, error, sizeof error);
    if (status == UM_OK)
        status = find_thread(options, &target, error, sizeof error);
    if (status != UM_OK)
        return fail(error, code_of(status));
    status = um_target_open(target.pid, &process);
    if (status != UM_OK) {
        fprintf(stderr, "uimon: %s (pid %lu) cannot be opened: %s\n", target.name,
                (unsigned long)target.pid, um_status_text(status));
        return code_of(status);
    }
    int code = watch_process(options, process, &target);
    um_target_close(process);
    return code;
}

/* Starts a program and watches it; with `end_it` it does not outlive the watching. */
static int launch(const struct um_options *options, char *const *argv, int argc, bool end_it)
{
    struct um_target_process *process = NULL;
    enum um_status status = um_target_launch(argv, argc, &process);
    if (status != UM_OK) {
        fprintf(stderr, "uimon: --launch %s: it cannot be started: %s\n", argv[0],
                status == UM_ERR_NOT_FOUND ? "there is no such program; give its whole path"
                                           : um_status_text(status));
        return code_of(status);
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
        return fail("uimon: the demo cannot be found: unpack the whole package into one folder",
                    EXIT_FAILED);
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
    return status == UM_OK ? EXIT_DONE : EXIT_FAILED;
}

/* Reads the configuration file, if there is one; who names one expects it to be there. */
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

static int run_command(struct um_options *options)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    if (read_config(options, error, sizeof error) != UM_OK ||
        um_options_finish(options, error, sizeof error) != UM_OK)
        return fail(error, EXIT_USAGE);
    switch (options->command) {
    case UM_OPTIONS_WATCH:
        return run_watch(options);
    case UM_OPTIONS_LAUNCH:
        return launch(options, options->launch_argv, options->launch_argc, false);
    case UM_OPTIONS_DEMO:
        return run_demo(options);
    default:
        return run_list();
    }
}

/* Started by a double click there is no command line, and the window would vanish with the text. */
static int run_bare(void)
{
    um_options_usage(stdout);
    if (um_platform_owns_console()) {
        printf("\nuimon is a command-line program: open a terminal in this folder, or press a key "
               "to close this window.\n");
        fflush(stdout);
        um_platform_wait_key();
    }
    return EXIT_USAGE;
}

int main(void)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_options options;
    char **argv;
    int argc;
    int code;

    if (um_platform_start(&argc, &argv) != UM_OK)
        return fail("uimon: out of memory", EXIT_FAILED);
    if (um_options_parse(argc, argv, &options, error, sizeof error) != UM_OK)
        return fail(error, EXIT_USAGE);
    switch (options.command) {
    case UM_OPTIONS_NONE:
        code = run_bare();
        break;
    case UM_OPTIONS_HELP:
        um_options_help(stdout);
        code = EXIT_DONE;
        break;
    case UM_OPTIONS_VERSION:
        printf("uimon %s\n", UM_VERSION);
        code = EXIT_DONE;
        break;
    default:
        code = run_command(&options);
    }
    um_options_deinit(&options);
    if (stuck) {
        fflush(stderr);
        um_platform_leave(code);
    }
    return code;
}
