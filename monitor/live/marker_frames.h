/* Makes frames of the feed from markers of the target: MARKER_KIND before the first marker of a
 * kind, MARKER, and MARKERS_LOST (ipc/frames.def). The program's own markers, traced messages and
 * events of .NET all come through here, so that their kinds have numbers of one list.
 *
 * Two markers are of one kind if they have the same source, name, category and fields: the same
 * names, of the same sorts, in the same order. There are at most UM_WIRE_MARKER_KINDS kinds; a
 * marker of a further one is lost. Texts come from the target: what is too long is cut, and
 * counted, and what is not UTF-8 becomes '?'.
 *
 * A reader starts at um_marker_frames_take. Portable. Thread: one at a time; not the target's UI
 * thread, since it allocates. Not on the hot path.
 */
#ifndef UM_MONITOR_MARKER_FRAMES_H
#define UM_MONITOR_MARKER_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"

struct um_marker_frames;

/* A field. Texts: NULL is an empty one. */
struct um_marker_frames_field {
    enum um_wire_field_kind kind;
    bool at_end; /* of a flow: it is mentioned where the marker's interval ends */
    const char *name;
    uint64_t value;   /* FLOW, TERMINATING_FLOW: the id */
    double number;    /* NUMBER: finite, else the field has no value and counts as cut */
    const char *text; /* TEXT, FLOW_TEXT, TERMINATING_FLOW_TEXT */
};

/* A marker. At most UM_WIRE_MARKER_FIELDS fields are kept; with more, it counts as cut. Then texts
 * and numbers go first, and flows that it ends go last, each from the last one on. */
struct um_marker_frames_marker {
    enum um_wire_marker_source source;
    const char *name;
    const char *category;
    uint64_t start_ns, length_ns; /* on the machine's monotonic counter; of an instant 0 long */
    uint32_t thread;              /* 0: not known */
    bool interval, stack_based, open;
    bool cut; /* something of it was cut before it came here */
    const struct um_marker_frames_field *fields;
    size_t field_count;
};

/* `publish` puts a frame on the feed. Owner: um_marker_frames_close. Errors: UM_ERR_MEMORY. */
enum um_status um_marker_frames_open(void (*publish)(void *context,
                                                     const struct um_wire_frame *frame),
                                     void *context, struct um_marker_frames **frames);

/* Publishes a marker. Without memory, it is lost. */
void um_marker_frames_take(struct um_marker_frames *frames,
                           const struct um_marker_frames_marker *marker);

/* Counts markers that were lost, and that were cut, and do not come here. */
void um_marker_frames_lost(struct um_marker_frames *frames, enum um_wire_marker_source source,
                           uint64_t lost, uint64_t cut);

/* Publishes MARKERS_LOST if a number has grown, at most once a second for each source. `last`: the
 * session is about to end, so it does not wait. */
void um_marker_frames_turn(struct um_marker_frames *frames, uint64_t now_ns, bool last);

/* Accepts NULL. */
void um_marker_frames_close(struct um_marker_frames *frames);

#endif
