/* The command lines of the README, the documents and the workflow are ones that uimon takes. In a
 * block of code each line that begins with "uimon " is one. It ends where two blanks stand before
 * its explanation. In the workflow it begins with "& $env:UIMON ", in a line for `git bisect run`
 * after "; then ". Lines that leave something out ("...") are not looked at. In the README's
 * sentences and tables the commands with options count, too. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"
#include "monitor/options/options.h"

#define MAX_ARGS 64

static size_t lines; /* of commands that were looked at */

/* Splits a command into words as a shell does, up to a pipe, a redirection, a comment, a semicolon
 * or two blanks outside of quotes. Returns how many there are. */
static int split(char *text, char *args[MAX_ARGS + 1])
{
    int count = 0;
    while (*text && count < MAX_ARGS) {
        char *to = text;
        bool quoted = false;
        args[count] = text;
        for (; *text && (quoted || !strchr(" ;", *text)); text++)
            if (*text == '"')
                quoted = !quoted;
            else if (*text != '\'')
                *to++ = *text;
        bool last = text[0] != ' ' || text[1] == '\0' || strchr(" |>#&", text[1]);
        *to = '\0';
        count++;
        if (last)
            break;
        text++;
    }
    args[count] = NULL;
    return count;
}

static void check_command(const char *where, const char *command)
{
    char text[2048];
    char *args[MAX_ARGS + 1];
    struct um_options options;
    char error[UM_OPTIONS_ERROR_BYTES] = "";
    if (strstr(command, "..."))
        return;
    snprintf(text, sizeof text, "%s", command);
    int count = split(text, args);
    enum um_status status = um_options_parse(count, args, &options, error, sizeof error);
    if (status == UM_OK) {
        status = um_options_finish(&options, error, sizeof error);
        um_options_deinit(&options);
    }
    cr_expect_eq(status, UM_OK, "%s: %s: %s", where, command, error);
    lines++;
}

/* Joins the lines of a workflow that end with a backtick, and drops the blanks around it. */
static void join_lines(char *text)
{
    char *to = text;
    for (const char *at = text; *at;) {
        if (at[0] == '`' && at[1] == '\n') {
            at += 1 + strspn(at + 1, "\n ");
            continue;
        }
        *to++ = *at++;
    }
    *to = '\0';
}

static char *read_document(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    size_t len = fread(text, 1, sizeof text - 1, file);
    cr_assert_lt(len, sizeof text - 1, "%s", path);
    text[len] = '\0';
    fclose(file);
    return text;
}

/* Checks the commands with options that stand between backticks, outside of blocks. */
static void check_sentences(const char *path)
{
    char *text = read_document(path), *end;
    for (char *at = strchr(text, '`'); at; at = strchr(end + 1, '`')) {
        bool block = strncmp(at, "```", 3) == 0;
        end = block ? strstr(at + 3, "```") : strchr(at + 1, '`');
        cr_assert_not_null(end, "%s: %.60s", path, at);
        *end = '\0';
        char *command = block ? NULL : strstr(at, "uimon ");
        for (char *line = at; (line = strchr(line, '\n')) != NULL;)
            *line = ' ';
        if (command && strstr(command, " --"))
            check_command(path, command);
        end += block ? 2 : 0;
    }
}

static void check_document(const char *path)
{
    static const char in_workflow[] = "& $env:UIMON ", in_shell[] = "; then uimon ";
    bool workflow = strstr(path, ".yml") != NULL, code = false;
    char *text = read_document(path);
    if (workflow)
        join_lines(text);
    for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        const char *command = strstr(line, workflow ? in_workflow : in_shell);
        if (strncmp(line, "```", 3) == 0)
            code = !code;
        if (workflow && command)
            check_command(path, command + strlen("& $env:"));
        else if (code && strncmp(line, "uimon ", 6) == 0)
            check_command(path, line);
        else if (code && command)
            check_command(path, command + strlen("; then "));
    }
}

static void check_one(void *context, const char *path)
{
    (void)context;
    check_document(path);
}

/* Returns how many command lines there are. */
static size_t check_folder(const char *folder, const char *ending)
{
    lines = 0;
    cr_assert_eq(um_platform_list_files(folder, ending, check_one, NULL), UM_OK, "%s", folder);
    return lines;
}

Test(documents, command_lines_are_ones_that_uimon_takes)
{
    check_document(UM_SOURCE_DIR "/README.md");
    check_sentences(UM_SOURCE_DIR "/README.md");
    cr_expect_geq(lines, 14);
    cr_expect_geq(check_folder(UM_SOURCE_DIR "/docs", ".md"), 40);
    cr_expect_eq(check_folder(UM_SOURCE_DIR "/examples", ".yml"), 5);
}
