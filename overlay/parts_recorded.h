/* Where the components of a replay lie: on a sketch of the main window, because that window itself
 * exists no more. Start at um_parts_recorded_look, which does for a replay what parts.h does for a
 * window that is there.
 *
 * LAYOUT_PLACE has the places from the corner of each root's client area, and no frame says where a
 * root is on the screen. So one root alone is sketched: the largest of those that are on the screen
 * at that time, which is taken for the main window. Nor does a frame say which of two siblings lies
 * above the other. Pure. Thread: any.
 */
#ifndef UM_OVERLAY_PARTS_RECORDED_H
#define UM_OVERLAY_PARTS_RECORDED_H

#include <stddef.h>
#include <stdint.h>

#include "overlay/canvas.h"
#include "overlay/choice.h"
#include "overlay/costs.h"

/* The id of the main window's component; of two as large, that of the lower id. 0: no root is on
 * the screen. */
uint32_t um_parts_recorded_main(const struct um_costs *costs);

/* Where the sketch lies in the room for it: in the lower right corner. It is as large as the main
 * window was, but scaled down to two thirds of the room if that was larger. Its size is 0 if there
 * is no main window. Units: px of the desktop; `scale` is 1 at 100 %. */
struct um_canvas_rect um_parts_recorded_fit(const struct um_costs *costs,
                                            const struct um_canvas_rect *room, double scale);

/* Sets `seen`, `rect` and `depth` of each item that has a window, and lists the sketch as the one
 * window. Units: `bounds` is the sketch in px of the desktop; rectangles are relative to it. */
void um_parts_recorded_look(const struct um_costs *costs, const struct um_canvas_rect *bounds,
                            struct um_choice_item *items, size_t count,
                            struct um_choice_windows *windows);

/* The id of the component at a point: the one that lies within the most others, and of several the
 * latest; 0: there is none. Units: px of the sketch. */
uint32_t um_parts_recorded_hover(const struct um_choice_item *items, size_t count, int x, int y);

#endif
