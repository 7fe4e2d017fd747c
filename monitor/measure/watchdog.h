/* The watchdog: turns what the hook DLL reports into latencies, episodes and states.
 *
 * This is the centre of the product. It is a pure state machine of (events, clock): wire frames go
 * in, wire frames come out, and nothing in here asks for the time, allocates, locks or prints.
 * Readers start at um_watchdog_frame, and go on to stretch.h. um_watchdog_frame is on the hot path
 * of the monitor's reader (about 10 ns a frame).
 *
 * A beat is outstanding from SENT until SEEN. What lies around it, with the retrievals of the UI
 * thread (TAKEN, and SEEN itself), is its stretch; stretch.h has the rules for where an episode
 * starts, how long it was and who is the suspect. It ends when the beat is dequeued. `frozen` if
 * the largest gap between retrievals reaches the threshold, else `starved`. Over `slow` but under
 * the threshold: one frame, BEGIN and END at once. All lengths are awake time (awake.h).
 *
 * A live begin is judged at the time of a MARK, never at the monitor's: a SEEN that is still in the
 * DLL's ring cannot make a false freeze. An end may say another state than its begin.
 * Episodes may overlap (a suspension within a freeze, a freeze while idle); states may not.
 *
 * What cannot be known, and what is done about it:
 *   - A beat that was replaced by another without having been seen counts as lost. If records were
 *     lost meanwhile its time is `blind` (if it reaches `slow`), otherwise it is judged up to the
 *     last MARK before. While a loss is recent no episode begins live, and an episode with a loss
 *     in it is `starved`, starts when its beat was sent, and has neither peak nor suspect.
 *   - A beat that waited in a loop that leaves beats out gives no latency (no BEAT frame): the
 *     user's input did not wait for it. It counts as seen if it is seen at last.
 *   - A beat sent while the probe is not ACTIVE is a trial: it counts if ACTIVE or SEEN follows.
 *     REFUSED makes the outstanding beat one that was never sent.
 *   - Detached, BYE: an outstanding beat is judged up to the last MARK. PAUSED: it may still be
 *     answered; other reasons for being blind end with the pause.
 *   - A PROBE that switches (another probe or reason, or ACTIVE once more): the DLL has forgotten
 *     the outstanding beat, which may have gone to somebody else. It is lost, and from its send on
 *     blind, also if it had begun as a freeze.
 *   - OFF_TARGET: the same, unless a freeze had begun: the beat had waited in the target's queue
 *     for the whole threshold before the cursor left, so that the freeze is true and ends (for all
 *     we know) at the PROBE. If it goes on it cannot be seen: blind.
 *   - A freeze whose beat is never answered (given up, or the session ends) feeds a BEAT that says
 *     AT_LEAST: what the beat had waited by the last MARK. It is not among `beats_seen`.
 *   - Detached: known until the last sign of life, then blind until the next SENT, or until a PROBE
 *     says that none will come.
 *   - A suspension reaches from one sign of life to the next, so it takes up to two MARK intervals
 *     (5 ms each while a beat is out) of running time with it. Every DLL frame is a sign of life.
 *   - An episode that lasts at the end of the session ends then (OPEN); one that has not begun by
 *     the last MARK is judged up to it. A session that ends in a silence that the monitor itself
 *     slept through is blind since the last sign of life.
 *   - Peaks of suspended, blind and idle are 0 (not measured).
 */
#ifndef UM_MONITOR_WATCHDOG_H
#define UM_MONITOR_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "monitor/measure/awake.h"
#include "monitor/measure/beats.h"
#include "monitor/measure/episodes.h"
#include "monitor/measure/stretch.h"

struct um_watchdog_options {
    uint64_t threshold_ns; /* a freeze is at least this long; 0 is taken as 1 */
    uint64_t slow_ns;      /* `slow` is at least this long and shorter than a freeze; 0: never */
    uint64_t period_ns;    /* between two beats */
    bool control;          /* um_watchdog_control is called for the beats the monitor itself sees */
};

/* Where conclusions go, within the call that led to them. `feed` gets BEAT, GAP and EPISODE (the
 * window class left empty), `command` gets ABANDON for the DLL. Both must be set and must not call
 * back into the watchdog other than um_watchdog_view. */
struct um_watchdog_sink {
    void *context;
    void (*feed)(void *context, const struct um_wire_frame *frame);
    void (*command)(void *context, const struct um_wire_frame *frame);
};

/* What is known at one moment: for the STATUS frame ten times a second and for the summary. */
struct um_watchdog_view {
    uint64_t started_ns;  /* 0: nothing was measured yet, and the rest is 0 or RESPONSIVE too */
    uint64_t duration_ns; /* since then, or until um_watchdog_stop */
    uint64_t state_ns[UM_STATE_COUNT]; /* adds up to duration_ns; final after um_watchdog_stop */
    uint64_t state_since_ns;
    /* How long the outstanding beat had waited by the last MARK, in awake time. 0: no beat is
     * outstanding, or it is blind, or a ready thread may take as long (UM_STRETCH_READY_NS). */
    uint64_t waited_ns;
    uint64_t beats_sent; /* seen + lost + the one that may be outstanding */
    uint64_t beats_seen;
    uint64_t beats_lost;   /* given up: abandoned, replaced or forgotten before they were seen */
    uint64_t records_lost; /* as the DLL counts them */
    uint8_t state;         /* enum um_state, at this moment */
    uint8_t probe;         /* the DLL's last PROBE: enum um_probe, AUTO before the first */
    uint8_t probe_status;  /* enum um_probe_status */
    uint8_t probe_reason;  /* enum um_probe_reason */
};

/* Everything below is private to watchdog.c. */

#define UM_WATCHDOG_SIGHTINGS 64 /* several monitors' beats, until the SENT of ours comes */

struct um_watchdog_beat {
    struct um_stretch stretch;
    uint64_t until_ns; /* nothing is known of it after this time */
    uint32_t id;       /* of its episode, 0: not begun */
    bool trial;
    bool control_seen; /* or seen by the target itself */
};

struct um_watchdog_sighting { /* of a beat whose SENT has not come yet */
    uint64_t time_ns;
    uint32_t seq;
    bool valid;
};

/* Owner: the caller, as a plain struct; nothing to release. Thread: one at a time. */
struct um_watchdog {
    struct um_watchdog_options options;
    struct um_watchdog_sink sink;
    struct um_episodes episodes;
    struct um_awake awake;
    bool started;
    bool stopped;
    bool has_now;
    bool has_sign;
    uint64_t now_ns;      /* latest time a caller gave */
    uint64_t sign_ns;     /* latest sign of life, by the DLL's own stamp */
    uint64_t mark_ns;     /* latest MARK: everything before it was sent */
    uint64_t doubt_ns;    /* until then a SEEN may have been lost */
    uint64_t free_ns;     /* what came before this is no part of the next beat's stretch */
    uint64_t delivery_ns; /* the highest of a ready thread's latest latencies, slowly forgotten */
    uint64_t lost_mark;
    uint64_t records_lost;
    uint64_t sent, seen, lost;
    struct um_beats beats;
    struct um_watchdog_beat beat; /* what else is known of `beats.out` */
    struct um_stretch_point last; /* latest retrieval */
    struct um_watchdog_sighting control[UM_WATCHDOG_SIGHTINGS]; /* a ring: other monitors' too */
    unsigned controls;
    struct um_watchdog_sighting early_seen;
    struct um_episodes_open suspended, blind, idle;
    unsigned blind_reasons;
    struct um_wire_probe probe;
    enum um_state state; /* with `state_since_ns`: what they were when the session stopped */
    uint64_t state_since_ns;
};

/* Starts a watchdog that has seen nothing. Options and sink are copied. */
void um_watchdog_init(struct um_watchdog *watchdog, const struct um_watchdog_options *options,
                      const struct um_watchdog_sink *sink);

/* Takes a frame from the DLL (HELLO MARK SENT SEEN TAKEN PROBE BYE; others are ignored), received
 * at `now_ns`. Stamps later than `now_ns` are taken as `now_ns`. Before the first SENT, or the
 * first PROBE that is not ACTIVE, nothing is accounted. */
void um_watchdog_frame(struct um_watchdog *watchdog, const struct um_wire_frame *frame,
                       uint64_t now_ns);

/* The beats as the watchdog knows them, after each call of it. Owner: the watchdog's. */
const struct um_beats *um_watchdog_beats(const struct um_watchdog *watchdog);

/* The monitor's own raw-input sink saw this beat at this time; may come before its SENT. */
void um_watchdog_control(struct um_watchdog *watchdog, uint32_t seq, uint64_t time_ns);

/* The monitor's timer: call it when um_watchdog_deadline says so, after frames and control that
 * are waiting have been handed in. Calls (frames count) more than 100 ms apart say that the
 * monitor itself was late, and that a silence of the target at that time proves nothing. */
void um_watchdog_tick(struct um_watchdog *watchdog, uint64_t now_ns);

/* When the next tick is worth it: after `now_ns`, and at most 50 ms after it. */
uint64_t um_watchdog_deadline(const struct um_watchdog *watchdog, uint64_t now_ns);

/* The connection to the DLL was lost, or moves to another thread of the target. */
void um_watchdog_detached(struct um_watchdog *watchdog, uint64_t now_ns);

/* Ends the session: ends what is open (END with OPEN) and settles. Later calls do nothing. */
void um_watchdog_stop(struct um_watchdog *watchdog, uint64_t now_ns);

/* The DLL was told another period. */
void um_watchdog_set_period(struct um_watchdog *watchdog, uint64_t period_ns);

/* Fills in what is known at `now_ns`, the present, which may still change its state, included. */
void um_watchdog_view(const struct um_watchdog *watchdog, uint64_t now_ns,
                      struct um_watchdog_view *view);

#endif
