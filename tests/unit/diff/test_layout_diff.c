/* What layout costs in two recordings that are made here, component by component. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/text.h"
#include "base/utf8.h"
#include "monitor/diff/layout_diff.h"
#include "tests/hostile.h"
#include "tests/json_read.h"
#include "tests/written.h"

#define MS UINT64_C(1000000)

static struct um_handlers *handlers;
static struct um_laid_out *sides[2];
static struct um_layout_diff diff;

static void setup(void)
{
    cr_assert_eq(um_handlers_open(&handlers), UM_OK);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(um_laid_out_open(handlers, &sides[i]), UM_OK);
}

static void teardown(void)
{
    um_layout_diff_deinit(&diff);
    for (int i = 0; i < 2; i++)
        um_laid_out_close(sides[i]);
    um_handlers_close(handlers);
}

TestSuite(layout_diff, .init = setup, .fini = teardown);

static void tell(int side, uint32_t id, uint32_t parent, const char *text, const char *window_class)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_COMPONENT,
                                  .as.layout_component = {.id = id, .parent = parent}};
    um_text_set(frame.as.layout_component.text, UM_WIRE_LAYOUT_TEXT_BYTES, text);
    um_text_set(frame.as.layout_component.window_class, UM_WIRE_LAYOUT_TEXT_BYTES, window_class);
    um_laid_out_take(sides[side], &frame);
}

static void cost(int side, uint32_t id, uint32_t frames, uint64_t layout_ns)
{
    const struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_TIMES,
        .as.layout_times = {.count = 1,
                            .list = {{.id = id,
                                      .frames = frames,
                                      .layout_ns = layout_ns,
                                      .own_layout_ns = layout_ns / 2,
                                      .paint_ns = MS,
                                      .worst_frame_ns = layout_ns}}}};
    um_laid_out_take(sides[side], &frame);
}

static void component(int side, uint32_t id, uint32_t parent, const char *text,
                      const char *window_class, uint32_t frames, uint64_t layout_ns)
{
    tell(side, id, parent, text, window_class);
    cost(side, id, frames, layout_ns);
}

static void compare(void)
{
    um_layout_diff_deinit(&diff);
    cr_assert_eq(um_layout_diff_make(&diff, sides[0], sides[1]), UM_OK);
}

static const struct um_layout_diff_row *row(size_t place)
{
    cr_assert_lt(place, diff.count);
    return &diff.rows[diff.order[place]];
}

static char *write_text(void)
{
    FILE *out = written_open();
    um_layout_diff_write_text(out, &diff);
    return written_read(out, NULL);
}

/* Two panes of one name within others, with other numbers on the two sides. */
Test(layout_diff, a_component_is_the_same_if_those_around_it_are)
{
    component(0, 1, 0, "", "Main", 10, 100 * MS);
    component(0, 2, 1, "left", "Pane", 10, 60 * MS);
    component(0, 3, 1, "right", "Pane", 10, 30 * MS);
    component(0, 4, 2, "list", "Pane", 10, 50 * MS);
    component(0, 5, 3, "list", "Pane", 10, 20 * MS);
    component(1, 9, 0, "", "Main", 20, 240 * MS);
    component(1, 8, 9, "right", "Pane", 20, 180 * MS);
    component(1, 7, 8, "list", "Pane", 20, 160 * MS);
    component(1, 6, 9, "left", "Pane", 5, 40 * MS);
    component(1, 5, 6, "list", "Pane", 5, 35 * MS);
    compare();
    cr_assert_eq(diff.count, 5);
    static const struct {
        const char *text, *around;
        double before_ms, after_ms, ratio;
    } expected[] = {{"", NULL, 10, 12, 1.2},
                    {"right", "", 3, 9, 3},
                    {"list", "right", 2, 8, 4},
                    {"left", "", 6, 8, 4. / 3},
                    {"list", "left", 5, 7, 1.4}};
    for (size_t i = 0; i < 5; i++) {
        const struct um_layout_diff_row *at = row(i);
        cr_expect_str_eq(at->text, expected[i].text);
        cr_expect_float_eq(um_layout_diff_ms(&at->costs[0]), expected[i].before_ms, 1e-9);
        cr_expect_float_eq(um_layout_diff_ms(&at->costs[1]), expected[i].after_ms, 1e-9);
        cr_expect_float_eq(um_layout_diff_ratio(at), expected[i].ratio, 1e-9);
        cr_assert_eq(at->parent == UM_LAYOUT_DIFF_NONE, expected[i].around == NULL);
        if (expected[i].around)
            cr_expect_str_eq(diff.rows[at->parent].text, expected[i].around);
    }
}

Test(layout_diff, what_is_in_one_alone_says_so)
{
    component(0, 1, 0, "", "Main", 10, 100 * MS);
    component(0, 2, 1, "old", "OldPane", 10, 90 * MS);
    component(1, 1, 0, "", "Main", 10, 50 * MS);
    component(1, 2, 1, "new", "NewPane", 4, 30 * MS);
    component(1, 3, 1, "paints", "Painter", 7, 0);
    component(0, 4, 1, "quick", "Pane", 3, 0);
    component(1, 4, 1, "quick", "Pane", 3, 20 * MS);
    compare();
    cr_assert_eq(diff.count, 5);
    char *text = write_text();
    cr_expect(strstr(text, "    10.00      5.00        0.50      10      10  Main\n"), "%s", text);
    cr_expect(strstr(text, "        -      6.67           -       3       3  quick @ Pane"), "%s",
              text);
    cr_expect(
        strstr(text, "     9.00         - only before      10       -  old @ OldPane < Main\n"),
        "%s", text);
    cr_expect(
        strstr(text, "        -      7.50  only after       -       4  new @ NewPane < Main\n"),
        "%s", text);
    cr_expect(strstr(text, "        -         -  only after       -       7  paints @ Pain"), "%s",
              text);
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_layout_diff_write_json(&json, root, &diff);
    cr_expect_eq(json_number(root, "layout.0.ratio"), 0.5);
    cr_expect_str_eq(json_text(root, "layout.1.within.0"), "Main");
    const cJSON *old = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "layout"), 1);
    cr_expect(cJSON_GetObjectItem(old, "before") && !cJSON_GetObjectItem(old, "after") &&
              !cJSON_GetObjectItem(old, "ratio"));
    cr_expect_eq(json_number(root, "layout.1.before.ms_per_frame"), 9);
    cr_expect_eq(json_number(root, "layout.1.before.own_layout_ms"), 45);
    cJSON_Delete(root);
}

/* The title of a window has the name of its document. */
Test(layout_diff, the_only_one_of_its_class_is_the_same_with_another_text)
{
    component(0, 1, 0, "a.txt - Editor", "Main", 1, 4 * MS);
    component(0, 2, 1, "pane", "Pane", 1, 2 * MS);
    component(1, 1, 0, "b.txt - Editor", "Main", 1, 8 * MS);
    component(1, 2, 1, "pane", "Pane", 1, 3 * MS);
    compare();
    cr_assert_eq(diff.count, 2);
    cr_expect_str_eq(row(0)->text, "a.txt - Editor");
    cr_expect_float_eq(um_layout_diff_ratio(row(0)), 2, 1e-9);
    cr_expect_float_eq(um_layout_diff_ratio(row(1)), 1.5, 1e-9);
}

Test(layout_diff, of_several_with_another_text_nobody_knows_which_is_which)
{
    for (int side = 0; side < 2; side++)
        component(side, 1, 0, side ? "Open" : "Save", "#32770", 1, MS);
    component(0, 2, 0, "a", "Main", 1, MS);
    component(0, 3, 0, "b", "Main", 1, MS);
    component(1, 3, 0, "c", "Main", 1, MS);
    compare();
    cr_assert_eq(diff.count, 5, "dialogs have their titles, and a or b may be c");
    for (size_t i = 0; i < 5; i++)
        cr_expect(!row(i)->costs[0].components || !row(i)->costs[1].components);
}

Test(layout_diff, components_that_are_the_same_are_added_up)
{
    component(0, 1, 0, "", "Main", 3, 6 * MS);
    for (uint32_t id = 2; id < 5; id++)
        component(0, id, 1, "", "Pane", 1, MS);
    component(1, 1, 0, "", "Main", 1, 6 * MS);
    component(1, 2, 1, "", "Pane", 1, 4 * MS);
    compare();
    cr_assert_eq(diff.count, 2);
    cr_expect_eq(row(1)->costs[0].components, 3);
    cr_expect_eq(row(1)->costs[0].frames, 3);
    cr_expect_eq(row(1)->costs[0].worst_frame_ns, MS);
    cr_expect_float_eq(um_layout_diff_ms(&row(1)->costs[0]), 1, 1e-9);
    cr_expect(strstr(write_text(), "  Pane × 3 < Main\n"));
}

Test(layout_diff, nothing_is_compared_unless_both_were_measured)
{
    component(0, 1, 0, "", "Main", 3, 6 * MS);
    compare();
    cr_expect_eq(diff.count, 0);
    cr_expect_str_eq(write_text(), "");
    cr_assert_eq(um_layout_diff_make(&diff, NULL, sides[0]), UM_OK);
    cr_expect_eq(diff.count, 0);
}

/* A chain of all components, and a ring; hostile names. */
Test(layout_diff, any_components_are_borne)
{
    for (int side = 0; side < 2; side++) {
        for (uint32_t id = 1; id < UM_WIRE_LAYOUT_COMPONENTS - 2; id++)
            component(side, id, id - 1, hostile_texts[id % HOSTILE_TEXTS], "c", 1, id);
        component(side, UM_WIRE_LAYOUT_COMPONENTS - 2, UM_WIRE_LAYOUT_COMPONENTS - 1, "", "r", 1,
                  1);
        component(side, UM_WIRE_LAYOUT_COMPONENTS - 1, UM_WIRE_LAYOUT_COMPONENTS - 2, "", "r", 1,
                  1);
    }
    compare();
    cr_expect_eq(diff.count, UM_WIRE_LAYOUT_COMPONENTS - 3, "the ring is left out");
    char *text = write_text();
    cr_expect(hostile_is_harmless(text), "%s", text);
    cr_expect(strstr(text, "and 1001 more\n"), "%s", text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        cr_expect_leq(um_utf8_columns(line), 80, "%s", line);
}
