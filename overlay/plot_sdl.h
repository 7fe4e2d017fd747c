/* The plot, at the left of the strip and in each other look: columns of lag over a ground with
 * lines, the caption, and numbers at columns that are higher than the plot (overlay/graph.h). Only
 * for graph_sdl.c and the other looks.
 */
#ifndef UM_OVERLAY_PLOT_SDL_H
#define UM_OVERLAY_PLOT_SDL_H

#include "base/plain/status.h"
#include "overlay/drawing_sdl.h"

/* Works out where the plot lies and how many columns fit. Called after um_block_lay_out. */
void um_plot_lay_out(struct um_drawing *d);

/* Draws the ground of the whole strip, and on it the plot. */
void um_plot_draw(struct um_drawing *d);

/* Draws a ground and a plot without a block into a rectangle of the canvas, for the small looks.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_plot_draw_part(const struct um_drawing *d, struct um_canvas_rect part);

#endif
