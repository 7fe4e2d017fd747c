/* Which component an element counts for, by where it is. */
#include <stdlib.h>

#include <criterion/criterion.h>

#include "monitor/layout/layout_areas.h"
#include "monitor/layout/layout_components.h"

#define CHROME UM_LAYOUT_COMPONENTS_CHROME
#define ROOT 3u
#define PANE 4u
#define INNER 5u

static struct um_layout_areas *areas;

static void set(uint32_t id, float left, float top, float right, float bottom)
{
    const struct um_layout_area area = {left, top, right, bottom};
    um_layout_areas_set(areas, id, &area);
}

static uint32_t bind(uint64_t element, float left, float top, float right, float bottom)
{
    const struct um_layout_area area = {left, top, right, bottom};
    return um_layout_areas_bind(areas, element, &area);
}

static void setup(void)
{
    cr_assert_eq(um_layout_areas_open(&areas), UM_OK);
    set(ROOT, 0, 0, 800, 600);
    set(PANE, 100, 100, 400, 400);
    set(INNER, 150, 150, 250, 250);
}

static void teardown(void)
{
    um_layout_areas_close(areas);
}

TestSuite(layout_areas, .init = setup, .fini = teardown);

Test(layout_areas, an_element_counts_for_what_its_middle_lies_in)
{
    cr_assert_eq(bind(1, 0, 0, 90, 90), ROOT);
    cr_assert_eq(bind(2, 110, 110, 130, 130), PANE);
    cr_assert_eq(bind(3, 140, 140, 260, 260), INNER);
    cr_assert_eq(bind(4, 0, 1200, 800, 1220), CHROME);
}

Test(layout_areas, the_right_and_the_lower_edge_belong_to_what_lies_beyond)
{
    cr_assert_eq(bind(1, 100, 100, 100, 100), PANE);
    cr_assert_eq(bind(2, 400, 100, 400, 100), ROOT);
    cr_assert_eq(bind(3, 100, 400, 100, 400), ROOT);
}

Test(layout_areas, the_smallest_counts_in_whichever_order_they_came)
{
    set(8, 1, 1, 799, 599);
    cr_assert_eq(bind(3, 140, 140, 260, 260), INNER);
    cr_assert_eq(bind(1, 0, 0, 90, 90), 8);
}

Test(layout_areas, one_that_goes_leaves_the_others)
{
    um_layout_areas_set(areas, ROOT, NULL);
    set(INNER, 300, 300, 310, 310);
    cr_assert_eq(bind(3, 300, 300, 310, 310), INNER);
    cr_assert_eq(bind(3, 160, 160, 180, 180), PANE);
}

Test(layout_areas, is_found_by_its_id_afterwards)
{
    cr_assert_eq(um_layout_areas_find(areas, 3), 0);
    bind(3, 140, 140, 260, 260);
    cr_assert_eq(um_layout_areas_find(areas, 3), INNER);
}

Test(layout_areas, an_id_that_is_used_again_elsewhere_is_bound_anew)
{
    bind(3, 160, 160, 180, 180);
    cr_assert_eq(bind(3, 10, 10, 20, 20), ROOT);
    cr_assert_eq(um_layout_areas_find(areas, 3), ROOT);
}

Test(layout_areas, an_element_that_is_gone_is_forgotten)
{
    bind(3, 140, 140, 260, 260);
    bind(4, 140, 140, 260, 260);
    um_layout_areas_forget(areas, 3);
    um_layout_areas_forget(areas, 5); /* was never known */
    cr_assert_eq(um_layout_areas_find(areas, 3), 0);
    cr_assert_eq(um_layout_areas_find(areas, 4), INNER);
    cr_assert_eq(bind(3, 10, 10, 20, 20), ROOT);
}

/* More than there is room for at a time. */
Test(layout_areas, elements_that_are_gone_take_no_room)
{
    bind(7, 140, 140, 260, 260);
    for (uint64_t element = 100; element < 100000; element++) {
        bind(element, 140, 140, 260, 260);
        um_layout_areas_forget(areas, element);
    }
    cr_assert_eq(um_layout_areas_find(areas, 7), INNER);
}

Test(layout_areas, a_component_that_goes_loses_its_elements)
{
    bind(3, 160, 160, 180, 180);
    um_layout_areas_set(areas, INNER, NULL);
    um_layout_areas_set(areas, INNER, NULL);
    cr_assert_eq(bind(3, 160, 160, 180, 180), PANE);
    um_layout_areas_set(areas, ROOT, NULL);
    um_layout_areas_set(areas, PANE, NULL);
    cr_assert_eq(bind(3, 160, 160, 180, 180), CHROME);
}

Test(layout_areas, a_component_that_moves_takes_its_elements_along)
{
    bind(3, 160, 160, 180, 180);
    set(INNER, 500, 500, 600, 600);
    cr_assert_eq(bind(3, 160, 160, 180, 180), PANE);
    cr_assert_eq(bind(3, 510, 510, 530, 530), INNER);
}

Test(layout_areas, a_new_component_within_the_old_one_gets_the_elements)
{
    bind(3, 160, 160, 180, 180);
    set(6, 155, 155, 185, 185);
    cr_assert_eq(bind(3, 160, 160, 180, 180), 6);
}

Test(layout_areas, of_two_that_are_as_large_the_inner_one)
{
    set(7, 150, 150, 250, 250);
    cr_assert_eq(bind(3, 160, 160, 180, 180), 7);
}

Test(layout_areas, fifty_components_are_told_apart)
{
    for (uint32_t i = 0; i < 50; i++)
        set(10 + i, 10.0f * (float)i, 500, 10.0f * (float)i + 10, 510);
    for (uint32_t i = 0; i < 50; i++)
        cr_assert_eq(bind(100 + i, 10.0f * (float)i + 1, 501, 10.0f * (float)i + 9, 509), 10 + i);
}

Test(layout_areas, more_elements_than_there_is_room_for)
{
    unsigned known = 0;
    for (uint64_t element = 1; element <= 100000; element++)
        cr_assert_eq(bind(element << 4, 160, 160, 180, 180), INNER);
    for (uint64_t element = 1; element <= 100000; element++)
        known += um_layout_areas_find(areas, element << 4) == INNER;
    cr_assert_eq(known, 32768);
}

Test(layout_areas, ten_thousand_elements_are_all_remembered)
{
    unsigned known = 0;
    for (uint64_t element = 1; element <= 10000; element++)
        bind(0x1f000000000 + (element << 6), 160, 160, 180, 180);
    for (uint64_t element = 1; element <= 10000; element++)
        known += um_layout_areas_find(areas, 0x1f000000000 + (element << 6)) == INNER;
    cr_assert_eq(known, 10000);
}

Test(layout_areas, elements_that_come_and_go_are_found_or_not)
{
    static bool known[20000];
    srand(45);
    for (unsigned round = 0; round < 200000; round++) {
        uint64_t element = 1 + (uint64_t)(rand() % 20000);
        known[element - 1] = rand() % 2;
        if (known[element - 1])
            cr_assert_eq(bind(element << 6, 160, 160, 180, 180), INNER);
        else
            um_layout_areas_forget(areas, element << 6);
        cr_assert(round % 1000 != 0 || um_layout_areas_find(areas, (element << 6) + 1) == 0);
    }
    for (uint64_t element = 1; element <= 20000; element++)
        cr_assert_eq(um_layout_areas_find(areas, element << 6) == INNER, known[element - 1]);
}

/* What is said of the smallest area, looked for among all of them. */
static uint32_t smallest(const struct um_layout_area *list, uint32_t count, float x, float y)
{
    uint32_t best = CHROME;
    float least = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct um_layout_area *at = &list[i];
        float size = (at->right - at->left) * (at->bottom - at->top);
        if (x < at->left || x >= at->right || y < at->top || y >= at->bottom)
            continue;
        if (best == CHROME || size <= least) {
            best = 10 + i;
            least = size;
        }
    }
    return best;
}

Test(layout_areas, of_many_that_overlap_and_move_the_smallest_counts)
{
    struct um_layout_area list[40];
    um_layout_areas_set(areas, ROOT, NULL);
    um_layout_areas_set(areas, PANE, NULL);
    um_layout_areas_set(areas, INNER, NULL);
    srand(44);
    for (unsigned round = 0; round < 100; round++) {
        for (uint32_t i = 0; i < 40; i++) { /* many are as large as another one */
            float left = (float)(rand() % 20), top = (float)(rand() % 20);
            list[i] = (struct um_layout_area){left, top, left + (float)(rand() % 8),
                                              top + (float)(rand() % 8)};
            set(10 + i, list[i].left, list[i].top, list[i].right, list[i].bottom);
        }
        for (uint64_t element = 1; element <= 200; element++) { /* in rows, as elements are */
            float x = (float)(element % 30), y = (float)(element / 10);
            cr_assert_eq(bind(element, x, y, x, y), smallest(list, 40, x, y));
        }
    }
}
