#include "overlay/graph.h"

#include <SDL.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "overlay/glyphs_sdl.h"
#include "overlay/paint.h"
#include "overlay/text.h"

#define RGB_BACK 0x0a0d13
#define RGB_TEXT 0xe9eef5
#define RGB_DIM 0xa6b2c3
#define RGB_GREEN 0x3ddc84
#define RGB_AMBER 0xffb224
#define RGB_RED 0xff4a4d
#define RGB_STARVED 0xff7a3c
#define RGB_SUSPENDED 0x5ab0f6
#define RGB_BLIND 0xc39bff
#define RGB_IDLE 0xa6b2c3
#define RGB_WHITE 0xffffff

#define FULL_SCALE_NS UINT64_C(200000000)
#define MIN_SCALE 0.5
#define MAX_SCALE 8.0
#define TEXT_BYTES 320
#define SLICES_PER_TICK 50 /* a mark every 5 s */

struct um_graph {
    struct um_glyphs *glyphs;
    double scale;
    double opacity;
};

enum detail { NO_PANEL, COMPACT, FULL };

/* One drawing: what is drawn, on what, and where its parts lie. */
struct drawing {
    struct um_graph *graph;
    const struct um_model_view *view;
    struct um_canvas canvas;
    SDL_Surface *surface;
    uint32_t back; /* background pixel */
    uint64_t full_ns;
    enum detail detail;
    bool axis;
    struct um_canvas_rect plot;  /* the columns */
    struct um_canvas_rect panel; /* the texts */
    int head;                    /* height above the plot, where numbers of tall columns stand */
    int step;                    /* px from column to column */
    int bar;                     /* px of a column's own width */
    int shown;                   /* columns that fit */
    struct um_canvas_rect title; /* what the text above the plot covers */
};

static int px(const struct drawing *d, double units)
{
    int whole = (int)lround(units * d->graph->scale);
    return whole > 0 ? whole : 1;
}

enum um_status um_graph_open(const struct um_graph_options *options, struct um_graph **graph)
{
    if (!(options->scale >= MIN_SCALE && options->scale <= MAX_SCALE) ||
        !(options->opacity >= 0 && options->opacity <= 1))
        return UM_ERR_ARG;
    struct um_graph *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
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

/* States --------------------------------------------------------------------------------------- */

static uint32_t state_rgb(enum um_state state)
{
    static const uint32_t rgb[UM_STATE_COUNT] = {
        [UM_STATE_SUSPENDED] = RGB_SUSPENDED, [UM_STATE_BLIND] = RGB_BLIND,
        [UM_STATE_IDLE] = RGB_IDLE,           [UM_STATE_FROZEN] = RGB_RED,
        [UM_STATE_STARVED] = RGB_STARVED,     [UM_STATE_SLOW] = RGB_AMBER,
        [UM_STATE_RESPONSIVE] = RGB_GREEN,
    };
    return (unsigned)state < UM_STATE_COUNT ? rgb[state] : RGB_DIM;
}

/* Stretches in which nothing is measured. */
static bool is_hatched(uint8_t state)
{
    return state == UM_STATE_SUSPENDED || state == UM_STATE_BLIND || state == UM_STATE_IDLE;
}

static bool freezes_now(const struct drawing *d)
{
    return d->view->link == UM_MODEL_LIVE && um_wire_state_is_freeze((uint8_t)d->view->state);
}

static const char *status_word(const struct um_model_view *view)
{
    switch (view->link) {
    case UM_MODEL_WAITING:
        return "waiting for data";
    case UM_MODEL_SILENT:
        return "no data";
    case UM_MODEL_ENDED:
        return "ended";
    case UM_MODEL_LIVE:
        break;
    }
    return um_wire_state_name(view->state);
}

/* What is said in place of a lag. */
static const char *no_lag_words(const struct um_model_view *view)
{
    switch (view->link) {
    case UM_MODEL_WAITING:
        return "no data yet";
    case UM_MODEL_SILENT:
        return "no signal";
    case UM_MODEL_ENDED:
        return "stopped";
    case UM_MODEL_LIVE:
        break;
    }
    switch (view->state) {
    case UM_STATE_SUSPENDED:
        return "not running";
    case UM_STATE_BLIND:
        return "cannot see";
    case UM_STATE_IDLE:
        return "paused";
    default:
        return "no beat yet";
    }
}

static uint32_t status_rgb(const struct um_model_view *view)
{
    return view->link == UM_MODEL_LIVE ? state_rgb(view->state) : RGB_DIM;
}

static uint32_t lag_rgb(const struct drawing *d, uint64_t lag_ns)
{
    if (lag_ns >= d->view->threshold_ns)
        return RGB_RED;
    return lag_ns >= d->view->slow_ns ? RGB_AMBER : RGB_GREEN;
}

/* Layout --------------------------------------------------------------------------------------- */

static void lay_out_panel(struct drawing *d)
{
    int width = d->canvas.width;
    int panel;

    if (width >= px(d, 640)) {
        d->detail = FULL;
        panel = px(d, 318);
    } else if (width >= px(d, 260)) {
        d->detail = COMPACT;
        panel = px(d, 164);
    } else {
        d->detail = NO_PANEL;
        panel = 0;
    }
    d->panel = (struct um_canvas_rect){width - panel, 0, panel, d->canvas.height};
}

static void lay_out_plot(struct drawing *d)
{
    int height = d->canvas.height;
    int gutter = 0, foot = 0, right;

    d->axis = height >= px(d, 64) && d->panel.x >= px(d, 160);
    if (d->axis)
        gutter = px(d, 30);
    if (d->axis && height >= px(d, 96))
        foot = um_glyphs_height(d->graph->glyphs, UM_GLYPHS_SMALL);
    d->head = height >= px(d, 48) ? px(d, 17) : px(d, 2);
    right = d->panel.x - gutter;
    d->plot = (struct um_canvas_rect){0, d->head, right, height - d->head - foot - px(d, 2)};
    d->step = px(d, 4);
    d->bar = d->step - px(d, 1) > 0 ? d->step - px(d, 1) : 1;
    d->shown = d->plot.width > 0 ? d->plot.width / d->step + 1 : 0;
    if ((uint32_t)d->shown > d->view->columns)
        d->shown = (int)d->view->columns;
    d->full_ns =
        d->view->threshold_ns > FULL_SCALE_NS / 2 ? d->view->threshold_ns * 2 : FULL_SCALE_NS;
}

static int plot_bottom(const struct drawing *d)
{
    return d->plot.y + d->plot.height;
}

/* The row at which a lag's column ends. */
static int row_of(const struct drawing *d, uint64_t lag_ns)
{
    double part = (double)lag_ns / (double)d->full_ns;
    return plot_bottom(d) - (int)lround(fmin(part, 1) * d->plot.height);
}

/* Left edge of column `i`, 0 being the newest. */
static int column_x(const struct drawing *d, int i)
{
    return d->plot.x + d->plot.width - (i + 1) * d->step + (d->step - d->bar);
}

/* Text ----------------------------------------------------------------------------------------- */

static int text(const struct drawing *d, enum um_glyphs_face face, int x, int y, int limit,
                uint32_t rgb, const char *words)
{
    return um_glyphs_draw(d->graph->glyphs, face, d->surface, x, y, limit, rgb, words);
}

static int width_of(const struct drawing *d, enum um_glyphs_face face, const char *words)
{
    return um_glyphs_width(d->graph->glyphs, face, words);
}

static int height_of(const struct drawing *d, enum um_glyphs_face face)
{
    return um_glyphs_height(d->graph->glyphs, face);
}

/* Graph: the ground ---------------------------------------------------------------------------- */

static void draw_ground(const struct drawing *d)
{
    int width = d->canvas.width;
    int graph_right = d->panel.x;
    int danger = row_of(d, d->view->threshold_ns);

    um_paint_fill(&d->canvas, (struct um_canvas_rect){0, 0, width, d->canvas.height}, d->back);
    for (int y = 0; y < danger; y++) {
        unsigned weight = 12 + (unsigned)(26 * (danger - y) / danger);
        um_paint_fill(&d->canvas, (struct um_canvas_rect){0, y, graph_right, 1},
                      um_paint_over(d->back, RGB_RED, weight));
    }
    um_paint_tint(&d->canvas, (struct um_canvas_rect){0, plot_bottom(d), d->plot.width, 1},
                  RGB_WHITE, 46);
    um_paint_tint(&d->canvas, (struct um_canvas_rect){0, 0, width, 1}, RGB_WHITE, 30);
}

static void draw_level(const struct drawing *d, uint64_t level_ns)
{
    bool limit = level_ns == d->view->threshold_ns;
    int y = row_of(d, level_ns);
    int line = px(d, 1);
    uint32_t rgb = limit ? RGB_RED : RGB_WHITE;
    char label[UM_TEXT_BYTES];

    um_paint_tint(&d->canvas, (struct um_canvas_rect){0, y - line / 2, d->plot.width, line}, rgb,
                  limit ? 150 : 34);
    if (!d->axis)
        return;
    um_text_level(level_ns, label);
    text(d, UM_GLYPHS_SMALL, d->plot.width + px(d, 5), y - height_of(d, UM_GLYPHS_SMALL) / 2, 0,
         limit ? RGB_RED : RGB_DIM, label);
}

static void draw_levels(const struct drawing *d)
{
    uint64_t threshold_ns = d->view->threshold_ns;

    for (uint64_t quarter = 1; quarter <= 3; quarter++)
        draw_level(d, d->full_ns * quarter / 4);
    if (threshold_ns != d->full_ns / 4 && threshold_ns != d->full_ns / 2)
        draw_level(d, threshold_ns);
    if (d->axis)
        text(d, UM_GLYPHS_SMALL, d->plot.width + px(d, 5),
             plot_bottom(d) - um_glyphs_ascent(d->graph->glyphs, UM_GLYPHS_SMALL), 0, RGB_DIM,
             "ms");
}

static void draw_ticks(const struct drawing *d)
{
    int y = plot_bottom(d) + px(d, 1);

    if (d->canvas.height - y < height_of(d, UM_GLYPHS_SMALL) - px(d, 1))
        return;
    for (int i = SLICES_PER_TICK; i < d->shown; i += SLICES_PER_TICK) {
        int x = d->plot.width - i * d->step;
        char label[UM_TEXT_BYTES];
        snprintf(label, sizeof label, "−%d s", i / 10);
        um_paint_tint(&d->canvas, (struct um_canvas_rect){x, d->plot.y, px(d, 1), d->plot.height},
                      RGB_WHITE, 26);
        if (x > width_of(d, UM_GLYPHS_SMALL, label) / 2)
            text(d, UM_GLYPHS_SMALL, x - width_of(d, UM_GLYPHS_SMALL, label) / 2, y, 0, RGB_DIM,
                 label);
    }
}

/* Graph: columns ------------------------------------------------------------------------------- */

static uint32_t column_rgb(const struct drawing *d, const struct um_model_column *column)
{
    if (um_wire_state_is_freeze(column->state))
        return state_rgb((enum um_state)column->state);
    return lag_rgb(d, column->worst_ns);
}

/* Starved is cut by gaps, so that it differs from frozen without colour. */
static void cut_column(const struct drawing *d, int x, int top)
{
    int gap = px(d, 2);

    for (int y = plot_bottom(d) - 3 * gap; y > top + gap; y -= 3 * gap)
        um_paint_tint(&d->canvas, (struct um_canvas_rect){x, y, d->bar, gap}, RGB_BACK, 200);
}

static void draw_column(const struct drawing *d, int i)
{
    const struct um_model_column *column = &d->view->column[i];
    int x = column_x(d, i);
    int top = row_of(d, column->worst_ns);
    int floor_top = plot_bottom(d) - px(d, 2);
    bool beyond = column->worst_ns > d->full_ns;
    uint32_t rgb = column_rgb(d, column);
    uint32_t body = um_paint_mix(rgb, RGB_BACK, 40);

    top = top < floor_top ? top : floor_top;
    if (beyond)
        top = d->plot.y - px(d, 2);
    if (i == 0)
        body = um_paint_mix(rgb, RGB_WHITE, 50);
    um_paint_fill(&d->canvas, (struct um_canvas_rect){x, top, d->bar, plot_bottom(d) - top},
                  body | 0xff000000);
    if (column->state == UM_STATE_STARVED)
        cut_column(d, x, top);
    um_paint_fill(&d->canvas, (struct um_canvas_rect){x, top, d->bar, px(d, beyond ? 2 : 1)},
                  (beyond ? um_paint_mix(rgb, RGB_WHITE, 190) : um_paint_mix(rgb, RGB_WHITE, 60)) |
                      0xff000000);
}

static void draw_unknown(const struct drawing *d, int i)
{
    um_paint_tint(
        &d->canvas,
        (struct um_canvas_rect){column_x(d, i), plot_bottom(d) - px(d, 1), px(d, 1), px(d, 1)},
        RGB_WHITE, 120);
}

/* One past the last column of the run that begins at `first` and has one state. */
static int run_end(const struct drawing *d, int first)
{
    int end = first + 1;

    while (end < d->shown && d->view->column[end].state == d->view->column[first].state)
        end++;
    return end;
}

static struct um_canvas_rect run_rect(const struct drawing *d, int first, int end)
{
    int left = column_x(d, end - 1);
    int right = column_x(d, first) + d->bar;

    left = left > d->plot.x ? left : d->plot.x;
    return (struct um_canvas_rect){left, 0, right - left, plot_bottom(d)};
}

static void draw_run_name(const struct drawing *d, struct um_canvas_rect rect, const char *name,
                          uint32_t rgb)
{
    int width = width_of(d, UM_GLYPHS_SMALL, name);
    int height = height_of(d, UM_GLYPHS_SMALL);
    int pad = px(d, 3);
    int x = rect.x + (rect.width - width) / 2;
    int y = d->plot.y + (d->plot.height - height) / 2;

    if (rect.width < width + 4 * pad)
        return;
    um_paint_tint(&d->canvas, (struct um_canvas_rect){x - pad, y, width + 2 * pad, height},
                  RGB_BACK, 215);
    text(d, UM_GLYPHS_SMALL, x, y, 0, rgb, name);
}

static void draw_hatched_run(const struct drawing *d, int first, int end)
{
    static const struct {
        enum um_paint_pattern pattern;
        int cell;
        unsigned ground, weight;
    } look[] = {
        [UM_STATE_SUSPENDED] = {UM_PAINT_LINES, 8, 26, 84},
        [UM_STATE_BLIND] = {UM_PAINT_CROSSES, 9, 22, 70},
        [UM_STATE_IDLE] = {UM_PAINT_DOTS, 8, 16, 130},
    };
    enum um_state state = (enum um_state)d->view->column[first].state;
    struct um_canvas_rect rect = run_rect(d, first, end);
    int phase = (int)(d->view->newest_slice % 4096) * d->step - d->plot.width;

    rect.y = d->plot.y;
    rect.height = d->plot.height;
    um_paint_tint(&d->canvas, rect, state_rgb(state), look[state].ground);
    um_paint_hatch(&d->canvas, rect, look[state].pattern, px(d, look[state].cell), px(d, 1.4),
                   phase, state_rgb(state), look[state].weight);
    draw_run_name(d, rect, um_wire_state_name(state), state_rgb(state));
}

static void draw_runs(const struct drawing *d)
{
    for (int i = 0, end; i < d->shown; i = end) {
        uint8_t state = d->view->column[i].state;
        end = run_end(d, i);
        if (is_hatched(state))
            draw_hatched_run(d, i, end);
        else if (um_wire_state_is_freeze(state))
            um_paint_tint(&d->canvas, run_rect(d, i, end), state_rgb((enum um_state)state), 44);
    }
}

static void draw_columns(const struct drawing *d)
{
    for (int i = 0; i < d->shown; i++) {
        const struct um_model_column *column = &d->view->column[i];
        if (is_hatched(column->state))
            continue;
        if (column->measured)
            draw_column(d, i);
        else
            draw_unknown(d, i);
    }
}

/* Graph: numbers of columns that leave the scale ----------------------------------------------- */

struct label {
    uint64_t length_ns;
    int x;
    int width;
    char words[UM_TEXT_BYTES];
};

/* Above the plot, or below the title if that is in the way. */
static void draw_label(const struct drawing *d, const struct label *label)
{
    int height = height_of(d, UM_GLYPHS_SMALL);
    int pad = px(d, 2);
    int title_bottom = d->title.y + d->title.height;
    bool in_the_way = label->x - pad < d->title.x + d->title.width;
    int y = in_the_way ? title_bottom + px(d, 2) : px(d, 2);

    um_paint_tint(&d->canvas,
                  (struct um_canvas_rect){label->x - pad, y, label->width + 2 * pad, height},
                  RGB_BACK, 200);
    text(d, UM_GLYPHS_SMALL, label->x, y, 0, RGB_WHITE, label->words);
}

/* A column of a freeze says what the panel says of that freeze, any other one its lag. */
static uint64_t label_length(const struct um_model_column *column)
{
    return column->freeze_ns != 0 ? column->freeze_ns : column->worst_ns;
}

static void make_label(const struct drawing *d, int first, int end, uint64_t length_ns,
                       struct label *label)
{
    int right = column_x(d, first) + d->bar;
    int left = column_x(d, end - 1);

    label->length_ns = length_ns;
    um_text_label(length_ns, label->words);
    label->width = width_of(d, UM_GLYPHS_SMALL, label->words);
    label->x = (left + right - label->width) / 2;
    if (label->x + label->width + px(d, 3) > d->plot.width)
        label->x = d->plot.width - label->width - px(d, 3);
    if (label->x < px(d, 3))
        label->x = px(d, 3);
}

/* From the newest run to the oldest; where two labels would touch, the greater number stays. */
static void draw_labels(const struct drawing *d)
{
    struct label held = {0};

    for (int i = 0; i < d->shown; i++) {
        struct label label;
        uint64_t length_ns = 0;
        int first = i;
        while (i < d->shown && d->view->column[i].measured &&
               !is_hatched(d->view->column[i].state) && d->view->column[i].worst_ns > d->full_ns) {
            if (label_length(&d->view->column[i]) > length_ns)
                length_ns = label_length(&d->view->column[i]);
            i++;
        }
        if (length_ns == 0)
            continue;
        make_label(d, first, i, length_ns, &label);
        if (held.length_ns != 0 && label.x + label.width + px(d, 6) > held.x) {
            held = label.length_ns > held.length_ns ? label : held;
            continue;
        }
        if (held.length_ns != 0)
            draw_label(d, &held);
        held = label;
    }
    if (held.length_ns != 0)
        draw_label(d, &held);
}

/* The caption; where there is no room for a panel, the lag. */
static void draw_title(struct drawing *d)
{
    const char *title = d->view->caption;
    uint32_t rgb = RGB_TEXT;
    int height = height_of(d, UM_GLYPHS_STRONG);
    int x = px(d, 8), y = px(d, 2), pad = px(d, 4);
    char number[UM_TEXT_BYTES];

    if (d->detail == NO_PANEL) {
        title = status_word(d->view);
        rgb = status_rgb(d->view);
        if (d->view->has_lag) {
            um_text_lag(d->view->lag_ns, number);
            title = number;
        }
    }
    if (title[0] == '\0' || d->head < px(d, 10) || d->plot.width < px(d, 40))
        return;
    int width = width_of(d, UM_GLYPHS_STRONG, title);
    if (width > d->plot.width - 2 * x)
        width = d->plot.width - 2 * x;
    d->title = (struct um_canvas_rect){x - pad, y, width + 2 * pad, height};
    um_paint_tint(&d->canvas, d->title, RGB_BACK, 200);
    text(d, UM_GLYPHS_STRONG, x, y, width, rgb, title);
}

static void draw_graph(struct drawing *d)
{
    draw_levels(d);
    draw_ticks(d);
    draw_runs(d);
    draw_columns(d);
    draw_title(d);
    draw_labels(d);
}

/* Panel ---------------------------------------------------------------------------------------- */

static void draw_panel_ground(const struct drawing *d)
{
    struct um_canvas_rect edge = {d->panel.x, 0, px(d, 3), d->panel.height};

    /* Less of the background shines through texts than through columns. */
    um_paint_tint(&d->canvas, d->panel, RGB_BACK, 130);
    if (freezes_now(d))
        um_paint_tint(&d->canvas, d->panel, status_rgb(d->view), 76);
    um_paint_fill(&d->canvas, edge, status_rgb(d->view) | 0xff000000);
}

/* A dim word and a number after it, right-aligned at `right`; returns where it begins. */
static int draw_pair(const struct drawing *d, int right, int y, const char *name,
                     const char *number, uint32_t rgb)
{
    int gap = px(d, 5);
    int name_width = width_of(d, UM_GLYPHS_PLAIN, name);
    int x = right - width_of(d, UM_GLYPHS_PLAIN, number);

    text(d, UM_GLYPHS_PLAIN, x, y, 0, rgb, number);
    x = right - px(d, 62) - name_width - gap;
    text(d, UM_GLYPHS_PLAIN, x, y, 0, RGB_DIM, name);
    return x;
}

static uint32_t p99_rgb(const struct drawing *d)
{
    if (!d->view->has_latency)
        return RGB_DIM;
    return d->view->p99_ns >= d->view->slow_ns ? lag_rgb(d, d->view->p99_ns) : RGB_TEXT;
}

static void draw_percentiles(const struct drawing *d, int right, int y)
{
    const struct um_model_view *view = d->view;
    char number[UM_TEXT_BYTES] = "–";
    uint32_t rgb = RGB_DIM;

    if (view->has_latency) {
        um_text_lag(view->p50_ns, number);
        rgb = RGB_TEXT;
    }
    draw_pair(d, right, y, "5 s p50", number, rgb);
    if (view->has_latency)
        um_text_lag(view->p99_ns, number);
    draw_pair(d, right, y + height_of(d, UM_GLYPHS_PLAIN) + px(d, 2), "5 s p99", number,
              p99_rgb(d));
}

static void state_words(const struct um_model_view *view, char *words)
{
    char span[UM_TEXT_BYTES] = "";

    /* How long a freeze lasts is the lag; the states without one have no other number. */
    if (view->link == UM_MODEL_LIVE && is_hatched((uint8_t)view->state) &&
        view->state_for_ns >= UM_CLOCK_NS_PER_S)
        um_text_span(view->state_for_ns, span);
    snprintf(words, TEXT_BYTES, "%s%s%s", status_word(view), span[0] != '\0' ? " " : "", span);
}

/* State at the left, target and probe at the right. */
static void draw_state(const struct drawing *d, int x, int right, int y)
{
    const struct um_model_view *view = d->view;
    uint32_t rgb = freezes_now(d) ? RGB_WHITE : status_rgb(view);
    char words[TEXT_BYTES];
    int end, plain_y;

    state_words(view, words);
    end = x + text(d, UM_GLYPHS_STRONG, x, y, right - x, rgb, words) + px(d, 12);
    plain_y = y + um_glyphs_ascent(d->graph->glyphs, UM_GLYPHS_STRONG) -
              um_glyphs_ascent(d->graph->glyphs, UM_GLYPHS_PLAIN);
    if (d->detail != FULL || view->name[0] == '\0' || right - end < px(d, 90))
        return;
    snprintf(words, sizeof words, "%s%s", view->name,
             view->probe == UM_PROBE_RAW     ? " · raw"
             : view->probe == UM_PROBE_MOUSE ? " · mouse"
                                             : "");
    if (width_of(d, UM_GLYPHS_PLAIN, words) < right - end)
        end = right - width_of(d, UM_GLYPHS_PLAIN, words);
    text(d, UM_GLYPHS_PLAIN, end, plain_y, right - end, RGB_DIM, words);
}

static int draw_lag(const struct drawing *d, enum um_glyphs_face face, int x, int right, int y)
{
    char number[UM_TEXT_BYTES];

    const char *words = no_lag_words(d->view);
    uint32_t rgb = RGB_DIM;

    if (d->view->has_lag) {
        um_text_lag(d->view->lag_ns, number);
        words = number;
        rgb = freezes_now(d) ? RGB_WHITE : lag_rgb(d, d->view->lag_ns);
    }
    if (face == UM_GLYPHS_BIG && (!d->view->has_lag || width_of(d, face, words) > right - x)) {
        face = UM_GLYPHS_WORD;
        y += (height_of(d, UM_GLYPHS_BIG) - height_of(d, face)) / 2;
    }
    return text(d, face, x, y, right - x, rgb, words);
}

static void draw_last_freeze(const struct drawing *d, int x, int right, int y)
{
    const struct um_model_view *view = d->view;
    char length[UM_TEXT_BYTES], ago[UM_TEXT_BYTES], words[TEXT_BYTES];
    const char *name = d->detail == FULL ? "last freeze " : "last ";

    if (!view->has_last_freeze) {
        if (view->link != UM_MODEL_WAITING && !freezes_now(d))
            text(d, UM_GLYPHS_PLAIN, x, y, right - x, RGB_DIM, "no freeze yet");
        return;
    }
    x += text(d, UM_GLYPHS_PLAIN, x, y, right - x, RGB_DIM, name);
    um_text_lag(view->last_freeze_ns, length);
    um_text_span(view->last_freeze_ago_ns, ago);
    x += text(d, UM_GLYPHS_PLAIN, x, y, right - x, RGB_TEXT, length);
    snprintf(words, sizeof words, strcmp(ago, "now") == 0 ? ", just %s" : ", %s ago", ago);
    if (d->detail == FULL && x < right)
        text(d, UM_GLYPHS_PLAIN, x, y, right - x, RGB_DIM, words);
}

/* Records that were lost on the way: the numbers are not the whole truth then. */
static int draw_lost(const struct drawing *d, int x, int right, int y)
{
    char words[TEXT_BYTES];

    if (d->view->lost == 0 || d->detail != FULL)
        return right;
    snprintf(words, sizeof words, "%" PRIu64 " lost", d->view->lost);
    int width = width_of(d, UM_GLYPHS_PLAIN, words);
    if (width > right - x)
        return right;
    text(d, UM_GLYPHS_PLAIN, right - width, y, 0, RGB_AMBER, words);
    return right - width - px(d, 8);
}

/* What is left of the percentiles in a narrow panel. */
static void draw_p99(const struct drawing *d, int x, int right, int y)
{
    char number[UM_TEXT_BYTES] = "–";

    if (d->view->has_latency)
        um_text_lag(d->view->p99_ns, number);
    x += text(d, UM_GLYPHS_PLAIN, x, y, right - x, RGB_DIM, "5 s p99 ");
    text(d, UM_GLYPHS_PLAIN, x, y, right - x, p99_rgb(d), number);
}

static int draw_count(const struct drawing *d, int x, int right, int y, const char *limit,
                      const char *count, bool any)
{
    if (x >= right)
        return x;
    x += text(d, UM_GLYPHS_PLAIN, x, y, right - x, RGB_DIM, limit) + px(d, 4);
    x += text(d, UM_GLYPHS_PLAIN, x, y, right - x, any ? RGB_TEXT : RGB_DIM, count);
    return x + px(d, 10);
}

static void draw_counts(const struct drawing *d, int x, int right, int y)
{
    const struct um_model_view *view = d->view;
    const struct {
        const char *limit;
        uint32_t count;
    } counts[] = {
        {">100 ms", view->over_100}, {">250 ms", view->over_250}, {">1 s", view->over_1000}};
    char number[UM_TEXT_BYTES];

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        snprintf(number, sizeof number, "%" PRIu32, counts[i].count);
        x = draw_count(d, x, right, y, counts[i].limit, number, counts[i].count > 0);
    }
    um_text_lag(view->freeze_total_ns, number);
    if (view->freezes > 0)
        draw_count(d, x, right, y, "total", number, true);
}

/* What the user's own input took: "typing p50 14 ms p99 38 ms". */
struct pair {
    const char *name;
    uint64_t lag_ns;
};

static int pairs_width(const struct drawing *d, const struct pair *pairs, int count)
{
    char number[UM_TEXT_BYTES];
    int width = 0;

    for (int i = 0; i < count; i++) {
        um_text_lag(pairs[i].lag_ns, number);
        width += width_of(d, UM_GLYPHS_PLAIN, pairs[i].name) + px(d, 4);
        width += width_of(d, UM_GLYPHS_PLAIN, number) + (i > 0 ? px(d, 6) : 0);
    }
    return width;
}

/* Returns where they end. */
static int draw_pairs(const struct drawing *d, int x, int y, const struct pair *pairs, int count)
{
    char number[UM_TEXT_BYTES];

    for (int i = 0; i < count; i++) {
        uint64_t lag_ns = pairs[i].lag_ns;
        x += i > 0 ? px(d, 6) : 0;
        x += text(d, UM_GLYPHS_PLAIN, x, y, 0, RGB_DIM, pairs[i].name) + px(d, 4);
        um_text_lag(lag_ns, number);
        x += text(d, UM_GLYPHS_PLAIN, x, y, 0,
                  lag_ns >= d->view->slow_ns ? lag_rgb(d, lag_ns) : RGB_TEXT, number);
    }
    return x;
}

/* Fills in the pairs of the last keys that fit into `room`, and returns how many; the name
 * alone stands for the p50 where there is no room to say so. */
static int typing_pairs(const struct drawing *d, int room, struct pair pairs[2])
{
    static const char *const names[2][2] = {{"typing, handled p50", "typing, handled"},
                                            {"typing p50", "typing"}};
    const struct um_model_view *view = d->view;

    if (!view->has_typing)
        return 0;
    pairs[0] = (struct pair){names[view->typing_painted][0], view->typing_p50_ns};
    pairs[1] = (struct pair){"p99", view->typing_p99_ns};
    if (d->detail == FULL && pairs_width(d, pairs, 2) <= room)
        return 2;
    if (pairs_width(d, pairs, 1) > room)
        pairs[0].name = names[view->typing_painted][1];
    return pairs_width(d, pairs, 1) <= room ? 1 : 0;
}

static int click_pair(const struct drawing *d, int room, struct pair *pair)
{
    if (!d->view->has_click)
        return 0;
    *pair = (struct pair){d->view->click_painted ? "click" : "click, handled", d->view->click_ns};
    return pairs_width(d, pair, 1) <= room ? 1 : 0;
}

/* Whether the last click has a line of its own: there is no room for it behind the typing. */
static bool click_is_apart(const struct drawing *d, int room)
{
    struct pair typing[2], click;
    int keys = typing_pairs(d, room, typing);

    if (keys == 0 || click_pair(d, room, &click) == 0)
        return false;
    return pairs_width(d, typing, keys) + px(d, 12) + pairs_width(d, &click, 1) > room;
}

static void draw_typing(const struct drawing *d, int x, int right, int y)
{
    struct pair typing[2], click;
    int room = right - x;
    int keys = typing_pairs(d, room, typing);

    if (keys > 0)
        x = draw_pairs(d, x, y, typing, keys) + px(d, 12);
    if (!click_is_apart(d, room) && click_pair(d, room, &click) > 0)
        draw_pairs(d, x, y, &click, 1);
}

static void draw_click(const struct drawing *d, int x, int right, int y)
{
    struct pair click;

    if (click_pair(d, right - x, &click) > 0)
        draw_pairs(d, x, y, &click, 1);
}

static void draw_last_and_lost(const struct drawing *d, int x, int right, int y)
{
    draw_last_freeze(d, x, draw_lost(d, x, right, y), y);
}

static void draw_more(const struct drawing *d, int x, int right, int y)
{
    if (d->detail == COMPACT)
        draw_p99(d, x, right, y);
    else if (d->view->link != UM_MODEL_WAITING)
        draw_counts(d, x, right, y);
}

typedef void draw_row(const struct drawing *d, int x, int right, int y);

/* The lines below the lag, from top to bottom: as many as fit, and those that matter most. */
struct rows {
    draw_row *draw[4];
    int count;
    int height; /* of each */
};

static void lay_out_rows(const struct drawing *d, int width, int room, struct rows *rows)
{
    int plain = height_of(d, UM_GLYPHS_PLAIN);
    int fit = room > 0 ? room / (plain + px(d, 1)) : 0;
    bool typing = d->view->has_typing || d->view->has_click;
    bool apart = click_is_apart(d, width);

    rows->count = 0;
    if (fit >= 1)
        rows->draw[rows->count++] = draw_last_and_lost;
    if (fit >= (typing ? 3 : 2))
        rows->draw[rows->count++] = draw_more;
    if (typing && fit >= 2)
        rows->draw[rows->count++] = draw_typing;
    if (apart && fit >= 4)
        rows->draw[rows->count++] = draw_click;
    rows->height = plain + px(d, 3);
    while (rows->count > 0 && rows->count * rows->height > room)
        rows->height--;
}

static void draw_panel(const struct drawing *d)
{
    enum um_glyphs_face face = d->panel.height >= px(d, 44) ? UM_GLYPHS_BIG : UM_GLYPHS_STRONG;
    int x = d->panel.x + px(d, 14), right = d->canvas.width - px(d, 10);
    int strong = height_of(d, UM_GLYPHS_STRONG), big = height_of(d, face);
    int room = d->panel.height - px(d, 4) - big;
    bool state = room >= strong;
    struct rows rows;
    int y, x_end;

    lay_out_rows(d, right - x, room - strong, &rows);
    y = (d->panel.height - big - (state ? strong : 0) - rows.count * rows.height) / 2;
    draw_panel_ground(d);
    if (state)
        draw_state(d, x, right, y);
    y += state ? strong : 0;
    x_end = x + draw_lag(d, face, x, right, y) + px(d, 10);
    if (!state)
        draw_state(d, x_end, right, (d->panel.height - strong) / 2);
    else if (d->detail == FULL && face == UM_GLYPHS_BIG)
        draw_percentiles(d, right, y + (big - 2 * height_of(d, UM_GLYPHS_PLAIN)) / 2);
    y += big;
    for (int i = 0; i < rows.count; i++)
        rows.draw[i](d, x, right, y + i * rows.height);
}

/* -- */

enum um_status um_graph_draw(struct um_graph *graph, const struct um_model_view *view,
                             const struct um_canvas *canvas)
{
    struct drawing d = {.graph = graph, .view = view, .canvas = *canvas};

    if (canvas->width <= 0 || canvas->height <= 0)
        return UM_ERR_ARG;
    d.surface =
        SDL_CreateRGBSurfaceWithFormatFrom(canvas->pixels, canvas->width, canvas->height, 32,
                                           canvas->stride * 4, SDL_PIXELFORMAT_ARGB8888);
    if (!d.surface)
        return UM_ERR_MEMORY;
    d.back = um_paint_over(0, RGB_BACK, (unsigned)lround(graph->opacity * UM_PAINT_OPAQUE));
    lay_out_panel(&d);
    lay_out_plot(&d);
    draw_ground(&d);
    if (d.plot.width > 0 && d.plot.height > 0)
        draw_graph(&d);
    if (d.detail != NO_PANEL)
        draw_panel(&d);
    SDL_FreeSurface(d.surface);
    return UM_OK;
}
