/* The one table of options, which the parser, the configuration file and --help read. Internal to
 * options.c, options_value.c and options_help.c; others start at options.h. To add an option, add
 * its id here, its field to struct um_options, and its row to options_table.c.
 */
#ifndef UM_MONITOR_OPTIONS_TABLE_H
#define UM_MONITOR_OPTIONS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/options/options.h"

/* In the order of --help. */
enum um_options_table_id {
    UM_OPT_ATTACH,
    UM_OPT_LAUNCH,
    UM_OPT_NEWEST,
    UM_OPT_WAIT,
    UM_OPT_THREAD,
    UM_OPT_DURATION,
    UM_OPT_THRESHOLD,
    UM_OPT_SLOW,
    UM_OPT_HEARTBEAT,
    UM_OPT_REST_HEARTBEAT,
    UM_OPT_BACKGROUND,
    UM_OPT_PROBE,
    UM_OPT_BEAT,
    UM_OPT_IDLE_PAUSE,
    UM_OPT_INTERACTIONS,
    UM_OPT_KEEP_KEYS,
    UM_OPT_SAMPLE,
    UM_OPT_SAMPLE_THREADS,
    UM_OPT_SYMBOL_PATH,
    UM_OPT_MINE,
    UM_OPT_SAMPLE_AFTER,
    UM_OPT_SAMPLE_EVERY,
    UM_OPT_TRACE,
    UM_OPT_TRACE_HOTKEY,
    UM_OPT_THREADPOOL,
    UM_OPT_THREADPOOL_STARVED,
    UM_OPT_THREADPOOL_RECOVERED,
    UM_OPT_DOTNET,
    UM_OPT_PROVIDER,
    UM_OPT_JSON,
    UM_OPT_CSV,
    UM_OPT_RECORD,
    UM_OPT_PROMETHEUS,
    UM_OPT_MARK_HOTKEY,
    UM_OPT_DUMP_DIR,
    UM_OPT_DUMP_OVER,
    UM_OPT_KEEP,
    UM_OPT_DUMP_MOST,
    UM_OPT_MINIDUMP,
    UM_OPT_HTML,
    UM_OPT_FORMAT,
    UM_OPT_OUTPUT,
    UM_OPT_FREEZE,
    UM_OPT_ONLY,
    UM_OPT_HIDE,
    UM_OPT_SOURCE_PATH,
    UM_OPT_EDITOR_LINK,
    UM_OPT_RUNS,
    UM_OPT_REHEARSALS,
    UM_OPT_DEFINE,
    UM_OPT_BEFORE,
    UM_OPT_AFTER,
    UM_OPT_UNTIL,
    UM_OPT_PROVE,
    UM_OPT_RESUME,
    UM_OPT_SUSPECT,
    UM_OPT_MEASURE,
    UM_OPT_DRY_RUN,
    UM_OPT_FAIL_OVER,
    UM_OPT_MARKDOWN,
    UM_OPT_BISECT,
    UM_OPT_LABEL,
    UM_OPT_GITHUB_BENCHMARK,
    UM_OPT_SPEED,
    UM_OPT_ALL,
    UM_OPT_JSONL,
    UM_OPT_COUNTERS,
    UM_OPT_EVENTS,
    UM_OPT_INTERVAL,
    UM_OPT_HEADLESS,
    UM_OPT_CAPTION,
    UM_OPT_LOOK,
    UM_OPT_POSITION,
    UM_OPT_HEIGHT,
    UM_OPT_OPACITY,
    UM_OPT_SCALE,
    UM_OPT_SHOW,
    UM_OPT_PANEL,
    UM_OPT_PANEL_HOTKEY,
    UM_OPT_HOTKEY,
    UM_OPT_SECONDS,
    UM_OPT_PLAY,
    UM_OPT_LOG,
    UM_OPT_CONFIG,
    UM_OPT_QUIET,
    UM_OPT_VERBOSE,
    UM_OPT_HELP,
    UM_OPT_VERSION,
    UM_OPT_COUNT
};

enum um_options_table_kind {
    UM_OPTIONS_TABLE_FLAG,      /* bool */
    UM_OPTIONS_TABLE_TEXT,      /* const char * */
    UM_OPTIONS_TABLE_LIST,      /* const char *, checked to be lengths with commas between them */
    UM_OPTIONS_TABLE_HOTKEY,    /* const char *, checked to be a hotkey */
    UM_OPTIONS_TABLE_ROWS,      /* const char *, checked to be rows of the overlay */
    UM_OPTIONS_TABLE_MANY,      /* struct um_options_list: a text each time it is given */
    UM_OPTIONS_TABLE_PROVIDERS, /* the same, each checked to be providers of .NET */
    UM_OPTIONS_TABLE_NUMBER,    /* double */
    UM_OPTIONS_TABLE_UNIT,      /* the same, with the unit behind the number or not: 500ms */
    UM_OPTIONS_TABLE_WHOLE,     /* uint32_t */
    UM_OPTIONS_TABLE_CHOICE,    /* an enum whose values are the places in `choices` */
    UM_OPTIONS_TABLE_OPEN /* bool wait and double wait_s: a flag with a number, if one is given */
};

struct um_options_table_row {
    const char *name;
    const char *value; /* its name in --help; NULL for flags and choices */
    enum um_options_table_kind kind;
    bool in_file;
    bool may_be_empty;
    unsigned commands; /* a bit (1 << um_options_command) for each command that it goes with */
    size_t offset;     /* of its field in um_options */
    double min, max, fallback;
    const char *unit;
    const char *zero; /* a word that means 0, which is then allowed whatever min and max say */
    const char *const *choices;
    const char *group; /* a heading above this row in --help; NULL: none */
    const char *help;
};

extern const struct um_options_table_row um_options_table[UM_OPT_COUNT];

/* The row of an option, named without its dashes, or NULL. */
const struct um_options_table_row *um_options_table_find(const char *name, size_t len_bytes);

/* What --help calls a row's value: "MS", or the choices as "auto|raw|mouse"; empty for a flag. */
void um_options_table_value_name(const struct um_options_table_row *row, char *buf,
                                 size_t cap_bytes);

/* The place of a row in given_on_line and given_in_file. */
size_t um_options_table_place(const struct um_options_table_row *row);

/* The option that was probably meant, or NULL. With `in_file` only keys of the file are looked
 * at. */
const char *um_options_table_nearest(const char *word, bool in_file);

#endif
