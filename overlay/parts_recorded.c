#include "overlay/parts_recorded.h"

#include <math.h>

#define MOST 0.67 /* of the room: a terminal that steers the replay is to be seen beside it */
#define MARGIN 8  /* px at 100 %, from the edges of the room */
#define FARTHEST 1000000. /* px: a recording may say anything */

static bool is_placed(const struct um_cost *cost)
{
    return cost && cost->window != 0 && cost->place.width > 0 && cost->place.height > 0;
}

uint32_t um_parts_recorded_main(const struct um_costs *costs)
{
    uint64_t most = 0;
    uint32_t main = 0;
    for (uint32_t id = 1; id < costs->end; id++) {
        const struct um_cost *cost = um_costs_get(costs, id);
        if (!is_placed(cost) || cost->parent != 0)
            continue;
        uint64_t area = (uint64_t)cost->place.width * cost->place.height;
        if (area > most)
            main = id;
        most = area > most ? area : most;
    }
    return main;
}

static int to_px(double px)
{
    return (int)lround(fmax(-FARTHEST, fmin(FARTHEST, px)));
}

struct um_canvas_rect um_parts_recorded_fit(const struct um_costs *costs,
                                            const struct um_canvas_rect *room, double scale)
{
    const struct um_cost *main = um_costs_get(costs, um_parts_recorded_main(costs));
    struct um_canvas_rect sketch = {room->x, room->y, 0, 0};
    int margin = to_px(MARGIN * scale);
    if (!main || room->width <= 2 * margin || room->height <= 2 * margin)
        return sketch;
    double smaller = fmin(
        1, fmin(MOST * room->width / main->place.width, MOST * room->height / main->place.height));
    sketch.width = to_px(fmax(1, main->place.width * smaller));
    sketch.height = to_px(fmax(1, main->place.height * smaller));
    sketch.x += room->width - margin - sketch.width;
    sketch.y += room->height - margin - sketch.height;
    return sketch;
}

/* Whether an item is the main window's, or lies within that. Parents come first. */
static bool is_within(const struct um_choice_item *items, size_t count,
                      const struct um_choice_item *item, uint32_t main)
{
    const struct um_choice_item *parent = um_choice_find(items, count, item->parent);
    return item->id == main || (parent && parent->seen);
}

/* A recorded place on the sketch. */
static struct um_canvas_rect on_sketch(const struct um_wire_layout_place *place, double smaller_x,
                                       double smaller_y)
{
    int left = to_px(place->left * smaller_x), top = to_px(place->top * smaller_y);
    int right = to_px(((double)place->left + place->width) * smaller_x);
    int bottom = to_px(((double)place->top + place->height) * smaller_y);
    return (struct um_canvas_rect){left, top, right - left, bottom - top};
}

void um_parts_recorded_look(const struct um_costs *costs, const struct um_canvas_rect *bounds,
                            struct um_choice_item *items, size_t count,
                            struct um_choice_windows *windows)
{
    const struct um_canvas_rect whole = {0, 0, bounds->width, bounds->height};
    uint32_t id = um_parts_recorded_main(costs);
    const struct um_cost *main = um_costs_get(costs, id);

    windows->count = 0;
    for (size_t i = 0; i < count; i++)
        items[i].seen = false;
    if (!main)
        return;
    windows->list[windows->count++] = whole;
    for (size_t i = 0; i < count; i++) {
        const struct um_cost *cost = um_costs_get(costs, items[i].id);
        if (!is_placed(cost) || !is_within(items, count, &items[i], id))
            continue;
        const struct um_choice_item *parent = um_choice_find(items, count, items[i].parent);
        struct um_canvas_rect rect =
            on_sketch(&cost->place, (double)whole.width / main->place.width,
                      (double)whole.height / main->place.height);
        items[i].rect = parent ? um_canvas_cut(&rect, &parent->rect) : whole;
        items[i].depth = 0;
        items[i].seen = items[i].rect.width > 0 && items[i].rect.height > 0;
    }
}

/* In how many others a component lies. */
static size_t depth_of(const struct um_choice_item *items, size_t count,
                       const struct um_choice_item *item)
{
    const struct um_choice_item *around = um_choice_find(items, count, item->parent);
    size_t depth = 0;
    for (; around && depth < count; depth++)
        around = um_choice_find(items, count, around->parent);
    return depth;
}

uint32_t um_parts_recorded_hover(const struct um_choice_item *items, size_t count, int x, int y)
{
    const struct um_canvas_rect point = {x, y, 1, 1};
    size_t deepest = 0;
    uint32_t id = 0;
    for (size_t i = 0; i < count; i++) {
        if (!items[i].seen || items[i].window == 0 || !um_canvas_overlap(&items[i].rect, &point))
            continue;
        size_t depth = depth_of(items, count, &items[i]);
        if (depth >= deepest)
            id = items[i].id;
        deepest = depth > deepest ? depth : deepest;
    }
    return id;
}
