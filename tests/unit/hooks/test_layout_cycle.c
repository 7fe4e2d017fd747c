#include "hooks/layout_cycle.h"

#include <criterion/criterion.h>

#define OTHER 0 /* a message that is no WM_PAINT */

/* Windows as Windows numbers them: the place in the low half, above it how often it was used. */
enum { A = 0x30142, B = 0x10144, C = 0xa0146 };

static struct um_layout_cycle cycle;

Test(layout_cycle, ends_before_what_is_no_paint)
{
    cycle = (struct um_layout_cycle){0};
    cr_expect(um_layout_cycle_ends(&cycle, OTHER));
    cr_expect_not(um_layout_cycle_ends(&cycle, A));
    cr_expect_not(um_layout_cycle_ends(&cycle, B));
    cr_expect(um_layout_cycle_ends(&cycle, OTHER));
    cr_expect_not(um_layout_cycle_ends(&cycle, B));
    cr_expect_not(um_layout_cycle_ends(&cycle, A));
}

Test(layout_cycle, ends_before_a_window_paints_again)
{
    static const struct {
        uint32_t window;
        int ends;
    } rows[] = {
        {A, 0}, {B, 0}, {C, 0}, {A, 1}, /* all around */
        {B, 0}, {B, 1}, {B, 1},         /* not the first of its frame, but always the same */
        {C, 0}, {A, 0}, {C, 1}, {A, 0}, {C, 1},
    };
    cycle = (struct um_layout_cycle){0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(um_layout_cycle_ends(&cycle, rows[i].window), rows[i].ends, "row %zu", i);
}

Test(layout_cycle, a_frame_may_have_any_number_of_windows)
{
    for (uint32_t windows = UM_LAYOUT_CYCLE_FEW - 1; windows < 40000; windows = windows * 3 / 2) {
        cycle = (struct um_layout_cycle){0};
        for (int frame = 0; frame < 3; frame++)
            for (uint32_t i = 0; i < windows; i++)
                cr_assert_eq(um_layout_cycle_ends(&cycle, 0x10000 * (i % 7 + 1) + i),
                             frame > 0 && i == 0, "%u of %u", i, windows);
        cr_expect(um_layout_cycle_ends(&cycle, OTHER));
        for (uint32_t i = 0; i < UM_LAYOUT_CYCLE_PLACES / 32; i++)
            cr_assert_eq(cycle.painted[i], 0, "a window is left of %u", windows);
    }
}
