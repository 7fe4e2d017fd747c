/* The data of the page's tracks, against what was put in by hand. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "base/plain/clock.h"
#include "monitor/report/report_curves.h"
#include "tests/unit/report/packed.h"

#define MS UM_CLOCK_NS_PER_MS
#define S UM_CLOCK_NS_PER_S

static struct um_recorded recorded;
static cJSON *root;

static void setup(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION, .as.session.start_ns = 10 * S};
    root = cJSON_CreateObject();
    recorded.session = frame.as.session;
    recorded.end_ns = 20 * S;
    um_curves_take(&recorded.curves, &frame);
}

static void teardown(void)
{
    um_curves_deinit(&recorded.curves);
    cJSON_Delete(root);
}

TestSuite(report_curves, .init = setup, .fini = teardown);

static const cJSON *put(void)
{
    cr_assert_eq(um_report_curves_put(root, &recorded), UM_OK);
    return cJSON_GetObjectItem(root, "curves");
}

static void activity(uint64_t time_ns, uint64_t since_ns, uint64_t messages)
{
    struct um_wire_frame frame = {.type = UM_WIRE_ACTIVITY};
    frame.as.activity =
        (struct um_wire_activity){.time_ns = time_ns, .since_ns = since_ns, .messages = messages};
    um_curves_take(&recorded.curves, &frame);
}

static void counter(uint32_t number, const char *name, uint8_t kind)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER};
    frame.as.counter.number = number;
    frame.as.counter.kind = kind;
    strcpy(frame.as.counter.provider, "System.Runtime");
    strcpy(frame.as.counter.name, name);
    strcpy(frame.as.counter.unit, "MB");
    um_curves_take(&recorded.curves, &frame);
}

static void value(uint32_t number, uint64_t time_ns, double mean, double least, double greatest)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER_VALUE};
    frame.as.counter_value = (struct um_wire_counter_value){.time_ns = time_ns,
                                                            .interval_ns = S,
                                                            .value = um_double_bits_of(mean),
                                                            .min = um_double_bits_of(least),
                                                            .max = um_double_bits_of(greatest),
                                                            .number = number,
                                                            .count = 2};
    um_curves_take(&recorded.curves, &frame);
}

static double take_double(struct packed *from)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= (uint64_t)packed_byte(from) << 8 * i;
    return um_double_bits_value(bits);
}

Test(report_curves, what_was_not_counted_is_not_there)
{
    counter(0, "working-set", UM_WIRE_COUNTER_MEAN);
    cr_expect_null(put());
}

Test(report_curves, spans_follow_one_another_until_a_gap)
{
    activity(10 * S, 10 * S, 0);
    activity(10 * S + 100 * MS, 10 * S, 5);
    activity(10 * S + 200 * MS, 10 * S, 6);
    activity(12 * S, 12 * S, 6);
    activity(12 * S + 500 * MS, 12 * S, 7);
    const cJSON *list = cJSON_GetObjectItem(put(), "list");
    cr_assert_eq(cJSON_GetArraySize(list), 1);
    const cJSON *item = cJSON_GetArrayItem(list, 0);
    cr_expect_str_eq(json_text(item, "of"), "messages");
    struct packed *spans = packed_read(item, "spans");
    static const uint64_t numbers[] = {0, 100000, 50000, 0, 100000, 10000};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        cr_expect_eq(packed_number(spans), numbers[i], "%zu", i);
    cr_expect_eq(packed_number(spans), 1, "a gap");
    cr_expect_eq(packed_number(spans), 2 * 1800000, "folded");
    cr_expect_eq(packed_number(spans), 500000);
    cr_expect_eq(packed_number(spans), 2000);
    cr_expect_eq(spans->at, spans->len);
}

Test(report_curves, values_of_counters_keep_all_their_digits)
{
    counter(0, "working-set", UM_WIRE_COUNTER_MEAN);
    value(0, 11 * S, 1 / 3.0, -1e300, 0.5);
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(put(), "list"), 0);
    cr_expect_str_eq(json_text(item, "name"), "working-set");
    cr_expect_str_eq(json_text(item, "unit"), "MB");
    struct packed *spans = packed_read(item, "spans");
    cr_expect_eq(packed_number(spans), 2);
    cr_expect_eq(packed_number(spans), 1000000);
    cr_expect_eq(take_double(spans), 1 / 3.0);
    cr_expect_eq(take_double(spans), -1e300);
    cr_expect_eq(take_double(spans), 0.5);
    cr_expect_eq(spans->at, spans->len);
}

Test(report_curves, many_counters_share_the_room)
{
    char name[8] = "aa";
    for (uint32_t i = 0; i < 200; i++) {
        name[0] = (char)('a' + i % 26);
        name[1] = (char)('a' + i / 26);
        counter(i, name, UM_WIRE_COUNTER_MEAN);
        for (uint64_t k = 1; k <= 3000; k++) {
            struct um_wire_frame frame = {.type = UM_WIRE_TOTALS};
            frame.as.totals.time_ns = (10 + k) * S;
            um_curves_take(&recorded.curves, &frame);
            value(i, (10 + k) * S, (double)k, (double)k, (double)k);
        }
    }
    const cJSON *item, *list = cJSON_GetObjectItem(put(), "list");
    cr_expect_eq(cJSON_GetArraySize(list), 200);
    cJSON_ArrayForEach(item, list)
    {
        cr_assert_lt(packed_read(item, "spans")->len, UM_REPORT_CURVES_LEAST_SPANS * 32);
        cr_assert_geq(json_number(item, "grain_ms"), 2000);
    }
    cr_expect_eq(recorded.curves.counters[0]->len, 3000, "the recording's own is as it was");
}

Test(report_curves, starvations_say_whose_they_are_and_whether_they_last)
{
    struct um_stats *stats;
    struct um_wire_frame frame = {.type = UM_WIRE_POOL, .flags = UM_WIRE_POOL_STARVED};
    cr_assert_eq(um_stats_open(&(struct um_stats_config){.start_ns = 10 * S}, &stats), UM_OK);
    frame.as.pool = (struct um_wire_pool){.time_ns = 12 * S,
                                          .delay_ns = 500 * MS,
                                          .start_ns = 11500 * MS,
                                          .end_ns = 12 * S,
                                          .peak_ns = 700 * MS,
                                          .starvation = 1};
    um_stats_frame(stats, &frame);
    recorded.summary.counted = um_stats_counted(stats);
    counter(0, "threadpool-queue-length", UM_WIRE_COUNTER_MEAN);
    counter(1, "threadpool-completed-items-count", UM_WIRE_COUNTER_INCREMENT);
    for (uint64_t i = 14; i < 17; i++) {
        value(0, i * S, 9, 9, 9);
        value(1, i * S, 1, 0, 0);
    }
    cJSON *list = cJSON_GetObjectItem(put(), "starvations");
    char *text = cJSON_PrintUnformatted(list);
    cr_expect_str_eq(text, "[[1500,500,700,0,0],[4000,6000,9,1,1]]", "%s", text);
    cJSON_free(text);
    um_stats_close(stats);
}
