/* Which components have a meter in which mode. */
#include <criterion/criterion.h>

#include "overlay/choice.h"

#define MOST 64

static struct um_choice_item items[MOST];
static size_t count;
static struct um_choice_windows windows;

/* A component that is seen and measured, with as many windows authored as rendered. */
static struct um_choice_item *add(uint32_t id, uint32_t parent, double mean_ms, uint32_t rendered)
{
    cr_assert_lt(count, MOST);
    items[count] = (struct um_choice_item){.id = id,
                                           .parent = parent,
                                           .window = 0x100 + id,
                                           .measured = true,
                                           .seen = true,
                                           .mean_ms = mean_ms,
                                           .authored = rendered,
                                           .rendered = rendered,
                                           .rect = {0, 0, 100, 100}};
    return &items[count++];
}

static void make(enum um_wire_layout_mode mode, uint32_t hover, uint32_t pin)
{
    um_choice_make(mode, hover, pin, items, count);
}

static size_t shown(void)
{
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += items[i].shown;
    return all;
}

Test(choice, a_root_hides_what_is_little_of_it)
{
    add(3, 0, 10, 100);
    add(4, 3, 5, 50);                /* exactly half */
    add(5, 3, 5.1, 1);               /* more than half of the time */
    add(6, 3, 1, 51);                /* more than half of the windows */
    add(7, 3, 1, 20)->authored = 9;  /* more than twice the ratio */
    add(8, 3, 1, 20)->authored = 10; /* exactly twice */
    make(UM_WIRE_LAYOUT_MODE_COMPONENTS, 0, 0);
    cr_expect(items[0].shown && !items[1].shown && items[2].shown);
    cr_expect(items[3].shown && items[4].shown && !items[5].shown);
}

/* What is hidden hides nothing itself. */
Test(choice, the_nearest_one_that_is_shown_decides)
{
    add(3, 0, 10, 0);
    add(4, 3, 4, 0);
    add(5, 4, 3, 0); /* much of 4, which is hidden, and less than half of 3 */
    add(6, 4, 6, 0);
    make(UM_WIRE_LAYOUT_MODE_COMPONENTS, 0, 0);
    cr_expect(items[0].shown && !items[1].shown && !items[2].shown && items[3].shown);
}

Test(choice, windows_that_were_not_counted_decide_nothing)
{
    add(3, 0, 10, 0);
    add(4, 3, 1, 0);
    make(UM_WIRE_LAYOUT_MODE_COMPONENTS, 0, 0);
    cr_expect(items[0].shown && !items[1].shown);
}

Test(choice, roots_do_not_bleed_into_one_another)
{
    add(3, 0, 100, 10);
    add(4, 0, 1, 1); /* a dialog */
    make(UM_WIRE_LAYOUT_MODE_COMPONENTS, 0, 0);
    cr_expect_eq(shown(), 2);
}

Test(choice, what_is_not_seen_or_not_measured_has_none)
{
    add(3, 0, 10, 1)->seen = false;
    add(4, 0, 0, 1)->measured = false;
    add(1, 0, 50, 0)->window = 0; /* of no window */
    make(UM_WIRE_LAYOUT_MODE_COMPONENTS, 0, 0);
    cr_expect_eq(shown(), 0);
    make(UM_WIRE_LAYOUT_MODE_HEATMAP, 0, 0);
    cr_expect_eq(shown(), 1, "what is of no window is in the heatmap");
}

Test(choice, of_50_components_the_heatmap_has_the_ten_hottest)
{
    for (uint32_t i = 0; i < 50; i++)
        add(3 + i, i == 0 ? 0 : 3, 2.5 + (i * 7) % 50, 1);
    make(UM_WIRE_LAYOUT_MODE_HEATMAP, 0, 0);
    cr_expect_eq(shown(), 10);
    for (uint32_t i = 0; i < 50; i++)
        cr_expect_eq(items[i].shown, (i * 7) % 50 >= 40, "%u", i);
}

Test(choice, the_heatmap_has_what_exceeds_a_threshold)
{
    add(3, 0, 2, 30)->authored = 10; /* neither */
    add(4, 3, 2.1, 0);
    add(5, 3, 0, 31)->authored = 10;
    make(UM_WIRE_LAYOUT_MODE_HEATMAP, 0, 0);
    cr_expect(!items[0].shown && items[1].shown && items[2].shown);
}

Test(choice, inspect_shows_what_is_under_the_cursor)
{
    add(3, 0, 10, 1);
    add(4, 3, 10, 1);
    make(UM_WIRE_LAYOUT_MODE_INSPECT, 0, 0);
    cr_expect_eq(shown(), 0);
    make(UM_WIRE_LAYOUT_MODE_INSPECT, 4, 0);
    cr_expect(!items[0].shown && items[1].shown);
    make(UM_WIRE_LAYOUT_MODE_INSPECT, 4, 3);
    cr_expect_eq(shown(), 2, "and what is pinned");
    make(UM_WIRE_LAYOUT_MODE_OFF, 4, 3);
    cr_expect_eq(shown(), 0);
}

/* A dialog lies over the main window, and a window of another program over both. */
Test(choice, what_lies_above_covers)
{
    const struct um_canvas_rect low = {100, 100, 32, 14}, high = {310, 310, 32, 14};
    const struct um_canvas_rect middle = {250, 250, 32, 14};
    windows.count = 3;
    windows.list[0] = (struct um_canvas_rect){300, 300, 50, 50};
    windows.list[1] = (struct um_canvas_rect){200, 200, 200, 200};
    windows.list[2] = (struct um_canvas_rect){0, 0, 800, 600};
    cr_expect_not(um_choice_is_covered(&windows, 2, &low));
    cr_expect(um_choice_is_covered(&windows, 2, &middle));
    cr_expect_not(um_choice_is_covered(&windows, 1, &middle));
    cr_expect(um_choice_is_covered(&windows, 1, &high));
    cr_expect_not(um_choice_is_covered(&windows, 0, &high));
}

Test(choice, items_are_found_by_their_ids)
{
    add(3, 0, 1, 1);
    add(7, 3, 1, 1);
    add(9, 7, 1, 1);
    cr_expect_eq(um_choice_find(items, count, 7), &items[1]);
    cr_expect_eq(um_choice_find(items, count, 9), &items[2]);
    cr_expect_null(um_choice_find(items, count, 8));
    cr_expect_null(um_choice_find(items, count, 0));
    cr_expect_null(um_choice_find(items, count, 10));
}

Test(choice, the_same_keys_pin_and_let_go)
{
    cr_expect_eq(um_choice_pin(0, 4), 4);
    cr_expect_eq(um_choice_pin(4, 4), 0);
    cr_expect_eq(um_choice_pin(4, 5), 5, "one at most");
    cr_expect_eq(um_choice_pin(4, 0), 0, "nothing is pinned");
    cr_expect_eq(um_choice_pin(0, 0), 0);
}

Test(choice, the_costliest_is_the_innermost_with_more_than_half)
{
    add(3, 0, 26, 0);
    add(4, 3, 25, 0);
    add(5, 4, 20, 0);
    add(6, 5, 10, 0); /* exactly half */
    add(7, 3, 14, 0); /* more than half of 3, but there is one with more */
    cr_expect_eq(um_choice_costliest(items, count), 0, "none is shown");
    items[0].shown = true;
    cr_expect_eq(um_choice_costliest(items, count), 0, "it is the only one");
    items[4].shown = true;
    cr_expect_eq(um_choice_costliest(items, count), 7);
    for (size_t i = 0; i < count; i++)
        items[i].shown = true;
    cr_expect_eq(um_choice_costliest(items, count), 5);
    items[1].shown = false; /* what lies between has no meter */
    cr_expect_eq(um_choice_costliest(items, count), 5);
    items[3].mean_ms = 10.1;
    cr_expect_eq(um_choice_costliest(items, count), 6);
    for (size_t i = 0; i < count; i++)
        items[i].mean_ms = 0;
    cr_expect_eq(um_choice_costliest(items, count), 0, "nothing has cost anything");
}
