/* Decimal numbers as files have them, of which no digit may be lost. Pure. */
#ifndef UM_BASE_DECIMAL_UNITS_H
#define UM_BASE_DECIMAL_UNITS_H

#include <stdint.h>

/* Reads a number as JSON has it, with sign and exponent, as a whole number of units of which 1 has
 * 10^places: with 3 places "-1.2345" is -1235. Digit by digit, so that none is lost, and rounded to
 * the nearest. Returns what follows it, or NULL if there is none, or it has no room in 64 bits. */
const char *um_decimal_units_read(const char *text, unsigned places, int64_t *units);

#endif
