/* Flows: the fixtures of the issue that they come from, and what it leaves open. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/flows/flow_names.h"
#include "monitor/flows/flows.h"
#include "monitor/flows/flows_near.h"
#include "monitor/flows/flows_write.h"

#define MS 1000000

static struct um_markers markers;
static struct um_flows flows;
static char error[1280];

static void teardown(void)
{
    um_flows_deinit(&flows);
    um_markers_deinit(&markers);
}

TestSuite(flows, .fini = teardown);

static uint32_t thread(const char *label)
{
    return um_markers_thread(&markers, label, label, "program", 7);
}

static void instant(uint32_t of, const char *name, int64_t at_ms)
{
    um_markers_instant(&markers, of, name, "", at_ms * MS);
}

static void interval(uint32_t of, const char *name, int64_t start_ms, int64_t end_ms)
{
    um_markers_interval(&markers, of, name, "", start_ms * MS, end_ms * MS);
}

/* The last marker lies on the stack. */
static void on_stack(void)
{
    markers.list[markers.count - 1].stack_based = true;
}

static void mentions(const char *id)
{
    um_markers_flow_text(&markers, "flow", UM_MARKER_FLOW, id, false);
}

static void ends(const char *id)
{
    um_markers_flow_text(&markers, "flow", UM_MARKER_TERMINATING_FLOW, id, false);
}

static void finish(void)
{
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_assert_eq(um_flows_init(&flows, &markers), UM_OK);
}

static uint32_t flow_of(const char *name)
{
    uint32_t flow = UM_FLOWS_NONE;
    cr_assert(um_flow_names_find(&flows, &markers, name, &flow, error, sizeof error), "%s: %s",
              name, error);
    return flow;
}

/* The names of a flow's markers, with spaces between them. */
static void expect_markers(const char *flow, const char *names)
{
    const struct um_flow *of = &flows.list[flow_of(flow)];
    char found[512] = "";
    for (uint32_t i = 0; i < of->count; i++) {
        const struct um_marker *marker = &markers.list[flows.members[of->first + i]];
        strcat(strcat(found, i ? " " : ""), um_markers_get_text(&markers, marker->name));
    }
    cr_expect_str_eq(found, names);
}

/* The ids of the flows around a flow, with spaces between them. */
static void expect_kin(const char *flow, enum um_flows_kin kin, const char *ids)
{
    char found[512] = "";
    uint32_t *list;
    size_t count;
    cr_assert_eq(um_flows_kin(&flows, flow_of(flow), kin, &list, &count), UM_OK);
    for (size_t i = 0; i < count; i++)
        strcat(strcat(found, i ? " " : ""),
               um_texts_get(&markers.flow_ids, flows.list[list[i]].id));
    free(list);
    cr_expect_str_eq(found, ids, "of %s: \"%s\"", flow, found);
}

/* The flows up to so many steps away with the steps of each, with spaces between them. */
static void expect_near(const char *flow, uint32_t steps, const char *lines)
{
    char found[512] = "";
    struct um_flows_near *list;
    size_t count, len = 0;
    cr_assert_eq(um_flows_near_find(&flows, flow_of(flow), steps, &list, &count), UM_OK);
    for (size_t i = 0; i < count; i++)
        len += (size_t)snprintf(found + len, sizeof found - len, "%s%s%u", i ? " " : "",
                                um_texts_get(&markers.flow_ids, flows.list[list[i].flow].id),
                                (unsigned)list[i].steps);
    free(list);
    cr_expect_str_eq(found, lines, "of %s: \"%s\"", flow, found);
}

#define REQUEST "000000010924c9c00"
#define DISPATCHER "0000000108ef89500"
#define EVENT "000000010bc7e2000"

/* On three threads, so that the order of time is not the order in which they are added. */
static void make_image_load(void)
{
    uint32_t main = thread("main"), network = thread("network"), other = thread("other");
    instant(main, "LoadImage", 10);
    mentions(REQUEST);
    instant(main, "FireEvent", 40);
    mentions(REQUEST);
    mentions(DISPATCHER);
    interval(main, "Run", 50, 60);
    mentions(DISPATCHER);
    mentions(EVENT);
    instant(main, "~Dispatcher", 61);
    ends(DISPATCHER);
    instant(network, "OnStart", 20);
    mentions(REQUEST);
    instant(network, "OnStop", 30);
    mentions(REQUEST);
    interval(other, "DOMEvent", 52, 58);
    mentions(EVENT);
    finish();
}

Test(flows, image_load_is_followed_through_three_flows_to_its_event)
{
    make_image_load();
    cr_assert_eq(flows.count, 3);
    expect_markers(REQUEST ";10", "LoadImage OnStart OnStop FireEvent");
    expect_kin(REQUEST ";10", UM_FLOWS_CONNECTED, DISPATCHER);
    expect_markers(DISPATCHER ";40", "FireEvent Run ~Dispatcher");
    expect_kin(DISPATCHER ";40", UM_FLOWS_CONNECTED, REQUEST " " EVENT);
    expect_markers(EVENT ";50", "Run DOMEvent");
    expect_kin(EVENT ";50", UM_FLOWS_CONNECTED, DISPATCHER);
    expect_kin(EVENT ";50", UM_FLOWS_INCOMING, "");
}

Test(flows, a_flow_lasts_from_its_first_marker_to_its_last)
{
    make_image_load();
    const struct um_flow *flow = &flows.list[flow_of(EVENT)];
    cr_expect_eq(flow->start_ns, 50 * MS);
    cr_expect_eq(flow->end_ns, 58 * MS);
}

Test(flows, f1_f2_and_f3_share_b_and_f)
{
    uint32_t one = thread("1"), two = thread("2");
    instant(one, "A", 1);
    mentions("F1");
    instant(two, "D", 2);
    mentions("F2");
    instant(one, "B", 3);
    mentions("F1");
    mentions("F2");
    instant(one, "C", 4);
    mentions("F1");
    instant(two, "E", 5);
    mentions("F2");
    instant(two, "F", 6);
    mentions("F2");
    mentions("F3");
    instant(two, "G", 7);
    mentions("F3");
    finish();
    expect_markers("F1", "A B C");
    expect_markers("F2", "D B E F");
    expect_markers("F3", "F G");
    expect_kin("F1", UM_FLOWS_CONNECTED, "F2");
    expect_kin("F2", UM_FLOWS_CONNECTED, "F1 F3");
    expect_kin("F3", UM_FLOWS_CONNECTED, "F2");
}

Test(flows, connections_may_be_a_cycle)
{
    uint32_t one = thread("1");
    const char *const pairs[][2] = {{"a", "b"}, {"b", "c"}, {"c", "a"}};
    for (int i = 0; i < 3; i++) {
        instant(one, "m", i);
        mentions(pairs[i][0]);
        mentions(pairs[i][1]);
    }
    finish();
    expect_kin("a", UM_FLOWS_CONNECTED, "b c");
    expect_near("a", 100, "a0 b1 c1");
}

Test(flows, an_id_that_is_used_again_is_another_flow)
{
    uint32_t one = thread("1"), two = thread("2");
    instant(one, "A", 1);
    mentions("x");
    instant(two, "B", 2);
    ends("x");
    instant(one, "C", 3);
    mentions("x");
    instant(two, "D", 4);
    mentions("x");
    finish();
    cr_assert_eq(flows.count, 2);
    expect_markers("x;1", "A B");
    expect_markers("x;2", "A B");
    expect_markers("x;3", "C D");
    expect_markers("x;4", "C D");
}

Test(flows, a_termination_without_a_flow_is_a_flow_of_one_marker)
{
    uint32_t one = thread("1");
    instant(one, "A", 1);
    ends("x");
    instant(one, "B", 2);
    ends("x");
    finish();
    cr_assert_eq(flows.count, 2);
    expect_markers("x;1", "A");
    expect_markers("x;2", "B");
}

Test(flows, an_interval_ends_a_flow_when_it_starts)
{
    uint32_t one = thread("1"), two = thread("2");
    instant(one, "A", 1);
    mentions("x");
    interval(one, "B", 2, 9);
    ends("x");
    instant(two, "C", 5);
    mentions("x");
    finish();
    expect_markers("x;1", "A B");
    expect_markers("x;5", "C");
}

/* The first goes on while the second begins and ends. */
Test(flows, a_flow_is_named_by_a_time_until_its_end)
{
    uint32_t one = thread("1"), two = thread("2"), flow;
    interval(one, "A", 2, 9);
    ends("x");
    instant(two, "B", 5);
    ends("x");
    finish();
    expect_markers("x;4", "A");
    expect_markers("x;5", "B");
    expect_markers("x;7", "A");
    expect_markers("x;9", "A");
    cr_expect_not(um_flow_names_find(&flows, &markers, "x;10", &flow, error, sizeof error));
}

Test(flows, a_field_of_the_end_counts_from_the_end)
{
    uint32_t one = thread("1"), two = thread("2");
    interval(one, "B", 2, 9);
    um_markers_flow_text(&markers, "flow", UM_MARKER_TERMINATING_FLOW, "x", true);
    instant(two, "A", 1);
    mentions("x");
    instant(two, "C", 5);
    mentions("x");
    instant(two, "D", 10);
    mentions("x");
    finish();
    expect_markers("x;1", "A C B");
    expect_markers("x;10", "D");
}

Test(flows, a_flow_lasts_until_the_end_of_a_marker_that_ends_it_there)
{
    uint32_t of = thread("T");
    interval(of, "Request", 1, 9);
    mentions("1");
    um_markers_flow_text(&markers, "flow", UM_MARKER_TERMINATING_FLOW, "1", true);
    interval(of, "Query", 3, 5);
    mentions("1");
    finish();
    cr_assert_eq(flows.count, 1);
    cr_expect_eq(flows.list[0].count, 2);
    cr_expect_eq(flows.list[0].end_ns, 9 * MS);
}

Test(flows, a_marker_is_in_a_flow_once)
{
    uint32_t one = thread("1"), two = thread("2");
    interval(one, "A", 1, 9);
    mentions("x");
    mentions("x");
    um_markers_flow_text(&markers, "flow", UM_MARKER_FLOW, "x", true);
    um_markers_flow_text(&markers, "flow", UM_MARKER_FLOW, "y", true);
    um_markers_flow_text(&markers, "flow", UM_MARKER_FLOW, "y", true);
    instant(two, "B", 5);
    mentions("x");
    finish();
    expect_markers("x", "A B");
    expect_markers("y", "A");
}

/* A field that ends the flow counts after the others, wherever it stands. */
static void expect_that_b_ends_x(void)
{
    uint32_t one = markers.list[0].thread;
    instant(one, "C", 3);
    mentions("x");
    finish();
    expect_markers("x;1", "A B");
    expect_markers("x;2", "A B");
    expect_markers("x;3", "C");
}

Test(flows, a_marker_that_mentions_a_flow_and_ends_it_is_its_last)
{
    uint32_t one = thread("1");
    instant(one, "A", 1);
    mentions("x");
    instant(one, "B", 2);
    mentions("x");
    ends("x");
    expect_that_b_ends_x();
}

Test(flows, a_marker_that_ends_a_flow_before_it_mentions_it_is_its_last)
{
    uint32_t one = thread("1");
    instant(one, "A", 1);
    mentions("x");
    instant(one, "B", 2);
    ends("x");
    mentions("x");
    expect_that_b_ends_x();
}

Test(flows, a_marker_that_ends_a_flow_in_two_fields_ends_it_once)
{
    uint32_t one = thread("1");
    instant(one, "A", 1);
    mentions("x");
    instant(one, "B", 2);
    ends("x");
    ends("y");
    ends("x");
    expect_that_b_ends_x();
    cr_expect_eq(flows.count, 3);
    expect_markers("y", "B");
}

/* At another time it is another flow. */
Test(flows, a_marker_may_end_two_flows_of_an_id)
{
    uint32_t one = thread("1");
    interval(one, "A", 1, 9);
    ends("x");
    um_markers_flow_text(&markers, "flow", UM_MARKER_TERMINATING_FLOW, "x", true);
    instant(one, "B", 9);
    ends("x");
    finish();
    cr_expect_eq(flows.count, 3);
}

/* Others mention the flow between its mentions. */
Test(flows, a_marker_that_mentions_a_flow_at_several_times_is_in_it_once)
{
    uint32_t one = thread("1"), two = thread("2");
    interval(one, "A", 1, 9);
    for (int at_ms = 2; at_ms < 9; at_ms += 2)
        um_markers_flow_at(&markers, "flow", UM_MARKER_FLOW, "x", at_ms * MS,
                           (uint32_t)markers.field_count);
    for (int at_ms = 1; at_ms < 6; at_ms += 2) {
        instant(two, "B", at_ms);
        mentions("x");
    }
    um_markers_flow_at(&markers, "flow", UM_MARKER_TERMINATING_FLOW, "x", 10 * MS,
                       (uint32_t)markers.field_count);
    finish();
    cr_assert_eq(flows.count, 1);
    expect_markers("x", "B A B B");
    cr_expect_eq(flows.list[0].start_ns, 1 * MS);
    cr_expect_eq(flows.list[0].end_ns, 10 * MS);
}

/* What is mentioned at the start comes before what is mentioned at the end, unless it is one
 * time. */
Test(flows, a_marker_without_length_ends_its_flow_last)
{
    uint32_t one = thread("1");
    interval(one, "A", 1, 1);
    ends("x");
    um_markers_flow_text(&markers, "flow", UM_MARKER_FLOW, "x", true);
    instant(one, "B", 2);
    mentions("x");
    finish();
    expect_markers("x;1", "A");
    expect_markers("x;2", "B");
}

Test(flows, the_longest_are_listed_first_and_ties_by_begin)
{
    static const char *const ids[] = {"c", "b", "d", "a"};
    uint32_t one = thread("1"), *list;
    interval(one, "A", 1, 3);
    mentions("a");
    interval(one, "B", 2, 12);
    mentions("b");
    interval(one, "C", 3, 14);
    mentions("c");
    interval(one, "D", 4, 14);
    mentions("d");
    finish();
    cr_assert_eq(um_flows_longest(&flows, &list), UM_OK);
    for (size_t i = 0; i < 4; i++)
        cr_expect_str_eq(um_texts_get(&markers.flow_ids, flows.list[list[i]].id), ids[i]);
    free(list);
}

/* A runs and dispatches B and C, and then B dispatches D and E. */
static void make_runnables(void)
{
    uint32_t one = thread("1"), two = thread("2");
    interval(one, "run A", 10, 20);
    on_stack();
    ends("A");
    instant(one, "dispatch B", 12);
    on_stack();
    mentions("B");
    instant(one, "dispatch C", 14);
    on_stack();
    mentions("C");
    interval(two, "run B", 30, 40);
    on_stack();
    ends("B");
    instant(two, "dispatch D", 32);
    on_stack();
    mentions("D");
    instant(two, "dispatch E", 34);
    on_stack();
    mentions("E");
    interval(one, "run C", 50, 60);
    on_stack();
    ends("C");
    finish();
}

Test(flows, runnables_a_to_e_have_their_context)
{
    make_runnables();
    expect_kin("A", UM_FLOWS_INCOMING, "");
    expect_kin("A", UM_FLOWS_OUTGOING, "B C");
    expect_kin("B", UM_FLOWS_INCOMING, "A");
    expect_kin("B", UM_FLOWS_OUTGOING, "D E");
    expect_kin("C", UM_FLOWS_INCOMING, "A");
    expect_kin("C", UM_FLOWS_OUTGOING, "");
    expect_kin("D", UM_FLOWS_INCOMING, "B");
    expect_kin("E", UM_FLOWS_INCOMING, "B");
    expect_kin("E", UM_FLOWS_CONNECTED, "");
}

Test(flows, those_around_a_flow_come_before_and_after_it)
{
    make_runnables();
    expect_near("B", 0, "B0");
    expect_near("B", 1, "A1 B0 D1 E1");
    expect_near("B", 2, "A1 B0 D1 E1 C2");
    expect_near("D", 1, "B1 D0");
    expect_near("D", 1000, "B1 D0 A2 E2 C3");
}

/* The marker of both is within another one of the same flow. */
Test(flows, a_flow_may_be_connected_and_outgoing)
{
    struct um_flows_near *list;
    size_t count;
    uint32_t one = thread("1");
    interval(one, "outer", 10, 20);
    on_stack();
    mentions("a");
    instant(one, "inner", 12);
    on_stack();
    mentions("a");
    mentions("b");
    finish();
    cr_assert_eq(um_flows_near_find(&flows, flow_of("a"), 1, &list, &count), UM_OK);
    cr_assert_eq(count, 2);
    cr_expect_eq(list[0].steps, 0);
    cr_expect_eq(list[0].kins, 0);
    cr_expect_eq(list[1].kins, 1U << UM_FLOWS_CONNECTED | 1U << UM_FLOWS_OUTGOING);
    free(list);
}

static void make_flows_of_one_marker(int count)
{
    char id[32];
    interval(thread("1"), "M", 1, 2);
    on_stack();
    for (int i = 0; i < count; i++) {
        snprintf(id, sizeof id, "flow %d", i);
        mentions(id);
    }
}

/* Each of them is connected to all others, and incoming to what is in the last one. */
Test(flows, a_marker_may_be_in_very_many_flows)
{
    const int many = 60000;
    struct um_flows_near *list;
    size_t count;
    make_flows_of_one_marker(many);
    instant(0, "inside", 1);
    on_stack();
    mentions("inside");
    finish();
    cr_assert_eq(um_flows_near_find(&flows, flow_of("inside"), 2, &list, &count), UM_OK);
    cr_expect_eq(count, many + 1);
    cr_expect_eq(list[0].steps, 1);
    cr_expect_eq(list[many].steps, 0);
    free(list);
    cr_assert_eq(um_flows_near_find(&flows, flow_of("flow 7"), 3, &list, &count), UM_OK);
    cr_expect_eq(count, many + 1);
    free(list);
}

static char printed_text[8192];

/* What was written to a stream of tmpfile; closes it. */
static const char *written(FILE *file)
{
    rewind(file);
    printed_text[fread(printed_text, 1, sizeof printed_text - 1, file)] = '\0';
    fclose(file);
    return printed_text;
}

/* A flow whose last marker has no end, and one that goes on after such a marker. */
static void make_open_flows(void)
{
    uint32_t one = thread("1");
    instant(one, "A", 1);
    mentions("open");
    interval(one, "B", 2, 100);
    mentions("open");
    mentions("on");
    markers.list[1].open = true;
    instant(one, "C", 3);
    mentions("on");
    finish();
}

Test(flows, tables_say_where_no_end_was_seen)
{
    make_open_flows();
    static const uint32_t list[] = {0, 1};
    struct um_flows_write to = {.markers = &markers, .flows = &flows, .file = tmpfile()};
    cr_assert(to.file && um_flows_write_list(&to, list, 2, 2));
    cr_expect_str_eq(
        written(to.file),
        "no  flow                                    from ms          to ms  markers  threads  "
        "first marker\n"
        "n1  open;1                                        1    no end seen        2        1  A\n"
        "n2  on;2                                          2              3        2        1  B\n",
        "%s", printed_text);
    struct um_flows_near near = {.flow = 0};
    to.file = tmpfile();
    cr_assert(to.file && um_flows_write_flow(&to, 0, &near, 1));
    cr_expect_str_eq(
        written(to.file),
        "n1  open;1, its end was not seen\n"
        "  marker                    at ms       for ms  thread           name and fields\n"
        "  1:1                           1               1                A  flow=open;1\n"
        "  1:2                           2  no end seen  1                B  flow=open;1  "
        "flow=on;2\n\n"
        "          no  flow                                    from ms          to ms  markers  "
        "threads  first marker\n"
        "itself    n1  open;1                                        1    no end seen        2  "
        "      1  A\n",
        "%s", printed_text);
}

Test(flows, json_has_no_end_that_was_not_seen)
{
    make_open_flows();
    static const uint32_t list[] = {0, 1};
    struct um_flows_write to = {.markers = &markers, .flows = &flows, .file = tmpfile()};
    cr_assert(to.file && um_flows_write_json(&to, UM_FLOWS_NONE, list, 2));
    written(to.file);
    cr_expect(strstr(printed_text, "{\"id\":\"open\",\"start_ms\":1,\"no\":\"n1\",\"open\":true,"),
              "%s", printed_text);
    cr_expect(strstr(printed_text, "{\"id\":\"on\",\"start_ms\":2,\"no\":\"n2\",\"end_ms\":3,"),
              "%s", printed_text);
    cr_expect(strstr(printed_text, "\"start_ms\":2,\"open\":true,\"fields\":["), "%s",
              printed_text);
    cr_expect_not(strstr(printed_text, "100"), "%s", printed_text);
}

/* Times since 1970, in microseconds, and ids of any length. */
Test(flows, columns_are_as_wide_as_what_is_in_them)
{
    uint32_t one = thread("4242:a long name of a thread");
    um_markers_interval(&markers, one, "A", "", INT64_C(1712345678901234567),
                        INT64_C(1712345678902234567));
    mentions("{01234567-89ab-cdef-0123-456789abcdef}");
    um_markers_interval(&markers, one, "B", "", 5 * MS, INT64_C(1712345678902234567));
    mentions("b");
    finish();
    static const uint32_t list[] = {1, 0};
    struct um_flows_write to = {.markers = &markers, .flows = &flows, .file = tmpfile()};
    cr_assert(to.file && um_flows_write_list(&to, list, 2, 2));
    cr_expect_str_eq(
        written(to.file),
        "no  flow                                                                     from ms  "
        "              to ms  markers  threads  first marker\n"
        "n2  {01234567-89ab-cdef-0123-456789abcdef};1712345678901.234567 1712345678901.234567 "
        "1712345678902.234567        1        1  A\n"
        "n1  b;5                                                                            5 "
        "1712345678902.234567        1        1  B\n",
        "%s", printed_text);
    to.file = tmpfile();
    cr_assert(to.file);
    um_flows_write_markers(&to, list, 2);
    cr_expect_str_eq(
        written(to.file),
        "  marker                                        at ms               for ms  thread       "
        "                name and fields\n"
        "  4242:a long name of a thread:2 1712345678901.234567                    1  "
        "4242:a long name of a thread A  flow={01234567-89ab-cdef-0123-456789abcdef};"
        "1712345678901.234567\n"
        "  4242:a long name of a thread:1                    5 1712345678897.234567  "
        "4242:a long name of a thread B  flow=b;5\n",
        "%s", printed_text);
}

Test(flows, whole_numbers_keep_their_digits_in_tables)
{
    static char printed[1024];
    uint32_t first = 0;
    instant(thread("1"), "A", 1);
    um_markers_number(&markers, "bytes", 1234567);
    um_markers_number(&markers, "below", -9007199254740991);
    um_markers_number(&markers, "ratio", 1.23456789);
    um_markers_number(&markers, "huge", 1e300);
    um_markers_number(&markers, "none", NAN);
    finish();
    struct um_flows_write to = {.markers = &markers, .flows = &flows, .file = tmpfile()};
    cr_assert(to.file);
    um_flows_write_markers(&to, &first, 1);
    rewind(to.file);
    printed[fread(printed, 1, sizeof printed - 1, to.file)] = '\0';
    fclose(to.file);
    cr_expect(strstr(printed,
                     "  bytes=1234567  below=-9007199254740991  ratio=1.23457  huge=1e+300  "
                     "none=nan\n"),
              "%s", printed);
}

Test(flows, json_has_a_thousand_flows_around_a_flow)
{
    static char printed[262144];
    uint32_t first = 0;
    make_flows_of_one_marker(1100);
    finish();
    struct um_flows_write to = {.markers = &markers, .flows = &flows, .file = tmpfile()};
    cr_assert(to.file && um_flows_write_json(&to, UM_FLOWS_NONE, &first, 1));
    rewind(to.file);
    printed[fread(printed, 1, sizeof printed - 1, to.file)] = '\0';
    fclose(to.file);
    cr_expect(strstr(printed, "{\"id\":\"flow 1000\",\"start_ms\":1}],\"connected_more\":99,"));
    cr_expect(strstr(printed, "\"fields_more\":100}"));
    cr_expect_not(strstr(printed, "\"flow 1001\""));
    cr_expect_not(strstr(printed, "outgoing_more"));
}

Test(flows, json_of_many_flows_has_a_million_flows_around_them)
{
    enum { FLOWS = 1500 }; /* a marker connects each of them to all */
    static char line[131072];
    static uint32_t all[FLOWS];
    size_t lines = 0, around = 0, cut = 0;
    make_flows_of_one_marker(FLOWS);
    finish();
    for (uint32_t i = 0; i < FLOWS; i++)
        all[i] = i;
    struct um_flows_write to = {.markers = &markers, .flows = &flows, .file = tmpfile()};
    cr_assert(to.file && um_flows_write_json(&to, UM_FLOWS_NONE, all, FLOWS));
    rewind(to.file);
    while (fgets(line, sizeof line, to.file)) {
        const char *connected = strstr(line, "\"connected\":[");
        lines += connected != NULL;
        cut += strstr(line, "\"connected_more\":1489,") != NULL; /* but for itself and ten */
        for (const char *at = line; (at = strstr(at, "{\"id\":\"flow ")); at++)
            around++;
    }
    fclose(to.file);
    /* Each stands there itself, in ten fields and beside ten others; a million more are shared. */
    cr_expect_eq(lines, FLOWS);
    cr_expect_eq(around, FLOWS * (1 + 10 + 10) + 1000000);
    cr_expect_gt(cut, FLOWS / 2);
}

Test(flows, some_of_the_flows_around_a_flow)
{
    uint32_t *list;
    size_t count, steps = 40;
    bool is_whole = true;
    make_flows_of_one_marker(50);
    finish();
    cr_assert_eq(um_flows_some_kin(&flows, flow_of("flow 3"), UM_FLOWS_CONNECTED, &steps, &list,
                                   &count, &is_whole),
                 UM_OK);
    cr_expect_not(is_whole);
    cr_expect_eq(steps, 0);
    cr_expect_eq(count, 39); /* of 40 fields one is the flow itself */
    free(list);
    steps = 50;
    cr_assert_eq(um_flows_some_kin(&flows, flow_of("flow 3"), UM_FLOWS_CONNECTED, &steps, &list,
                                   &count, &is_whole),
                 UM_OK);
    cr_expect(is_whole);
    cr_expect_eq(count, 49);
    free(list);
}

Test(flows, json_says_of_which_flows_not_all_around_them_is_known)
{
    enum {
        FLOWS = 1100,
        WRITTEN = 8
    }; /* each looks at a hundred fields more than there always are */
    static char line[262144];
    static uint32_t all[WRITTEN] = {0, 1, 2, 3, 4, 5, 6, 7};
    size_t counted = 0, tangled = 0, lines = 0;
    make_flows_of_one_marker(FLOWS);
    finish();
    struct um_flows_write to = {.markers = &markers,
                                .flows = &flows,
                                .file = tmpfile(),
                                .tangled = &counted,
                                .more_steps = 500};
    cr_assert(to.file && um_flows_write_json(&to, UM_FLOWS_NONE, all, WRITTEN));
    rewind(to.file);
    while (fgets(line, sizeof line, to.file)) {
        bool says = strstr(line, "\"tangled\":true") != NULL;
        if (!strstr(line, "\"connected\":["))
            continue;
        cr_expect_eq(says, lines >= 5);
        cr_expect(strstr(line, says ? "\"id\":\"flow 999\"" : "\"connected_more\":99,"));
        tangled += says;
        lines++;
    }
    fclose(to.file);
    cr_expect_eq(lines, WRITTEN);
    cr_expect_eq(tangled, 3);
    cr_expect_eq(counted, 3);
}

Test(flows, context_is_the_closest_interval_on_the_stack_that_has_a_flow)
{
    uint32_t one = thread("1"), two = thread("2");
    interval(one, "outer", 0, 100);
    on_stack();
    mentions("outer");
    interval(one, "no stack", 10, 90);
    mentions("no stack");
    interval(one, "no flow", 20, 80);
    on_stack();
    interval(two, "other thread", 0, 100);
    on_stack();
    mentions("other");
    instant(one, "inner", 50);
    on_stack();
    mentions("inner");
    instant(one, "apart", 50);
    mentions("apart");
    interval(one, "across", 95, 105);
    on_stack();
    mentions("across");
    finish();
    expect_kin("inner", UM_FLOWS_INCOMING, "outer");
    expect_kin("apart", UM_FLOWS_INCOMING, "");
    expect_kin("across", UM_FLOWS_INCOMING, "");
    expect_kin("outer", UM_FLOWS_OUTGOING, "inner");
}

Test(flows, what_begins_with_its_context_lies_within_it)
{
    uint32_t one = thread("1");
    interval(one, "inner", 10, 15);
    on_stack();
    mentions("inner");
    interval(one, "outer", 10, 20);
    on_stack();
    mentions("outer");
    instant(one, "at the end", 20);
    on_stack();
    mentions("end");
    finish();
    expect_kin("inner", UM_FLOWS_INCOMING, "outer");
    expect_kin("end", UM_FLOWS_INCOMING, "outer");
    expect_kin("outer", UM_FLOWS_INCOMING, "");
}

/* The last marker's end was not seen. */
static void never_ended(void)
{
    markers.list[markers.count - 1].open = true;
}

Test(flows, what_never_ended_is_no_context_but_has_one)
{
    uint32_t one = thread("1");
    interval(one, "outer", 0, 50);
    on_stack();
    mentions("outer");
    interval(one, "open", 10, 1000); /* until the last time of the file */
    on_stack();
    mentions("open");
    never_ended();
    interval(one, "within", 20, 30);
    on_stack();
    mentions("within");
    instant(one, "later", 500);
    on_stack();
    mentions("later");
    interval(one, "together", 500, 1000);
    on_stack();
    mentions("together");
    interval(one, "at its start", 10, 12);
    on_stack();
    mentions("start");
    finish();
    expect_kin("open", UM_FLOWS_INCOMING, "outer");
    expect_kin("open", UM_FLOWS_OUTGOING, "");
    expect_kin("within", UM_FLOWS_INCOMING, "outer");
    expect_kin("start", UM_FLOWS_INCOMING, "outer");
    expect_kin("later", UM_FLOWS_INCOMING, "together");
    expect_kin("together", UM_FLOWS_INCOMING, "");
}

Test(flows, a_flow_is_open_where_its_last_marker_is)
{
    uint32_t one = thread("1");
    instant(one, "A", 1);
    mentions("open");
    interval(one, "B", 2, 100);
    mentions("open");
    mentions("goes on");
    never_ended();
    instant(one, "C", 100);
    mentions("goes on");
    interval(one, "D", 3, 100);
    um_markers_flow_text(&markers, "flow", UM_MARKER_TERMINATING_FLOW, "ends there", true);
    mentions("ends there");
    never_ended();
    instant(one, "E", 50);
    mentions("ends there");
    finish();
    cr_expect(um_flows_is_open(&flows, flow_of("open")));
    cr_expect_not(um_flows_is_open(&flows, flow_of("goes on")));
    cr_expect(um_flows_is_open(&flows, flow_of("ends there")));
}

/* As a terminal has it, and as it is. */
Test(flows, a_flow_is_found_by_its_id_as_it_is_shown)
{
    uint32_t one = thread("1");
    instant(one, "A", 1);
    mentions("tab\there");
    instant(one, "B", 2);
    mentions("nl\nhere");
    instant(one, "C", 3);
    mentions("nl\there");
    finish();
    uint32_t flow;
    cr_expect_eq(flow_of("tab\xef\xbf\xbdhere;1"), flow_of("tab\there;1"));
    cr_expect_not(
        um_flow_names_find(&flows, &markers, "nl\xef\xbf\xbdhere", &flow, error, sizeof error));
}

Test(flows, a_flow_is_named_by_its_id_and_any_time_of_it)
{
    make_image_load();
    uint32_t flow;
    cr_expect_eq(flow_of("10BC7E2000;52"), flow_of(EVENT));
    cr_expect_eq(flow_of(EVENT ";50.0000001"), flow_of(EVENT));
    cr_expect_eq(flow_of(DISPATCHER ";61"), flow_of(DISPATCHER ";40"));
    cr_expect_not(um_flow_names_find(&flows, &markers, EVENT ";99", &flow, error, sizeof error));
    cr_expect_str_eq(error, "none lasts at that time; " EVENT " lasts from 50 to 58 ms");
    cr_expect_not(um_flow_names_find(&flows, &markers, "nothing;5", &flow, error, sizeof error));
    cr_expect(strstr(error, "no marker mentions"), "%s", error);
    cr_expect_not(um_flow_names_find(&flows, &markers, EVENT ";", &flow, error, sizeof error));
    cr_expect_not(um_flow_names_find(&flows, &markers, EVENT ";5x", &flow, error, sizeof error));
    cr_expect_not(um_flow_names_find(&flows, &markers, EVENT ";1e3", &flow, error, sizeof error));
}

/* What is printed of a flow is its whole name, by which it is found. */
/* In the order in which they begin, and not of their ids. */
Test(flows, a_flow_has_a_short_name)
{
    uint32_t one = thread("1"), flow;
    char no[UM_FLOW_NAMES_NO_BYTES];
    instant(one, "B", 2);
    mentions("a");
    instant(one, "A", 1);
    mentions("b");
    finish();
    cr_expect_eq(flow_of("n1"), flow_of("b"));
    cr_expect_eq(flow_of("n2"), flow_of("a"));
    cr_expect_str_eq(um_flow_names_no(flow_of("a"), no), "n2");
    static const char *const none[] = {"n3", "n99999", "n4294967297", "n99999999999999999999999"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        cr_expect_not(um_flow_names_find(&flows, &markers, none[i], &flow, error, sizeof error));
        cr_expect_str_eq(error, "the file has the flows n1 to n2", "%s: %s", none[i], error);
    }
    static const char *const others[] = {"n0", "n01", "n", "n1x", "n1;1", "N1"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        cr_expect_not(um_flow_names_find(&flows, &markers, others[i], &flow, error, sizeof error));
        cr_expect(strstr(error, "no marker mentions such a flow"), "%s: %s", others[i], error);
    }
}

Test(flows, an_id_may_be_what_another_flow_is_called)
{
    uint32_t one = thread("1");
    instant(one, "A", 1);
    mentions("a");
    instant(one, "B", 2);
    mentions("n1");
    finish();
    cr_expect_eq(flow_of("n1"), flow_of("n1;2"));
    cr_expect_eq(flow_of("n2"), flow_of("n1"));
}

Test(flows, ids_of_any_length_find_their_flow)
{
    static char id[1001], printed[4096];
    uint32_t one = thread("1"), first = 0;
    memset(id, 'x', sizeof id - 1);
    instant(one, "A", 1);
    mentions(id);
    finish();
    FILE *file = tmpfile();
    cr_assert(file);
    cr_assert(um_flows_write_list(
        &(struct um_flows_write){.markers = &markers, .flows = &flows, .file = file}, &first, 1,
        1));
    rewind(file);
    printed[fread(printed, 1, sizeof printed - 1, file)] = '\0';
    fclose(file);
    char *name = strstr(printed, "xxx");
    cr_assert(name);
    name[strcspn(name, " ")] = '\0';
    cr_expect_eq(strlen(name), sizeof id - 1 + strlen(";1"));
    cr_expect_eq(flow_of(name), 0);
}

Test(flows, a_number_is_found_however_it_is_written)
{
    static const char *const ids[] = {"00000000000000ab", "0xCD", "eF", "12"};
    static const char *const names[][3] = {
        {"ab", "AB", "0x0ab"}, {"cd", "CD", "0x00cd"}, {"ef", "EF", "0eF"}, {"0012", "0x12", "12"}};
    uint32_t one = thread("1");
    for (int i = 0; i < 4; i++) {
        instant(one, "A", i);
        mentions(ids[i]);
    }
    finish();
    for (uint32_t i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            cr_expect_eq(flow_of(names[i][k]), i, "%s", names[i][k]);
}

Test(flows, a_number_that_two_ids_are_is_neither)
{
    uint32_t one = thread("1"), flow;
    instant(one, "A", 1);
    mentions("0x5");
    instant(one, "B", 2);
    mentions("05");
    finish();
    cr_expect_not(um_flow_names_find(&flows, &markers, "5", &flow, error, sizeof error));
    cr_expect_eq(flow_of("05"), 1);
}

Test(flows, zero_is_no_flow_without_an_id)
{
    uint32_t one = thread("1"), flow;
    instant(one, "A", 1);
    mentions("");
    instant(one, "B", 2);
    mentions("0x");
    finish();
    cr_expect_not(um_flow_names_find(&flows, &markers, "0", &flow, error, sizeof error));
    cr_expect_not(um_flow_names_find(&flows, &markers, "0x00", &flow, error, sizeof error));
    cr_expect_eq(flow_of(""), 0);
}

Test(flows, zero_is_found_however_it_is_written)
{
    uint32_t one = thread("1");
    instant(one, "A", 1);
    mentions("0000");
    finish();
    cr_expect_eq(flow_of("0"), 0);
    cr_expect_eq(flow_of("0x00"), 0);
}

Test(flows, an_id_alone_must_be_one_flow)
{
    uint32_t one = thread("1"), flow;
    for (int i = 0; i < 7; i++) {
        instant(one, "A", i);
        ends("x");
    }
    finish();
    cr_expect_not(um_flow_names_find(&flows, &markers, "x", &flow, error, sizeof error));
    cr_expect_str_eq(error,
                     "say which one, as ID;MS; x lasts from 0 to 0, from 1 to 1, from 2 to 2, "
                     "from 3 to 3, from 4 to 4 ms and 2 more times");
}

Test(flows, a_time_is_as_exact_as_it_is_written)
{
    uint32_t one = thread("1"), flow;
    um_markers_instant(&markers, one, "A", "", 10213543210);
    mentions("x");
    finish();
    cr_expect_eq(flow_of("x;10213.54"), 0);
    cr_expect_eq(flow_of("x;10214"), 0);
    cr_expect_eq(flow_of("x;10213.54321"), 0);
    cr_expect_not(um_flow_names_find(&flows, &markers, "x;10213.55", &flow, error, sizeof error));
    cr_expect_not(um_flow_names_find(&flows, &markers, "x;10213.5430", &flow, error, sizeof error));
}

Test(flows, markers_are_named_by_thread_and_place)
{
    char name[UM_MARKERS_NAME_BYTES];
    uint32_t one = thread("main"), same = thread("main"), none = thread("");
    instant(one, "second", 2);
    instant(one, "first", 1);
    instant(same, "third", 3);
    instant(none, "fourth", 4);
    finish();
    static const char *const names[] = {"main:1", "main:2", "#2:1", "#3:1"};
    static const char *const texts[] = {"first", "second", "third", "fourth"};
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_str_eq(um_markers_name(&markers, i, name), names[i]);
        cr_expect_eq(um_markers_find(&markers, names[i]), i);
        cr_expect_str_eq(um_markers_get_text(&markers, markers.list[i].name), texts[i]);
    }
    static const char *const bad[] = {"main:0", "main:3", "main:", "main",   "main:1x",
                                      "none:1", ":1",     "",      "main:-1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_eq(um_markers_find(&markers, bad[i]), UM_MARKERS_NONE, "%s", bad[i]);
}

Test(flows, threads_of_several_processes_have_their_process_before_them)
{
    char name[UM_MARKERS_NAME_BYTES];
    uint32_t threads[] = {um_markers_thread(&markers, "main", "", "one", 7),
                          um_markers_thread(&markers, "main", "", "two", 8),
                          um_markers_thread(&markers, "input", "", "", 0),
                          um_markers_thread(&markers, "", "", "two", 8)};
    for (size_t i = 0; i < 4; i++)
        instant(threads[i], "A", 1);
    finish();
    static const char *const labels[] = {"7.main:1", "8.main:1", "input:1", "#4:1"};
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_str_eq(um_markers_name(&markers, i, name), labels[i]);
        cr_expect_eq(um_markers_find(&markers, labels[i]), i);
    }
}

/* "#2" is what a thread is called that shares its name and is the second. */
Test(flows, labels_of_threads_are_not_used_twice)
{
    char name[UM_MARKERS_NAME_BYTES];
    for (int i = 0; i < 3; i++)
        instant(thread("#2"), "A", i);
    instant(thread("#4"), "A", 4);
    finish();
    for (uint32_t i = 0; i < markers.count; i++)
        cr_expect_eq(um_markers_find(&markers, um_markers_name(&markers, i, name)), i, "%s", name);
}

/* As nanoseconds, a double has 2 bits less than these times. */
Test(flows, a_time_after_years_is_exact)
{
    uint32_t one = thread("1");
    um_markers_instant(&markers, one, "A", "", 30000000000123457);
    ends("x");
    um_markers_instant(&markers, one, "B", "", 30000000000123459);
    mentions("x");
    um_markers_instant(&markers, one, "C", "", -30000000000123457);
    ends("x");
    finish();
    cr_expect_eq(flow_of("x;-30000000000.123457"), 0);
    cr_expect_eq(flow_of("x;30000000000.123457"), 1);
    cr_expect_eq(flow_of("x;30000000000.123459"), 2);
}

Test(flows, times_are_limited)
{
    uint32_t one = thread("1");
    um_markers_interval(&markers, one, "A", "", INT64_MIN, INT64_MAX);
    finish();
    cr_expect_eq(markers.list[0].end_ns - markers.list[0].start_ns, 2 * UM_MARKERS_MOST_NS);
}

Test(flows, flows_of_a_marker_are_listed_once)
{
    uint32_t one = thread("1"), *list;
    size_t count;
    instant(one, "A", 1);
    mentions("x");
    instant(one, "B", 2);
    mentions("y");
    mentions("x");
    ends("y");
    finish();
    cr_assert_eq(um_flows_of_marker(&flows, 1, &list, &count), UM_OK);
    cr_assert_eq(count, 2);
    cr_expect_eq(list[0], flow_of("x"));
    cr_expect_eq(list[1], flow_of("y"));
    free(list);
}

Test(flows, nothing_has_no_flows)
{
    uint32_t *list;
    finish();
    cr_expect_eq(flows.count, 0);
    cr_assert_eq(um_flows_longest(&flows, &list), UM_OK);
    free(list);
}
