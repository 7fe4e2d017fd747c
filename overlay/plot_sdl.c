#include "overlay/plot_sdl.h"

#include <stdio.h>

#define FULL_SCALE_NS UINT64_C(200000000)
#define SLICES_PER_TICK 50 /* a tick every 5 s */

/* The right edge of the plot with its axis. */
static int right_of(const struct um_drawing *d)
{
    return d->block.x - d->readings.width;
}

void um_plot_lay_out(struct um_drawing *d)
{
    int height = d->canvas.height;
    int gutter = 0, foot = 0, right;

    d->axis =
        d->detail != UM_DRAWING_PLOT_ALONE && height >= px(d, 64) && right_of(d) >= px(d, 160);
    if (d->axis)
        gutter = px(d, 30);
    if (d->axis && height >= px(d, 96))
        foot = height_of(d, UM_GLYPHS_SMALL);
    d->head = d->detail != UM_DRAWING_PLOT_ALONE && height >= px(d, 48) ? px(d, 17) : px(d, 2);
    right = right_of(d) - gutter;
    d->plot = (struct um_canvas_rect){0, d->head, right, height - d->head - foot - px(d, 2)};
    d->step = px(d, 4);
    d->column_width = d->step - px(d, 1) > 0 ? d->step - px(d, 1) : 1;
    d->shown = d->plot.width > 0 ? d->plot.width / d->step + 1 : 0;
    if ((uint32_t)d->shown > d->view->columns)
        d->shown = (int)d->view->columns;
    d->full_ns =
        d->view->threshold_ns > FULL_SCALE_NS / 2 ? d->view->threshold_ns * 2 : FULL_SCALE_NS;
}

static int plot_bottom(const struct um_drawing *d)
{
    return d->plot.y + d->plot.height;
}

/* The y coordinate of the top of a column of this lag. */
static int row_of(const struct um_drawing *d, uint64_t lag_ns)
{
    double part = (double)lag_ns / (double)d->full_ns;
    return plot_bottom(d) - (int)lround(fmin(part, 1) * d->plot.height);
}

/* The left edge of column `i`; 0 is the newest. */
static int column_x(const struct um_drawing *d, int i)
{
    return d->plot.x + d->plot.width - (i + 1) * d->step + (d->step - d->column_width);
}

/* The ground ----------------------------------------------------------------------------------- */

static void draw_ground(const struct um_drawing *d)
{
    int width = d->canvas.width;
    int graph_right = right_of(d);
    int danger = row_of(d, d->view->threshold_ns);

    fill(d, 0, 0, width, d->canvas.height, d->back);
    for (int y = 0; y < danger; y++) {
        unsigned weight = 12 + (unsigned)(26 * (danger - y) / danger);
        fill(d, 0, y, graph_right, 1, um_paint_over(d->back, UM_DRAWING_RED, weight));
    }
    tint(d, 0, plot_bottom(d), d->plot.width, 1, UM_DRAWING_WHITE, 46);
    tint(d, 0, 0, width, 1, UM_DRAWING_WHITE, 30);
}

static void draw_level(const struct um_drawing *d, uint64_t level_ns)
{
    bool limit = level_ns == d->view->threshold_ns;
    int y = row_of(d, level_ns);
    int line = px(d, 1);
    uint32_t rgb = limit ? UM_DRAWING_RED : UM_DRAWING_WHITE;
    char label[UM_TEXT_BYTES];

    tint(d, 0, y - line / 2, d->plot.width, line, rgb, limit ? 150 : 34);
    if (!d->axis)
        return;
    um_text_level(level_ns, label);
    text(d, UM_GLYPHS_SMALL, d->plot.width + px(d, 5), y - height_of(d, UM_GLYPHS_SMALL) / 2, 0,
         limit ? UM_DRAWING_RED : UM_DRAWING_DIM, label);
}

static void draw_levels(const struct um_drawing *d)
{
    uint64_t threshold_ns = d->view->threshold_ns;

    for (uint64_t quarter = 1; quarter <= 3; quarter++)
        draw_level(d, d->full_ns * quarter / 4);
    if (threshold_ns != d->full_ns / 4 && threshold_ns != d->full_ns / 2)
        draw_level(d, threshold_ns);
    if (d->axis)
        text(d, UM_GLYPHS_SMALL, d->plot.width + px(d, 5),
             plot_bottom(d) - ascent_of(d, UM_GLYPHS_SMALL), 0, UM_DRAWING_DIM, "ms");
}

static void draw_ticks(const struct um_drawing *d)
{
    int y = plot_bottom(d) + px(d, 1);

    if (d->canvas.height - y < height_of(d, UM_GLYPHS_SMALL) - px(d, 1))
        return;
    for (int i = SLICES_PER_TICK; i < d->shown; i += SLICES_PER_TICK) {
        int x = d->plot.width - i * d->step;
        char label[UM_TEXT_BYTES];
        snprintf(label, sizeof label, "−%d s", i / 10);
        tint(d, x, d->plot.y, px(d, 1), d->plot.height, UM_DRAWING_WHITE, 26);
        if (x > width_of(d, UM_GLYPHS_SMALL, label) / 2)
            text(d, UM_GLYPHS_SMALL, x - width_of(d, UM_GLYPHS_SMALL, label) / 2, y, 0,
                 UM_DRAWING_DIM, label);
    }
}

/* Columns -------------------------------------------------------------------------------------- */

static uint32_t column_rgb(const struct um_drawing *d, const struct um_model_column *column)
{
    if (um_wire_state_is_freeze(column->state) || column->state == UM_STATE_OWN_BEAT)
        return um_drawing_state_rgb((enum um_state)column->state);
    return um_drawing_lag_rgb(d, column->worst_ns);
}

/* Cuts gaps into a starved column, so that it differs from a frozen one also without colour. */
static void cut_column(const struct um_drawing *d, int x, int top)
{
    int gap = px(d, 2);

    for (int y = plot_bottom(d) - 3 * gap; y > top + gap; y -= 3 * gap)
        tint(d, x, y, d->column_width, gap, UM_DRAWING_BACK, 200);
}

static void draw_column(const struct um_drawing *d, int i)
{
    const struct um_model_column *column = &d->view->column[i];
    int x = column_x(d, i);
    int top = row_of(d, column->worst_ns);
    int floor_top = plot_bottom(d) - px(d, 2);
    bool beyond = column->worst_ns > d->full_ns;
    uint32_t rgb = column_rgb(d, column);
    uint32_t body = um_paint_mix(rgb, UM_DRAWING_BACK, 40);

    top = top < floor_top ? top : floor_top;
    if (beyond)
        top = d->plot.y - px(d, 2);
    if (i == 0)
        body = um_paint_mix(rgb, UM_DRAWING_WHITE, 50);
    fill(d, x, top, d->column_width, plot_bottom(d) - top, body | 0xff000000);
    if (column->state == UM_STATE_STARVED)
        cut_column(d, x, top);
    fill(d, x, top, d->column_width, px(d, beyond ? 2 : 1),
         (beyond ? um_paint_mix(rgb, UM_DRAWING_WHITE, 190)
                 : um_paint_mix(rgb, UM_DRAWING_WHITE, 60)) |
             0xff000000);
}

/* Draws a dot at the bottom of a column of which nothing is known. */
static void draw_unknown(const struct um_drawing *d, int i)
{
    tint(d, column_x(d, i), plot_bottom(d) - px(d, 1), px(d, 1), px(d, 1), UM_DRAWING_WHITE, 120);
}

/* A run is several neighbouring columns of one state. Returns one past the run's last column. */
static int run_end(const struct um_drawing *d, int first)
{
    int end = first + 1;

    while (end < d->shown && d->view->column[end].state == d->view->column[first].state)
        end++;
    return end;
}

static struct um_canvas_rect run_rect(const struct um_drawing *d, int first, int end)
{
    int left = column_x(d, end - 1);
    int right = column_x(d, first) + d->column_width;

    left = left > d->plot.x ? left : d->plot.x;
    return (struct um_canvas_rect){left, 0, right - left, plot_bottom(d)};
}

static void draw_run_name(const struct um_drawing *d, struct um_canvas_rect rect, const char *name,
                          uint32_t rgb)
{
    int width = width_of(d, UM_GLYPHS_SMALL, name);
    int height = height_of(d, UM_GLYPHS_SMALL);
    int pad = px(d, 3);
    int x = rect.x + (rect.width - width) / 2;
    int y = d->plot.y + (d->plot.height - height) / 2;

    if (rect.width < width + 4 * pad)
        return;
    tint(d, x - pad, y, width + 2 * pad, height, UM_DRAWING_BACK, 215);
    text(d, UM_GLYPHS_SMALL, x, y, 0, rgb, name);
}

static void draw_hatched_run(const struct um_drawing *d, int first, int end)
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
    um_paint_tint(&d->canvas, rect, um_drawing_state_rgb(state), look[state].ground);
    um_paint_hatch(&d->canvas, rect, look[state].pattern, px(d, look[state].cell), px(d, 1.4),
                   phase, um_drawing_state_rgb(state), look[state].weight);
    draw_run_name(d, rect, um_wire_state_name(state), um_drawing_state_rgb(state));
}

static void draw_runs(const struct um_drawing *d)
{
    for (int i = 0, end; i < d->shown; i = end) {
        uint8_t state = d->view->column[i].state;
        end = run_end(d, i);
        if (um_drawing_is_hatched(state))
            draw_hatched_run(d, i, end);
        else if (um_wire_state_is_freeze(state))
            um_paint_tint(&d->canvas, run_rect(d, i, end),
                          um_drawing_state_rgb((enum um_state)state), 44);
    }
}

static void draw_columns(const struct um_drawing *d)
{
    for (int i = 0; i < d->shown; i++) {
        const struct um_model_column *column = &d->view->column[i];
        if (um_drawing_is_hatched(column->state))
            continue;
        if (column->measured)
            draw_column(d, i);
        else
            draw_unknown(d, i);
    }
}

/* Draws the user's marks: a line through the plot with a small flag at its top. */
static void draw_marks(const struct um_drawing *d)
{
    for (int i = 0; i < d->shown; i++) {
        int x = column_x(d, i) + d->column_width / 2;
        if (!d->view->column[i].marked)
            continue;
        tint(d, x, d->plot.y, px(d, 1), d->plot.height, UM_DRAWING_WHITE, 190);
        fill(d, x, d->plot.y, px(d, 6), px(d, 4), UM_DRAWING_WHITE | 0xff000000);
    }
}

/* Lengths of freezes --------------------------------------------------------------------------- */

struct label {
    int x;
    int width;
    char words[UM_TEXT_BYTES];
};

/* Whether a label must go below the title, into the plot. */
static bool is_below_title(const struct um_drawing *d, const struct label *label)
{
    return label->x - px(d, 2) < d->title.x + d->title.width;
}

/* Draws a label above the plot, or below the title if that is in the way. */
static void draw_label(const struct um_drawing *d, const struct label *label)
{
    int height = height_of(d, UM_GLYPHS_SMALL);
    int pad = px(d, 2);
    int title_bottom = d->title.y + d->title.height;
    int y = is_below_title(d, label) ? title_bottom + px(d, 2) : px(d, 2);

    tint(d, label->x - pad, y, label->width + 2 * pad, height, UM_DRAWING_BACK, 200);
    text(d, UM_GLYPHS_SMALL, label->x, y, 0, UM_DRAWING_WHITE, label->words);
}

static bool leaves_scale(const struct um_drawing *d, int i)
{
    const struct um_model_column *column = &d->view->column[i];
    return column->measured && !um_drawing_is_hatched(column->state) &&
           column->worst_ns > d->full_ns;
}

/* Narrows columns down to those between the first and the last one that leave the scale. False, and
 * they stay as they are: none does. */
static bool narrow_to_cut(const struct um_drawing *d, int *newest, int *oldest)
{
    int first = *newest, last = *oldest;

    while (first <= last && !leaves_scale(d, first))
        first++;
    while (last > first && !leaves_scale(d, last))
        last--;
    if (first > last)
        return false;
    *newest = first;
    *oldest = last;
    return true;
}

/* Makes the label of a freeze, over the middle of its columns. False: it gets none, because it is
 * not in the picture, or could be read from the scale and the label would lie on its columns. */
static bool make_label(const struct um_drawing *d, const struct um_model_freeze *freeze,
                       struct label *label)
{
    int newest = (int)freeze->newest, oldest = (int)freeze->oldest;

    if (newest >= d->shown)
        return false;
    oldest = oldest < d->shown ? oldest : d->shown - 1;
    bool high = narrow_to_cut(d, &newest, &oldest) || freeze->length_ns > d->full_ns;
    int right = column_x(d, newest) + d->column_width;
    int left = column_x(d, oldest);
    um_text_label(freeze->length_ns, label->words);
    label->width = width_of(d, UM_GLYPHS_SMALL, label->words);
    label->x = (left + right - label->width) / 2;
    if (label->x + label->width + px(d, 3) > d->plot.width)
        label->x = d->plot.width - label->width - px(d, 3);
    if (label->x < px(d, 3))
        label->x = px(d, 3);
    return high || (d->head >= height_of(d, UM_GLYPHS_SMALL) && !is_below_title(d, label));
}

/* Whether a label keeps away from those that are there. */
static bool has_room(const struct um_drawing *d, const struct label *label,
                     const struct um_canvas_rect *taken, int count)
{
    for (int i = 0; i < count; i++)
        if (label->x < taken[i].x + taken[i].width + px(d, 6) &&
            taken[i].x < label->x + label->width + px(d, 6))
            return false;
    return true;
}

/* Labels each freeze once with its own length, the longest first. One that would touch a label that
 * is there already gets none. */
static void draw_labels(const struct um_drawing *d)
{
    struct um_canvas_rect taken[UM_MODEL_EPISODES];
    int count = 0;

    for (uint32_t i = 0; i < d->view->freezes; i++) {
        struct label label;
        if (!make_label(d, &d->view->freeze[i], &label) || !has_room(d, &label, taken, count))
            continue;
        draw_label(d, &label);
        taken[count++] = (struct um_canvas_rect){.x = label.x, .width = label.width};
    }
}

/* Draws the caption; if there is no block, the lag or the state instead. */
static void draw_title(struct um_drawing *d)
{
    const char *title = d->view->caption;
    uint32_t rgb = UM_DRAWING_TEXT;
    int height = height_of(d, UM_GLYPHS_STRONG);
    int x = px(d, 8), y = px(d, 2), pad = px(d, 4);
    char number[2 * UM_TEXT_BYTES];

    if (d->detail == UM_DRAWING_NO_BLOCK) {
        uint32_t lag_rgb;
        title = um_drawing_status_word(d);
        rgb = um_drawing_status_rgb(d);
        if (d->view->has_lag)
            title = um_drawing_lag_words(d, "last freeze", number, &lag_rgb);
        if (d->view->lag_is_past)
            rgb = lag_rgb;
    }
    if (title[0] == '\0' || d->head < px(d, 10) || d->plot.width < px(d, 40))
        return;
    int width = width_of(d, UM_GLYPHS_STRONG, title);
    if (width > d->plot.width - 2 * x)
        width = d->plot.width - 2 * x;
    d->title = (struct um_canvas_rect){x - pad, y, width + 2 * pad, height};
    um_paint_tint(&d->canvas, d->title, UM_DRAWING_BACK, 200);
    text(d, UM_GLYPHS_STRONG, x, y, width, rgb, title);
}

void um_plot_draw(struct um_drawing *d)
{
    draw_ground(d);
    if (d->plot.width <= 0 || d->plot.height <= 0)
        return;
    draw_levels(d);
    draw_ticks(d);
    draw_runs(d);
    draw_columns(d);
    draw_marks(d);
    draw_title(d);
    draw_labels(d);
}

enum um_status um_plot_draw_part(const struct um_drawing *d, struct um_canvas_rect part)
{
    struct um_drawing inner;

    if (part.width <= 0 || part.height <= 0)
        return UM_OK;
    if (um_drawing_part(d, part, &inner) != UM_OK)
        return UM_ERR_MEMORY;
    inner.block = (struct um_canvas_rect){part.width, 0, 0, part.height};
    inner.readings = (struct um_canvas_rect){0};
    inner.detail = UM_DRAWING_PLOT_ALONE;
    um_plot_lay_out(&inner);
    um_plot_draw(&inner);
    SDL_FreeSurface(inner.surface);
    return UM_OK;
}
