/* The left part of the overlay's strip, and a part of the smaller looks: columns of lag over a
 * ground with lines, the caption, and the numbers of columns that leave the scale. Only for
 * graph_sdl.c; overlay/graph.h says how it looks.
 */
#ifndef UM_OVERLAY_PLOT_SDL_H
#define UM_OVERLAY_PLOT_SDL_H

#include "ipc/status.h"
#include "overlay/drawing_sdl.h"

/* Works out where the plot lies and how many columns fit. The panel must have its place. */
void um_plot_lay_out(struct um_drawing *d);

/* Draws the ground of the whole strip, and on it the plot. */
void um_plot_draw(struct um_drawing *d);

/* Draws a ground and a plot without texts at its side into a part of the canvas, for the small
 * looks. Errors: UM_ERR_MEMORY. */
enum um_status um_plot_draw_part(const struct um_drawing *d, struct um_canvas_rect part);

#endif
