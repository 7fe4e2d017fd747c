#include "base/csv_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* The full-width forms are formulas in Excel with East Asian languages. */
static bool begins_formula(uint32_t c)
{
    return c == '=' || c == '+' || c == '-' || c == '@' || c == 0xff1d || c == 0xff0b ||
           c == 0xff0d || c == 0xff20;
}

/* Whether a cell that begins here would be a formula. Spreadsheets may leave out blanks and quotes
 * before it. */
static bool is_formula(const char *text)
{
    text += strspn(text, " \"");
    return begins_formula(um_utf8_next_shown(&text));
}

void um_csv_text_put(FILE *file, const char *text)
{
    bool quoted = strpbrk(text, ",\"") != NULL;
    bool begins = true;
    uint32_t c;

    if (quoted)
        (void)fputc('"', file);
    for (;; begins = c == ';') {
        if (begins && is_formula(text))
            (void)fputc('\'', file);
        if ((c = um_utf8_next_shown(&text)) == 0)
            break;
        if (c == '"')
            (void)fputc('"', file);
        um_utf8_put(file, c);
    }
    if (quoted)
        (void)fputc('"', file);
}
