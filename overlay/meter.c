#include "overlay/meter.h"

#include <math.h>

#define MOVES 64 /* before a place is given up */
#define LAYERS 8 /* of inner parts within each other, of which as few as can be are covered */

static enum um_meter_level level_of(double value, const double *most)
{
    enum um_meter_level level = UM_METER_GREEN;
    while (level < UM_METER_RED && value > most[level])
        level++;
    return level;
}

enum um_meter_level um_meter_level_of_ms(double ms)
{
    static const double most[] = {2, 8, 16};
    return level_of(ms, most);
}

enum um_meter_level um_meter_level_of_ratio(double ratio)
{
    static const double most[] = {3, 8, 20};
    return level_of(ratio, most);
}

uint32_t um_meter_rgb(enum um_meter_level level)
{
    static const uint32_t rgb[UM_METER_LEVELS] = {0x3ddc84, 0xffd54a, 0xff9a3c, 0xff4a4d};
    return rgb[level];
}

double um_meter_ratio(uint32_t authored, uint32_t rendered)
{
    return (double)rendered / (authored > 0 ? authored : 1);
}

double um_meter_fill_of_ms(double ms)
{
    return fmin(fmax(ms / UM_METER_FULL_MS, 0), 1);
}

double um_meter_fill_of_count(uint32_t count)
{
    return fmin(log(count + 1.0) / log(UM_METER_FULL_COUNT + 1.0), 1);
}

int um_meter_width(bool bars)
{
    return bars ? UM_METER_BARS : UM_METER_SPARKLINE;
}

bool um_meter_place(const struct um_canvas_rect *component, double scale, bool bars,
                    struct um_canvas_rect *box)
{
    int fit = (int)lround(UM_METER_FIT * scale), inset = (int)lround(UM_METER_INSET * scale);
    if (component->width < fit || component->height < fit)
        return false;
    box->width = (int)lround(um_meter_width(bars) * scale);
    if (box->width > component->width - 2 * inset)
        box->width = component->width - 2 * inset;
    box->height = (int)lround(UM_METER_HEIGHT * scale);
    box->x = component->x + component->width - inset - box->width;
    box->y = component->y + inset;
    return true;
}

int um_meter_name_width(const struct um_canvas_rect *component, double scale,
                        const struct um_canvas_rect *box, int wanted)
{
    int room = box->x - component->x - (int)lround(UM_METER_INSET * scale);
    int most = (int)lround(UM_METER_NAME * scale);
    int width = wanted < most ? wanted : most;
    if (width <= room)
        return width;
    return room >= (int)lround(UM_METER_NAME_LEAST * scale) ? room : 0;
}

/* What a box must leave: one of the taken places, or the innermost part if the box lies over more
 * than so many. NULL: nothing. */
static const struct um_canvas_rect *in_the_way(const struct um_meter_others *others, size_t most,
                                               const struct um_canvas_rect *box)
{
    const struct um_canvas_rect *innermost = NULL;
    size_t count = 0;
    for (size_t i = 0; i < others->taken_count; i++)
        if (um_canvas_overlap(&others->taken[i], box))
            return &others->taken[i];
    for (size_t i = 0; i < others->inner_count; i++)
        if (um_canvas_overlap(&others->inner[i], box)) {
            innermost = &others->inner[i];
            count++;
        }
    return count > most ? innermost : NULL;
}

/* Looks for a place over at most so many of the inner parts. Each move goes below what is in the
 * way or, at the lower end, to the left of what was nearest. */
static bool find_place(const struct um_canvas_rect *component, int gap,
                       const struct um_meter_others *others, size_t most,
                       struct um_canvas_rect *box)
{
    const struct um_canvas_rect *other;
    const int top = box->y;
    int next = component->x - 1;
    for (int moves = 0; moves < MOVES && (other = in_the_way(others, most, box)); moves++) {
        int left = other->x - gap - box->width;
        next = left > next ? left : next;
        box->y = other->y + other->height + gap;
        if (box->y + box->height <= component->y + component->height)
            continue;
        if (next < component->x)
            return false;
        box->x = next;
        box->y = top;
        next = component->x - 1;
    }
    return !in_the_way(others, most, box);
}

bool um_meter_avoid(const struct um_canvas_rect *component, double scale,
                    const struct um_meter_others *others, struct um_canvas_rect *box)
{
    const int gap = (int)lround(UM_METER_GAP * scale);
    for (size_t most = 0; most <= others->inner_count; most++) {
        struct um_canvas_rect moved = *box;
        size_t over = most < LAYERS ? most : others->inner_count;
        if (find_place(component, gap, others, over, &moved)) {
            *box = moved;
            return true;
        }
        if (over == others->inner_count)
            break;
    }
    return false;
}
