#include "hooks/layout_cycle.h"

#include <criterion/criterion.h>

#define OTHER 0 /* a message that is no WM_PAINT */

/* Windows as Windows numbers them: the place in the low half, above it how often it was used. */
enum { A = 0x30142, B = 0x10144, C = 0xa0146 };

static struct um_layout_cycle cycle;

/* A message of the program is retrieved, and records are made until the next one. */
static int retrieve(uint32_t window)
{
    int ends = um_layout_cycle_ends(&cycle, window);
    um_layout_cycle_recorded(&cycle);
    return ends;
}

Test(layout_cycle, ends_before_what_is_no_paint)
{
    cycle = (struct um_layout_cycle){0};
    cr_expect_not(retrieve(OTHER), "nothing was recorded");
    cr_expect(retrieve(OTHER));
    cr_expect_not(retrieve(A));
    cr_expect_not(retrieve(B));
    cr_expect(retrieve(OTHER));
    cr_expect_not(retrieve(B));
    cr_expect_not(retrieve(A));
}

Test(layout_cycle, without_records_there_is_no_frame)
{
    cycle = (struct um_layout_cycle){0};
    for (int i = 0; i < 3; i++)
        cr_expect_not(um_layout_cycle_ends(&cycle, OTHER));
    um_layout_cycle_recorded(&cycle);
    cr_expect(um_layout_cycle_ends(&cycle, OTHER));
    cr_expect_not(um_layout_cycle_ends(&cycle, OTHER));
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
        cr_expect_eq(retrieve(rows[i].window), rows[i].ends, "row %zu", i);
}

Test(layout_cycle, ends_when_the_thread_rests)
{
    cycle = (struct um_layout_cycle){0};
    for (int i = 0; i < 3; i++)
        cr_expect_not(um_layout_cycle_beat_ends(&cycle), "nothing was recorded");
    um_layout_cycle_recorded(&cycle);
    cr_expect_not(um_layout_cycle_beat_ends(&cycle), "it may still paint");
    cr_expect_not(retrieve(A));
    cr_expect_not(um_layout_cycle_beat_ends(&cycle));
    cr_expect(um_layout_cycle_beat_ends(&cycle));
    cr_expect_not(um_layout_cycle_beat_ends(&cycle), "it was told");
    cr_expect_not(retrieve(A), "the next frame, in which it has not painted");
    cr_expect(retrieve(OTHER));
}

Test(layout_cycle, a_frame_may_have_any_number_of_windows)
{
    for (uint32_t windows = UM_LAYOUT_CYCLE_FEW - 1; windows < 40000; windows = windows * 3 / 2) {
        cycle = (struct um_layout_cycle){0};
        for (int frame = 0; frame < 3; frame++)
            for (uint32_t i = 0; i < windows; i++)
                cr_assert_eq(retrieve(0x10000 * (i % 7 + 1) + i), frame > 0 && i == 0, "%u of %u",
                             i, windows);
        cr_expect(retrieve(OTHER));
        for (uint32_t i = 0; i < UM_LAYOUT_CYCLE_PLACES / 32; i++)
            cr_assert_eq(cycle.painted[i], 0, "a window is left of %u", windows);
    }
}
