#include "monitor/playback/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/text_file.h"
#include "monitor/base/utf8.h"

#define PARTS 32 /* of a path that are tried */
#define TAB 4
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* Whether a part of a path names something in its folder and nothing else. */
static bool is_plain(const char *part, size_t len)
{
    if (len == 0 || (len == 1 && part[0] == '.') || (len == 2 && memcmp(part, "..", 2) == 0))
        return false;
    for (size_t i = 0; i < len; i++)
        if (part[i] == ':' || (unsigned char)part[i] < ' ')
            return false;
    return true;
}

/* Where the last parts of a path begin, the longest first; as far as all parts are plain. */
static size_t find_suffixes(const char *path, const char *suffixes[PARTS])
{
    const char *found[PARTS];
    const char *end = path + strlen(path);
    size_t count = 0;
    while (count < PARTS) {
        const char *begin = end;
        while (begin > path && !is_slash(begin[-1]))
            begin--;
        if (!is_plain(begin, (size_t)(end - begin)))
            break;
        found[count++] = begin;
        if (begin == path)
            break;
        end = begin - 1;
    }
    for (size_t i = 0; i < count; i++)
        suffixes[i] = found[count - 1 - i];
    return count;
}

/* Copies a text as UTF-8, with blanks for tabs, without carriage returns and byte order mark.
 * `made` has room for 4 times as many bytes. */
static void copy_text(const char *text, char *made)
{
    size_t used = 0, column = 0;
    if (strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
        text += strlen(BYTE_ORDER_MARK);
    for (uint32_t c; (c = um_utf8_next(&text)) != 0;) {
        size_t blanks = c == '\t' ? TAB - column % TAB : 0;
        memset(made + used, ' ', blanks);
        used += blanks;
        if (c != '\t' && c != '\r')
            used += um_utf8_encode(c, made + used);
        column = c == '\n' ? 0 : column + (blanks ? blanks : 1);
    }
    made[used] = '\0';
}

/* Takes over the text if it is one, and has enough lines. */
static bool take_text(char *text, size_t len, uint32_t least_lines, struct um_sources_file *file)
{
    struct um_text_file_lines lines = um_text_file_lines(text, len);
    const char *line;
    size_t line_len;
    bool is_text = !memchr(text, '\0', len);
    while (is_text && um_text_file_next_line(&lines, &line, &line_len))
        ;
    char *made = is_text && lines.number >= least_lines ? malloc(4 * len + 1) : NULL;
    char *copy = made ? malloc(len + 1) : NULL;
    if (copy) {
        memcpy(copy, text, len);
        copy[len] = '\0';
        copy_text(copy, made);
        file->text = made;
    } else {
        free(made);
    }
    free(copy);
    return copy;
}

static bool try_file(const char *folder, size_t folder_len, const char *suffix,
                     uint32_t least_lines, struct um_sources_file *file)
{
    char error[256], *text;
    size_t len;
    bool ends = folder_len > 0 && is_slash(folder[folder_len - 1]);
    int written = snprintf(file->path, sizeof file->path, "%.*s%s%s", (int)folder_len, folder,
                           ends ? "" : "/", suffix);
    if (written < 0 || (size_t)written >= sizeof file->path)
        return false;
    for (char *at = file->path; *at; at++)
        if (*at == '\\')
            *at = '/';
    if (um_text_file_load(file->path, UM_SOURCES_FILE_BYTES, "a source", &text, &len, error,
                          sizeof error) != UM_OK)
        return false;
    bool taken = take_text(text, len, least_lines, file);
    free(text);
    return taken;
}

bool um_sources_find(const char *folders, const char *recorded_path, uint32_t least_lines,
                     struct um_sources_file *file)
{
    const char *suffixes[PARTS];
    size_t count = folders ? find_suffixes(recorded_path, suffixes) : 0;
    for (size_t i = 0; i < count; i++)
        for (const char *at = folders; *at;) {
            size_t len = strcspn(at, ";");
            if (len > 0 && try_file(at, len, suffixes[i], least_lines, file))
                return true;
            at += len + (at[len] == ';');
        }
    return false;
}
