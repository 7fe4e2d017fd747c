#include "overlay/paint.h"

#include <math.h>
#include <stdbool.h>

/* Blends two channels at once: each has 16 bits, and 255 * 256 fits into them. */
static uint32_t blend(uint32_t pixel, uint32_t argb, unsigned weight)
{
    uint32_t rest = UM_PAINT_OPAQUE - weight;
    uint32_t low = (pixel & 0xff00ff) * rest + (argb & 0xff00ff) * weight + 0x800080;
    uint32_t high = (pixel >> 8 & 0xff00ff) * rest + (argb >> 8 & 0xff00ff) * weight + 0x800080;

    return (low >> 8 & 0xff00ff) | (high & 0xff00ff00);
}

uint32_t um_paint_over(uint32_t pixel, uint32_t rgb, unsigned weight)
{
    return blend(pixel, rgb | 0xff000000, weight);
}

uint32_t um_paint_mix(uint32_t from, uint32_t to, unsigned weight)
{
    return blend(from, to, weight) & 0xffffff;
}

static bool clip(const struct um_canvas *canvas, struct um_canvas_rect *rect)
{
    const struct um_canvas_rect all = {0, 0, canvas->width, canvas->height};

    *rect = um_canvas_cut(rect, &all);
    return rect->width > 0 && rect->height > 0;
}

void um_paint_fill(const struct um_canvas *canvas, struct um_canvas_rect rect, uint32_t pixel)
{
    if (!clip(canvas, &rect))
        return;
    for (int y = rect.y; y < rect.y + rect.height; y++) {
        uint32_t *row = um_canvas_row(canvas, y) + rect.x;
        for (int x = 0; x < rect.width; x++)
            row[x] = pixel;
    }
}

void um_paint_tint(const struct um_canvas *canvas, struct um_canvas_rect rect, uint32_t rgb,
                   unsigned weight)
{
    if (!clip(canvas, &rect))
        return;
    for (int y = rect.y; y < rect.y + rect.height; y++) {
        uint32_t *row = um_canvas_row(canvas, y) + rect.x;
        for (int x = 0; x < rect.width; x++)
            row[x] = um_paint_over(row[x], rgb, weight);
    }
}

static bool in_pattern(enum um_paint_pattern pattern, int cell, int line, int x, int y)
{
    bool rises = (x + y) % cell < line;

    switch (pattern) {
    case UM_PAINT_LINES:
        return rises;
    case UM_PAINT_CROSSES:
        return rises || (x - y % cell + cell) % cell < line;
    case UM_PAINT_DOTS:
        return (x + y / cell % 2 * (cell / 2)) % cell < line && y % cell < line;
    }
    return false;
}

void um_paint_hatch(const struct um_canvas *canvas, struct um_canvas_rect rect,
                    enum um_paint_pattern pattern, int cell, int line, int phase, uint32_t rgb,
                    unsigned weight)
{
    /* A pattern repeats after each cell, so only the phase within a cell matters. */
    int shift = phase % cell + (phase < 0 ? cell : 0);

    if (!clip(canvas, &rect))
        return;
    for (int y = rect.y; y < rect.y + rect.height; y++) {
        uint32_t *row = um_canvas_row(canvas, y);
        for (int x = rect.x; x < rect.x + rect.width; x++)
            if (in_pattern(pattern, cell, line, x + shift, y))
                row[x] = um_paint_over(row[x], rgb, weight);
    }
}

/* How much of a pixel lies within a circle; `dx` and `dy` lead from the circle's centre to it. */
static unsigned circle_weight(double dx, double dy, double radius)
{
    double inside = radius + 0.5 - sqrt(dx * dx + dy * dy);
    return (unsigned)lround(fmax(0, fmin(inside, 1)) * UM_PAINT_OPAQUE);
}

/* Makes a premultiplied pixel more transparent. */
static void weaken(uint32_t *pixel, unsigned weight)
{
    *pixel = blend(0, *pixel, weight);
}

void um_paint_round(const struct um_canvas *canvas, int radius, unsigned corners)
{
    for (int y = 0; y < radius && y < canvas->height; y++) {
        uint32_t *top = um_canvas_row(canvas, y);
        uint32_t *bottom = um_canvas_row(canvas, canvas->height - 1 - y);
        for (int x = 0; x < radius && x < canvas->width; x++) {
            unsigned weight = circle_weight(radius - x - 0.5, radius - y - 0.5, radius);
            int right = canvas->width - 1 - x;
            if (corners & UM_PAINT_TOP_LEFT)
                weaken(&top[x], weight);
            if (corners & UM_PAINT_TOP_RIGHT)
                weaken(&top[right], weight);
            if (corners & UM_PAINT_BOTTOM_LEFT)
                weaken(&bottom[x], weight);
            if (corners & UM_PAINT_BOTTOM_RIGHT)
                weaken(&bottom[right], weight);
        }
    }
}
