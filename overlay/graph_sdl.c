#include "overlay/graph.h"

#include <SDL.h>
#include <math.h>
#include <stdlib.h>

#include "overlay/bar_sdl.h"
#include "overlay/compact_sdl.h"
#include "overlay/drawing_sdl.h"
#include "overlay/glyphs_sdl.h"
#include "overlay/block_sdl.h"
#include "overlay/plot_sdl.h"
#include "overlay/profile_sdl.h"
#include "overlay/readings_sdl.h"

#define MIN_SCALE 0.5
#define MAX_SCALE 8.0

struct um_graph {
    struct um_glyphs *glyphs;
    enum um_overlay_look look;
    bool profile_below;
    bool shows_profile;
    int profile_rows;
    double scale;
    double opacity;
    struct um_overlay_rows rows;
};

enum um_status um_graph_open(const struct um_graph_options *options, struct um_graph **graph)
{
    if (!(options->scale >= MIN_SCALE && options->scale <= MAX_SCALE) ||
        !(options->opacity >= 0 && options->opacity <= 1))
        return UM_ERR_ARG;
    struct um_graph *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->look = UM_OVERLAY_STRIP;
    made->scale = options->scale;
    made->opacity = options->opacity;
    made->rows = options->rows;
    made->profile_rows = options->profile_rows;
    enum um_status status = um_glyphs_open(options->font_dir, options->scale, &made->glyphs);
    if (status != UM_OK) {
        free(made);
        return status;
    }
    *graph = made;
    return UM_OK;
}

enum um_status um_graph_set_scale(struct um_graph *graph, double scale)
{
    scale = fmax(MIN_SCALE, fmin(MAX_SCALE, scale));
    if (scale == graph->scale)
        return UM_OK;
    graph->scale = scale;
    return um_glyphs_set_scale(graph->glyphs, scale);
}

void um_graph_set_look(struct um_graph *graph, enum um_overlay_look look,
                       enum um_overlay_position position)
{
    graph->look = look;
    graph->profile_below = um_overlay_is_top(position);
}

void um_graph_close(struct um_graph *graph)
{
    if (!graph)
        return;
    um_glyphs_close(graph->glyphs);
    free(graph);
}

void um_graph_show_profile(struct um_graph *graph, bool show)
{
    graph->shows_profile = show;
}

/* Draws a look into the canvas from row `top` on, as if that were the whole canvas. */
static enum um_status draw_part(const struct um_drawing *all, int top, int height,
                                enum um_status (*draw)(struct um_drawing *d))
{
    struct um_drawing d;

    if (height <= 0)
        return UM_OK;
    enum um_status status =
        um_drawing_part(all, (struct um_canvas_rect){0, top, all->canvas.width, height}, &d);
    if (status == UM_OK)
        status = draw(&d);
    SDL_FreeSurface(d.surface);
    return status;
}

static enum um_status draw_strip(struct um_drawing *d)
{
    um_block_lay_out(d);
    um_readings_lay_out(d);
    um_plot_lay_out(d);
    um_plot_draw(d);
    um_readings_draw(d);
    um_block_draw(d);
    return UM_OK;
}

static enum um_status draw_profile(struct um_drawing *d)
{
    um_profile_draw(d);
    return UM_OK;
}

enum um_status um_graph_draw(struct um_graph *graph, const struct um_model_view *view,
                             const struct um_canvas *canvas)
{
    static enum um_status (*const looks[])(struct um_drawing *) = {[UM_OVERLAY_STRIP] = draw_strip,
                                                                   [UM_OVERLAY_COMPACT] =
                                                                       um_compact_draw,
                                                                   [UM_OVERLAY_BAR] = um_bar_draw};
    struct um_drawing d = {
        .view = view,
        .glyphs = graph->glyphs,
        .scale = graph->scale,
        .canvas = *canvas,
        .back =
            um_paint_over(0, UM_DRAWING_BACK, (unsigned)lround(graph->opacity * UM_PAINT_OPAQUE)),
        .rows = &graph->rows,
        .profile_rows = graph->profile_rows};

    if (canvas->width <= 0 || canvas->height <= 0)
        return UM_ERR_ARG;
    int profile = graph->shows_profile ? px(&d, UM_OVERLAY_PROFILE_HEIGHT(graph->profile_rows)) : 0;
    profile = profile < canvas->height ? profile : canvas->height;
    int look = canvas->height - profile;
    enum um_status status =
        draw_part(&d, graph->profile_below ? 0 : profile, look, looks[graph->look]);
    if (status == UM_OK)
        status = draw_part(&d, graph->profile_below ? look : 0, profile, draw_profile);
    return status;
}
