/* What else was counted in two recordings that are made here. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_bits.h"
#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/utf8.h"
#include "monitor/diff/counted_diff.h"
#include "tests/hostile.h"
#include "tests/json_read.h"
#include "tests/written.h"

#define MS UM_CLOCK_NS_PER_MS
#define S UM_CLOCK_NS_PER_S

static struct um_recorded sides[2];
static struct um_counted_diff diff;

static void take(int side, const struct um_wire_frame *frame)
{
    um_stats_frame(sides[side].stats, frame);
    um_curves_take(&sides[side].curves, frame);
}

static void setup(void)
{
    struct um_stats_config config = {.start_ns = 10 * S};
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION, .as.session.start_ns = 10 * S};
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(um_stats_open(&config, &sides[i].stats), UM_OK);
        sides[i].summary.counted = um_stats_counted(sides[i].stats);
        take(i, &frame);
    }
}

static void teardown(void)
{
    um_counted_diff_deinit(&diff);
    for (int i = 0; i < 2; i++) {
        um_stats_close(sides[i].stats);
        um_curves_deinit(&sides[i].curves);
    }
}

TestSuite(counted_diff, .init = setup, .fini = teardown);

static void pool(int side, uint64_t time_ns, uint64_t delay_ns, uint64_t start_ns, uint64_t end_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_POOL};
    frame.as.pool = (struct um_wire_pool){.time_ns = time_ns,
                                          .delay_ns = delay_ns,
                                          .start_ns = start_ns,
                                          .end_ns = end_ns,
                                          .starvation = start_ns > 0};
    take(side, &frame);
}

static void activity(int side, uint64_t time_ns, uint64_t messages)
{
    struct um_wire_frame frame = {.type = UM_WIRE_ACTIVITY};
    frame.as.activity =
        (struct um_wire_activity){.time_ns = time_ns, .since_ns = 10 * S, .messages = messages};
    take(side, &frame);
}

static void counter(int side, const char *name, const char *unit, uint8_t kind, double value)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER, .as.counter.kind = kind};
    um_text_set(frame.as.counter.provider, UM_WIRE_COUNTER_TEXT_BYTES, "P");
    um_text_set(frame.as.counter.name, UM_WIRE_COUNTER_TEXT_BYTES, name);
    um_text_set(frame.as.counter.unit, UM_WIRE_COUNTER_TEXT_BYTES, unit);
    take(side, &frame);
    frame = (struct um_wire_frame){.type = UM_WIRE_COUNTER_VALUE};
    frame.as.counter_value.time_ns = 12 * S;
    frame.as.counter_value.interval_ns = 2 * S;
    frame.as.counter_value.value = um_double_bits_of(value);
    take(side, &frame);
}

static void make(void)
{
    cr_assert_eq(um_counted_diff_make(&diff, &sides[0], &sides[1]), UM_OK);
}

static char *text(void)
{
    FILE *file = written_open();
    um_counted_diff_write_text(file, &diff);
    return written_read(file, NULL);
}

static void expect_json(const char *wanted)
{
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_counted_diff_write_json(&json, root, &diff);
    char *written = um_json_print(&json, root, false);
    cr_expect_str_eq(written, wanted, "%s", written);
    cJSON_free(written);
}

Test(counted_diff, what_is_on_one_side_alone_is_not_compared)
{
    activity(0, 10 * S, 0);
    activity(0, 11 * S, 50);
    counter(1, "x", "", UM_WIRE_COUNTER_MEAN, 3);
    make();
    cr_expect(!diff.any);
    cr_expect_str_eq(text(), "");
    expect_json("{}");
}

Test(counted_diff, rates_and_counters_have_a_ratio)
{
    for (int side = 0; side < 2; side++) {
        activity(side, 10 * S, 0);
        activity(side, 12 * S, side ? 150 : 100);
        counter(side, "alloc", "B", UM_WIRE_COUNTER_INCREMENT, side ? 10 : 40);
    }
    counter(1, "new", "%", UM_WIRE_COUNTER_MEAN, 7);
    make();
    cr_expect_str_eq(text(), "\nWhat else was counted: means over each session, and percentiles\n"
                             "     before       after       ratio\n"
                             "         50          75        1.50  messages, /s\n"
                             "         20           5        0.25  alloc, B/s\n");
    expect_json("{\"counted\":[{\"name\":\"rates.messages_per_s\",\"label\":\"messages\","
                "\"unit\":\"/s\",\"before\":50,\"after\":75,\"ratio\":1.5},{\"name\":\"P/alloc\","
                "\"label\":\"alloc\",\"unit\":\"B/s\",\"before\":20,\"after\":5,\"ratio\":0.25},"
                "{\"name\":\"P/new\",\"label\":\"new\",\"unit\":\"%\",\"after\":7}]}");
}

Test(counted_diff, small_values_have_a_ratio_and_nothing_has_none)
{
    for (int side = 0; side < 2; side++) {
        counter(side, "small", "", UM_WIRE_COUNTER_MEAN, side ? 0.25 : 0.5);
        counter(side, "from nothing", "", UM_WIRE_COUNTER_MEAN, side ? 3 : 0);
        counter(side, "to nothing", "", UM_WIRE_COUNTER_MEAN, side ? 0 : 3);
    }
    make();
    expect_json(
        "{\"counted\":[{\"name\":\"P/small\",\"label\":\"small\",\"before\":0.5,\"after\":0.25,"
        "\"ratio\":0.5},"
        "{\"name\":\"P/from nothing\",\"label\":\"from nothing\",\"before\":0,\"after\":3},"
        "{\"name\":\"P/to nothing\",\"label\":\"to nothing\",\"before\":3,\"after\":0}]}");
}

Test(counted_diff, counters_of_another_unit_are_others)
{
    counter(0, "size", "KB", UM_WIRE_COUNTER_MEAN, 4);
    counter(1, "size", "MB", UM_WIRE_COUNTER_MEAN, 4);
    make();
    cr_expect_eq(diff.count, 2);
    cr_expect(!diff.any);
}

/* Of half a minute in which the pool was measured, it was starved for 3 s. */
Test(counted_diff, starvations_are_for_each_minute_in_which_the_pool_was_measured)
{
    for (uint64_t at = 1; at <= 30; at++)
        pool(0, (10 + at) * S, at == 1 ? S : MS, at == 30 ? 20 * S : 0, at == 30 ? 23 * S : 0);
    pool(1, 11 * S, MS, 0, 0);
    make();
    cr_assert_eq(diff.count, 3);
    cr_expect_str_eq(diff.rows[2].name, "threadpool.starved_ms_per_min");
    cr_expect_float_eq(diff.rows[2].values[0], 6000, 0.1);
    cr_expect_eq(diff.rows[2].values[1], 0);
    cr_expect(
        strstr(text(), "       6000           0           -  thread pool starved, ms a minute"),
        "%s", text());
}

Test(counted_diff, hostile_names_are_shown_as_text)
{
    for (size_t i = 0; i < HOSTILE_TEXTS; i++)
        for (int side = 0; side < 2; side++)
            counter(side, hostile_texts[i], hostile_texts[i], UM_WIRE_COUNTER_MEAN, 1);
    make();
    cr_expect(hostile_is_harmless(text()), "%s", text());
}
