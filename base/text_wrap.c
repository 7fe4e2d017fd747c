#include "base/text_wrap.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

#define COLUMNS 80

/* How many characters of UTF-8 so many bytes are. */
static size_t width_of(const char *text, size_t len_bytes)
{
    size_t width = 0;
    for (size_t i = 0; i < len_bytes; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

static void put_word(FILE *out, const char *text, size_t len_bytes)
{
    const char *end = text + len_bytes;

    while (text < end)
        um_utf8_put(out, um_utf8_next_shown(&text));
}

void um_text_wrap(FILE *out, const char *text, size_t at, size_t indent)
{
    bool first = true;

    while (*text != '\0') {
        size_t len = strcspn(text, " ");
        size_t width = width_of(text, len);
        if (!first && at + 1 + width > COLUMNS) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            first = true;
        }
        if (!first)
            fputc(' ', out);
        put_word(out, text, len);
        at += width + (first ? 0 : 1);
        first = false;
        text += len;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}
