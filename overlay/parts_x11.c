/* There is no sheet on X11 (sheet_x11.c), so nobody looks for parts of windows. */
#include "overlay/parts.h"

bool um_parts_bounds(uint64_t target, struct um_canvas_rect *bounds)
{
    (void)target, (void)bounds;
    return false;
}

bool um_parts_look(uint64_t target, const struct um_canvas_rect *bounds,
                   struct um_choice_item *items, size_t count, struct um_choice_windows *windows)
{
    (void)target, (void)bounds;
    for (size_t i = 0; i < count; i++)
        items[i].seen = false;
    windows->count = 0;
    return false;
}

int um_parts_heads(const struct um_choice_item *item)
{
    (void)item;
    return 0;
}

void um_parts_siblings(const struct um_canvas_rect *bounds, const struct um_choice_item *item,
                       struct um_siblings *siblings)
{
    (void)bounds, (void)item;
    *siblings = (struct um_siblings){0};
}

uint32_t um_parts_hover(const struct um_canvas_rect *bounds, const struct um_choice_item *items,
                        size_t count, const struct um_choice_windows *windows)
{
    (void)bounds, (void)items, (void)count, (void)windows;
    return 0;
}

bool um_parts_cursor(int *x, int *y)
{
    (void)x, (void)y;
    return false;
}
