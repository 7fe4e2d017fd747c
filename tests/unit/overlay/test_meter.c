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

/* Puts a meter of 62 px with a name of 38 px into a component. */
static bool put(const struct um_canvas_rect *component, double scale,
                const struct um_meter_others *others, struct um_canvas_rect *box)
{
    cr_assert(um_meter_place(component, scale, false, box));
    box->x -= (int)(38 * scale);
    box->width += (int)(38 * scale);
    return um_meter_avoid(component, scale, others, box);
}

Test(meter, boxes_in_one_corner_stand_below_each_other_and_then_to_the_left)
{
    const struct um_canvas_rect pane = {0, 0, 210, 60};
    struct um_canvas_rect boxes[5];
    for (size_t i = 0; i < 4; i++)
        cr_assert(put(&pane, 1, &(struct um_meter_others){boxes, i, NULL, 0}, &boxes[i]));
    expect_box(&boxes[0], 106, 4, 100, 14);
    expect_box(&boxes[1], 106, 22, 100, 14);
    expect_box(&boxes[2], 106, 40, 100, 14);
    expect_box(&boxes[3], 2, 4, 100, 14);
    const struct um_canvas_rect narrow = {0, 0, 150, 60};
    boxes[0].x = boxes[1].x = boxes[2].x = 46;
    cr_expect_not(put(&narrow, 1, &(struct um_meter_others){boxes, 3, NULL, 0}, &boxes[3]),
                  "there is no room");
}

/* As in the registry editor: a window, its frame, and a list at the right of that. */
Test(meter, a_meter_goes_beside_a_part_in_the_same_corner)
{
    const struct um_canvas_rect window = {0, 0, 800, 600},
                                parts[] = {{0, 0, 800, 580}, {300, 0, 500, 580}};
    struct um_canvas_rect boxes[3];
    cr_assert(put(&parts[1], 1, &(struct um_meter_others){0}, &boxes[0]));
    expect_box(&boxes[0], 696, 4, 100, 14);
    cr_assert(put(&parts[0], 1, &(struct um_meter_others){boxes, 1, &parts[1], 1}, &boxes[1]));
    expect_box(&boxes[1], 196, 4, 100, 14);
    /* The part of the window that lies in no other one is below both, behind the graph. */
    boxes[2] = (struct um_canvas_rect){0, 480, 800, 120};
    struct um_canvas_rect box;
    const struct um_canvas_rect taken[] = {boxes[0], boxes[1], boxes[2]};
    cr_assert(put(&window, 1, &(struct um_meter_others){taken, 3, parts, 2}, &box));
    expect_box(&box, 196, 22, 100, 14);
}

/* As in Wordpad: bars of tools over the whole width. */
Test(meter, a_meter_goes_below_a_part_that_is_as_wide)
{
    const struct um_canvas_rect window = {0, 0, 1600, 1200}, bars = {0, 0, 1600, 150};
    struct um_canvas_rect box;
    cr_assert(put(&window, 2, &(struct um_meter_others){NULL, 0, &bars, 1}, &box));
    expect_box(&box, 1600 - 8 - 200, 158, 200, 28);
}

/* There is no room beside them. */
Test(meter, of_panes_within_each_other_the_innermost_keeps_its_corner)
{
    const struct um_canvas_rect panes[] = {{0, 0, 400, 300}, {6, 6, 388, 288}, {12, 12, 376, 276}};
    struct um_canvas_rect boxes[3];
    cr_assert(put(&panes[2], 1, &(struct um_meter_others){0}, &boxes[0]));
    expect_box(&boxes[0], 284, 16, 100, 14);
    cr_assert(put(&panes[1], 1, &(struct um_meter_others){boxes, 1, &panes[2], 1}, &boxes[1]));
    expect_box(&boxes[1], 290, 34, 100, 14);
    cr_assert(put(&panes[0], 1, &(struct um_meter_others){boxes, 2, &panes[1], 2}, &boxes[2]));
    expect_box(&boxes[2], 296, 52, 100, 14);
}

Test(meter, a_name_gets_the_room_that_there_is)
{
    struct um_canvas_rect wide = {10, 0, 400, 100}, narrow = {10, 0, 130, 100}, box;
    cr_assert(um_meter_place(&wide, 1, false, &box));
    cr_expect_eq(um_meter_name_width(&wide, 1, &box, 90), 90);
    cr_expect_eq(um_meter_name_width(&wide, 1, &box, 900), 140);
    cr_assert(um_meter_place(&narrow, 1, false, &box));
    cr_expect_eq(um_meter_name_width(&narrow, 1, &box, 90), 130 - 62 - 8);
    narrow.width = 62 + 8 + 23; /* that is three letters */
    cr_assert(um_meter_place(&narrow, 1, false, &box));
    cr_expect_eq(um_meter_name_width(&narrow, 1, &box, 90), 0);
    cr_expect_eq(um_meter_name_width(&narrow, 1, &box, 20), 20, "a short name has room");
    wide.width = 800;
    cr_assert(um_meter_place(&wide, 2, false, &box));
    cr_expect_eq(um_meter_name_width(&wide, 2, &box, 900), 280);
}
