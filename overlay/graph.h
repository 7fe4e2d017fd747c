/* Draws the overlay: a graph of lag columns, newest at the right, and texts. The strip has a block
 * of texts at the right; the compact box and the bar have fewer texts and small columns.
 *
 * Start at um_graph_draw. It needs the model's view and a canvas, but no window and no feed. The
 * backend is graph_sdl.c (SDL2 surfaces, SDL2_ttf). Not on the hot path, but drawn ten times a
 * second: at most 1 ms for 1920x160.
 *
 * The files:
 *   model.h        what is to be drawn: frames of the feed become a view
 *   graph.h        the whole picture of a view; graph_sdl.c calls the files below
 *   plot_sdl.h     the columns, with lines, caption and numbers
 *   block_sdl.h    the texts at the right of the strip
 *   readings.h     the rows of --show as words; readings_sdl.h draws them
 *   profile_sdl.h  the list of functions
 *   compact_sdl.h  the look compact; bar_sdl.h the look bar
 *   drawing_sdl.h  what all of these share while they draw one picture
 *   glyphs_sdl.h   texts; paint.h rectangles and patterns; canvas.h the picture in memory
 *   layer.h        the window that shows the picture; anchor.h where it is
 *
 * The plot shows 0 to 200 ms, or up to twice the threshold if that is more, with lines at a
 * quarter, half and three quarters. A tinted danger zone begins at the threshold. Columns are
 * green, amber or red. A column that is higher than the plot has a number above it: the length of
 * its freeze, as in the block of texts, or else its greatest lag.
 *
 * The states differ also without colour. Frozen is solid, starved is cut by horizontal gaps.
 * Suspended, blind and idle are hatched in three ways and named. Unknown time is empty, with a
 * dotted floor. If there is no lag, a word says why. A mark of the user is a white line with a
 * flag.
 *
 * The rows of --show (overlay/readings.h) are between graph and texts of the strip, in one column
 * or two. In the other looks they replace the numbers. A row of a hang or starvation is orange-red
 * while that lasts and for a while after it, and has its peak. In a narrow strip the rows first
 * make the block of texts narrower, then replace it, and are at last left out.
 *
 * The profile lists the functions with most samples: of the freeze that lasts, or else the last
 * one, and beside it, if there is room, of the session. A shade behind each name is as long as its
 * share. If there are no samples, it says why.
 *
 * Typing and clicks have a line of their own once some were measured. The line says "handled" if no
 * painting was observed, so that the measure ends when the input was handled. A narrow or low strip
 * leaves out the less important texts: first the last click, at last the whole block. A narrow
 * block has only the 99th percentile of the beats, as "5 s p99", and only the p50 of typing.
 */
#ifndef UM_OVERLAY_GRAPH_H
#define UM_OVERLAY_GRAPH_H

#include "ipc/overlay.h"
#include "metrics/overlay_rows.h"
#include "base/plain/status.h"
#include "overlay/canvas.h"
#include "overlay/model.h"

struct um_graph;

struct um_graph_options {
    const char *font_dir; /* has DejaVuSans.ttf and DejaVuSans-Bold.ttf; NULL: the folder "fonts"
                           * beside the program */
    double scale;         /* 1.0 at 96 dpi; 0.5 to 8 */
    double opacity;       /* of the background: 0 to 1 */
    struct um_overlay_rows rows;
    int profile_rows; /* functions of the profile, at most */
};

/* Loads the fonts.
 * Owner: close with um_graph_close. Errors: UM_ERR_ARG scale or opacity out of range;
 * UM_ERR_NOT_FOUND a font cannot be read; UM_ERR_MEMORY. */
enum um_status um_graph_open(const struct um_graph_options *options, struct um_graph **graph);

/* Changes the scale, as when the overlay moves to another monitor. A value out of range is clamped.
 * Errors: UM_ERR_IO the fonts cannot be had in that size. */
enum um_status um_graph_set_scale(struct um_graph *graph, double scale);

/* Sets how it looks, and at which edge of the target: a strip at the lower one at first. `look` is
 * not AUTO. */
void um_graph_set_look(struct um_graph *graph, enum um_overlay_look look,
                       enum um_overlay_position position);

/* Switches the profile on or off, which is off at first. It takes an area of the canvas,
 * UM_OVERLAY_PROFILE_HEIGHT of its rows high, above the rest, or below it if the strip is at the
 * target's upper edge. */
void um_graph_show_profile(struct um_graph *graph, bool show);

/* Draws the whole canvas anew. Thread: the one that opened the graph.
 * Errors: UM_ERR_ARG an empty canvas; UM_ERR_MEMORY. */
enum um_status um_graph_draw(struct um_graph *graph, const struct um_model_view *view,
                             const struct um_canvas *canvas);

/* Releases the graph. Accepts NULL. */
void um_graph_close(struct um_graph *graph);

#endif
