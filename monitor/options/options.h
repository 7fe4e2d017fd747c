/* The command line and the configuration file, as one struct.
 *
 * One table in options_table.c drives the parser, the keys of the configuration file and --help, so
 * they cannot disagree; options_table.h says how to add an option. A program calls, in this order:
 * um_options_parse, um_options_apply_config (if there is a file), um_options_finish, and in the end
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
#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/base/hotkey.h"

/* How large a buffer for the error lines of this header, config.h and target_spec.h should be. */
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
    UM_OPTIONS_HELP,
    UM_OPTIONS_VERSION
};

/* How many times an option such as --define may be given. */
#define UM_OPTIONS_MANY 64
#define UM_OPTIONS_FILES 2
#define UM_OPTIONS_ROWS 96 /* of the table, at most */

#define UM_OPTIONS_UNTIL_RUNS 60
#define UM_OPTIONS_BISECT_PERCENT 5

enum um_options_format {
    UM_OPTIONS_FORMAT_SPEEDSCOPE = 0,
    UM_OPTIONS_FORMAT_FOLDED = 1,
    UM_OPTIONS_FORMAT_FIREFOX = 2,
    UM_OPTIONS_FORMAT_PERFETTO = 3
};

enum um_options_sample {
    UM_OPTIONS_SAMPLE_ON = 0, /* while the UI thread is away */
    UM_OPTIONS_SAMPLE_OFF = 1,
    UM_OPTIONS_SAMPLE_ALWAYS = 2
};

enum um_options_sample_threads {
    UM_OPTIONS_SAMPLE_THREADS_UI = 0, /* and those that it waits for */
    UM_OPTIONS_SAMPLE_THREADS_ALL = 1
};

enum um_options_trace { UM_OPTIONS_TRACE_OFF = 0, UM_OPTIONS_TRACE_MESSAGES = 1 };

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

struct um_options {
    enum um_options_command command;
    int launch_argc;
    char **launch_argv; /* launch: points into argv; [0] is the program, a NULL follows the last */
    const char *target; /* watch, doctor: as written, for target_spec.h; NULL: none */
    const char
        *files[UM_OPTIONS_FILES]; /* of replay, report, export, bench, compare, history, listen and
                                   * query: the words after the command, as written */
    int file_count;
    uint32_t thread_id; /* 0: the thread that owns the main window */
    double wait_s;      /* negative: for ever */
    bool wait;
    bool newest;

    bool headless;
    bool interactions; /* keys, clicks and wheel steps are measured too */
    bool keep_keys;    /* record which key it was; implies `interactions` */
    bool dotnet;       /* the counters that a .NET program has of itself; `providers` imply it */
    enum um_probe probe;
    enum um_rung rung;
    enum um_background background;
    double duration_s; /* 0: until the target exits or Ctrl+C. Of listen: since the first feed */
    double threshold_ms;
    double slow_ms; /* never above threshold_ms after um_options_finish */
    double heartbeat_ms;
    double rest_heartbeat_ms; /* up to heartbeat_ms: as heartbeat_ms */
    double idle_pause_s;      /* 0: never */
    enum um_options_sample sample;
    enum um_options_trace trace; /* at first */
    enum um_options_sample_threads sample_threads;
    enum um_options_threadpool threadpool;
    const char *symbol_path; /* NULL: _NT_SYMBOL_PATH */
    const char *mine;        /* the modules that are the user's own; NULL: nobody asks */
    double sample_after_ms;  /* 0: slow_ms */
    double sample_every_ms;
    struct um_options_list providers; /* as written, for monitor/base/provider_spec.h */
    double threadpool_starved_ms;
    double threadpool_recovered_ms; /* never above threadpool_starved_ms after um_options_finish */

    /* Of a session for proving, in which the DLL delays each key by so much (hooks/delay.h); 0: an
     * ordinary session. No option sets it, so that nobody does by mistake. */
    uint32_t key_delay_us;

    const char *json; /* here and below NULL: none; "-": standard output, for one of them only */
    const char *csv;
    const char *record;
    const char *prometheus;
    const char *dump_dir; /* where long freezes are saved; NULL: they are not */
    double keep_s;        /* so much before them, too */
    double dump_over_ms;
    uint32_t dump_most; /* of a session */
    bool minidump;
    const char *html;
    const char *github_benchmark; /* history show */
    const char *label;            /* history add; NULL: when the results were measured */

    enum um_options_format format; /* export */
    uint32_t freeze;               /* export: its number in `freeze_list`, from 1; 0: all */
    const char *output;            /* export; NULL and "-": standard output */
    const char *only;              /* export, report, compare: modules (module_list.h); NULL: all */
    const char *hide;              /* the same, that are not shown; NULL: none */
    const char *source_path;       /* report: folders with semicolons between; NULL: none */
    const char *editor_link;       /* report: with {file} and {line}; NULL: none */

    uint32_t runs; /* bench */
    uint32_t rehearsals;
    struct um_options_list defines; /* NAME=VALUE, as written */
    struct um_options_list before;  /* the same, for one side of a sitting of two; over `defines` */
    struct um_options_list after;
    double until_percent;            /* 0: a fixed number of runs */
    struct um_options_list suspects; /* bisect: NAME=VALUE, as written */
    const char *measure;             /* bisect: that decides; NULL: the first one */
    double prove_percent;            /* the keys of one side are delayed so much; 0: no */
    const char *resume;              /* bench: results that were broken off; NULL: none */
    struct um_options_list limits;   /* compare and bench: as written */
    bool bisect;                     /* exit codes for git bisect run */
    bool dry_run;
    bool markdown;
    bool all;     /* listen: to every monitor, and there is no TARGET */
    bool events;  /* listen: these alone */
    double speed; /* replay */

    const char *jsonl;    /* listen; as `json` */
    const char *counters; /* listen: names with commas between them, as written; NULL: all */
    double interval_s;    /* listen, query, and of `dotnet` */

    const char *caption; /* NULL: none */
    enum um_overlay_look look;
    enum um_overlay_position position;
    enum um_wire_panel panel;
    uint32_t height;    /* the overlay's, in pixels at 100 %; 0: that of the look */
    double opacity;     /* of the strip's background */
    double scale;       /* 0: that of the target's display */
    const char *show;   /* rows, checked (ipc/overlay_rows.h); NULL: none */
    const char *hotkey; /* as the three below: NULL for the default; see um_options_hotkey */
    const char *panel_hotkey;
    const char *mark_hotkey;
    const char *trace_hotkey;

    const char *config; /* NULL: the default file, if it exists; "": none at all */
    bool config_given;  /* --config was given, so it is an error if there is no such file */
    bool quiet;
    bool verbose;

    double demo_seconds;   /* 0: until its window is closed */
    const char *demo_play; /* "20,35,80": checked to be lengths in ms; NULL: none */
    const char *demo_log;

    /* Private: which rows of the table were given where, and copies of texts from the file. */
    bool given_on_line[UM_OPTIONS_ROWS];
    bool given_in_file[UM_OPTIONS_ROWS];
    struct um_options_text *texts;
};

enum um_options_hotkeys {
    UM_OPTIONS_HOTKEY_HIDE,
    UM_OPTIONS_HOTKEY_MARK,
    UM_OPTIONS_HOTKEY_PANEL,
    UM_OPTIONS_HOTKEY_TRACE,
    UM_OPTIONS_HOTKEYS
};

struct um_options_hotkey {
    const char *keys;   /* as um_hotkey_parse reads them; may be "none" */
    const char *option; /* that chooses others: "mark-hotkey" */
    const char *does;   /* "set marks" */
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
 * `file_name` begins the error lines. Owner: `text` may be freed afterwards.
 * Errors: UM_ERR_FORMAT; UM_ERR_MEMORY. `options` may be half changed then; release it. */
enum um_status um_options_apply_config(struct um_options *options, const char *text,
                                       size_t len_bytes, const char *file_name, char *error,
                                       size_t error_cap);

/* The keys that do this, and all that a line about them says. Owner: `keys` as a text of `options`;
 * the others are static. */
struct um_options_hotkey um_options_hotkey(const struct um_options *options,
                                           enum um_options_hotkeys which);

/* The line to say about keys that cannot be had: another program has them, or they were chosen for
 * something before. Units: `keys` and `taken` have UM_OPTIONS_HOTKEYS; a key that is not wanted is
 * zeroed. */
void um_options_hotkey_refused(const struct um_options *options, const struct um_hotkey *keys,
                               const bool *taken, enum um_options_hotkeys which, char *line,
                               size_t cap_bytes);

/* Whether a benchmark has two sides, which are run in turn. */
bool um_options_two_sides(const struct um_options *options);

/* Settles what depends on several options, after the last of them was read:
 * - a slow threshold above the freeze threshold becomes half of it, if the slow one was not given,
 *   or if the file gave it and the command line gave the freeze threshold;
 * - --duration, and the demo's --seconds and --play, switch the idle pause off, unless --idle-pause
 *   is on the command line too; bench and calibrate always switch it off;
 * - bench and calibrate measure behind other windows as in front;
 * - bench, calibrate and --keep-keys measure interactions; the demo does unless told not to;
 * - a threadpool-recovered above threadpool-starved becomes the same, if it was not given, or if
 *   the file gave it and the command line gave the other one;
 * - --provider means --dotnet, too;
 * - --until raises the number of runs, if it was not given, to UM_OPTIONS_UNTIL_RUNS.
 * Errors: UM_ERR_ARG the slow threshold is above the freeze threshold, or threadpool-recovered
 * above threadpool-starved; an --interval for watching without --dotnet, or too short for it; one
 * side of a benchmark without the other; options that go with two sides or with limits alone;
 * --keep and what else goes with --dump-dir without that. */
enum um_status um_options_finish(struct um_options *options, char *error, size_t error_cap);

/* Frees the texts of a configuration file. Accepts a zeroed struct. */
void um_options_deinit(struct um_options *options);

/* Writes the options that a configuration file may set, one key=value a line, as they are set now.
 * A buffer that is too small gets only the lines that fit. */
void um_options_describe(const struct um_options *options, char *text, size_t cap_bytes);

/* Prints the whole --help, in 80 columns. */
void um_options_help(FILE *out);

/* Prints the few lines that `uimon` without arguments shows. */
void um_options_usage(FILE *out);

#endif
