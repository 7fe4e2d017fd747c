/* The bar: all in a single line. State and lag at the left, the columns, and at the right as many
 * numbers as there is room for. Only for graph_sdl.c.
 */
#ifndef UM_OVERLAY_BAR_SDL_H
#define UM_OVERLAY_BAR_SDL_H

#include "ipc/status.h"
#include "overlay/drawing_sdl.h"

/* Draws the whole canvas. Errors: UM_ERR_MEMORY. */
enum um_status um_bar_draw(const struct um_drawing *d);

#endif
