#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"

static void expect(const char *text, double number, const char *rest)
{
    double read = -1;
    const char *follows = um_decimal_read(text, &read);
    cr_assert(follows, "'%s' was not read", text);
    cr_expect_lt(fabs(read - number), 1e-12, "'%s' was read as %.17g", text, read);
    cr_expect_str_eq(follows, rest, "of '%s'", text);
}

static void expect_none(const char *text)
{
    double read = -1;
    cr_expect(!um_decimal_read(text, &read), "'%s' was read as %.17g", text, read);
}

Test(decimal, plain_numbers_are_read_with_what_follows)
{
    expect("0", 0, "");
    expect("5", 5, "");
    expect("007", 7, "");
    expect("0.25", 0.25, "");
    expect(".5ms", 0.5, "ms");
    expect("20ms", 20, "ms");
    expect("1.5 s", 1.5, " s");
    expect("100,200", 100, ",200");
    expect("123456789012345", 123456789012345, "");
}

Test(decimal, what_strtod_would_take_besides_is_not_read)
{
    expect("0x10", 0, "x10");
    expect("1e3", 1, "e3");
    expect("1.5.2", 1.5, ".2");
    expect_none("");
    expect_none(".");
    expect_none("5.");
    expect_none("-5");
    expect_none("+5");
    expect_none(" 5");
    expect_none("inf");
    expect_none("nan");
    expect_none("1234567890123456789012345"); /* a byte too long */
    expect("123456789012345678901234", 123456789012345678901234.0, "");
}
