/* Finds the push buttons of windows, so that the overlay does not lie over those of a dialog. Only
 * for anchor_win32.c.
 *
 * No function here sends a window a message or waits for it. They read what the system knows, some
 * microseconds for each window. Thread: the overlay's.
 */
#ifndef UM_OVERLAY_BUTTONS_WIN32_H
#define UM_OVERLAY_BUTTONS_WIN32_H

#include <stddef.h>
#include <windows.h>

#include "overlay/anchor.h"

#define UM_BUTTONS_MOST 128 /* what comes after them is not looked at */

/* A zeroed struct has none. Units: px of the desktop. */
struct um_buttons {
    size_t windows; /* that were looked at */
    size_t count;
    struct um_anchor_rect list[UM_BUTTONS_MOST];
};

/* Adds where the push buttons within a top-level window can be seen. */
void um_buttons_add(HWND window, struct um_buttons *buttons);

#endif
