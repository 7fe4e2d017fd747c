#include "monitor/options/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text_wrap.h"
#include "monitor/options/options_commands.h"
#include "monitor/options/options_table.h"

#define TEXT_COLUMN 26
#define USAGE_COLUMN 45

/* Whether help of `topic` has what goes with these commands. */
static bool concerns(enum um_options_command topic, unsigned commands)
{
    unsigned history = 1U << UM_OPTIONS_HISTORY_ADD | 1U << UM_OPTIONS_HISTORY_SHOW;
    unsigned asked = topic == UM_OPTIONS_HISTORY ? history : 1U << topic;
    return topic == UM_OPTIONS_NONE || (commands & asked) != 0;
}

/* "for export, report: ", where all options are listed and this one is not for watching. */
static void name_commands(const struct um_options_table_row *row, char *buf, size_t cap)
{
    size_t used = 0;

    buf[0] = '\0';
    if (um_options_table_goes_with(row, UM_OPTIONS_WATCH) ||
        um_options_table_goes_with(row, UM_OPTIONS_LAUNCH))
        return;
    for (size_t i = 0; i < UM_OPTIONS_COMMANDS && used < cap; i++)
        if (um_options_table_goes_with(row, um_options_commands[i].command))
            used += (size_t)snprintf(buf + used, cap - used, "%s%s", used ? ", " : "for ",
                                     um_options_commands[i].name);
    if (used < cap)
        snprintf(buf + used, cap - used, ": ");
}

static void print_row(FILE *out, const struct um_options_table_row *row,
                      enum um_options_command topic)
{
    char commands[80] = "";
    char limits[96];
    char text[800];
    bool open = um_options_table_is_open(row);

    if (!topic)
        name_commands(row, commands, sizeof commands);
    um_options_table_limits(row, limits, sizeof limits);
    snprintf(text, sizeof text, "%s%s%s", commands, row->help, limits);
    size_t at = (size_t)fprintf(out, "%s --%s%s%s%s", row->in_file ? " *" : "  ", row->name,
                                open         ? "[="
                                : row->value ? " "
                                             : "",
                                row->value ? row->value : "", open ? "]" : "");
    if (at + 2 > TEXT_COLUMN) {
        fputc('\n', out);
        at = 0;
    }
    fprintf(out, "%*s", (int)(TEXT_COLUMN - at), "");
    um_text_wrap(out, text, TEXT_COLUMN, TEXT_COLUMN);
}

static void print_rows(FILE *out, enum um_options_command topic)
{
    const char *group = NULL, *printed = NULL;

    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        group = um_options_table[i].group ? um_options_table[i].group : group;
        if (!concerns(topic, um_options_table[i].commands))
            continue;
        if (group != printed)
            fprintf(out, "\n%s:\n", group);
        printed = group;
        print_row(out, &um_options_table[i], topic);
    }
}

static void print_usage(FILE *out, enum um_options_command topic)
{
    const char *begin = "usage:";

    for (size_t i = 0; i < UM_OPTIONS_COMMANDS; i++) {
        const struct um_options_commands_row *row = &um_options_commands[i];
        if (!concerns(topic, 1U << row->command))
            continue;
        int at = fprintf(out, "%-6s uimon %s ", begin, row->usage);
        fprintf(out, "%*s%s\n", at < USAGE_COLUMN ? USAGE_COLUMN - at : 0, "", row->about);
        if (topic && row->also)
            fprintf(out, "       uimon %s\n", row->also);
        begin = "";
    }
}

static void print_exit_codes(FILE *out, enum um_options_command topic)
{
    fputs("\nExit codes:\n", out);
    for (int code = 0; code < UM_OPTIONS_COMMANDS_EXIT_CODES; code++)
        if (concerns(topic, um_options_commands_exit_codes[code].commands))
            fprintf(out, "  %d  %s\n", code, um_options_commands_exit_codes[code].text);
}

static void print_examples(FILE *out, enum um_options_command topic)
{
    const char *heading = "\nExamples:\n";

    for (size_t i = 0; i < UM_OPTIONS_COMMANDS; i++) {
        const struct um_options_commands_row *row = &um_options_commands[i];
        for (size_t j = 0; j < sizeof row->examples / sizeof row->examples[0]; j++) {
            if (!row->examples[j] || !concerns(topic, 1U << row->command))
                continue;
            fprintf(out, "%s  uimon %s\n", heading, row->examples[j]);
            heading = "";
        }
    }
}

void um_options_help_usage(FILE *out)
{
    print_usage(out, UM_OPTIONS_NONE);
    fputs("       uimon --help                          all commands and options\n", out);
}

void um_options_help(FILE *out, enum um_options_command topic)
{
    if (!um_options_commands_row(topic) && topic != UM_OPTIONS_HISTORY)
        topic = UM_OPTIONS_NONE;
    if (topic) {
        print_usage(out, topic);
    } else {
        fputs("uimon " UM_VERSION " measures how responsive another program's user interface is,\n"
              "and shows it in an overlay on top of that program's window.\n"
              "\n",
              out);
        um_options_help_usage(out);
    }
    if (!topic || concerns(topic, um_options_table[UM_OPT_NEWEST].commands) ||
        concerns(topic, um_options_table[UM_OPT_WAIT].commands))
        fputs("\n"
              "TARGET is a program's name with or without .exe, a process id, title:TEXT (part\n"
              "of a window's title), or class:NAME (a window's class).\n",
              out);
    print_rows(out, topic);
    fputs("\n"
          "--option=VALUE means the same as --option VALUE. A number may have its unit\n"
          "behind it: 500ms, 30s, 5%, 220px. Options marked * can also stand in the\n"
          "configuration file, as lines of key=value or key; # begins a comment. The\n"
          "command line overrides the file: --flag=off switches off what the file switches\n"
          "on.\n",
          out);
    print_exit_codes(out, topic);
    print_examples(out, topic);
}
