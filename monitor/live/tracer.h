/* Publishes the messages that the hook DLL traces: TRACE_CALL and TRACE_TIMES become TRACED_CALL,
 * TRACED_TIMES and TRACING.
 *
 * It begins a new tree each time that the DLL attaches, and adds the names of registered messages
 * and the keys of handlers. A reader starts at um_tracer_take. Portable. Thread: one at a time;
 * blocks only in its callbacks.
 */
#ifndef UM_MONITOR_TRACER_H
#define UM_MONITOR_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

struct um_tracer_config {
    void *context;
    /* Puts a frame on the feed. */
    void (*publish)(void *context, const struct um_wire_frame *frame);
    /* The key of a handler's address, as of a node of NODES. */
    uint64_t (*key)(void *context, uint64_t address);
    /* The name of a registered message; false if there is none. */
    bool (*message_name)(void *context, uint32_t message, char *buf, size_t cap_bytes);
};

/* Private to tracer.c. Zeroed but for the config; nothing to release. */
struct um_tracer {
    struct um_tracer_config config;
    uint32_t tree;
    struct um_wire_tracing before; /* of earlier trees */
    struct um_wire_tracing now;    /* of this one */
};

/* The DLL has attached, and its tree is empty. */
void um_tracer_attached(struct um_tracer *tracer);

/* Takes a frame of the DLL; ignores other types than the two. */
void um_tracer_take(struct um_tracer *tracer, const struct um_wire_frame *frame);

/* Whether tracing is on, by the DLL's last TRACE_TIMES. */
bool um_tracer_is_on(const struct um_tracer *tracer);

#endif
