/* When the next beat is due. A pure function of what the heartbeat thread sees once a period.
 *
 * A program at rest often has work for idle time: a toolkit calls its idle handlers each time the
 * queue has become empty. Beats at the full rate would drive that work. So once the UI thread has
 * answered a beat, the next one is due only when
 *   - the thread has retrieved something of its own since: it is at work, or
 *   - the user's input arrives (the monitor asks for the full rate then), or
 *   - the thread has run since, as its count of processor cycles shows: a sent message or an event
 *     has woken it, or
 *   - the rest period has passed.
 * Only the last of these holds where beats would disturb another program: one that is in front and
 * gets the beats too, or one whose hung window is under the cursor, where they pile up. A busy
 * thread then gets fewer beats than usual, and what it did meanwhile is not known.
 *
 * The cycles count only once they have stood still, because the thread also runs for the work that
 * the beat itself has caused. The counter of a thread that runs without a break may be updated at
 * the clock interrupt alone (up to 16 ms). So a counter that has stood still until now shows that
 * the thread rested 16 ms ago. Whether QueryThreadCycleTime is that exact is not documented. Where
 * it fails (Wine 8), only the other conditions apply.
 *
 * Portable and freestanding. Units: counter ticks.
 */
#ifndef UM_BASE_PACE_H
#define UM_BASE_PACE_H

#include <stdint.h>

#define UM_PACE_CLOCK_US 16000 /* the cycles of a running thread are updated at least so often */

/* What is known since the last beat was sent. All 0: none was. */
struct um_pace {
    uint64_t sent;    /* the last beat */
    uint64_t cycles;  /* of the UI thread, at the last look; 0: not known */
    uint64_t still;   /* the first look that found this number of cycles */
    uint64_t rested;  /* the thread is known to have rested then; 0: not known */
    uint32_t skipped; /* how many looks found no beat due because the thread rested */
    int left_out;     /* later looks found the thread at work, and still no beat was due */
};

/* What the heartbeat thread sees. */
struct um_pace_look {
    uint64_t now;
    uint64_t period;
    uint64_t rest;       /* between two beats to a thread at rest */
    uint64_t full_until; /* the full rate was asked for until then */
    uint64_t cycles;     /* of the UI thread; 0: not known */
    uint64_t clock;      /* UM_PACE_CLOCK_US */
    int worked;          /* the UI thread has retrieved something of its own since it answered */
    int sparing;         /* beats would disturb somebody else */
};

/* Takes the thread's cycles. Returns whether they show that it has run since it rested. Once beats
 * were left out for a thread at work, its cycles are ignored: they stand still also if the thread
 * is frozen and waits. */
static inline int um_pace_has_run(struct um_pace *pace, const struct um_pace_look *look)
{
    if (!look->cycles || pace->left_out)
        return 0;
    if (look->cycles == pace->cycles) {
        if (look->now >= pace->still + look->clock)
            pace->rested = look->now - look->clock;
        return 0;
    }
    pace->cycles = look->cycles;
    pace->still = look->now;
    return pace->rested != 0;
}

/* Whether a beat is due. Call it once a period while no beat is outstanding. */
static inline int um_pace_is_due(struct um_pace *pace, const struct um_pace_look *look)
{
    int busy = um_pace_has_run(pace, look) || look->worked;
    int full = busy || look->now < look->full_until;
    if (!pace->sent || look->rest <= look->period || (full && !look->sparing) ||
        look->now + look->period / 2 >= pace->sent + look->rest)
        return 1;
    if (busy)
        pace->left_out = 1;
    else if (!pace->left_out)
        pace->skipped++;
    return 0;
}

/* A beat is sent now, with what is known of the rest before it. */
static inline void um_pace_sent(struct um_pace *pace, uint64_t now)
{
    *pace = (struct um_pace){.sent = now};
}

#endif
