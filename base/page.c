#include "base/page.h"

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

enum um_status um_page_write(FILE *file, const unsigned char *page, const char *json)
{
    const char *text = (const char *)page;
    const char *place = strstr(text, UM_PAGE_PLACEHOLDER);
    (void)fwrite(text, 1, (size_t)(place - text), file);
    write_escaped(file, json);
    (void)fputs(place + strlen(UM_PAGE_PLACEHOLDER), file);
    return fflush(file) == 0 && ferror(file) == 0 ? UM_OK : UM_ERR_IO;
}
