#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/page.h"
#include "tests/written.h"

#define LONG_LINES 20000

static const unsigned char empty[] =
    "<pre>" UM_PAGE_TEXT_PLACEHOLDER "</pre><b>" UM_PAGE_PLACEHOLDER "</b>";

static const char *write_page(const char *json, um_page_write_text *write_text, const void *shown)
{
    FILE *file = written_open();
    cr_assert_eq(um_page_write(file, empty, json, write_text, shown), UM_OK);
    return written_read(file, NULL);
}

static enum um_status write_text(FILE *out, const void *text)
{
    return fputs(text, out) >= 0 ? UM_OK : UM_ERR_IO;
}

static enum um_status write_half(FILE *out, const void *text)
{
    (void)fputs(text, out);
    return UM_ERR_MEMORY;
}

static enum um_status write_lines(FILE *out, const void *count)
{
    for (int i = 0; i < *(const int *)count; i++)
        (void)fputs("a line\n", out);
    return UM_OK;
}

Test(page, text_is_no_markup)
{
    cr_expect_str_eq(write_page("1", write_text, "a < b\n&lt; </pre>\n"),
                     "<pre>a &lt; b\n&amp;lt; &lt;/pre>\n</pre><b>1</b>");
}

Test(page, data_cannot_end_their_element)
{
    cr_expect_str_eq(write_page("[\"</b>\"]", write_text, ""),
                     "<pre></pre><b>[\"\\u003c/b>\"]</b>");
}

Test(page, text_that_could_not_be_made_is_left_out)
{
    cr_expect_str_eq(write_page("1", write_half, "half"), "<pre></pre><b>1</b>");
}

Test(page, text_has_any_length)
{
    int count = LONG_LINES;
    size_t len = strlen(write_page("1", write_lines, &count));
    cr_expect_eq(len, LONG_LINES * strlen("a line\n") + strlen("<pre></pre><b>1</b>"));
}
