/* Writes docs/options/ from the tables of options and commands: a page for each command, and
 * README.md with what they have in common. `./run check` holds the committed files against it.
 *
 *   options_pages FOLDER
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/options/options_commands.h"
#include "monitor/options/options_table.h"

#define PATH_BYTES 512

static FILE *open_page(const char *folder, const char *name)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    if (!out) {
        fprintf(stderr, "options_pages: %s cannot be written\n", path);
        exit(EXIT_FAILURE);
    }
    return out;
}

static void close_page(FILE *out)
{
    if (fclose(out) != 0) {
        fputs("options_pages: a page could not be written to its end\n", stderr);
        exit(EXIT_FAILURE);
    }
}

/* "--launch" and "history add" as names of files: launch.md, history-add.md. */
static void name_page(const struct um_options_commands_row *row, char *name, size_t cap)
{
    snprintf(name, cap, "%s.md", row->name + strspn(row->name, "-"));
    for (char *at = name; *at; at++)
        *at = *at == ' ' ? '-' : *at;
}

/* Text of a table's cell: what would end the cell or begin a tag is escaped. */
static void put_cell(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("|<\\", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_option(FILE *out, const struct um_options_table_row *row)
{
    char limits[96];
    bool open = um_options_table_is_open(row);

    um_options_table_limits(row, limits, sizeof limits);
    fprintf(out, "| `--%s%s", row->name, open ? "[=" : row->value ? " " : "");
    for (const char *at = row->value ? row->value : ""; *at; at++)
        fprintf(out, "%s%c", *at == '|' ? "\\" : "", *at);
    fprintf(out, "%s`%s | ", open ? "]" : "", row->in_file ? " *" : "");
    put_cell(out, row->help);
    fprintf(out, "%s |\n", limits);
}

static void put_options(FILE *out, const struct um_options_commands_row *command)
{
    const char *group = NULL, *written = NULL;

    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        const struct um_options_table_row *row = &um_options_table[i];
        group = row->group ? row->group : group;
        if (!um_options_table_goes_with(row, command->command))
            continue;
        if (group != written)
            fprintf(out, "\n## %s\n\n| option | meaning |\n| --- | --- |\n", group);
        written = group;
        put_option(out, row);
    }
}

static void write_command(const char *folder, const struct um_options_commands_row *row)
{
    char name[64];

    name_page(row, name, sizeof name);
    FILE *out = open_page(folder, name);
    fprintf(out, "# uimon %s: %s\n\n```\nuimon %s\n", row->name, row->about, row->usage);
    if (row->also)
        fprintf(out, "uimon %s\n", row->also);
    fputs("```\n", out);
    if (row->examples[0])
        fputs("\nExamples:\n\n```\n", out);
    for (size_t i = 0; i < sizeof row->examples / sizeof row->examples[0] && row->examples[i]; i++)
        fprintf(out, "uimon %s\n", row->examples[i]);
    if (row->examples[0])
        fputs("```\n", out);
    fputs("\nOptions with a * can also stand in the [configuration file](README.md).\n", out);
    put_options(out, row);
    fputs("\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n", out);
    for (int code = 0; code < UM_OPTIONS_COMMANDS_EXIT_CODES; code++)
        if (um_options_commands_exit_codes[code].commands & 1U << row->command)
            fprintf(out, "| %d | %s |\n", code, um_options_commands_exit_codes[code].text);
    close_page(out);
}

static void write_index(const char *folder)
{
    FILE *out = open_page(folder, "README.md");
    char page[64];

    fputs("# The options of uimon\n"
          "\n"
          "A page for each command has its options; `uimon COMMAND --help` prints the same, and\n"
          "`uimon --help` all of them. These pages are written by tools/options_pages.c.\n"
          "\n"
          "| command | what it does |\n"
          "| --- | --- |\n",
          out);
    for (size_t i = 0; i < UM_OPTIONS_COMMANDS; i++) {
        const struct um_options_commands_row *row = &um_options_commands[i];
        name_page(row, page, sizeof page);
        if (row->command != UM_OPTIONS_HELP)
            fprintf(out, "| [`uimon %s`](%s) | %s |\n", row->usage, page, row->about);
    }
    fputs(
        "\n"
        "TARGET is a program's name with or without .exe, a process id, `title:TEXT` (part of a\n"
        "window's title), or `class:NAME` (a window's class). `--option=VALUE` means the same as\n"
        "`--option VALUE`, and `--flag=off` switches off what the configuration file switches on.\n"
        "A number may have its unit behind it: `500ms`, `30s`, `5%`, `220px`.\n"
        "An error is one line on standard error: what went wrong, why, and what to do.\n"
        "\n"
        "## Without a standard output\n"
        "\n"
        "A service, a detached program and `uimon ... >&-` have no standard output. Nobody reads\n"
        "then what a command says about its work, so nothing is lost: watching, `report`,\n"
        "`replay`, `bench`, `bisect`, `calibrate` and `doctor` write their files and end with the\n"
        "exit code that they would have had. What was asked for on standard output is refused at\n"
        "once, with exit code 1: a file named `-`, `--markdown`, `--dry-run`, and what only "
        "prints,\n"
        "which is `list`, `query`, `trace-env`, `--help`, `--version`, `export`, `flows`, "
        "`listen`\n"
        "and `history show` without a file, and `compare` without a file and without "
        "`--fail-over`.\n"
        "A standard output that cannot be written to its end, on a full disk, is a failure (1) of\n"
        "each command. That its reader leaves, as `head` does, is none, except of `--csv -` while\n"
        "uimon watches.\n"
        "\n"
        "## The configuration file\n"
        "\n"
        "`%APPDATA%\\uimon\\uimon.conf`, or the file that `--config` names, may set these options, "
        "as\n"
        "lines of `key=value` or `key`; `#` begins a comment. The command line overrides the "
        "file.\n"
        "`uimon.conf` in the package has all of them with their defaults.\n"
        "\n"
        "| key | meaning |\n"
        "| --- | --- |\n",
        out);
    for (size_t i = 0; i < UM_OPT_COUNT; i++)
        if (um_options_table[i].in_file) {
            char limits[96];
            um_options_table_limits(&um_options_table[i], limits, sizeof limits);
            fprintf(out, "| `%s` | ", um_options_table[i].name);
            put_cell(out, um_options_table[i].help);
            fprintf(out, "%s |\n", limits);
        }
    fputs("\n"
          "## Options that are gone\n"
          "\n"
          "On the command line they are an error, in the configuration file a warning.\n"
          "\n"
          "| option | what took its place |\n"
          "| --- | --- |\n",
          out);
    for (size_t i = 0; um_options_table_gone[i].name; i++) {
        fprintf(out, "| `--%s` | ", um_options_table_gone[i].name);
        put_cell(out, um_options_table_gone[i].instead);
        fputs(" |\n", out);
    }
    close_page(out);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: options_pages FOLDER\n", stderr);
        return EXIT_FAILURE;
    }
    write_index(argv[1]);
    for (size_t i = 0; i < UM_OPTIONS_COMMANDS; i++)
        if (um_options_commands[i].command != UM_OPTIONS_HELP)
            write_command(argv[1], &um_options_commands[i]);
    return EXIT_SUCCESS;
}
