/* The geometry and the steps of a meter. Numbers are those of the design document. */
#include <criterion/criterion.h>
#include <math.h>

#include "overlay/meter.h"

Test(meter, times_have_four_levels)
{
    cr_expect_eq(um_meter_level_of_ms(0), UM_METER_GREEN);
    cr_expect_eq(um_meter_level_of_ms(2), UM_METER_GREEN);
    cr_expect_eq(um_meter_level_of_ms(2.01), UM_METER_YELLOW);
    cr_expect_eq(um_meter_level_of_ms(8), UM_METER_YELLOW);
    cr_expect_eq(um_meter_level_of_ms(8.01), UM_METER_ORANGE);
    cr_expect_eq(um_meter_level_of_ms(16), UM_METER_ORANGE);
    cr_expect_eq(um_meter_level_of_ms(16.01), UM_METER_RED);
    cr_expect_eq(um_meter_level_of_ms(1e9), UM_METER_RED);
}

Test(meter, ratios_have_four_levels)
{
    cr_expect_eq(um_meter_level_of_ratio(1), UM_METER_GREEN);
    cr_expect_eq(um_meter_level_of_ratio(3), UM_METER_GREEN);
    cr_expect_eq(um_meter_level_of_ratio(3.01), UM_METER_YELLOW);
    cr_expect_eq(um_meter_level_of_ratio(8.01), UM_METER_ORANGE);
    cr_expect_eq(um_meter_level_of_ratio(20), UM_METER_ORANGE);
    cr_expect_eq(um_meter_level_of_ratio(20.01), UM_METER_RED);
}

Test(meter, each_level_has_a_colour_of_its_own)
{
    for (int i = 1; i < UM_METER_LEVELS; i++)
        cr_expect_neq(um_meter_rgb((enum um_meter_level)i),
                      um_meter_rgb((enum um_meter_level)(i - 1)));
}

Test(meter, nothing_authored_counts_as_one)
{
    cr_expect_float_eq(um_meter_ratio(0, 12), 12, 1e-12);
    cr_expect_float_eq(um_meter_ratio(50, 847), 16.94, 1e-12);
    cr_expect_float_eq(um_meter_ratio(3, 0), 0, 1e-12);
}

Test(meter, times_fill_it_up_to_33_ms)
{
    cr_expect_float_eq(um_meter_fill_of_ms(0), 0, 1e-12);
    cr_expect_float_eq(um_meter_fill_of_ms(16.5), 0.5, 1e-12);
    cr_expect_float_eq(um_meter_fill_of_ms(33), 1, 1e-12);
    cr_expect_float_eq(um_meter_fill_of_ms(500), 1, 1e-12);
}

Test(meter, windows_fill_it_by_their_logarithm)
{
    cr_expect_float_eq(um_meter_fill_of_count(0), 0, 1e-12);
    cr_expect_float_eq(um_meter_fill_of_count(99), 0.5, 1e-4); /* log 100 of log 10001 */
    cr_expect_float_eq(um_meter_fill_of_count(10000), 1, 1e-12);
    cr_expect_float_eq(um_meter_fill_of_count(UINT32_MAX), 1, 1e-12);
}

static void expect_box(const struct um_canvas_rect *box, int x, int y, int width, int height)
{
    cr_expect(box->x == x && box->y == y && box->width == width && box->height == height,
              "%d, %d, %d x %d", box->x, box->y, box->width, box->height);
}

Test(meter, three_nested_panes_have_them_in_their_corners)
{
    static const struct um_canvas_rect panes[] = {
        {0, 0, 800, 600}, {50, 200, 400, 300}, {60, 205, 100, 90}};
    struct um_canvas_rect box;
    cr_assert(um_meter_place(&panes[0], 1, false, &box));
    expect_box(&box, 800 - 4 - 62, 4, 62, 14);
    cr_assert(um_meter_place(&panes[1], 1, false, &box));
    expect_box(&box, 450 - 4 - 62, 204, 62, 14);
    cr_assert(um_meter_place(&panes[2], 1, false, &box));
    expect_box(&box, 160 - 4 - 62, 209, 62, 14);
    cr_assert(um_meter_place(&panes[0], 1, true, &box));
    expect_box(&box, 800 - 4 - 32, 4, 32, 14);
}

Test(meter, a_component_that_is_too_small_has_none)
{
    struct um_canvas_rect box;
    cr_expect_not(um_meter_place(&(struct um_canvas_rect){0, 0, 39, 300}, 1, true, &box));
    cr_expect_not(um_meter_place(&(struct um_canvas_rect){0, 0, 300, 39}, 1, true, &box));
    cr_expect(um_meter_place(&(struct um_canvas_rect){0, 0, 40, 40}, 1, true, &box));
    cr_expect_not(um_meter_place(&(struct um_canvas_rect){0, 0, 79, 300}, 2, true, &box));
    cr_assert(um_meter_place(&(struct um_canvas_rect){0, 0, 80, 80}, 2, true, &box));
    expect_box(&box, 80 - 8 - 64, 8, 64, 28);
}

Test(meter, a_narrow_component_makes_a_sparkline_narrower)
{
    struct um_canvas_rect box;
    cr_assert(um_meter_place(&(struct um_canvas_rect){10, 0, 70, 40}, 1, false, &box));
    expect_box(&box, 14, 4, 62, 14);
    cr_assert(um_meter_place(&(struct um_canvas_rect){10, 0, 69, 40}, 1, false, &box));
    expect_box(&box, 14, 4, 61, 14);
    cr_assert(um_meter_place(&(struct um_canvas_rect){10, 0, 40, 40}, 1, false, &box));
    expect_box(&box, 14, 4, 32, 14);
    cr_assert(um_meter_place(&(struct um_canvas_rect){0, 0, 80, 80}, 2, false, &box));
    expect_box(&box, 8, 8, 64, 28);
}

Test(meter, boxes_in_one_corner_stand_beside_each_other)
{
    struct um_canvas_rect pane = {0, 0, 110, 100}, boxes[4];
    for (size_t i = 0; i < 4; i++) {
        cr_assert(um_meter_place(&pane, 1, true, &boxes[i]));
        um_meter_avoid(&pane, 1, boxes, i, &boxes[i]);
    }
    expect_box(&boxes[0], 74, 4, 32, 14);
    expect_box(&boxes[1], 40, 4, 32, 14);
    expect_box(&boxes[2], 6, 4, 32, 14);
    expect_box(&boxes[3], 74, 20, 32, 14); /* the next row */
}
