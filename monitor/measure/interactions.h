/* The user's own input, from its arrival to what the target made of it.
 *
 * A pure state machine of (arrivals, frames of the hook DLL, clock), as the watchdog is: nothing in
 * here asks for the time, allocates, locks or prints. Arrivals and frames go in, one INTERACTION
 * frame for each key press, click and step of the wheel comes out. A reader starts at
 * um_interactions_frame, which is on the hot path of the monitor's reader.
 *
 * The four times of an interaction. What was not observed is 0 and is never made up.
 *   dequeued  The TAKEN that STARTS it, or a button's RELEASE.
 *   handled   The first retrieval of anything (a TAKEN, ours included, or a SEEN) after the last
 *             message that derives from it. For a key that is the first one after the key's own
 *             message, unless a character message is taken before any further key message: then it
 *             is the first one after that. A WM_PAINT, or a thread that was seen idle, ends the
 *             wait for characters: they are posted, and posted messages come before either.
 *   painted   The first retrieval after the next WM_PAINT (PAINT) that was taken since `handled`.
 *             Keys that were dealt with one after the other are painted by the same one. As long as
 *             nothing speaks against it the WM_PAINT may come up to 1 s after `handled`: paint
 *             waits for everything else. Once the thread was seen idle, no paint was pending; a
 *             later one can still be the outcome (deferred by a timer), but counts only up to 250
 *             ms after `handled` and before the next interaction is dequeued. The thread was seen
 *             idle if two beats were each sent more than 2 ms after it had taken a beat or a marker
 *             of ours, which need no handling, and it had taken nothing in between.
 *   arrival   Arrivals and dequeues of a kind (and of a button's press or release) come in the same
 *             order, but arrivals include the input of other programs, and some can be missing. So
 *             each dequeue takes the earliest arrival that lies within 20 ms of the message's own
 *             time (2 s before the dequeue where that is not known); what it passes over went
 *             elsewhere. Where there are more arrivals than dequeues, it takes the one nearest to
 *             that time, or to the dequeue if the thread had been waiting for it; where there are
 *             fewer, the dequeue that is farther from it goes without. With keys kept, arrivals of
 *             the same key go first; but others count as well, since what raw input calls VK_HOME
 *             is VK_NUMPAD7 in the message, or VK_PROCESSKEY. The monitor may be told of input
 *             later than the target. Up to 3 ms after the dequeue that is an arrival at the
 *             dequeue, since it was there by then. Up to 10 ms it is this one's too, but when it
 *             arrived was not observed: a delay of 0 would be made up.
 *
 * A click is measured at its press and at its release, and the worse of the two is the record: by
 * the time from arrival to painted if both have it, else until handled. It is told when the release
 * is through, or when a later press is, or when 1 s went by since the press was handled; a release
 * after that is a record of its own.
 *
 * The freeze is the frozen or starved EPISODE that overlaps the time from arrival (or dequeue)
 * until handled, the longest overlap if there are several. A record therefore waits until the beat
 * that was out when it was handled has been judged.
 *
 * Where records of the DLL were lost, what was observed since the last MARK before the loss is
 * taken back: the retrieval that counts may have been among them.
 */
#ifndef UM_MONITOR_INTERACTIONS_H
#define UM_MONITOR_INTERACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "monitor/base/arrival.h"
#include "monitor/measure/beats.h"

struct um_interactions_options {
    uint64_t threshold_ns; /* the watchdog's */
};

/* Where INTERACTION frames go, within the call that led to them. */
struct um_interactions_sink {
    void *context;
    void (*feed)(void *context, const struct um_wire_frame *frame);
};

/* Everything below is private to interactions.c. */

#define UM_INTERACTIONS_ARRIVALS 1024 /* of each of the four streams */
#define UM_INTERACTIONS_OPEN 1024
#define UM_INTERACTIONS_FREEZES 64
#define UM_INTERACTIONS_STREAMS 4

struct um_interactions_open { /* dequeued, and not told yet */
    uint64_t arrival_ns;
    uint64_t dequeued_ns;
    uint64_t handled_ns;
    uint64_t painted_ns;
    uint64_t from_ns;    /* its arrival lies between this */
    uint64_t to_ns;      /* and this, */
    uint64_t nearest_ns; /* and close to this */
    uint64_t typed_ns;   /* when `typing` ended; 0: it has not, or it is no key */
    uint32_t key;
    uint8_t kind;
    uint8_t stream;
    uint8_t button;
    uint8_t state;
    bool release;
    bool typing;   /* a character that is taken now derives from it */
    uint8_t idles; /* how often the thread was seen idle since it was handled */
    bool matched;  /* `arrival_ns` is final; 0: not observed */
    bool closed;   /* nothing more will be heard of it */
    bool told;
};

struct um_interactions_stream { /* a ring, in the order of arrival */
    size_t head;
    size_t len;
    struct {
        uint64_t time_ns;
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
    struct um_interactions_options options;
    struct um_interactions_sink sink;
    const struct um_beats *beats; /* the watchdog's */
    uint64_t last_ns;             /* latest retrieval */
    uint64_t rest_ns;             /* the same if it left the thread with nothing to do; else 0 */
    uint64_t proof_ns;            /* a beat that was sent while it had nothing to do; 0: none */
    uint64_t mark_ns;
    uint64_t lost_mark;
    uint64_t seen_ns;   /* latest answer to a beat, */
    uint64_t synced_ns; /* and when that was sent */
    uint64_t ready_ns;  /* since then beats have been answered soon; 0: not known */
    uint32_t last_id;
    uint64_t lost;
    size_t waiting; /* how many want to know of the next retrieval */
    size_t open_count;
    struct um_interactions_open open[UM_INTERACTIONS_OPEN];
    struct um_interactions_stream streams[UM_INTERACTIONS_STREAMS];
    size_t freezes; /* ever kept */
    struct um_interactions_freeze freeze[UM_INTERACTIONS_FREEZES];
};

/* Starts with nothing seen. Options and sink are copied.
 * Owner: `beats` stays the watchdog's, and is read as long as the struct is used. */
void um_interactions_init(struct um_interactions *interactions,
                          const struct um_interactions_options *options,
                          const struct um_beats *beats, const struct um_interactions_sink *sink);

/* Takes what the monitor's own raw-input sink saw, in that order. When all places are taken the
 * oldest arrival gives way. It counts as lost if it may be that of something that was dequeued;
 * else it was most likely typed into another program. */
void um_interactions_arrived(struct um_interactions *interactions,
                             const struct um_arrival *arrival);

/* Takes a frame from the DLL (HELLO MARK SENT SEEN TAKEN; others are ignored), received at `now_ns`,
 * after the watchdog has taken it. Stamps later than `now_ns` are taken as `now_ns`. */
void um_interactions_frame(struct um_interactions *interactions, const struct um_wire_frame *frame,
                           uint64_t now_ns);

/* Takes an EPISODE frame, within the watchdog's call that made it. Interactions that are open may
 * have waited in it; none goes out before the next um_interactions_settle. */
void um_interactions_episode(struct um_interactions *interactions,
                             const struct um_wire_frame *frame);

/* Tells what is certain by now. All arrivals up to `now_ns` have been handed in before. */
void um_interactions_settle(struct um_interactions *interactions, uint64_t now_ns);

/* The connection to the DLL was lost: what is open will not be observed any further, and is told by
 * the next um_interactions_settle. */
void um_interactions_detached(struct um_interactions *interactions);

/* The session is over: tells everything that is left. */
void um_interactions_stop(struct um_interactions *interactions);

/* Interactions, and arrivals that may be theirs, that found no place. */
uint64_t um_interactions_lost(const struct um_interactions *interactions);

#endif
