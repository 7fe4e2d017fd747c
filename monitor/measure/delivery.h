/* Whether a beat of the mouse probe has reached the UI thread's queue. Another program's low-level
 * mouse hook may swallow the beat or hold it up, and a window that appears in that moment may get
 * it. The thread is not to blame for such a beat, however long it is out.
 *
 * It is told from what the thread takes. Posted messages come before input, and WM_PAINT and
 * WM_TIMER after it ("GetMessage function", Windows API reference). While a beat is out, the DLL
 * posts a marker, and another one a while after the thread has taken that (um_probe_ask in hooks).
 *   - A marker that was taken shows a loop that takes messages. It may still be starved: the next
 *     one may be a posted message, too.
 *   - A paint or a timer after it shows that the loop found no input.
 *   - A marker that is taken at once, with nothing else since the one before, shows the same: in
 *     between, the thread had asked for a message and waited. Two of these in a row are asked for,
 *     because a thread that has just come back from a sent message looks alike once.
 * A loop that takes posted messages but never the mouse is not told from a lost beat.
 *
 * Pure. Thread: one at a time.
 */
#ifndef UM_MONITOR_DELIVERY_H
#define UM_MONITOR_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/wire.h"

/* What is known of one beat. All 0: it was just sent. */
struct um_delivery {
    uint64_t marker_ns; /* when the thread took a marker, if nothing else since; 0: it did not */
    unsigned waits;     /* markers in a row that found the thread waiting */
    bool asked;         /* it has taken a marker */
    bool missed;        /* the beat is not in its queue */
};

/* Takes what the thread has taken while the beat is out: a TAKEN. Returns whether the beat is known
 * not to be in its queue. */
bool um_delivery_taken(struct um_delivery *delivery, const struct um_wire_frame *frame);

#endif
