/* The table of commands, with what --help says of each, and the rules that only one command has for
 * its options. Internal to monitor/options and the tool that writes docs/options/; others start at
 * options.h. To add a command, add its id to options.h and its row to options_commands.c, and call
 * it in main.c.
 */
#ifndef UM_MONITOR_OPTIONS_COMMANDS_H
#define UM_MONITOR_OPTIONS_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/options/options_value.h"

/* Checks and settles the options of one command. */
typedef enum um_status um_options_commands_rule(struct um_options *options,
                                                const struct um_options_value_place *place);

struct um_options_commands_row {
    const char *name; /* as it is written; of LAUNCH its option */
    enum um_options_command command;
    int fewest, most;               /* words behind it, as in um_options.files */
    const char *usage;              /* without "uimon " */
    const char *also;               /* another way to write it; NULL: none */
    const char *about;              /* "measure a scripted scenario" */
    um_options_commands_rule *line; /* rules for the command line alone; NULL: none */
    um_options_commands_rule *last; /* rules for the line and the file together; NULL: none */
    const char *examples[4];
};

#define UM_OPTIONS_COMMANDS 19

/* In the order of --help. */
extern const struct um_options_commands_row um_options_commands[UM_OPTIONS_COMMANDS];

/* The row of a command, or of its name; NULL for none. */
const struct um_options_commands_row *um_options_commands_row(enum um_options_command command);
const struct um_options_commands_row *um_options_commands_find(const char *name);

/* The command that was probably meant, or NULL. */
const char *um_options_commands_nearest(const char *word);

/* What exit codes mean, from 0 on, with a bit for each command that may end so. */
#define UM_OPTIONS_COMMANDS_EXIT_CODES 7
struct um_options_commands_exit_code {
    const char *text;
    unsigned commands;
};
extern const struct um_options_commands_exit_code
    um_options_commands_exit_codes[UM_OPTIONS_COMMANDS_EXIT_CODES];

um_options_commands_rule um_options_watch_line, um_options_watch_last;
um_options_commands_rule um_options_watch_trace_line, um_options_report_line;
um_options_commands_rule um_options_bench_line, um_options_bench_last;

#endif
