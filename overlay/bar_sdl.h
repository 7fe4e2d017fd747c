/* The look "bar": a single line. State and lag are at the left, then the columns, and at the right
 * as many numbers as there is room for. Only for graph_sdl.c.
 */
#ifndef UM_OVERLAY_BAR_SDL_H
#define UM_OVERLAY_BAR_SDL_H

#include "base/plain/status.h"
#include "overlay/drawing_sdl.h"

/* Draws the whole canvas. Errors: UM_ERR_MEMORY. */
enum um_status um_bar_draw(struct um_drawing *d);

#endif
