/* Draws the overlay's strip: a graph of lag columns, newest at the right, and a block of text.
 *
 * Start at um_graph_draw. Knows the model's view and a canvas, no window and no feed. The backend
 * is graph_sdl.c (SDL2 surfaces, text with SDL2_ttf). Not on the hot path, but drawn ten times a
 * second: at most 1 ms for 1920x160. Glyphs are rendered once per size and kept.
 *
 * What it shows: 0 to 200 ms (twice the threshold if that is more) with lines at a quarter, half
 * and three quarters; a tinted danger zone from the threshold up; green, amber and red columns; a
 * run of columns that leaves the scale says above itself how long its freeze was, as the panel
 * does, or its greatest lag. Where there is no lag, a word says why. Without colour too the
 * states differ: frozen is solid, starved is cut by horizontal gaps, suspended, blind and idle
 * are hatched in three ways and named, and what is unknown is an empty stretch with a dotted
 * floor.
 * Typing and clicks have a line of their own once some were measured; what is known only until it
 * was handled says so. A narrow or low strip drops the less important texts, the last click first,
 * then the text block. In a narrow one, "5 s p99" stands for both percentiles of the beats, and
 * typing has its p50 alone.
 */
#ifndef UM_OVERLAY_GRAPH_H
#define UM_OVERLAY_GRAPH_H

#include "ipc/status.h"
#include "overlay/canvas.h"
#include "overlay/model.h"

struct um_graph;

struct um_graph_options {
    const char *font_dir; /* of DejaVuSans.ttf and DejaVuSans-Bold.ttf; NULL: "fonts" beside the
                           * program */
    double scale;         /* 1.0 at 96 dpi; 0.5 to 8 */
    double opacity;       /* of the background: 0 to 1 */
};

/* Loads the fonts.
 * Owner: close with um_graph_close. Errors: UM_ERR_ARG scale or opacity out of range;
 * UM_ERR_NOT_FOUND a font cannot be read; UM_ERR_MEMORY. */
enum um_status um_graph_open(const struct um_graph_options *options, struct um_graph **graph);

/* Another scale (the strip has moved to another monitor). Values out of range are clamped.
 * Errors: UM_ERR_IO the fonts cannot be had in that size. */
enum um_status um_graph_set_scale(struct um_graph *graph, double scale);

/* Draws the whole canvas; whatever was in it is lost. Thread: the one that opened the graph.
 * Errors: UM_ERR_ARG an empty canvas; UM_ERR_MEMORY. */
enum um_status um_graph_draw(struct um_graph *graph, const struct um_model_view *view,
                             const struct um_canvas *canvas);

/* Releases the graph. Accepts NULL. */
void um_graph_close(struct um_graph *graph);

#endif
