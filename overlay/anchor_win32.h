/* Finds the target's window on the screen, and what covers it; anchor.h then works out the
 * overlay's place. Only for layer_win32.c, which owns the overlay's window, and for
 * parts_win32.c, which asks about the windows within the target.
 *
 * No function here sends the target a message or waits for it. They read what the system knows.
 * Thread: the overlay's.
 */
#ifndef UM_OVERLAY_ANCHOR_WIN32_H
#define UM_OVERLAY_ANCHOR_WIN32_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

#include "overlay/anchor.h"
#include "overlay/buttons_win32.h"
#include "overlay/cover_win32.h"

typedef HRESULT(WINAPI *um_anchor_monitor_dpi)(HMONITOR, int, UINT *, UINT *);

struct um_anchor {
    struct um_layer_options options;
    int more_height; /* px at 100 %, added to the height of the options or the look */
    bool moved;      /* by the user, to the other edge */
    HMODULE shcore;
    um_anchor_monitor_dpi monitor_dpi; /* NULL: not on this system */
    HWND own;                          /* the overlay's window */
    HWND target;
    bool alone;        /* there is no target: the bounds are those of the primary display */
    bool hidden;       /* the user does not want to see the overlay */
    bool visible;      /* the overlay is to be shown */
    long long covered; /* how much of it other windows hide, px² */
    HWND hider;        /* that is too much, most of it by this window; NULL: it is not */
    const struct um_canvas *picture; /* the overlay's, on the screen; NULL: it is hidden */
    struct um_cover_looks looks;     /* at the windows above the target */
    bool is_below;                   /* the overlay is below the target in the z-order */
    bool has_bounds; /* the target was found since it is followed: `bounds` and `rect` are valid */
    RECT bounds;     /* the target's, when `rect` was worked out */
    RECT rect;       /* the overlay's */
    struct um_buttons buttons;    /* of the target and its dialogs, for the look AUTO */
    POINT buttons_at;             /* the target's corner that they are for */
    uint64_t buttons_ns;          /* they are not looked for again before that time */
    struct um_anchor_place place; /* the same rectangle, and how to draw in it */
    uint64_t refresh_ns;          /* when monitor and scale are to be looked up again */
    uint64_t changed_ns;          /* when the bounds or `visible` changed last */
};

/* Begins without a target. Owner: um_anchor_deinit. */
void um_anchor_init(const struct um_layer_options *options, struct um_anchor *anchor);

/* Follows another target; NULL: the overlay stands alone. */
void um_anchor_follow(struct um_anchor *anchor, HWND target);

/* Finds the target, and sets `visible`, `rect` and `place`. */
void um_anchor_update(struct um_anchor *anchor, uint64_t now_ns);

/* Whether a top-level window is on the screen: not minimised, hidden, or on another desktop. */
bool um_anchor_is_seen(HWND window);

/* The visible bounds of a top-level window; false if it is gone. */
bool um_anchor_bounds(HWND window, RECT *bounds);

/* Whether the target, or a window that it owns, is the active one. */
bool um_anchor_is_active(HWND target);

/* Whether a window that is above the target in the z-order is above it on the screen too. */
bool um_anchor_is_above(HWND window, bool target_is_active);

/* Accepts a zeroed struct. */
void um_anchor_deinit(struct um_anchor *anchor);

#endif
