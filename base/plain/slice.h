/* Slices of 100 ms, of which the lag is shown: each is a column of the overlay. They lie side by
 * side on a grid, which usually begins with the session, and are identified by their number on it.
 * On the wire a slice is identified by its start (STATUS). Freestanding.
 */
#ifndef UM_BASE_SLICE_H
#define UM_BASE_SLICE_H

#include <stdint.h>

#define UM_SLICE_NS UINT64_C(100000000)

/* Two questions have different answers on a boundary. What happens at a time, and is drawn there,
 * is in the slice that begins then: um_slice_at. What lasted until a time, as a beat until it was
 * dequeued, belongs to the slice that ends then: um_slice_until. */

/* The number of the slice that a time lies in, with its start in and its end out: 0 is the one that
 * begins at `grid_ns`, those before it are negative. */
static inline int64_t um_slice_at(uint64_t grid_ns, uint64_t time_ns)
{
    if (time_ns >= grid_ns)
        return (int64_t)((time_ns - grid_ns) / UM_SLICE_NS);
    return -1 - (int64_t)((grid_ns - time_ns - 1) / UM_SLICE_NS);
}

/* The number of the slice that a time lies in, with its start out and its end in; 0 also for times
 * up to `grid_ns`. */
static inline int64_t um_slice_until(uint64_t grid_ns, uint64_t time_ns)
{
    return time_ns > grid_ns ? um_slice_at(grid_ns, time_ns - 1) : 0;
}

/* When a slice starts; that is also the end of the one before it. */
static inline uint64_t um_slice_start(uint64_t grid_ns, int64_t number)
{
    return grid_ns + (uint64_t)number * UM_SLICE_NS;
}

#endif
