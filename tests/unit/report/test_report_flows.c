/* The data of the page's markers and flows, against what was put in by hand. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "monitor/report/report_flows.h"
#include "tests/unit/report/packed.h"

#define MS INT64_C(1000000)

static struct um_markers markers;
static cJSON *root;
static const cJSON *data;

static void setup(void)
{
    root = cJSON_CreateObject();
}

static void teardown(void)
{
    um_markers_deinit(&markers);
    cJSON_Delete(root);
}

TestSuite(report_flows, .init = setup, .fini = teardown);

static void put(void)
{
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_assert_eq(um_report_flows_put(root, &markers), UM_OK);
    data = cJSON_GetObjectItem(root, "flows");
    cr_assert_not_null(data);
}

static const char *text_at(const char *list, uint64_t place)
{
    const cJSON *text = cJSON_GetArrayItem(cJSON_GetObjectItem(data, list), (int)place);
    cr_assert(cJSON_IsString(text), "%s has no %d", list, (int)place);
    return text->valuestring;
}

static int64_t take_signed(struct packed *from)
{
    uint64_t folded = packed_number(from);
    return folded % 2 ? -(int64_t)(folded / 2) - 1 : (int64_t)(folded / 2);
}

/* A runnable that runs and dispatches two others: A; B and C within it. */
static void put_runnables(void)
{
    uint32_t main = um_markers_thread(&markers, "1", "main", "program", 7);
    uint32_t other = um_markers_thread(&markers, "2", "other", "program", 7);
    um_markers_interval(&markers, main, "run A", "task", 10 * MS, 20 * MS)->stack_based = true;
    um_markers_flow(&markers, "task", UM_MARKER_FLOW, 0xa);
    um_markers_interval(&markers, main, "dispatch B", "task", 12 * MS, 12 * MS)->stack_based = true;
    um_markers_flow(&markers, "task", UM_MARKER_FLOW, 0xb);
    um_markers_interval(&markers, main, "dispatch C", "task", 14 * MS, 14 * MS)->stack_based = true;
    um_markers_flow(&markers, "task", UM_MARKER_FLOW, 0xc);
    um_markers_instant(&markers, other, "run B", "task", 30 * MS);
    um_markers_number(&markers, "length_ms", 1.5);
    um_markers_text(&markers, "from", "somewhere");
    um_markers_flow(&markers, "task", UM_MARKER_TERMINATING_FLOW, 0xb);
}

Test(report_flows, without_markers_there_are_none)
{
    cr_assert_eq(um_report_flows_put(root, NULL), UM_OK);
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_assert_eq(um_report_flows_put(root, &markers), UM_OK);
    cr_expect_null(cJSON_GetObjectItem(root, "flows"));
}

Test(report_flows, threads_and_what_was_left_out)
{
    put_runnables();
    markers.left_out = 12;
    put();
    const cJSON *threads = cJSON_GetObjectItem(data, "threads");
    cr_assert_eq(cJSON_GetArraySize(threads), 2);
    const cJSON *thread = cJSON_GetArrayItem(threads, 1);
    cr_expect_str_eq(cJSON_GetArrayItem(thread, 0)->valuestring, "2");
    cr_expect_str_eq(text_at("texts", (uint64_t)cJSON_GetArrayItem(thread, 1)->valuedouble),
                     "other");
    cr_expect_str_eq(text_at("texts", (uint64_t)cJSON_GetArrayItem(thread, 2)->valuedouble),
                     "program");
    cr_expect_eq(cJSON_GetArrayItem(thread, 3)->valuedouble, 7);
    cr_expect_eq(cJSON_GetArrayItem(thread, 4)->valuedouble, 1);
    cr_expect_eq(cJSON_GetObjectItem(data, "left_out")->valuedouble, 12);
}

/* Reads a marker up to its fields. */
static void expect_marker(struct packed *from, const char *name, unsigned flags, int64_t after_ns,
                          int64_t length_ns, int64_t context, uint64_t fields)
{
    cr_expect_str_eq(text_at("texts", packed_number(from)), name);
    cr_expect_str_eq(text_at("texts", packed_number(from)), "task");
    cr_expect_eq(packed_byte(from), flags, "%s", name);
    cr_expect_eq(take_signed(from), after_ns, "%s", name);
    if (flags & 1)
        cr_expect_eq((int64_t)packed_number(from), length_ns, "%s", name);
    cr_expect_eq(take_signed(from), context, "%s", name);
    cr_expect_eq(packed_number(from), fields, "%s", name);
}

static void expect_field(struct packed *from, const char *name, enum um_marker_field_kind kind)
{
    cr_expect_str_eq(text_at("texts", packed_number(from)), name);
    cr_expect_eq(packed_byte(from), (unsigned)kind, "%s", name);
}

Test(report_flows, markers_have_their_contexts_and_fields)
{
    put_runnables();
    put();
    struct packed *from = packed_read(data, "markers");
    expect_marker(from, "run A", 5, 10 * MS, 10 * MS, 0, 1);
    expect_field(from, "task", UM_MARKER_FLOW);
    cr_expect_eq(packed_number(from), 0);
    expect_marker(from, "dispatch B", 5, 2 * MS, 0, -1, 1);
    expect_field(from, "task", UM_MARKER_FLOW);
    cr_expect_eq(packed_number(from), 1);
    expect_marker(from, "dispatch C", 5, 2 * MS, 0, -2, 1);
    expect_field(from, "task", UM_MARKER_FLOW);
    cr_expect_eq(packed_number(from), 2);
    expect_marker(from, "run B", 0, 16 * MS, 0, 0, 3);
    expect_field(from, "length_ms", UM_MARKER_NUMBER);
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= (uint64_t)packed_byte(from) << 8 * i;
    cr_expect_eq(um_double_bits_value(bits), 1.5);
    expect_field(from, "from", UM_MARKER_TEXT);
    cr_expect_str_eq(text_at("texts", packed_number(from)), "somewhere");
    expect_field(from, "task", UM_MARKER_TERMINATING_FLOW);
    cr_expect_eq(packed_number(from), 1);
    cr_expect_eq(from->at, from->len, "nothing follows");
}

Test(report_flows, flows_have_their_markers)
{
    static const struct {
        const char *id;
        int64_t after_ns, last_ns, end_ns;
        int64_t members[2]; /* each less the one before */
        uint64_t count;
        bool open;
    } wanted[] = {
        {"000000000000000a", 10 * MS, 0, 10 * MS, {0, 0}, 1, false},
        {"000000000000000b", 2 * MS, 18 * MS, 18 * MS, {1, 2}, 2, false},
        {"000000000000000c", 2 * MS, 0, 0, {2, 0}, 1, true},
    };
    put_runnables();
    markers.list[2].open = true; /* dispatch C */
    put();
    struct packed *from = packed_read(data, "list");
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        cr_expect_str_eq(text_at("ids", packed_number(from)), wanted[i].id);
        cr_expect_eq(take_signed(from), wanted[i].after_ns, "%zu", i);
        cr_expect_eq(take_signed(from), wanted[i].last_ns, "%zu", i);
        cr_expect_eq(take_signed(from), wanted[i].end_ns, "%zu", i);
        cr_expect_eq(packed_byte(from), wanted[i].open, "%zu", i);
        cr_expect_eq(packed_number(from), wanted[i].count, "%zu", i);
        for (uint64_t k = 0; k < wanted[i].count; k++)
            cr_expect_eq(take_signed(from), wanted[i].members[k], "%zu", i);
    }
    cr_expect_eq(from->at, from->len, "nothing follows");
}

/* incoming, connected, outgoing: A has B and C as outgoing ones. */
Test(report_flows, flows_have_their_kin)
{
    static const uint64_t wanted[] = {
        0, 0, 2, 2, 2, /* A: none, none, two: 1 and 1 more; a number is folded */
        1, 0, 0, 0,    /* B: A, none, none */
        1, 0, 0, 0,    /* C */
    };
    put_runnables();
    put();
    struct packed *from = packed_read(data, "kin");
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        cr_expect_eq(packed_number(from), wanted[i], "number %zu", i);
    cr_expect_eq(from->at, from->len, "nothing follows");
}

/* Damaged recordings have such times. */
Test(report_flows, times_at_the_ends_of_the_range)
{
    uint32_t thread = um_markers_thread(&markers, "1", "main", "program", 0);
    um_markers_interval(&markers, thread, "all", "task", INT64_MIN, INT64_MAX);
    um_markers_flow(&markers, "task", UM_MARKER_FLOW, 1);
    um_markers_instant(&markers, thread, "late", "task", INT64_MAX);
    um_markers_flow(&markers, "task", UM_MARKER_FLOW, 1);
    put();
    cr_expect_gt(packed_read(data, "markers")->len, 0);
}
