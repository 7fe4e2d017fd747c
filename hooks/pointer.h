/* Whether beats show a pointer that the system has hidden. Windows hides it after touch and pen and
 * while somebody types. A beat is mouse input, so on some machines it may show the pointer again,
 * and make the mouse the device that was used last. The user has not asked for that, so no beat is
 * sent then:
 *   - If the pointer was hidden just before a beat and is shown soon after it, at the same place,
 *     the beat has shown it, unless one before it has left it hidden. Beats are held until the
 *     pointer is elsewhere: until the mouse moves.
 *   - Once that has happened, beats are also held as soon as the pointer is hidden, until it is
 *     shown.
 *
 * A pure function of what the heartbeat thread sees. Portable and freestanding. Units: counter
 * ticks, pixels.
 */
#ifndef UM_HOOKS_POINTER_H
#define UM_HOOKS_POINTER_H

#include <stdint.h>

#define UM_POINTER_SOON_US 50000 /* and a look: what shows the pointer later was not the beat */

/* What the system says. */
struct um_pointer_look {
    uint64_t now;
    uint64_t soon; /* UM_POINTER_SOON_US and the time from one look to the next */
    int known;     /* the system gave an answer */
    int shown;
    int32_t x;
    int32_t y;
};

/* All 0: nothing was seen so far. */
struct um_pointer {
    int shows;     /* a beat has shown a hidden pointer before */
    int doubtful;  /* a beat was sent while the pointer was hidden, and may still show it */
    int survived;  /* that beat has left the pointer hidden, so the next ones will, too */
    int held;      /* no beats now */
    int hidden;    /* the pointer was hidden at some time while beats were held */
    uint64_t sent; /* when the beat of `doubtful` was sent */
    int32_t x;     /* where the pointer was then, or when holding began */
    int32_t y;
};

/* Whether um_pointer_holds needs a look. Where it does not, its answer is 0. */
static inline int um_pointer_matters(const struct um_pointer *pointer)
{
    return pointer->shows || pointer->doubtful || pointer->held;
}

static inline void um_pointer_hold(struct um_pointer *pointer, const struct um_pointer_look *look)
{
    pointer->held = 1;
    pointer->hidden = !look->shown;
    pointer->x = look->x;
    pointer->y = look->y;
}

/* Whether beats are held now. Call it at each look that matters. */
static inline int um_pointer_holds(struct um_pointer *pointer, const struct um_pointer_look *look)
{
    int moved = look->x != pointer->x || look->y != pointer->y;

    if (!look->known)
        return pointer->held;
    if (pointer->held) {
        pointer->held = !look->shown || (!moved && !pointer->hidden);
        pointer->hidden |= !look->shown;
        return pointer->held;
    }
    if (pointer->doubtful) {
        int soon = look->now - pointer->sent <= look->soon;
        if (look->shown && soon && !moved) {
            pointer->shows = 1;
            um_pointer_hold(pointer, look);
        }
        pointer->survived = !look->shown && !soon;
        pointer->doubtful = !look->shown && soon;
    }
    if (pointer->shows && !look->shown)
        um_pointer_hold(pointer, look);
    return pointer->held;
}

/* A beat is sent now; `look` is of just before it. */
static inline void um_pointer_sent(struct um_pointer *pointer, const struct um_pointer_look *look)
{
    if (!look->known || look->shown) {
        pointer->doubtful = pointer->survived = 0;
    } else if (!pointer->doubtful && !pointer->survived) {
        pointer->doubtful = 1;
        pointer->sent = look->now;
        pointer->x = look->x;
        pointer->y = look->y;
    }
}

#endif
