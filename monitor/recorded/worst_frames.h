/* The worst layout frame of each component over the time of a recording, for a graph as wide as a
 * finger: at most 120 stretches of the same length, made of LAYOUT_METERS.
 *
 * How long the recording is shows only at its end. So a stretch is a tenth of a second long at
 * first, and whenever there would be more than 120 of them, two become one. Memory is bounded by
 * the number of components: 480 bytes each. A reader starts at um_worst_frames_of. Not on the hot
 * path. Thread: one at a time.
 */
#ifndef UM_MONITOR_WORST_FRAMES_H
#define UM_MONITOR_WORST_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"

#define UM_WORST_FRAMES_STRETCHES 120

/* A zeroed struct has none. */
struct um_worst_frames {
    uint64_t length_ns; /* of a stretch; 0: no LAYOUT_METERS has come. */
    uint32_t count;     /* stretches so far */
    uint32_t *us;       /* owner: this struct. See um_worst_frames_of */
    size_t room;        /* numbers there is room for */
};

/* Takes LAYOUT_METERS. Units: the time of the frame is at most 30 days after `start_ns`, which is
 * the same in each call. Errors: UM_ERR_MEMORY. */
enum um_status um_worst_frames_take(struct um_worst_frames *frames, uint64_t start_ns,
                                    const struct um_wire_layout_meters *meters);

/* The stretches of a component, frames->count numbers; NULL: nothing is known of it.
 * Units: µs, rounded up; 0: it had no layout time then. Owner: `frames`. */
const uint32_t *um_worst_frames_of(const struct um_worst_frames *frames, uint32_t id);

/* Accepts a zeroed struct. */
void um_worst_frames_deinit(struct um_worst_frames *frames);

#endif
