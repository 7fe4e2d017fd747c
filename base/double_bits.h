/* The bits of a double, as COUNTER_VALUE of ipc/wire.h has them. That header knows no doubles,
 * because the hook DLL uses it, which has no C library. */
#ifndef UM_BASE_DOUBLE_BITS_H
#define UM_BASE_DOUBLE_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t um_double_bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static inline double um_double_bits_value(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* isfinite, which warns with mingw-w64. */
static inline bool um_double_bits_are_finite(uint64_t bits)
{
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

#endif
