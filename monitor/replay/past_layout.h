/* Keeps what the layout of components has cost up to a replay's position, so that a consumer can be
 * told after a jump: the LAYOUT_METERS of the last seconds, which fill the meters of an overlay,
 * and of each component its last numbers. late_join_layout.h keeps the components themselves.
 *
 * Most recordings have none of it, so it takes memory only then. Pure; not on the hot path. A
 * reader starts at um_past_layout_take.
 */
#ifndef UM_MONITOR_PAST_LAYOUT_H
#define UM_MONITOR_PAST_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "monitor/feed/frame_ring.h"

#define UM_PAST_LAYOUT_NS UINT64_C(6000000000) /* as much as a meter shows */
#define UM_PAST_LAYOUT_BYTES ((size_t)256 * 1024)

struct um_past_layout_component {
    uint64_t time_ns;                  /* of the next one */
    struct um_wire_layout_meter meter; /* its last one; its id is 0: there was none */
    struct um_wire_layout_cost cost;   /* likewise */
};

/* A zeroed struct holds nothing. */
struct um_past_layout {
    struct um_past_layout_component *list; /* each at the index of its id */
    size_t count;                          /* one more than the highest index that is used */
    size_t room;
    struct um_wire_layout_times times; /* the last one, without its list */
    uint8_t *bytes;                    /* of the ring; NULL: no LAYOUT_METERS has come */
    struct um_frame_ring meters;       /* the last ones */
    bool has_dropped;                  /* earlier ones made room for them */
};

/* Releases the memory. */
void um_past_layout_deinit(struct um_past_layout *past);

/* Takes a frame of any type. Without memory, what it says is not told later. */
void um_past_layout_take(struct um_past_layout *past, const struct um_wire_frame *frame);

/* Tells what leads up to a time: the LAYOUT_METERS of UM_PAST_LAYOUT_NS before it, those of
 * components that had none since, each in a frame of its own time, and one LAYOUT_TIMES or more
 * with the sums. Units: `now_ns` is the feed's. */
void um_past_layout_tell(const struct um_past_layout *past, uint64_t now_ns,
                         void (*tell)(void *context, const struct um_wire_frame *frame),
                         void *context);

#endif
