/* The one table of options, which the parser, the configuration file and --help read. Its rows are
 * in options_list.h. Internal to monitor/options and the tool that writes docs/options/; others
 * start at options.h.
 */
#ifndef UM_MONITOR_OPTIONS_TABLE_H
#define UM_MONITOR_OPTIONS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/options/options.h"

enum um_options_table_id {
#define OPTION(type, field, id, ...) UM_OPT_##id,
#define PLAIN(id, ...) UM_OPT_##id,
#include "monitor/options/options_list.h"
    UM_OPT_COUNT
};

enum um_options_table_kind {
    UM_OPTIONS_TABLE_FLAG,      /* bool */
    UM_OPTIONS_TABLE_TEXT,      /* const char * */
    UM_OPTIONS_TABLE_OUTPUT,    /* const char *, a file to which no other output goes */
    UM_OPTIONS_TABLE_MODULES,   /* const char *, checked to be a list of modules */
    UM_OPTIONS_TABLE_HOTKEYS,   /* const char *, checked to be hotkeys with their names */
    UM_OPTIONS_TABLE_ROWS,      /* const char *, checked to be rows of the overlay */
    UM_OPTIONS_TABLE_MANY,      /* struct um_options_list: a text each time it is given */
    UM_OPTIONS_TABLE_PROVIDERS, /* the same, each checked to be providers of .NET */
    UM_OPTIONS_TABLE_NUMBER,    /* double */
    UM_OPTIONS_TABLE_WHOLE,     /* uint32_t */
    UM_OPTIONS_TABLE_CHOICE,    /* an enum whose values are the places of the words in `value` */
    UM_OPTIONS_TABLE_WORD,      /* a choice that may stand alone, and then is its second word */
    UM_OPTIONS_TABLE_OPEN       /* bool wait and double wait_s: a flag with a number, if given */
};

struct um_options_table_row {
    const char *name;
    const char *value; /* its name in --help, or the choices as "auto|raw|mouse"; of a flag NULL */
    enum um_options_table_kind kind;
    bool in_file;
    bool may_be_empty;
    bool windows; /* only Windows has it, but with the value 0 or `harmless`: off */
    int harmless;
    unsigned commands; /* a bit (1 << um_options_command) for each command that it goes with */
    size_t offset;     /* of its field in um_options */
    double min, max, fallback;
    const char *unit;
    const char *zero;  /* a word that means 0, which is then allowed whatever min and max say */
    const char *group; /* a heading above this row in --help; NULL: none */
    const char *help;
};

extern const struct um_options_table_row um_options_table[UM_OPT_COUNT];

/* The row of an option, named without its dashes, or NULL. */
const struct um_options_table_row *um_options_table_find(const char *name, size_t len_bytes);

/* What took the place of an option that uimon had once, named without its dashes; NULL: there was
 * none of this name. */
const char *um_options_table_removed(const char *name, size_t len_bytes);

/* The options that uimon had once, without their dashes, and what took their places. The last row
 * has no name. */
struct um_options_table_removed {
    const char *name, *instead;
};
extern const struct um_options_table_removed um_options_table_gone[];

/* The place of a row in given_on_line and given_in_file. */
size_t um_options_table_place(const struct um_options_table_row *row);

/* The option that was probably meant, or NULL. With `in_file` only keys of the file are looked
 * at. */
const char *um_options_table_nearest(const char *word, bool in_file);

/* Whether a row goes with a command. */
static inline bool um_options_table_goes_with(const struct um_options_table_row *row,
                                              enum um_options_command command)
{
    return (row->commands & 1U << command) != 0;
}

/* Whether an option may have a value or none. */
static inline bool um_options_table_is_open(const struct um_options_table_row *row)
{
    return row->kind == UM_OPTIONS_TABLE_OPEN || row->kind == UM_OPTIONS_TABLE_WORD;
}

/* The range and the default: " (1 to 60000 ms; default 100)"; or nothing. */
void um_options_table_limits(const struct um_options_table_row *row, char *buf, size_t cap_bytes);

#endif
