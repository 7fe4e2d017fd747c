#include "base/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

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

/* Writes a text as HTML that is no markup. */
static void write_as_text(FILE *file, const char *text)
{
    while (*text != '\0') {
        size_t plain = strcspn(text, "<&");
        (void)fwrite(text, 1, plain, file);
        text += plain;
        if (*text != '\0')
            (void)fputs(*text++ == '<' ? "&lt;" : "&amp;", file);
    }
}

/* Writes the page until the placeholder, and returns what comes after that. */
static const char *write_until(FILE *file, const char *page, const char *placeholder)
{
    const char *place = strstr(page, placeholder);
    (void)fwrite(page, 1, (size_t)(place - page), file);
    return place + strlen(placeholder);
}

enum um_status um_page_write(FILE *file, const unsigned char *page, const char *json,
                             um_page_write_text *write_text, const void *shown)
{
    const char *rest = write_until(file, (const char *)page, UM_PAGE_TEXT_PLACEHOLDER);
    char *text = um_file_collect(write_text, shown);
    if (text)
        write_as_text(file, text);
    free(text);
    rest = write_until(file, rest, UM_PAGE_PLACEHOLDER);
    write_escaped(file, json);
    (void)fputs(rest, file);
    return fflush(file) == 0 && ferror(file) == 0 ? UM_OK : UM_ERR_IO;
}
