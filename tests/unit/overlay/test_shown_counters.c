/* The counters of the target's own that --show names. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "base/plain/clock.h"
#include "base/utf8.h"
#include "overlay/readings.h"
#include "overlay/shown_counters.h"
#include "tests/hostile.h"

#define S UM_CLOCK_NS_PER_S

static struct um_overlay_rows rows;
static struct um_shown_counters counters;
static struct um_model_view view;

static void show(const char *list)
{
    const char *wrong;
    size_t len_bytes;
    cr_assert(um_overlay_rows_parse(list, &rows, &wrong, &len_bytes));
    counters.rows = &rows;
}

static void teardown(void)
{
    um_shown_counters_deinit(&counters);
}

TestSuite(shown_counters, .fini = teardown);

static void told(uint32_t number, const char *name, const char *display, const char *unit,
                 uint8_t kind)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER};
    frame.as.counter.number = number;
    frame.as.counter.kind = kind;
    snprintf(frame.as.counter.provider, UM_WIRE_COUNTER_TEXT_BYTES, "System.Runtime");
    snprintf(frame.as.counter.name, UM_WIRE_COUNTER_TEXT_BYTES, "%s", name);
    snprintf(frame.as.counter.display, UM_WIRE_COUNTER_TEXT_BYTES, "%s", display);
    snprintf(frame.as.counter.unit, UM_WIRE_COUNTER_TEXT_BYTES, "%s", unit);
    um_shown_counters_frame(&counters, &frame, S);
}

static void value(uint32_t number, double amount, uint64_t interval_ns, uint64_t now_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER_VALUE};
    frame.as.counter_value.number = number;
    frame.as.counter_value.interval_ns = interval_ns;
    frame.as.counter_value.value = um_double_bits_of(amount);
    um_shown_counters_frame(&counters, &frame, now_ns);
}

static void expect(int row, uint64_t now_ns, const char *label, const char *number)
{
    struct um_readings_row reading;
    um_shown_counters_view(&counters, now_ns, &view);
    um_readings_make(&view, (enum um_overlay_row)(UM_OVERLAY_ROWS_COUNT + row), &reading);
    cr_expect_str_eq(reading.label, label);
    cr_expect_str_eq(reading.main.number, number);
    cr_expect_eq(reading.main.measured, strcmp(number, "–") != 0);
}

Test(shown_counters, have_the_programs_name_and_unit)
{
    show("lag,System.Runtime/cpu-usage,System.Runtime/alloc-rate");
    expect(0, S, "cpu-usage", "–");
    told(7, "cpu-usage", "CPU Usage", "%", UM_WIRE_COUNTER_MEAN);
    told(3, "alloc-rate", "Allocation Rate", "B", UM_WIRE_COUNTER_INCREMENT);
    expect(0, S, "CPU Usage", "–");
    value(7, 12.345, 2 * S, 10 * S);
    value(3, 24e6, 2 * S, 10 * S);
    expect(0, 11 * S, "CPU Usage", "12.3 %");
    expect(1, 11 * S, "Allocation Rate", "12.0 M B/s");
}

Test(shown_counters, are_written_with_few_digits)
{
    static const struct {
        double value;
        const char *number;
    } cases[] = {{0, "0"},         {5, "5"},           {-3, "-3"},        {0.126, "0.13"},
                 {9.99, "9.99"},   {9.996, "10.0"},    {99.94, "99.9"},   {99.96, "100"},
                 {12345, "12345"}, {99999, "99999"},   {123456, "123 k"}, {-1.5e9, "-1.50 G"},
                 {5e14, "500 T"},  {1e300, "1e+288 T"}};
    show("System.Runtime/x");
    told(0, "x", "", "", UM_WIRE_COUNTER_MEAN);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        value(0, cases[i].value, S, S);
        expect(0, S, "x", cases[i].number);
    }
}

Test(shown_counters, are_a_dash_when_no_value_comes)
{
    show("System.Runtime/x");
    told(0, "x", "", "", UM_WIRE_COUNTER_MEAN);
    value(0, 5, 4 * S, 10 * S);
    expect(0, 20 * S - 1, "x", "5");
    expect(0, 20 * S, "x", "–");
}

Test(shown_counters, an_increment_of_no_time_has_no_rate)
{
    show("System.Runtime/x");
    told(0, "x", "", "", UM_WIRE_COUNTER_INCREMENT);
    value(0, 5, 0, S);
    expect(0, S, "x", "–");
}

Test(shown_counters, a_session_that_begins_anew_forgets_them)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION, .flags = UM_WIRE_SESSION_ANEW};
    show("System.Runtime/x");
    told(0, "x", "X", "", UM_WIRE_COUNTER_MEAN);
    value(0, 5, S, S);
    um_shown_counters_frame(&counters, &frame, S);
    expect(0, S, "x", "–");
    value(0, 5, S, S);
    expect(0, S, "x", "–");
}

Test(shown_counters, texts_are_short_and_safe_to_show)
{
    show("System.Runtime/x");
    for (size_t i = 0; i < HOSTILE_TEXTS; i++) {
        told(0, "x", hostile_texts[i], hostile_texts[i], UM_WIRE_COUNTER_MEAN);
        value(0, 5, S, S);
        um_shown_counters_view(&counters, S, &view);
        cr_expect(hostile_is_harmless(view.counters[0].label), "%zu", i);
        cr_expect(hostile_is_harmless(view.counters[0].number), "%zu", i);
        cr_expect_leq(um_utf8_columns(view.counters[0].label), 26);
    }
}
