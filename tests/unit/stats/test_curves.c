/* How what else was counted went over time. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "base/plain/clock.h"
#include "monitor/stats/curves.h"

#define MS UM_CLOCK_NS_PER_MS
#define S UM_CLOCK_NS_PER_S

static struct um_curves curves;

static void take(const struct um_wire_frame *frame)
{
    um_curves_take(&curves, frame);
}

static void setup(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    frame.as.session.start_ns = 10 * S;
    take(&frame);
}

static void teardown(void)
{
    um_curves_deinit(&curves);
}

TestSuite(curves, .init = setup, .fini = teardown);

/* "from-to mean least greatest" of each span, in ms since the start. */
static void expect(const struct um_curve *curve, const char *text)
{
    char all[4096] = "";
    size_t used = 0;
    for (size_t i = 0; curve && i < curve->len && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%g-%g %g %g %g", i ? ", " : "",
                                 ((double)curve->list[i].start_ns - 10 * (double)S) / MS,
                                 ((double)curve->list[i].end_ns - 10 * (double)S) / MS,
                                 um_curves_mean(&curve->list[i]), curve->list[i].least,
                                 curve->list[i].greatest);
    cr_expect_str_eq(all, text, "%s", all);
}

static void pool(uint64_t time_ms, uint64_t delay_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_POOL};
    frame.as.pool.time_ns = 10 * S + time_ms * MS;
    frame.as.pool.delay_ns = delay_ms * MS;
    take(&frame);
}

static void activity(uint64_t time_ms, uint64_t since_ms, uint64_t messages, uint64_t paints,
                     uint8_t flags)
{
    struct um_wire_frame frame = {.type = UM_WIRE_ACTIVITY, .flags = flags};
    frame.as.activity =
        (struct um_wire_activity){10 * S + time_ms * MS, 10 * S + since_ms * MS, messages, paints};
    take(&frame);
}

static void counter(uint32_t number, const char *name, uint8_t kind)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER};
    frame.as.counter.number = number;
    frame.as.counter.kind = kind;
    strcpy(frame.as.counter.provider, "System.Runtime");
    strcpy(frame.as.counter.name, name);
    take(&frame);
}

static void value(uint32_t number, uint64_t time_ms, uint64_t interval_ms, double amount)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER_VALUE};
    frame.as.counter_value = (struct um_wire_counter_value){.time_ns = 10 * S + time_ms * MS,
                                                            .interval_ns = interval_ms * MS,
                                                            .value = um_double_bits_of(amount),
                                                            .number = number};
    take(&frame);
}

static void now(uint64_t time_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TOTALS};
    frame.as.totals.time_ns = 10 * S + time_ms * MS;
    take(&frame);
}

Test(curves, a_delay_stands_for_the_time_since_the_one_before)
{
    pool(1000, 4);
    pool(1250, 6);
    pool(5000, 250); /* meanwhile nothing was submitted */
    pool(4000, 1);   /* late */
    expect(&curves.curves[UM_CURVES_POOL],
           "996-1000 4e+06 4e+06 4e+06, 1000-1250 6e+06 6e+06 6e+06, "
           "4750-5000 2.5e+08 2.5e+08 2.5e+08");
}

Test(curves, what_began_before_the_session_is_drawn_from_its_start)
{
    pool(24, 35);
    counter(7, "working-set", UM_WIRE_COUNTER_MEAN);
    value(7, 300, 1000, 5);
    expect(&curves.curves[UM_CURVES_POOL], "0-24 3.5e+07 3.5e+07 3.5e+07");
    expect(curves.counters[0], "0-300 5 5 5");
}

/* Counting stops at 1.2 s and begins again at 5 s, and paints are known from 1.1 s on. */
Test(curves, rates_have_gaps_where_nothing_was_counted)
{
    activity(1000, 1000, 100, 0, 0);
    activity(1100, 1000, 103, 0, UM_WIRE_ACTIVITY_PAINTS);
    activity(1200, 1000, 103, 6, UM_WIRE_ACTIVITY_PAINTS);
    activity(5000, 5000, 103, 6, UM_WIRE_ACTIVITY_PAINTS);
    activity(5500, 5000, 113, 7, UM_WIRE_ACTIVITY_PAINTS);
    expect(&curves.curves[UM_CURVES_MESSAGES],
           "1000-1100 30 30 30, 1100-1200 0 0 0, 5000-5500 20 20 20");
    expect(&curves.curves[UM_CURVES_FRAMES], "1100-1200 60 60 60, 5000-5500 2 2 2");
}

Test(curves, increments_are_per_second_and_means_as_they_are)
{
    counter(3, "alloc-rate", UM_WIRE_COUNTER_INCREMENT);
    counter(4, "cpu-usage", UM_WIRE_COUNTER_MEAN);
    value(3, 2000, 2000, 50);
    value(4, 2000, 2000, 7);
    value(4, 4010, 2000, 9); /* 10 ms late, which is no gap */
    value(4, 9000, 2000, 8);
    expect(curves.counters[0], "0-2000 25 25 25");
    expect(curves.counters[1], "0-2000 7 7 7, 2000-4010 9 9 9, 7000-9000 8 8 8");
}

Test(curves, values_that_cannot_be_are_left_out)
{
    counter(0, "a", UM_WIRE_COUNTER_MEAN);
    counter(1, "b", UM_WIRE_UNKNOWN);
    now(3000);
    value(9, 2000, 1000, 1);  /* no such counter */
    value(1, 2000, 1000, 1);  /* of a later kind */
    value(0, 2000, 0, 1);     /* who knows of when it is */
    value(0, 99000, 1000, 1); /* from the future */
    value(0, 2000, 1000, 1);
    value(0, 1500, 1000, 1); /* before that */
    value(0, 3000, 1000, 1e308);
    expect(curves.counters[0], "1000-2000 1 1 1, 2000-3000 1e+308 1e+308 1e+308");
    cr_expect_null(curves.counters[1]);
    now(1000000000);
    for (uint64_t i = 4; i < 20000; i++)
        value(0, i * 1000, 1000, 1e308);
    cr_expect_leq(curves.counters[0]->len, UM_CURVES_COUNTER_SPANS);
    cr_expect(curves.cut, "there is no sum of them");
}

Test(curves, a_counter_that_means_something_else_begins_anew)
{
    counter(0, "a", UM_WIRE_COUNTER_MEAN);
    value(0, 2000, 1000, 1);
    counter(0, "a", UM_WIRE_COUNTER_INCREMENT);
    value(0, 3000, 1000, 5);
    expect(curves.counters[0], "2000-3000 5 5 5");
}

/* Ten a second for three hours, with a minute's gap: what is made one loses nothing of the sum, and
 * never crosses the gap. */
Test(curves, long_ones_become_coarser_and_keep_their_gaps)
{
    uint64_t messages = 0;
    for (uint64_t i = 0; i <= 108000; i++) {
        bool gap = i >= 50000 && i < 50600;
        messages += i % 7;
        if (!gap)
            activity(i * 100, i < 50000 ? 0 : 50600 * 100, messages, 0, 0);
    }
    const struct um_curve *curve = &curves.curves[UM_CURVES_MESSAGES];
    double sum = 0, least = 1e9, greatest = 0;
    uint64_t last_ns = 10 * S, gaps = 0;
    for (size_t i = 0; i < curve->len; i++) {
        const struct um_curves_span *span = &curve->list[i];
        gaps += span->start_ns != last_ns;
        cr_assert_geq(span->start_ns, last_ns);
        cr_assert_leq(span->end_ns - span->start_ns, curve->grain_ns);
        last_ns = span->end_ns;
        sum += span->sum;
        least = span->least < least ? span->least : least;
        greatest = span->greatest > greatest ? span->greatest : greatest;
    }
    uint64_t in_gap = 0;
    for (uint64_t i = 50000; i <= 50600; i++)
        in_gap += i % 7;
    cr_expect_leq(curve->len, UM_CURVES_SPANS);
    cr_expect_geq(curve->len, UM_CURVES_SPANS / 4);
    cr_expect_eq(gaps, 1);
    cr_expect_float_eq(sum, (double)(messages - in_gap), 0.01);
    cr_expect_float_eq(least, 0, 1e-6);
    cr_expect_float_eq(greatest, 60, 1e-6);
    cr_expect(!curves.cut);
}

Test(curves, what_never_touches_stays_bounded)
{
    for (uint64_t i = 0; i < UM_CURVES_SPANS + 100; i++)
        pool(3000 * (i + 1), 1);
    cr_expect_eq(curves.curves[UM_CURVES_POOL].len, UM_CURVES_SPANS);
    cr_expect(curves.cut);
}

static void interval(uint64_t time_ms, double waits, double completed)
{
    value(0, time_ms, 1000, waits);
    value(1, time_ms, 1000, completed);
}

Test(curves, starvations_of_dotnets_pool)
{
    counter(0, "threadpool-queue-length", UM_WIRE_COUNTER_MEAN);
    counter(1, "threadpool-completed-items-count", UM_WIRE_COUNTER_INCREMENT);
    interval(1000, 0, 5);
    interval(2000, 8, 5);
    interval(3000, 9, 5);
    cr_assert_eq(curves.starvation_count, 1);
    cr_expect_eq(curves.starvations[0].end_ns, 0, "it lasts");
    interval(4000, 0, 50);
    interval(5000, 8, 5);
    interval(6000, 8, 5);
    cr_assert_eq(curves.starvation_count, 2);
    cr_expect_eq(curves.starvations[0].start_ns, 12 * S);
    cr_expect_eq(curves.starvations[0].end_ns, 14 * S);
    cr_expect_eq(curves.starvations[0].most, 9);
    cr_expect_eq(curves.starvations[1].end_ns, 0);
}
