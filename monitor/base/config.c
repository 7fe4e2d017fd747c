#include "monitor/base/config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/utf8.h"

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

/* Ends a text where a comment begins: at a '#' behind a blank, so that "C#" is text. */
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
        return "there is text behind the closing quote";
    *close = '\0';
    *value += 1;
    return NULL;
}

/* Splits a line in place. *key is empty for a line that says nothing, *value NULL for a key alone.
 * Returns what is wrong, or NULL. */
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

/* Takes one line apart; an error is in `error`, without the place. */
static enum um_status read_line(const char *text, size_t len_bytes, um_config_entry *entry,
                                void *context, char *error, size_t error_cap)
{
    char line[UM_CONFIG_MAX_LINE_BYTES + 1];
    const char *wrong = NULL;
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
    wrong = split(line, &key, &value);
    if (wrong) {
        snprintf(error, error_cap, "%s", wrong);
        return UM_ERR_FORMAT;
    }
    return *key == '\0' ? UM_OK : entry(context, key, value, error, error_cap);
}

enum um_status um_config_parse(const char *text, size_t len_bytes, const char *name,
                               um_config_entry *entry, void *context, char *error, size_t error_cap)
{
    static const char bom[] = "\xef\xbb\xbf";
    const char *at = text;
    const char *end = text + len_bytes;

    if (len_bytes >= 3 && memcmp(text, bom, 3) == 0)
        at += 3;
    for (unsigned long number = 1; at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((newline ? newline : end) - at);
        size_t shown = len > 0 && at[len - 1] == '\r' ? len - 1 : len;
        char what[512] = "";
        enum um_status status = read_line(at, shown, entry, context, what, sizeof what);
        if (status != UM_OK) {
            snprintf(error, error_cap, "%s:%lu: %s", name, number, what);
            return status;
        }
        at += newline ? len + 1 : len;
    }
    return UM_OK;
}

/* Reads the open file into a buffer of UM_CONFIG_MAX_BYTES + 1: one more than may be there. */
static enum um_status read_all(FILE *file, char *buf, size_t *len_bytes)
{
    size_t len = fread(buf, 1, UM_CONFIG_MAX_BYTES + 1, file);

    if (ferror(file))
        return UM_ERR_IO;
    if (len > UM_CONFIG_MAX_BYTES)
        return UM_ERR_TOO_LARGE;
    *len_bytes = len;
    return UM_OK;
}

enum um_status um_config_load(const char *path, char **text, size_t *len_bytes, char *error,
                              size_t error_cap)
{
    enum um_status status = UM_OK;
    FILE *file = fopen(path, "rb");

    if (!file) {
        bool missing = errno == ENOENT;
        snprintf(error, error_cap, "uimon: %s: %s", path,
                 missing ? "there is no such file" : "the file cannot be opened");
        return missing ? UM_ERR_NOT_FOUND : UM_ERR_IO;
    }
    char *buf = malloc(UM_CONFIG_MAX_BYTES + 1);
    status = buf ? read_all(file, buf, len_bytes) : UM_ERR_MEMORY;
    fclose(file);
    if (status == UM_OK) {
        *text = buf;
        return UM_OK;
    }
    free(buf);
    if (status == UM_ERR_TOO_LARGE) {
        snprintf(error, error_cap, "uimon: %s: larger than %d bytes, so it is no configuration",
                 path, UM_CONFIG_MAX_BYTES);
    } else {
        snprintf(error, error_cap, "uimon: %s: the file cannot be read: %s", path,
                 um_status_text(status));
    }
    return status;
}
