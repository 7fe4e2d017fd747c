#include "overlay/readings_sdl.h"

#define COLUMN 236    /* px at 100 %: of one column of rows, with its edges */
#define MARGIN 10     /* px at 100 %: at the left and the right of each column */
#define MORE 58       /* px at 100 %: distance of the second number's end from the right */
#define MORE_NAMED 92 /* the same if the first number has a name */
#define MIN_PLOT 150  /* px at 100 %: the least width of the plot */
#define GOOD_ROW 16   /* px at 100 %: if rows would be lower, there is a second column */
#define MIN_ROW 14    /* px at 100 %: the least height, if there is no room for that column */
#define MAX_ROW 20

uint32_t um_readings_rgb(const struct um_drawing *d, const struct um_readings_row *reading,
                         const struct um_readings_pair *pair)
{
    if (reading->alarm)
        return UM_DRAWING_WHITE;
    if (!pair->measured)
        return UM_DRAWING_DIM;
    return um_drawing_number_rgb(d, pair->lag_ns);
}

/* How many rows of this height fit below each other in the strip. */
static int rows_that_fit(const struct um_drawing *d, int row)
{
    int fit = (d->canvas.height - 2 * px(d, 4)) / px(d, row);
    return fit > 1 ? fit : 1;
}

void um_readings_lay_out(struct um_drawing *d)
{
    int rows = d->rows ? d->rows->count : 0, fit = rows_that_fit(d, GOOD_ROW);
    int columns = (rows + fit - 1) / fit;

    while (columns > 0 && d->block.x - columns * px(d, COLUMN) < px(d, MIN_PLOT))
        columns--;
    int width = columns * px(d, COLUMN);
    d->readings = (struct um_canvas_rect){d->block.x - width, 0, width, d->canvas.height};
    d->reading_columns = columns;
}

/* Draws a pair so that it ends at `right`, and returns where it begins. */
static int draw_pair(const struct um_drawing *d, const struct um_readings_row *reading,
                     const struct um_readings_pair *pair, int right, int y)
{
    uint32_t dim = reading->alarm ? UM_DRAWING_TEXT : UM_DRAWING_DIM;
    return um_drawing_pair(d, right, y, pair->name, pair->number, um_readings_rgb(d, reading, pair),
                           dim);
}

static int pair_width(const struct um_drawing *d, const struct um_readings_pair *pair)
{
    int width = width_of(d, UM_GLYPHS_PLAIN, pair->number);
    return pair->name[0] ? width + width_of(d, UM_GLYPHS_PLAIN, pair->name) + px(d, 4) : width;
}

static void draw_reading(const struct um_drawing *d, struct um_canvas_rect rect,
                         enum um_overlay_row row)
{
    struct um_readings_row reading;
    int x = rect.x + px(d, MARGIN), right = rect.x + rect.width - px(d, MARGIN);
    int y = rect.y + (rect.height - height_of(d, UM_GLYPHS_PLAIN)) / 2;

    um_readings_make(d->view, row, &reading);
    if (reading.alarm)
        tint(d, rect.x + px(d, 4), rect.y + px(d, 0.5), rect.width - 2 * px(d, 4),
             rect.height - px(d, 1), UM_DRAWING_ALARM, 168);
    int end = draw_pair(d, &reading, &reading.main, right, y) - px(d, 8);
    int label = width_of(d, UM_GLYPHS_PLAIN, reading.label);
    if (reading.more.number[0] != '\0') {
        int more = right - px(d, reading.main.name[0] != '\0' ? MORE_NAMED : MORE);
        more = more < end ? more : end;
        if (more - pair_width(d, &reading.more) < x + label + px(d, 6))
            more = end; /* no room for the second number in a column of its own */
        if (more - pair_width(d, &reading.more) >= x + label + px(d, 4))
            end = draw_pair(d, &reading, &reading.more, more, y) - px(d, 4);
    }
    text(d, UM_GLYPHS_PLAIN, x, y, end - x > 0 ? end - x : 1,
         reading.alarm ? UM_DRAWING_WHITE : UM_DRAWING_DIM, reading.label);
}

void um_readings_draw_list(const struct um_drawing *d, struct um_canvas_rect part, int first,
                           int row)
{
    for (int i = first; i < d->rows->count && (i - first + 1) * row <= part.height; i++)
        draw_reading(d,
                     (struct um_canvas_rect){part.x, part.y + (i - first) * row, part.width, row},
                     d->rows->row[i]);
}

void um_readings_draw(const struct um_drawing *d)
{
    int columns = d->reading_columns, fit = rows_that_fit(d, MIN_ROW);

    if (columns == 0)
        return;
    int each = (d->rows->count + columns - 1) / columns;
    each = each < fit ? each : fit;
    int row = (d->canvas.height - 2 * px(d, 4)) / each;
    row = row < px(d, MAX_ROW) ? row : px(d, MAX_ROW);
    int top = (d->canvas.height - each * row) / 2;
    um_paint_tint(&d->canvas, d->readings, UM_DRAWING_BACK, 130);
    for (int i = 0; i < columns; i++) {
        int x = d->readings.x + i * (d->readings.width / columns);
        struct um_canvas_rect edge = {x, 0, px(d, 1), d->canvas.height};
        um_paint_tint(&d->canvas, edge, UM_DRAWING_WHITE, 46);
        um_readings_draw_list(
            d, (struct um_canvas_rect){x, top, d->readings.width / columns, each * row}, i * each,
            row);
    }
}
