#include "overlay/graph.h"

#include <SDL.h>
#include <math.h>
#include <stdlib.h>

#include "overlay/bar_sdl.h"
#include "overlay/compact_sdl.h"
#include "overlay/drawing_sdl.h"
#include "overlay/glyphs_sdl.h"
#include "overlay/paint.h"
#include "overlay/panel_sdl.h"
#include "overlay/plot_sdl.h"

#define MIN_SCALE 0.5
#define MAX_SCALE 8.0

struct um_graph {
    struct um_glyphs *glyphs;
    enum um_overlay_look look;
    double scale;
    double opacity;
};

enum um_status um_graph_open(const struct um_graph_options *options, struct um_graph **graph)
{
    if (!(options->scale >= MIN_SCALE && options->scale <= MAX_SCALE) ||
        !(options->opacity >= 0 && options->opacity <= 1))
        return UM_ERR_ARG;
    struct um_graph *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->look = options->look;
    made->scale = options->scale;
    made->opacity = options->opacity;
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

void um_graph_close(struct um_graph *graph)
{
    if (!graph)
        return;
    um_glyphs_close(graph->glyphs);
    free(graph);
}

static void draw_strip(struct um_drawing *d)
{
    um_panel_lay_out(d);
    um_plot_lay_out(d);
    um_plot_draw(d);
    um_panel_draw(d);
}

enum um_status um_graph_draw(struct um_graph *graph, const struct um_model_view *view,
                             const struct um_canvas *canvas)
{
    struct um_drawing d = {
        .view = view, .glyphs = graph->glyphs, .scale = graph->scale, .canvas = *canvas};

    enum um_status status = UM_OK;

    if (canvas->width <= 0 || canvas->height <= 0)
        return UM_ERR_ARG;
    d.surface =
        SDL_CreateRGBSurfaceWithFormatFrom(canvas->pixels, canvas->width, canvas->height, 32,
                                           canvas->stride * 4, SDL_PIXELFORMAT_ARGB8888);
    if (!d.surface)
        return UM_ERR_MEMORY;
    d.back = um_paint_over(0, UM_DRAWING_BACK, (unsigned)lround(graph->opacity * UM_PAINT_OPAQUE));
    if (graph->look == UM_OVERLAY_COMPACT)
        status = um_compact_draw(&d);
    else if (graph->look == UM_OVERLAY_BAR)
        status = um_bar_draw(&d);
    else
        draw_strip(&d);
    SDL_FreeSurface(d.surface);
    return status;
}
