/* Makes a marker of each message that the hook DLL traces one by one: what TRACE_EVENTS lists, with
 * the names of its TRACE_CALLs, goes to marker_frames.h as an interval of the UI thread. Its
 * fields:
 *
 *   window_class  text, if it is known
 *   how           text: "retrieved", "sent" or "sent by another thread"
 *   end           text "at the latest": it may have ended long before (calltrace.h, loose)
 *   queued_ms     how long a retrieved message had waited in the queue, by its own time. The
 *                 system's clock of messages goes by ticks of some 16 ms on Windows, so it may be
 *                 off by one of them
 *   message       terminating flow: a number that counts the messages of a session
 *
 * A reader starts at um_message_markers_take. Portable. Thread: one at a time. Not on the hot path.
 */
#ifndef UM_MONITOR_MESSAGE_MARKERS_H
#define UM_MONITOR_MESSAGE_MARKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/texts.h"
#include "ipc/wire.h"
#include "monitor/live/marker_frames.h"

struct um_message_markers_node {
    char name[64];         /* of the message; empty: the node is not known */
    uint32_t window_class; /* in `classes` */
    uint8_t kind;          /* enum um_trace_kind */
};

/* Private to message_markers.c, but for the first five, which the owner sets. The rest is
 * zeroed. */
struct um_message_markers {
    struct um_marker_frames *frames;
    void *context;
    /* The name of a registered message; false if there is none. */
    bool (*message_name)(void *context, uint32_t message, char *buf, size_t cap_bytes);
    /* Half of the TRACE_EVENTS have come that may come: TRACE_EVENTS_ON is to be sent again. */
    void (*more)(void *context);
    bool wanted; /* else no markers are made: the messages are of use to somebody else */
    uint32_t thread;
    struct um_message_markers_node *nodes;
    size_t count, room;
    struct um_texts classes;
    uint64_t flow; /* of the last message */
    uint64_t lost; /* by the last TRACE_EVENTS */
    uint32_t came; /* TRACE_EVENTS, since `more` */
};

/* The DLL has attached to that UI thread, and its tree is empty. */
void um_message_markers_attached(struct um_message_markers *markers, uint32_t thread);

/* Takes a frame of the DLL; ignores other types than TRACE_CALL and TRACE_EVENTS. A message whose
 * TRACE_CALL could not be kept, for want of memory, counts as lost. */
void um_message_markers_take(struct um_message_markers *markers, const struct um_wire_frame *frame);

/* Frees what it has made. Accepts a zeroed struct. */
void um_message_markers_deinit(struct um_message_markers *markers);

#endif
