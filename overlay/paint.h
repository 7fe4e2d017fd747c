/* Rectangles, tints and hatchings on a canvas: everything in the graph but text. What lies outside
 * the canvas is clipped.
 *
 * Colours are 0xRRGGBB with a weight of 0 (nothing) to 256 (opaque), blended over the premultiplied
 * pixels that are there. Pure, portable.
 */
#ifndef UM_OVERLAY_PAINT_H
#define UM_OVERLAY_PAINT_H

#include <stdint.h>

#include "overlay/canvas.h"

#define UM_PAINT_OPAQUE 256

/* Patterns that differ without colour: rising lines, rising and falling lines, dots. */
enum um_paint_pattern { UM_PAINT_LINES = 0, UM_PAINT_CROSSES = 1, UM_PAINT_DOTS = 2 };

/* Blends a colour over a premultiplied pixel. */
uint32_t um_paint_over(uint32_t pixel, uint32_t rgb, unsigned weight);

/* A colour between two. Units: `weight` is that of `to`. */
uint32_t um_paint_mix(uint32_t from, uint32_t to, unsigned weight);

/* Sets all pixels of the rectangle to one premultiplied value. */
void um_paint_fill(const struct um_canvas *canvas, struct um_canvas_rect rect, uint32_t pixel);

/* Blends a colour over the rectangle. */
void um_paint_tint(const struct um_canvas *canvas, struct um_canvas_rect rect, uint32_t rgb,
                   unsigned weight);

/* Blends a pattern over the rectangle.
 * Units: `cell` px from one line or dot to the next, `line` px of its thickness; `phase` px by
 * which the pattern has moved to the left. */
void um_paint_hatch(const struct um_canvas *canvas, struct um_canvas_rect rect,
                    enum um_paint_pattern pattern, int cell, int line, int phase, uint32_t rgb,
                    unsigned weight);

/* Corners, for um_paint_round. */
#define UM_PAINT_TOP_LEFT 1
#define UM_PAINT_TOP_RIGHT 2
#define UM_PAINT_BOTTOM_LEFT 4
#define UM_PAINT_BOTTOM_RIGHT 8
#define UM_PAINT_ALL_CORNERS 15

/* Rounds corners of the canvas: what lies outside becomes transparent.
 * Units: `radius` px; `corners` of the four above. */
void um_paint_round(const struct um_canvas *canvas, int radius, unsigned corners);

#endif
