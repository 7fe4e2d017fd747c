#include "base/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/utf8.h"

/* Reads an open file to its end. A byte more than `max_bytes` is enough to see that it is too
 * large. */
static enum um_status read_all(FILE *file, size_t max_bytes, char **text, size_t *len_bytes)
{
    enum um_status status = UM_OK;
    char *buf = NULL;
    size_t cap = 0;
    size_t len = 0;

    while (status == UM_OK && len == cap && len <= max_bytes)
        if (um_list_reserve(&buf, &cap, len + 1, max_bytes + 1, 1))
            len += fread(buf + len, 1, cap - len, file);
        else
            status = UM_ERR_MEMORY;
    if (status == UM_OK && (ferror(file) || len > max_bytes))
        status = ferror(file) ? UM_ERR_IO : UM_ERR_TOO_LARGE;
    if (status != UM_OK) {
        free(buf);
        return status;
    }
    *text = buf;
    *len_bytes = len;
    return UM_OK;
}

enum um_status um_text_file_load(const char *path, size_t max_bytes, const char *kind, char **text,
                                 size_t *len_bytes, char *error, size_t error_cap)
{
    struct um_utf8_shown shown = um_utf8_show_path(path);
    FILE *file = fopen(path, "rb");

    if (!file) {
        bool missing = errno == ENOENT;
        snprintf(error, error_cap, "uimon: %s: %s", shown.text,
                 missing ? "there is no such file" : "the file cannot be opened");
        return missing ? UM_ERR_NOT_FOUND : UM_ERR_IO;
    }
    enum um_status status = read_all(file, max_bytes, text, len_bytes);
    fclose(file);
    if (status == UM_ERR_TOO_LARGE)
        snprintf(error, error_cap, "uimon: %s: the file has more than %lu bytes, too large for %s",
                 shown.text, (unsigned long)max_bytes, kind);
    else if (status != UM_OK)
        snprintf(error, error_cap, "uimon: %s: the file cannot be read: %s", shown.text,
                 um_status_text(status));
    return status;
}

struct um_text_file_lines um_text_file_lines(const char *text, size_t len_bytes)
{
    static const char bom[] = "\xef\xbb\xbf";
    bool has_bom = len_bytes >= 3 && memcmp(text, bom, 3) == 0;

    return (struct um_text_file_lines){.at = text + (has_bom ? 3 : 0), .end = text + len_bytes};
}

bool um_text_file_next_line(struct um_text_file_lines *lines, const char **line, size_t *len_bytes)
{
    if (lines->at == lines->end)
        return false;
    const char *begin = lines->at;
    const char *newline = memchr(begin, '\n', (size_t)(lines->end - begin));
    size_t len = (size_t)((newline ? newline : lines->end) - begin);
    lines->at = newline ? newline + 1 : lines->end;
    lines->number++;
    *line = begin;
    *len_bytes = len > 0 && begin[len - 1] == '\r' ? len - 1 : len;
    return true;
}
