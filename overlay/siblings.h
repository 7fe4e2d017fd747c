/* The windows within the same root that lie over a component: siblings above it, or above a window
 * around it. What is left of a component is what none of them hides. Pure.
 */
#ifndef UM_OVERLAY_SIBLINGS_H
#define UM_OVERLAY_SIBLINGS_H

#include <stddef.h>

#include "overlay/canvas.h"

#define UM_SIBLINGS 8 /* of more, the largest are known */

/* Units: px of the sheet. A zeroed struct has none. Two that are alike are equal byte by byte. */
struct um_siblings {
    size_t count;
    struct um_canvas_rect list[UM_SIBLINGS];
};

/* Adds what of a window lies in a component, if anything does. */
void um_siblings_add(struct um_siblings *siblings, const struct um_canvas_rect *component,
                     const struct um_canvas_rect *window);

/* A rectangle without what siblings hide along a whole side of it; its size is 0 if they hide all
 * of it that way. */
struct um_canvas_rect um_siblings_cut(const struct um_siblings *siblings,
                                      struct um_canvas_rect rect);

typedef void (*um_siblings_piece)(void *context, const struct um_canvas_rect *piece);

/* Calls `piece` for parts of a rectangle that none of them hides, which make up all of that. */
void um_siblings_rest(const struct um_siblings *siblings, struct um_canvas_rect rect,
                      um_siblings_piece piece, void *context);

#endif
