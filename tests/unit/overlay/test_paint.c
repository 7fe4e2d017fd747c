#include "overlay/paint.h"

#include <criterion/criterion.h>

#define SIDE 20
#define RADIUS 8

static uint32_t pixels[SIDE * SIDE];

static struct um_canvas filled(void)
{
    struct um_canvas canvas = {pixels, SIDE, SIDE, SIDE};
    um_paint_fill(&canvas, (struct um_canvas_rect){0, 0, SIDE, SIDE}, 0xc0402010);
    return canvas;
}

static uint32_t at(int x, int y)
{
    return pixels[y * SIDE + x];
}

Test(paint, rounds_the_corners_that_it_is_asked_to)
{
    static const struct {
        unsigned corner;
        int x, y;
    } corners[] = {{UM_PAINT_TOP_LEFT, 0, 0},
                   {UM_PAINT_TOP_RIGHT, SIDE - 1, 0},
                   {UM_PAINT_BOTTOM_LEFT, 0, SIDE - 1},
                   {UM_PAINT_BOTTOM_RIGHT, SIDE - 1, SIDE - 1}};
    for (unsigned asked = 0; asked <= UM_PAINT_ALL_CORNERS; asked++) {
        struct um_canvas canvas = filled();
        um_paint_round(&canvas, RADIUS, asked);
        for (size_t i = 0; i < 4; i++)
            cr_expect_eq(at(corners[i].x, corners[i].y), asked & corners[i].corner ? 0 : 0xc0402010,
                         "corner %zu of %u", i, asked);
    }
}

/* Nothing is left whose nearest point is outside of the circle, nothing is lost that is wholly
 * inside, and what is between keeps the colours of a premultiplied pixel. */
Test(paint, leaves_what_is_inside_the_circle)
{
    struct um_canvas canvas = filled();
    um_paint_round(&canvas, RADIUS, UM_PAINT_ALL_CORNERS);
    for (int y = 0; y < RADIUS; y++) {
        for (int x = 0; x < RADIUS; x++) {
            int near_x = RADIUS - 1 - x, near_y = RADIUS - 1 - y;
            int far_x = RADIUS - x, far_y = RADIUS - y;
            uint32_t pixel = at(x, y);
            if (near_x * near_x + near_y * near_y >= RADIUS * RADIUS)
                cr_expect_lt(pixel >> 24, 0x30, "%d, %d is outside", x, y);
            if (far_x * far_x + far_y * far_y <= RADIUS * RADIUS)
                cr_expect_gt(pixel >> 24, 0x90, "%d, %d is inside", x, y);
            cr_expect((pixel & 0xff) <= pixel >> 24 && (pixel >> 16 & 0xff) <= pixel >> 24);
            cr_expect_eq(pixel, at(SIDE - 1 - x, SIDE - 1 - y));
        }
    }
    cr_expect_eq(at(SIDE / 2, 0), 0xc0402010);
}

Test(paint, rounds_a_canvas_that_is_smaller_than_the_radius)
{
    struct um_canvas canvas = {pixels, 3, 2, 3};
    for (int i = 0; i < 7; i++)
        pixels[i] = 0xffffffff;
    um_paint_round(&canvas, RADIUS, UM_PAINT_ALL_CORNERS);
    cr_expect_eq(pixels[6], 0xffffffff);
}
