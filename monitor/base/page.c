#include "monitor/base/page.h"

#include <string.h>

/* Writes JSON with each '<' escaped. Outside of strings JSON has no '<'. */
static void write_escaped(FILE *file, const char *text)
{
    while (*text != '\0') {
        size_t plain = strcspn(text, "<");
        (void)fwrite(text, 1, plain, file);
        text += plain;
        if (*text == '<') {
            (void)fputs("\\u003c", file);
            text++;
        }
    }
}

static size_t find_marker(const unsigned char *page, size_t len_bytes)
{
    const unsigned char *end = page + len_bytes;
    const unsigned char *at = page;
    size_t len = strlen(UM_PAGE_MARKER);

    while ((at = memchr(at, UM_PAGE_MARKER[0], (size_t)(end - at))) && (size_t)(end - at) >= len) {
        if (memcmp(at, UM_PAGE_MARKER, len) == 0)
            return (size_t)(at - page);
        at++;
    }
    return len_bytes;
}

enum um_status um_page_write(FILE *file, const unsigned char *page, size_t len_bytes,
                             const char *json)
{
    size_t marker = find_marker(page, len_bytes);
    size_t rest = marker < len_bytes ? marker + strlen(UM_PAGE_MARKER) : len_bytes;
    (void)fwrite(page, 1, marker, file);
    write_escaped(file, json);
    (void)fwrite(page + rest, 1, len_bytes - rest, file);
    return fflush(file) == 0 && ferror(file) == 0 ? UM_OK : UM_ERR_IO;
}
