/* The window messages that were traced, as a tree: a message that was handled within another one is
 * its child.
 *
 * It is made from the frames TRACED_CALL, TRACED_TIMES and TRACING; handlers.h has the names of the
 * window procedures. Each attachment of the hook DLL begins a new tree of frames; here they become
 * one. Memory is bounded: calls for which there is no room are left out and counted. A reader
 * starts at um_traced_take. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_TRACED_H
#define UM_MONITOR_TRACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/stats/call_rows.h"
#include "monitor/stats/handlers.h"

#define UM_TRACED_NODES 8192
#define UM_TRACED_TEXT_BYTES 96
#define UM_TRACED_ROOT 0u
#define UM_TRACED_NONE UM_CALL_ROWS_NONE

struct um_traced_node {
    uint32_t parent;
    uint32_t first; /* of the nodes within; UM_TRACED_NONE: there is none */
    uint32_t next;  /* with the same parent; as above */
    uint32_t message;
    uint32_t handler;                        /* its number; UM_HANDLERS_NONE: there is none */
    uint8_t kind;                            /* enum um_trace_kind */
    char window_class[UM_TRACED_TEXT_BYTES]; /* "": not known */
    char message_name[64];                   /* of a registered message; "": none is known */
    bool timed;                              /* `times` has come */
    struct um_wire_trace_times times;        /* of all trees; `node` is not used */
};

struct um_traced_sum {
    struct um_wire_tracing tracing; /* the latest; zeroed before the first */
    uint64_t left_out;              /* nodes and calls of frames without room */
    bool any;                       /* tracing was ever on */
    bool has_cpu;                   /* CPU times are known */
};

struct um_traced;

/* Owner: um_traced_close; `handlers` must outlive it. Errors: UM_ERR_MEMORY. */
enum um_status um_traced_open(struct um_handlers *handlers, struct um_traced **traced);

/* Accepts NULL. */
void um_traced_close(struct um_traced *traced);

/* Takes a frame of the feed. */
void um_traced_take(struct um_traced *traced, const struct um_wire_frame *frame);

/* Owner: `traced`. */
const struct um_traced_sum *um_traced_sum(const struct um_traced *traced);

/* A node; UM_TRACED_ROOT is no message. Owner: `traced`, until the next frame. */
const struct um_traced_node *um_traced_node(const struct um_traced *traced, uint32_t node);

/* How the tree is gone through, the longest first, for call_rows.h; without `weigh`, `write` and
 * `put`. A node that was reserved for the calls without room (UM_TRACE_OTHER), if there were none,
 * is left out, and so is one whose calls were all caused by beats. Owner: `traced`, until the next
 * frame. */
struct um_call_rows um_traced_rows(const struct um_traced *traced);

/* How many nodes there are, without the root and what um_traced_rows leaves out. */
size_t um_traced_count(const struct um_traced *traced);

/* The handler of a node, by um_handlers_text. */
void um_traced_handler(const struct um_traced *traced, uint32_t node, char *buf, size_t cap_bytes);

#endif
