/* The last messages that the UI thread retrieved before a freeze, in a ring. Pure; on the hot path
 * of the monitor. A reader starts at um_retrieved_frame.
 */
#ifndef UM_MONITOR_RETRIEVED_H
#define UM_MONITOR_RETRIEVED_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

struct um_retrieved_message {
    uint64_t time_ns;
    uint64_t over_ns; /* when something else was retrieved, or the thread rested; 0: not yet */
    uint64_t hwnd;
    uint32_t message;
};

/* A zeroed struct has none; there is nothing to release. */
struct um_retrieved {
    size_t count; /* ever; the last UM_WIRE_RETRIEVED_MOST are in the ring */
    struct um_retrieved_message ring[UM_WIRE_RETRIEVED_MOST];
};

/* Takes a frame of the hook DLL. TAKEN is a message; the DLL's own are left out, but end the
 * message before. SENT ends it too if the thread has rested since. Other types are ignored. */
void um_retrieved_frame(struct um_retrieved *retrieved, const struct um_wire_frame *frame);

/* Forgets all messages, because the connection is gone and some will be missing. */
void um_retrieved_forget(struct um_retrieved *retrieved);

size_t um_retrieved_count(const struct um_retrieved *retrieved);

/* Makes the RETRIEVED of one message as of now; number 0 is the oldest. Names of window and message
 * are empty. */
void um_retrieved_get(const struct um_retrieved *retrieved, size_t number, uint64_t now_ns,
                      struct um_wire_frame *frame);

#endif
