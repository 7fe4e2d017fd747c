/* Decimal numbers as people write them: in options, scenarios and limits. Pure. */
#ifndef UM_BASE_DECIMAL_H
#define UM_BASE_DECIMAL_H

/* Reads a plain decimal number at the begin of a text, as in "5", "0.25" or ".5ms": no sign,
 * exponent, hexadecimal number or infinity, all of which strtod alone would take. Returns what
 * follows it, or NULL if there is none, or one of more than UM_DECIMAL_BYTES. */
#define UM_DECIMAL_BYTES 24
const char *um_decimal_read(const char *text, double *number);

#endif
