#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <criterion/criterion.h>

#include "overlay/siblings.h"

#define SIZE 24
#define ROUNDS 2000

static uint32_t seed;

static int below(int limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 16) % (uint32_t)limit);
}

static struct um_canvas_rect any_rect(int least)
{
    int x = below(SIZE - least), y = below(SIZE - least);
    return (struct um_canvas_rect){x, y, least + below(SIZE - x - least + 1),
                                   least + below(SIZE - y - least + 1)};
}

static bool lies_in(const struct um_canvas_rect *rect, int x, int y)
{
    return x >= rect->x && x < rect->x + rect->width && y >= rect->y && y < rect->y + rect->height;
}

static bool is_hidden(const struct um_siblings *siblings, int x, int y)
{
    for (size_t i = 0; i < siblings->count; i++)
        if (lies_in(&siblings->list[i], x, y))
            return true;
    return false;
}

static void count_piece(void *context, const struct um_canvas_rect *piece)
{
    int(*counts)[SIZE] = context;
    for (int y = piece->y; y < piece->y + piece->height; y++)
        for (int x = piece->x; x < piece->x + piece->width; x++)
            counts[y][x]++;
}

Test(siblings, the_rest_is_each_pixel_that_none_hides_once)
{
    seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        struct um_siblings siblings = {0};
        int counts[SIZE][SIZE] = {{0}};
        const struct um_canvas_rect component = any_rect(1);
        for (int i = below(UM_SIBLINGS + 1); i > 0; i--) {
            const struct um_canvas_rect window = any_rect(1);
            um_siblings_add(&siblings, &component, &window);
        }
        um_siblings_rest(&siblings, component, count_piece, counts);
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++)
                cr_assert_eq(counts[y][x],
                             lies_in(&component, x, y) && !is_hidden(&siblings, x, y));
    }
}

Test(siblings, a_cut_takes_away_what_is_hidden_and_nothing_else)
{
    seed = 2;
    for (int round = 0; round < ROUNDS; round++) {
        struct um_siblings siblings = {0};
        const struct um_canvas_rect component = any_rect(2);
        for (int i = below(UM_SIBLINGS + 1); i > 0; i--) {
            const struct um_canvas_rect window = any_rect(2);
            um_siblings_add(&siblings, &component, &window);
        }
        const struct um_canvas_rect cut = um_siblings_cut(&siblings, component);
        for (int y = component.y; y < component.y + component.height; y++)
            for (int x = component.x; x < component.x + component.width; x++)
                cr_assert(lies_in(&cut, x, y) || is_hidden(&siblings, x, y));
        for (size_t i = 0; i < siblings.count && cut.width > 0; i++) {
            const struct um_canvas_rect hidden = um_canvas_cut(&siblings.list[i], &cut);
            bool ends = hidden.y == cut.y || hidden.y + hidden.height == cut.y + cut.height;
            cr_assert(hidden.height == 0 || hidden.width < cut.width || !ends,
                      "a side is hidden as a whole");
        }
    }
}

Test(siblings, a_component_that_two_hide_together_has_nothing_left)
{
    struct um_siblings siblings = {0};
    const struct um_canvas_rect component = {10, 10, 100, 50};
    const struct um_canvas_rect left = {0, 0, 60, 200}, right = {60, 0, 100, 200};
    um_siblings_add(&siblings, &component, &left);
    struct um_canvas_rect cut = um_siblings_cut(&siblings, component);
    cr_expect(cut.x == 60 && cut.y == 10 && cut.width == 50 && cut.height == 50);
    um_siblings_add(&siblings, &component, &right);
    cut = um_siblings_cut(&siblings, component);
    cr_expect(cut.width == 0 && cut.height == 0);
}

Test(siblings, of_more_than_can_be_known_the_largest_are)
{
    struct um_siblings siblings = {0};
    const struct um_canvas_rect component = {0, 0, 200, 200};
    for (int i = 1; i <= 2 * UM_SIBLINGS; i++) {
        const struct um_canvas_rect window = {10 * i, 0, i, 10};
        um_siblings_add(&siblings, &component, &window);
    }
    const struct um_canvas_rect beside = {300, 0, 50, 50};
    um_siblings_add(&siblings, &component, &beside);
    cr_assert_eq(siblings.count, UM_SIBLINGS);
    for (size_t i = 0; i < siblings.count; i++)
        cr_expect_gt(siblings.list[i].width, UM_SIBLINGS);
}
