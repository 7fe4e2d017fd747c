/* Arithmetic on unsigned times in ns. Portable; on the hot path. */
#ifndef UM_BASE_NS_H
#define UM_BASE_NS_H

#include <stdint.h>

static inline uint64_t um_ns_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t um_ns_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* UINT64_MAX if the sum is more. */
static inline uint64_t um_ns_sum(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* The time between two points in time; 0 if the second is before the first, as with late
 * records. */
static inline uint64_t um_ns_elapsed(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

#endif
