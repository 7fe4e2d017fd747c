/* The overlay's second window: a sheet over the whole window of the target, on which layout costs
 * are drawn. It lies below the overlay's own window, lets every click through, and keeps the rules
 * of layer.h.
 *
 * Its memory is one picture of the target's size, which is drawn into directly: the caller says
 * what has changed. The system keeps a second one. One backend for each platform: sheet_win32.c.
 * Thread: the one that opened it.
 */
#ifndef UM_OVERLAY_SHEET_H
#define UM_OVERLAY_SHEET_H

#include <stdint.h>

#include "base/plain/status.h"
#include "overlay/canvas.h"

struct um_sheet;

/* Makes the window, hidden, below the window with the number `above`.
 * Owner: close with um_sheet_close. Errors: UM_ERR_IO; UM_ERR_MEMORY. */
enum um_status um_sheet_open(uint64_t above, struct um_sheet **sheet);

/* Accepts NULL. */
void um_sheet_close(struct um_sheet *sheet);

/* Makes the sheet as large as that, and gives its picture, which is empty after a change of size.
 * Owner of the pixels: the sheet, until the next call. Units: px of the desktop.
 * Errors: UM_ERR_ARG the rectangle is empty; UM_ERR_MEMORY. */
enum um_status um_sheet_place(struct um_sheet *sheet, struct um_canvas_rect bounds,
                              struct um_canvas *canvas);

/* Keeps the sheet within the target's window, which lies there now, before it is drawn anew. It
 * moves with the window; if the window has another size, what of the sheet lies outside is cut off
 * until the next um_sheet_place. Units: px of the desktop. */
void um_sheet_follow(struct um_sheet *sheet, struct um_canvas_rect bounds);

/* Sends the changed part of the picture to the screen, and shows the sheet. Errors: UM_ERR_IO, as
 * while the screen is locked. */
enum um_status um_sheet_present(struct um_sheet *sheet, const struct um_canvas_rect *changed);

void um_sheet_hide(struct um_sheet *sheet);

/* The target has come to lie over the sheet, as one that is always on top does: puts the overlay's
 * two windows above it again. */
void um_sheet_raise(struct um_sheet *sheet);

#endif
