/* Finds since when a target has been idle: its UI thread has worked on no message that counts as
 * work, and no beat was slow. Benchmarks end a step when that has lasted for long enough.
 *
 * A pure state machine of (frames, clock) that asks the watchdog about beats; nothing in here
 * allocates, locks or asks for the time. A reader starts at um_idle_detection_frame, which is on
 * the hot path of the monitor's reader.
 *
 * Messages that do not count as work: ours (beats, markers), timers, WM_PAINT and the mouse's
 * movements, because a target at rest takes them too.
 *
 * Work begins when its message is taken and ends when the thread takes the next one, of any kind.
 * After the user's input that is a marker, so the end is exact. Otherwise it is the next beat,
 * which a thread at rest takes up to a period later. If that beat was sent during the work and
 * taken within 1 ms, the thread was at rest when it was sent, and the work counts until then. As
 * long as a beat waits for longer than that, the work continues.
 *
 * While the target is suspended or blind, it does not count as quiet.
 */
#ifndef UM_MONITOR_IDLE_DETECTION_H
#define UM_MONITOR_IDLE_DETECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "monitor/measure/beats.h"
#include "monitor/measure/watchdog.h"

/* Owner: the caller; nothing to release. Thread: one at a time. Private to
 * idle_detection.c. */
struct um_idle_detection {
    const struct um_beats *beats;
    uint64_t slow_ns;
    uint64_t seen_ns; /* um_idle_detection_seen_ns */
    uint64_t busy_ns; /* the latest time at which the target was not quiet */
    uint64_t work_ns; /* when the message was taken that the thread works on; 0: none */
    bool answered;    /* a beat was answered in the present attachment */
};

/* Starts with nothing known. A beat that took `slow_ns` or more is slow.
 * Owner: `beats` stays the watchdog's, and is read as long as the struct is used. */
void um_idle_detection_init(struct um_idle_detection *quiet, uint64_t slow_ns,
                            const struct um_beats *beats);

/* The DLL is connected, and reports each message that was taken since `seen_ns`. The target counts
 * as busy then. */
void um_idle_detection_attached(struct um_idle_detection *quiet, uint64_t seen_ns);

/* The connection to the DLL is gone. */
void um_idle_detection_detached(struct um_idle_detection *quiet);

/* Takes a frame from the DLL (DRAINED SEEN TAKEN) after the watchdog has taken it, or a BEAT of the
 * watchdog; others are ignored. */
void um_idle_detection_frame(struct um_idle_detection *quiet, const struct um_wire_frame *frame);

/* Takes the watchdog's view at `now_ns`. */
void um_idle_detection_tick(struct um_idle_detection *quiet, const struct um_watchdog_view *view,
                            uint64_t now_ns);

/* Since when the target has been quiet. 0: not known, because no beat was answered in the present
 * attachment. Units: ns; may lie shortly after the last um_idle_detection_tick. */
uint64_t um_idle_detection_since_ns(const struct um_idle_detection *quiet);

/* Since when the target has been seen, without a gap in which it was suspended or blind. If it has
 * been quiet since then, it may have been so before. Units: ns; as above. */
uint64_t um_idle_detection_seen_ns(const struct um_idle_detection *quiet);

#endif
