/* Decides when the raw registration is taken back in a long freeze, and when it is made again. A
 * pure function of what the worker sees at each poll.
 *
 * Without uimon, the moves of a mouse are merged while a thread is frozen. With the registration
 * each report of the mouse is a message of its own in that thread's queue, and a queue has a limit:
 * 10,000 is documented for posted messages, and input is likely to share it. A mouse of 8 kHz would
 * fill it within 1.25 s, and then the user's keys and clicks are lost. So the registration is taken
 * back once a beat has waited for UM_RAW_RELEASE_AFTER_MS. The beat stays in the queue and measures
 * the freeze as usual. Once it is dequeued, the registration is made again.
 *
 * The registration is also taken back if no beat may be sent for so long, as with a button held
 * down: the thread can freeze then, too, and no beat would show it.
 *
 * Meanwhile no mouse report is queued behind the beat. So if the thread retrieves a message and no
 * raw input is in its queue, something else has taken the beat, or Windows has dropped it. It is
 * abandoned once two messages within UM_RAW_RELEASE_TWO_MS have found that. A thread at rest
 * retrieves nothing, and would look frozen for as long. So the worker posts messages to the sink,
 * one at a time. In a flood of posted messages, or in a loop that leaves raw input in the queue,
 * the beat is still there. It is kept, because a second one would only wait behind it.
 *
 * Portable and freestanding. Units: counter ticks.
 */
#ifndef UM_HOOKS_RAW_RELEASE_H
#define UM_HOOKS_RAW_RELEASE_H

#include <stdint.h>

#define UM_RAW_RELEASE_AFTER_MS 500
#define UM_RAW_RELEASE_TWO_MS 1000

/* What the worker knows of the outstanding beat. All 0: there is none. */
struct um_raw_release {
    uint32_t tag;
    int held;       /* no beat may be sent */
    uint64_t since; /* the first look that found this tag and `held` */
};

/* Stands for a beat's tag if the registration is taken back although no beat is outstanding. */
#define UM_RAW_RELEASE_NO_BEAT 1

/* What the worker sees. */
struct um_raw_release_look {
    uint64_t now;
    uint64_t ticks_per_s;
    uint32_t tag; /* of the outstanding beat; 0: there is none */
    int gone;     /* the UI thread has found twice that it is in no queue */
    int held;     /* no beat may be sent */
    int lifted;   /* the registration was taken back */
};

enum um_raw_release_step {
    UM_RAW_RELEASE_NOTHING,
    UM_RAW_RELEASE_TAKE_BACK,
    UM_RAW_RELEASE_MAKE_AGAIN,
    UM_RAW_RELEASE_ABANDON /* the beat, after the registration was made again */
};

/* What is to be done now. */
static inline enum um_raw_release_step um_raw_release_next(struct um_raw_release *lift,
                                                           const struct um_raw_release_look *look)
{
    if (look->tag != lift->tag || look->held != lift->held)
        *lift = (struct um_raw_release){.tag = look->tag, .held = look->held, .since = look->now};
    if (!look->lifted)
        return (look->tag || look->held) &&
                       look->now - lift->since >= look->ticks_per_s * UM_RAW_RELEASE_AFTER_MS / 1000
                   ? UM_RAW_RELEASE_TAKE_BACK
                   : UM_RAW_RELEASE_NOTHING;
    if (!look->tag)
        return look->held ? UM_RAW_RELEASE_NOTHING : UM_RAW_RELEASE_MAKE_AGAIN;
    return look->gone ? UM_RAW_RELEASE_ABANDON : UM_RAW_RELEASE_NOTHING;
}

/* The time between two looks of the UI thread for raw input, and the time after a look that has
 * found some. Each look is a system call, some 100 µs under Wine, which is too much for each
 * message of a flood. */
#define UM_RAW_RELEASE_LOOK_MS 250
#define UM_RAW_RELEASE_FOUND_MS 1000

/* The time between two messages of the worker, at least: so exact is the end of a freeze whose beat
 * is gone, if the first message finds other raw input. */
#define UM_RAW_RELEASE_POST_MS 50

/* What the UI thread has found. All 0: nothing yet. */
struct um_raw_release_finds {
    uint32_t tag;   /* of the beat that was out when the registration was taken back */
    uint64_t next;  /* the next look is due then */
    uint64_t first; /* the first of two looks has found none; 0: no look has */
};

/* Whether the UI thread, which retrieves a message, is to look now. Hot path. */
static inline int um_raw_release_looks(struct um_raw_release_finds *finds, uint32_t tag,
                                       uint64_t now)
{
    if (tag != finds->tag)
        *finds = (struct um_raw_release_finds){.tag = tag};
    return now >= finds->next;
}

/* Takes the result of a look. Returns whether two of them, neither too near to one another nor too
 * far apart, have found no raw input: a thread that retrieves one message and freezes again has
 * shown nothing yet. */
static inline int um_raw_release_found(struct um_raw_release_finds *finds, uint64_t now,
                                       uint64_t ticks_per_s, int raw_waits)
{
    finds->next =
        now + ticks_per_s * (raw_waits ? UM_RAW_RELEASE_FOUND_MS : UM_RAW_RELEASE_LOOK_MS) / 1000;
    if (raw_waits) {
        finds->first = 0;
        return 0;
    }
    if (!finds->first || now - finds->first > ticks_per_s * UM_RAW_RELEASE_TWO_MS / 1000)
        finds->first = now;
    return now - finds->first >= ticks_per_s * UM_RAW_RELEASE_LOOK_MS / 1000;
}

#endif
