/* A window of ours over other programs' windows: it has a picture with transparency, is not the
 * window manager's (override-redirect), never takes the focus, and lets every click through. Only
 * for layer_x11.c and sheet_x11.c.
 *
 * The server keeps the picture, as the background of the window: it paints what was covered without
 * asking. A zeroed struct is closed. Thread: the one that opened it.
 */
#ifndef UM_OVERLAY_LAYERED_X11_H
#define UM_OVERLAY_LAYERED_X11_H

#include <stdbool.h>
#include <stdint.h>
#include <xcb/xcb.h>

#include "base/plain/status.h"
#include "overlay/canvas.h"
#include "overlay/screen_x11.h"

struct um_layered {
    const struct um_screen *server;
    xcb_window_t window;
    xcb_pixmap_t pixmap;     /* its picture, in the server */
    xcb_gcontext_t context;  /* for that */
    struct um_canvas screen; /* the picture; empty before um_layered_resize */
    int room_width;          /* of the pixmap, of which the picture is the upper left part */
    int room_height;
    uint32_t *rows;               /* a part of the picture on its way to the server */
    struct um_canvas_rect placed; /* where the window was last put */
    bool shown;
    bool whole; /* the next update sends the whole picture, with its size */
};

/* Makes the window, hidden. `class_name` is ASCII. Owner: um_layered_close. Errors: UM_ERR_MEMORY.
 */
enum um_status um_layered_open(const struct um_screen *server, const char *class_name,
                               const char *title, struct um_layered *layered);

/* Accepts a zeroed struct. */
void um_layered_close(struct um_layered *layered);

/* Gives it an empty picture of this size, in px. Errors: UM_ERR_MEMORY: it has none. */
enum um_status um_layered_resize(struct um_layered *layered, int width, int height);

/* Releases the picture. */
void um_layered_free(struct um_layered *layered);

/* Sends the changed part of the picture to the screen, or all of it if that is due. `at` is where
 * the window belongs. Errors: UM_ERR_IO the server is gone. */
enum um_status um_layered_update(struct um_layered *layered, const struct um_canvas_rect *at,
                                 const struct um_canvas_rect *changed);

/* Moves the window, if its size stays: with another size the next update brings both. */
void um_layered_move(struct um_layered *layered, const struct um_canvas_rect *at);

/* Puts the window directly above another child of the root; XCB_WINDOW_NONE: above all. */
void um_layered_stack(struct um_layered *layered, xcb_window_t below);

/* Shows the window where it was stacked; or hides it. */
void um_layered_show(struct um_layered *layered);
void um_layered_hide(struct um_layered *layered);

#endif
