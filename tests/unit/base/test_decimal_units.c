#include <criterion/criterion.h>

#include "base/decimal_units.h"

static void expect_units(const char *text, unsigned places, int64_t units, const char *rest)
{
    int64_t read = -1;
    const char *follows = um_decimal_units_read(text, places, &read);
    cr_assert(follows, "'%s' was not read", text);
    cr_expect_eq(read, units, "'%s' was read as %lld", text, (long long)read);
    cr_expect_str_eq(follows, rest, "of '%s'", text);
}

Test(decimal_units, have_all_digits)
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

Test(decimal_units, may_have_exponents)
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

Test(decimal_units, without_room_are_none)
{
    int64_t read;
    cr_expect(!um_decimal_units_read("9223372036854775808", 0, &read));
    cr_expect(!um_decimal_units_read("9223372036854775.808", 3, &read));
    cr_expect(!um_decimal_units_read("1e300", 3, &read));
    cr_expect(!um_decimal_units_read("1e999999999999", 3, &read));
    cr_expect(!um_decimal_units_read("", 3, &read));
    cr_expect(!um_decimal_units_read("-", 3, &read));
    cr_expect(!um_decimal_units_read(".", 3, &read));
    cr_expect(!um_decimal_units_read("e5", 3, &read));
}
