#include "overlay/meter.h"

#include <math.h>

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

/* A box that lies over another one; NULL: there is none. */
static const struct um_canvas_rect *under(const struct um_canvas_rect *others, size_t count,
                                          const struct um_canvas_rect *box)
{
    for (size_t i = 0; i < count; i++)
        if (um_canvas_overlap(&others[i], box))
            return &others[i];
    return NULL;
}

void um_meter_avoid(const struct um_canvas_rect *component, double scale,
                    const struct um_canvas_rect *others, size_t count, struct um_canvas_rect *box)
{
    const int gap = (int)lround(2 * scale), right = box->x;
    const struct um_canvas_rect *other;
    /* Each move passes one of the others, or goes to the next row. */
    for (size_t moves = 0; moves <= 2 * count && (other = under(others, count, box)); moves++) {
        box->x = other->x - gap - box->width;
        if (box->x < component->x) {
            box->x = right;
            box->y += box->height + gap;
        }
    }
}
