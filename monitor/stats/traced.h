/* The window messages that were traced, as a tree of which was handled within which.
 *
 * It takes the frames TRACED_CALL, TRACED_TIMES and TRACING, and of MODULE and NAME what tells the
 * handlers. Each time that the hook DLL comes to the target, a new tree of frames begins; here they
 * become one. Whatever the frames say, memory is bounded; calls for which there is no room here are
 * left out and counted. A reader starts at um_traced_take. Not on the hot path. Thread: one at a
 * time.
 */
#ifndef UM_MONITOR_TRACED_H
#define UM_MONITOR_TRACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"

#define UM_TRACED_NODES 8192
#define UM_TRACED_HANDLERS 1024
#define UM_TRACED_MODULES 1024
#define UM_TRACED_TEXT_BYTES 96
#define UM_TRACED_ROOT 0u
#define UM_TRACED_NONE UINT32_MAX

struct um_traced_node {
    uint32_t parent;
    uint32_t first; /* of the nodes within; UM_TRACED_NONE: there is none */
    uint32_t next;  /* with the same parent; as above */
    uint32_t message;
    uint32_t handler;                        /* its number; UM_TRACED_NONE: there is none */
    uint8_t kind;                            /* enum um_trace_kind */
    char window_class[UM_TRACED_TEXT_BYTES]; /* "": not known */
    char message_name[64];                   /* of a registered message; "": none is known */
    struct um_wire_trace_times times;        /* of all trees; `node` means nothing */
};

struct um_traced;

/* Nothing was traced yet. Owner: um_traced_close. Errors: UM_ERR_MEMORY. */
enum um_status um_traced_open(struct um_traced **traced);

/* Accepts NULL. */
void um_traced_close(struct um_traced *traced);

/* Takes a frame of the feed. */
void um_traced_take(struct um_traced *traced, const struct um_wire_frame *frame);

/* Whether tracing was ever on. Accepts NULL, which was not. */
bool um_traced_any(const struct um_traced *traced);

/* The latest TRACING; zeroed before the first. */
const struct um_wire_tracing *um_traced_sum(const struct um_traced *traced);

/* Whether the times that the thread has run are known. */
bool um_traced_has_cpu(const struct um_traced *traced);

/* Nodes and calls of frames that were left out. */
uint64_t um_traced_left_out(const struct um_traced *traced);

/* The nodes; UM_TRACED_ROOT is none of the messages'. Owner: `traced`, until the next frame. */
const struct um_traced_node *um_traced_node(const struct um_traced *traced, uint32_t node);

/* Whether a node is one for all others that was not needed: there was room for each call. It is not
 * shown. */
bool um_traced_is_unused(const struct um_traced *traced, uint32_t node);

/* The nodes within a node but for an unused one, those that took longest first. Returns how many
 * there are; writes at most `cap`. */
size_t um_traced_within(const struct um_traced *traced, uint32_t node, uint32_t *list, size_t cap);

/* The handler of a node: "function", or "module.dll+0x1234", or "0x7ff612345678"; "": none. UTF-8
 * without control characters. Units: `buf` of `cap_bytes`. */
void um_traced_handler(const struct um_traced *traced, uint32_t node, char *buf, size_t cap_bytes);

#endif
