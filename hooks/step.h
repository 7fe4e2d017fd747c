/* Where a beat moves the cursor: never against an edge, where it would not move. Freestanding and
 * portable.
 */
#ifndef UM_HOOKS_STEP_H
#define UM_HOOKS_STEP_H

#include <stdint.h>

/* The mouse probe gets no message from a zero movement, so the cursor moves away and back. */
#define UM_STEP_PX 2

/* Which way the first of two movements goes, 1 or -1: away from the nearer end of the range that
 * the cursor can move in. The second movement is the opposite one, so the cursor ends where it was.
 * Units: pixels; `x` is the cursor's, `end` lies behind the last pixel. */
static inline int32_t um_step_of_pair(int32_t x, int32_t begin, int32_t end)
{
    return (int64_t)x - begin < (int64_t)end - 1 - x ? 1 : -1;
}

/* Whether a move may be what a beat has made of the cursor, told once more: whether it leads no
 * further from `was`, where the cursor was before the beat, than two steps. One is the beat's own;
 * the other one, at most, the cursor was off by, if the beat before was being told just then. */
static inline int um_step_is_echo(int32_t x, int32_t y, int32_t was_x, int32_t was_y)
{
    int64_t away = (int64_t)x - was_x;
    return y == was_y && away >= -2 * UM_STEP_PX && away <= 2 * UM_STEP_PX;
}

#endif
