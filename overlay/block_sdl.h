/* The block of texts at the right of the strip: the state, the lag, its percentiles, and as many
 * lines below them as fit. Only for graph_sdl.c.
 */
#ifndef UM_OVERLAY_BLOCK_SDL_H
#define UM_OVERLAY_BLOCK_SDL_H

#include "overlay/drawing_sdl.h"

/* Works out how much of the strip's width the block takes. */
void um_block_lay_out(struct um_drawing *d);

/* Draws the block over the ground, unless the strip is too narrow for it. */
void um_block_draw(const struct um_drawing *d);

#endif
