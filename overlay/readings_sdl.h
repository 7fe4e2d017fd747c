/* Draws the rows of `--show` (overlay/readings.h): beside the graph of the strip, or in the compact
 * box. Only for graph_sdl.c and compact_sdl.c.
 */
#ifndef UM_OVERLAY_READINGS_SDL_H
#define UM_OVERLAY_READINGS_SDL_H

#include "overlay/drawing_sdl.h"
#include "overlay/readings.h"

/* The colour in which a row's number is written. Units: 0xRRGGBB. */
uint32_t um_readings_rgb(const struct um_drawing *d, const struct um_readings_row *reading,
                         const struct um_readings_pair *pair);

/* Works out where in the strip the rows are, and in how many columns; none if the strip is too
 * narrow. Called after um_block_lay_out. */
void um_readings_lay_out(struct um_drawing *d);

/* Draws them there. */
void um_readings_draw(const struct um_drawing *d);

/* Draws as many rows as fit into a rectangle of the canvas, from its top. Units: `row` px. */
void um_readings_draw_list(const struct um_drawing *d, struct um_canvas_rect part, int first,
                           int row);

#endif
