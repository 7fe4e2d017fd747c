/* The overlay's knowledge of layout costs: frames of the feed become components with a history. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/text.h"
#include "overlay/costs.h"

#define MS UINT64_C(1000000)

static struct um_costs costs;

static void teardown(void)
{
    um_costs_close(&costs);
}

TestSuite(costs, .fini = teardown);

static void component(uint32_t id, uint32_t parent, const char *text)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_COMPONENT,
        .as.layout_component = {.id = id, .parent = parent, .window = 0x100 + id}};
    um_text_set(frame.as.layout_component.text, UM_WIRE_LAYOUT_TEXT_BYTES, text);
    um_costs_take(&costs, &frame);
}

static void meter(uint32_t id, uint64_t time_ms, uint64_t worst_ms)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_METERS,
        .as.layout_meters = {
            .time_ns = time_ms * MS,
            .count = 1,
            .list = {{.id = id, .mean_ns = worst_ms * MS, .worst_ns = worst_ms * MS}}}};
    um_costs_take(&costs, &frame);
}

static void times(uint32_t id, uint32_t message, uint64_t key)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_TIMES,
        .as.layout_times = {.count = 1, .list = {{.id = id, .message = message, .key = key}}}};
    um_costs_take(&costs, &frame);
}

static void name(uint64_t key, const char *text)
{
    struct um_wire_frame frame = {.type = UM_WIRE_NAME, .as.name = {.key = key}};
    um_text_set(frame.as.name.name, sizeof frame.as.name.name, text);
    um_costs_take(&costs, &frame);
}

Test(costs, nothing_is_known_before_the_first_component)
{
    cr_expect_null(um_costs_get(&costs, 0));
    cr_expect_null(um_costs_get(&costs, 3));
    component(5, 0, "Main");
    cr_expect_null(um_costs_get(&costs, 3));
    cr_expect_null(um_costs_get(&costs, 6));
    cr_assert_not_null(um_costs_get(&costs, 5));
    cr_expect_not(um_costs_get(&costs, 5)->measured);
    cr_expect_str_eq(um_costs_get(&costs, 5)->text, "Main");
}

Test(costs, each_bucket_has_its_worst_frame)
{
    uint64_t worst_ns[UM_COSTS_BUCKETS];
    component(3, 0, "Main");
    meter(3, 10010, 4);
    meter(3, 10090, 9);
    meter(3, 10095, 2);
    meter(3, 10310, 1);
    cr_expect(um_costs_history(um_costs_get(&costs, 3), 10350 * MS, worst_ns));
    cr_expect_eq(worst_ns[59], 1 * MS);
    cr_expect(worst_ns[58] == 0 && worst_ns[57] == 0);
    cr_expect_eq(worst_ns[56], 9 * MS);
    cr_expect_eq(um_costs_get(&costs, 3)->last.worst_ns, 1 * MS);
}

Test(costs, what_is_old_goes_to_the_left_and_out)
{
    uint64_t worst_ns[UM_COSTS_BUCKETS];
    component(3, 0, "Main");
    meter(3, 10000, 7);
    cr_expect(um_costs_history(um_costs_get(&costs, 3), 15900 * MS, worst_ns));
    cr_expect_eq(worst_ns[0], 7 * MS);
    cr_expect_not(um_costs_history(um_costs_get(&costs, 3), 16000 * MS, worst_ns));
    cr_expect_not(um_costs_history(um_costs_get(&costs, 3), 900000 * MS, worst_ns));
    meter(3, 900000, 2); /* after a pause that is longer than the history */
    um_costs_history(um_costs_get(&costs, 3), 900000 * MS, worst_ns);
    for (size_t i = 0; i < UM_COSTS_BUCKETS; i++)
        cr_expect_eq(worst_ns[i], i == 59 ? 2 * MS : 0, "%zu", i);
}

Test(costs, a_clock_that_is_behind_the_feed_shows_the_newest)
{
    uint64_t worst_ns[UM_COSTS_BUCKETS];
    component(3, 0, "Main");
    meter(3, 10010, 4);
    cr_expect(um_costs_history(um_costs_get(&costs, 3), 9990 * MS, worst_ns));
    cr_expect_eq(worst_ns[59], 4 * MS);
}

Test(costs, the_handler_has_a_name_once_it_came)
{
    component(3, 0, "Main");
    component(4, 3, "Pane");
    times(3, 5, 0x77);
    name(0x77, "PaneProc");
    name(0x78, "Other");
    cr_expect_str_eq(um_costs_get(&costs, 3)->handler, "PaneProc");
    times(4, 5, 0x77); /* whose name came before */
    cr_expect_str_eq(um_costs_get(&costs, 4)->handler, "PaneProc");
    times(3, 71, 0x79);
    cr_expect_str_eq(um_costs_get(&costs, 3)->handler, "");
    cr_expect_eq(um_costs_get(&costs, 3)->message, 71);
}

Test(costs, texts_are_made_fit_to_be_shown)
{
    component(3, 0, "A\tB\x1b[31m");
    cr_expect_null(strchr(um_costs_get(&costs, 3)->text, '\x1b'));
    cr_expect_null(strchr(um_costs_get(&costs, 3)->text, '\t'));
}

/* A parent that comes after its child could lead around in a circle. */
Test(costs, a_parent_has_the_smaller_id)
{
    component(3, 4, "A");
    component(4, 3, "B");
    cr_expect_eq(um_costs_get(&costs, 3)->parent, 0);
    cr_expect_eq(um_costs_get(&costs, 4)->parent, 3);
}

Test(costs, a_copy_is_the_same)
{
    struct um_costs copy = {0};
    cr_expect_eq(um_costs_copy(&costs, &copy), UM_OK);
    cr_expect_null(copy.list);
    component(3, 0, "Main");
    meter(3, 10000, 7);
    cr_expect_eq(um_costs_copy(&costs, &copy), UM_OK);
    cr_expect_eq(copy.changes, costs.changes);
    cr_expect_eq(um_costs_get(&copy, 3)->last.worst_ns, 7 * MS);
    um_costs_close(&copy);
}

static void session(uint64_t hwnd, uint8_t flags)
{
    const struct um_wire_frame frame = {
        .type = UM_WIRE_SESSION, .flags = flags, .as.session.hwnd = hwnd};
    um_costs_take(&costs, &frame);
}

static void place(uint32_t id, int32_t left, uint32_t width)
{
    const struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_PLACE,
        .as.layout_place = {.id = id, .left = left, .width = width, .height = 20}};
    um_costs_take(&costs, &frame);
}

/* Live it is the system that says where a window is. */
Test(costs, a_place_is_news_in_a_replay_alone)
{
    session(0x103, 0);
    component(3, 0, "Main");
    uint32_t news = costs.news, changes = costs.changes;
    place(3, 5, 10);
    cr_expect(costs.news == news && costs.changes == changes);
    cr_expect_eq(um_costs_get(&costs, 3)->place.left, 5);
    session(0, 0);
    place(3, 6, 10);
    cr_expect(costs.news == news + 1 && costs.changes == changes + 1);
    place(3, 6, 10);
    cr_expect(costs.news == news + 1 && costs.changes == changes + 1, "it is the same place");
    cr_expect_eq(um_costs_get(&costs, 3)->place.left, 6);
}

/* What follows a jump back is of an earlier time. */
Test(costs, a_replay_that_jumps_begins_anew)
{
    struct um_costs copy = {0};
    uint64_t worst_ns[UM_COSTS_BUCKETS];
    session(0, 0);
    component(3, 0, "Main");
    component(4, 3, "Pane");
    place(4, 5, 10);
    meter(4, 10000, 7);
    cr_expect_eq(um_costs_copy(&costs, &copy), UM_OK);
    session(0, 0); /* with another caption */
    cr_expect_not_null(um_costs_get(&costs, 4));
    uint32_t changes = costs.changes;
    session(0, UM_WIRE_SESSION_ANEW);
    cr_expect_null(um_costs_get(&costs, 3));
    cr_expect_null(um_costs_get(&costs, 4));
    cr_expect_neq(costs.changes, changes);
    meter(3, 2000, 9);
    component(4, 3, "Pane");
    cr_expect_eq(um_costs_copy(&costs, &copy), UM_OK);
    cr_expect_not(um_costs_get(&copy, 4)->measured);
    cr_expect_eq(um_costs_get(&copy, 4)->place.id, 0);
    um_costs_history(um_costs_get(&copy, 3), 2000 * MS, worst_ns);
    cr_expect_eq(worst_ns[59], 9 * MS);
    um_costs_close(&copy);
}
