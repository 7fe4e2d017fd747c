#include "overlay/meters_sdl.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/message_names.h"
#include "ipc/layout_steps.h"
#include "overlay/meter.h"

#define OUTLINE 0x3ddc84
#define BOX_BACK 0x1e1e1e
#define BOX_WEIGHT 200 /* of 256 */
#define BOX_EDGE 0x505050
#define BOX_RADIUS 2
#define AUTHORED 0x9a9a9a
#define PANEL_WEIGHT 232
#define SKETCH_BACK 0x141414
#define SKETCH_WEIGHT 244
#define NAME_MARGIN 4      /* px at 100 % */
#define MARK_BACK 0xf4f4f4 /* of the name of the costliest component */
#define MARK_TEXT 0x101010
#define MARK_EDGE 3 /* px at 100 %, of its frame */
#define PANEL_RADIUS 4
#define PANEL_MARGIN 8 /* px at 100 % */
#define PANEL_WIDTH 268
#define LEGEND_ROW 14
#define LEGEND_MARGIN 5
#define LEGEND_INSET 8        /* from the window's edge, and from the graph */
#define LEGEND_ROOM_WIDTH 600 /* a window with less room beside the graph has no legend */
#define LEGEND_ROOM_HEIGHT 300
#define ROW 16
#define NAMES 72 /* px at 100 %: width of the names of numbers */
#define LINE_BYTES 320
#define UNSEEN "not seen"

/* Outlines ------------------------------------------------------------------------------------- */

static struct um_canvas_rect grown(const struct um_canvas_rect *rect, int by)
{
    return (struct um_canvas_rect){rect->x - by, rect->y - by, rect->width + 2 * by,
                                   rect->height + 2 * by};
}

/* The four sides of a frame inside a rectangle. */
struct sides {
    struct um_canvas_rect list[4];
};

static struct sides sides_of(const struct um_canvas_rect *rect, int width)
{
    int high = rect->height - 2 * width;
    return (struct sides){{{rect->x, rect->y, rect->width, width},
                           {rect->x, rect->y + rect->height - width, rect->width, width},
                           {rect->x, rect->y + width, width, high},
                           {rect->x + rect->width - width, rect->y + width, width, high}}};
}

static void frame(const struct um_drawing *d, const struct um_canvas_rect *rect, int width,
                  uint32_t rgb)
{
    struct sides sides = sides_of(rect, width);
    for (size_t i = 0; i < 4; i++) {
        const struct um_canvas_rect *side = &sides.list[i];
        tint(d, side->x, side->y, side->width, side->height, rgb, UM_PAINT_OPAQUE);
    }
}

struct ink {
    const struct um_drawing *d;
    uint32_t rgb;
};

static void tint_piece(void *context, const struct um_canvas_rect *piece)
{
    const struct ink *ink = context;
    tint(ink->d, piece->x, piece->y, piece->width, piece->height, ink->rgb, UM_PAINT_OPAQUE);
}

/* A line along the edge of what siblings leave of a component. Units: px from that edge to the line
 * and of its width. */
static void line_along(const struct um_drawing *d, const struct um_canvas_rect *component,
                       const struct um_siblings *siblings, int from, int width, uint32_t rgb)
{
    struct ink ink = {d, rgb};
    struct um_canvas_rect inner = grown(component, -from);
    struct sides sides = sides_of(&inner, width);
    for (size_t i = 0; i < 4; i++)
        um_siblings_rest(siblings, sides.list[i], tint_piece, &ink);
    for (size_t k = 0; k < siblings->count; k++) {
        struct um_canvas_rect around = grown(&siblings->list[k], from + width);
        sides = sides_of(&around, width);
        for (size_t i = 0; i < 4; i++)
            um_siblings_rest(siblings, um_canvas_cut(&sides.list[i], &inner), tint_piece, &ink);
    }
}

void um_meters_outline(const struct um_drawing *d, const struct um_canvas_rect *component,
                       const struct um_siblings *siblings, bool pinned, bool costliest)
{
    int edge = px(d, 1);
    if (!pinned) {
        line_along(d, component, siblings, 0, costliest ? px(d, MARK_EDGE) : edge, OUTLINE);
        return;
    }
    /* White alone would not be seen on white. */
    line_along(d, component, siblings, 0, 4 * edge, BOX_BACK);
    line_along(d, component, siblings, edge, 2 * edge, UM_DRAWING_WHITE);
}

/* Sketch --------------------------------------------------------------------------------------- */

void um_meters_sketch(const struct um_drawing *d)
{
    fill(d, 0, 0, d->canvas.width, d->canvas.height, um_paint_over(0, SKETCH_BACK, SKETCH_WEIGHT));
}

void um_meters_faint(const struct um_drawing *d, const struct um_canvas_rect *component)
{
    frame(d, component, px(d, 1), BOX_EDGE);
}

static const char *name_of(const struct um_cost *cost)
{
    return cost->text[0] != '\0' ? cost->text : cost->window_class;
}

/* Meters --------------------------------------------------------------------------------------- */

/* A box with an edge and round corners, whose pixels are replaced. */
static void ground(const struct um_drawing *d, const struct um_canvas_rect *box, uint32_t back,
                   uint32_t edge, int radius)
{
    struct um_canvas part = d->canvas;
    struct um_canvas_rect whole = *box;
    if (box->x < 0 || box->y < 0 || box->x + box->width > d->canvas.width ||
        box->y + box->height > d->canvas.height)
        return;
    fill(d, box->x, box->y, box->width, box->height, back);
    frame(d, &whole, px(d, 1), edge);
    part.pixels = um_canvas_row(&d->canvas, box->y) + box->x;
    part.width = box->width;
    part.height = box->height;
    um_paint_round(&part, radius, UM_PAINT_ALL_CORNERS);
}

static void panel_ground(const struct um_drawing *d, const struct um_canvas_rect *panel)
{
    ground(d, panel, um_paint_over(0, BOX_BACK, PANEL_WEIGHT), BOX_EDGE, px(d, PANEL_RADIUS));
}

int um_meters_name_width(const struct um_drawing *d, const struct um_cost *cost)
{
    int wide = width_of(d, UM_GLYPHS_SMALL, name_of(cost));
    return wide > 0 ? wide + 2 * px(d, NAME_MARGIN) : 0;
}

void um_meters_name(const struct um_drawing *d, const struct um_canvas_rect *box,
                    const struct um_cost *cost, bool costliest)
{
    uint32_t back = um_paint_over(0, BOX_BACK, PANEL_WEIGHT);
    ground(d, box, costliest ? 0xff000000 | MARK_BACK : back, BOX_EDGE, px(d, BOX_RADIUS));
    text(d, UM_GLYPHS_SMALL, box->x + px(d, NAME_MARGIN),
         box->y + (box->height - height_of(d, UM_GLYPHS_SMALL)) / 2,
         box->width - 2 * px(d, NAME_MARGIN), costliest ? MARK_TEXT : UM_DRAWING_TEXT,
         name_of(cost));
}

/* A filled area of a level. The two highest have stripes, so that they differ without colour. The
 * stripes go on from one column of a sparkline to the next. */
static void bar(const struct um_drawing *d, int x, int y, int width, int height,
                enum um_meter_level level)
{
    int line = px(d, 1), cell = level == UM_METER_RED ? 2 * line : 4 * line;
    fill(d, x, y, width, height, 0xff000000 | um_meter_rgb(level));
    if (level < UM_METER_ORANGE)
        return;
    for (int row_y = y; row_y < y + height; row_y++)
        if (row_y % cell < line)
            tint(d, x, row_y, width, 1, 0, 130);
}

/* The greatest of the buckets that a column stands for, and whether there is one. */
static uint64_t column_ns(const uint64_t *worst_ns, int column, int columns)
{
    int from = column * UM_COSTS_BUCKETS / columns, to = (column + 1) * UM_COSTS_BUCKETS / columns;
    uint64_t most = worst_ns[from];
    for (int i = from + 1; i < to; i++)
        most = worst_ns[i] > most ? worst_ns[i] : most;
    return most;
}

static void draw_sparkline(const struct um_drawing *d, const struct um_canvas_rect *inner,
                           const struct um_cost *cost, uint64_t now_ns)
{
    uint64_t worst_ns[UM_COSTS_BUCKETS];
    um_costs_history(cost, now_ns, worst_ns);
    int columns = inner->width < UM_COSTS_BUCKETS ? inner->width : UM_COSTS_BUCKETS;
    for (int i = 0; i < columns; i++) {
        double ms = (double)column_ns(worst_ns, i, columns) / 1e6;
        int height = (int)lround(um_meter_fill_of_ms(ms) * inner->height);
        int from = i * inner->width / columns, to = (i + 1) * inner->width / columns;
        height = ms > 0 && height == 0 ? 1 : height;
        bar(d, inner->x + from, inner->y + inner->height - height, to - from, height,
            um_meter_level_of_ms(ms));
    }
}

static void draw_bars(const struct um_drawing *d, const struct um_canvas_rect *inner,
                      const struct um_cost *cost)
{
    double ms = (double)cost->last.mean_ns / 1e6;
    int height = px(d, UM_METER_BAR), second = inner->y + inner->height - height;
    bar(d, inner->x, inner->y, (int)lround(um_meter_fill_of_ms(ms) * inner->width), height,
        um_meter_level_of_ms(ms));
    if (cost->rendered == 0)
        return;
    int authored = (int)lround(um_meter_fill_of_count(cost->authored) * inner->width);
    int rendered = (int)lround(um_meter_fill_of_count(cost->rendered) * inner->width);
    fill(d, inner->x, second, authored, height, 0xff000000 | AUTHORED);
    if (rendered > authored)
        bar(d, inner->x + authored, second, rendered - authored, height,
            um_meter_level_of_ratio(um_meter_ratio(cost->authored, cost->rendered)));
}

void um_meters_box(const struct um_drawing *d, const struct um_canvas_rect *box,
                   const struct um_cost *cost, uint64_t now_ns, bool bars, bool costliest)
{
    int edge = px(d, UM_METER_PADDING);
    struct um_canvas_rect inner = {box->x + edge, box->y + edge, box->width - 2 * edge,
                                   box->height - 2 * edge};
    ground(d, box, um_paint_over(0, BOX_BACK, BOX_WEIGHT), costliest ? MARK_BACK : BOX_EDGE,
           px(d, BOX_RADIUS));
    if (bars)
        draw_bars(d, &inner, cost);
    else
        draw_sparkline(d, &inner, cost, now_ns);
}

static const char unseen_words[] = "parts " UNSEEN;

void um_meters_unseen_box(const struct um_drawing *d, struct um_canvas_rect *box)
{
    int right = box->x + box->width;
    box->width = width_of(d, UM_GLYPHS_SMALL, unseen_words) + px(d, 8);
    box->height = height_of(d, UM_GLYPHS_SMALL) + px(d, 2);
    box->x = right - box->width;
}

void um_meters_unseen(const struct um_drawing *d, const struct um_canvas_rect *box)
{
    ground(d, box, um_paint_over(0, BOX_BACK, PANEL_WEIGHT), BOX_EDGE, px(d, BOX_RADIUS));
    text(d, UM_GLYPHS_SMALL, box->x + px(d, 4), box->y + px(d, 1), 0, UM_DRAWING_DIM, unseen_words);
}

/* Read-out ------------------------------------------------------------------------------------- */

static struct um_canvas_rect within(const struct um_drawing *d, struct um_canvas_rect rect)
{
    if (rect.width > d->canvas.width)
        rect.width = d->canvas.width;
    if (rect.height > d->canvas.height)
        rect.height = d->canvas.height;
    if (rect.x + rect.width > d->canvas.width)
        rect.x = d->canvas.width - rect.width;
    if (rect.y + rect.height > d->canvas.height)
        rect.y = d->canvas.height - rect.height;
    rect.x = rect.x > 0 ? rect.x : 0;
    rect.y = rect.y > 0 ? rect.y : 0;
    return rect;
}

/* Beside a meter: below it or, where the picture ends, to the left or the right of it. */
static struct um_canvas_rect beside(const struct um_drawing *d, const struct um_canvas_rect *box,
                                    int width, int height)
{
    const int gap = px(d, 4);
    struct um_canvas_rect panel =
        within(d, (struct um_canvas_rect){box->x + box->width - width, box->y + box->height + gap,
                                          width, height});
    if (!um_canvas_overlap(&panel, box))
        return panel;
    if (box->x - gap >= panel.width)
        panel.x = box->x - gap - panel.width;
    else if (box->x + box->width + gap + panel.width <= d->canvas.width)
        panel.x = box->x + box->width + gap;
    return panel;
}

/* A row of a name and its value; returns where the next row begins. */
static int row(const struct um_drawing *d, const struct um_canvas_rect *panel, int y,
               const char *name, uint32_t rgb, const char *value)
{
    int x = panel->x + px(d, PANEL_MARGIN), left = x + px(d, NAMES);
    text(d, UM_GLYPHS_PLAIN, x, y, px(d, NAMES), UM_DRAWING_DIM, name);
    text(d, UM_GLYPHS_PLAIN, left, y, panel->x + panel->width - px(d, PANEL_MARGIN) - left, rgb,
         value);
    return y + px(d, ROW);
}

static void write_ms(const struct um_cost *cost, uint64_t ns, char *words)
{
    if (cost->measured)
        um_text_lag(ns, words);
    else
        snprintf(words, UM_TEXT_BYTES, "–");
}

static int times_of(const struct um_drawing *d, const struct um_canvas_rect *panel, int y,
                    const struct um_cost *cost)
{
    double mean_ms = (double)cost->last.mean_ns / 1e6;
    uint32_t rgb = cost->measured ? um_meter_rgb(um_meter_level_of_ms(mean_ms)) : UM_DRAWING_DIM;
    char words[UM_TEXT_BYTES];
    char frame_words[2 * UM_TEXT_BYTES];
    write_ms(cost, cost->last.mean_ns, words);
    snprintf(frame_words, sizeof frame_words, cost->measured ? "%s a frame" : "%s", words);
    y = row(d, panel, y, "layout", rgb, frame_words);
    snprintf(frame_words, sizeof frame_words, cost->measured ? "#%" PRIu32 : "–", cost->last.frame);
    y = row(d, panel, y, "last frame", UM_DRAWING_TEXT, frame_words);
    write_ms(cost, cost->last.measure_ns, words);
    y = row(d, panel, y, "measure", UM_DRAWING_TEXT, words);
    write_ms(cost, cost->last.arrange_ns, words);
    y = row(d, panel, y, "arrange", UM_DRAWING_TEXT, words);
    write_ms(cost, cost->last.paint_ns, words);
    return row(d, panel, y, "paint", UM_DRAWING_TEXT, words);
}

static int counts_of(const struct um_drawing *d, const struct um_canvas_rect *panel, int y,
                     const struct um_cost *cost)
{
    char words[64] = "–";
    double ratio = um_meter_ratio(cost->authored, cost->rendered);
    bool counted = cost->rendered > 0;
    if (counted)
        snprintf(words, sizeof words, "%" PRIu32, cost->authored);
    y = row(d, panel, y, "authored", UM_DRAWING_TEXT, words);
    if (counted)
        snprintf(words, sizeof words, "%" PRIu32 " (%.1f\u00d7)", cost->rendered, ratio);
    return row(d, panel, y, "rendered",
               counted ? um_meter_rgb(um_meter_level_of_ratio(ratio)) : UM_DRAWING_TEXT, words);
}

/* What follows the outermost scope of a function's name; NULL: it has none. Scopes of .NET end with
 * a dot and a capital letter, or with that of ".ctor"; what compilers add to names of C, as in
 * "parse.part.0", is none. */
static const char *after_scope(const char *name)
{
    int depth = 0; /* of brackets: arguments have scopes, too */
    for (; *name; name++) {
        depth += *name == '<' || *name == '(';
        depth -= *name == '>' || *name == ')';
        if (depth == 0 && name[0] == ':' && name[1] == ':')
            return name + 2;
        if (depth == 0 && name[0] == '.' && ((name[1] >= 'A' && name[1] <= 'Z') || name[1] == '.'))
            return name + 1;
    }
    return NULL;
}

/* The end of a function's name that there is room for: namespaces go first. */
static const char *without_scopes(const struct um_drawing *d, int width, const char *name)
{
    const char *rest;
    while (width_of(d, UM_GLYPHS_PLAIN, name) > width && (rest = after_scope(name)))
        name = rest;
    return name;
}

struct um_canvas_rect um_meters_readout(const struct um_drawing *d,
                                        const struct um_canvas_rect *box,
                                        const struct um_cost *cost, bool unseen)
{
    char message[UM_MESSAGE_NAMES_BYTES];
    bool named = cost->text[0] != '\0' && cost->window_class[0] != '\0';
    int rows = 7 + named + unseen + (cost->message != 0) + (cost->handler[0] != '\0');
    int head = height_of(d, UM_GLYPHS_STRONG);
    struct um_canvas_rect panel =
        beside(d, box, px(d, PANEL_WIDTH), head + rows * px(d, ROW) + 2 * px(d, PANEL_MARGIN));
    int x = panel.x + px(d, PANEL_MARGIN), y = panel.y + px(d, PANEL_MARGIN);
    int width = panel.width - 2 * px(d, PANEL_MARGIN);

    panel_ground(d, &panel);
    text(d, UM_GLYPHS_STRONG, x, y, width, UM_DRAWING_WHITE, name_of(cost));
    y += head;
    if (named) {
        text(d, UM_GLYPHS_PLAIN, x, y, width, UM_DRAWING_DIM, cost->window_class);
        y += px(d, ROW);
    }
    if (unseen)
        y = row(d, &panel, y, "parts", UM_DRAWING_TEXT, UNSEEN);
    y = times_of(d, &panel, y, cost);
    y = counts_of(d, &panel, y, cost);
    if (cost->message == 0)
        return panel;
    um_layout_steps_name(cost->message, message, sizeof message);
    y = row(d, &panel, y, "mostly", UM_DRAWING_TEXT, message);
    if (cost->handler[0] != '\0')
        row(d, &panel, y, "", UM_DRAWING_TEXT,
            without_scopes(d, width - px(d, NAMES), cost->handler));
    return panel;
}

/* Legend --------------------------------------------------------------------------------------- */

#define LEGEND_ROWS 3

struct legend {
    char rows[LEGEND_ROWS][LINE_BYTES]; /* the first is followed by the colours */
    const char *const *levels;
    bool bars;
};

static void write_legend(const char *layout_keys, const char *pin_keys, bool bars,
                         struct legend *legend)
{
    static const char *const ms[] = {"to 2 ms", "to 8 ms", "to 16 ms", "more"};
    static const char *const both[] = {"to 2 ms, 3\u00d7", "to 8 ms, 8\u00d7", "to 16 ms, 20\u00d7",
                                       "more"};
    legend->bars = bars;
    legend->levels = bars ? both : ms;
    snprintf(legend->rows[0], LINE_BYTES, "%s",
             bars ? "layout frame, windows:" : "layout frames of 6 s:");
    snprintf(legend->rows[1], LINE_BYTES, "thick frame: the part that costs most%s",
             bars ? "; grey: windows that the program made" : "");
    snprintf(legend->rows[2], LINE_BYTES, "%s: other parts; %s: pin", layout_keys, pin_keys);
}

/* Writes the first row from there on, or only finds where it ends. */
static int first_row(const struct um_drawing *d, const struct legend *legend, int x, int y,
                     bool writes)
{
    int size = px(d, 10), top = y + (px(d, LEGEND_ROW) - size) / 2;
    if (writes)
        text(d, UM_GLYPHS_SMALL, x, y, 0, UM_DRAWING_TEXT, legend->rows[0]);
    x += width_of(d, UM_GLYPHS_SMALL, legend->rows[0]);
    for (int i = 0; i < UM_METER_LEVELS; i++) {
        x += px(d, 8);
        if (writes) {
            bar(d, x, top, size, size, (enum um_meter_level)i);
            text(d, UM_GLYPHS_SMALL, x + size + px(d, 4), y, 0, UM_DRAWING_TEXT, legend->levels[i]);
        }
        x += size + px(d, 4) + width_of(d, UM_GLYPHS_SMALL, legend->levels[i]);
    }
    return x;
}

/* Where the legend is: in the lower left corner of the main window, above the graph if that is
 * there. False: there is too little room in the window. */
static bool place_legend(const struct um_drawing *d, const struct legend *legend,
                         const struct um_canvas_rect *main, const struct um_canvas_rect *graph,
                         struct um_canvas_rect *panel)
{
    int inset = px(d, LEGEND_INSET), wide = first_row(d, legend, 0, 0, false);
    struct um_canvas_rect hidden = um_canvas_cut(main, graph);
    if (main->width < px(d, LEGEND_ROOM_WIDTH) ||
        main->height - hidden.height < px(d, LEGEND_ROOM_HEIGHT))
        return false;
    for (int i = 1; i < LEGEND_ROWS; i++) {
        int row_wide = width_of(d, UM_GLYPHS_SMALL, legend->rows[i]);
        wide = row_wide > wide ? row_wide : wide;
    }
    panel->width = wide + 2 * px(d, LEGEND_MARGIN);
    panel->height = LEGEND_ROWS * px(d, LEGEND_ROW) + 2 * px(d, LEGEND_MARGIN);
    panel->x = main->x + inset;
    panel->y = main->y + main->height - inset - panel->height;
    if (um_canvas_overlap(panel, graph))
        panel->y = graph->y - inset - panel->height;
    return panel->x + panel->width <= main->x + main->width && panel->y >= main->y;
}

bool um_meters_legend(const struct um_drawing *d, const char *layout_keys, const char *pin_keys,
                      bool bars, const struct um_canvas_rect *main,
                      const struct um_canvas_rect *graph, struct um_canvas_rect *panel)
{
    struct legend legend;
    write_legend(layout_keys, pin_keys, bars, &legend);
    if (!place_legend(d, &legend, main, graph, panel))
        return false;
    int x = panel->x + px(d, LEGEND_MARGIN), y = panel->y + px(d, LEGEND_MARGIN);
    panel_ground(d, panel);
    first_row(d, &legend, x, y, true);
    for (int i = 1; i < LEGEND_ROWS; i++)
        text(d, UM_GLYPHS_SMALL, x, y + i * px(d, LEGEND_ROW), 0, UM_DRAWING_TEXT, legend.rows[i]);
    return true;
}
