#include "monitor/options/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/utf8.h"
#include "monitor/options/options_commands.h"
#include "monitor/options/options_table.h"
#include "monitor/options/options_value.h"

#define ROW(name) (&um_options_table[UM_OPT_##name])
#define SHOWN_COLUMNS 60
#define REFUSE UM_OPTIONS_VALUE_REFUSE

/* The command line, read from left to right. */
struct line {
    int argc;
    char **argv;
    int at;    /* the next argument */
    bool over; /* --help, --version or --launch was read: the rest is not looked at */
};

static enum um_status unknown_word(const char *word, const struct um_options_value_place *place)
{
    struct um_utf8_shown shown = um_utf8_show(word, SHOWN_COLUMNS);
    const char *meant = um_options_commands_nearest(word);

    if (meant)
        return REFUSE(place, "unknown command '%s'; did you mean '%s'?", shown.text, meant);
    return REFUSE(place, "unknown command '%s'; to watch a program of that name, write --attach %s",
                  shown.text, shown.text);
}

/* Reads the word after `history`; NULL for none. */
static enum um_status read_history(struct um_options *options, const char *word,
                                   const struct um_options_value_place *place)
{
    if (word && strcmp(word, "add") == 0)
        options->command = UM_OPTIONS_HISTORY_ADD;
    else if (word && strcmp(word, "show") == 0)
        options->command = UM_OPTIONS_HISTORY_SHOW;
    else
        return REFUSE(place,
                      "history: it is missing what to do; the command is: uimon %s, or uimon %s",
                      um_options_commands_row(UM_OPTIONS_HISTORY_ADD)->usage,
                      um_options_commands_row(UM_OPTIONS_HISTORY_SHOW)->usage);
    return UM_OK;
}

/* "the command is: uimon compare BEFORE AFTER, or uimon compare FILE of both sides" */
static enum um_status refuse_words(const struct um_options_commands_row *row, const char *what,
                                   const struct um_options_value_place *place)
{
    return REFUSE(place, "%s; the command is: uimon %s%s%s", what, row->usage,
                  row->also ? ", or uimon " : "", row->also ? row->also : "");
}

static enum um_options_command command_of(const char *word)
{
    const struct um_options_commands_row *row = um_options_commands_find(word);

    if (row)
        return row->command;
    return strcmp(word, "history") == 0   ? UM_OPTIONS_HISTORY
           : strcmp(word, "version") == 0 ? UM_OPTIONS_VERSION
                                          : UM_OPTIONS_NONE;
}

/* Ends the line with --help or --version. Help is about the command before or behind it. */
static void end_line(struct um_options *options, struct line *line, enum um_options_command which)
{
    options->topic = options->command;
    if (!options->topic && line->at < line->argc)
        options->topic = command_of(line->argv[line->at]);
    options->command = which;
    line->over = true;
}

/* Reads a word without dashes: the command itself, or one of its files. */
static enum um_status read_word(struct um_options *options, struct line *line, const char *word,
                                const struct um_options_value_place *place)
{
    const struct um_options_commands_row *row = um_options_commands_row(options->command);
    char what[256];

    if (row && row->most > 0) {
        if (*word == '\0')
            snprintf(what, sizeof what, "the name of a file is empty");
        else
            snprintf(what, sizeof what, "'%s': one argument too many",
                     um_utf8_show(word, SHOWN_COLUMNS).text);
        if (options->file_count == row->most || *word == '\0')
            return refuse_words(row, what, place);
        options->files[options->file_count++] = word;
        return UM_OK;
    }
    if (options->command == UM_OPTIONS_HISTORY)
        return read_history(options, word, place);
    enum um_options_command command = command_of(word);
    if (!command)
        return unknown_word(word, place);
    if (command == UM_OPTIONS_HELP || command == UM_OPTIONS_VERSION)
        end_line(options, line, command);
    else if (options->command)
        return REFUSE(place, "'%s': only one command can be given", word);
    options->command = command;
    return UM_OK;
}

static enum um_status unknown_option(const char *name, size_t len_bytes,
                                     const struct um_options_value_place *place)
{
    char bare[64];
    size_t dashes = strspn(name, "-");
    snprintf(bare, sizeof bare, "%.*s", (int)len_bytes, name);
    struct um_utf8_shown shown = um_utf8_show(bare, SHOWN_COLUMNS);
    const char *meant = um_options_table_nearest(bare, false);
    const char *instead =
        dashes == 2 ? um_options_table_removed(name + dashes, len_bytes - dashes) : NULL;

    if (instead)
        return REFUSE(place, "%s is gone: %s", shown.text, instead);
    if (meant)
        return REFUSE(place, "unknown option '%s'; did you mean '--%s'?", shown.text, meant);
    return REFUSE(place, "unknown option '%s'; 'uimon --help' lists them", shown.text);
}

/* Whether an option that may stand alone takes the next argument. */
static bool takes_next(const struct um_options_table_row *row, const char *next)
{
    return row->kind == UM_OPTIONS_TABLE_OPEN   ? um_options_value_is_number(row, next)
           : row->kind == UM_OPTIONS_TABLE_WORD ? um_options_value_is_word(row, next)
                                                : false;
}

/* Finds the value of an option: after its '=', or in the next argument. */
static enum um_status take_value(const struct um_options_table_row *row, struct line *line,
                                 char *equals, const struct um_options_value_place *place,
                                 const char **value)
{
    const char *next = line->at < line->argc ? line->argv[line->at] : "--";
    bool needs = row->kind != UM_OPTIONS_TABLE_FLAG && !um_options_table_is_open(row);
    bool takes = needs ? strncmp(next, "--", 2) != 0 : takes_next(row, next);

    if (equals)
        *value = equals + 1;
    else if (takes)
        *value = line->argv[line->at++];
    else if (needs)
        return REFUSE(place, "--%s: a value is missing; write --%s %s", row->name, row->name,
                      row->value);
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
    if (first >= line->argc || line->argv[first][0] == '\0')
        return REFUSE(place, "--launch: a value is missing; write --launch %s", ROW(LAUNCH)->value);
    options->launch_argv = line->argv + first;
    options->launch_argc = line->argc - first;
    line->over = true;
    return UM_OK;
}

static enum um_status read_option(struct um_options *options, struct line *line, char *argument,
                                  const struct um_options_value_place *place)
{
    size_t len = strcspn(argument, "=");
    char *equals = argument[len] ? argument + len : NULL;
    const struct um_options_table_row *row = um_options_table_find(argument + 2, len - 2);
    const char *value = NULL;

    if (!row)
        return unknown_option(argument, len, place);
    if (row == ROW(HELP) || row == ROW(VERSION)) {
        end_line(options, line, row == ROW(HELP) ? UM_OPTIONS_HELP : UM_OPTIONS_VERSION);
        return UM_OK;
    }
    if (row == ROW(ATTACH) && options->given_on_line[UM_OPT_ATTACH])
        return REFUSE(place, "--attach is given twice; start one uimon for each target");
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
        end_line(options, line, UM_OPTIONS_HELP);
        return UM_OK;
    }
    if (strncmp(argument, "--", 2) == 0)
        return read_option(options, line, argument, place);
    if (argument[0] == '-')
        return unknown_option(argument, strlen(argument), place);
    return read_word(options, line, argument, place);
}

/* Finds out which command it is. */
static enum um_status settle_command(struct um_options *options,
                                     const struct um_options_value_place *place)
{
    bool launch = options->given_on_line[UM_OPT_LAUNCH];

    if (options->command == UM_OPTIONS_HISTORY)
        return read_history(options, NULL, place);
    if (options->command != UM_OPTIONS_NONE && options->command != UM_OPTIONS_WATCH)
        return UM_OK;
    options->command = launch ? UM_OPTIONS_LAUNCH : UM_OPTIONS_WATCH;
    if (!launch && !options->given_on_line[UM_OPT_ATTACH])
        return REFUSE(place, "nothing to watch; say --attach TARGET or --launch PROGRAM ('uimon "
                             "list' shows what can be watched)");
    return UM_OK;
}

/* Checks that the command has its files, and that every option belongs to it. */
static enum um_status check_command(const struct um_options *options,
                                    const struct um_options_commands_row *row,
                                    const struct um_options_value_place *place)
{
    char what[64];

    if (options->file_count < row->fewest) {
        snprintf(what, sizeof what, "%s: a %s is missing", row->name,
                 options->command == UM_OPTIONS_QUERY ? "word" : "file");
        return refuse_words(row, what, place);
    }
    for (size_t i = 0; i < UM_OPT_COUNT; i++)
        if (options->given_on_line[i] &&
            !um_options_table_goes_with(&um_options_table[i], options->command))
            return REFUSE(place, "--%s does not go with %s; 'uimon --help' says what it is for",
                          um_options_table[i].name,
                          options->command == UM_OPTIONS_WATCH ? "--attach" : row->name);
    return UM_OK;
}

/* The file that an option writes; NULL for none. */
static const char *output_of(const struct um_options *options, size_t row)
{
    return um_options_table[row].kind == UM_OPTIONS_TABLE_OUTPUT
               ? *(const char *const *)(const void *)((const char *)options +
                                                      um_options_table[row].offset)
               : NULL;
}

/* Checks that no two outputs go to the same file: they are written at the same time. */
static enum um_status check_outputs(const struct um_options *options,
                                    const struct um_options_value_place *place)
{
    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        const char *path = output_of(options, i);
        for (size_t j = i + 1; path && j < UM_OPT_COUNT; j++) {
            if (!output_of(options, j) || strcmp(path, output_of(options, j)) != 0)
                continue;
            char shown[UM_OPTIONS_ERROR_BYTES / 4];
            snprintf(shown, sizeof shown, "%s", um_utf8_show_path(path).text);
            return REFUSE(place,
                          "--%s %s and --%s %s: both cannot go to the same place; give each a file "
                          "of its own",
                          um_options_table[i].name, shown, um_options_table[j].name, shown);
        }
    }
    return UM_OK;
}

/* Checks and settles the line as a whole, once it was read. */
static enum um_status settle_line(struct um_options *options,
                                  const struct um_options_value_place *place)
{
    if (options->command == UM_OPTIONS_HELP || options->command == UM_OPTIONS_VERSION)
        return UM_OK;
    enum um_status status = settle_command(options, place);
    const struct um_options_commands_row *row = um_options_commands_row(options->command);
    if (status == UM_OK)
        status = check_command(options, row, place);
    if (status == UM_OK && options->quiet && options->verbose)
        return REFUSE(place, "--quiet and --verbose contradict each other; give only one of them");
    if (status == UM_OK && row->line)
        status = row->line(options, place);
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
        status = settle_line(&options, &place);
    if (status == UM_OK) {
        options.config_given = options.given_on_line[UM_OPT_CONFIG];
        *out = options;
    }
    return status;
}

static enum um_status unknown_key(const char *key, char *error, size_t error_cap)
{
    const char *instead = um_options_table_removed(key, strlen(key));
    const char *meant = um_options_table_nearest(key, true);

    if (instead)
        snprintf(error, error_cap, "'%s' is gone, and the line counts for nothing: %s", key,
                 instead);
    else
        snprintf(error, error_cap, "unknown key '%s'%s%s%s", um_utf8_show(key, SHOWN_COLUMNS).text,
                 meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    return instead ? UM_OK : UM_ERR_FORMAT;
}

/* Takes one setting of the file. Where the command line has set it too, it is only checked. */
static enum um_status apply_entry(void *context, const char *key, const char *value, char *error,
                                  size_t error_cap)
{
    struct um_options *options = context;
    struct um_options unused = {0};
    struct um_options_value_place place = {.in_file = true, .error = error, .error_cap = error_cap};
    const struct um_options_table_row *row = um_options_table_find(key, strlen(key));

    if (!row)
        return unknown_key(key, error, error_cap);
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

/* Keeps the slow threshold at or below the freeze threshold. It becomes half of that if it was not
 * given, or only in the file and the other one on the command line; otherwise it is an error. Of
 * flows it has no default. */
static enum um_status settle_slow(struct um_options *options,
                                  const struct um_options_value_place *place)
{
    bool on_line = options->given_on_line[UM_OPT_SLOW];
    bool in_file = options->given_in_file[UM_OPT_SLOW];

    if (options->command == UM_OPTIONS_FLOWS) {
        if (!on_line)
            options->slow_ms = 0;
        return UM_OK;
    }
    if (options->slow_ms <= options->threshold_ms)
        return UM_OK;
    if (on_line || (in_file && !options->given_on_line[UM_OPT_THRESHOLD]))
        return REFUSE(place, "%s%.10g: must not be above the freeze threshold, which is %.10g ms",
                      on_line ? "--slow " : "slow=", options->slow_ms, options->threshold_ms);
    options->slow_ms = options->threshold_ms / 2;
    return UM_OK;
}

enum um_status um_options_finish(struct um_options *options, char *error, size_t error_cap)
{
    struct um_options_value_place place = {.error = error, .error_cap = error_cap};
    const struct um_options_commands_row *row = um_options_commands_row(options->command);
    enum um_status status = settle_slow(options, &place);

    return status == UM_OK && row && row->last ? row->last(options, &place) : status;
}

/* Whether a command leaves nothing but what it prints. */
static bool only_prints(const struct um_options *options, bool has_file)
{
    switch (options->command) {
    case UM_OPTIONS_LIST:
    case UM_OPTIONS_QUERY:
    case UM_OPTIONS_TRACE_ENV:
    case UM_OPTIONS_HELP:
    case UM_OPTIONS_VERSION:
        return true;
    case UM_OPTIONS_EXPORT:
        return !options->output;
    case UM_OPTIONS_FLOWS:
    case UM_OPTIONS_LISTEN:
    case UM_OPTIONS_HISTORY_SHOW:
        return !has_file && !options->quiet;
    case UM_OPTIONS_COMPARE:
        return !has_file && !options->quiet && options->limits.count == 0;
    default:
        return false;
    }
}

static const char *command_name(const struct um_options *options)
{
    const struct um_options_commands_row *row = um_options_commands_row(options->command);
    return options->command == UM_OPTIONS_HELP      ? "--help"
           : options->command == UM_OPTIONS_VERSION ? "--version"
                                                    : row->name;
}

bool um_options_asks_stdout(const struct um_options *options, char *what, size_t cap_bytes)
{
    bool has_file = false;

    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        const char *path = i == UM_OPT_OUTPUT ? options->output : output_of(options, i);
        if (path && strcmp(path, "-") == 0) {
            snprintf(what, cap_bytes, "--%s -", um_options_table[i].name);
            return true;
        }
        has_file = has_file || path;
    }
    if (options->dry_run || (options->markdown && !options->quiet))
        snprintf(what, cap_bytes, "--%s", options->dry_run ? "dry-run" : "markdown");
    else if (only_prints(options, has_file))
        snprintf(what, cap_bytes, "%s", command_name(options));
    else
        return false;
    return true;
}

void um_options_deinit(struct um_options *options)
{
    while (options->texts) {
        struct um_options_text *text = options->texts;
        options->texts = text->next;
        free(text);
    }
}
