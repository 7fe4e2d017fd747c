/* The slices of time that lags are shown in: one column of the overlay each. Slices lie side by
 * side on a grid that begins at some instant, as a rule that of a session's start, and are known by
 * their number on it. A slice is a time only on the wire (STATUS: its start). Freestanding.
 */
#ifndef UM_IPC_SLICE_H
#define UM_IPC_SLICE_H

#include <stdint.h>

#define UM_SLICE_NS UINT64_C(100000000)

/* The number of the slice that a time lies in, with its start in and its end out: 0 is the one that
 * begins at `grid_ns`, those before it are negative. */
static inline int64_t um_slice_at(uint64_t grid_ns, uint64_t time_ns)
{
    if (time_ns >= grid_ns)
        return (int64_t)((time_ns - grid_ns) / UM_SLICE_NS);
    return -1 - (int64_t)((grid_ns - time_ns - 1) / UM_SLICE_NS);
}

/* Where a slice starts: the end of the one before it. */
static inline uint64_t um_slice_start(uint64_t grid_ns, int64_t number)
{
    return grid_ns + (uint64_t)number * UM_SLICE_NS;
}

#endif
