/* Where a beat moves the cursor: never against an edge, where it would not move. Freestanding and
 * portable.
 */
#ifndef UM_HOOKS_STEP_H
#define UM_HOOKS_STEP_H

#include <stdint.h>

/* Which way the first of two movements goes, 1 or -1: away from the nearer end of the range that
 * the cursor can move in. The second movement is the opposite one, so the cursor ends where it was.
 * Units: pixels; `x` is the cursor's, `end` lies behind the last pixel. */
static inline int32_t um_step_of_pair(int32_t x, int32_t begin, int32_t end)
{
    return (int64_t)x - begin < (int64_t)end - 1 - x ? 1 : -1;
}

#endif
