/* The strip's place: finds the target's window on the screen and works out the strip's rectangle
 * from it. Only for strip_win32.c, which owns the strip's own window.
 *
 * No call in here sends the target a message or waits for it: they read what the system knows.
 * Thread: the strip's.
 */
#ifndef UM_OVERLAY_ANCHOR_WIN32_H
#define UM_OVERLAY_ANCHOR_WIN32_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

#include "overlay/strip.h"

typedef HRESULT(WINAPI *um_anchor_monitor_dpi)(HMONITOR, int, UINT *, UINT *);

struct um_anchor {
    struct um_strip_options options;
    int more_height; /* px at 100 %, beside the height of the options or the look */
    HMODULE shcore;
    um_anchor_monitor_dpi monitor_dpi; /* NULL: not on this system */
    HWND target;
    bool alone;          /* there is no target: the bounds are those of the primary display */
    bool hidden;         /* the user does not want to see the strip */
    bool visible;        /* the strip is to be seen */
    bool has_bounds;     /* the target was found since it is followed: `bounds` and `rect` count */
    RECT bounds;         /* the target's, when `rect` was worked out */
    RECT rect;           /* the strip's */
    double scale;        /* of the strip's monitor, or the one asked for */
    unsigned corners;    /* of the strip, that lie in corners of the target (um_paint_round) */
    int radius;          /* of the target's corners at most, px */
    uint64_t refresh_ns; /* when monitor and scale are to be looked up again */
    uint64_t changed_ns; /* when the bounds or `visible` changed last */
};

/* Begins without a target. Owner: um_anchor_deinit. */
void um_anchor_init(const struct um_strip_options *options, struct um_anchor *anchor);

/* Follows another target; NULL: the strip stands alone. */
void um_anchor_follow(struct um_anchor *anchor, HWND target);

/* Looks where the target is now, and sets `visible`, `rect` and `scale`. */
void um_anchor_update(struct um_anchor *anchor, uint64_t now_ns);

/* Accepts a zeroed struct. */
void um_anchor_deinit(struct um_anchor *anchor);

#endif
