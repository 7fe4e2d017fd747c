/* The pings that are out, and what their answers prove. A pure state machine: pings, answers and
 * looks at the target's thread go in, and what to do about them comes out. Readers start at
 * um_pings_poll. On the hot path of the X11 source; never blocks.
 *
 * The first ping is a beat. If its answer is late, others ask again, because a ping may be lost:
 *   - A thread that was busy answers all of them at once when it is back. That is a freeze, which
 *     ended with the first answer.
 *   - The answer of a later one alone says that the first one was lost.
 *   - A thread that has answered the first and waits UM_PINGS_TOGETHER_NS later, although others
 *     are unanswered, may be that of a program that delays its answers by a timer. They prove
 *     nothing if the thread has waited and woken UM_PINGS_WAKES times since the beat. A thread that
 *     waits for a lock waits once.
 *   - A thread that has woken so often and answers none for UM_PINGS_SILENT_NS may have stopped
 *     answering: it is silent. A thread that works with files wakes often, too. So the beat stays
 *     out, and is a freeze if all answers come at last.
 * A target is proven once it has answered in time or all at once. Until then, and after a lost or
 * silent beat, the next beat is a trial: nothing is known of the target while its answer is late.
 *
 * Some programs answer with the time 0. Their answers are taken to come in order, and name no ping;
 * so one of them counts only if all pings are answered, and after a lost one no ping is sent until
 * its answer would have come.
 */
#ifndef UM_MONITOR_PINGS_H
#define UM_MONITOR_PINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/clock.h"

#define UM_PINGS_AGAIN_NS (60 * UM_CLOCK_NS_PER_MS)    /* without an answer: another ping */
#define UM_PINGS_APART_NS (1000 * UM_CLOCK_NS_PER_MS)  /* at most, between two of these */
#define UM_PINGS_TOGETHER_NS (50 * UM_CLOCK_NS_PER_MS) /* answers so close come at once */
#define UM_PINGS_SILENT_NS (1000 * UM_CLOCK_NS_PER_MS)
#define UM_PINGS_WAKES 3

/* What to do. */
enum um_pings_step {
    UM_PINGS_WAIT,     /* nothing */
    UM_PINGS_AGAIN,    /* send another ping, and say so with um_pings_sent */
    UM_PINGS_ANSWERED, /* the beat was answered at `answered_ns`; no ping is out now */
    UM_PINGS_LOST,     /* nothing is known of the time since the beat; no ping is out now */
    UM_PINGS_LATE,     /* the same of a trial, and the pings stay out. Once for a beat */
    UM_PINGS_SILENT    /* the same, and the target seems to answer none. Once for a beat */
};

/* Owner: the caller, as a plain struct. All 0: nothing was sent. Thread: one. */
struct um_pings {
    bool proven;
    bool unknown;         /* nothing is known of the time since the beat that is out */
    uint64_t sent_ns;     /* of the beat; 0: no ping is out */
    uint32_t beat;        /* its tag */
    uint64_t answered_ns; /* of the last beat, or of the first answer since the beat that is out */

    /* Private. */
    uint32_t last;       /* the tag of the last ping */
    uint64_t asked_ns;   /* when that was sent, or the target last stopped after it */
    uint64_t awaited_ns; /* the same of the beat */
    uint64_t apart_ns;   /* from there to the next one */
    uint32_t unanswered; /* pings that are out */
    uint64_t heard_ns;   /* the last answer since the beat; 0: none */
    uint32_t heard;      /* its tag; 0: it had none */
    bool first_answered; /* the beat itself has an answer, or that may be its own */
    bool silent;         /* the beat that is out is */
    bool unnamed;        /* the target has given answers without a tag */
    bool waiting;        /* its thread was, at the last look */
    uint64_t quiet_ns;   /* until then no ping is sent */
    uint64_t wakes;      /* of the target's thread since the beat */
    uint64_t waits;      /* at the last look */
    bool looked;         /* that is known */
};

/* A ping with this tag goes out. Tags grow and are not 0. If none is out, it is a beat. */
void um_pings_sent(struct um_pings *pings, uint32_t tag, uint64_t now_ns);

/* Takes an answer; tag 0: it names none. False: it belongs to no ping that is out. */
bool um_pings_answer(struct um_pings *pings, uint32_t tag, uint64_t now_ns);

/* A look at the target's thread: how often it has gone to wait in its life, and whether it waits.
 */
void um_pings_look(struct um_pings *pings, uint64_t waits, bool waiting);

/* Its process is stopped. That wakes a thread, too, and does not count; nor is an answer late. */
void um_pings_stopped(struct um_pings *pings, uint64_t now_ns);

/* No ping counts as out any more. */
void um_pings_forget(struct um_pings *pings, uint64_t now_ns);

/* Whether no ping can be sent because the answers of forgotten ones may still come. */
bool um_pings_is_quiet(const struct um_pings *pings, uint64_t now_ns);

/* Whether a beat may be sent. */
bool um_pings_may_send(const struct um_pings *pings, uint64_t now_ns);

/* When to poll next at the latest, if a ping is out. */
uint64_t um_pings_due_ns(const struct um_pings *pings);

/* Whether the target's thread goes on although a ping is out, so that nothing is known of it. */
bool um_pings_goes_on(const struct um_pings *pings);

/* What to do now. `open`: the server lets answers through. A lost beat and a silent one take the
 * proof from the target. */
enum um_pings_step um_pings_poll(struct um_pings *pings, bool open, uint64_t now_ns);

#endif
