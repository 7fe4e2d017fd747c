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

static void expect_units(const char *text, unsigned places, int64_t units, const char *rest)
{
    int64_t read = -1;
    const char *follows = um_decimal_units(text, places, &read);
    cr_assert(follows, "'%s' was not read", text);
    cr_expect_eq(read, units, "'%s' was read as %lld", text, (long long)read);
    cr_expect_str_eq(follows, rest, "of '%s'", text);
}

Test(decimal, units_have_all_digits)
{
    expect_units("1712345678901234.567", 3, 1712345678901234567, "");
    expect_units("1712345678901234.5674999", 3, 1712345678901234567, "");
    expect_units("1712345678901234.5675", 3, 1712345678901234568, "");
    expect_units("-1712345678901234.5675", 3, -1712345678901234568, "");
    expect_units("0.300", 3, 300, "");
    expect_units(".3", 3, 300, "");
    expect_units("5.", 3, 5000, "");
    expect_units("007", 0, 7, "");
    expect_units("0.9999", 3, 1000, "");
    expect_units("9223372036854775806", 0, INT64_MAX - 1, "");
    expect_units("1712345678901234567 us", 0, 1712345678901234567, " us");
}

Test(decimal, units_of_numbers_with_exponents)
{
    expect_units("1.712345678901234567e15", 3, 1712345678901234567, "");
    expect_units("1.5E+2", 0, 150, "");
    expect_units("12345e-2", 0, 123, "");
    expect_units("12350e-2", 0, 124, "");
    expect_units("5e-4", 3, 1, "");
    expect_units("4e-4", 3, 0, "");
    expect_units("9e-999999999999", 3, 0, "");
    expect_units("0e999999999999", 3, 0, "");
    expect_units("3em", 0, 3, "em");
    expect_units("3e+", 0, 3, "e+");
}

Test(decimal, units_that_have_no_room)
{
    int64_t read;
    cr_expect(!um_decimal_units("9223372036854775808", 0, &read));
    cr_expect(!um_decimal_units("9223372036854775.808", 3, &read));
    cr_expect(!um_decimal_units("1e300", 3, &read));
    cr_expect(!um_decimal_units("1e999999999999", 3, &read));
    cr_expect(!um_decimal_units("", 3, &read));
    cr_expect(!um_decimal_units("-", 3, &read));
    cr_expect(!um_decimal_units(".", 3, &read));
    cr_expect(!um_decimal_units("e5", 3, &read));
}
