/* Which keys took long, and what took most of each. */
#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "monitor/flows/flows_slow.h"
#include "monitor/flows/flows_write.h"

#define MS 1000000

static struct um_markers markers;
static struct um_flows flows;
static struct um_flows_slow *list;
static size_t count;

static void setup(void)
{
    um_markers_thread(&markers, "ui", "UI thread", "program", 7);
}

static void teardown(void)
{
    free(list);
    um_flows_deinit(&flows);
    um_markers_deinit(&markers);
}

TestSuite(flows_slow, .init = setup, .fini = teardown);

static void marker(const char *name, const char *category, int64_t start_ms, int64_t end_ms,
                   const char *field, const char *id)
{
    if (end_ms > start_ms)
        um_markers_interval(&markers, 0, name, category, start_ms * MS, end_ms * MS);
    else
        um_markers_instant(&markers, 0, name, category, start_ms * MS);
    um_markers_flow_text(&markers, field, UM_MARKER_FLOW, id, false);
}

/* A key that arrives, is taken and handled, and painted after that. */
static void key(const char *id, int64_t arrived_ms, int64_t taken_ms, int64_t handled_ms,
                int64_t painted_ms)
{
    marker("arrived", "input", arrived_ms, arrived_ms, "input", id);
    marker("taken", "input", taken_ms, taken_ms, "input", id);
    marker("handled", "input", taken_ms, handled_ms, "input", id);
    marker("painted", "input", painted_ms, painted_ms, "input", id);
}

static void find(int64_t above_ms)
{
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_assert_eq(um_flows_init(&flows, &markers), UM_OK);
    cr_assert_eq(um_flows_slow_find(&flows, above_ms * MS, &list, &count), UM_OK);
}

static const char *name_of(uint32_t number)
{
    return number == UM_MARKERS_NONE ? ""
                                     : um_markers_get_text(&markers, markers.list[number].name);
}

static void expect(size_t place, const char *id, const char *from, const char *until, int64_t ms)
{
    cr_assert_lt(place, count);
    const struct um_flows_slow *slow = &list[place];
    cr_expect_str_eq(um_texts_get(&markers.flow_ids, flows.list[slow->flow].id), id);
    cr_expect_str_eq(name_of(slow->marker), from, "%s: %s", id, name_of(slow->marker));
    cr_expect_str_eq(name_of(slow->until), until, "%s: %s", id, name_of(slow->until));
    cr_expect_eq(slow->part_ns, ms * MS);
}

Test(flows_slow, those_above_are_listed_with_what_took_most)
{
    key("waits", 0, 300, 310, 330);
    key("works", 1000, 1001, 1250, 1260);
    key("paints", 2000, 2001, 2010, 2150);
    key("quick", 3000, 3001, 3002, 3003);
    key("not above", 4000, 4001, 4002, 4100);
    find(100);
    cr_assert_eq(count, 3);
    expect(0, "waits", "arrived", "taken", 300);
    expect(1, "works", "handled", "", 249);
    expect(2, "paints", "handled", "painted", 140);
}

Test(flows_slow, ties_are_by_start)
{
    key("b", 500, 700, 701, 702);
    key("a", 0, 200, 201, 202);
    find(100);
    cr_assert_eq(count, 2);
    expect(0, "a", "arrived", "taken", 200);
    expect(1, "b", "arrived", "taken", 200);
}

Test(flows_slow, the_freeze_that_held_it_up)
{
    marker("Frozen", "freeze", 90, 400, "freeze", "freeze");
    marker("arrived", "input", 100, 100, "input", "key");
    marker("taken", "input", 400, 400, "input", "key");
    um_markers_flow_text(&markers, "freeze", UM_MARKER_FLOW, "freeze", false);
    find(100);
    cr_assert_eq(count, 1);
    expect(0, "key", "arrived", "taken", 300);
    cr_expect_str_eq(um_texts_get(&markers.flow_ids, flows.list[list[0].freeze].id), "freeze");
}

Test(flows_slow, others_are_no_input)
{
    marker("sent", "beat", 0, 0, "beat", "beat");
    marker("taken", "beat", 500, 500, "beat", "beat");
    marker("own", "input", 0, 500, "task", "own"); /* a program may call its category so */
    find(100);
    cr_expect_eq(count, 0);
}

/* Its end is only the last time of the file. */
Test(flows_slow, what_never_ended_is_no_part)
{
    key("key", 0, 300, 700, 2000);
    marker("arrived", "input", 1000, 1000, "input", "lost");
    marker("handled", "input", 1010, 2000, "input", "lost");
    markers.list[2].open = true;
    markers.list[markers.count - 1].open = true;
    find(100);
    cr_assert_eq(count, 2);
    expect(0, "key", "arrived", "taken", 300);
    expect(1, "lost", "arrived", "handled", 10);
}

Test(flows_slow, one_marker_alone)
{
    marker("handled", "input", 0, 200, "input", "key");
    find(100);
    cr_assert_eq(count, 1);
    expect(0, "key", "handled", "", 200);
    cr_expect_eq(list[0].freeze, UM_FLOWS_NONE);
}

/* "Key" where the file does not say which key it was. Where only the last time of the file is
 * known, there is no length. */
Test(flows_slow, rows_say_which_key_and_when)
{
    static char text[4096];
    marker("Key arrived", "input", 100, 100, "input", "a");
    um_markers_text(&markers, "key", "Page Up");
    marker("Key painted", "input", 300, 300, "input", "a");
    marker("Key arrived", "input", 1000, 1000, "input", "b");
    marker("Key taken", "input", 1150, 1150, "input", "b");
    marker("Wheel handled", "input", 2000, 2200, "input", "c");
    markers.list[markers.count - 1].open = true;
    find(100);
    struct um_flows_write to = {.markers = &markers, .flows = &flows, .file = tmpfile()};
    cr_assert(to.file);
    um_flows_write_slow(&to, list, count, 100);
    rewind(to.file);
    text[fread(text, 1, sizeof text - 1, to.file)] = '\0';
    cr_expect_str_eq(text,
                     "no  flow                             input              at ms      took ms  "
                     "   of it ms  marker           what took most of it\n"
                     "n1  a;100                            Key Page Up          100          200  "
                     "        200  ui:1             Key arrived to Key painted\n"
                     "n3  c;2000                           Wheel               2000  no end seen  "
                     "                              its end was not seen\n"
                     "n2  b;1000                           Key                 1000          150  "
                     "        150  ui:3             Key arrived to Key taken\n",
                     "%s", text);
    rewind(to.file);
    cr_assert(um_flows_write_slow_json(&to, list, count));
    rewind(to.file);
    text[fread(text, 1, sizeof text - 1, to.file)] = '\0';
    fclose(to.file);
    cr_expect(
        strstr(text, "{\"id\":\"c\",\"start_ms\":2000,\"no\":\"n3\",\"open\":true,\"markers\":["),
        "%s", text);
}

Test(flows_slow, the_first_flow_of_a_name_counts)
{
    key("a", 0, 200, 201, 202);
    um_markers_flow_text(&markers, "freeze", UM_MARKER_FLOW, "first", false);
    um_markers_flow_text(&markers, "freeze", UM_MARKER_FLOW, "second", false);
    key("b", 500, 700, 701, 702);
    um_markers_flow_text(&markers, "input", UM_MARKER_FLOW, "a", false); /* is b's still */
    find(100);
    cr_assert_eq(count, 2);
    expect(0, "a", "painted", "painted", 500);
    cr_expect_str_eq(um_texts_get(&markers.flow_ids, flows.list[list[0].freeze].id), "first");
    expect(1, "b", "arrived", "taken", 200);
}
