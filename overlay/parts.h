/* Where the components of the target lie on the screen, and which windows lie over them.
 *
 * Like the overlay's own place, all of it is what the system knows: no function sends the target a
 * message or waits for it. One backend for each platform: parts_win32.c. It takes some microseconds
 * for each component. Thread: the overlay's.
 */
#ifndef UM_OVERLAY_PARTS_H
#define UM_OVERLAY_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "overlay/canvas.h"
#include "overlay/choice.h"
#include "overlay/siblings.h"

/* Where the target's main window is now; false: it is not on the screen. Units: px of the
 * desktop. */
bool um_parts_bounds(uint64_t target, struct um_canvas_rect *bounds);

/* Sets `seen`, `rect` and `depth` of each item that has a window, and lists the windows over the
 * sheet. `target` is the main window, and `bounds` the sheet's place. Returns whether one of the
 * target's windows lies over the sheet. Units: px of the desktop; rectangles are relative to the
 * sheet. */
bool um_parts_look(uint64_t target, const struct um_canvas_rect *bounds,
                   struct um_choice_item *items, size_t count, struct um_choice_windows *windows);

/* How high the column heads at the upper edge of a list are; 0: it has none. Units: px. */
int um_parts_heads(const struct um_choice_item *item);

/* Finds what lies over an item within the same root. Units: px of the sheet. */
void um_parts_siblings(const struct um_canvas_rect *bounds, const struct um_choice_item *item,
                       struct um_siblings *siblings);

/* The id of the component under the cursor: the nearest one around the topmost window there; 0:
 * there is none. `windows` as um_parts_look has listed them. */
uint32_t um_parts_hover(const struct um_canvas_rect *bounds, const struct um_choice_item *items,
                        size_t count, const struct um_choice_windows *windows);

/* Where the cursor is; false: the system does not say. Units: px of the desktop. */
bool um_parts_cursor(int *x, int *y);

#endif
