/* Where a window of X11 ends for the eye, on which display it lies, and what lies over it. */
#include <string.h>

#include <criterion/criterion.h>

#include "overlay/frame.h"

static struct um_frame_view view;
static struct um_anchor_rect bounds;
static int client_top;

/* A window of 800 × 600 at (105, 75), in a frame with a title of 25 px and borders of 5. */
static void setup(void)
{
    view = (struct um_frame_view){.client = {105, 75, 905, 675},
                                  .frame = {100, 50, 910, 680},
                                  .has_border = true,
                                  .border = {5, 5, 25, 5}};
}

TestSuite(frame, .init = setup);

static void expect(int left, int top, int right, int bottom, int title_end)
{
    um_frame_bounds(&view, &bounds, &client_top);
    cr_expect(bounds.left == left && bounds.top == top && bounds.right == right &&
                  bounds.bottom == bottom,
              "%d, %d, %d, %d", bounds.left, bounds.top, bounds.right, bounds.bottom);
    cr_expect_eq(client_top, title_end);
}

Test(frame, has_the_title_bar_but_not_the_borders)
{
    expect(105, 50, 905, 675, 75);
}

Test(frame, without_extents_its_title_begins_where_the_frame_does)
{
    view.has_border = false;
    view.frame.top = 60;
    expect(105, 60, 905, 675, 75);
    view.frame = view.client; /* no window manager runs */
    expect(105, 75, 905, 675, 75);
}

Test(frame, a_shadow_that_the_program_drew_is_none_of_it)
{
    view.client = view.frame = (struct um_anchor_rect){74, 53, 926, 697};
    view.border = (struct um_frame_edges){0};
    view.shadow = (struct um_frame_edges){26, 26, 23, 29};
    expect(100, 76, 900, 668, 76);
}

/* A small display at the left of a large one, which is the primary one. */
static const struct um_frame_display displays[] = {
    {{0, 0, 1920, 1080}, 0, false},
    {{1920, 0, 5760, 2160}, 600, true},
};

static size_t display_of(int left, int right)
{
    const struct um_anchor_rect rect = {left, 100, right, 300};
    return um_frame_display_of(displays, 2, &rect);
}

Test(frame, lies_on_the_display_that_has_most_of_it)
{
    cr_expect_eq(display_of(1800, 2000), 0);
    cr_expect_eq(display_of(1850, 2050), 1);
    cr_expect_eq(display_of(100, 500), 0);
}

Test(frame, lies_on_the_primary_display_if_it_is_on_none)
{
    cr_expect_eq(display_of(-500, -100), 1);
    cr_expect_eq(um_frame_display_of(displays, 2, NULL), 1);
    cr_expect_eq(um_frame_display_of(displays, 1, NULL), 0);
}

static double scale_of(const char *resources, int width_mm)
{
    const struct um_frame_display display = {{0, 0, 3840, 2160}, width_mm, true};
    return um_frame_scale(resources, strlen(resources), &display);
}

Test(frame, takes_its_scale_from_the_resources)
{
    cr_expect_float_eq(scale_of("Xft.dpi:\t144\n", 0), 1.5, 1e-9);
    cr_expect_float_eq(scale_of("Xcursor.size:\t24\nXft.dpi: 192", 600), 2, 1e-9);
    cr_expect_float_eq(scale_of("*Xft.dpi:\t192\nXft.dpix:\t192\n", 600), 1, 1e-9);
    cr_expect_float_eq(scale_of("Xft.dpi:\tmany\n", 600), 1, 1e-9);
    cr_expect_float_eq(scale_of("Xft.dpi:\t9999\n", 600), 8, 1e-9);
    cr_expect_float_eq(scale_of("Xft.dpi:\t10\n", 600), 0.5, 1e-9);
}

Test(frame, reads_no_more_of_the_resources_than_there_is)
{
    static const char resources[] = "Xft.dpi:\t1920";
    cr_expect_float_eq(um_frame_scale(resources, sizeof resources - 2, &displays[0]), 2, 1e-9);
}

Test(frame, takes_its_scale_from_a_dense_display)
{
    cr_expect_float_eq(scale_of("", 600), 1, 1e-9); /* 163 dpi */
    cr_expect_float_eq(scale_of("", 509), 1, 1e-9); /* 191.6 dpi */
    cr_expect_float_eq(scale_of("", 508), 2, 1e-9); /* 192 dpi */
    cr_expect_float_eq(scale_of("", 294), 3, 1e-9); /* 332 dpi */
    cr_expect_float_eq(scale_of("", 160), 1, 1e-9); /* 16:9, and no length */
    cr_expect_float_eq(scale_of("", 0), 1, 1e-9);
}

Test(frame, is_covered_by_what_is_shown_and_no_overlay)
{
    const struct um_anchor_rect rect = {100, 100, 200, 120};
    struct um_frame_window windows[] = {{true, true, {0, 0, 500, 500}},
                                        {false, false, {0, 0, 500, 500}},
                                        {true, false, {0, 0, 100, 500}},
                                        {true, false, {0, 120, 500, 500}}};
    cr_expect(!um_frame_any_over(windows, 4, &rect));
    windows[3].rect.top = 119;
    cr_expect(um_frame_any_over(windows, 4, &rect));
    cr_expect(!um_frame_any_over(windows, 3, &rect));
}
