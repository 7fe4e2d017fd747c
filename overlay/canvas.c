#include "overlay/canvas.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const uint32_t *row_of(const struct um_canvas *canvas, int y)
{
    return canvas->pixels + (ptrdiff_t)y * canvas->stride;
}

/* The first and one past the last column in which two rows differ. */
static bool row_span(const uint32_t *a, const uint32_t *b, int width, int *left, int *right)
{
    int first = 0;
    int last = width;

    if (memcmp(a, b, (size_t)width * sizeof *a) == 0)
        return false;
    while (a[first] == b[first])
        first++;
    while (a[last - 1] == b[last - 1])
        last--;
    *left = first;
    *right = last;
    return true;
}

bool um_canvas_update(const struct um_canvas *to, const struct um_canvas *from,
                      struct um_canvas_rect *changed)
{
    int left = from->width, right = 0, top = -1, bottom = -1;

    assert(to->width == from->width && to->height == from->height);
    for (int y = 0; y < from->height; y++) {
        int row_left, row_right;
        if (!row_span(row_of(from, y), row_of(to, y), from->width, &row_left, &row_right))
            continue;
        memcpy(to->pixels + (ptrdiff_t)y * to->stride + row_left, row_of(from, y) + row_left,
               (size_t)(row_right - row_left) * sizeof(uint32_t));
        top = top < 0 ? y : top;
        bottom = y;
        left = row_left < left ? row_left : left;
        right = row_right > right ? row_right : right;
    }
    if (top < 0)
        return false;
    *changed = (struct um_canvas_rect){left, top, right - left, bottom - top + 1};
    return true;
}
