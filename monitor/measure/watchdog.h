/* The watchdog: decides what a freeze is. It turns what the hook DLL reports into latencies,
 * episodes and states; a session (monitor/live/session.h) hands it the frames.
 *
 * It is a pure state machine of (events, clock): wire frames go in, wire frames come out. Nothing
 * in here asks for the time, allocates, locks or prints. Readers start at um_watchdog_frame
 * and go on to stretch.h. um_watchdog_frame is on the hot path of the monitor's reader (about 10 ns
 * a frame).
 *
 * Words
 *   - A beat is outstanding from its SENT until its SEEN.
 *   - A retrieval is a message that the UI thread takes from its queue (TAKEN, and SEEN itself).
 *   - A gap is the time between two retrievals.
 *   - The stretch of a beat is the beat with the retrievals around it. stretch.h says where an
 *     episode starts, how long it is, and which message is the suspect.
 *   - An episode is a time that was not responsive. It has a begin and an end on the feed. Unknown
 *     time is no episode.
 *   - Awake time leaves out what the process slept (clock_gaps.h). All lengths are awake time.
 *
 * An episode ends when its beat is dequeued. It is `frozen` if its largest gap reaches the
 * threshold, else `starved`. A stretch over `slow` but under the threshold is one frame, BEGIN and
 * END at once. While a beat is outstanding its episode begins at a DRAINED, at the earliest: up to
 * there every record has come, so that a SEEN that is still in the DLL's ring cannot make a false
 * freeze. END may carry another state than BEGIN. Episodes may overlap (a suspension within a
 * freeze, a freeze while idle); states may not.
 *
 * What cannot be known, and what is done about it:
 *   No answer yet
 *   - From the start, and after each blind or idle time, nothing is known until a beat is answered:
 *     the state is UNKNOWN, unless a stronger one is concluded. The answer makes the time from that
 *     beat's send on known. What lies before, and all of it if no answer comes, stays unknown.
 *   Beats
 *   - A beat counts as lost if another one replaces it before it was seen. If records were lost
 *     meanwhile, its time is `blind`, provided that it reaches `slow`. Otherwise it is judged up to
 *     the last DRAINED before.
 *   - A message loop may skip beats and take the user's input. A beat that waited in such a loop
 *     gives no latency (no BEAT frame). If it is seen in the end, it counts as seen.
 *   - A beat of the mouse probe may never come to the thread: another program's low-level mouse
 *     hook may swallow it or hold it up. The DLL finds that out with a timer, whose message comes
 *     after input (um_probe_ask), and a thread that is away takes none. Once it is known, the beat
 *     is given up. The time from its send on is blind, until the send of a beat that was answered
 *     or found the thread away. It is no latency, even if it comes later.
 *   - A beat of raw input may be dropped in a freeze, or taken by the target itself. The DLL then
 *     finds that it is in no queue (hooks/raw_release.h), and sends another one. The freeze lasts
 *     until the first message that has found that. If the beat is seen after all, it lasts until
 *     then.
 *   - A beat that is sent while the probe is not ACTIVE is a trial. It counts if ACTIVE or SEEN
 *     follows.
 *   - A beat that is a mouse message makes the target work: before the thread gets the message, the
 *     system sends the window under the cursor WM_NCHITTEST and WM_SETCURSOR. That time is not the
 *     target's own, so it is cut out like a sleep, and a long one is an episode of its own,
 *     OWN_BEAT (own_beats_from). What the target then does with the message stays its own.
 *   - A freeze whose beat is never answered (given up, or the session ends) publishes a BEAT with
 *     AT_LEAST: what the beat had waited by the last DRAINED. That beat is not among `beats_seen`.
 *   Lost records
 *   - While a loss is recent, no episode begins live. An episode with a loss in it is `starved`,
 *     starts when its beat was sent, and has neither peak nor suspect.
 *   Probes
 *   - REFUSED: the outstanding beat was never sent.
 *   - PAUSED: the outstanding beat may still be answered. The pause ends all reasons to be blind.
 *   - A PROBE that switches (another probe or reason, or ACTIVE once more): the DLL has forgotten
 *     the outstanding beat, which another program may have got. The beat is lost, and the time from
 *     its send on is blind, even if a freeze had begun.
 *   - OFF_TARGET: the same, unless a freeze had begun. In that case the beat had waited in the
 *     target's queue for the whole threshold, so the freeze is true. It ends at the PROBE, because
 *     nothing is seen after that: the time from there on is blind.
 *   - OFF_TARGET for want of an answer to pings (NO_ANSWER): the time from the send of the
 *     outstanding beat on is blind, even if a freeze had begun. The beat stays out as a trial. If
 *     it is SEEN, that time is its own after all; ACTIVE before that says that it is lost.
 *   The end of a connection
 *   - Detached or BYE: an outstanding beat is judged up to the last DRAINED. The time from the last
 *     sign of life on is blind, until the next SENT, or until a PROBE says that none will come.
 *   Suspension
 *   - A suspension is taken to reach from one sign of life to the next. It therefore includes up to
 *     two DRAINED intervals of running time (5 ms each while a beat is outstanding). Every frame of
 *     the DLL is a sign of life.
 *   The end of a session
 *   - An episode that lasts ends then (OPEN). One that has not begun by the last DRAINED is judged
 *     up to it. If the session ends in a silence in which the monitor itself did not run, the time
 *     since the last sign of life is blind.
 *
 * Episodes that are suspended, blind or idle have a peak of 0 (not measured).
 */
#ifndef UM_MONITOR_WATCHDOG_H
#define UM_MONITOR_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "monitor/measure/clock_gaps.h"
#include "monitor/measure/beats.h"
#include "monitor/measure/episodes.h"
#include "monitor/measure/stretch.h"

struct um_watchdog_options {
    uint64_t threshold_ns; /* a freeze is at least this long; 0 is taken as 1 */
    uint64_t slow_ns;      /* `slow` is at least this long and shorter than a freeze; 0: never */
    uint64_t period_ns;    /* between two beats */
    uint64_t rest_ns;      /* the same while the UI thread rests; less than a period: a period */
    bool control;          /* um_watchdog_control will be called */
};

/* Where results go, within the call that led to them. `publish` gets BEAT, REST, GAP and EPISODE
 * (with an empty window class), `command` gets ABANDON for the DLL. Both must be set. Of the
 * watchdog's functions they may call only um_watchdog_view and um_watchdog_beats. */
struct um_watchdog_output {
    void *context;
    void (*publish)(void *context, const struct um_wire_frame *frame);
    void (*command)(void *context, const struct um_wire_frame *frame);
};

/* What is known at one moment. STATUS frames and the summary are made from it. */
struct um_watchdog_view {
    uint64_t started_ns;  /* 0: measuring has not begun; the state is UNKNOWN, the rest 0 */
    uint64_t duration_ns; /* from the start until now, or until um_watchdog_stop */
    uint64_t state_ns[UM_STATE_COUNT]; /* adds up to duration_ns; final after um_watchdog_stop */
    uint64_t state_since_ns;
    /* How long the outstanding beat had waited by the last DRAINED, in awake time. 0: no beat is
     * outstanding, or the time is blind, or a ready thread may take so long (UM_STRETCH_READY_NS).
     */
    uint64_t waited_ns;
    uint64_t waited_at_ns; /* when it had waited so long, which may be a while ago */
    uint64_t beats_sent;   /* seen + lost + the one that may be outstanding */
    uint64_t beats_seen;
    uint64_t beats_lost;   /* given up: abandoned, replaced or forgotten before they were seen */
    uint64_t beats_rested; /* left out because the UI thread rested */
    uint64_t records_lost; /* as the DLL counts them */
    uint8_t state;         /* enum um_state, at this moment */
    uint8_t probe;         /* the DLL's last PROBE: enum um_probe, AUTO before the first */
    uint8_t probe_status;  /* enum um_probe_status */
    uint8_t probe_reason;  /* enum um_probe_reason */
    uint8_t held;          /* enum um_probe_held, with OFF_TARGET */
    uint8_t blind_by;      /* enum um_probe_held; not NOT exactly if the state is BLIND */
    uint32_t blind_was_by; /* a bit for each enum um_probe_held of blind times that are over */
    uint64_t own_beats_ns; /* how long the target was busy because beats were mouse messages */
};

/* Everything below is private to watchdog.c. */

#define UM_WATCHDOG_SIGHTINGS 64 /* the control sees the beats of other monitors too */

struct um_watchdog_beat {
    struct um_stretch stretch;
    uint64_t until_ns;  /* nothing is known of it after this time */
    uint64_t asked_ns;  /* of the mouse probe: of the question about it that waited longest */
    uint64_t heard_ns;  /* when the thread took that question; 0: it has taken none */
    uint64_t called_ns; /* when it took the latest question; 0: it has taken none */
    uint64_t first_drained_ns; /* the first DRAINED since it was sent; 0: none has come */
    uint64_t question_due_ns;  /* the first one when a question was due; 0: none has come */
    bool questioned;           /* the DLL has surely asked the thread about it */
    uint64_t gone_ns; /* of raw input: it was in no queue of the target's by then; 0: not known */
    bool gone_sure;   /* a second message has found that */
    uint32_t id;      /* of its episode; 0: not begun */
    bool trial;
    bool missed; /* of the mouse probe: it is in no queue of the target's, and may come late */
    bool control_seen; /* the control saw it, or the target itself */
};

/* The control or the target saw a beat. Its SENT may come later. */
struct um_watchdog_sighting {
    uint64_t time_ns;
    uint32_t seq;
    bool valid;
};

/* Owner: the caller, as a plain struct; nothing to release. Thread: one at a time. */
struct um_watchdog {
    struct um_watchdog_options options;
    struct um_watchdog_output output;
    struct um_episodes episodes;
    struct um_clock_gaps awake;
    bool started;
    bool stopped;
    bool has_now;
    bool alive_known;
    bool after_loss;          /* no record of the UI thread has come since some were lost */
    uint64_t now_ns;          /* latest time that a caller gave */
    uint64_t alive_ns;        /* latest sign of life, by the DLL's clock */
    uint64_t drained_ns;      /* latest DRAINED: everything before it was sent */
    uint64_t doubt_until_ns;  /* until then, a SEEN may be among lost records */
    uint64_t stretch_from_ns; /* the next beat's stretch does not reach back beyond this */
    uint64_t delivery_ns;     /* how long beats take to a ready thread: a maximum that decays */
    uint64_t lost_before;     /* `lost` of the latest DRAINED */
    uint64_t records_lost;
    uint64_t own_beats_ns;
    uint64_t sent, seen, lost, rested;
    struct um_beats beats;
    struct um_watchdog_beat beat; /* what else is known of `beats.out` */
    struct um_stretch_point last; /* latest retrieval */
    struct um_watchdog_sighting sightings[UM_WATCHDOG_SIGHTINGS]; /* by the control; a ring */
    unsigned sighting_count;
    struct um_watchdog_sighting early_seen;
    struct um_episodes_open suspended, blind, idle;
    bool unknown;        /* no beat has been answered ... */
    uint64_t unknown_ns; /* ... since then */
    unsigned blind_reasons;
    uint64_t slept_from_ns, slept_to_ns; /* of the last silence within the blind time that lasts */
    uint32_t blind_by;     /* of the blind time that lasts: a bit for each enum um_probe_held */
    uint32_t blind_was_by; /* of those that are over */
    struct um_wire_probe probe;
    enum um_state state; /* this and the next two are set when the session stops */
    enum um_probe_held state_by;
    uint64_t state_since_ns;
};

/* Starts a watchdog that has seen nothing. Options and output are copied. */
void um_watchdog_init(struct um_watchdog *watchdog, const struct um_watchdog_options *options,
                      const struct um_watchdog_output *output);

/* Takes a frame from the DLL (HELLO DRAINED SENT SEEN TAKEN PROBE BYE; others are ignored),
 * received at `now_ns`. A later time in it is replaced by `now_ns`. Measuring begins with the first
 * SENT, or with the first PROBE that is not ACTIVE. */
void um_watchdog_frame(struct um_watchdog *watchdog, const struct um_wire_frame *frame,
                       uint64_t now_ns);

/* The beats, up to date after each call of the watchdog. Owner: the watchdog's. */
const struct um_beats *um_watchdog_beats(const struct um_watchdog *watchdog);

/* How long the target was awake between two times, as far as is known by now. */
uint64_t um_watchdog_awake_ns(const struct um_watchdog *watchdog, uint64_t from_ns, uint64_t to_ns);

/* The control (the monitor's own raw-input window) saw this beat at this time. The call may come
 * before the beat's SENT. */
void um_watchdog_control(struct um_watchdog *watchdog, uint32_t seq, uint64_t time_ns);

/* The monitor's timer. Call it when um_watchdog_deadline says so, after all waiting frames and
 * sightings were passed. If no frame and no tick came for more than 100 ms, the monitor itself did
 * not run, and a silence of the target in that time proves nothing. */
void um_watchdog_tick(struct um_watchdog *watchdog, uint64_t now_ns);

/* When the next tick is due: after `now_ns`, and at most 50 ms after it. */
uint64_t um_watchdog_deadline(const struct um_watchdog *watchdog, uint64_t now_ns);

/* The connection to the DLL was lost, or moves to another thread of the target. */
void um_watchdog_detached(struct um_watchdog *watchdog, uint64_t now_ns);

/* Ends the session and, with OPEN, the episodes that last. Later calls do nothing. */
void um_watchdog_stop(struct um_watchdog *watchdog, uint64_t now_ns);

/* Sets the DLL's periods from now on: from beat to beat, and the same while the UI thread rests. */
void um_watchdog_set_period(struct um_watchdog *watchdog, uint64_t period_ns, uint64_t rest_ns);

/* Fills in what is known at `now_ns`. The state of the latest time in it may still change. */
void um_watchdog_view(const struct um_watchdog *watchdog, uint64_t now_ns,
                      struct um_watchdog_view *view);

#endif
