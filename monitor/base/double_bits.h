/* The bits of a double, as COUNTER_VALUE of ipc/wire.h has them. That header knows no doubles,
 * because the hook DLL uses it, which has no C library. */
#ifndef UM_MONITOR_DOUBLE_BITS_H
#define UM_MONITOR_DOUBLE_BITS_H

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

#endif
