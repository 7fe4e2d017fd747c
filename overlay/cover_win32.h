/* What another window hides of a rectangle of the screen, if it lies above it. Only what can be
 * seen hides something: many programs have a window over the whole screen that shows nothing.
 *
 * A plain window hides its bounds, and one with a region that region. So does a layered window with
 * one alpha value, unless it is nearly transparent. All other layered windows have transparent
 * pixels: those of one colour, or as UpdateLayeredWindow was told. The system does not say which.
 * So their pixels are compared with the screen's. Where they cannot be read, the window hides
 * nothing.
 *
 * No function here sends a window a message or waits for its program. Thread: the overlay's.
 */
#ifndef UM_OVERLAY_COVER_WIN32_H
#define UM_OVERLAY_COVER_WIN32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <windows.h>

#include "overlay/canvas.h"

#define UM_COVER_PIECES 16 /* a region of more is taken for the rectangle around it */
#define UM_COVER_LOOKS 32

/* Of which part of which windows the pixels are seen, for as long as that holds. A zeroed struct
 * knows none. */
struct um_cover_looks {
    struct um_cover_look {
        HWND window;
        uint64_t asked_ns; /* for the last time */
        uint64_t until_ns; /* until then the share holds */
        double share;      /* of the part that lies in the rectangle: 0 to 1 */
    } list[UM_COVER_LOOKS];
};

struct um_cover {
    long long area; /* px² */
    size_t count;
    RECT pieces[UM_COVER_PIECES]; /* that it hides as a whole, or nearly so */
};

/* What a window hides of a rectangle; false: nothing. `above` is uimon's own picture there, which
 * may be seen over the window, with its upper left corner in that of the rectangle; NULL: none.
 * Pixels are looked at once a second at most, and not before the window has been there for a while.
 * The looks must be of the same rectangle each time, which may move. NULL: one with transparent
 * pixels hides its bounds, as the target's own popups and dialogs do. Units: px of the desktop. */
bool um_cover_find(struct um_cover_looks *looks, HWND window, const RECT *rect,
                   const struct um_canvas *above, struct um_cover *cover);

/* Whether the system keeps a window from the screen, as those of another desktop. */
bool um_cover_is_cloaked(HWND window);

/* The visible bounds of a window, without the borders that cannot be seen; false: this system does
 * not know them. */
bool um_cover_bounds(HWND window, RECT *bounds);

#endif
