/* When the next beat is due. A pure function of what the heartbeat thread sees, look by look.
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
 * Each look wakes a thread in the target, so there are fewer of them once nothing of the first
 * three kinds has happened for UM_PACE_QUIET_US, and no beat had to wait: the next is
 * UM_PACE_CALM_US later, or somewhat less, so that a beat is due at one of them. The first work
 * after such a rest is seen so much later.
 *
 * Portable and freestanding. Units: counter ticks.
 */
#ifndef UM_BASE_PACE_H
#define UM_BASE_PACE_H

#include <stdint.h>

#define UM_PACE_CLOCK_US 16000  /* the cycles of a running thread are updated at least so often */
#define UM_PACE_QUIET_US 100000 /* after so long without work, */
#define UM_PACE_CALM_US 25000   /* looks are so far apart, at most */

/* What is known since the last beat was sent, and when there was work last. All 0: none was. */
struct um_pace {
    uint64_t busy;    /* the last look that found work or input; first, the first look */
    uint64_t looked;  /* the last um_pace_next; 0: there was none since the last beat */
    uint64_t next;    /* the look that it announced */
    uint64_t sent;    /* the last beat */
    uint64_t cycles;  /* of the UI thread, at the last look; 0: not known */
    uint64_t still;   /* the first look that found this number of cycles */
    uint64_t rested;  /* the thread is known to have rested then; 0: not known */
    uint32_t skipped; /* how many beats were not sent because the thread rested: one a period */
    int left_out;     /* later looks found the thread at work, and still no beat was due */
};

/* What the heartbeat thread sees. */
struct um_pace_look {
    uint64_t now;
    uint64_t period;
    uint64_t rest;       /* between two beats to a thread at rest */
    uint64_t full_until; /* the full rate was asked for until then */
    uint64_t cycles;     /* of the UI thread; 0: not known */
    uint64_t ticks_per_s;
    int waits;   /* a beat is outstanding */
    int worked;  /* the UI thread has retrieved something of its own since it answered */
    int sparing; /* beats would disturb somebody else */
};

static inline uint64_t um_pace_ticks(const struct um_pace_look *look, uint32_t us)
{
    return us * look->ticks_per_s / 1000000;
}

/* Takes the thread's cycles. Returns whether they show that it has run since it rested. Once beats
 * were left out for a thread at work, its cycles are ignored: they stand still also if the thread
 * is frozen and waits. */
static inline int um_pace_has_run(struct um_pace *pace, const struct um_pace_look *look)
{
    uint64_t clock = um_pace_ticks(look, UM_PACE_CLOCK_US);
    if (!look->cycles || pace->left_out)
        return 0;
    if (look->cycles == pace->cycles) {
        if (look->now >= pace->still + clock)
            pace->rested = look->now - clock;
        return 0;
    }
    pace->cycles = look->cycles;
    pace->still = look->now;
    return pace->rested != 0;
}

/* How many beats at the full rate there would have been since the last one. */
static inline uint64_t um_pace_periods(const struct um_pace *pace, const struct um_pace_look *look,
                                       uint64_t until)
{
    return (until - pace->sent + look->period / 2) / look->period;
}

/* Counts the beats that were left out at rest since the last look. If a beat `is_due`, one of them
 * is sent now. A look that does not come as announced counts for one period: a beat was outstanding
 * before it, or none could be sent. */
static inline void um_pace_count(struct um_pace *pace, const struct um_pace_look *look, int is_due)
{
    int announced = pace->looked && look->now <= pace->next + look->period / 2;
    uint64_t from = announced ? pace->looked : look->now - look->period;
    uint64_t count =
        um_pace_periods(pace, look, look->now) - um_pace_periods(pace, look, from) - (is_due != 0);
    if ((int64_t)count > 0)
        pace->skipped += (uint32_t)count;
}

/* Whether a beat is due. Call it at each look while no beat is outstanding. */
static inline int um_pace_is_due(struct um_pace *pace, const struct um_pace_look *look)
{
    int busy = um_pace_has_run(pace, look) || look->worked;
    int full = busy || look->now < look->full_until;
    int passed = look->now + look->period / 2 >= pace->sent + look->rest;
    int is_due = !pace->sent || look->rest <= look->period || (full && !look->sparing) || passed;
    if (!pace->sent || full)
        pace->busy = look->now;
    if (!is_due && busy)
        pace->left_out = 1;
    else if (pace->sent && !busy && !pace->left_out)
        um_pace_count(pace, look, is_due);
    return is_due;
}

/* How far apart looks are in a rest: equal parts of what is left until a beat is due. */
static inline uint64_t um_pace_calm(const struct um_pace *pace, const struct um_pace_look *look)
{
    uint64_t most = um_pace_ticks(look, UM_PACE_CALM_US);
    uint64_t due = pace->sent + look->rest;
    uint64_t left = due > look->now ? due - look->now : 0;
    uint64_t looks = (left + most - 1) / most;
    return looks ? left / looks : 0;
}

/* Returns how long it is until the next look. Call it after each look. */
static inline uint64_t um_pace_next(struct um_pace *pace, const struct um_pace_look *look)
{
    if (look->waits && look->now >= pace->sent + look->period)
        pace->busy = look->now;
    int is_quiet = pace->sent && look->now >= pace->busy + um_pace_ticks(look, UM_PACE_QUIET_US);
    uint64_t apart = is_quiet ? um_pace_calm(pace, look) : 0;
    if (apart < look->period)
        apart = look->period;
    pace->looked = look->now;
    pace->next = look->now + apart;
    return apart;
}

/* A beat is sent now, with what is known of the rest before it. */
static inline void um_pace_sent(struct um_pace *pace, uint64_t now)
{
    *pace = (struct um_pace){.busy = pace->busy, .sent = now};
}

#endif
