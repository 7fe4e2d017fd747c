/* Where a window ends for the eye, on which display it lies and how that one is scaled, by what an
 * X server and its window manager say. Pure; anchor_x11.c asks them.
 */
#ifndef UM_OVERLAY_FRAME_H
#define UM_OVERLAY_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "overlay/anchor.h"

/* Widths along the four edges of a window. Units: px. */
struct um_frame_edges {
    int left, right, top, bottom;
};

struct um_frame_view {
    struct um_anchor_rect client; /* the program's own window */
    struct um_anchor_rect frame;  /* the window manager's window around it; else the same one */
    bool has_border;
    struct um_frame_edges border; /* what the manager drew around it (_NET_FRAME_EXTENTS) */
    struct um_frame_edges shadow; /* what of it is a shadow that the program drew itself
                                   * (_GTK_FRAME_EXTENTS) */
};

/* The part of a window that belongs to it for the eye: its sides and its lower edge are those of
 * the program's own window, because a manager's borders may be invisible. `client_top` is where the
 * title bar of the window manager ends. */
void um_frame_bounds(const struct um_frame_view *view, struct um_anchor_rect *bounds,
                     int *client_top);

/* One of the displays that make up the desktop. */
struct um_frame_display {
    struct um_anchor_rect rect;
    int width_mm; /* 0: not known */
    bool primary;
};

/* The index of the display on which most of the rectangle lies; the primary one, or the first, if
 * it lies on none or is NULL. `count` is not 0. */
size_t um_frame_display_of(const struct um_frame_display *displays, size_t count,
                           const struct um_anchor_rect *rect);

/* The scale of a display: Xft.dpi in the server's resources, which all toolkits go by. Where that
 * is not set, 2 or more on a display of at least 192 dpi by its own size.
 * Units: `resources` has `len_bytes`; 1 is 96 dpi; the result is between 0.5 and 8. */
double um_frame_scale(const char *resources, size_t len_bytes,
                      const struct um_frame_display *display);

/* A window of the desktop, in the order in which they are stacked. */
struct um_frame_window {
    bool shown;
    bool ours; /* it is an overlay's */
    struct um_anchor_rect rect;
};

/* Whether one of these windows is shown, lies over the rectangle, and is no overlay's. */
bool um_frame_any_over(const struct um_frame_window *windows, size_t count,
                       const struct um_anchor_rect *rect);

#endif
