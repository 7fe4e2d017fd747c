/* A layered window: it has a picture with transparency, stays on top, never takes the focus, and
 * lets every click through. Only for layer_win32.c and sheet_win32.c.
 *
 * It has no owner: an owner in another process would tie our input queue to the target's, so that
 * the overlay would freeze with it. A zeroed struct is closed. Thread: the one that opened it.
 */
#ifndef UM_OVERLAY_LAYERED_WIN32_H
#define UM_OVERLAY_LAYERED_WIN32_H

#include <stdbool.h>
#include <windows.h>

#include "base/plain/status.h"
#include "overlay/canvas.h"

struct um_layered {
    HWND window;
    HDC dc;
    HBITMAP bitmap;
    HGDIOBJ old_bitmap;
    struct um_canvas screen; /* the window's picture; empty before um_layered_resize */
    int room_width;          /* of the bitmap, of which the picture is the upper left part */
    int room_height;
    RECT at;     /* where the picture belongs that is shown */
    RECT placed; /* where the window was last put: what is shown of that */
    bool shown;
    bool whole; /* the next update sends the whole picture, with its size */
};

/* Makes the window, hidden. Owner: um_layered_close. Errors: UM_ERR_IO. */
enum um_status um_layered_open(const wchar_t *class_name, const wchar_t *title,
                               struct um_layered *layered);

/* Accepts a zeroed struct. */
void um_layered_close(struct um_layered *layered);

/* Gives it an empty picture of this size, in px. Errors: UM_ERR_MEMORY: it has none. */
enum um_status um_layered_resize(struct um_layered *layered, int width, int height);

/* Releases the picture. */
void um_layered_free(struct um_layered *layered);

/* Sends the changed part of the picture to the screen, or all of it if that is due. `at` is where
 * the window belongs. Errors: UM_ERR_IO, as while the screen is locked: the next update sends
 * everything. */
enum um_status um_layered_update(struct um_layered *layered, const RECT *at,
                                 const struct um_canvas_rect *changed);

/* The same, but shows only what of it lies within a rectangle: the next update sends everything.
 * Errors: UM_ERR_IO, also if nothing lies there: the window is hidden. */
enum um_status um_layered_cut(struct um_layered *layered, const RECT *at, const RECT *within);

/* Moves the window, if its size stays. With another size the next update brings both, and until
 * then what lies outside of `at` is cut off. `below` as for um_layered_show. */
void um_layered_move(struct um_layered *layered, const RECT *at, HWND below);

/* Shows the window below another one, or HWND_TOPMOST: above all; or hides it. */
void um_layered_show(struct um_layered *layered, HWND below);
void um_layered_hide(struct um_layered *layered);

/* Puts the window above all others again, if it is shown. */
void um_layered_raise(struct um_layered *layered);

#endif
