/* Finds the message that explains a freeze best. The suspect of a freeze is the last message that
 * was retrieved; what took the time may have been sent within it. It is known where messages are
 * traced (TRACE_CALL, TRACE_EVENTS) or the layout is recorded (um_costliest_step), but only once
 * the message is done, which may be after the freeze.
 *
 * Of the messages that lay in a freeze with some of their time, it is the innermost that took at
 * least half of the freeze: those that did lie within one another, so it is the shortest. If none
 * took so much, it is the one that took the longest part; a message of which that is not sure,
 * because others were lost, is not told. Messages whose end is not known exactly (`loose`) are left
 * out, and so are those under UM_WIRE_TRACE_LONG_NS.
 *
 * A reader starts at um_costliest_freeze. Portable. Thread: one at a time; not on the hot path.
 */
#ifndef UM_MONITOR_COSTLIEST_H
#define UM_MONITOR_COSTLIEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/texts.h"
#include "ipc/wire.h"

#define UM_COSTLIEST_CALLS 1024 /* of the latest, kept for freezes that are told after them */
#define UM_COSTLIEST_FREEZES 16 /* of the latest, kept for messages that end after them */

/* A message that is done. */
struct um_costliest_call {
    uint64_t begin_ns, end_ns;
    uint64_t window; /* its handle; 0: `window_class` says its class */
    uint32_t message;
    uint32_t window_class; /* in `classes` */
    uint8_t kind;          /* enum um_trace_kind */
};

/* A freeze that is over. */
struct um_costliest_freeze {
    uint64_t start_ns, end_ns;
    uint32_t id;                   /* 0: none */
    bool lossy;                    /* messages of its time were lost */
    bool is_new;                   /* what is best has changed since it was published */
    struct um_costliest_call best; /* end_ns is 0 if there is none */
};

struct um_costliest_node {
    uint32_t message;
    uint32_t window_class; /* in `classes` */
    uint8_t kind;
    bool known;
};

/* Private to costliest.c, but for the first four, which the owner sets. The rest is zeroed. */
struct um_costliest {
    void *context;
    /* Puts a frame on the feed. */
    void (*publish)(void *context, const struct um_wire_frame *frame);
    /* The name of a registered message, and the class of a window; false if there is none. */
    bool (*message_name)(void *context, uint32_t message, char *buf, size_t cap_bytes);
    bool (*window_class)(void *context, uint64_t window, char *buf, size_t cap_bytes);
    struct um_costliest_node *nodes;
    size_t node_count, node_room;
    struct um_texts classes;
    uint64_t lost;     /* by the last TRACE_EVENTS */
    uint64_t lost_ns;  /* messages that ended up to then may be missing; 0: none are */
    size_t call_count; /* ever; the last UM_COSTLIEST_CALLS are in the ring */
    struct um_costliest_call calls[UM_COSTLIEST_CALLS];
    size_t freeze_count; /* likewise */
    struct um_costliest_freeze freezes[UM_COSTLIEST_FREEZES];
};

/* The DLL has attached, and its tree is empty. */
void um_costliest_attached(struct um_costliest *costliest);

/* Takes a frame of the DLL; ignores other types than TRACE_CALL and TRACE_EVENTS. */
void um_costliest_take(struct um_costliest *costliest, const struct um_wire_frame *frame);

/* Takes a message that was a step of the layout; `window_class` is not used. */
void um_costliest_step(struct um_costliest *costliest, const struct um_costliest_call *call);

/* A freeze is over, by its EPISODE with END. */
void um_costliest_freeze(struct um_costliest *costliest, const struct um_wire_frame *frame);

/* Publishes a COSTLIEST for each freeze of which something new is known. */
void um_costliest_turn(struct um_costliest *costliest);

/* Frees what it has made. Accepts a zeroed struct. */
void um_costliest_deinit(struct um_costliest *costliest);

#endif
