#include <criterion/criterion.h>

#include "overlay/canvas.h"
#include "overlay/paint.h"

static uint32_t shown_pixels[20 * 10];
static uint32_t drawn_pixels[20 * 10];
static const struct um_canvas shown = {shown_pixels, 20, 10, 20};
static const struct um_canvas drawn = {drawn_pixels, 20, 10, 20};

Test(canvas, finds_no_change_between_equal_pictures)
{
    struct um_canvas_rect rect;

    cr_expect_not(um_canvas_update(&shown, &drawn, &rect));
}

Test(canvas, encloses_all_changes_and_copies_them)
{
    struct um_canvas_rect rect = {0};

    drawn_pixels[3 * 20 + 5] = 1;
    drawn_pixels[7 * 20 + 11] = 2;
    cr_expect(um_canvas_update(&shown, &drawn, &rect));
    cr_expect_eq(rect.x, 5);
    cr_expect_eq(rect.y, 3);
    cr_expect_eq(rect.width, 7);
    cr_expect_eq(rect.height, 5);
    cr_expect_eq(shown_pixels[7 * 20 + 11], 2);
    cr_expect_not(um_canvas_update(&shown, &drawn, &rect));
}

Test(canvas, paint_keeps_pixels_premultiplied)
{
    for (unsigned weight = 0; weight <= UM_PAINT_OPAQUE; weight += 16) {
        uint32_t pixel = um_paint_over(um_paint_over(0, 0x102030, weight), 0xffffff, 100);
        uint32_t alpha = pixel >> 24;
        cr_expect_leq(pixel >> 16 & 0xff, alpha);
        cr_expect_leq(pixel >> 8 & 0xff, alpha);
        cr_expect_leq(pixel & 0xff, alpha);
    }
}

Test(canvas, paint_stays_inside)
{
    struct um_canvas inner = {drawn_pixels + 20 * 2 + 2, 4, 4, 20};

    um_paint_fill(&drawn, (struct um_canvas_rect){0, 0, 20, 10}, 0);
    um_paint_fill(&inner, (struct um_canvas_rect){-5, -5, 50, 50}, 7);
    um_paint_tint(&inner, (struct um_canvas_rect){-5, -5, 50, 50}, 7, 9);
    um_paint_hatch(&inner, (struct um_canvas_rect){-5, -5, 50, 50}, UM_PAINT_DOTS, 3, 1, -7, 7, 9);
    cr_expect_eq(drawn_pixels[20 * 2 + 1], 0);
    cr_expect_eq(drawn_pixels[20 * 2 + 6], 0);
    cr_expect_eq(drawn_pixels[20 * 1 + 2], 0);
    cr_expect_eq(drawn_pixels[20 * 6 + 2], 0);
    cr_expect_neq(drawn_pixels[20 * 5 + 5], 0);
}

Test(canvas, is_made_empty_and_freed)
{
    struct um_canvas canvas;

    cr_assert_eq(um_canvas_make(3, 2, &canvas), UM_OK);
    cr_expect(canvas.width == 3 && canvas.height == 2 && canvas.stride == 3);
    for (int i = 0; i < 6; i++)
        cr_expect_eq(canvas.pixels[i], 0);
    um_canvas_free(&canvas);
    cr_expect_null(canvas.pixels);
    cr_expect_eq(canvas.width, 0);
    um_canvas_free(&canvas);
}
