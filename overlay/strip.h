/* The overlay's window: a strip on top of another program's window that lets every click through.
 *
 * It is called a strip in all its looks. Start at um_strip_poll. There is one backend for each
 * platform: strip_win32.c, with anchor_win32.c for the place. Its window is a plain layered window;
 * an SDL window would have CS_OWNDC, which a layered window must not have, so SDL only draws.
 *
 * A backend must
 *   - never take the focus;
 *   - never be owned by the target's window, send it a message or wait for its thread: a frozen
 *     target must not freeze the overlay, and the overlay must not change what is measured;
 *   - follow the target when it moves, changes its size, is minimised or restored, closes, or comes
 *     to a monitor of another scale, by polling;
 *   - hide while a window of another program lies above the target and over the strip;
 *   - stay where it was while the system shows a stand-in for a hung target.
 *
 * Thread: one thread makes all calls but um_strip_wake. Not on the hot path.
 */
#ifndef UM_OVERLAY_STRIP_H
#define UM_OVERLAY_STRIP_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/overlay.h"
#include "ipc/status.h"
#include "overlay/canvas.h"

#define UM_STRIP_ALONE_WIDTH 1200 /* px at 100 % */

struct um_strip;

struct um_strip_options {
    enum um_overlay_look look;
    enum um_overlay_position position;
    int height;   /* px at 100 %; 0: that of the look */
    double scale; /* 0: that of the monitor the target is on */
};

/* Where the strip is after a poll. */
struct um_strip_place {
    bool visible; /* false: the target is gone, minimised, hidden or covered; do not draw */
    int width;    /* px; 0 before the first target */
    int height;
    double scale;
    unsigned corners; /* those that are to be rounded, as um_paint_round takes them, because the */
    int radius;       /* target's are round there; and by how many px */
};

/* Makes the window, hidden.
 * Owner: close with um_strip_close. Errors: UM_ERR_IO; UM_ERR_MEMORY. */
enum um_status um_strip_open(const struct um_strip_options *options, struct um_strip **strip);

/* Follows this window from now on. With 0 there is none, as in a replay: the strip then stands
 * alone at the edge of the primary display, centred and at most UM_STRIP_ALONE_WIDTH wide.
 * Units: `target` is an HWND (or X window) as a number. */
void um_strip_follow(struct um_strip *strip, uint64_t target);

/* Hides the strip wherever the target is, or lets it be seen again. */
void um_strip_hide(struct um_strip *strip, bool hide);

/* Makes the strip so much higher than its options say. Units: px at 100 %. */
void um_strip_extend(struct um_strip *strip, int height);

/* Whether nobody uses the machine. Then no window is dragged, and looking where the target is less
 * often spares the machine's sleep. */
void um_strip_calm(struct um_strip *strip, bool calm);

/* Looks where the target is, and moves or hides the strip. Cheap; never waits for the target. */
void um_strip_poll(struct um_strip *strip, uint64_t now_ns, struct um_strip_place *place);

/* When to poll again: soon while the target moves, less often at rest, always within 100 ms, or
 * 250 ms while all is calm. Units: local clock. */
uint64_t um_strip_deadline(const struct um_strip *strip);

/* The picture to draw into, of the place's size.
 * Owner: the window; valid until the next poll. Errors: UM_ERR_MEMORY. */
enum um_status um_strip_canvas(struct um_strip *strip, struct um_canvas *canvas);

/* Shows the picture, and the strip if it is hidden and should be seen. Sends to the screen only
 * what has changed since the last time. Errors: UM_ERR_IO. */
enum um_status um_strip_present(struct um_strip *strip);

/* Sleeps until um_strip_wake, a message from the system, or `deadline_ns` on the local clock.
 * Errors: UM_ERR_CLOSED the system wants the program to end. */
enum um_status um_strip_wait(struct um_strip *strip, uint64_t deadline_ns);

/* Ends the present wait, or else the next one. Thread: any; never blocks. */
void um_strip_wake(struct um_strip *strip);

/* Closes the window. Accepts NULL. */
void um_strip_close(struct um_strip *strip);

#endif
