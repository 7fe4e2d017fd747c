/* A sketch of a window that was recorded: which window, how large, and what lies where on it. */
#include <criterion/criterion.h>
#include <limits.h>

#include "overlay/parts_recorded.h"

#define ITEMS 8

static struct um_costs costs;
static struct um_choice_item items[ITEMS];
static struct um_choice_windows windows;
static size_t count;
static const struct um_canvas_rect room = {0, 0, 1200, 900};
static struct um_canvas_rect bounds;

static void teardown(void)
{
    um_costs_close(&costs);
}

TestSuite(parts_recorded, .fini = teardown);

static void component(uint32_t id, uint32_t parent, uint64_t window)
{
    const struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_COMPONENT,
        .as.layout_component = {
            .id = id, .parent = parent, .window = window, .window_class = "Pane"}};
    um_costs_take(&costs, &frame);
}

static void place(uint32_t id, int32_t left, int32_t top, uint32_t width, uint32_t height)
{
    const struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_PLACE,
        .as.layout_place = {.id = id, .left = left, .top = top, .width = width, .height = height}};
    um_costs_take(&costs, &frame);
}

/* A main window with two panes, in the first of which there is a third. */
static void window_with_panes(void)
{
    component(3, 0, 0x103);
    component(4, 3, 0x104);
    component(5, 3, 0x105);
    component(6, 4, 0x106);
    place(3, 0, 0, 600, 400);
    place(4, 10, 20, 300, 200);
    place(5, 320, 20, 270, 360);
    place(6, 50, 60, 100, 100);
}

static void look(void)
{
    bounds = um_parts_recorded_fit(&costs, &room, 1);
    count = 0;
    for (uint32_t id = 1; id < costs.end; id++) {
        const struct um_cost *cost = um_costs_get(&costs, id);
        if (cost)
            items[count++] = (struct um_choice_item){
                .id = id, .parent = cost->parent, .window = cost->window, .seen = true};
    }
    um_parts_recorded_look(&costs, &bounds, items, count, &windows);
}

static void expect_rect(uint32_t id, int x, int y, int width, int height)
{
    const struct um_choice_item *item = um_choice_find(items, count, id);
    cr_assert(item && item->seen, "%u is not seen", id);
    cr_expect(item->rect.x == x && item->rect.y == y && item->rect.width == width &&
                  item->rect.height == height,
              "%u: %d, %d, %d x %d", id, item->rect.x, item->rect.y, item->rect.width,
              item->rect.height);
}

static bool is_seen(uint32_t id)
{
    const struct um_choice_item *item = um_choice_find(items, count, id);
    return item && item->seen;
}

Test(parts_recorded, a_window_for_which_there_is_room_keeps_its_size)
{
    window_with_panes();
    look();
    cr_expect(bounds.x == 1200 - 8 - 600 && bounds.y == 900 - 8 - 400, "%d, %d", bounds.x,
              bounds.y);
    cr_expect(bounds.width == 600 && bounds.height == 400);
    expect_rect(3, 0, 0, 600, 400);
    expect_rect(4, 10, 20, 300, 200);
    expect_rect(5, 320, 20, 270, 360);
    expect_rect(6, 50, 60, 100, 100);
    cr_expect(windows.count == 1 && windows.list[0].width == 600, "the sketch hides nothing else");
}

Test(parts_recorded, a_larger_one_is_scaled_down_to_two_thirds_of_the_room)
{
    window_with_panes();
    place(3, 0, 0, 1608, 800);
    place(4, 100, 200, 400, 300);
    look();
    cr_expect(bounds.width == 804 && bounds.height == 400, "%d x %d", bounds.width, bounds.height);
    expect_rect(3, 0, 0, 804, 400);
    expect_rect(4, 50, 100, 200, 150);
}

Test(parts_recorded, what_lies_out_of_its_parent_is_cut_off)
{
    window_with_panes();
    place(6, 0, 0, 100, 100);
    place(5, 700, 0, 50, 50);
    look();
    expect_rect(6, 10, 20, 90, 80);
    cr_expect_not(is_seen(5));
}

Test(parts_recorded, what_is_hidden_or_gone_is_not_seen_nor_what_lies_in_it)
{
    window_with_panes();
    place(4, 0, 0, 0, 0);
    component(5, 3, 0);
    look();
    cr_expect(is_seen(3) && !is_seen(4) && !is_seen(5) && !is_seen(6));
}

/* No frame says where a dialog is on the screen. */
Test(parts_recorded, the_largest_root_is_the_main_window)
{
    component(2, 0, 0x102); /* a splash window */
    place(2, 0, 0, 200, 100);
    window_with_panes();
    component(7, 0, 0x107); /* a dialog with a pane */
    component(8, 7, 0x108);
    place(7, 0, 0, 300, 200);
    place(8, 10, 10, 50, 50);
    cr_expect_eq(um_parts_recorded_main(&costs), 3);
    look();
    cr_expect(is_seen(3) && is_seen(6) && !is_seen(2) && !is_seen(7) && !is_seen(8));
    place(3, 0, 0, 0, 0); /* minimised */
    cr_expect_eq(um_parts_recorded_main(&costs), 7);
    place(2, 0, 0, 200, 300);
    cr_expect_eq(um_parts_recorded_main(&costs), 2, "it comes first");
}

Test(parts_recorded, without_a_place_there_is_no_sketch)
{
    component(1, 0, 0); /* <chrome> */
    component(3, 0, 0x103);
    place(1, 0, 0, 2000, 2000);
    look();
    cr_expect_eq(um_parts_recorded_main(&costs), 0);
    cr_expect(bounds.width == 0 && bounds.height == 0);
    cr_expect(!is_seen(3) && windows.count == 0);
}

Test(parts_recorded, the_deepest_component_at_a_point_is_under_the_cursor)
{
    window_with_panes();
    component(7, 3, 0x107); /* lies over the panes, but in the main window alone */
    place(7, 40, 50, 100, 100);
    look();
    cr_expect_eq(um_parts_recorded_hover(items, count, 5, 5), 3);
    cr_expect_eq(um_parts_recorded_hover(items, count, 20, 30), 4);
    cr_expect_eq(um_parts_recorded_hover(items, count, 45, 55), 7, "of two the latest");
    cr_expect_eq(um_parts_recorded_hover(items, count, 60, 70), 6, "it lies in two others");
    cr_expect_eq(um_parts_recorded_hover(items, count, 400, 300), 5);
    cr_expect_eq(um_parts_recorded_hover(items, count, 600, 5), 0, "beside the sketch");
    cr_expect_eq(um_parts_recorded_hover(items, count, -1, -1), 0);
}

/* Nothing in a recording is trusted. */
Test(parts_recorded, survives_places_that_make_no_sense)
{
    component(3, 0, 0x103);
    component(4, 3, 0x104);
    place(3, INT_MIN, INT_MAX, UINT_MAX, UINT_MAX);
    place(4, INT_MIN, INT_MIN, UINT_MAX, UINT_MAX);
    look();
    cr_expect(bounds.width > 0 && bounds.width <= room.width && bounds.height > 0);
    place(3, 0, 0, UINT_MAX, 1);
    look();
    cr_expect(bounds.width > 0 && bounds.height == 1);
    place(3, 0, 0, 1, 1);
    look();
    expect_rect(3, 0, 0, 1, 1);
    expect_rect(4, 0, 0, 1, 1);
}
