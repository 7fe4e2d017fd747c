/* A picture in memory: premultiplied ARGB, 32 bits a pixel (0xAARRGGBB), top row first.
 *
 * The graph draws into one and the strip shows it. Neither knows the other. Portable.
 */
#ifndef UM_OVERLAY_CANVAS_H
#define UM_OVERLAY_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

struct um_canvas {
    uint32_t *pixels;
    int width;
    int height;
    int stride; /* pixels from one row to the next */
};

struct um_canvas_rect {
    int x;
    int y;
    int width;
    int height;
};

/* Copies `from` over `to`, which has the same size, and finds the smallest rectangle that encloses
 * every pixel that changed. Returns false if there is none. */
bool um_canvas_update(const struct um_canvas *to, const struct um_canvas *from,
                      struct um_canvas_rect *changed);

#endif
