#include "monitor/options/options.h"

#include <string.h>

#include "monitor/base/config.h"
#include "monitor/base/hotkey.h"
#include "monitor/base/nearest.h"
#include "monitor/base/utf8.h"
#include "monitor/options/options_table.h"
#include "monitor/options/options_value.h"

#define ROW(name) (&um_options_table[UM_OPT_##name])
#define SHOWN_COLUMNS 60

/* The command line, read from left to right. */
struct line {
    int argc;
    char **argv;
    int at;    /* the next argument */
    bool over; /* --help, --version or --launch was read: the rest is not looked at */
};

/* The commands, and how many files each one takes as words without dashes. */
static const struct command {
    const char *name;
    enum um_options_command command;
    int files;
    int fewest;        /* files; `files` is the most */
    const char *usage; /* for error lines, if it takes files */
} commands[] = {
    {"watch", UM_OPTIONS_WATCH, 0, 0, NULL},
    {"demo", UM_OPTIONS_DEMO, 0, 0, NULL},
    {"list", UM_OPTIONS_LIST, 0, 0, NULL},
    {"replay", UM_OPTIONS_REPLAY, 1, 1, "uimon replay FILE"},
    {"report", UM_OPTIONS_REPORT, 1, 1, "uimon report FILE"},
    {"export", UM_OPTIONS_EXPORT, 1, 1, "uimon export FILE"},
    {"bench", UM_OPTIONS_BENCH, 1, 1, "uimon bench SCENARIO"},
    {"bisect", UM_OPTIONS_BISECT, 1, 1, "uimon bisect SCENARIO"},
    {"compare", UM_OPTIONS_COMPARE, 2, 1,
     "uimon compare BEFORE AFTER, or uimon compare FILE of both sides"},
    {"calibrate", UM_OPTIONS_CALIBRATE, 0, 0, NULL},
    {"doctor", UM_OPTIONS_DOCTOR, 0, 0, NULL},
    {"history", UM_OPTIONS_HISTORY, 0, 0, NULL},
    {"history add", UM_OPTIONS_HISTORY_ADD, 2, 2, "uimon history add HISTORY RESULTS"},
    {"history show", UM_OPTIONS_HISTORY_SHOW, 1, 1, "uimon history show HISTORY"},
    {"listen", UM_OPTIONS_LISTEN, 1, 1, "uimon listen TARGET, or uimon listen --all"},
    {"query", UM_OPTIONS_QUERY, 2, 2, "uimon query TARGET NAME"},
    {"help", UM_OPTIONS_HELP, 0, 0, NULL},
    {"version", UM_OPTIONS_VERSION, 0, 0, NULL},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

/* The row of a command; NULL for none, and for --launch, which is an option. */
static const struct command *find_command(enum um_options_command command)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].command == command)
            return &commands[i];
    return NULL;
}

static enum um_status unknown_word(const char *word, const struct um_options_value_place *place)
{
    const char *words[COMMANDS + 3] = {"--attach", "--launch"};

    for (size_t i = 0; i < COMMANDS; i++)
        words[i + 2] = commands[i].name;
    const char *meant = um_nearest_find(word, words);
    if (meant) {
        snprintf(place->error, place->error_cap, "uimon: unknown command '%s'; did you mean '%s'?",
                 um_utf8_show(word, SHOWN_COLUMNS).text, meant);
    } else {
        snprintf(place->error, place->error_cap,
                 "uimon: unknown command '%s'; to watch a program of that name, write --attach %s",
                 um_utf8_show(word, SHOWN_COLUMNS).text, um_utf8_show(word, SHOWN_COLUMNS).text);
    }
    return UM_ERR_ARG;
}

/* Reads the word after `history`; NULL for none. */
static enum um_status read_history(struct um_options *options, const char *word,
                                   const struct um_options_value_place *place)
{
    if (word && strcmp(word, "add") == 0)
        options->command = UM_OPTIONS_HISTORY_ADD;
    else if (word && strcmp(word, "show") == 0)
        options->command = UM_OPTIONS_HISTORY_SHOW;
    else {
        snprintf(place->error, place->error_cap,
                 "uimon: history: it is missing what to do; the command is: %s, or %s",
                 find_command(UM_OPTIONS_HISTORY_ADD)->usage,
                 find_command(UM_OPTIONS_HISTORY_SHOW)->usage);
        return UM_ERR_ARG;
    }
    return UM_OK;
}

/* Reads a word without dashes: the command itself, or one of its files. */
static enum um_status read_word(struct um_options *options, struct line *line, const char *word,
                                const struct um_options_value_place *place)
{
    const struct command *given = find_command(options->command);

    if (given && given->files > 0) {
        if (options->file_count == given->files || *word == '\0') {
            snprintf(place->error, place->error_cap,
                     "uimon: '%s': one argument too many; the command is: %s",
                     um_utf8_show(word, SHOWN_COLUMNS).text, given->usage);
            return UM_ERR_ARG;
        }
        options->files[options->file_count++] = word;
        return UM_OK;
    }
    if (options->command == UM_OPTIONS_HISTORY)
        return read_history(options, word, place);
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, word) == 0) {
            enum um_options_command command = commands[i].command;
            line->over = command == UM_OPTIONS_HELP || command == UM_OPTIONS_VERSION;
            if (options->command != UM_OPTIONS_NONE && !line->over) {
                snprintf(place->error, place->error_cap,
                         "uimon: '%s': only one command can be given", word);
                return UM_ERR_ARG;
            }
            options->command = command;
            return UM_OK;
        }
    }
    return unknown_word(word, place);
}

static enum um_status unknown_option(const char *name, const struct um_options_value_place *place)
{
    const char *meant = um_options_table_nearest(name, false);

    if (meant) {
        snprintf(place->error, place->error_cap, "uimon: unknown option '%s'; did you mean '--%s'?",
                 um_utf8_show(name, SHOWN_COLUMNS).text, meant);
    } else {
        snprintf(place->error, place->error_cap,
                 "uimon: unknown option '%s'; 'uimon --help' lists them",
                 um_utf8_show(name, SHOWN_COLUMNS).text);
    }
    return UM_ERR_ARG;
}

/* Finds the value of an option: after its '=', or in the next argument. --wait may stand alone, so
 * it takes the next argument only if that is a number. */
static enum um_status take_value(const struct um_options_table_row *row, struct line *line,
                                 char *equals, const struct um_options_value_place *place,
                                 const char **value)
{
    const char *next = line->at < line->argc ? line->argv[line->at] : "--";
    bool needs = row->kind != UM_OPTIONS_TABLE_FLAG && row->kind != UM_OPTIONS_TABLE_OPEN;
    bool takes = needs ? strncmp(next, "--", 2) != 0
                       : row->kind == UM_OPTIONS_TABLE_OPEN && um_options_value_is_number(next);

    if (equals) {
        *value = equals + 1;
    } else if (takes) {
        *value = line->argv[line->at++];
    } else if (needs) {
        char name[64];
        um_options_table_value_name(row, name, sizeof name);
        snprintf(place->error, place->error_cap, "uimon: --%s: a value is missing; write --%s %s",
                 row->name, row->name, name);
        return UM_ERR_ARG;
    }
    return UM_OK;
}

/* Gives the rest of the line to the program that is to be launched. With --launch=PROGRAM the
 * argument is made to begin after its '='. */
static enum um_status take_program(struct um_options *options, struct line *line, char *equals,
                                   const struct um_options_value_place *place)
{
    int first = equals ? line->at - 1 : line->at;

    if (equals)
        line->argv[first] = equals + 1;
    if (first >= line->argc || line->argv[first][0] == '\0') {
        snprintf(place->error, place->error_cap,
                 "uimon: --launch: a value is missing; write --launch PROGRAM [ARG...]");
        return UM_ERR_ARG;
    }
    options->launch_argv = line->argv + first;
    options->launch_argc = line->argc - first;
    line->over = true;
    return UM_OK;
}

static enum um_status read_option(struct um_options *options, struct line *line, char *argument,
                                  const struct um_options_value_place *place)
{
    char *name = argument + 2;
    char *equals = strchr(name, '=');
    const struct um_options_table_row *row =
        um_options_table_find(name, equals ? (size_t)(equals - name) : strlen(name));
    const char *value = NULL;

    if (!row) {
        char bare[64];
        snprintf(bare, sizeof bare, "%.*s", (int)strcspn(argument, "="), argument);
        return unknown_option(bare, place);
    }
    if (row == ROW(HELP) || row == ROW(VERSION)) {
        options->command = row == ROW(HELP) ? UM_OPTIONS_HELP : UM_OPTIONS_VERSION;
        line->over = true;
        return UM_OK;
    }
    if (row == ROW(ATTACH) && options->given_on_line[UM_OPT_ATTACH]) {
        snprintf(place->error, place->error_cap,
                 "uimon: --attach is given twice; start one uimon for each target");
        return UM_ERR_ARG;
    }
    options->given_on_line[um_options_table_place(row)] = true;
    if (row == ROW(LAUNCH))
        return take_program(options, line, equals, place);
    enum um_status status = take_value(row, line, equals, place, &value);
    return status == UM_OK ? um_options_value_set(options, row, value, place) : status;
}

static enum um_status read_argument(struct um_options *options, struct line *line,
                                    const struct um_options_value_place *place)
{
    char *argument = line->argv[line->at++];

    if (strcmp(argument, "-h") == 0 || strcmp(argument, "-?") == 0 || strcmp(argument, "/?") == 0) {
        options->command = UM_OPTIONS_HELP;
        line->over = true;
        return UM_OK;
    }
    if (strncmp(argument, "--", 2) == 0)
        return read_option(options, line, argument, place);
    if (argument[0] == '-')
        return unknown_option(argument, place);
    return read_word(options, line, argument, place);
}

/* Finds out which command it is, and checks that every option belongs to it. */
static enum um_status settle_command(struct um_options *options,
                                     const struct um_options_value_place *place)
{
    bool attach = options->given_on_line[UM_OPT_ATTACH];
    bool launch = options->given_on_line[UM_OPT_LAUNCH];

    if (options->command == UM_OPTIONS_HELP || options->command == UM_OPTIONS_VERSION)
        return UM_OK;
    if (options->command == UM_OPTIONS_NONE || options->command == UM_OPTIONS_WATCH) {
        options->command = launch ? UM_OPTIONS_LAUNCH : UM_OPTIONS_WATCH;
        if (!attach && !launch) {
            snprintf(place->error, place->error_cap,
                     "uimon: nothing to watch; say --attach TARGET or --launch PROGRAM "
                     "('uimon list' shows what can be watched)");
            return UM_ERR_ARG;
        }
    }
    if (options->command == UM_OPTIONS_HISTORY)
        return read_history(options, NULL, place);
    const struct command *command = find_command(options->command);
    bool all = options->command == UM_OPTIONS_LISTEN && options->all;
    if (all && options->file_count > 0) {
        snprintf(place->error, place->error_cap,
                 "uimon: --all and '%s': --all listens to every program; give only one of them",
                 um_utf8_show(options->files[0], SHOWN_COLUMNS).text);
        return UM_ERR_ARG;
    }
    if (command && options->file_count < command->fewest && !all) {
        bool listens =
            options->command == UM_OPTIONS_LISTEN || options->command == UM_OPTIONS_QUERY;
        snprintf(place->error, place->error_cap, "uimon: %s: %s is missing; the command is: %s",
                 command->name, listens ? "a word" : "a file", command->usage);
        return UM_ERR_ARG;
    }
    const char *name = options->command == UM_OPTIONS_WATCH ? "--attach"
                       : command                            ? command->name
                                                            : "--launch";
    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        if (options->given_on_line[i] &&
            (um_options_table[i].commands & 1U << options->command) == 0) {
            snprintf(place->error, place->error_cap,
                     "uimon: --%s does not go with %s; 'uimon --help' says what it is for",
                     um_options_table[i].name, name);
            return UM_ERR_ARG;
        }
    }
    return UM_OK;
}

static bool has_suffix(const char *path, const char *suffix)
{
    size_t len = strlen(path), suffix_len = strlen(suffix);
    return len > suffix_len && strcmp(path + len - suffix_len, suffix) == 0;
}

/* Checks that no two outputs go to the same file: they are written at the same time. */
static enum um_status check_outputs(const struct um_options *options,
                                    const struct um_options_value_place *place)
{
    const char *const names[] = {"json",  "csv",       "record", "html", "github-benchmark",
                                 "jsonl", "prometheus"};
    const char *const paths[] = {options->json,
                                 options->csv,
                                 options->record,
                                 options->html,
                                 options->github_benchmark,
                                 options->jsonl,
                                 options->prometheus};

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        for (size_t j = i + 1; paths[i] && j < sizeof paths / sizeof paths[0]; j++) {
            if (!paths[j] || strcmp(paths[i], paths[j]) != 0)
                continue;
            char shown[UM_OPTIONS_ERROR_BYTES / 4];
            snprintf(shown, sizeof shown, "%s", um_utf8_show_path(paths[i]).text);
            snprintf(place->error, place->error_cap,
                     "uimon: --%s %s and --%s %s: both cannot go to the same place; give each a "
                     "file of its own",
                     names[i], shown, names[j], shown);
            return UM_ERR_ARG;
        }
    }
    if (options->prometheus && !has_suffix(options->prometheus, ".prom")) {
        snprintf(place->error, place->error_cap,
                 "uimon: --prometheus %s: textfile collectors read only files that end in .prom; "
                 "name it so",
                 um_utf8_show_path(options->prometheus).text);
        return UM_ERR_ARG;
    }
    if (options->record && strcmp(options->record, "-") == 0) {
        snprintf(place->error, place->error_cap,
                 "uimon: --record -: a recording cannot go to standard output; name a file");
        return UM_ERR_ARG;
    }
    return UM_OK;
}

struct um_options_hotkey um_options_hotkey(const struct um_options *options,
                                           enum um_options_hotkeys which)
{
    const struct um_options_hotkey all[UM_OPTIONS_HOTKEYS] = {
        [UM_OPTIONS_HOTKEY_HIDE] = {options->hotkey, "hotkey", "hide the overlay"},
        [UM_OPTIONS_HOTKEY_MARK] = {options->mark_hotkey, "mark-hotkey", "set marks"},
        [UM_OPTIONS_HOTKEY_PANEL] = {options->panel_hotkey, "panel-hotkey", "change its panel"},
        [UM_OPTIONS_HOTKEY_TRACE] = {options->trace_hotkey, "trace-hotkey", "trace messages"},
    };
    static const char *const defaults[UM_OPTIONS_HOTKEYS] = {
        [UM_OPTIONS_HOTKEY_HIDE] = UM_HOTKEY_HIDE,
        [UM_OPTIONS_HOTKEY_MARK] = UM_HOTKEY_MARK,
        [UM_OPTIONS_HOTKEY_PANEL] = UM_HOTKEY_PANEL,
        [UM_OPTIONS_HOTKEY_TRACE] = UM_HOTKEY_TRACE,
    };
    struct um_options_hotkey hotkey = all[which];
    if (!hotkey.keys)
        hotkey.keys = defaults[which];
    return hotkey;
}

void um_options_hotkey_refused(const struct um_options *options, const struct um_hotkey *keys,
                               const bool *taken, enum um_options_hotkeys which, char *line,
                               size_t cap_bytes)
{
    struct um_options_hotkey hotkey = um_options_hotkey(options, which);
    size_t same = um_hotkey_same(keys, taken, which);

    if (same == (size_t)which)
        snprintf(line, cap_bytes,
                 "another program has %s, so these keys cannot %s: choose others with --%s",
                 hotkey.keys, hotkey.does, hotkey.option);
    else
        snprintf(line, cap_bytes,
                 "%s stands for two things: these keys %s, and cannot %s: choose others with --%s",
                 hotkey.keys, um_options_hotkey(options, (enum um_options_hotkeys)same).does,
                 hotkey.does, hotkey.option);
}

bool um_options_two_sides(const struct um_options *options)
{
    return options->before.count > 0 || options->after.count > 0 || options->prove_percent > 0;
}

/* Checks the options that go with both sides of a sitting only, or with limits only. */
static enum um_status check_sides(const struct um_options *options,
                                  const struct um_options_value_place *place)
{
    static const enum um_options_table_id of_two[] = {UM_OPT_UNTIL, UM_OPT_FAIL_OVER,
                                                      UM_OPT_MARKDOWN, UM_OPT_BISECT};
    bool before = options->before.count > 0, after = options->after.count > 0;
    bool proves = options->prove_percent > 0;

    if (before != after) {
        snprintf(place->error, place->error_cap,
                 "uimon: --%s without --%s: a comparison has two sides; give both",
                 before ? "before" : "after", before ? "after" : "before");
        return UM_ERR_ARG;
    }
    if (proves && before) {
        snprintf(place->error, place->error_cap,
                 "uimon: --prove compares a program with itself; give it without --before and "
                 "--after");
        return UM_ERR_ARG;
    }
    if (proves && options->rehearsals == 0) {
        snprintf(place->error, place->error_cap,
                 "uimon: --prove with --rehearsals 0: how long a key takes is found in the "
                 "rehearsals; give at least one");
        return UM_ERR_ARG;
    }
    for (size_t i = 0; i < sizeof of_two / sizeof of_two[0] && !um_options_two_sides(options);
         i++) {
        const struct um_options_table_row *row = &um_options_table[of_two[i]];
        if (options->command != UM_OPTIONS_BENCH ||
            !options->given_on_line[um_options_table_place(row)])
            continue;
        snprintf(place->error, place->error_cap,
                 "uimon: --%s is for a comparison; give bench two sides, with --before and --after",
                 row->name);
        return UM_ERR_ARG;
    }
    if (options->resume && (!options->json || strcmp(options->json, "-") == 0)) {
        snprintf(place->error, place->error_cap,
                 "uimon: --resume: say with --json FILE where the whole results go");
        return UM_ERR_ARG;
    }
    if (options->bisect && options->limits.count == 0) {
        snprintf(place->error, place->error_cap,
                 "uimon: --bisect says whether a limit is kept; give one, with --fail-over");
        return UM_ERR_ARG;
    }
    return UM_OK;
}

static enum um_status check_contradictions(const struct um_options *options,
                                           const struct um_options_value_place *place)
{
    if (options->quiet && options->verbose) {
        snprintf(place->error, place->error_cap,
                 "uimon: --quiet and --verbose contradict each other; give only one of them");
        return UM_ERR_ARG;
    }
    if (options->events && options->counters) {
        snprintf(place->error, place->error_cap,
                 "uimon: --events and --counters contradict each other; give only one of them");
        return UM_ERR_ARG;
    }
    enum um_status status = check_sides(options, place);
    return status == UM_OK ? check_outputs(options, place) : status;
}

enum um_status um_options_parse(int argc, char **argv, struct um_options *out, char *error,
                                size_t error_cap)
{
    struct um_options_value_place place = {.error = error, .error_cap = error_cap};
    struct line line = {.argc = argc, .argv = argv, .at = 1};
    struct um_options options;
    enum um_status status = UM_OK;

    um_options_value_defaults(&options);
    while (status == UM_OK && line.at < argc && !line.over)
        status = read_argument(&options, &line, &place);
    if (status == UM_OK && argc > 1)
        status = settle_command(&options, &place);
    if (status == UM_OK)
        status = check_contradictions(&options, &place);
    if (status == UM_OK) {
        options.config_given = options.given_on_line[UM_OPT_CONFIG];
        *out = options;
    }
    return status;
}

/* Takes one setting of the file. Where the command line has set it too, it is only checked. */
static enum um_status apply_entry(void *context, const char *key, const char *value, char *error,
                                  size_t error_cap)
{
    struct um_options *options = context;
    struct um_options unused = {0};
    struct um_options_value_place place = {.in_file = true, .error = error, .error_cap = error_cap};
    const struct um_options_table_row *row = um_options_table_find(key, strlen(key));
    const char *meant = um_options_table_nearest(key, true);

    if (!row) {
        snprintf(error, error_cap, "unknown key '%s'%s%s%s", um_utf8_show(key, SHOWN_COLUMNS).text,
                 meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
        return UM_ERR_FORMAT;
    }
    if (!row->in_file) {
        snprintf(error, error_cap, "'%s' belongs on the command line, not in this file", key);
        return UM_ERR_FORMAT;
    }
    if (!value && row->kind != UM_OPTIONS_TABLE_FLAG) {
        snprintf(error, error_cap, "'%s' needs a value, as in %s=...", key, key);
        return UM_ERR_FORMAT;
    }
    bool overridden = options->given_on_line[um_options_table_place(row)];
    enum um_status status =
        um_options_value_set(overridden ? &unused : options, row, value, &place);
    um_options_deinit(&unused);
    if (status == UM_OK)
        options->given_in_file[um_options_table_place(row)] = true;
    return status == UM_ERR_ARG ? UM_ERR_FORMAT : status;
}

enum um_status um_options_apply_config(struct um_options *options, const char *text,
                                       size_t len_bytes, const char *file_name, char *error,
                                       size_t error_cap)
{
    return um_config_parse(text, len_bytes, file_name, apply_entry, options, error, error_cap);
}

/* Keeps the slow threshold at or below the freeze threshold. If nobody chose it, or only the file
 * did and the command line chose the other one, it gives way; otherwise it is an error. */
static enum um_status settle_slow(struct um_options *options, char *error, size_t error_cap)
{
    bool on_line = options->given_on_line[UM_OPT_SLOW];
    bool in_file = options->given_in_file[UM_OPT_SLOW];
    bool gives_way = !on_line && (!in_file || options->given_on_line[UM_OPT_THRESHOLD]);

    if (options->slow_ms <= options->threshold_ms)
        return UM_OK;
    if (gives_way) {
        options->slow_ms = options->threshold_ms / 2;
        return UM_OK;
    }
    snprintf(error, error_cap,
             "uimon: %s%.10g: must not be above the freeze threshold, which is %.10g ms",
             on_line ? "--slow " : "slow=", options->slow_ms, options->threshold_ms);
    return UM_ERR_ARG;
}

/* The same for the two thresholds of the thread pool. */
static enum um_status settle_threadpool(struct um_options *options, char *error, size_t error_cap)
{
    bool on_line = options->given_on_line[UM_OPT_THREADPOOL_RECOVERED];
    bool in_file = options->given_in_file[UM_OPT_THREADPOOL_RECOVERED];
    bool gives_way = !on_line && (!in_file || options->given_on_line[UM_OPT_THREADPOOL_STARVED]);

    if (options->threadpool_recovered_ms <= options->threadpool_starved_ms)
        return UM_OK;
    if (gives_way) {
        options->threadpool_recovered_ms = options->threadpool_starved_ms;
        return UM_OK;
    }
    snprintf(error, error_cap,
             "uimon: %s%.10g: must not be above the time from which the pool is starved, which is "
             "%.10g ms",
             on_line ? "--threadpool-recovered " : "threadpool-recovered=",
             options->threadpool_recovered_ms, options->threadpool_starved_ms);
    return UM_ERR_ARG;
}

/* A list of modules without any would have an answer, but to no question. */
static enum um_status check_modules(const struct um_options *options, char *error, size_t error_cap)
{
    const char *const lists[] = {options->mine, options->only, options->hide};
    static const enum um_options_table_id rows[] = {UM_OPT_MINE, UM_OPT_ONLY, UM_OPT_HIDE};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *list = lists[i];
        if (!list || !*list || list[strspn(list, " ,")] != '\0')
            continue;
        snprintf(error, error_cap, "uimon: %s%s%s%s: there is no module in this list",
                 options->given_on_line[rows[i]] ? "--" : "", um_options_table[rows[i]].name,
                 options->given_on_line[rows[i]] ? " " : "=",
                 um_utf8_show(list, SHOWN_COLUMNS).text);
        return UM_ERR_ARG;
    }
    return UM_OK;
}

/* What says how freezes are saved goes with saving them. */
static enum um_status check_dump(const struct um_options *options, char *error, size_t error_cap)
{
    static const enum um_options_table_id rows[] = {UM_OPT_DUMP_OVER, UM_OPT_KEEP, UM_OPT_DUMP_MOST,
                                                    UM_OPT_MINIDUMP};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !options->dump_dir; i++) {
        if (!options->given_on_line[rows[i]])
            continue;
        snprintf(error, error_cap, "uimon: --%s: say with --dump-dir where freezes are saved",
                 um_options_table[rows[i]].name);
        return UM_ERR_ARG;
    }
    return UM_OK;
}

#define DOTNET_INTERVAL_MIN_S 0.1

/* Watching takes an interval for the runtime's counters only, and shorter ones would cost the
 * target. */
static enum um_status settle_dotnet(struct um_options *options, char *error, size_t error_cap)
{
    bool watches = options->command == UM_OPTIONS_WATCH || options->command == UM_OPTIONS_LAUNCH ||
                   options->command == UM_OPTIONS_DEMO;

    options->dotnet = options->dotnet || options->providers.count > 0;
    if (!watches || !options->given_on_line[UM_OPT_INTERVAL])
        return UM_OK;
    if (options->dotnet && options->interval_s >= DOTNET_INTERVAL_MIN_S)
        return UM_OK;
    if (options->dotnet)
        snprintf(error, error_cap,
                 "uimon: --interval %.10g: with --dotnet it must be between %.10g and 60 s",
                 options->interval_s, DOTNET_INTERVAL_MIN_S);
    else
        snprintf(error, error_cap,
                 "uimon: --interval is for listen and query, and for --dotnet; give that, too");
    return UM_ERR_ARG;
}

enum um_status um_options_finish(struct um_options *options, char *error, size_t error_cap)
{
    bool plays = options->given_on_line[UM_OPT_PLAY];

    if (plays && !options->given_on_line[UM_OPT_IDLE_PAUSE])
        options->idle_pause_s = 0; /* nobody need be there, and the list has an end */
    if (options->command == UM_OPTIONS_BISECT && !(options->until_percent > 0))
        options->until_percent = UM_OPTIONS_BISECT_PERCENT;
    if (options->until_percent > 0 && !options->given_on_line[UM_OPT_RUNS])
        options->runs = UM_OPTIONS_UNTIL_RUNS;
    if (options->command == UM_OPTIONS_BENCH || options->command == UM_OPTIONS_BISECT ||
        options->command == UM_OPTIONS_CALIBRATE) {
        options->idle_pause_s = 0;
        options->background = UM_BACKGROUND_FULL;
        options->interactions = true;
    }
    if ((options->command == UM_OPTIONS_DEMO && !options->given_on_line[UM_OPT_INTERACTIONS] &&
         !options->given_in_file[UM_OPT_INTERACTIONS]) ||
        options->keep_keys)
        options->interactions = true;
    enum um_status status = settle_slow(options, error, error_cap);
    if (status == UM_OK)
        status = check_dump(options, error, error_cap);
    if (status == UM_OK)
        status = check_modules(options, error, error_cap);
    if (status == UM_OK)
        status = settle_threadpool(options, error, error_cap);
    return status == UM_OK ? settle_dotnet(options, error, error_cap) : status;
}

void um_options_deinit(struct um_options *options)
{
    um_options_value_release(options);
}

void um_options_usage(FILE *out)
{
    fputs("usage: uimon --attach TARGET [options]       watch a running program\n"
          "       uimon [options] --launch PROGRAM ...  start a program and watch it\n"
          "       uimon demo                            try it on a program that freezes\n"
          "       uimon list                            list what can be watched\n"
          "       uimon report FILE                     sum up a recording\n"
          "       uimon export FILE                     give its stacks to other tools\n"
          "       uimon replay FILE                     play a recording in the overlay\n"
          "       uimon bench SCENARIO                  measure a scripted scenario\n"
          "       uimon bisect SCENARIO                 find the setting that costs\n"
          "       uimon compare BEFORE AFTER            say what became faster or slower\n"
          "       uimon history add HISTORY RESULTS     append results, one line a commit\n"
          "       uimon history show HISTORY            say since when what is slower\n"
          "       uimon listen TARGET                   show a running uimon's counters\n"
          "       uimon query TARGET NAME               print one of them\n"
          "       uimon calibrate                       measure what uimon itself adds\n"
          "       uimon doctor [--attach TARGET]        say what works on this machine\n"
          "       uimon --help                          all commands and options\n",
          out);
}
