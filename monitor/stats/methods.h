/* The calls of managed methods, as their frames say: METHOD, METHOD_CALLS, METHOD_UNSEEN
 * and METHODS.
 *
 * The numbers of the frames are sums since tracing began, so each takes the place of the one before
 * where it is more, and a late or lost frame does no harm. What else is told of a node stays as it
 * was at first, but that it may come to stand for several threads.
 *
 * Memory is bounded by the numbers that methods and nodes may have, and a method is named once.
 * Most sessions have no such frames, and take no memory for them. A reader starts at
 * um_methods_take; method_sums.h adds up what is kept here. Not on the hot path. Thread: one at a
 * time.
 */
#ifndef UM_MONITOR_METHODS_H
#define UM_MONITOR_METHODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"

struct um_methods_head {
    struct um_wire_methods latest; /* `depth` is UM_WIRE_UNKNOWN before the first */
    uint64_t left_out;             /* methods and calls of frames without room */
    bool told;                     /* a METHODS has come */
    bool any;                      /* a METHODS or METHOD_CALLS has come */
};

struct um_methods;

/* Owner: um_methods_close. Errors: UM_ERR_MEMORY. */
enum um_status um_methods_open(struct um_methods **methods);

/* Accepts NULL. */
void um_methods_close(struct um_methods *methods);

/* Takes a frame of the feed. */
void um_methods_take(struct um_methods *methods, const struct um_wire_frame *frame);

/* Owner: `methods`. */
const struct um_methods_head *um_methods_head(const struct um_methods *methods);

/* The numbers of nodes are below that. */
uint32_t um_methods_node_end(const struct um_methods *methods);

/* A node of the calls, with the most that was told of it; NULL: nothing was told of it yet. Its
 * method may be one of which there was no METHOD, and its parent a node that never came. Owner:
 * `methods`, until the next frame. */
const struct um_wire_method_call *um_methods_node(const struct um_methods *methods, uint32_t node);

/* An entry of the list of what is traced, below UM_WIRE_METHOD_ENTRIES: METHOD_UNSEEN has told it,
 * and by the last METHODS no method is in it; else NULL. Its texts have no control characters.
 * Owner: as above. */
const struct um_wire_method_unseen *um_methods_entry(const struct um_methods *methods,
                                                     unsigned entry);

/* The name of a method, and the file of its module; "": not known. UTF-8 without control
 * characters. Owner: as above. */
const char *um_methods_name(const struct um_methods *methods, uint32_t method);
const char *um_methods_module(const struct um_methods *methods, uint32_t method);

#endif
