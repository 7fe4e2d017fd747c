/* The user's own input, from its arrival to the target's painting.
 *
 * A pure state machine of (arrivals, frames of the hook DLL, clock), as the watchdog is. Nothing in
 * here asks for the time, allocates, locks or prints. One INTERACTION frame comes out for each key
 * press, click and step of the wheel. A reader starts at um_interactions_frame, which is on the hot
 * path of the monitor's reader.
 *
 * An interaction has four times. A time that was not observed is 0, and is never made up.
 *
 * dequeued: the TAKEN that STARTS the interaction, or the RELEASE of a button.
 *
 * handled: the first retrieval of anything (a TAKEN, ours included, or a SEEN) after the last
 * message that derives from the interaction. A key's last message is its own, or the character
 * message that is taken before any further key message. A WM_PAINT, or a thread that was seen idle,
 * ends the wait for characters: they are posted, and posted messages come before either.
 *
 * painted: the first retrieval after the next WM_PAINT (PAINT) that was taken since `handled`.
 * - Keys that were dealt with one after the other are painted by the same WM_PAINT.
 * - The WM_PAINT may come up to 1 s after `handled`, because paint waits for everything else.
 * - A thread that was seen idle has no paint pending. A later paint can still be the outcome
 *   (deferred by a timer). It counts up to 250 ms after `handled`, and only before the next
 *   interaction is dequeued.
 * - The thread was seen idle if two beats found it resting. A beat found it resting if the thread's
 *   last retrieval was a beat or marker of ours, which need no handling, more than 2 ms before the
 *   beat was sent.
 *
 * arrival: what the monitor's own raw-input window saw.
 * - Arrivals and dequeues of a kind (and of a button's press or release) come in the same order.
 *   But arrivals include the input of other programs, and some can be missing.
 * - Each dequeue takes the earliest arrival that lies within 20 ms of the message's own time, or
 *   within 2 s before the dequeue where that time is not known. Arrivals that it passes over went
 *   to other programs.
 * - If there are more arrivals than dequeues, a dequeue takes the arrival nearest to the message's
 *   own time, or nearest to the dequeue if the thread had been waiting for input. If there are
 *   fewer, the dequeue that is farther from the arrival gets none.
 * - Arrivals with the message's own time are preferred; of several, the one with the same key, if
 *   keys are kept. Another key is accepted too, because raw input and the message may name a key
 *   differently (VK_HOME and VK_NUMPAD7, or VK_PROCESSKEY).
 * - It is not documented that raw input and messages carry the same time. So arrivals with another
 *   time are accepted until most pairs had the same time. From then on they belong to other keys.
 * - The monitor may get input later than the target. An arrival up to 3 ms after the dequeue counts
 *   as one at the dequeue. An arrival up to 10 ms after it belongs to the dequeue too, but its time
 *   counts as not observed: a delay of 0 would be made up.
 *
 * A click is measured at its press and at its release. The slower of the two is the record: by the
 * time from arrival to painted if both have it, else by the time until handled. It is published
 * when the release or a later press is done, or 1 s after the press was handled. A release after
 * that is a record of its own.
 *
 * A tap of a finger or pen is a click too, from WM_POINTERDOWN to WM_POINTERUP. Its arrival is not
 * observed. A window that does not handle these gets button messages afterwards, which the system
 * makes of them (promoted); then those are the click.
 *
 * The freeze of an interaction is the frozen or starved EPISODE that overlaps the time from arrival
 * (or dequeue) until handled; of several, the one with the longest overlap. A record therefore
 * waits until the watchdog has judged the beat that was outstanding when the interaction was
 * handled.
 *
 * If records of the DLL were lost, times since the last DRAINED before the loss are reset to 0,
 * because the retrieval that counts may have been among those records.
 */
#ifndef UM_MONITOR_INTERACTIONS_H
#define UM_MONITOR_INTERACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "base/arrival.h"
#include "monitor/measure/beats.h"

/* Where INTERACTION frames go, within the call that led to them. */
struct um_interactions_output {
    void *context;
    void (*publish)(void *context, const struct um_wire_frame *frame);
};

/* Everything below is private to interactions.c. */

#define UM_INTERACTIONS_ARRIVALS 1024 /* of each of the four streams */
#define UM_INTERACTIONS_OPEN 1024
#define UM_INTERACTIONS_FREEZES 64
#define UM_INTERACTIONS_STREAMS 4

/* An interaction that was dequeued and is not published yet. */
struct um_interactions_open {
    uint64_t arrival_ns;
    uint64_t dequeued_ns;
    uint64_t handled_ns;
    uint64_t painted_ns;
    uint64_t from_ns;    /* its arrival is not before this, */
    uint64_t to_ns;      /* not after this, */
    uint64_t nearest_ns; /* and most likely at this time */
    uint64_t typed_ns;   /* when `typing` ended; 0: it has not, or this is no key */
    uint64_t hwnd;
    uint32_t key;
    uint32_t own_ms; /* the message's own time, if `own_known` */
    bool own_known;
    uint8_t kind;
    uint8_t stream;
    uint8_t button;
    uint8_t state;
    bool release;
    bool typing;   /* the next character message derives from it */
    uint8_t idles; /* how many beats found the thread resting since it was handled */
    bool matched;  /* `arrival_ns` is final; 0: not observed */
    bool closed;   /* nothing more will be observed of it */
    bool published;
};

/* A ring, in the order of arrival. */
struct um_interactions_stream {
    size_t head;
    size_t len;
    struct {
        uint64_t time_ns;
        uint32_t own_ms;
        uint32_t key;
    } arrivals[UM_INTERACTIONS_ARRIVALS];
};

struct um_interactions_freeze {
    uint64_t start_ns;
    uint64_t end_ns; /* UINT64_MAX: it lasts */
    uint32_t id;     /* 0: none */
};

/* Some 140 KiB: not for the stack. Owner: the caller; nothing to release. Thread: one at a time. */
struct um_interactions {
    struct um_interactions_output output;
    const struct um_beats *beats; /* the watchdog's */
    uint64_t last_ns;             /* latest retrieval */
    uint64_t rest_ns;             /* the same, if the thread has rested since then; else 0 */
    uint64_t proof_ns;            /* when a beat was sent to the resting thread; 0: none was */
    uint64_t drained_ns;
    uint64_t lost_before;    /* `lost` of the latest DRAINED */
    uint64_t seen_ns;        /* when the latest beat was answered */
    uint64_t synced_ns;      /* when that beat was sent */
    uint64_t ready_ns;       /* since when beats have been answered soon; 0: not known */
    uint64_t promoting_hwnd; /* the last window whose touches became button messages; 0: none */
    uint32_t last_id;
    unsigned same_times;  /* how many of the latest pairs had the same own time */
    unsigned other_times; /* how many had not */
    uint64_t lost;
    size_t waiting; /* how many are AT_WORK or PAINTING */
    size_t open_count;
    struct um_interactions_open open[UM_INTERACTIONS_OPEN];
    struct um_interactions_stream streams[UM_INTERACTIONS_STREAMS];
    size_t freezes; /* how many were kept since the start */
    struct um_interactions_freeze freeze[UM_INTERACTIONS_FREEZES];
};

/* Starts with nothing seen.
 * Owner: `beats` stays the watchdog's, and is read as long as the struct is used. */
void um_interactions_init(struct um_interactions *interactions, const struct um_beats *beats,
                          const struct um_interactions_output *output);

/* Takes an arrival that the monitor's own raw-input window saw. When there is no room, the oldest
 * arrival is dropped. It counts as lost if it may belong to a dequeue; otherwise it most likely
 * went to another program. */
void um_interactions_arrived(struct um_interactions *interactions,
                             const struct um_arrival *arrival);

/* Takes a frame from the DLL (HELLO DRAINED SENT SEEN TAKEN; others are ignored), received at
 * `now_ns`, after the watchdog has taken it. Later times in it are replaced by `now_ns`. */
void um_interactions_frame(struct um_interactions *interactions, const struct um_wire_frame *frame,
                           uint64_t now_ns);

/* Takes an EPISODE frame, within the watchdog's call that made it. Interactions that are open may
 * have waited in it; none goes out before the next um_interactions_settle. */
void um_interactions_episode(struct um_interactions *interactions,
                             const struct um_wire_frame *frame);

/* Publishes what is certain by now. Pass all arrivals up to `now_ns` before. */
void um_interactions_settle(struct um_interactions *interactions, uint64_t now_ns);

/* The connection to the DLL was lost, so nothing more is observed of open interactions. The next
 * um_interactions_settle publishes them. */
void um_interactions_detached(struct um_interactions *interactions);

/* The session is over. Publishes everything that is left. */
void um_interactions_stop(struct um_interactions *interactions);

/* How many interactions, and arrivals that may be theirs, were dropped for lack of room. */
uint64_t um_interactions_lost(const struct um_interactions *interactions);

#endif
