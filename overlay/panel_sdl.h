/* The right part of the overlay's strip: the texts. The state, the lag, its percentiles, and as
 * many lines below them as fit. Only for graph_sdl.c; overlay/graph.h says which go first where
 * there is little room.
 */
#ifndef UM_OVERLAY_PANEL_SDL_H
#define UM_OVERLAY_PANEL_SDL_H

#include "overlay/drawing_sdl.h"

/* Works out how much of the strip's width the panel takes. */
void um_panel_lay_out(struct um_drawing *d);

/* Draws the panel over the ground; nothing where the strip is too narrow for it. */
void um_panel_draw(const struct um_drawing *d);

#endif
