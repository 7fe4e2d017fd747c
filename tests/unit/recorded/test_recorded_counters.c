/* What was counted in a recording, as graphs over its time. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_bits.h"
#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "monitor/recorded/recorded_counters.h"
#include "tests/recording_file.h"

#define MS UM_CLOCK_NS_PER_MS
#define S UM_CLOCK_NS_PER_S
#define START_NS (5000 * S)

static struct recording_file file;
static struct um_recorded recorded;
static struct um_recorded_counters counters;

static void put(const struct um_wire_frame *frame)
{
    recording_file_put(&file, frame);
}

static void setup(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    recording_file_begin(&file);
    frame.as.session.start_ns = START_NS;
    frame.as.session.period_us = 10000;
    put(&frame);
}

static void teardown(void)
{
    um_recorded_counters_deinit(&counters);
    um_recorded_deinit(&recorded);
    recording_file_free(&file);
}

TestSuite(recorded_counters, .init = setup, .fini = teardown);

static void beat(uint64_t at_ms, uint64_t latency_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
    frame.as.beat.sent_ns = START_NS + at_ms * MS;
    frame.as.beat.latency_ns = latency_ms * MS;
    put(&frame);
}

static void activity(uint64_t at_ms, uint64_t since_ms, uint64_t messages, uint64_t paints,
                     bool has_paints)
{
    struct um_wire_frame frame = {.type = UM_WIRE_ACTIVITY,
                                  .flags = has_paints ? UM_WIRE_ACTIVITY_PAINTS : 0};
    frame.as.activity.time_ns = START_NS + at_ms * MS;
    frame.as.activity.since_ns = START_NS + since_ms * MS;
    frame.as.activity.messages = messages;
    frame.as.activity.paints = paints;
    put(&frame);
}

static void pool(uint64_t at_ms, uint64_t delay_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_POOL};
    frame.as.pool.time_ns = START_NS + at_ms * MS;
    frame.as.pool.delay_ns = delay_ms * MS;
    put(&frame);
}

static void counter_of(uint32_t number, const char *name, const char *unit, uint8_t kind)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER};
    struct um_wire_counter *as = &frame.as.counter;
    as->number = (uint16_t)number;
    as->kind = kind;
    um_text_set(as->provider, sizeof as->provider, "System.Runtime");
    um_text_set(as->name, sizeof as->name, name);
    um_text_set(as->unit, sizeof as->unit, unit);
    put(&frame);
}

static void counter(uint32_t number, const char *name)
{
    counter_of(number, name, "%", UM_WIRE_COUNTER_MEAN);
}

/* Of an interval of two seconds. */
static void value_at(uint64_t at_ns, uint32_t number, double value)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER_VALUE};
    frame.as.counter_value.time_ns = at_ns;
    frame.as.counter_value.interval_ns = 2 * S;
    frame.as.counter_value.number = (uint16_t)number;
    frame.as.counter_value.value = um_double_bits_of(value);
    put(&frame);
}

static void value(uint64_t at_ms, uint32_t number, double value)
{
    value_at(START_NS + at_ms * MS, number, value);
}

static void read_all(void)
{
    struct um_recording *recording;
    struct um_wire_frame frame = {.type = UM_WIRE_TOTALS};
    char error[UM_RECORDING_ERROR_BYTES];
    put(&frame);
    recording_file_cut(&file);
    cr_assert_eq(
        um_recording_open_memory(file.bytes, file.len, "test", &recording, error, sizeof error),
        UM_OK);
    cr_assert_eq(um_recorded_read(recording, &recorded), UM_OK);
    um_recording_close(recording);
    cr_assert_eq(um_recorded_counters_make(&counters, &recorded), UM_OK);
}

/* "NAME UNIT: AT_MS VALUE, AT_MS VALUE" */
static const char *text_of(size_t row)
{
    static char text[1024];
    cr_assert_lt(row, counters.count);
    const struct um_recorded_counter *from = &counters.rows[row];
    size_t len = (size_t)snprintf(text, sizeof text, "%s %s:", from->name, from->unit);
    for (size_t i = 0; i < from->count && len < sizeof text; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s %g %g", i > 0 ? "," : "",
                                (double)from->values[i].at_ns / 1e6, from->values[i].value);
    return text;
}

Test(recorded_counters, lag_is_the_worst_in_each_tenth_of_a_second)
{
    beat(10, 5);
    beat(20, 3);
    beat(310, 150);
    read_all();
    cr_expect_str_eq(text_of(UM_RECORDED_COUNTERS_LAG), "UI thread lag ms: 100 5, 400 90, 500 150");
}

Test(recorded_counters, waits_in_the_pool_are_as_they_were)
{
    pool(250, 3);
    pool(500, 700);
    pool(400, 9); /* out of order */
    read_all();
    cr_expect_str_eq(text_of(UM_RECORDED_COUNTERS_POOL), "Thread pool, queue ms: 250 3, 500 700");
}

Test(recorded_counters, rates_are_at_the_end_of_what_was_counted)
{
    activity(0, 0, 0, 0, false);
    activity(500, 0, 50, 0, false);
    activity(1000, 0, 200, 0, false);
    activity(2000, 0, 300, 10, true); /* from here on it is known to paint */
    activity(4000, 0, 500, 70, true);
    activity(5000, 4500, 9, 1, true); /* counting began again */
    activity(6000, 4500, 49, 31, true);
    read_all();
    cr_expect_str_eq(text_of(UM_RECORDED_COUNTERS_MESSAGES),
                     "Messages retrieved /s: 500 100, 1000 300, 2000 100, 4000 100, 6000 40");
    cr_expect_str_eq(text_of(UM_RECORDED_COUNTERS_FRAMES),
                     "Frames by WM_PAINT /s: 4000 30, 6000 30");
}

Test(recorded_counters, those_of_the_target_have_their_names)
{
    value(500, 3, 1); /* nothing is known of it yet */
    counter(3, "cpu-usage");
    counter(4, "heap");
    value(1000, 3, 12.5);
    value(1000, 4, 80);
    counter(9, "cpu-usage"); /* attached again */
    value(2000, 9, 13);
    read_all();
    cr_assert_eq(counters.count, UM_RECORDED_COUNTERS_OWN + 2);
    cr_expect_str_eq(text_of(UM_RECORDED_COUNTERS_OWN),
                     "System.Runtime/cpu-usage %: 1000 12.5, 2000 13");
    cr_expect_str_eq(text_of(UM_RECORDED_COUNTERS_OWN + 1), "System.Runtime/heap %: 1000 80");
}

Test(recorded_counters, increments_are_per_second)
{
    counter_of(3, "alloc-rate", "B", UM_WIRE_COUNTER_INCREMENT);
    counter_of(4, "gc-count", "", UM_WIRE_COUNTER_INCREMENT);
    value(2000, 3, 500);
    value(2000, 4, 3);
    read_all();
    cr_expect_str_eq(text_of(UM_RECORDED_COUNTERS_OWN), "System.Runtime/alloc-rate B/s: 2000 250");
    cr_expect_str_eq(text_of(UM_RECORDED_COUNTERS_OWN + 1), "System.Runtime/gc-count /s: 2000 1.5");
}

/* Four a second for four hours, of which the second one is a gap. Where several are made one, their
 * mean is at the end: so there is as much wait as there was. */
Test(recorded_counters, of_many_values_there_are_means_and_none_in_a_gap)
{
    double waited = 0, found = 0;
    uint64_t last_ns = 0;
    for (uint64_t i = 1; i <= 57600; i++) {
        if (i > 14400 && i <= 28800)
            continue;
        pool(i * 250, i % 7);
        waited += (double)(i % 7) * 0.25;
    }
    read_all();
    const struct um_recorded_counter *row = &counters.rows[UM_RECORDED_COUNTERS_POOL];
    cr_assert(row->count > UM_CURVES_SPANS / 4 && row->count <= UM_CURVES_SPANS, "%zu", row->count);
    for (size_t i = 0; i < row->count; i++) {
        uint64_t at_ns = row->values[i].at_ns;
        cr_assert_gt(at_ns, last_ns);
        cr_assert(at_ns <= 3600 * S || at_ns > 7200 * S, "in the gap: %g", (double)at_ns / 1e9);
        if (last_ns == 3600 * S)
            last_ns = 7200 * S;
        found += row->values[i].value * (double)(at_ns - last_ns) / (double)S;
        last_ns = at_ns;
    }
    cr_expect_eq(last_ns, 14400 * S);
    cr_expect_float_eq(found, waited, waited / 1000);
}

/* The target says when its values were. */
Test(recorded_counters, impossible_times_of_the_target_are_left_out)
{
    counter(3, "cpu-usage");
    value_at(START_NS - 1, 3, 1);
    value_at(UINT64_MAX, 3, 2);
    value(10, 3, 3);
    read_all();
    cr_expect_str_eq(text_of(UM_RECORDED_COUNTERS_OWN), "System.Runtime/cpu-usage %: 10 3");
}

Test(recorded_counters, of_a_stretch_there_are_its_values)
{
    pool(250, 3);
    pool(500, 4);
    pool(750, 5);
    read_all();
    um_recorded_counters_keep(&counters, 300 * MS, 500 * MS);
    cr_expect_str_eq(text_of(UM_RECORDED_COUNTERS_POOL), "Thread pool, queue ms: 500 4");
}
