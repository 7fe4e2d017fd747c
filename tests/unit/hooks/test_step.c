#include "hooks/step.h"

#include <criterion/criterion.h>

/* Two monitors side by side, the left one at negative coordinates. */
#define LEFT (-1920)
#define RIGHT 2560

Test(step, a_pair_leads_away_from_the_left_edge)
{
    cr_expect_eq(um_step_of_pair(LEFT, LEFT, 0), 1);
    cr_expect_eq(um_step_of_pair(LEFT + 1, LEFT, 0), 1);
    cr_expect_eq(um_step_of_pair(0, 0, RIGHT), 1);
}

Test(step, a_pair_leads_away_from_the_right_edge)
{
    cr_expect_eq(um_step_of_pair(-1, LEFT, 0), -1);
    cr_expect_eq(um_step_of_pair(-2, LEFT, 0), -1);
    cr_expect_eq(um_step_of_pair(RIGHT - 1, 0, RIGHT), -1);
}

Test(step, a_pair_stays_within_any_range_of_two_pixels_or_more)
{
    for (int32_t width = 2; width < 6; width++) {
        for (int32_t x = 0; x < width; x++) {
            int32_t to = x + um_step_of_pair(x, 0, width);
            cr_expect(to >= 0 && to < width, "%d of %d leads to %d", x, width, to);
        }
    }
}

/* The mouse probe's steps are of two pixels. */
Test(step, two_pixels_stay_within_any_range_of_four_pixels_or_more)
{
    for (int32_t width = 4; width < 9; width++) {
        for (int32_t x = 0; x < width; x++) {
            int32_t to = x + 2 * um_step_of_pair(x, 0, width);
            cr_expect(to >= 0 && to < width, "%d of %d leads to %d", x, width, to);
        }
    }
}

Test(step, a_pair_bears_coordinates_at_their_limits)
{
    cr_expect_eq(um_step_of_pair(INT32_MIN, INT32_MIN, INT32_MAX), 1);
    cr_expect_eq(um_step_of_pair(INT32_MAX - 1, INT32_MIN, INT32_MAX), -1);
}
