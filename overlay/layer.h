/* The overlay's window: a layer on top of another program's window that lets every click through.
 *
 * Whatever the look is, the window is the same. Start at um_layer_poll. There is one backend
 * for each platform: layer_win32.c, with anchor_win32.c for the place, and layer_x11.c, with
 * anchor_x11.c. SDL only draws. On Windows the window is a layered window: one of SDL has CS_OWNDC,
 * which a layered window must not have. On X11 it is none of the window manager's.
 *
 * A backend must
 *   - never take the focus;
 *   - never be owned by the target's window, send it a message or wait for its thread: a frozen
 *     target must not freeze the overlay, and the overlay must not change what is measured;
 *   - follow the target when it moves, changes its size, is minimised or restored, closes, or comes
 *     to a monitor of another scale, or (X11) its workspace is left, by polling;
 *   - hide while a window of another program lies above the target and over the overlay, or lie
 *     below that window;
 *   - stay where it was while the system shows a ghost window in place of a hung target.
 *
 * Thread: one thread makes all calls but um_layer_wake. Not on the hot path.
 */
#ifndef UM_OVERLAY_LAYER_H
#define UM_OVERLAY_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/overlay.h"
#include "base/plain/status.h"
#include "overlay/canvas.h"

#define UM_LAYER_ALONE_WIDTH 1200 /* px at 100 % */

struct um_layer;

struct um_layer_options {
    enum um_overlay_look look;
    enum um_overlay_position position;
    int height;   /* px at 100 %; 0: that of the look */
    int rows;     /* of --show, by which the compact panel grows */
    double scale; /* 0: that of the monitor the target is on */
};

/* Where the overlay is after a poll. */
struct um_layer_place {
    bool visible; /* false: the target is gone, minimised, hidden or covered; do not draw */
    int x, y;     /* px of the desktop */
    int width;    /* px; 0 before the first target */
    int height;
    double scale;
    enum um_overlay_look look; /* never AUTO */
    enum um_overlay_position position;
    unsigned corners; /* to be rounded as the target's are; for um_paint_round */
    int radius;       /* px, of these corners */
};

/* Makes the window, hidden.
 * Owner: close with um_layer_close. Errors: UM_ERR_UNSUPPORTED there is no X server that has
 * windows with transparency; UM_ERR_IO; UM_ERR_MEMORY. */
enum um_status um_layer_open(const struct um_layer_options *options, struct um_layer **layer);

/* Follows this window from now on. 0: there is none, as in a replay, and the overlay stands alone
 * at the edge of the primary display, centred and at most UM_LAYER_ALONE_WIDTH wide.
 * Units: `target` is an HWND (or X window) as a number. */
void um_layer_follow(struct um_layer *layer, uint64_t target);

/* Hides the overlay wherever the target is, or shows it again. */
void um_layer_hide(struct um_layer *layer, bool hide);

/* Makes the overlay so much higher than its options say. Units: px at 100 %. */
void um_layer_extend(struct um_layer *layer, int height);

/* Moves the overlay to the edge opposite to the position of its options, or back. */
void um_layer_move(struct um_layer *layer, bool moved);

/* Sets whether nobody uses the machine. Then no window is dragged, so the overlay looks for the
 * target less often, and the machine can sleep better. */
void um_layer_calm(struct um_layer *layer, bool calm);

/* Finds the target, and moves or hides the overlay. Cheap; never waits for the target. */
void um_layer_poll(struct um_layer *layer, uint64_t now_ns, struct um_layer_place *place);

/* What the user has to know of how this system shows the overlay, as a line without an end; NULL:
 * nothing that was not said yet. Owner: static text. */
const char *um_layer_note(struct um_layer *layer);

/* When to poll again: soon while the target moves, less often at rest, always within 100 ms, or
 * 250 ms while all is calm. Units: local clock. */
uint64_t um_layer_deadline(const struct um_layer *layer);

/* The picture to draw into, of the place's size.
 * Owner: the window; valid until the next poll. Errors: UM_ERR_MEMORY. */
enum um_status um_layer_canvas(struct um_layer *layer, struct um_canvas *canvas);

/* Shows the picture, and the overlay itself if it should be seen. Only pixels that have changed
 * since the last time go to the screen. Errors: UM_ERR_IO. */
enum um_status um_layer_present(struct um_layer *layer);

/* The overlay's window, as a number. A sheet lies below it (sheet.h). */
uint64_t um_layer_window(const struct um_layer *layer);

/* Where the target was at the last poll, which may be off the screen. If there is none, what the
 * overlay leaves of its display; on X11, where there is no sheet, that is not known. False: it is
 * not known, or the user does not want to see the overlay. Units: px of the desktop. */
bool um_layer_target(const struct um_layer *layer, struct um_canvas_rect *bounds);

/* Sleeps until um_layer_wake, a message from the system, or `deadline_ns` on the local clock.
 * Errors: UM_ERR_CLOSED the system wants the program to end. */
enum um_status um_layer_wait(struct um_layer *layer, uint64_t deadline_ns);

/* Ends um_layer_wait, or the next one if no wait lasts. Thread: any; never blocks. */
void um_layer_wake(struct um_layer *layer);

/* Closes the window. Accepts NULL. */
void um_layer_close(struct um_layer *layer);

#endif
