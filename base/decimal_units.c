#include "base/decimal_units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define MOST_EXPONENT 999 /* larger ones make the same of any number that has room */

/* Reads an exponent, if there is one. Returns what follows. */
static const char *read_exponent(const char *text, long *exponent)
{
    char *end;
    const char *number = text + 1;
    *exponent = 0;
    if (*text != 'e' && *text != 'E')
        return text;
    if (*number == '+' || *number == '-')
        number++;
    if (*number < '0' || *number > '9')
        return text;
    *exponent = strtol(text + 1, &end, 10);
    if (*exponent > MOST_EXPONENT)
        *exponent = MOST_EXPONENT;
    if (*exponent < -MOST_EXPONENT)
        *exponent = -MOST_EXPONENT;
    return end;
}

/* The digit at a place from the first one on, with zeros around those that are written. */
static int64_t digit_at(const char *whole, size_t whole_len, const char *fraction,
                        size_t fraction_len, int64_t place)
{
    if (place < 0 || place >= (int64_t)(whole_len + fraction_len))
        return 0;
    size_t at = (size_t)place;
    return (at < whole_len ? whole[at] : fraction[at - whole_len]) - '0';
}

const char *um_decimal_units_read(const char *text, unsigned places, int64_t *units)
{
    bool is_negative = *text == '-';
    const char *whole = text + is_negative;
    size_t whole_len = strspn(whole, DIGITS);
    const char *fraction = whole + whole_len + (whole[whole_len] == '.');
    size_t fraction_len = whole[whole_len] == '.' ? strspn(fraction, DIGITS) : 0;
    long exponent;
    const char *rest = read_exponent(fraction + fraction_len, &exponent);
    int64_t sum = 0, count = (int64_t)whole_len + exponent + (int64_t)places; /* of digits */
    if (whole_len + fraction_len == 0)
        return NULL;
    for (int64_t i = 0; i < count; i++) {
        int64_t digit = digit_at(whole, whole_len, fraction, fraction_len, i);
        if (sum > (INT64_MAX - 1 - digit) / 10) /* 1 for rounding */
            return NULL;
        sum = 10 * sum + digit;
    }
    sum += digit_at(whole, whole_len, fraction, fraction_len, count) >= 5;
    *units = is_negative ? -sum : sum;
    return rest;
}
