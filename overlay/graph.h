/* Draws the overlay: a graph of lag columns, newest at the right, and texts. The strip has a block
 * of texts at the right; the compact panel and the bar have fewer texts and small columns.
 *
 * Start at um_graph_draw. It knows the model's view and a canvas, but no window and no feed. The
 * backend is graph_sdl.c, with plot_sdl.c for the columns, panel_sdl.c for the strip's texts, and
 * compact_sdl.c and bar_sdl.c for the other looks (SDL2 surfaces, SDL2_ttf). Not on the hot path,
 * but drawn ten times a second: at most 1 ms for 1920x160.
 *
 * The plot shows 0 to 200 ms, or up to twice the threshold if that is more, with lines at a
 * quarter, half and three quarters. A tinted danger zone begins at the threshold. Columns are
 * green, amber or red. Above columns that leave the scale stands a number: the length of their
 * freeze, as in the panel, or else their greatest lag.
 *
 * The states differ without colour too. Frozen is solid, starved is cut by horizontal gaps.
 * Suspended, blind and idle are hatched in three ways and named. A stretch of which nothing is
 * known is empty, with a dotted floor. Where there is no lag, a word says why.
 *
 * A mark of the user's is a white line with a flag.
 *
 * Rows that the user has picked (overlay/readings.h) stand between graph and texts of the strip, in
 * one column or two, and in place of the numbers of the other looks. A row of a hang or starvation
 * is orange-red while that lasts and for a while after it, and says its peak. A narrow strip makes
 * the texts smaller for them, then leaves these out, and at last the rows.
 *
 * The profile has the functions in which most samples were, of the freeze that lasts or else the
 * last one, and beside it, if there is room, of the session. A bar behind each name is as long as
 * its share. Where there are no samples, it says why.
 *
 * Typing and clicks have a line of their own once some were measured. The line says "handled" if
 * they were measured until then, because no painting was observed. A narrow or low strip leaves out
 * the less important texts: first the last click, at last the whole panel. In a narrow panel, "5 s
 * p99" stands for both percentiles of the beats, and typing has its p50 alone.
 */
#ifndef UM_OVERLAY_GRAPH_H
#define UM_OVERLAY_GRAPH_H

#include "ipc/overlay.h"
#include "ipc/overlay_rows.h"
#include "ipc/status.h"
#include "overlay/canvas.h"
#include "overlay/model.h"

struct um_graph;

struct um_graph_options {
    const char *font_dir; /* has DejaVuSans.ttf and DejaVuSans-Bold.ttf; NULL: the folder "fonts"
                           * beside the program */
    enum um_overlay_look look;
    enum um_overlay_position position;
    double scale;   /* 1.0 at 96 dpi; 0.5 to 8 */
    double opacity; /* of the background: 0 to 1 */
    struct um_overlay_rows rows;
};

/* Loads the fonts.
 * Owner: close with um_graph_close. Errors: UM_ERR_ARG scale or opacity out of range;
 * UM_ERR_NOT_FOUND a font cannot be read; UM_ERR_MEMORY. */
enum um_status um_graph_open(const struct um_graph_options *options, struct um_graph **graph);

/* Changes the scale, because the strip has moved to another monitor. A value out of range is
 * clamped.
 * Errors: UM_ERR_IO the fonts do not come in that size. */
enum um_status um_graph_set_scale(struct um_graph *graph, double scale);

/* Whether the canvas has a part for the hottest functions, UM_OVERLAY_PROFILE_HEIGHT high: above
 * the look, or below it where the strip is at the top. At first it has none. */
void um_graph_show_profile(struct um_graph *graph, bool show);

/* Draws the whole canvas; whatever was in it is lost. Thread: the one that opened the graph.
 * Errors: UM_ERR_ARG an empty canvas; UM_ERR_MEMORY. */
enum um_status um_graph_draw(struct um_graph *graph, const struct um_model_view *view,
                             const struct um_canvas *canvas);

/* Releases the graph. Accepts NULL. */
void um_graph_close(struct um_graph *graph);

#endif
