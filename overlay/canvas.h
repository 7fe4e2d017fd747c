/* A picture in memory: premultiplied ARGB, 32 bits a pixel (0xAARRGGBB), top row first. The graph
 * draws into one and the layer shows it. Portable.
 */
#ifndef UM_OVERLAY_CANVAS_H
#define UM_OVERLAY_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

struct um_canvas {
    uint32_t *pixels;
    int width;
    int height;
    int stride; /* pixels from one row to the next */
};

static inline uint32_t *um_canvas_row(const struct um_canvas *canvas, int y)
{
    return canvas->pixels + (ptrdiff_t)y * canvas->stride;
}

struct um_canvas_rect {
    int x;
    int y;
    int width;
    int height;
};

/* Whether two rectangles have a pixel in common. */
static inline bool um_canvas_overlap(const struct um_canvas_rect *a, const struct um_canvas_rect *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

/* What two rectangles have in common; its size is 0 if that is nothing. */
static inline struct um_canvas_rect um_canvas_cut(const struct um_canvas_rect *a,
                                                  const struct um_canvas_rect *b)
{
    int left = a->x > b->x ? a->x : b->x, top = a->y > b->y ? a->y : b->y;
    int right = a->x + a->width < b->x + b->width ? a->x + a->width : b->x + b->width;
    int bottom = a->y + a->height < b->y + b->height ? a->y + a->height : b->y + b->height;
    return (struct um_canvas_rect){left, top, right > left ? right - left : 0,
                                   bottom > top ? bottom - top : 0};
}

/* Makes an empty picture in memory of its own. Units: px; neither is 0. Owner: um_canvas_free.
 * Errors: UM_ERR_MEMORY: `canvas` is zeroed. */
enum um_status um_canvas_make(int width, int height, struct um_canvas *canvas);

/* Releases the memory of um_canvas_make, and zeroes the canvas. Accepts a zeroed one. */
void um_canvas_free(struct um_canvas *canvas);

/* Copies `from` over `to`, which has the same size, and finds the smallest rectangle that encloses
 * every pixel that changed. Returns false if there is none. */
bool um_canvas_update(const struct um_canvas *to, const struct um_canvas *from,
                      struct um_canvas_rect *changed);

#endif
