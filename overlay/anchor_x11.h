/* Finds the target's window on the X screen, and the window manager's window around it; frame.h and
 * anchor.h then work out the overlay's place. Only for layer_x11.c, which owns the overlay's
 * window.
 *
 * Unlike on Windows, the overlay does not hide when another window lies over the target: it lies
 * directly above the target's frame, and so below whatever covers that.
 *
 * No function here sends the target a message or waits for it. They read what the server knows.
 * Thread: the overlay's.
 */
#ifndef UM_OVERLAY_ANCHOR_X11_H
#define UM_OVERLAY_ANCHOR_X11_H

#include <stdbool.h>
#include <stdint.h>
#include <xcb/xcb.h>

#include "overlay/anchor.h"
#include "overlay/screen_x11.h"

struct um_anchor {
    const struct um_screen *screen;
    struct um_layer_options options;
    int more_height; /* px at 100 %, added to the height of the options or the look */
    bool moved;      /* by the user, to the other edge */
    xcb_window_t target;
    xcb_window_t frame; /* the child of the root in which it lies; XCB_WINDOW_NONE: not known */
    bool alone;         /* there is no target: the bounds are those of the primary display */
    bool hidden;        /* the user does not want to see the overlay */
    bool visible;       /* the overlay is to be shown */
    bool has_bounds; /* the target was found since it is followed: `bounds` and `place` are valid */
    bool opaque;     /* no compositor runs */
    bool maximised;  /* also full-screen */
    struct um_anchor_rect bounds; /* the target's, when `place` was worked out */
    int client_top;               /* where its title bar ends */
    struct um_anchor_place place;
    uint64_t refresh_ns; /* when display, scale and frame are to be looked up again */
};

/* Begins without a target. Owner: nothing to release. */
void um_anchor_init(const struct um_screen *screen, const struct um_layer_options *options,
                    struct um_anchor *anchor);

/* Follows another target; XCB_WINDOW_NONE: the overlay stands alone. */
void um_anchor_follow(struct um_anchor *anchor, xcb_window_t target);

/* Finds the target, and sets `visible` and `place`. */
void um_anchor_update(struct um_anchor *anchor, uint64_t now_ns);

/* Whether the overlay may appear now: the target's frame is known, or, for one that stands alone,
 * no window hides the whole display as a locked screen does. */
bool um_anchor_may_show(const struct um_anchor *anchor);

/* Whether `window`, which is the overlay's, lies directly above the target's frame; other overlays,
 * and windows that do not touch it, may lie between. An overlay that stands alone is to lie above
 * all windows, unless one hides the whole display, as a locked screen does. */
bool um_anchor_is_stacked(const struct um_anchor *anchor, xcb_window_t window);

/* Whether an event may mean that the target, or what lies around it, has changed. `own` is the
 * overlay's window. */
bool um_anchor_concerns(struct um_anchor *anchor, const xcb_generic_event_t *event,
                        xcb_window_t own);

#endif
