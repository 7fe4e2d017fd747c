/* What the overlay knows of the layout costs of the target's components: frames of the feed become
 * components with the last six seconds of each.
 *
 * Start at um_costs_take. Like the overlay's model, it shows only what was measured: a component
 * has no numbers before its first LAYOUT_METERS. Times are the feed's. A replay that jumps (SESSION
 * with UM_WIRE_SESSION_ANEW) empties it, because what follows may be of an earlier time. Memory is
 * allocated with the first component. Pure and portable, no locks. Thread: one at a time.
 */
#ifndef UM_OVERLAY_COSTS_H
#define UM_OVERLAY_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"

#define UM_COSTS_BUCKETS 60
#define UM_COSTS_BUCKET_NS UINT64_C(100000000)
#define UM_COSTS_HANDLER_BYTES 128

struct um_cost {
    uint32_t parent;                              /* the component around it; 0: there is none */
    uint64_t window;                              /* a handle; 0: it is gone, or is none */
    uint32_t authored, rendered;                  /* windows; rendered 0: they were not counted */
    bool draws_parts;                             /* none of its parts is seen */
    struct um_wire_layout_place place;            /* the last one; its id is 0: none has come */
    char window_class[UM_WIRE_LAYOUT_TEXT_BYTES]; /* without control characters; may be empty */
    char text[UM_WIRE_LAYOUT_TEXT_BYTES];         /* as above */
    bool measured;                                /* it has had a LAYOUT_METERS */
    struct um_wire_layout_meter last;
    uint32_t message;                     /* that took most of its own time; 0: not known */
    uint64_t key;                         /* of its window procedure, as in NAME; 0: not known */
    char handler[UM_COSTS_HANDLER_BYTES]; /* the name of that; empty: not known */
    /* Private to costs.c: the greatest layout time of one frame in each bucket. */
    uint64_t newest;
    uint64_t worst_ns[UM_COSTS_BUCKETS];
};

/* Zeroed, it is empty. */
struct um_costs {
    struct um_cost *list; /* by id; NULL before the first component */
    uint32_t end;         /* one more than the greatest id */
    bool is_replay;       /* the last SESSION had no window */
    uint32_t changes;     /* counts what could change the picture */
    uint32_t news;        /* counts what changed of components, but for their numbers */
};

/* Takes a frame of the feed; ignores what is neither about layout nor a SESSION. */
void um_costs_take(struct um_costs *costs, const struct um_wire_frame *frame);

/* A component by its id, which is below `end`; NULL: nothing is known of it. Owner: `costs`, until
 * the next frame. */
const struct um_cost *um_costs_get(const struct um_costs *costs, uint32_t id);

/* The greatest layout time of a frame in each of the last buckets, the oldest first; the last one
 * is the present one. Returns whether one of them is not 0.
 * Units: `worst_ns` has UM_COSTS_BUCKETS. */
bool um_costs_history(const struct um_cost *cost, uint64_t now_ns, uint64_t *worst_ns);

/* Makes `copy`, which may be empty, the same as another one. Errors: UM_ERR_MEMORY. */
enum um_status um_costs_copy(const struct um_costs *costs, struct um_costs *copy);

/* Releases the memory. Accepts a zeroed struct. */
void um_costs_close(struct um_costs *costs);

#endif
