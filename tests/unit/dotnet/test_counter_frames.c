#include <math.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/double_bits.h"
#include "monitor/dotnet/counter_frames.h"
#include "tests/hostile.h"

#define MS UM_CLOCK_NS_PER_MS
#define S UM_CLOCK_NS_PER_S
#define NOW (1000 * S)

static struct um_counter_frames *frames;
static struct um_wire_frame made[2];

static void setup(void)
{
    cr_assert_eq(um_counter_frames_open(1000, &frames), UM_OK);
}

static void teardown(void)
{
    um_counter_frames_close(frames);
}

TestSuite(counter_frames, .init = setup, .fini = teardown);

static struct um_nettrace_counter counter(const char *name, double value)
{
    struct um_nettrace_counter counter = {.provider = "System.Runtime",
                                          .display = "A display",
                                          .unit = "MB",
                                          .time_ns = NOW - 5,
                                          .interval_s = 1.25,
                                          .series_ms = 1000,
                                          .measured = true,
                                          .value = value,
                                          .count = 3,
                                          .min = value - 1,
                                          .max = value + 1};
    snprintf(counter.name, sizeof counter.name, "%s", name);
    return counter;
}

static size_t take(const struct um_nettrace_counter *counter, uint64_t now_ns)
{
    memset(made, 0, sizeof made);
    return um_counter_frames_take(frames, counter, now_ns, made);
}

/* The value that was made; fails if there is none. */
static const struct um_wire_counter_value *only_value(size_t count)
{
    cr_assert_geq(count, 1);
    cr_assert_eq(made[count - 1].type, UM_WIRE_COUNTER_VALUE);
    return &made[count - 1].as.counter_value;
}

Test(counter_frames, counter_is_introduced_once_and_then_has_its_values)
{
    struct um_nettrace_counter first = counter("gc-heap-size", 12.5);
    cr_assert_eq(take(&first, NOW), 2);
    cr_assert_eq(made[0].type, UM_WIRE_COUNTER);
    cr_expect_eq(made[0].as.counter.number, 0);
    cr_expect_eq(made[0].as.counter.kind, UM_WIRE_COUNTER_MEAN);
    cr_expect_str_eq(made[0].as.counter.provider, "System.Runtime");
    cr_expect_str_eq(made[0].as.counter.name, "gc-heap-size");
    cr_expect_str_eq(made[0].as.counter.display, "A display");
    cr_expect_str_eq(made[0].as.counter.unit, "MB");
    const struct um_wire_counter_value *value = only_value(2);
    cr_expect_eq(value->number, 0);
    cr_expect_eq(value->time_ns, NOW - 5);
    cr_expect_eq(value->interval_ns, 1250 * MS);
    cr_expect_eq(um_double_bits_value(value->value), 12.5);
    cr_expect_eq(um_double_bits_value(value->min), 11.5);
    cr_expect_eq(um_double_bits_value(value->max), 13.5);
    cr_expect_eq(value->count, 3);
    first.value = 13;
    cr_assert_eq(take(&first, NOW + S), 1);
    cr_expect_eq(um_double_bits_value(only_value(1)->value), 13);
    struct um_nettrace_counter second = counter("cpu-usage", 1);
    cr_assert_eq(take(&second, NOW + S), 2);
    cr_expect_eq(made[0].as.counter.number, 1);
    cr_expect_eq(only_value(2)->number, 1);
}

Test(counter_frames, increment_has_no_spread)
{
    struct um_nettrace_counter items = counter("items", 7);
    items.is_increment = true;
    cr_assert_eq(take(&items, NOW), 2);
    cr_expect_eq(made[0].as.counter.kind, UM_WIRE_COUNTER_INCREMENT);
    cr_expect_eq(only_value(2)->count, 0);
    cr_expect_eq(only_value(2)->min, 0);
}

Test(counter_frames, what_changes_is_introduced_anew_with_its_number)
{
    struct um_nettrace_counter items = counter("items", 7);
    take(&items, NOW);
    items.is_increment = true;
    cr_assert_eq(take(&items, NOW + S), 2);
    cr_expect_eq(made[0].as.counter.number, 0);
    cr_expect_eq(made[0].as.counter.kind, UM_WIRE_COUNTER_INCREMENT);
    snprintf(items.unit, sizeof items.unit, "pieces");
    cr_assert_eq(take(&items, NOW + 2 * S), 2);
    cr_expect_str_eq(made[0].as.counter.unit, "pieces");
    cr_expect_eq(take(&items, NOW + 3 * S), 1);
}

Test(counter_frames, same_name_of_another_provider_is_another_counter)
{
    struct um_nettrace_counter one = counter("frame-rate", 1), two = one;
    snprintf(two.provider, sizeof two.provider, "Example");
    take(&one, NOW);
    cr_assert_eq(take(&two, NOW), 2);
    cr_expect_eq(only_value(2)->number, 1);
}

Test(counter_frames, what_was_not_measured_has_no_frames)
{
    struct um_nettrace_counter none = counter("delay", 0);
    none.measured = false;
    cr_expect_eq(take(&none, NOW), 0);
    none.measured = true;
    cr_expect_eq(take(&none, NOW + S), 2, "and is introduced with its first value");
    cr_expect_eq(take(&(struct um_nettrace_counter){.measured = true}, NOW), 0, "it has no name");
}

/* Two sessions with intervals of their own at once: only ours is taken. */
Test(counter_frames, values_of_another_interval_are_left_out_while_ours_come)
{
    struct um_nettrace_counter ours = counter("items", 1), other = ours;
    size_t taken = 0;
    other.series_ms = 250;
    for (int i = 0; i < 40; i++) {
        taken += take(&other, NOW + (uint64_t)i * 250 * MS) > 0;
        if (i % 4 == 3)
            cr_expect_gt(take(&ours, NOW + (uint64_t)i * 250 * MS + MS), 0);
    }
    cr_expect_eq(taken, 0);
}

/* The runtime tells all in the shortest interval that is asked for: then ours does not come. */
Test(counter_frames, another_interval_is_taken_where_ours_does_not_come)
{
    struct um_nettrace_counter value = counter("items", 1);
    size_t taken = 0;
    take(&value, NOW);
    value.series_ms = 250;
    for (int i = 1; i <= 20; i++)
        taken += take(&value, NOW + (uint64_t)i * 250 * MS) > 0;
    cr_expect_eq(taken, 11, "%zu: from 2.5 s on", taken);
    value.series_ms = 1000;
    cr_expect_eq(take(&value, NOW + 5100 * MS), 0, "it may be that of a session that has begun");
    cr_expect_eq(take(&value, NOW + 6 * S), 1, "and is taken when the other one has ended");
}

Test(counter_frames, interval_that_is_rounded_or_not_told_is_ours)
{
    struct um_nettrace_counter value = counter("items", 1);
    value.series_ms = 999;
    cr_expect_eq(take(&value, NOW), 2);
    value.series_ms = 0;
    cr_expect_eq(take(&value, NOW + S), 1);
}

Test(counter_frames, more_counters_than_there_is_room_for_are_left_out)
{
    char name[32];
    for (int i = 0; i < UM_WIRE_COUNTERS; i++) {
        snprintf(name, sizeof name, "counter-%d", i);
        struct um_nettrace_counter value = counter(name, i);
        cr_assert_eq(take(&value, NOW), 2);
        cr_expect(!um_counter_frames_full(frames));
    }
    struct um_nettrace_counter more = counter("one-more", 1), first = counter("counter-0", 2);
    cr_expect_eq(take(&more, NOW), 0);
    cr_expect(um_counter_frames_full(frames));
    cr_expect_eq(take(&first, NOW + S), 1);
}

Test(counter_frames, texts_are_fit_to_be_shown)
{
    for (size_t i = 0; i < HOSTILE_TEXTS; i++) {
        struct um_nettrace_counter value = counter("", 1);
        const struct um_wire_counter *told = &made[0].as.counter;
        snprintf(value.name, sizeof value.name, "%s", hostile_texts[i]);
        snprintf(value.provider, sizeof value.provider, "%s", hostile_texts[i]);
        snprintf(value.display, sizeof value.display, "%s", hostile_texts[i]);
        snprintf(value.unit, sizeof value.unit, "%s", hostile_texts[i]);
        teardown(); /* two texts may be shown alike, and would be one counter */
        setup();
        cr_assert_eq(take(&value, NOW), 2, "text %zu", i);
        cr_expect(hostile_is_harmless(told->name) && hostile_lines(told->name) == 0);
        cr_expect(hostile_is_harmless(told->provider) && hostile_lines(told->provider) == 0);
        cr_expect(hostile_is_harmless(told->display) && hostile_lines(told->display) == 0);
        cr_expect(hostile_is_harmless(told->unit) && hostile_lines(told->unit) == 0);
    }
}

Test(counter_frames, times_are_never_in_the_future_and_intervals_never_absurd)
{
    struct um_nettrace_counter value = counter("items", 1);
    value.time_ns = UINT64_MAX;
    value.interval_s = -1e300;
    take(&value, NOW);
    cr_expect_eq(only_value(2)->time_ns, NOW);
    cr_expect_eq(only_value(2)->interval_ns, 0);
    value.interval_s = 1e300;
    take(&value, NOW + S);
    cr_expect_eq(only_value(1)->interval_ns, UINT64_C(1000000000000000000));
}
