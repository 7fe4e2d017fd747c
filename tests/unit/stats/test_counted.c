/* What else was counted: thread pool, rates, and the target's own counters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "base/plain/clock.h"
#include "monitor/json/json.h"
#include "monitor/stats/counted.h"
#include "monitor/stats/counted_write.h"

#define MS UM_CLOCK_NS_PER_MS
#define S UM_CLOCK_NS_PER_S

static struct um_counted *counted;
static struct um_wire_frame frame;

static void setup(void)
{
    cr_assert_eq(um_counted_open(&counted), UM_OK);
}

static void teardown(void)
{
    um_counted_close(counted);
}

TestSuite(counted, .init = setup, .fini = teardown);

static void pool(uint64_t time_ns, uint64_t delay_ns, uint8_t flags)
{
    frame = (struct um_wire_frame){.type = UM_WIRE_POOL, .flags = flags};
    frame.as.pool.time_ns = time_ns;
    frame.as.pool.delay_ns = delay_ns;
    um_counted_take(counted, &frame);
}

static void starvation(uint64_t time_ns, uint32_t id, uint64_t start_ns, uint64_t end_ns)
{
    frame = (struct um_wire_frame){.type = UM_WIRE_POOL, .flags = UM_WIRE_POOL_WAITS};
    frame.as.pool = (struct um_wire_pool){.time_ns = time_ns,
                                          .delay_ns = time_ns - start_ns,
                                          .start_ns = start_ns,
                                          .end_ns = end_ns,
                                          .peak_ns = time_ns - start_ns,
                                          .starvation = id};
    um_counted_take(counted, &frame);
}

static void activity(uint64_t time_ns, uint64_t since_ns, uint64_t messages, uint64_t paints,
                     uint8_t flags)
{
    frame = (struct um_wire_frame){.type = UM_WIRE_ACTIVITY, .flags = flags};
    frame.as.activity = (struct um_wire_activity){time_ns, since_ns, messages, paints};
    um_counted_take(counted, &frame);
}

static void counter(uint32_t number, const char *name, uint8_t kind, const char *unit)
{
    frame = (struct um_wire_frame){.type = UM_WIRE_COUNTER};
    frame.as.counter.number = number;
    frame.as.counter.kind = kind;
    strcpy(frame.as.counter.provider, "System.Runtime");
    strcpy(frame.as.counter.name, name);
    strcpy(frame.as.counter.unit, unit);
    um_counted_take(counted, &frame);
}

static void value(uint32_t number, double amount, uint32_t count, double min, double max)
{
    frame = (struct um_wire_frame){.type = UM_WIRE_COUNTER_VALUE};
    frame.as.counter_value = (struct um_wire_counter_value){.interval_ns = 2 * S,
                                                            .value = um_double_bits_of(amount),
                                                            .min = um_double_bits_of(min),
                                                            .max = um_double_bits_of(max),
                                                            .number = number,
                                                            .count = count};
    um_counted_take(counted, &frame);
}

static void expect_text(const char *text)
{
    char *written = NULL;
    size_t len;
    FILE *file = open_memstream(&written, &len);
    um_counted_write_text(file, counted);
    fclose(file);
    cr_expect_str_eq(written, text, "%s", written);
    free(written);
}

static void expect_json(const char *text)
{
    struct um_json json = {0};
    cJSON *root = cJSON_CreateObject();
    um_counted_write_json(&json, root, counted, 10 * S);
    char *written = um_json_print(&json, root, false);
    cr_expect_str_eq(written, text, "%s", written);
    cJSON_free(written);
}

Test(counted, nothing_is_said_of_what_was_not_measured)
{
    expect_text("");
    expect_json("{}");
    um_counted_write_text(stderr, NULL);
}

Test(counted, delays_are_of_items_that_have_run)
{
    pool(11 * S, 2 * MS, 0);
    pool(12 * S, 500 * MS, UM_WIRE_POOL_WAITS);
    pool(13 * S, 4 * MS, 0);
    expect_text("  Pool       p50 2.00   p99 4.00   max 4.00 ms for 2 work items\n");
    expect_json("{\"threadpool\":{\"delay_ms\":{\"count\":2,\"mean\":3.001,\"p50\":2.001,"
                "\"p90\":4,\"p99\":4,\"max\":4},\"starvations\":{\"count\":0,\"total_ms\":0,"
                "\"longest_ms\":0},\"starvation_list\":[]}}");
}

Test(counted, a_starvation_is_as_long_as_its_last_frame_says)
{
    starvation(11 * S, 1, 10500 * MS, 0);
    starvation(12 * S, 1, 10500 * MS, 11500 * MS);
    starvation(14 * S, 2, 13 * S, 0);
    starvation(15 * S, 2, 13 * S, 0);
    expect_text("  Pool       no work item has run\n"
                "             starved 2 times, 3000 ms in all\n");
    expect_json("{\"threadpool\":{\"delay_ms\":{\"count\":0},\"starvations\":{\"count\":2,"
                "\"total_ms\":3000,\"longest_ms\":2000},\"starvation_list\":[{\"start_ms\":500,"
                "\"duration_ms\":1000,\"peak_ms\":1500},{\"start_ms\":3000,\"duration_ms\":2000,"
                "\"peak_ms\":2000,\"open\":true}]}}");
}

/* Counting stops at 12 s and begins again at 20 s. */
Test(counted, rates_are_of_the_time_in_which_it_was_counted)
{
    activity(10 * S, 10 * S, 100, 0, 0);
    activity(11 * S, 10 * S, 150, 10, UM_WIRE_ACTIVITY_PAINTS);
    activity(12 * S, 10 * S, 200, 40, UM_WIRE_ACTIVITY_PAINTS);
    activity(20 * S, 20 * S, 900, 90, UM_WIRE_ACTIVITY_PAINTS);
    activity(22 * S, 20 * S, 1000, 150, UM_WIRE_ACTIVITY_PAINTS);
    expect_text("  Rates      50 messages a second, 30 frames a second by WM_PAINT\n");
    expect_json("{\"rates\":{\"counted_ms\":4000,\"messages_per_s\":50,\"frames_per_s\":30}}");
}

Test(counted, means_weigh_as_much_as_they_have_values)
{
    counter(3, "cpu-usage", UM_WIRE_COUNTER_MEAN, "%");
    value(3, 10, 1, 10, 10);
    value(3, 20, 3, 5, 40);
    expect_text("  Counters   cpu-usage                              17.5 %, max 40\n");
    expect_json("{\"counters\":[{\"provider\":\"System.Runtime\",\"name\":\"cpu-usage\","
                "\"unit\":\"%\",\"kind\":\"mean\",\"intervals\":2,\"mean\":17.5,\"min\":5,"
                "\"max\":40,\"last\":20}]}");
}

Test(counted, increments_are_added_up)
{
    counter(0, "gc-count", UM_WIRE_COUNTER_INCREMENT, "");
    value(0, 3, 0, 0, 0);
    value(0, 5, 0, 0, 0);
    expect_text("  Counters   gc-count                               2/s, max 5\n");
    expect_json("{\"counters\":[{\"provider\":\"System.Runtime\",\"name\":\"gc-count\","
                "\"kind\":\"increment\",\"intervals\":2,\"sum\":8,\"per_s\":2,\"min\":3,"
                "\"max\":5,\"last\":5}]}");
}

Test(counted, a_counter_with_another_number_goes_on)
{
    counter(0, "a", UM_WIRE_COUNTER_MEAN, "");
    value(0, 1, 0, 0, 0);
    counter(7, "a", UM_WIRE_COUNTER_MEAN, "");
    value(7, 3, 0, 0, 0);
    cr_expect_eq(um_counted_counter(counted, 0)->intervals, 2);
    cr_expect_eq(um_counted_mean(um_counted_counter(counted, 0)), 2);
    cr_expect_null(um_counted_counter(counted, 1));
}

Test(counted, counters_and_values_that_cannot_be)
{
    value(5, 1, 0, 0, 0); /* no such counter */
    counter(0, "huge", UM_WIRE_COUNTER_MEAN, "");
    cr_expect_null(um_counted_counter(counted, 0), "it has no value");
    value(0, 1e308, 0, 0, 0);
    value(0, 1e308, 1000, 0, 1);
    cr_expect_eq(um_counted_counter(counted, 0)->intervals, 1);
}

Test(counted, a_counter_of_a_later_kind_is_left_out)
{
    counter(0, "a", UM_WIRE_UNKNOWN, "");
    value(0, 1, 0, 0, 0);
    expect_json("{}");
}

Test(counted, the_list_of_starvations_is_bounded)
{
    for (uint32_t i = 1; i <= UM_COUNTED_STARVATIONS + 5; i++)
        starvation((10 + i) * S, i, (10 + i) * S - MS, (10 + i) * S);
    cr_expect_eq(um_counted_pool(counted)->len, UM_COUNTED_STARVATIONS);
    cr_expect_eq(um_counted_pool(counted)->starvations, UM_COUNTED_STARVATIONS + 5);
}
