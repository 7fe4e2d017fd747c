#include "overlay/siblings.h"

#include <stdbool.h>
#include <stdint.h>

static int64_t area_of(const struct um_canvas_rect *rect)
{
    return (int64_t)rect->width * rect->height;
}

static int right_of(const struct um_canvas_rect *rect)
{
    return rect->x + rect->width;
}

static int bottom_of(const struct um_canvas_rect *rect)
{
    return rect->y + rect->height;
}

void um_siblings_add(struct um_siblings *siblings, const struct um_canvas_rect *component,
                     const struct um_canvas_rect *window)
{
    struct um_canvas_rect common = um_canvas_cut(window, component), *to = siblings->list;

    if (area_of(&common) == 0)
        return;
    if (siblings->count < UM_SIBLINGS) {
        siblings->list[siblings->count++] = common;
        return;
    }
    for (size_t i = 1; i < UM_SIBLINGS; i++)
        if (area_of(&siblings->list[i]) < area_of(to))
            to = &siblings->list[i];
    if (area_of(&common) > area_of(to))
        *to = common;
}

/* Takes away what a sibling hides along a whole side; false: nothing. */
static bool cut_side(const struct um_canvas_rect *sibling, struct um_canvas_rect *rect)
{
    struct um_canvas_rect hidden = um_canvas_cut(sibling, rect);
    bool is_wide = hidden.width == rect->width, is_high = hidden.height == rect->height;

    if (area_of(&hidden) == 0 || !(is_wide || is_high))
        return false;
    if (is_wide && hidden.y == rect->y)
        rect->y += hidden.height;
    else if (is_high && hidden.x == rect->x)
        rect->x += hidden.width;
    else if ((is_wide && bottom_of(&hidden) != bottom_of(rect)) ||
             (!is_wide && right_of(&hidden) != right_of(rect)))
        return false; /* it lies in the middle */
    rect->height -= is_wide ? hidden.height : 0;
    rect->width -= is_wide ? 0 : hidden.width;
    return true;
}

struct um_canvas_rect um_siblings_cut(const struct um_siblings *siblings,
                                      struct um_canvas_rect rect)
{
    bool is_cut = true;
    while (is_cut && area_of(&rect) > 0) {
        is_cut = false;
        for (size_t i = 0; i < siblings->count; i++)
            is_cut |= cut_side(&siblings->list[i], &rect);
    }
    if (area_of(&rect) == 0)
        rect.width = rect.height = 0;
    return rect;
}

/* The same as um_siblings_rest, from sibling `next` on. */
static void rest(const struct um_siblings *siblings, size_t next, struct um_canvas_rect rect,
                 um_siblings_piece piece, void *context)
{
    while (next < siblings->count && !um_canvas_overlap(&siblings->list[next], &rect))
        next++;
    if (area_of(&rect) == 0)
        return;
    if (next == siblings->count) {
        piece(context, &rect);
        return;
    }
    struct um_canvas_rect hidden = um_canvas_cut(&siblings->list[next], &rect);
    const struct um_canvas_rect around[] = {
        {rect.x, rect.y, rect.width, hidden.y - rect.y},
        {rect.x, bottom_of(&hidden), rect.width, bottom_of(&rect) - bottom_of(&hidden)},
        {rect.x, hidden.y, hidden.x - rect.x, hidden.height},
        {right_of(&hidden), hidden.y, right_of(&rect) - right_of(&hidden), hidden.height}};
    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++)
        rest(siblings, next + 1, around[i], piece, context);
}

void um_siblings_rest(const struct um_siblings *siblings, struct um_canvas_rect rect,
                      um_siblings_piece piece, void *context)
{
    rest(siblings, 0, rect, piece, context);
}
