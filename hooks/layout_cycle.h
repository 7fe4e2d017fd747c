/* Where a frame of the layout ends, by the messages that the UI thread retrieves: before each that
 * is no WM_PAINT, and before the WM_PAINT of a window that has painted in this frame. So a program
 * that paints without end and retrieves nothing else has frames, too.
 *
 * Our own messages end no frame, except two beats in a row without a record between them: the
 * thread rests then, and would have painted by now. So a frame is told soon, also if nobody does
 * anything after it.
 *
 * The low 16 bits of a window's handle are its place in the system's table of windows, so no two
 * windows that exist have the same ones. That is not documented. Where it were otherwise, a frame
 * would end early, as it does when a window takes the place of one that was destroyed within it.
 *
 * On the hot path. Freestanding and portable. Thread: the UI thread.
 */
#ifndef UM_HOOKS_LAYOUT_CYCLE_H
#define UM_HOOKS_LAYOUT_CYCLE_H

#include <stdint.h>

#define UM_LAYOUT_CYCLE_PLACES 65536
#define UM_LAYOUT_CYCLE_FEW 16 /* so many are forgotten one by one, more all at once */

/* Zeroed, nothing was recorded. */
struct um_layout_cycle {
    int has_records; /* of this frame */
    int rests;       /* a beat has come since the last of them */
    uint32_t count;  /* windows that have painted in this frame */
    uint16_t few[UM_LAYOUT_CYCLE_FEW];
    uint32_t painted[UM_LAYOUT_CYCLE_PLACES / 32]; /* a bit for each place */
};

/* A record of a frame was made. */
static inline void um_layout_cycle_recorded(struct um_layout_cycle *cycle)
{
    cycle->has_records = 1;
    cycle->rests = 0;
}

/* The next record is the first of a frame. */
static inline void um_layout_cycle_forget(struct um_layout_cycle *cycle)
{
    cycle->has_records = cycle->rests = 0;
    if (cycle->count <= UM_LAYOUT_CYCLE_FEW)
        for (uint32_t i = 0; i < cycle->count; i++)
            cycle->painted[cycle->few[i] / 32] = 0;
    else
        for (uint32_t i = 0; i < UM_LAYOUT_CYCLE_PLACES / 32; i++)
            cycle->painted[i] = 0;
    cycle->count = 0;
}

/* A message of the program is retrieved: `window` has to paint, or 0: it is any other message.
 * Returns whether a frame ends before it. */
static inline int um_layout_cycle_ends(struct um_layout_cycle *cycle, uint32_t window)
{
    uint16_t place = (uint16_t)window;
    uint32_t bit = UINT32_C(1) << place % 32;
    int is_over = window == 0 || (cycle->painted[place / 32] & bit) != 0;
    int ends = is_over && cycle->has_records;
    if (is_over)
        um_layout_cycle_forget(cycle);
    if (window == 0)
        return ends;
    if (cycle->count < UM_LAYOUT_CYCLE_FEW)
        cycle->few[cycle->count] = place;
    cycle->count++;
    cycle->painted[place / 32] |= bit;
    return ends;
}

/* A beat is retrieved. Returns whether a frame ends before it. */
static inline int um_layout_cycle_beat_ends(struct um_layout_cycle *cycle)
{
    int ends = cycle->has_records && cycle->rests;
    cycle->rests = 1;
    if (ends)
        um_layout_cycle_forget(cycle);
    return ends;
}

#endif
