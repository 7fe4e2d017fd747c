/* Which component a window counts for, and what components cost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/layout/layout_components.h"

#define MS UINT64_C(1000000)
#define CHROME UM_LAYOUT_COMPONENTS_CHROME
#define PROGRAM 0x140000000 /* modules */
#define SYSTEM 0x7fff0000

/* The target's windows; the place in the list is the handle. */
#define WINDOWS 128
static struct um_layout_window windows[WINDOWS];
static bool gone[WINDOWS];
static unsigned asked;
static struct um_layout_components *components;

static bool describe(void *context, uint64_t window, struct um_layout_window *out)
{
    (void)context;
    asked++;
    if (window >= WINDOWS || gone[window])
        return false;
    *out = windows[window];
    return true;
}

static bool is_system(void *context, uint64_t module)
{
    (void)context;
    return module == SYSTEM;
}

static void setup(void)
{
    const struct um_layout_components_config config = {NULL, describe, is_system, NULL};
    memset(windows, 0, sizeof windows);
    memset(gone, 0, sizeof gone);
    asked = 0;
    cr_assert_eq(um_layout_components_open(&config, &components), UM_OK);
}

static void teardown(void)
{
    um_layout_components_close(components);
}

TestSuite(layout_components, .init = setup, .fini = teardown);

/* A window, of which the parent is another one or 0. */
static void window(uint64_t handle, uint64_t parent, bool has_children, const char *window_class)
{
    windows[handle] = (struct um_layout_window){.parent = parent, .has_children = has_children};
    snprintf(windows[handle].window_class, sizeof windows[handle].window_class, "%s", window_class);
    gone[handle] = false;
}

/* 1 with the panes 2 and 3; in 2 the buttons 4 and 5; in 3 the pane 6 with the button 7. */
static void build(void)
{
    window(1, 0, true, "Main");
    window(2, 1, true, "Pane");
    window(3, 1, true, "Pane");
    window(4, 2, false, "Button");
    window(5, 2, false, "Button");
    window(6, 3, true, "Inner");
    window(7, 6, false, "Button");
}

static uint32_t of(uint64_t handle)
{
    return um_layout_components_of(components, handle);
}

static const struct um_layout_component *get(uint32_t id)
{
    return um_layout_components_get(components, id);
}

static void add_message(uint64_t handle, enum um_layout_step step, uint64_t own_ns,
                        uint32_t message, uint64_t handler)
{
    struct um_layout_pair pair = {.window = handle,
                                  .handler = handler,
                                  .message = message,
                                  .tag = of(handle),
                                  .step = (uint8_t)step,
                                  .timed = true,
                                  .own_ns = own_ns};
    um_layout_components_add(components, &pair);
}

static void add(uint64_t handle, enum um_layout_step step, uint64_t own_ms)
{
    add_message(handle, step, own_ms * MS, 5, 0x7000);
}

static void end_frame(void)
{
    um_layout_components_end_frame(components, true);
}

Test(layout_components, a_window_counts_for_the_nearest_one_with_children)
{
    build();
    uint32_t button = of(7);
    cr_expect_str_eq(get(button)->window_class, "Inner");
    cr_expect_eq(of(6), button);
    uint32_t pane = get(button)->parent;
    cr_expect_eq(of(3), pane);
    uint32_t root = get(pane)->parent;
    cr_expect(of(1) == root && get(root)->parent == 0);
    cr_expect(root < pane && pane < button, "those further out are told first");
    cr_expect(of(4) == of(5) && of(4) == of(2) && of(4) != of(3));
}

Test(layout_components, a_window_is_asked_about_once)
{
    build();
    of(7);
    of(7);
    of(6);
    of(1);
    cr_expect_eq(asked, 4);
}

Test(layout_components, numbers_include_the_components_within)
{
    build();
    add(7, UM_LAYOUT_STEP_MEASURE, 1);
    add(6, UM_LAYOUT_STEP_ARRANGE, 2);
    add(3, UM_LAYOUT_STEP_ARRANGE, 4);
    add(4, UM_LAYOUT_STEP_ARRANGE, 8);
    add(7, UM_LAYOUT_STEP_PAINT, 16);
    add(1, UM_LAYOUT_STEP_ARRANGE, 32);
    end_frame();
    const struct um_layout_component *inner = get(of(6)), *pane = get(of(3)), *main = get(of(1));
    cr_expect(inner->own_layout_ns == 3 * MS && inner->worst_frame_ns == 3 * MS);
    cr_expect(pane->own_layout_ns == 4 * MS && pane->worst_frame_ns == 7 * MS);
    cr_expect(main->own_layout_ns == 32 * MS && main->worst_frame_ns == 47 * MS);
    cr_expect_eq(main->step_ns[UM_LAYOUT_STEP_MEASURE], MS);
    cr_expect_eq(main->step_ns[UM_LAYOUT_STEP_ARRANGE], 46 * MS);
    cr_expect_eq(main->step_ns[UM_LAYOUT_STEP_PAINT], 16 * MS);
    cr_expect(main->frames == 1 && pane->frames == 1 && inner->frames == 1);
    cr_expect(main->changed && pane->changed);
}

Test(layout_components, frames_are_those_with_a_step)
{
    build();
    add(7, UM_LAYOUT_STEP_MEASURE, 1);
    end_frame();
    add(4, UM_LAYOUT_STEP_PAINT, 2);
    end_frame();
    end_frame();
    add(7, UM_LAYOUT_STEP_MEASURE, 3);
    add(7, UM_LAYOUT_STEP_MEASURE, 4);
    end_frame();
    cr_expect(get(of(1))->frames == 3 && get(of(3))->frames == 2 && get(of(2))->frames == 1);
    cr_expect(get(of(3))->worst_frame_ns == 7 * MS && get(of(2))->worst_frame_ns == 0);
    cr_expect_eq(get(of(2))->last_step_ns[UM_LAYOUT_STEP_PAINT], 2 * MS);
    cr_expect_eq(get(of(1))->last_step_ns[UM_LAYOUT_STEP_PAINT], 0);
    cr_expect_eq(get(of(1))->last_step_ns[UM_LAYOUT_STEP_MEASURE], 7 * MS);
}

Test(layout_components, a_frame_that_does_not_count_leaves_nothing)
{
    build();
    add(7, UM_LAYOUT_STEP_MEASURE, 1);
    um_layout_components_end_frame(components, false);
    add(4, UM_LAYOUT_STEP_ARRANGE, 2);
    end_frame();
    cr_expect(get(of(6))->frames == 0 && get(of(6))->step_ns[UM_LAYOUT_STEP_MEASURE] == 0);
    cr_expect(get(of(1))->frames == 1 && get(of(1))->worst_frame_ns == 2 * MS);
    cr_expect(!get(of(6))->changed);
}

Test(layout_components, the_mean_moves_by_a_fifth)
{
    build();
    add(1, UM_LAYOUT_STEP_ARRANGE, 10);
    end_frame();
    cr_expect_float_eq(get(of(1))->mean_ms, 10.0, 1e-9);
    add(1, UM_LAYOUT_STEP_ARRANGE, 20);
    end_frame();
    cr_expect_float_eq(get(of(1))->mean_ms, 12.0, 1e-9);
    add(1, UM_LAYOUT_STEP_PAINT, 20);
    end_frame();
    cr_expect_float_eq(get(of(1))->mean_ms, 9.6, 1e-9);
}

Test(layout_components, roots_do_not_bleed_into_each_other)
{
    build();
    window(8, 0, true, "Dialog");
    window(9, 8, false, "Edit");
    window(10, 0, false, "Tip"); /* no children, and a root all the same */
    add(9, UM_LAYOUT_STEP_ARRANGE, 5);
    add(10, UM_LAYOUT_STEP_ARRANGE, 6);
    add(4, UM_LAYOUT_STEP_ARRANGE, 7);
    end_frame();
    cr_expect_eq(get(of(8))->worst_frame_ns, 5 * MS);
    cr_expect_eq(get(of(10))->worst_frame_ns, 6 * MS);
    cr_expect_eq(get(of(1))->worst_frame_ns, 7 * MS);
}

Test(layout_components, a_handle_that_is_used_again_is_another_element)
{
    build();
    uint32_t pane = of(2);
    add(2, UM_LAYOUT_STEP_ARRANGE, 5);
    end_frame();
    um_layout_components_destroyed(components, 2);
    window(2, 3, true, "Pane");
    um_layout_components_created(components, 2, 0, 0);
    cr_expect_neq(of(2), pane);
    cr_expect_eq(get(of(2))->parent, of(3));
    cr_expect(get(pane)->own_layout_ns == 5 * MS && get(of(2))->own_layout_ns == 0);
}

/* As a dialog that is opened again: what it has cost adds up. */
Test(layout_components, a_window_of_the_same_name_in_the_same_place_goes_on)
{
    build();
    uint32_t pane = of(2), end = um_layout_components_end(components);
    add(2, UM_LAYOUT_STEP_ARRANGE, 5);
    end_frame();
    um_layout_components_destroyed(components, 2);
    window(12, 1, true, "Pane");
    um_layout_components_created(components, 12, 0, 0);
    cr_expect(of(12) == pane && um_layout_components_end(components) == end);
    cr_expect_eq(get(pane)->window, 12);
    add(12, UM_LAYOUT_STEP_ARRANGE, 3);
    end_frame();
    cr_expect_eq(get(pane)->own_layout_ns, 8 * MS);
    window(13, 1, true, "Pane"); /* beside it */
    um_layout_components_created(components, 13, 0, 0);
    cr_expect_neq(of(13), pane);
    um_layout_components_destroyed(components, 12);
    window(14, 1, true, "Other");
    um_layout_components_created(components, 14, 0, 0);
    cr_expect_neq(of(14), pane);
    window(15, 3, true, "Pane");
    um_layout_components_created(components, 15, 0, 0);
    cr_expect_neq(of(15), pane, "in another component");
}

/* The system sends some steps before the window is said to be created. */
Test(layout_components, a_window_with_steps_before_it_was_created_stays_one)
{
    build();
    uint32_t pane = of(2), end = um_layout_components_end(components);
    um_layout_components_created(components, 2, 0, 0);
    cr_expect(of(2) == pane && um_layout_components_end(components) == end);
}

Test(layout_components, a_window_becomes_a_component_with_its_first_child)
{
    build();
    add(4, UM_LAYOUT_STEP_ARRANGE, 1);
    end_frame();
    cr_expect_eq(of(4), of(2));
    window(11, 4, false, "Edit");
    um_layout_components_created(components, 11, 0, 0);
    cr_expect(of(4) != of(2) && of(11) == of(4) && get(of(4))->parent == of(2));
    add(11, UM_LAYOUT_STEP_ARRANGE, 2);
    end_frame();
    cr_expect_eq(get(of(4))->worst_frame_ns, 2 * MS);
    cr_expect(get(of(2))->own_layout_ns == MS && get(of(2))->worst_frame_ns == 2 * MS);
}

Test(layout_components, a_window_that_is_gone_is_chrome)
{
    cr_expect_eq(of(15), UM_LAYOUT_COMPONENTS_FIRST, "it is a root");
    gone[14] = true;
    cr_expect(of(14) == CHROME && of(14) == CHROME && of(0) == CHROME);
    cr_expect_eq(asked, 2, "and it is not asked about again");
    window(14, 0, true, "Again");
    um_layout_components_created(components, 14, 0, 0);
    cr_expect_str_eq(get(of(14))->window_class, "Again");
    window(13, 12, true, "Child");
    gone[12] = true;
    cr_expect_eq(get(of(13))->parent, 0, "its parent is gone");
}

Test(layout_components, windows_in_a_circle_end)
{
    window(1, 2, true, "A");
    window(2, 1, true, "B");
    cr_expect_neq(of(1), 0);
    cr_expect_leq(um_layout_components_end(components), UM_LAYOUT_COMPONENTS_FIRST + 3);
}

static bool describe_deep(void *context, uint64_t handle, struct um_layout_window *out)
{
    (void)context;
    *out = (struct um_layout_window){.parent = handle + 1, .has_children = true};
    return true;
}

Test(layout_components, a_chain_without_an_end_ends)
{
    const struct um_layout_components_config config = {NULL, describe_deep, NULL, NULL};
    teardown();
    cr_assert_eq(um_layout_components_open(&config, &components), UM_OK);
    cr_expect_leq(of(1), 200);
}

Test(layout_components, unseen_windows_keep_their_component_if_they_are_the_same)
{
    build();
    uint32_t pane = of(2), other = of(3), button = of(7);
    of(4);
    window(3, 1, true, "New");
    um_layout_components_unseen(components);
    cr_expect(of(2) == pane && of(4) == pane);
    cr_expect(of(3) != other && of(7) != button && get(of(7))->parent == of(3));
}

Test(layout_components, the_costliest_message_is_that_with_most_own_time)
{
    build();
    add_message(4, UM_LAYOUT_STEP_ARRANGE, 2 * MS, 5, 0x7000);
    add_message(5, UM_LAYOUT_STEP_ARRANGE, 2 * MS, 5, 0x8000);
    add_message(5, UM_LAYOUT_STEP_PAINT, 3 * MS, 15, 0x8000);
    add_message(4, UM_LAYOUT_STEP_ARRANGE, 2 * MS, 5, 0x7000);
    add_message(7, UM_LAYOUT_STEP_ARRANGE, 9 * MS, 3, 0x9000);
    end_frame();
    struct um_layout_components_message most = um_layout_components_costliest(get(of(2)));
    cr_expect(most.message == 5 && most.handler == 0x7000 && most.own_ns == 4 * MS);
    cr_expect_eq(um_layout_components_costliest(get(of(1))).message, 0, "none of its own");
}

Test(layout_components, the_costliest_message_is_found_among_more_than_are_kept)
{
    build();
    for (uint32_t i = 0; i < 1000; i++) {
        add_message(1, UM_LAYOUT_STEP_ARRANGE, MS, 100 + i % 50, 0x7000);
        add_message(1, UM_LAYOUT_STEP_ARRANGE, MS, 5, 0x7000);
    }
    cr_expect_eq(um_layout_components_costliest(get(of(1))).message, 5);
}

/* Authored and rendered ------------------------------------------------------------------------ */

static void control(uint64_t handle, uint64_t parent, bool has_children, const char *window_class)
{
    window(handle, parent, has_children, window_class);
    windows[handle].is_control = true;
}

/* By the procedure of a window of the program, for the program. */
static void author(uint64_t handle)
{
    um_layout_components_created(components, handle, PROGRAM, 1);
}

static void expect_counts(uint64_t handle, uint32_t authored, uint32_t rendered)
{
    um_layout_components_count(components);
    const struct um_layout_component *component = get(of(handle));
    cr_expect(component->authored == authored && component->rendered == rendered,
              "%s: %u and %u instead of %u and %u", component->window_class, component->authored,
              component->rendered, authored, rendered);
}

/* 1 with the pane 2, in which all else lies. */
static void build_pane(void)
{
    window(1, 0, true, "Main");
    window(2, 1, true, "Pane");
    author(1);
    author(2);
}

/* The list of a combo box is a window of the desktop. */
Test(layout_components, a_drop_down_combo_box_with_an_edit_is_1_and_3)
{
    build_pane();
    control(3, 2, true, "ComboBox");
    control(4, 3, false, "Edit");
    control(5, 0, false, "ComboLBox");
    author(3);
    um_layout_components_created(components, 5, PROGRAM, 3);
    um_layout_components_created(components, 4, PROGRAM, 3);
    expect_counts(3, 1, 3);
    expect_counts(2, 2, 4);
    expect_counts(1, 3, 5);
    expect_counts(5, 0, 0);
}

/* The monitor may ask about the combo box before it has its edit. */
Test(layout_components, what_a_control_has_created_goes_with_it_when_it_becomes_a_component)
{
    build_pane();
    control(3, 2, false, "ComboBox");
    control(5, 0, false, "ComboLBox");
    author(3);
    um_layout_components_created(components, 5, PROGRAM, 3);
    expect_counts(3, 2, 3);
    control(4, 3, false, "Edit");
    um_layout_components_created(components, 4, PROGRAM, 3);
    cr_expect_neq(of(3), of(2));
    expect_counts(3, 1, 3);
    expect_counts(2, 2, 4);
    um_layout_components_destroyed(components, 5);
    expect_counts(3, 1, 2);
    expect_counts(1, 3, 4);
}

Test(layout_components, a_report_list_view_is_1_and_2)
{
    build_pane();
    control(3, 2, true, "SysListView32");
    control(4, 3, false, "SysHeader32");
    author(3);
    um_layout_components_created(components, 4, PROGRAM, 3);
    expect_counts(3, 1, 2);
    expect_counts(2, 2, 3);
}

Test(layout_components, a_plain_pane_of_50_buttons_is_51_and_51)
{
    build_pane();
    for (uint64_t button = 10; button < 60; button++) {
        control(button, 2, false, "Button");
        author(button);
    }
    expect_counts(2, 51, 51);
}

/* The dialog's procedure is a system's one, but it makes what the program has described. */
Test(layout_components, a_dialog_from_a_template_is_one_more_than_its_controls_on_both_sides)
{
    build_pane();
    window(3, 0, true, "#32770");
    author(3);
    for (uint64_t child = 10; child < 15; child++) {
        control(child, 3, false, "Static");
        um_layout_components_created(components, child, PROGRAM, 3);
    }
    expect_counts(3, 6, 6);
    expect_counts(1, 2, 2);
}

Test(layout_components, a_dialog_of_the_system_is_not_authored)
{
    build_pane();
    window(3, 0, true, "#32770");
    um_layout_components_created(components, 3, SYSTEM, 1);
    control(4, 3, false, "Static");
    um_layout_components_created(components, 4, SYSTEM, 3);
    expect_counts(3, 0, 2);
}

Test(layout_components, tooltips_count_nowhere)
{
    build_pane();
    control(3, 0, false, "tooltips_class32");
    windows[3].counts_nowhere = true;
    um_layout_components_created(components, 3, PROGRAM, 2);
    um_layout_components_found(components, 3);
    cr_expect_eq(of(3), CHROME);
    expect_counts(3, 0, 0);
    expect_counts(1, 2, 2);
}

Test(layout_components, what_was_there_before_is_judged_by_what_it_lies_in)
{
    window(1, 0, true, "Main");
    window(2, 1, true, "Pane");
    control(3, 2, true, "ComboBox");
    control(4, 3, false, "Edit");
    control(5, 0, false, "ComboLBox");
    for (uint64_t handle = 1; handle <= 5; handle++)
        um_layout_components_found(components, handle);
    expect_counts(3, 1, 2);
    expect_counts(1, 3, 4);
    expect_counts(5, 0, 1);
    for (uint64_t handle = 1; handle <= 5; handle++)
        um_layout_components_found(components, handle);
    expect_counts(1, 3, 4);
}

/* A window that had a step, or was in a list, before the record of its creation came. */
Test(layout_components, the_record_of_its_creation_decides)
{
    build_pane();
    window(3, 2, true, "Custom");
    of(3);
    expect_counts(2, 2, 2);
    um_layout_components_created(components, 3, SYSTEM, 1);
    expect_counts(2, 1, 2);
    um_layout_components_created(components, 3, PROGRAM, 0);
    expect_counts(2, 2, 2);
}

Test(layout_components, the_counts_of_a_window_go_with_it)
{
    build_pane();
    control(3, 2, true, "SysListView32");
    control(4, 3, false, "SysHeader32");
    author(3);
    um_layout_components_created(components, 4, PROGRAM, 3);
    uint32_t list = of(3);
    um_layout_components_destroyed(components, 4);
    expect_counts(2, 2, 2);
    um_layout_components_destroyed(components, 3);
    um_layout_components_count(components);
    cr_expect(get(list)->rendered == 0 && get(list)->authored == 0);
    expect_counts(1, 2, 2);
    um_layout_components_destroyed(components, 3);
    expect_counts(1, 2, 2);
}

static bool draws_parts(uint64_t handle)
{
    uint32_t id = of(handle);
    um_layout_components_count(components);
    return get(id)->draws_parts;
}

Test(layout_components, parts_of_a_toolkit_are_not_seen)
{
    build();
    windows[3].draws_parts = true; /* it has another window in it all the same */
    of(7);
    cr_expect(draws_parts(3) && !draws_parts(1) && !draws_parts(6));
}

Test(layout_components, a_root_that_never_had_a_window_in_it_draws_its_parts)
{
    window(1, 0, false, "Main");
    window(2, 1, false, "Pane");
    control(3, 0, false, "ComboLBox");
    cr_expect(draws_parts(1));
    cr_expect(!draws_parts(3), "a list of the system's is seen");
    um_layout_components_created(components, 2, PROGRAM, 1);
    cr_expect(!draws_parts(1));
    um_layout_components_destroyed(components, 2);
    cr_expect(!draws_parts(1), "it had parts");
    uint32_t main = of(1);
    um_layout_components_destroyed(components, 1);
    um_layout_components_count(components);
    cr_expect(!get(main)->draws_parts);
}

Test(layout_components, what_draws_its_parts_does_so_when_it_is_gone)
{
    window(1, 0, false, "Main");
    cr_expect(draws_parts(1));
    uint32_t main = of(1);
    um_layout_components_destroyed(components, 1);
    um_layout_components_count(components);
    cr_expect(get(main)->draws_parts && get(main)->rendered == 0);
}

Test(layout_components, counts_that_change_are_news)
{
    build_pane();
    um_layout_components_count(components);
    um_layout_components_get(components, of(1))->is_news = false;
    um_layout_components_get(components, of(2))->is_news = false;
    um_layout_components_count(components);
    cr_expect(!get(of(1))->is_news && !get(of(2))->is_news);
    window(3, 2, false, "Button");
    author(3);
    um_layout_components_count(components);
    cr_expect(get(of(1))->is_news && get(of(2))->is_news);
}

Test(layout_components, those_that_went_unseen_are_forgotten_when_that_is_asked)
{
    build_pane();
    for (uint64_t button = 10; button < 60; button++) {
        control(button, 2, false, "Button");
        author(button);
    }
    uint32_t pane = of(2);
    um_layout_components_unseen(components);
    for (uint64_t handle = 1; handle < 60; handle++)
        gone[handle] = handle == 2 || (handle >= 10 && handle % 3 != 0);
    um_layout_components_found(components, 1);
    um_layout_components_found(components, 12);
    um_layout_components_forget(components);
    size_t bytes;
    cr_expect_eq(um_layout_components_elements(components, &bytes), 1 + 16 + 1, "with one for 2");
    um_layout_components_count(components);
    cr_expect_eq(get(pane)->window, 0);
}

Test(layout_components, a_window_that_is_gone_when_it_is_asked_again_has_no_handle)
{
    build_pane();
    uint32_t pane = of(2);
    gone[2] = true;
    um_layout_components_unseen(components);
    cr_expect_eq(of(2), CHROME);
    cr_expect_eq(get(pane)->window, 0);
    expect_counts(1, 1, 1);
}

/* Chosen ones ---------------------------------------------------------------------------------- */

static struct um_layout_rules *rules;

static void choose(const char *text)
{
    char error[256];
    cr_assert_eq(um_layout_rules_open(text, strlen(text), "parts.txt", &rules, error, sizeof error),
                 UM_OK, "%s", error);
    const struct um_layout_components_config config = {NULL, describe, is_system, rules};
    teardown();
    cr_assert_eq(um_layout_components_open(&config, &components), UM_OK);
}

static void teardown_chosen(void)
{
    teardown();
    um_layout_rules_close(rules);
}

TestSuite(chosen_components, .init = setup, .fini = teardown_chosen);

/* 1 with the panes 2 and 3; in 2 the buttons 4 and 5; in 3 the pane 6 with the button 7. */
Test(chosen_components, are_those_that_fit_a_rule_and_roots)
{
    build();
    choose("class:inner\nid:5 = The second\n");
    windows[5].has_id = true;
    windows[5].id = 5;
    cr_expect_str_eq(get(of(7))->window_class, "Inner");
    cr_expect_eq(get(of(7))->parent, of(1));
    cr_expect(of(3) == of(1) && of(2) == of(1) && of(4) == of(1));
    cr_expect_neq(of(5), of(1));
    cr_expect_str_eq(get(of(5))->text, "The second");
    cr_expect_eq(get(of(5))->parent, of(1));
    window(8, 0, false, "Popup");
    cr_expect_neq(of(8), of(1));
}

Test(chosen_components, a_new_child_makes_none)
{
    build();
    choose("class:Inner\n");
    of(4);
    window(8, 4, false, "Child");
    um_layout_components_created(components, 8, PROGRAM, 1);
    cr_expect(of(4) == of(1) && of(8) == of(1));
    unsigned before = asked;
    of(4);
    of(8);
    cr_expect_eq(asked, before);
}

Test(chosen_components, all_others_are_counted_in_the_nearest_one)
{
    build_pane();
    control(3, 2, true, "ComboBox");
    control(4, 3, false, "Edit");
    control(5, 0, false, "ComboLBox");
    choose("class:Pane = Search\n");
    author(1);
    author(2);
    author(3);
    um_layout_components_created(components, 5, PROGRAM, 3);
    um_layout_components_created(components, 4, PROGRAM, 3);
    expect_counts(2, 2, 4);
    expect_counts(1, 3, 5);
    cr_expect_str_eq(get(of(4))->text, "Search");
}

/* Windows that are all children of 1. */
static bool describe_many(void *context, uint64_t handle, struct um_layout_window *out)
{
    (void)context;
    *out = (struct um_layout_window){.parent = handle == 1 ? 0 : 1};
    return true;
}

static bool describe_roots(void *context, uint64_t handle, struct um_layout_window *out)
{
    (void)context;
    *out = (struct um_layout_window){.parent = 0};
    snprintf(out->text, sizeof out->text, "%u", (unsigned)handle);
    return true;
}

Test(layout_components, components_beyond_the_most_are_the_others)
{
    const struct um_layout_components_config config = {NULL, describe_roots, NULL, NULL};
    teardown();
    cr_assert_eq(um_layout_components_open(&config, &components), UM_OK);
    for (uint64_t i = 1; i <= UM_LAYOUT_COMPONENTS_MOST; i++)
        cr_assert_eq(of(i * 4), UM_LAYOUT_COMPONENTS_FIRST + i - 1);
    cr_expect_eq(of(9000), UM_LAYOUT_COMPONENTS_OTHERS);
    add(9000, UM_LAYOUT_STEP_ARRANGE, 1);
    add(9004, UM_LAYOUT_STEP_ARRANGE, 2);
    end_frame();
    cr_expect_eq(get(UM_LAYOUT_COMPONENTS_OTHERS)->worst_frame_ns, 3 * MS);
    cr_expect_str_eq(get(UM_LAYOUT_COMPONENTS_FIRST)->text, "4");
    cr_expect_eq(um_layout_components_end(components), UM_LAYOUT_COMPONENTS_IDS);
}

Test(layout_components, an_element_takes_64_bytes_at_most)
{
    const struct um_layout_components_config config = {NULL, describe_many, NULL, NULL};
    size_t bytes;
    teardown();
    cr_assert_eq(um_layout_components_open(&config, &components), UM_OK);
    for (uint64_t i = 2; i < 5000; i++) {
        of(i * 65538);
        size_t count = um_layout_components_elements(components, &bytes);
        cr_assert_eq(count, i);
        cr_assert(count < 25 || bytes <= 64 * count, "%zu bytes for %zu", bytes, count);
    }
}

/* Against a plain list: elements are found after others before them went. */
Test(layout_components, elements_are_found_while_others_come_and_go)
{
    const struct um_layout_components_config config = {NULL, describe_many, NULL, NULL};
    static bool there[512];
    size_t count = 0, bytes;
    uint32_t random = 12345;
    teardown();
    cr_assert_eq(um_layout_components_open(&config, &components), UM_OK);
    memset(there, 0, sizeof there);
    of(1);
    for (int i = 0; i < 100000; i++) {
        random = random * 1664525 + 1013904223;
        size_t at = random >> 23;
        if (random >> 22 & 1)
            of(at * 2 + 2);
        else
            um_layout_components_destroyed(components, at * 2 + 2);
        count += (random >> 22 & 1) - (size_t)there[at];
        there[at] = random >> 22 & 1;
        cr_assert_eq(um_layout_components_elements(components, &bytes), count + 1);
    }
}

Test(layout_components, windows_without_number_take_no_more_memory_than_those_of_a_session)
{
    const struct um_layout_components_config config = {NULL, describe_many, NULL, NULL};
    size_t bytes;
    teardown();
    cr_assert_eq(um_layout_components_open(&config, &components), UM_OK);
    for (uint64_t i = 1; i < 200000; i++)
        cr_assert_eq(of(i), UM_LAYOUT_COMPONENTS_FIRST);
    cr_expect_eq(um_layout_components_elements(components, &bytes), UM_LAYOUT_COMPONENTS_WINDOWS);
    cr_expect_leq(bytes, 3 << 20);
}
