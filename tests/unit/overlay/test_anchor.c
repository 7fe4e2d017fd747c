/* Where the overlay lies on a window of 800 × 600 at (100, 50), on a display of 1920 × 1080 whose
 * taskbar takes the lowest 40 px. */
#include <criterion/criterion.h>

#include "overlay/anchor.h"
#include "overlay/paint.h"

static struct um_anchor_view view;
static struct um_anchor_place place;

static void setup(void)
{
    view = (struct um_anchor_view){.options.look = UM_OVERLAY_STRIP,
                                   .target = {100, 50, 900, 650},
                                   .has_display = true,
                                   .display = {0, 0, 1920, 1080},
                                   .work = {0, 0, 1920, 1040},
                                   .desktop_right = 1920,
                                   .display_scale = 1};
}

TestSuite(anchor, .init = setup);

static void expect(int left, int top, int right, int bottom)
{
    um_anchor_lay_out(&view, &place);
    cr_expect(place.rect.left == left && place.rect.top == top && place.rect.right == right &&
                  place.rect.bottom == bottom,
              "%d, %d, %d, %d", place.rect.left, place.rect.top, place.rect.right,
              place.rect.bottom);
}

Test(anchor, a_strip_is_as_wide_as_the_window_and_as_high_as_its_look)
{
    expect(100, 530, 900, 650);
    cr_expect_eq(place.corners, UM_PAINT_BOTTOM_LEFT | UM_PAINT_BOTTOM_RIGHT);
    view.options.look = UM_OVERLAY_BAR;
    expect(100, 628, 900, 650);
    view.options.height = 40;
    view.more_height = 10;
    expect(100, 600, 900, 650);
}

Test(anchor, at_the_top_it_begins_below_the_title_bar_if_there_is_room)
{
    view.options.position = UM_OVERLAY_TOP;
    expect(100, 50, 900, 170);
    cr_expect_eq(place.corners, UM_PAINT_TOP_LEFT | UM_PAINT_TOP_RIGHT);
    view.has_client_top = true;
    view.client_top = 80;
    expect(100, 80, 900, 200);
    cr_expect_eq(place.corners, 0);
    view.client_top = 640;
    expect(100, 50, 900, 170);
}

Test(anchor, it_takes_half_of_a_low_window_at_most)
{
    view.target.bottom = 150;
    expect(100, 100, 900, 150);
}

Test(anchor, it_stays_on_the_desktop_and_above_the_taskbar)
{
    view.target = (struct um_anchor_rect){-50, 600, 2000, 1200};
    expect(0, 920, 1920, 1040);
    cr_expect_eq(place.corners, 0);
    view.has_display = false;
    expect(-50, 1080, 2000, 1200);
}

Test(anchor, a_full_screen_window_covers_the_taskbar)
{
    view.target = view.display;
    view.maximised = true;
    expect(0, 960, 1920, 1080);
    cr_expect_eq(place.corners, 0);
}

Test(anchor, the_compact_panel_is_in_its_corner)
{
    view.options.look = UM_OVERLAY_COMPACT;
    expect(664, 554, 888, 638);
    cr_expect_eq(place.corners, UM_PAINT_ALL_CORNERS);
    view.options.position = UM_OVERLAY_TOP_LEFT;
    expect(112, 62, 336, 146);
    view.target.right = 200; /* narrower than the panel, which takes what there is */
    expect(112, 62, 188, 146);
}

Test(anchor, the_scale_is_that_of_the_display_or_the_one_asked_for)
{
    view.display_scale = 2;
    expect(100, 410, 900, 650);
    cr_expect(place.scale == 2 && place.radius == 16);
    view.options.scale = 1.5;
    expect(100, 470, 900, 650);
    cr_expect(place.scale == 1.5 && place.radius == 16);
}

Test(anchor, alone_it_is_centred_and_not_as_wide_as_the_display)
{
    view.alone = true;
    view.target = view.work;
    expect(360, 920, 1560, 1040);
    cr_expect_eq(place.corners, 0);
}

Test(anchor, a_strip_is_lower_if_nothing_shines_through_it_unless_its_height_was_given)
{
    view.opaque = true;
    expect(100, 578, 900, 650);
    cr_expect_eq(place.corners, 0);
    view.options.height = 120;
    expect(100, 530, 900, 650);
    view.options.height = 0;
    view.options.look = UM_OVERLAY_COMPACT;
    expect(664, 554, 888, 638);
    cr_expect_eq(place.corners, 0);
}

/* A display of 1024 × 768 with one of 800 × 600 on its right: below that there is none. */
static void unequal_displays(void)
{
    static const struct um_anchor_rect displays[] = {{0, 0, 1024, 768}, {1024, 0, 1824, 600}};
    view.target = (struct um_anchor_rect){300, 100, 1500, 700};
    view.display = view.work = displays[0];
    view.desktop_right = 1824;
    view.displays = displays;
    view.display_count = 2;
}

Test(anchor, it_lies_on_one_display_where_a_part_would_be_on_none)
{
    unequal_displays();
    expect(300, 580, 1024, 700);
    cr_expect_eq(place.corners, UM_PAINT_BOTTOM_LEFT);
    view.options.look = UM_OVERLAY_COMPACT;
    expect(788, 604, 1012, 688);
    view.options.position = UM_OVERLAY_BOTTOM_LEFT;
    expect(312, 604, 536, 688);
}

Test(anchor, it_reaches_over_displays_where_both_go_so_far_down)
{
    unequal_displays();
    view.target.bottom = 600;
    expect(300, 480, 1500, 600);
    view.options.position = UM_OVERLAY_TOP;
    view.target.bottom = 700;
    expect(300, 100, 1500, 220);
}

Test(anchor, windows_hide_it_if_they_cover_more_than_a_tenth_of_it)
{
    const struct um_anchor_rect strip = {100, 530, 900, 650};
    const struct um_anchor_rect widget = {890, 640, 906, 646}, dialog = {300, 400, 700, 560};
    const struct um_anchor_rect elsewhere = {100, 650, 900, 700};
    cr_expect_eq(um_anchor_common_area(&strip, &widget), 10 * 6);
    cr_expect_eq(um_anchor_common_area(&strip, &elsewhere), 0);
    cr_expect(!um_anchor_hides(&strip, um_anchor_common_area(&strip, &widget)));
    cr_expect(um_anchor_hides(&strip, um_anchor_common_area(&strip, &dialog)));
    cr_expect(!um_anchor_hides(&strip, 9600) && um_anchor_hides(&strip, 9601));
}

Test(anchor, what_an_overlay_that_stands_alone_leaves_lies_beside_it)
{
    view.alone = true;
    view.target = view.work;
    um_anchor_lay_out(&view, &place);
    struct um_anchor_rect left = um_anchor_beside(&view.target, &place.rect, place.position);
    cr_expect(left.left == 0 && left.top == 0 && left.right == 1920 && left.bottom == 1040 - 120);
    view.options.position = UM_OVERLAY_TOP;
    um_anchor_lay_out(&view, &place);
    left = um_anchor_beside(&view.target, &place.rect, place.position);
    cr_expect(left.left == 0 && left.top == 120 && left.right == 1920 && left.bottom == 1040);
}

Test(anchor, it_is_moved_to_the_other_edge_and_stays_on_its_side)
{
    view.moved = true;
    expect(100, 50, 900, 170);
    cr_expect_eq(place.position, UM_OVERLAY_TOP);
    view.options.position = UM_OVERLAY_TOP;
    expect(100, 530, 900, 650);
    view.options.look = UM_OVERLAY_COMPACT;
    view.options.position = UM_OVERLAY_BOTTOM_LEFT;
    expect(112, 62, 336, 146);
    view.options.position = UM_OVERLAY_TOP_RIGHT;
    expect(664, 554, 888, 638);
}

/* What the look AUTO becomes ------------------------------------------------------------------- */

static void expect_look(enum um_overlay_look look, int left, int top, int right, int bottom)
{
    view.options.look = UM_OVERLAY_AUTO;
    expect(left, top, right, bottom);
    cr_expect_eq(place.look, look, "the look is %d", place.look);
}

Test(anchor, a_strip_takes_a_quarter_of_the_window_at_most)
{
    view.target.bottom = 50 + 480;
    expect_look(UM_OVERLAY_STRIP, 100, 410, 900, 530);
    view.target.bottom--;
    expect_look(UM_OVERLAY_COMPACT, 664, 433, 888, 517);
    view.options.rows = 3;
    expect_look(UM_OVERLAY_COMPACT, 664, 433 - 2 * 17, 888, 517);
    view.target.bottom++;
    expect_look(UM_OVERLAY_STRIP, 100, 410, 900, 530);
}

Test(anchor, a_strip_takes_a_quarter_of_the_window_at_most_at_200_percent)
{
    view.display_scale = 2;
    view.target.bottom = 50 + 960;
    expect_look(UM_OVERLAY_STRIP, 100, 770, 900, 1010);
    view.target.bottom--;
    expect_look(UM_OVERLAY_COMPACT, 428, 817, 876, 985);
}

Test(anchor, a_strip_takes_a_quarter_of_what_is_seen_of_the_window_at_most)
{
    view.target = (struct um_anchor_rect){100, 700, 900, 1300};
    expect_look(UM_OVERLAY_COMPACT, 664, 944, 888, 1028);
    view.target = (struct um_anchor_rect){100, 500, 900, 1300};
    expect_look(UM_OVERLAY_STRIP, 100, 920, 900, 1040);
}

Test(anchor, a_strip_through_which_nothing_shines_takes_a_quarter_of_the_window_at_most)
{
    view.opaque = true;
    view.target.bottom = 50 + 288;
    expect_look(UM_OVERLAY_STRIP, 100, 266, 900, 338);
    view.target.bottom--;
    expect_look(UM_OVERLAY_COMPACT, 664, 241, 888, 325);
}

Test(anchor, a_strip_of_a_height_that_was_asked_for_and_one_that_stands_alone_stay_strips)
{
    view.target.bottom = 50 + 400;
    view.options.height = 150;
    expect_look(UM_OVERLAY_STRIP, 100, 300, 900, 450);
    view.options.height = 0;
    view.alone = true;
    expect_look(UM_OVERLAY_STRIP, 100, 330, 900, 450);
}

Test(anchor, the_rows_of_the_profile_do_not_make_a_strip_a_panel)
{
    view.more_height = 132;
    expect_look(UM_OVERLAY_STRIP, 100, 398, 900, 650);
}

static void set_buttons(const struct um_anchor_rect *buttons, size_t count)
{
    view.buttons = buttons;
    view.button_count = count;
}

/* Open and Cancel at the lower right, as in a dialog for files. */
Test(anchor, a_strip_over_buttons_becomes_a_panel_beside_them)
{
    struct um_anchor_rect buttons[] = {{700, 600, 780, 625}, {800, 600, 880, 625}};

    set_buttons(buttons, 2);
    expect_look(UM_OVERLAY_COMPACT, 112, 554, 336, 638);
    buttons[0].bottom = buttons[1].bottom = 530;
    buttons[0].top = buttons[1].top = 505;
    expect_look(UM_OVERLAY_STRIP, 100, 530, 900, 650);
    buttons[1].bottom = 531; /* under the strip, and not under the panel */
    expect_look(UM_OVERLAY_COMPACT, 664, 554, 888, 638);
    set_buttons(NULL, 0);
    expect_look(UM_OVERLAY_STRIP, 100, 530, 900, 650);
}

Test(anchor, buttons_do_not_change_a_look_that_was_asked_for)
{
    const struct um_anchor_rect button = {800, 600, 880, 625};

    set_buttons(&button, 1);
    expect(100, 530, 900, 650);
    cr_expect_eq(place.look, UM_OVERLAY_STRIP);
    view.options.look = UM_OVERLAY_COMPACT;
    expect(664, 554, 888, 638);
}

Test(anchor, a_panel_goes_to_the_other_edge_only_if_no_place_was_asked_for)
{
    const struct um_anchor_rect bottom = {110, 600, 890, 625}, top = {110, 100, 890, 125};
    const struct um_anchor_rect corner = {700, 600, 780, 625};

    set_buttons(&bottom, 1);
    expect_look(UM_OVERLAY_COMPACT, 664, 62, 888, 146);
    cr_expect_eq(place.position, UM_OVERLAY_TOP_RIGHT);
    view.options.position = UM_OVERLAY_TOP;
    expect_look(UM_OVERLAY_STRIP, 100, 50, 900, 170);
    set_buttons(&top, 1);
    expect_look(UM_OVERLAY_COMPACT, 664, 62, 888, 146);
    view.options.position = UM_OVERLAY_BOTTOM_RIGHT;
    set_buttons(&corner, 1);
    expect_look(UM_OVERLAY_COMPACT, 664, 554, 888, 638);
}

Test(anchor, a_panel_stays_at_the_edge_to_which_it_was_moved)
{
    const struct um_anchor_rect corner = {700, 100, 780, 125}, top = {110, 100, 890, 125};

    view.moved = true;
    expect_look(UM_OVERLAY_STRIP, 100, 50, 900, 170);
    set_buttons(&corner, 1);
    expect_look(UM_OVERLAY_COMPACT, 112, 62, 336, 146);
    set_buttons(&top, 1);
    expect_look(UM_OVERLAY_COMPACT, 664, 62, 888, 146);
    view.moved = false;
    expect_look(UM_OVERLAY_STRIP, 100, 530, 900, 650);
}

/* Away from where it is, not from where it would be without buttons. */
Test(anchor, a_panel_that_is_at_the_top_because_of_buttons_is_moved_to_the_bottom)
{
    const struct um_anchor_rect bottom = {110, 600, 890, 625};

    set_buttons(&bottom, 1);
    expect_look(UM_OVERLAY_COMPACT, 664, 62, 888, 146);
    view.moved = true;
    expect_look(UM_OVERLAY_COMPACT, 664, 554, 888, 638);
}

Test(anchor, a_panel_that_is_nowhere_clear_of_buttons_hides_the_least_of_them)
{
    const struct um_anchor_rect buttons[] = {{110, 600, 890, 625}, {110, 100, 500, 120}};

    view.target.right = 400;
    set_buttons(buttons, 2);
    expect_look(UM_OVERLAY_COMPACT, 164, 62, 388, 146);
}
