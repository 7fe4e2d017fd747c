#include "overlay/canvas.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum um_status um_canvas_make(int width, int height, struct um_canvas *canvas)
{
    *canvas = (struct um_canvas){.width = width, .height = height, .stride = width};
    canvas->pixels = calloc((size_t)width * (size_t)height, sizeof *canvas->pixels);
    if (canvas->pixels)
        return UM_OK;
    *canvas = (struct um_canvas){0};
    return UM_ERR_MEMORY;
}

void um_canvas_free(struct um_canvas *canvas)
{
    free(canvas->pixels);
    *canvas = (struct um_canvas){0};
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
        if (!row_span(um_canvas_row(from, y), um_canvas_row(to, y), from->width, &row_left,
                      &row_right))
            continue;
        memcpy(um_canvas_row(to, y) + row_left, um_canvas_row(from, y) + row_left,
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
