/* What the layout of each component of the target's windows has cost.
 *
 * It is made from the frames LAYOUT_COMPONENT, LAYOUT_PLACE and LAYOUT_TIMES, which have sums
 * since the begin; handlers.h has the names of the window procedures. Memory is bounded by the
 * number of components. A reader starts at um_laid_out_list. Not on the hot path. Thread: one at a
 * time.
 */
#ifndef UM_MONITOR_LAID_OUT_H
#define UM_MONITOR_LAID_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/stats/handlers.h"

struct um_laid_out_component {
    char window_class[UM_WIRE_LAYOUT_TEXT_BYTES]; /* without control characters; "": not known */
    char text[UM_WIRE_LAYOUT_TEXT_BYTES];         /* as above */
    uint32_t parent;                              /* the component around it; 0: there is none */
    /* When it had the most windows: how many, and how many of those the program itself has
     * created. 0: they were not counted. At the end, all windows are gone. */
    uint32_t rendered;
    uint32_t authored;
    /* When it was last on a screen: where. `id` is 0 if it never was. */
    struct um_wire_layout_place place;
    bool draws_parts;                /* none of its parts is seen */
    uint32_t handler;                /* of its costliest message, a number of handlers.h */
    struct um_wire_layout_cost cost; /* the latest; `id` is 0 before the first */
};

struct um_laid_out_sum {
    uint64_t frames;        /* layout frames */
    uint64_t lost;          /* layout frames more, which have no numbers */
    uint64_t without_end;   /* steps of which only the begin was seen */
    uint64_t without_begin; /* steps of which only the end was seen */
    bool any;               /* a LAYOUT_TIMES has come */
};

struct um_laid_out;

/* Owner: um_laid_out_close; `handlers` must outlive it. Errors: UM_ERR_MEMORY. */
enum um_status um_laid_out_open(struct um_handlers *handlers, struct um_laid_out **laid_out);

/* Accepts NULL. */
void um_laid_out_close(struct um_laid_out *laid_out);

/* Takes a frame of the feed. */
void um_laid_out_take(struct um_laid_out *laid_out, const struct um_wire_frame *frame);

/* Owner: `laid_out`. */
const struct um_laid_out_sum *um_laid_out_sum(const struct um_laid_out *laid_out);

/* The components that have cost something, by their layout time, the greatest first. Returns how
 * many there are; writes at most `cap`. Owner: `laid_out`, until the next frame. */
size_t um_laid_out_list(const struct um_laid_out *laid_out,
                        const struct um_laid_out_component **list, size_t cap);

/* One more than the greatest id of a component. */
uint32_t um_laid_out_end(const struct um_laid_out *laid_out);

/* A component by its id; NULL: nothing is known of it. Owner: as above. */
const struct um_laid_out_component *um_laid_out_get(const struct um_laid_out *laid_out,
                                                    uint32_t id);

/* The id of the component around that one which lies in no other; its own if it lies in none, and
 * 0 if the recording does not say. `id` is one that um_laid_out_get knows. */
uint32_t um_laid_out_root(const struct um_laid_out *laid_out, uint32_t id);

/* The handler of a component's costliest message, by um_handlers_text. */
void um_laid_out_handler(const struct um_laid_out *laid_out,
                         const struct um_laid_out_component *component, char *buf,
                         size_t cap_bytes);

#endif
