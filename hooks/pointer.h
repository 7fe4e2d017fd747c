/* Whether beats show a pointer that the system has hidden. Windows hides it after touch and pen and
 * while somebody types. A beat is mouse input, so on some machines it may show the pointer again,
 * and make the mouse the device that was used last. The user has not asked for that, so no beat is
 * sent then.
 *
 * Each time the pointer is hidden is a test:
 *   - For UM_POINTER_OWN_US no beat is sent. If the pointer is shown meanwhile, its program did
 *     that, and the test says nothing.
 *   - If the pointer is shown soon after the next beat, at the same place, that beat has shown it.
 *     Otherwise beats leave it hidden.
 * Beats show the pointer if two of the last three tests say so. One test may have caught a program
 * that shows its own pointer at that moment. Then beats are held as soon as the pointer is hidden,
 * until it is shown, or until the mouse moves if a beat has shown it just now, but for
 * UM_POINTER_HELD_US at most. After that, and each UM_POINTER_ANEW-th time, there is a test again.
 *
 * A pure function of what the heartbeat thread sees. Portable and freestanding. Units: counter
 * ticks, pixels.
 */
#ifndef UM_HOOKS_POINTER_H
#define UM_HOOKS_POINTER_H

#include <stdint.h>

#define UM_POINTER_OWN_US 60000
#define UM_POINTER_SOON_US 50000 /* and a look: what shows the pointer later was not the beat */
#define UM_POINTER_HELD_US 60000000
#define UM_POINTER_ANEW 8
#define UM_POINTER_TESTS 3 /* that count; a test of 1 bit each */

/* What the system says. */
struct um_pointer_look {
    uint64_t now;
    uint64_t own;  /* UM_POINTER_OWN_US */
    uint64_t most; /* UM_POINTER_HELD_US */
    uint64_t soon; /* UM_POINTER_SOON_US and the time from one look to the next */
    int known;     /* the system gave an answer */
    int shown;
    int32_t x;
    int32_t y;
};

enum um_pointer_phase {
    UM_POINTER_SHOWN,
    UM_POINTER_WAITS,    /* it is hidden, and no beat is sent for a moment */
    UM_POINTER_READY,    /* the next beat is the test's */
    UM_POINTER_TESTED,   /* that beat was sent, and may still show it */
    UM_POINTER_SURVIVED, /* that beat has left it hidden, so the next ones will, too */
    UM_POINTER_HELD      /* no beats now */
};

/* All 0: nothing was seen so far. */
struct um_pointer {
    enum um_pointer_phase phase;
    uint32_t tests;    /* the last ones; 1: a beat has shown the pointer */
    uint32_t untested; /* how often beats were held without a test, since the last one */
    int hidden;        /* HELD: it was hidden at some time */
    uint64_t since;    /* WAITS, HELD: when that began; TESTED: when the beat was sent */
    int32_t x;         /* TESTED: where it was then; HELD: where it was when that began */
    int32_t y;
};

/* Whether the pointer is to be looked at once a period. It is before each beat in any case. */
static inline int um_pointer_matters(const struct um_pointer *pointer)
{
    return pointer->phase != UM_POINTER_SHOWN && pointer->phase != UM_POINTER_SURVIVED;
}

/* Whether beats are held because of it. */
static inline int um_pointer_holds(const struct um_pointer *pointer)
{
    return pointer->phase == UM_POINTER_HELD;
}

/* Whether a beat may be sent now, as far as the pointer is concerned. */
static inline int um_pointer_allows(const struct um_pointer *pointer)
{
    return pointer->phase != UM_POINTER_HELD && pointer->phase != UM_POINTER_WAITS;
}

/* Whether beats show the pointer, by the tests. */
static inline int um_pointer_is_shown_by_beats(const struct um_pointer *pointer)
{
    int count = 0;
    for (int i = 0; i < UM_POINTER_TESTS; i++)
        count += (pointer->tests >> i & 1) != 0;
    return count * 2 > UM_POINTER_TESTS;
}

static inline void um_pointer_hold(struct um_pointer *pointer, const struct um_pointer_look *look)
{
    pointer->phase = UM_POINTER_HELD;
    pointer->hidden = !look->shown;
    pointer->since = look->now;
    pointer->x = look->x;
    pointer->y = look->y;
}

static inline void um_pointer_test(struct um_pointer *pointer, uint32_t by_beat)
{
    pointer->tests = pointer->tests << 1 | by_beat;
    pointer->untested = 0;
}

/* The pointer is hidden, and was shown before. */
static inline void um_pointer_hide(struct um_pointer *pointer, const struct um_pointer_look *look)
{
    if (um_pointer_is_shown_by_beats(pointer) && ++pointer->untested < UM_POINTER_ANEW) {
        um_pointer_hold(pointer, look);
        return;
    }
    pointer->phase = UM_POINTER_WAITS;
    pointer->since = look->now;
}

/* A test's beat is out. */
static inline void um_pointer_await(struct um_pointer *pointer, const struct um_pointer_look *look)
{
    int moved = look->x != pointer->x || look->y != pointer->y;
    int soon = look->now - pointer->since <= look->soon;
    if (!look->shown) {
        if (soon)
            return;
        um_pointer_test(pointer, 0);
        pointer->phase = UM_POINTER_SURVIVED;
        return;
    }
    pointer->phase = UM_POINTER_SHOWN;
    if (moved)
        return; /* the mouse has shown it */
    um_pointer_test(pointer, soon ? 1 : 0);
    if (soon && um_pointer_is_shown_by_beats(pointer))
        um_pointer_hold(pointer, look);
}

/* Takes a look. Call it once a period if um_pointer_matters, and before each beat. */
static inline void um_pointer_see(struct um_pointer *pointer, const struct um_pointer_look *look)
{
    int moved = look->x != pointer->x || look->y != pointer->y;

    if (!look->known) {
        if (pointer->phase == UM_POINTER_WAITS)
            pointer->phase = UM_POINTER_SHOWN;
        return;
    }
    switch (pointer->phase) {
    case UM_POINTER_SHOWN:
        if (!look->shown)
            um_pointer_hide(pointer, look);
        break;
    case UM_POINTER_TESTED:
        um_pointer_await(pointer, look);
        break;
    case UM_POINTER_HELD:
        if (look->shown && (moved || pointer->hidden))
            pointer->phase = UM_POINTER_SHOWN;
        pointer->hidden |= !look->shown;
        if (pointer->phase == UM_POINTER_HELD && look->now - pointer->since >= look->most) {
            pointer->phase = look->shown ? UM_POINTER_SHOWN : UM_POINTER_WAITS;
            pointer->since = look->now;
        }
        break;
    default: /* it is hidden, and beats have not shown it */
        if (look->shown)
            pointer->phase = UM_POINTER_SHOWN;
        else if (pointer->phase == UM_POINTER_WAITS && look->now - pointer->since >= look->own)
            pointer->phase = UM_POINTER_READY;
        break;
    }
}

/* A beat is sent now; `look` is of just before it, and was seen. */
static inline void um_pointer_sent(struct um_pointer *pointer, const struct um_pointer_look *look)
{
    if (pointer->phase != UM_POINTER_READY || !look->known)
        return;
    pointer->phase = UM_POINTER_TESTED;
    pointer->since = look->now;
    pointer->x = look->x;
    pointer->y = look->y;
}

#endif
