/* Where the overlay lies on the target: the geometry of all looks and positions, on any system.
 * Pure. The system's side, anchor_win32.h or anchor_x11.h, fills in the view. A reader starts at
 * um_anchor_lay_out.
 *
 * The look AUTO is a strip, or the compact panel where a strip is in the way: where it would take
 * more than a quarter of what is on the screen of the target's height, or lie over one of the
 * target's push buttons. It stays a strip if the options say how high it is to be, and if there is
 * no target. The panel takes a corner where no button is. At the position BOTTOM, the default, that
 * may be any corner, but at another one, or after the user has moved the overlay, it stays at that
 * edge or in that corner.
 */
#ifndef UM_OVERLAY_ANCHOR_H
#define UM_OVERLAY_ANCHOR_H

#include <stdbool.h>
#include <stddef.h>

#include "overlay/layer.h"

/* Units: px of the desktop; `right` and `bottom` lie just outside. */
struct um_anchor_rect {
    int left, top, right, bottom;
};

/* What is known of the target and of what lies around it. */
struct um_anchor_view {
    struct um_layer_options options;
    int more_height; /* px at 100 %, added to the height of the options or the look */
    bool moved;      /* by the user, to the edge opposite to the position of the options */
    bool alone;      /* there is no target: `target` is the usable part of the primary display */
    struct um_anchor_rect target;
    bool has_display;              /* the next two are known */
    struct um_anchor_rect display; /* the one on which most of the target lies */
    struct um_anchor_rect work;    /* the area of it that no taskbar covers */
    int desktop_left, desktop_right;
    const struct um_anchor_rect *displays; /* all; with none, the desktop has no gaps */
    size_t display_count;
    double display_scale; /* 1 is 100 % */
    bool has_client_top;
    int client_top; /* where the target's title bar ends */
    bool maximised; /* also full-screen */
    bool opaque;    /* nothing shines through the overlay, so a strip is lower */
    const struct um_anchor_rect *buttons; /* push buttons of the target and its dialogs */
    size_t button_count;
};

struct um_anchor_place {
    struct um_anchor_rect rect; /* the overlay's */
    enum um_overlay_look look;  /* never AUTO */
    enum um_overlay_position position;
    double scale;     /* of the display, or the one asked for */
    unsigned corners; /* of the layer, that lie in corners of the target (um_paint_round) */
    int radius;       /* of the target's corners at most, px */
};

/* Lays the overlay out over all displays on which the target lies. If a part of it would be on
 * none, because they differ in height, it is laid out on `display` alone. */
void um_anchor_lay_out(const struct um_anchor_view *view, struct um_anchor_place *place);

/* What an overlay that stands alone leaves of the area it lies in: all above it, or below it if it
 * is at the upper edge. */
struct um_anchor_rect um_anchor_beside(const struct um_anchor_rect *area,
                                       const struct um_anchor_rect *overlay,
                                       enum um_overlay_position position);

/* How much two rectangles have in common. Units: px². */
long long um_anchor_common_area(const struct um_anchor_rect *a, const struct um_anchor_rect *b);

/* Whether windows that have so much in common with the overlay hide what it lies on: more than a
 * tenth of its area. Units: px². */
bool um_anchor_hides(const struct um_anchor_rect *overlay, long long common_area);

#endif
