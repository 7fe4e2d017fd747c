/* Keeps the last seconds of a feed in memory, so that a recording can begin with them.
 *
 * A recording that begins in the middle of a session must make sense by itself. So it begins with
 *   - the frames that still hold (late_join.h) at its first frame;
 *   - all modules, counters and kinds of markers, because the feed has each of them only once;
 *   - the last two trees of stacks and their names; the feed has all names anew for each tree.
 * Its SESSION has the start of the recording, and TOTALS and STATUS count from there. It begins at
 * a TOTALS that does not lie in a freeze.
 *
 * While a freeze lasts, the seconds count from its start: it is saved when it has lasted for a
 * while, and the recording has these seconds before it, too.
 *
 * Memory is bounded and allocated once: UM_FLIGHT_BUFFER_BYTES_PER_S for each second, of which 30 s
 * of an ordinary session use some 150 KB; 8 MiB for names, 4 MiB for modules, 1 MiB for each of two
 * trees of stacks, 8 MiB for markers and 4 MiB for their kinds. Pages that were never used take no
 * memory. If there is too little, the oldest second, the oldest marker or the oldest name is
 * removed; a function without its name is shown by its address.
 *
 * Pure. Not on the hot path: it is used on a thread of its own. A reader starts at
 * um_flight_buffer_take.
 */
#ifndef UM_MONITOR_FLIGHT_BUFFER_H
#define UM_MONITOR_FLIGHT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"

#define UM_FLIGHT_BUFFER_BYTES_PER_S (16 * 1024)

struct um_flight_buffer;

/* The cut: where a recording of the kept seconds begins. */
struct um_flight_buffer_cut {
    uint64_t start_ns;
    int64_t utc_ms;                                /* the same instant on the calendar */
    struct um_wire_totals totals;                  /* counts from before the cut */
    struct um_wire_status status;                  /* likewise; zeroed: there is none */
    uint64_t markers_lost[UM_MARKER_SOURCE_COUNT]; /* likewise, of MARKERS_LOST */
    uint64_t markers_cut[UM_MARKER_SOURCE_COUNT];
};

/* Keeps `keep_s` seconds, at least 1, and while a freeze lasts what comes after these; there is
 * room for `freeze_s` seconds of it. Owner: um_flight_buffer_close. Errors: UM_ERR_MEMORY. */
enum um_status um_flight_buffer_open(uint32_t keep_s, uint32_t freeze_s,
                                     struct um_flight_buffer **kept);

/* Overwrites the frames and releases the memory. Accepts NULL. */
void um_flight_buffer_close(struct um_flight_buffer *kept);

/* Takes a frame and its bytes, in the order of the feed. Leaves out frames before the first
 * SESSION, and those of a reach below UM_WIRE_REACH_FLIGHT. */
void um_flight_buffer_take(struct um_flight_buffer *kept, const struct um_wire_frame *frame,
                           const uint8_t *bytes, size_t len_bytes);

/* What did not fit and may be missing in recordings, such as "modules"; NULL: all did fit. Owner:
 * static text. */
const char *um_flight_buffer_full(const struct um_flight_buffer *kept);

/* Where a recording that is made now would begin. */
void um_flight_buffer_cut(const struct um_flight_buffer *kept, struct um_flight_buffer_cut *cut);

/* Calls `put` with the frames of a recording that begins at the cut, changed by
 * um_flight_buffer_since, without its RECORDING. Owner: a frame lives for the call. */
void um_flight_buffer_emit(const struct um_flight_buffer *kept,
                           const struct um_flight_buffer_cut *cut,
                           void (*put)(void *context, const struct um_wire_frame *frame),
                           void *context);

/* Changes a frame of the session so that it counts from the cut. */
void um_flight_buffer_since(const struct um_flight_buffer_cut *cut, struct um_wire_frame *frame);

#endif
