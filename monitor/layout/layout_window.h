/* What is asked about a window of the target, when its layout is measured. */
#ifndef UM_MONITOR_LAYOUT_WINDOW_H
#define UM_MONITOR_LAYOUT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/wire.h"

struct um_layout_window {
    /* The handle of the window that it lies in; 0: it is a root. A window that is only owned, as a
     * dialog is, is a root of its own. */
    uint64_t parent;
    bool has_children;
    bool is_control; /* of a class of the system, unless it holds what a program has described */
    bool counts_nowhere; /* a tooltip or a message-only window: it is no part of what is laid out */
    bool draws_parts;    /* its toolkit draws all its parts itself: they are no windows */
    bool has_id;         /* a window that lies in another one has a number */
    uint32_t id;
    char window_class[UM_WIRE_LAYOUT_TEXT_BYTES]; /* UTF-8; empty: not known */
    char text[UM_WIRE_LAYOUT_TEXT_BYTES];
};

#endif
