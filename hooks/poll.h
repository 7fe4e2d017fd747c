/* How long the worker waits until its next look at rings and commands. A pure function of what its
 * last look has found.
 *
 * While a beat is out, or messages are retrieved, it looks each UM_POLL_BUSY_MS: a freeze begins at
 * a DRAINED, and the rings must not fill up. The same while the monitor has a thread suspended,
 * which may have to be resumed. Else it rests until its next sign of life, a DRAINED. The heartbeat
 * thread wakes it with each beat, and if it sees that messages are retrieved; a hook procedure
 * never does. Where the heartbeat thread looks too seldom for that, or calls of window procedures
 * are recorded too, which it does not see, a rest is no longer than UM_POLL_REST_MS.
 *
 * Portable and freestanding. Units: ns.
 */
#ifndef UM_HOOKS_POLL_H
#define UM_HOOKS_POLL_H

#include <stdint.h>

#include "base/plain/clock.h"

#define UM_POLL_BUSY_MS 5
#define UM_POLL_REST_MS 25
#define UM_POLL_LIFE_MS 50 /* DRAINED comes at least so often (ipc/wire.h) */
#define UM_POLL_ASKED_NS (UM_CLOCK_NS_PER_MS / 2)

/* What the last look has found. */
struct um_poll_look {
    uint64_t now;
    uint64_t drained; /* the last DRAINED */
    int asked;        /* the monitor waits for the answer to a question */
    int claimed;      /* the monitor has a thread suspended, which may have to be resumed */
    int paused;       /* beats are paused: the user is away */
    int beat_out;
    int found;   /* records */
    int guarded; /* the heartbeat thread will see what the rings are filled with */
};

/* Whether a DRAINED is due although nothing has happened. It is sent a poll early. */
static inline int um_poll_drained_is_due(uint64_t now, uint64_t drained)
{
    return now - drained >= (UM_POLL_LIFE_MS - UM_POLL_BUSY_MS) * UM_CLOCK_NS_PER_MS;
}

/* Whether the worker may rest until the heartbeat thread wakes it. */
static inline int um_poll_rests(const struct um_poll_look *look)
{
    return !look->asked && !look->claimed && (look->paused || (!look->beat_out && !look->found));
}

static inline uint64_t um_poll_wait(const struct um_poll_look *look)
{
    const uint64_t rest = (look->guarded ? UM_POLL_LIFE_MS : UM_POLL_REST_MS) * UM_CLOCK_NS_PER_MS;
    const uint64_t least = UM_CLOCK_NS_PER_MS;

    if (look->asked)
        return UM_POLL_ASKED_NS;
    if (!um_poll_rests(look))
        return UM_POLL_BUSY_MS * UM_CLOCK_NS_PER_MS;
    uint64_t due = look->drained + (UM_POLL_LIFE_MS - UM_POLL_BUSY_MS) * UM_CLOCK_NS_PER_MS;
    uint64_t left = due > look->now ? due - look->now : 0;
    left = left < least ? least : left;
    return left < rest ? left : rest;
}

#endif
