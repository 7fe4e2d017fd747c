#include "base/csv_text.h"
#include "tests/written.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void expect_cell(const char *text, const char *cell)
{
    FILE *file = written_open();
    um_csv_text_put(file, text);
    cr_expect_str_eq(written_read(file, NULL), cell);
}

Test(csv_text, is_quoted_only_where_it_must_be)
{
    expect_cell("", "");
    expect_cell("devenv.exe", "devenv.exe");
    expect_cell("a,b", "\"a,b\"");
    expect_cell("say \"a\"", "\"say \"\"a\"\"\"");
    expect_cell("a; b", "a; b");
    expect_cell("a\x1b[2Jb\nc", "a\xef\xbf\xbd[2Jb\xef\xbf\xbd"
                                "c");
}

Test(csv_text, formulas_get_an_apostrophe)
{
    expect_cell("=1+1", "'=1+1");
    expect_cell("+1", "'+1");
    expect_cell("-1", "'-1");
    expect_cell("@SUM(1)", "'@SUM(1)");
    expect_cell(" =1+1", "' =1+1");
    expect_cell("\xef\xbc\x9d"
                "1",
                "'\xef\xbc\x9d"
                "1");
    expect_cell("a=1+1", "a=1+1");
}

/* A line is cut there in some countries, also between quotes. */
Test(csv_text, formulas_behind_a_semicolon_get_one_too)
{
    expect_cell("a;=1+1", "a;'=1+1");
    expect_cell(";=1;@x", ";'=1;'@x");
    expect_cell("a; =1", "a;' =1");
    expect_cell("a,;=1", "\"a,;'=1\"");
    expect_cell("a;\"=1", "\"a;'\"\"=1\"");
    expect_cell("a;b=1", "a;b=1");
}
