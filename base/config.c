#include "base/config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text_file.h"
#include "base/utf8.h"

#define BLANKS " \t"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static char *trim(char *text)
{
    text += strspn(text, BLANKS);
    size_t len = strlen(text);
    while (len > 0 && is_blank(text[len - 1]))
        len--;
    text[len] = '\0';
    return text;
}

/* Ends a text where a comment begins: at a '#' after a blank. In "C#" it begins none. */
static void cut_comment(char *text)
{
    for (char *at = text; *at != '\0'; at++)
        if (is_blank(at[0]) && at[1] == '#')
            *at = '\0';
}

/* Takes the quotes off a value that begins with one. Nothing but a comment may follow them. */
static const char *unquote(char **value)
{
    char *close = strchr(*value + 1, '"');

    if (!close)
        return "the closing quote is missing";
    char *after = close + 1 + strspn(close + 1, BLANKS);
    if (*after != '\0' && (*after != '#' || after == close + 1))
        return "there is text after the closing quote";
    *close = '\0';
    *value += 1;
    return NULL;
}

/* Splits a line in place into key and value. An empty line or a comment gives an empty *key, a key
 * alone gives a NULL *value. Returns what is wrong with the line, or NULL. */
static const char *split(char *line, char **key, char **value)
{
    *value = NULL;
    *key = line + strspn(line, BLANKS);
    if (**key == '#') {
        **key = '\0';
        return NULL;
    }
    char *stop = *key + strcspn(*key, "=#");
    if (*stop != '=') {
        cut_comment(*key);
        *key = trim(*key);
        return NULL;
    }
    *stop = '\0';
    *key = trim(*key);
    if (**key == '\0')
        return "there is no key before the '='";
    *value = stop + 1 + strspn(stop + 1, BLANKS);
    if (**value == '"')
        return unquote(value);
    cut_comment(stop + 1);
    *value = trim(stop + 1);
    return NULL;
}

/* Reads one line. `error` says what is wrong, without file and line number. */
static enum um_status read_line(const char *text, size_t len_bytes, um_config_entry *entry,
                                void *context, char *error, size_t error_cap)
{
    char line[UM_CONFIG_MAX_LINE_BYTES + 1];
    char *key = line;
    char *value = NULL;

    if (len_bytes > UM_CONFIG_MAX_LINE_BYTES) {
        snprintf(error, error_cap, "the line is longer than %d bytes", UM_CONFIG_MAX_LINE_BYTES);
        return UM_ERR_FORMAT;
    }
    if (!um_utf8_valid(text, len_bytes)) {
        snprintf(error, error_cap, "the text is not UTF-8; save the file as UTF-8");
        return UM_ERR_FORMAT;
    }
    memcpy(line, text, len_bytes);
    line[len_bytes] = '\0';
    const char *wrong = split(line, &key, &value);
    if (wrong) {
        snprintf(error, error_cap, "%s", wrong);
        return UM_ERR_FORMAT;
    }
    return *key == '\0' ? UM_OK : entry(context, key, value, error, error_cap);
}

enum um_status um_config_parse(const char *text, size_t len_bytes, const char *name,
                               um_config_entry *entry, void *context, char *error, size_t error_cap)
{
    struct um_text_file_lines lines = um_text_file_lines(text, len_bytes);
    enum um_status status = UM_OK;
    const char *line;
    size_t len;

    *error = '\0';
    while (status == UM_OK && um_text_file_next_line(&lines, &line, &len)) {
        char what[512] = "";
        status = read_line(line, len, entry, context, what, sizeof what);
        if (status != UM_OK || (what[0] && !*error))
            snprintf(error, error_cap, "%s:%lu: %s", name, lines.number, what);
    }
    return status;
}

enum um_status um_config_load(const char *path, char **text, size_t *len_bytes, char *error,
                              size_t error_cap)
{
    return um_text_file_load(path, UM_CONFIG_MAX_BYTES, "a configuration file", text, len_bytes,
                             error, error_cap);
}
