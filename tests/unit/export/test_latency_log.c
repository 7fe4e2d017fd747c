/* Latencies by intervals: each value is in one of them, and in the one in which it came. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/export/hdr_encode.h"
#include "monitor/export/latency_log.h"

#define MS UM_CLOCK_NS_PER_MS
#define S UM_CLOCK_NS_PER_S
#define START_NS (5000 * S)

static struct um_recorded recorded;
static struct um_latency_log latency_log;

static void setup(void)
{
    struct um_stats_config config = {.start_ns = START_NS};
    recorded.session.start_ns = START_NS;
    cr_assert_eq(um_stats_open(&config, &recorded.stats), UM_OK);
}

static void teardown(void)
{
    um_latency_log_deinit(&latency_log);
    um_stats_close(recorded.stats);
    recorded.stats = NULL;
}

TestSuite(latency_log, .init = setup, .fini = teardown);

static void take(const struct um_wire_frame *frame)
{
    um_latency_log_take(&latency_log, &recorded, frame);
    um_stats_frame(recorded.stats, frame);
    recorded.end_ns = um_wire_time_of(frame);
}

static void beat(uint64_t at_ms, uint64_t latency_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
    frame.as.beat.sent_ns = START_NS + at_ms * MS;
    frame.as.beat.latency_ns = latency_ns;
    take(&frame);
}

static void key(uint64_t at_ms, uint64_t handled_ms, uint64_t painted_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_INTERACTION};
    struct um_wire_interaction *times = &frame.as.interaction;
    times->kind = UM_INTERACTION_KEY;
    times->arrival_ns = START_NS + at_ms * MS;
    times->dequeued_ns = times->arrival_ns;
    times->handled_ns = times->arrival_ns + handled_ms * MS;
    times->painted_ns = times->arrival_ns + painted_ms * MS;
    take(&frame);
}

/* An interval has exactly these values. */
static void expect_entry(size_t i, const char *name, uint64_t start_s, const uint64_t *values,
                         size_t count)
{
    static uint64_t counts[UM_HISTOGRAM_LATENCY_COUNTS];
    struct um_histogram expected;
    cr_assert_lt(i, latency_log.count);
    const struct um_latency_log_entry *entry = &latency_log.entries[i];
    memset(counts, 0, sizeof counts);
    um_histogram_init_latency(&expected, counts);
    for (size_t k = 0; k < count; k++)
        um_histogram_record(&expected, values[k]);
    char *encoded = um_hdr_encode(&expected);
    cr_expect_str_eq(um_latencies_name(entry->latency), name);
    cr_expect_eq(entry->start_ns, start_s * S);
    cr_expect_str_eq(entry->encoded, encoded);
    cr_expect_eq(entry->max_ns,
                 um_histogram_highest_equivalent(&expected, um_histogram_max(&expected)));
    free(encoded);
}

#define VALUES(...) (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8

Test(latency_log, each_value_is_in_the_interval_in_which_it_came)
{
    beat(0, 3 * MS);
    beat(9000, 4 * MS);
    key(9100, 5, 20);
    beat(11000, 4 * MS);
    beat(45000, 7 * MS);
    key(45100, 6, 30);
    cr_assert_eq(um_latency_log_end(&latency_log, &recorded), UM_OK);
    cr_assert_eq(latency_log.count, 7);
    expect_entry(0, "beats", 0, VALUES(3 * MS, 4 * MS));
    expect_entry(1, "keys", 0, VALUES(20 * MS));
    expect_entry(2, "keys-handled", 0, VALUES(5 * MS));
    expect_entry(3, "beats", 10, VALUES(4 * MS));
    expect_entry(4, "beats", 40, VALUES(7 * MS));
    expect_entry(5, "keys", 40, VALUES(30 * MS));
    expect_entry(6, "keys-handled", 40, VALUES(6 * MS));
    cr_expect_eq(latency_log.entries[0].length_ns, 10 * S);
    cr_expect_eq(latency_log.entries[4].length_ns, recorded.end_ns - START_NS - 40 * S);
}

/* A file from anywhere may have any times: what goes back in time stays in the present interval. */
Test(latency_log, times_that_go_back_begin_no_interval)
{
    beat(25000, 3 * MS);
    beat(1000, 4 * MS);
    cr_assert_eq(um_latency_log_end(&latency_log, &recorded), UM_OK);
    cr_assert_eq(latency_log.count, 1);
    expect_entry(0, "beats", 20, VALUES(3 * MS, 4 * MS));
}
