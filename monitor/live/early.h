/* Frames to which later ones refer, and that came before the session had begun: modules, nodes and
 * names of sampled code, traced calls, components and their places, kinds of markers. SESSION must
 * be the first frame of a feed, so they wait here. Without them, what refers to them would have no
 * name.
 *
 * A zeroed struct is empty. Memory is bounded: what finds no room is dropped, and counted. Thread:
 * one at a time.
 */
#ifndef UM_MONITOR_EARLY_H
#define UM_MONITOR_EARLY_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

#define UM_EARLY_BYTES (1024 * 1024)

struct um_early {
    uint8_t *bytes; /* encoded frames */
    size_t len;
    size_t room;
    uint64_t dropped;
};

/* Keeps a frame, if others refer to such frames. */
void um_early_put(struct um_early *early, const struct um_wire_frame *frame);

/* Passes on what was kept, the oldest first, and empties it. */
void um_early_flush(struct um_early *early,
                    void (*publish)(void *context, const struct um_wire_frame *frame),
                    void *context);

/* Accepts a zeroed struct. */
void um_early_close(struct um_early *early);

#endif
