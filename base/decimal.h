/* Decimal numbers: as people write them in options, scenarios and limits, and as files have them.
 * Pure. */
#ifndef UM_BASE_DECIMAL_H
#define UM_BASE_DECIMAL_H

#include <stdint.h>

/* Reads a plain decimal number at the begin of a text, as in "5", "0.25" or ".5ms": no sign,
 * exponent, hexadecimal number or infinity, all of which strtod alone would take. Returns what
 * follows it, or NULL if there is none, or one of more than UM_DECIMAL_BYTES. */
#define UM_DECIMAL_BYTES 24
const char *um_decimal_read(const char *text, double *number);

/* Reads a number as JSON has it, with sign and exponent, as a whole number of units of which 1 has
 * 10^places: with 3 places "-1.2345" is -1235. Digit by digit, so that none is lost, and rounded to
 * the nearest. Returns what follows it, or NULL if there is none, or it has no room in 64 bits. */
const char *um_decimal_units(const char *text, unsigned places, int64_t *units);

#endif
