#include "hooks/step.h"

#include <criterion/criterion.h>

/* Two monitors side by side, the left one at negative coordinates. */
#define LEFT (-1920)
#define RIGHT 2560

Test(step, a_pair_leads_away_from_the_nearer_edge)
{
    static const struct {
        int32_t x, left, right;
        int step;
    } rows[] = {
        {LEFT, LEFT, 0, 1},
        {LEFT + 1, LEFT, 0, 1},
        {0, 0, RIGHT, 1},
        {-1, LEFT, 0, -1},
        {-2, LEFT, 0, -1},
        {RIGHT - 1, 0, RIGHT, -1},
        {INT32_MIN, INT32_MIN, INT32_MAX, 1},
        {INT32_MAX - 1, INT32_MIN, INT32_MAX, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(um_step_of_pair(rows[i].x, rows[i].left, rows[i].right), rows[i].step,
                     "row %zu", i);
}

/* Beats that come close upon one another can begin two pixels off. */
Test(step, a_move_that_leads_further_than_two_steps_is_no_echo)
{
    static const struct {
        int32_t x, y;
        int is_echo;
    } rows[] = {{380, 300, 1}, {382, 300, 1}, {384, 300, 1}, {376, 300, 1},
                {385, 300, 0}, {375, 300, 0}, {380, 301, 0}, {380, 299, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(um_step_is_echo(rows[i].x, rows[i].y, 380, 300), rows[i].is_echo, "row %zu",
                     i);
    cr_expect(!um_step_is_echo(INT32_MIN, 0, INT32_MAX, 0));
}

Test(step, stays_within_any_range_of_twice_its_pixels_or_more)
{
    for (int pixels = 1; pixels <= UM_STEP_PX; pixels++) {
        for (int32_t width = 2 * pixels; width < 9; width++) {
            for (int32_t x = 0; x < width; x++) {
                int32_t to = x + pixels * um_step_of_pair(x, 0, width);
                cr_expect(to >= 0 && to < width, "%d of %d leads to %d", x, width, to);
            }
        }
    }
}
