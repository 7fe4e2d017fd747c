/* The left part of the overlay's strip: columns of lag over a ground with lines, the caption, and
 * the numbers of columns that leave the scale. Only for graph_sdl.c; overlay/graph.h says how it
 * looks.
 */
#ifndef UM_OVERLAY_PLOT_SDL_H
#define UM_OVERLAY_PLOT_SDL_H

#include "overlay/drawing_sdl.h"

/* Works out where the plot lies and how many columns fit. The panel must have its place. */
void um_plot_lay_out(struct um_drawing *d);

/* Draws the ground of the whole strip, and on it the plot. */
void um_plot_draw(struct um_drawing *d);

#endif
