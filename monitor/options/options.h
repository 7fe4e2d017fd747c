/* The command line and the configuration file, as one struct.
 *
 * options_list.h has a row for each option, and to add an option is to add a row.
 * options_commands.c has one for each command. What watching and benchmarks ask of their options is
 * in options_watch.c and options_bench.c. A program calls, in this order: um_options_parse,
 * um_options_apply_config (if there is a file), um_options_finish, and in the end
 * um_options_deinit. The command line overrides the configuration file, which overrides the
 * defaults. All text is UTF-8. Not on the hot path.
 */
#ifndef UM_MONITOR_OPTIONS_H
#define UM_MONITOR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ipc/overlay.h"
#include "base/plain/status.h"
#include "ipc/wire.h"
#include "base/hotkey.h"

/* Size of a buffer for the error lines of this header, config.h and target_spec.h. */
#define UM_OPTIONS_ERROR_BYTES 1024

enum um_options_command {
    UM_OPTIONS_NONE = 0, /* no arguments at all: show the short usage, exit 2 */
    UM_OPTIONS_WATCH,    /* --attach TARGET */
    UM_OPTIONS_LAUNCH,   /* --launch PROGRAM [ARG...] */
    UM_OPTIONS_DEMO,
    UM_OPTIONS_LIST,
    UM_OPTIONS_REPLAY,  /* FILE */
    UM_OPTIONS_REPORT,  /* FILE */
    UM_OPTIONS_EXPORT,  /* FILE */
    UM_OPTIONS_FLOWS,   /* FILE */
    UM_OPTIONS_BENCH,   /* SCENARIO */
    UM_OPTIONS_BISECT,  /* SCENARIO */
    UM_OPTIONS_COMPARE, /* BEFORE AFTER, or one file of both sides */
    UM_OPTIONS_CALIBRATE,
    UM_OPTIONS_DOCTOR,       /* --attach TARGET may be given */
    UM_OPTIONS_HISTORY,      /* only until `add` or `show` is read */
    UM_OPTIONS_HISTORY_ADD,  /* HISTORY RESULTS */
    UM_OPTIONS_HISTORY_SHOW, /* HISTORY */
    UM_OPTIONS_LISTEN,       /* TARGET */
    UM_OPTIONS_QUERY,        /* TARGET NAME */
    UM_OPTIONS_TRACE_ENV,    /* PROGRAM */
    UM_OPTIONS_HELP,
    UM_OPTIONS_VERSION
};

/* How many times an option such as --define may be given. */
#define UM_OPTIONS_MANY 64
#define UM_OPTIONS_FILES 2
#define UM_OPTIONS_ROWS 96 /* of the table, at most */

#define UM_OPTIONS_UNTIL_RUNS 60
#define UM_OPTIONS_BISECT_PERCENT 5

enum um_options_sample {
    UM_OPTIONS_SAMPLE_ON = 0, /* while the UI thread is away */
    UM_OPTIONS_SAMPLE_OFF = 1,
    UM_OPTIONS_SAMPLE_ALWAYS = 2
};

enum um_options_sample_threads {
    UM_OPTIONS_SAMPLE_THREADS_UI = 0, /* and those that it waits for */
    UM_OPTIONS_SAMPLE_THREADS_ALL = 1
};

enum um_options_trace {
    UM_OPTIONS_TRACE_OFF = 0,
    UM_OPTIONS_TRACE_MESSAGES = 1,
    UM_OPTIONS_TRACE_EVENTS = 2,
    UM_OPTIONS_TRACE_METHODS = 3, /* managed ones: counts and times */
    UM_OPTIONS_TRACE_CALLS = 4    /* counts alone */
};

/* Whether it is about managed methods. */
static inline bool um_options_trace_is_managed(enum um_options_trace trace)
{
    return trace == UM_OPTIONS_TRACE_METHODS || trace == UM_OPTIONS_TRACE_CALLS;
}

/* When the target's thread pool is measured. */
enum um_options_threadpool {
    UM_OPTIONS_THREADPOOL_AUTO = 0, /* while another program listens to the feed, or the overlay
                                     * shows the pool */
    UM_OPTIONS_THREADPOOL_ON = 1,
    UM_OPTIONS_THREADPOOL_OFF = 2
};

struct um_options_list {
    const char *items[UM_OPTIONS_MANY];
    int count;
};

/* What keys can do, whichever program is in front: X(ID, name, default, what). To add one, add a
 * row here, and carry it out in watch.c. Shift+F12 and the like are taken by development
 * environments. */
#define UM_OPTIONS_HOTKEY_LIST(X)                                                                  \
    X(HIDE, "hide", "Ctrl+Alt+Shift+F9", "hide the overlay")                                       \
    X(MARK, "mark", "Ctrl+Alt+Shift+F10", "set marks")                                             \
    X(PANEL, "panel", "Ctrl+Alt+Shift+F11", "change its panel")                                    \
    X(TRACE, "trace", "Ctrl+Alt+Shift+F8", "trace messages")                                       \
    X(LAYOUT, "layout", "Ctrl+Alt+Shift+F7", "change what it shows of layout costs")               \
    X(LAYOUT_PIN, "layout-pin", "Ctrl+Alt+Shift+F6",                                               \
      "pin the part of the window under the cursor")                                               \
    X(POSITION, "position", "Ctrl+Alt+Shift+F5", "move the overlay to the other edge")
#define UM_OPTIONS_HOTKEY_ID(id, name, keys, does) UM_OPTIONS_HOTKEY_##id,
#define UM_OPTIONS_HOTKEY_NAME(id, name, keys, does) name ", "
#define UM_OPTIONS_HOTKEY_HELP(id, name, keys, does) name ", to " does " (" keys "); "

enum um_options_hotkeys { UM_OPTIONS_HOTKEY_LIST(UM_OPTIONS_HOTKEY_ID) UM_OPTIONS_HOTKEYS };

#define UM_OPTIONS_HOTKEY_BYTES 32

struct um_options_hotkey {
    char keys[UM_OPTIONS_HOTKEY_BYTES]; /* as um_hotkey_parse reads them; may be "none" */
    const char *name;                   /* by which --hotkeys chooses others: "mark" */
    const char *does;                   /* "set marks" */
    bool chosen;                        /* --hotkeys names it */
};

struct um_layout_rules;

/* The fields are in the order of the help. There is one struct, so padding costs nothing. */
struct um_options { /* NOLINT(clang-analyzer-optin.performance.Padding) */
    enum um_options_command command;
    enum um_options_command topic; /* of help: this command's; NONE: of all */
    int launch_argc;
    char **launch_argv; /* launch: points into argv; [0] is the program, a NULL follows the last */
    const char *files[UM_OPTIONS_FILES]; /* the words after the command, as written */
    int file_count;
    bool wait;
    bool config_given; /* --config was given, so it is an error if there is no such file */
    const struct um_layout_rules
        *layout_rules; /* of layout_components, set by main.c; NULL: none */

#define OPTION(type, field, ...) type field;
#define PLAIN(...)
#include "monitor/options/options_list.h"

    /* Private: which rows of the table were given where, and copies of texts from the file. */
    bool given_on_line[UM_OPTIONS_ROWS];
    bool given_in_file[UM_OPTIONS_ROWS];
    struct um_options_text *texts;
};

/* Reads a command line, starting from the defaults. `argv[0]` is ignored.
 * --help and --version win over everything to their right. A flag takes =on or =off; the last of
 * several options of one name counts, but a second --attach is an error.
 * Owner: `out` points into argv, which must outlive it (`--launch=PROGRAM` moves that one pointer
 * of argv past the '='); call um_options_deinit, which a failure makes unnecessary.
 * Errors: UM_ERR_ARG bad usage; `error` has the line to print, without a newline. */
enum um_status um_options_parse(int argc, char **argv, struct um_options *out, char *error,
                                size_t error_cap);

/* Reads a configuration file's text (format: config.h); the command line overrides it. The file may
 * say how to measure, which modules are the user's, and how the overlay looks. What is watched, for
 * how long, and where results go belongs on the command line, so that a forgotten file cannot
 * change what a script does.
 * If UM_OK, `error` is empty or has a warning: the file sets an option that is gone.
 * `file_name` begins the error lines. Owner: `text` may be freed afterwards.
 * Errors: UM_ERR_FORMAT; UM_ERR_MEMORY. `options` may be half changed then; release it. */
enum um_status um_options_apply_config(struct um_options *options, const char *text,
                                       size_t len_bytes, const char *file_name, char *error,
                                       size_t error_cap);

/* The keys that do this, by default or by --hotkeys, and the texts for a line about them. */
struct um_options_hotkey um_options_hotkeys_get(const struct um_options *options,
                                                enum um_options_hotkeys which);

/* The line to print about keys that cannot be had: another program has them, or an earlier row of
 * the list has them. Units: `keys` and `taken` have UM_OPTIONS_HOTKEYS; a key that is not wanted is
 * zeroed. */
void um_options_hotkeys_refused(const struct um_options *options, const struct um_hotkey *keys,
                                const bool *taken, enum um_options_hotkeys which, char *line,
                                size_t cap_bytes);

/* From beat to beat while the target rests: --rest-heartbeat, but never less than --heartbeat. It
 * is never longer than the freeze threshold either, because a freeze that lies between two beats
 * leaves no trace. Whether a beat is due is looked at once a heartbeat, so what is cut off at the
 * threshold is a whole number of those. */
static inline double um_options_rest_ms(const struct um_options *options)
{
    double period_ms = options->heartbeat_ms;
    double most_ms = (double)(uint64_t)(options->threshold_ms / period_ms) * period_ms;
    double rest_ms = options->rest_heartbeat_ms < most_ms ? options->rest_heartbeat_ms : most_ms;
    return rest_ms > period_ms ? rest_ms : period_ms;
}

/* Whether a benchmark has two sides, which are run in turn. */
static inline bool um_options_two_sides(const struct um_options *options)
{
    return options->before.count > 0 || options->after.count > 0;
}

/* Whether listen is to every monitor, and not to that of a TARGET. */
static inline bool um_options_listens_to_all(const struct um_options *options)
{
    return options->command == UM_OPTIONS_LISTEN && options->file_count == 0;
}

/* Settles what depends on both the command line and the file, after the last of them was read:
 * - a slow threshold above the freeze threshold becomes half of it, if the slow one was not given,
 *   or if the file gave it and the command line gave the freeze threshold;
 * - bench, bisect and calibrate do not pause when idle, and measure interactions, and behind other
 *   windows as in front;
 * - --keep-keys measures interactions; the demo does, too, unless --interactions is given.
 * Errors: UM_ERR_ARG the slow threshold is above the freeze threshold. */
enum um_status um_options_finish(struct um_options *options, char *error, size_t error_cap);

/* Whether the user has asked for something on standard output, so that the command is of no use
 * without one. `what` gets the option or the command: "--json -", "query". That is
 * - what an option sends there: a file named -, --markdown, --dry-run;
 * - the text of a command that leaves nothing else, neither a file nor a verdict in its exit code:
 *   list, query, trace-env, --help, --version; export, flows, listen and history show without a
 *   file; compare without a file and without --fail-over.
 * Of the others (watching, report, replay, bench, bisect, calibrate, doctor) the text only says
 * what was done: their files are whole without it, and so is their exit code. */
bool um_options_asks_stdout(const struct um_options *options, char *what, size_t cap_bytes);

/* On a system other than Windows: finds the options that need it, after um_options_finish. Those of
 * the file are set back, and `line` says which; "": there are none.
 * Errors: UM_ERR_UNSUPPORTED the command line asks for one; `line` says which. */
enum um_status um_options_windows_leave_out(struct um_options *options, char *line, size_t cap);

/* Frees the texts of a configuration file. Accepts a zeroed struct. */
void um_options_deinit(struct um_options *options);

/* Writes the options that a configuration file may set, one key=value a line, as they are set now.
 * A buffer that is too small gets only the lines that fit. */
void um_options_describe(const struct um_options *options, char *text, size_t cap_bytes);

/* Prints --help in 80 columns: what goes with one command, or with UM_OPTIONS_NONE all of it. */
void um_options_help(FILE *out, enum um_options_command topic);

/* Prints the few lines that `uimon` without arguments shows. */
void um_options_help_usage(FILE *out);

#endif
