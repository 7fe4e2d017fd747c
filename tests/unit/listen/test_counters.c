#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/text.h"
#include "base/double_bits.h"
#include "monitor/listen/counters.h"

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
#define BEGIN_NS (1000 * S)
#define MAX_TOLD 20000
#define MAX_EVENTS 64

static struct um_counters_interval *intervals; /* MAX_TOLD, once there is one */
static size_t interval_count;
static struct um_counters_event events[MAX_EVENTS];
static size_t event_count;
static struct um_counters *counters;
/* The target's own, at the end of the last interval, and the last one that was told of. */
static struct um_counters_target targets[UM_COUNTERS_TARGETS];
static size_t target_count;
static struct um_counters_target news;
static size_t news_count;

static void take_interval(void *context, const struct um_counters_interval *interval)
{
    (void)context;
    cr_assert_lt(interval_count, MAX_TOLD);
    if (!intervals)
        cr_assert_not_null(intervals = calloc(MAX_TOLD, sizeof *intervals));
    target_count = interval->target_count;
    if (target_count > 0)
        memcpy(targets, interval->targets, target_count * sizeof targets[0]);
    intervals[interval_count++] = *interval;
}

static void take_target(void *context, const struct um_counters_target *target)
{
    (void)context;
    news = *target;
    news_count++;
}

static void take_event(void *context, const struct um_counters_event *event)
{
    (void)context;
    cr_assert_lt(event_count, MAX_EVENTS);
    events[event_count++] = *event;
}

static void close_counters(void)
{
    um_counters_close(counters);
}

static void give(struct um_wire_frame frame)
{
    um_counters_frame(counters, &frame);
}

static void send_session(uint64_t hwnd, uint32_t tid, uint8_t flags)
{
    give((struct um_wire_frame){.type = UM_WIRE_SESSION,
                                .flags = flags,
                                .as.session = {.start_ns = BEGIN_NS,
                                               .hwnd = hwnd,
                                               .tid = tid,
                                               .period_us = 10000,
                                               .threshold_us = 100000}});
}

static void send_status(uint64_t time_ns, uint8_t state, uint64_t since_ns, uint64_t outstanding_ns)
{
    give((struct um_wire_frame){.type = UM_WIRE_STATUS,
                                .as.status = {.time_ns = time_ns,
                                              .state = state,
                                              .state_since_ns = since_ns,
                                              .outstanding_ns = outstanding_ns}});
}

static void send_quiet(uint64_t time_ns)
{
    send_status(time_ns, UM_STATE_RESPONSIVE, BEGIN_NS, 0);
}

static void send_beat(uint64_t sent_ns, uint64_t latency_ns)
{
    give((struct um_wire_frame){.type = UM_WIRE_BEAT,
                                .as.beat = {.sent_ns = sent_ns, .latency_ns = latency_ns}});
}

static void send_episode(uint8_t flags, uint32_t id, uint8_t state, uint64_t start_ns,
                         uint64_t end_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE,
                                  .flags = flags | UM_WIRE_EPISODE_HAS_MESSAGE,
                                  .as.episode = {.start_ns = start_ns,
                                                 .end_ns = end_ns,
                                                 .peak_ns = end_ns - start_ns - MS,
                                                 .id = id,
                                                 .message = 0x113,
                                                 .state = state}};
    um_text_set(frame.as.episode.window_class, sizeof frame.as.episode.window_class, "Edit");
    give(frame);
}

static void send_pool(uint64_t time_ns, uint64_t delay_ns, uint32_t starvation, uint8_t flags)
{
    bool lasts = (flags & UM_WIRE_POOL_STARVED) != 0;
    give((struct um_wire_frame){
        .type = UM_WIRE_POOL,
        .flags = flags,
        .as.pool = {.time_ns = time_ns,
                    .delay_ns = delay_ns,
                    .start_ns = starvation ? BEGIN_NS + starvation * 1000 * MS : 0,
                    .end_ns =
                        starvation && !lasts ? BEGIN_NS + starvation * 1000 * MS + 500 * MS : 0,
                    .peak_ns = starvation * 100 * MS,
                    .starvation = starvation}});
}

/* In place of those before. */
static void open_counters(uint64_t interval_ns)
{
    static const struct um_counters_taker taker = {
        .interval = take_interval, .event = take_event, .target = take_target};
    um_counters_close(counters);
    interval_count = event_count = 0;
    cr_assert_eq(um_counters_open(interval_ns, &taker, &counters), UM_OK);
}

/* Begins with intervals of that length, the first of them at BEGIN_NS. */
static void begin(uint64_t interval_ns)
{
    open_counters(interval_ns);
    send_session(1, 2, 0);
    send_quiet(BEGIN_NS - 100 * MS);
    send_quiet(BEGIN_NS);
}

static void begin_seconds(void)
{
    begin(S);
}

TestSuite(counters, .init = begin_seconds, .fini = close_counters);

static const struct um_counters_value *value(size_t interval, enum um_metrics_id id)
{
    cr_assert_lt(interval, interval_count, "there are %zu intervals", interval_count);
    return &intervals[interval].values[id];
}

/* Brute force ---------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

#define BEATS 4000

static struct {
    uint64_t sent_ns, latency_ns;
} beats[BEATS];

/* Beats of random latencies, one after the other, and a STATUS at each 100 ms. */
static uint64_t play_random(uint64_t seed)
{
    uint64_t at_ns = BEGIN_NS, status_ns = BEGIN_NS + 100 * MS;
    for (size_t i = 0; i < BEATS; i++) {
        uint64_t latency_ns = 100000 + next_random(&seed) % (2 * MS);
        if (next_random(&seed) % 50 == 0)
            latency_ns += next_random(&seed) % (400 * MS);
        beats[i].sent_ns = at_ns + 3 * MS;
        beats[i].latency_ns = latency_ns;
        uint64_t answered_ns = beats[i].sent_ns + latency_ns;
        for (; status_ns < answered_ns; status_ns += 100 * MS)
            send_status(status_ns, UM_STATE_RESPONSIVE, BEGIN_NS,
                        beats[i].sent_ns < status_ns ? beats[i].sent_ns : 0);
        send_beat(beats[i].sent_ns, latency_ns);
        at_ns = answered_ns;
    }
    return at_ns;
}

/* The same by writing every value out. */
static void check_latency(size_t index)
{
    static double all[20000];
    const struct um_counters_interval *interval = &intervals[index];
    const struct um_counters_value *got = value(index, UM_METRICS_LATENCY);
    size_t len = 0;
    uint64_t count = 0;
    double sum = 0, min = INFINITY, max = 0;

    for (size_t i = 0; i < BEATS; i++) {
        uint64_t answered_ns = beats[i].sent_ns + beats[i].latency_ns;
        if (answered_ns < interval->start_ns || answered_ns >= interval->end_ns)
            continue;
        count++;
        min = fmin(min, (double)beats[i].latency_ns / 1e6);
        max = fmax(max, (double)beats[i].latency_ns / 1e6);
        cr_assert_lt(len + beats[i].latency_ns / (10 * MS), sizeof all / sizeof all[0]);
        all[len++] = (double)beats[i].latency_ns / 1e6;
        for (uint64_t v = beats[i].latency_ns; v >= 20 * MS; v -= 10 * MS)
            all[len++] = (double)(v - 10 * MS) / 1e6;
    }
    cr_assert_eq(got->count, count);
    cr_assert_eq(got->measured, count > 0);
    if (count == 0)
        return;
    qsort(all, len, sizeof all[0], compare);
    for (size_t i = 0; i < len; i++)
        sum += all[i];
    double p50 = all[(len * 50 + 99) / 100 - 1], p99 = all[(len * 99 + 99) / 100 - 1];
    cr_expect_lt(fabs(got->value - sum / (double)len), 1e-6, "mean %f, not %f", got->value,
                 sum / (double)len);
    cr_expect(fabs(got->min - min) < 1e-9 && fabs(got->max - max) < 1e-9);
    /* The histogram keeps three digits. */
    cr_expect(got->p50 >= p50 && got->p50 <= p50 * 1.001 + 0.001, "%f, not %f", got->p50, p50);
    cr_expect(got->p99 >= p99 && got->p99 <= p99 * 1.001 + 0.001, "%f, not %f", got->p99, p99);
}

static void check_lag(size_t index)
{
    uint64_t end_ns = intervals[index].end_ns;
    const struct um_counters_value *got = value(index, UM_METRICS_LAG);
    double lag_ms = -1;
    for (size_t i = 0; i < BEATS && beats[i].sent_ns < end_ns; i++) {
        bool waits = beats[i].sent_ns + beats[i].latency_ns >= end_ns;
        lag_ms = (double)(waits ? end_ns - beats[i].sent_ns : beats[i].latency_ns) / 1e6;
    }
    cr_assert_eq(got->measured, lag_ms >= 0);
    cr_expect(lag_ms < 0 || fabs(got->value - lag_ms) < 1e-9, "%f, not %f", got->value, lag_ms);
}

static void check_random(uint64_t interval_ns)
{
    begin(interval_ns);
    uint64_t end_ns = play_random(interval_ns);
    cr_assert_eq(interval_count, (end_ns - BEGIN_NS) / interval_ns);
    for (size_t i = 0; i < interval_count; i++) {
        cr_assert_eq(intervals[i].start_ns, BEGIN_NS + i * interval_ns);
        cr_assert_eq(intervals[i].end_ns, BEGIN_NS + (i + 1) * interval_ns);
        check_latency(i);
        check_lag(i);
    }
}

Test(counters, latency_and_lag_are_as_by_brute_force)
{
    static const uint64_t intervals_ns[] = {S, 10 * MS, 7 * S};
    for (size_t i = 0; i < sizeof intervals_ns / sizeof intervals_ns[0]; i++)
        check_random(intervals_ns[i]);
}

/* What was not measured ------------------------------------------------------------------------ */

Test(counters, nothing_is_measured_without_beats)
{
    send_quiet(BEGIN_NS + S);
    cr_assert_eq(interval_count, 1);
    for (int i = 0; i < UM_METRICS_COUNT; i++) {
        bool told = i == UM_METRICS_HANGS || i == UM_METRICS_FRAMES_LOST;
        bool given = value(0, (enum um_metrics_id)i)->measured;
        cr_expect(given == (i == UM_METRICS_HANGS) || told, "%s", um_metrics_list[i].name);
    }
}

Test(counters, lag_is_not_measured_while_blind)
{
    send_beat(BEGIN_NS + 10 * MS, MS);
    send_quiet(BEGIN_NS + S);
    send_status(BEGIN_NS + S + 1, UM_STATE_BLIND, BEGIN_NS + S + 1, 0);
    send_status(BEGIN_NS + 2 * S, UM_STATE_BLIND, BEGIN_NS + S + 1, 0);
    cr_expect(value(0, UM_METRICS_LAG)->measured);
    cr_expect(!value(1, UM_METRICS_LAG)->measured);
    cr_expect(!value(1, UM_METRICS_HANGS)->measured);
}

Test(counters, first_status_begins_nothing_because_it_may_be_an_old_one)
{
    open_counters(S);
    send_session(1, 2, 0);
    send_quiet(BEGIN_NS - 5 * S);
    send_quiet(BEGIN_NS);
    cr_expect_eq(interval_count, 0);
    send_quiet(BEGIN_NS + S);
    cr_assert_eq(interval_count, 1);
    cr_expect_eq(intervals[0].start_ns, BEGIN_NS);
}

/* Hangs ---------------------------------------------------------------------------------------- */

Test(counters, hang_is_detected_once_and_ended_once_and_lag_rises_meanwhile)
{
    begin(100 * MS);
    uint64_t sent_ns = BEGIN_NS + 50 * MS;
    send_status(BEGIN_NS + 100 * MS, UM_STATE_RESPONSIVE, BEGIN_NS, sent_ns);
    send_episode(UM_WIRE_EPISODE_BEGIN, 4, UM_STATE_FROZEN, sent_ns, sent_ns + 100 * MS);
    for (uint64_t ms = 200; ms <= 900; ms += 100)
        send_status(BEGIN_NS + ms * MS, UM_STATE_FROZEN, sent_ns, sent_ns);
    send_episode(UM_WIRE_EPISODE_END, 4, UM_STATE_STARVED, sent_ns, sent_ns + 900 * MS);
    send_beat(sent_ns, 900 * MS);
    send_status(BEGIN_NS + 1000 * MS, UM_STATE_RESPONSIVE, sent_ns + 900 * MS, 0);

    cr_assert_eq(interval_count, 10);
    double hangs = 0;
    for (size_t i = 0; i < 9; i++) {
        double want_ms = (double)(i + 1) * 100 - 50;
        hangs += value(i, UM_METRICS_HANGS)->value;
        cr_expect(fabs(value(i, UM_METRICS_LAG)->value - want_ms) < 1e-9);
    }
    cr_expect_eq(hangs, 1);
    cr_expect_eq(value(1, UM_METRICS_HANGS)->value, 1);
    cr_expect(fabs(value(9, UM_METRICS_LAG)->value - 900) < 1e-9);
    cr_assert_eq(event_count, 4);
    cr_expect_eq(events[0].kind, UM_COUNTERS_HANG_DETECTED);
    cr_expect_eq(events[0].time_ns, sent_ns);
    cr_expect_lt(fabs(events[0].length_ms - 100), 1e-9);
    cr_expect_eq(events[1].kind, UM_COUNTERS_STATE_CHANGED);
    cr_expect_eq(events[1].state, UM_STATE_FROZEN);
    cr_expect_eq(events[2].kind, UM_COUNTERS_HANG_ENDED);
    cr_expect_eq(events[2].state, UM_STATE_STARVED);
    cr_expect_lt(fabs(events[2].peak_ms - 899), 1e-9);
    cr_expect(!events[2].is_void && events[2].has_message);
    cr_expect_str_eq(events[2].window_class, "Edit");
    cr_expect_eq(events[3].before, UM_STATE_FROZEN);
}

Test(counters, hang_that_turns_out_to_be_blind_ends_void)
{
    send_episode(UM_WIRE_EPISODE_BEGIN, 4, UM_STATE_FROZEN, BEGIN_NS, BEGIN_NS + 100 * MS);
    send_episode(UM_WIRE_EPISODE_END, 4, UM_STATE_BLIND, BEGIN_NS, BEGIN_NS + 200 * MS);
    cr_assert_eq(event_count, 2);
    cr_expect(!events[0].is_void);
    cr_expect(events[1].is_void);
    cr_expect_eq(events[1].state, UM_STATE_BLIND);
}

Test(counters, hang_that_ends_in_an_unknown_state_is_not_said_to_have_been_none)
{
    send_episode(UM_WIRE_EPISODE_BEGIN, 9, UM_STATE_FROZEN, BEGIN_NS, BEGIN_NS + 100 * MS);
    send_episode(UM_WIRE_EPISODE_END, 9, UM_WIRE_UNKNOWN, BEGIN_NS, BEGIN_NS + 150 * MS);
    cr_assert_eq(event_count, 2);
    cr_expect_eq(events[1].kind, UM_COUNTERS_HANG_ENDED);
    cr_expect_eq(events[1].state, UM_WIRE_UNKNOWN);
    cr_expect(!events[1].is_void);
}

Test(counters, hang_that_is_told_by_its_end_alone_is_detected_then)
{
    send_episode(UM_WIRE_EPISODE_END, 9, UM_STATE_FROZEN, BEGIN_NS, BEGIN_NS + 150 * MS);
    send_episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID, 10, UM_STATE_FROZEN, BEGIN_NS,
                 BEGIN_NS + 150 * MS);
    send_episode(UM_WIRE_EPISODE_BEGIN, 11, UM_STATE_BLIND, BEGIN_NS, BEGIN_NS + 150 * MS);
    send_episode(UM_WIRE_EPISODE_END, 11, UM_STATE_BLIND, BEGIN_NS, BEGIN_NS + 150 * MS);
    cr_assert_eq(event_count, 2);
    cr_expect_eq(events[0].kind, UM_COUNTERS_HANG_DETECTED);
    cr_expect_eq(events[1].kind, UM_COUNTERS_HANG_ENDED);
    cr_expect_eq(events[1].hang, 9);
}

Test(counters, many_hangs_one_after_the_other_are_each_told_once)
{
    for (uint32_t id = 1; id <= 20; id++) {
        uint64_t start_ns = BEGIN_NS + id * MS;
        send_episode(UM_WIRE_EPISODE_BEGIN, id, UM_STATE_FROZEN, start_ns, start_ns + 2 * MS);
        send_episode(UM_WIRE_EPISODE_END, id, UM_STATE_FROZEN, start_ns, start_ns + 3 * MS);
    }
    send_quiet(BEGIN_NS + S);
    cr_expect_eq(event_count, 40);
    cr_expect_eq(value(0, UM_METRICS_HANGS)->value, 20);
}

/* The rest ------------------------------------------------------------------------------------- */

Test(counters, beats_left_out_at_rest_count_as_the_one_before)
{
    send_beat(BEGIN_NS + 10 * MS, 4 * MS);
    send_beat(BEGIN_NS + 20 * MS, 2 * MS);
    give((struct um_wire_frame){.type = UM_WIRE_REST,
                                .as.rest = {.time_ns = BEGIN_NS + 130 * MS, .skipped = 6}});
    send_quiet(BEGIN_NS + S);
    const struct um_counters_value *latency = value(0, UM_METRICS_LATENCY);
    cr_expect(fabs(latency->value - (4 + 7 * 2) / 8.0) < 1e-9, "%f", latency->value);
    cr_expect(fabs(latency->p50 - 2) < 0.01);
    cr_expect_eq(latency->count, 2);
}

Test(counters, increments_are_differences_and_need_two_totals)
{
    for (uint64_t i = 1; i <= 3; i++) {
        give((struct um_wire_frame){.type = UM_WIRE_TOTALS,
                                    .as.totals = {.time_ns = BEGIN_NS + i * S,
                                                  .beats_lost = 100 + i * i,
                                                  .heartbeat_cpu_ns = MS * i,
                                                  .monitor_cpu_ns = 5 * MS + 2 * MS * i}});
        send_quiet(BEGIN_NS + i * S);
    }
    cr_expect(!value(0, UM_METRICS_BEATS_LOST)->measured);
    cr_expect(!value(0, UM_METRICS_OWN_CPU)->measured);
    cr_expect_eq(value(1, UM_METRICS_BEATS_LOST)->value, 3);
    cr_expect_eq(value(2, UM_METRICS_BEATS_LOST)->value, 5);
    cr_expect(fabs(value(2, UM_METRICS_OWN_CPU)->value - 3) < 1e-9);
}

Test(counters, what_was_lost_before_the_first_interval_is_not_of_it)
{
    open_counters(S);
    send_session(1, 2, 0);
    for (uint64_t i = 0; i <= 2; i++)
        give((struct um_wire_frame){.type = UM_WIRE_STATUS,
                                    .as.status = {.time_ns = BEGIN_NS + i * S,
                                                  .state = UM_STATE_RESPONSIVE,
                                                  .state_since_ns = BEGIN_NS,
                                                  .lost = i < 1 ? 10 : 17}});
    send_quiet(BEGIN_NS + 3 * S);
    cr_expect(!value(0, UM_METRICS_FRAMES_LOST)->measured);
    cr_expect(value(1, UM_METRICS_FRAMES_LOST)->measured);
    cr_expect_eq(value(1, UM_METRICS_FRAMES_LOST)->value, 0);
}

Test(counters, keys_and_clicks_have_what_was_observed_of_them)
{
    give((struct um_wire_frame){.type = UM_WIRE_INTERACTION,
                                .as.interaction = {.arrival_ns = BEGIN_NS,
                                                   .dequeued_ns = BEGIN_NS + MS,
                                                   .handled_ns = BEGIN_NS + 3 * MS,
                                                   .painted_ns = BEGIN_NS + 8 * MS,
                                                   .kind = UM_INTERACTION_KEY}});
    give((struct um_wire_frame){.type = UM_WIRE_INTERACTION,
                                .as.interaction = {.arrival_ns = BEGIN_NS,
                                                   .dequeued_ns = BEGIN_NS + MS,
                                                   .handled_ns = BEGIN_NS + 6 * MS,
                                                   .kind = UM_INTERACTION_CLICK}});
    send_quiet(BEGIN_NS + S);
    cr_expect(fabs(value(0, UM_METRICS_TYPING_PAINTED)->value - 8) < 1e-9);
    cr_expect(fabs(value(0, UM_METRICS_TYPING_HANDLED)->value - 3) < 1e-9);
    cr_expect(fabs(value(0, UM_METRICS_CLICK_HANDLED)->max - 6) < 1e-9);
    cr_expect(!value(0, UM_METRICS_CLICK_PAINTED)->measured);
}

/* A delay belongs to the interval that its time lies in, whenever the interval's end is told. */
Test(counters, pool_delays_are_of_the_interval_that_they_lie_in)
{
    send_pool(BEGIN_NS - 50 * MS, 9 * MS, 0, 0); /* before the first interval */
    send_pool(BEGIN_NS + 250 * MS, 2 * MS, 0, 0);
    send_pool(BEGIN_NS + 500 * MS, 4 * MS, 0, 0);
    send_pool(BEGIN_NS + 1000 * MS, 6 * MS, 0, 0);
    send_quiet(BEGIN_NS + 1001 * MS);
    send_pool(BEGIN_NS + 1900 * MS, 8 * MS, 0, 0);
    send_pool(BEGIN_NS + 2010 * MS, 30 * MS, 0, UM_WIRE_POOL_WAITS); /* before the end of the 2nd */
    send_quiet(BEGIN_NS + 2100 * MS);
    send_quiet(BEGIN_NS + 3000 * MS);
    send_quiet(BEGIN_NS + 4000 * MS);
    cr_assert_eq(interval_count, 4);
    cr_assert_eq(value(0, UM_METRICS_POOL_DELAY)->count, 3);
    cr_expect_float_eq(value(0, UM_METRICS_POOL_DELAY)->value, 4.0, 1e-9);
    cr_expect_float_eq(value(0, UM_METRICS_POOL_DELAY)->min, 2.0, 1e-9);
    cr_expect_float_eq(value(0, UM_METRICS_POOL_DELAY)->max, 6.0, 1e-9);
    cr_assert_eq(value(1, UM_METRICS_POOL_DELAY)->count, 1);
    cr_expect_float_eq(value(1, UM_METRICS_POOL_DELAY)->max, 8.0, 1e-9);
    cr_assert_eq(value(2, UM_METRICS_POOL_DELAY)->count, 1);
    cr_expect_float_eq(value(2, UM_METRICS_POOL_DELAY)->max, 30.0, 1e-9);
    cr_expect(!value(3, UM_METRICS_POOL_DELAY)->measured);
    cr_expect_eq(event_count, 0);
}

static void send_activity(uint64_t time_ns, uint64_t since_ns, uint64_t messages, uint64_t paints)
{
    give((struct um_wire_frame){
        .type = UM_WIRE_ACTIVITY,
        .flags = paints ? UM_WIRE_ACTIVITY_PAINTS : 0,
        .as.activity = {
            .time_ns = time_ns, .since_ns = since_ns, .messages = messages, .paints = paints}});
}

static void expect_rates(size_t interval, double messages, double paints)
{
    cr_expect(value(interval, UM_METRICS_MESSAGE_RATE)->measured);
    cr_expect(value(interval, UM_METRICS_FRAME_RATE)->measured);
    cr_expect_float_eq(value(interval, UM_METRICS_MESSAGE_RATE)->value, messages, 1e-9);
    cr_expect_float_eq(value(interval, UM_METRICS_FRAME_RATE)->value, paints, 1e-9);
}

/* A program that paints 60 times a second and retrieves 200 messages, but for the part from 2 s to
 * 4 s, in which it stands still. A sample lies 37 ms after each tenth of a second. */
static void play_samples(uint64_t interval_ns)
{
    uint64_t messages = 500, paints = 300;
    begin(interval_ns);
    for (uint64_t ms = 37; ms < 6000; ms += 100) {
        bool stands = ms > 2000 && ms < 4000;
        send_activity(BEGIN_NS + ms * MS, BEGIN_NS - S, messages, paints);
        send_quiet(BEGIN_NS + (ms + 20) * MS);
        messages += stands ? 0 : 20;
        paints += stands ? 0 : 6;
    }
}

/* Each rate is by the time that its samples have between them, so it is right for any interval that
 * has one, whatever lies between the sample and the interval's end. */
Test(counters, rates_are_right_for_any_interval)
{
    static const uint64_t lengths_ms[] = {100, 130, 250, 700, 1000};
    for (size_t i = 0; i < sizeof lengths_ms / sizeof lengths_ms[0]; i++) {
        size_t moving = 0;
        play_samples(lengths_ms[i] * MS);
        for (size_t k = 1; k < interval_count; k++) {
            uint64_t end_ms = (intervals[k].end_ns - BEGIN_NS) / MS;
            bool moves = end_ms < 2037 || intervals[k].start_ns >= BEGIN_NS + 4137 * MS;
            bool stands = intervals[k].start_ns >= BEGIN_NS + 2137 * MS && end_ms < 4037;
            if (moves)
                expect_rates(k, 200, 60);
            if (stands)
                expect_rates(k, 0, 0);
            moving += moves;
        }
        cr_expect_geq(moving, 1, "none of %zu", interval_count);
    }
}

Test(counters, rates_are_of_what_lies_between_two_samples)
{
    send_activity(BEGIN_NS + 100 * MS, BEGIN_NS, 1000, 10);
    send_activity(BEGIN_NS + 900 * MS, BEGIN_NS, 1400, 50);
    send_activity(BEGIN_NS + 1010 * MS, BEGIN_NS, 5400, 90); /* before the end is told */
    send_quiet(BEGIN_NS + 1020 * MS);
    send_activity(BEGIN_NS + 1900 * MS, BEGIN_NS, 5600, 90);
    send_quiet(BEGIN_NS + 2000 * MS);
    send_quiet(BEGIN_NS + 3000 * MS);
    cr_assert_eq(interval_count, 3);
    expect_rates(0, 500, 50);
    expect_rates(1, 4200, 40);
    cr_expect(!value(2, UM_METRICS_FRAME_RATE)->measured, "no sample lies in it");
    cr_expect(!value(2, UM_METRICS_MESSAGE_RATE)->measured);
}

/* Nobody listened for a while, or the target's window was another one. */
Test(counters, what_was_not_counted_is_in_no_rate)
{
    send_activity(BEGIN_NS + 200 * MS, BEGIN_NS, 100, 10);
    send_activity(BEGIN_NS + 300 * MS, BEGIN_NS, 120, 12);
    send_activity(BEGIN_NS + 700 * MS, BEGIN_NS + 700 * MS, 120, 12);
    send_activity(BEGIN_NS + 900 * MS, BEGIN_NS + 700 * MS, 180, 13);
    send_quiet(BEGIN_NS + 1000 * MS);
    send_quiet(BEGIN_NS + 1900 * MS);
    send_activity(BEGIN_NS + 1950 * MS, BEGIN_NS + 1950 * MS, 180, 13);
    send_quiet(BEGIN_NS + 2000 * MS);
    cr_assert_eq(interval_count, 2);
    expect_rates(0, 300, 5);
    cr_expect(!value(1, UM_METRICS_MESSAGE_RATE)->measured);
}

Test(counters, program_that_was_never_seen_to_paint_has_no_frame_rate)
{
    send_activity(BEGIN_NS + 100 * MS, BEGIN_NS, 0, 0);
    send_activity(BEGIN_NS + 600 * MS, BEGIN_NS, 50, 0);
    send_quiet(BEGIN_NS + 1000 * MS);
    cr_assert_eq(interval_count, 1);
    cr_expect_float_eq(value(0, UM_METRICS_MESSAGE_RATE)->value, 100.0, 1e-9);
    cr_expect(!value(0, UM_METRICS_FRAME_RATE)->measured);
    cr_expect_eq(value(0, UM_METRICS_FRAME_RATE)->value, 0);
}

/* A delay or a latency that is heard of after the end of its interval is not lost. */
Test(counters, what_comes_late_counts_in_the_next_interval)
{
    send_quiet(BEGIN_NS + S);
    send_pool(BEGIN_NS + 990 * MS, 40 * MS, 0, 0);
    send_beat(BEGIN_NS + 940 * MS, 55 * MS);
    send_quiet(BEGIN_NS + 2 * S);
    cr_expect(!value(0, UM_METRICS_POOL_DELAY)->measured);
    cr_expect(!value(0, UM_METRICS_LATENCY)->measured);
    cr_expect_float_eq(value(1, UM_METRICS_POOL_DELAY)->max, 40.0, 1e-9);
    cr_expect_float_eq(value(1, UM_METRICS_LATENCY)->max, 55.0, 1e-9);
}

/* It says nothing of beats, so it does not end an interval in which one waits. */
Test(counters, pool_delays_do_not_hide_a_beat_that_waits)
{
    send_pool(BEGIN_NS + 1050 * MS, MS, 0, 0);
    cr_assert_eq(interval_count, 0);
    send_status(BEGIN_NS + 1100 * MS, UM_STATE_FROZEN, BEGIN_NS + 500 * MS, BEGIN_NS + 500 * MS);
    cr_assert_eq(interval_count, 1);
    cr_expect_float_eq(value(0, UM_METRICS_LAG)->value, 500.0, 1e-9);
}

static void expect_starvation(size_t i, enum um_counters_event_kind kind, uint32_t id)
{
    uint64_t begin_ns = BEGIN_NS + id * 1000 * MS;
    cr_assert_lt(i, event_count, "there are %zu events", event_count);
    cr_expect(events[i].kind == kind && events[i].starvation == id, "event %zu", i);
    cr_expect_eq(events[i].time_ns,
                 kind == UM_COUNTERS_STARVATION_DETECTED ? begin_ns : begin_ns + 500 * MS);
    cr_expect_float_eq(events[i].peak_ms, id * 100.0, 1e-9);
}

Test(counters, starvation_is_detected_once_and_recovered_once)
{
    send_pool(BEGIN_NS + 500 * MS, MS, 0, 0);
    for (uint64_t ms = 1250; ms < 1500; ms += 50)
        send_pool(BEGIN_NS + ms * MS, 100 * MS, 1, UM_WIRE_POOL_STARVED | UM_WIRE_POOL_WAITS);
    cr_expect_eq(event_count, 1);
    send_pool(BEGIN_NS + 1500 * MS, MS, 1, 0);
    send_pool(BEGIN_NS + 1750 * MS, MS, 1, 0);
    cr_assert_eq(event_count, 2);
    expect_starvation(0, UM_COUNTERS_STARVATION_DETECTED, 1);
    expect_starvation(1, UM_COUNTERS_STARVATION_RECOVERED, 1);
}

Test(counters, starvation_of_which_frames_were_lost_is_told_whole)
{
    send_pool(BEGIN_NS + 500 * MS, MS, 0, 0);
    send_pool(BEGIN_NS + 1750 * MS, MS, 1, 0); /* all of the first */
    send_pool(BEGIN_NS + 2250 * MS, 200 * MS, 2, UM_WIRE_POOL_STARVED);
    send_pool(BEGIN_NS + 3250 * MS, 300 * MS, 3, UM_WIRE_POOL_STARVED); /* the end of the second */
    send_pool(BEGIN_NS + 3500 * MS, MS, 3, 0);
    cr_assert_eq(event_count, 6);
    expect_starvation(0, UM_COUNTERS_STARVATION_DETECTED, 1);
    expect_starvation(1, UM_COUNTERS_STARVATION_RECOVERED, 1);
    expect_starvation(2, UM_COUNTERS_STARVATION_DETECTED, 2);
    cr_expect(events[3].kind == UM_COUNTERS_STARVATION_RECOVERED && events[3].starvation == 2);
    cr_expect_eq(events[3].time_ns, BEGIN_NS + 3000 * MS, "before the next one at the latest");
    expect_starvation(4, UM_COUNTERS_STARVATION_DETECTED, 3);
    expect_starvation(5, UM_COUNTERS_STARVATION_RECOVERED, 3);
}

Test(counters, who_comes_late_hears_of_a_starvation_that_lasts_and_of_none_before)
{
    send_pool(BEGIN_NS + 4500 * MS, MS, 4, 0);
    send_pool(BEGIN_NS + 4750 * MS, MS, 4, 0);
    cr_expect_eq(event_count, 0);
    begin(S);
    send_pool(BEGIN_NS + 4250 * MS, 400 * MS, 4, UM_WIRE_POOL_STARVED);
    cr_assert_eq(event_count, 1);
    expect_starvation(0, UM_COUNTERS_STARVATION_DETECTED, 4);
}

Test(counters, another_window_is_an_event_and_another_title_is_none)
{
    send_session(1, 2, 0);
    cr_expect_eq(event_count, 0);
    send_session(7, 2, 0);
    cr_assert_eq(event_count, 1);
    cr_expect_eq(events[0].kind, UM_COUNTERS_WINDOW_CHANGED);
    cr_expect_eq(events[0].hwnd, 7);
}

Test(counters, session_anew_forgets_what_was_before)
{
    send_beat(BEGIN_NS + 10 * MS, MS);
    send_session(1, 2, UM_WIRE_SESSION_ANEW);
    send_quiet(BEGIN_NS + 500 * MS);
    send_quiet(BEGIN_NS + 600 * MS);
    send_quiet(BEGIN_NS + 1600 * MS);
    cr_assert_eq(interval_count, 1);
    cr_expect_eq(intervals[0].start_ns, BEGIN_NS + 600 * MS);
    cr_expect(!value(0, UM_METRICS_LATENCY)->measured);
    cr_expect(!value(0, UM_METRICS_LAG)->measured);
}

/* The monitor stood still for 8 s, and knows only later what that time was. */
Test(counters, an_interval_of_which_nothing_was_said_is_left_out)
{
    begin(500 * MS);
    send_beat(BEGIN_NS + 10 * MS, MS);
    for (uint64_t ms = 100; ms <= 1200; ms += 100)
        send_quiet(BEGIN_NS + ms * MS);
    cr_assert_eq(interval_count, 2);
    send_status(BEGIN_NS + 9200 * MS, UM_STATE_BLIND, BEGIN_NS + 1250 * MS, 0);
    cr_assert_eq(interval_count, 3);
    cr_expect_eq(intervals[2].end_ns, BEGIN_NS + 1500 * MS);
    cr_expect(!value(2, UM_METRICS_LAG)->measured);
    send_status(BEGIN_NS + 9300 * MS, UM_STATE_RESPONSIVE, BEGIN_NS + 9250 * MS, 0);
    send_quiet(BEGIN_NS + 9500 * MS);
    cr_assert_eq(interval_count, 4);
    cr_expect_eq(intervals[3].start_ns, BEGIN_NS + 9000 * MS);
    cr_expect_eq(intervals[3].end_ns, BEGIN_NS + 9500 * MS);
    cr_expect_eq(value(3, UM_METRICS_LATENCY)->count, 0);
    cr_expect(!value(3, UM_METRICS_LAG)->measured, "the beat before is too old");
}

static void send_beats_lost(uint64_t time_ns, uint64_t lost)
{
    give((struct um_wire_frame){.type = UM_WIRE_TOTALS,
                                .as.totals = {.time_ns = time_ns, .beats_lost = lost}});
}

Test(counters, what_has_grown_in_a_silence_is_of_no_interval)
{
    begin(500 * MS);
    send_beats_lost(BEGIN_NS + 100 * MS, 1000);
    send_beats_lost(BEGIN_NS + 200 * MS, 1010);
    send_quiet(BEGIN_NS + 500 * MS);
    cr_assert_eq(value(0, UM_METRICS_BEATS_LOST)->value, 10);
    send_quiet(BEGIN_NS + 9100 * MS);
    send_beats_lost(BEGIN_NS + 9100 * MS, 5010);
    send_beats_lost(BEGIN_NS + 9200 * MS, 5025);
    send_quiet(BEGIN_NS + 9500 * MS);
    cr_assert_eq(interval_count, 2);
    cr_expect_eq(value(1, UM_METRICS_BEATS_LOST)->value, 15);
}

Test(counters, an_interval_that_lasts_keeps_what_it_had_before_a_silence)
{
    begin(10 * S);
    send_beats_lost(BEGIN_NS + 100 * MS, 1000);
    send_beats_lost(BEGIN_NS + 200 * MS, 1010);
    send_beat(BEGIN_NS + 300 * MS, MS);
    send_quiet(BEGIN_NS + 1 * S);
    send_quiet(BEGIN_NS + 5 * S);
    send_beats_lost(BEGIN_NS + 5100 * MS, 5010);
    send_beats_lost(BEGIN_NS + 5200 * MS, 5025);
    for (uint64_t s = 6; s <= 10; s++)
        send_quiet(BEGIN_NS + s * S);
    cr_assert_eq(interval_count, 1);
    cr_expect_eq(value(0, UM_METRICS_BEATS_LOST)->value, 25);
    cr_expect_eq(value(0, UM_METRICS_LATENCY)->count, 1);
}

/* The monitor reads on, and finds beats of the time in which it stood still. */
Test(counters, a_beat_of_an_interval_that_was_left_out_is_of_no_other)
{
    begin(500 * MS);
    send_quiet(BEGIN_NS + 400 * MS);
    send_quiet(BEGIN_NS + 9100 * MS);
    send_beat(BEGIN_NS + 3000 * MS, MS);
    send_beat(BEGIN_NS + 9200 * MS, MS);
    send_quiet(BEGIN_NS + 9500 * MS);
    cr_assert_eq(interval_count, 2);
    cr_expect_eq(value(1, UM_METRICS_LATENCY)->count, 1);
}

/* A machine that slept for a year, and times at the end of what can be counted. */
Test(counters, far_jumps_leave_intervals_out)
{
    begin(10 * MS);
    send_quiet(BEGIN_NS + 86400 * 365 * S);
    cr_expect_eq(interval_count, 0);
    send_quiet(BEGIN_NS + 86400 * 365 * S + 10 * MS);
    cr_assert_eq(interval_count, 1);
    cr_expect_eq(intervals[0].end_ns, BEGIN_NS + 86400 * 365 * S + 10 * MS);
    send_beat(UINT64_MAX - 5, 10);
    send_beat(5, UINT64_MAX - 5);
    send_quiet(UINT64_MAX);
    cr_expect_lt(interval_count, 10);
}

static void check_interval(void *context, const struct um_counters_interval *interval)
{
    ++*(size_t *)context;
    cr_assert(interval->start_ns < interval->end_ns);
    for (int i = 0; i < UM_METRICS_COUNT; i++) {
        const struct um_counters_value *v = &interval->values[i];
        cr_assert(fabs(v->value) < INFINITY && v->min <= v->max && v->p50 <= v->p99);
    }
}

static void check_event(void *context, const struct um_counters_event *event)
{
    (void)context;
    cr_assert(um_counters_event_name(event->kind) != NULL);
}

/* The target's own ----------------------------------------------------------------------------- */

static void send_counter(uint32_t number, uint8_t kind, const char *name, const char *unit)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_COUNTER,
        .as.counter = {
            .number = number, .kind = kind, .provider = "System.Runtime", .display = "A display"}};
    um_text_set(frame.as.counter.name, sizeof frame.as.counter.name, name);
    um_text_set(frame.as.counter.unit, sizeof frame.as.counter.unit, unit);
    give(frame);
}

static void send_mean(uint32_t number, double mean, uint32_t count, double min, double max)
{
    give((struct um_wire_frame){.type = UM_WIRE_COUNTER_VALUE,
                                .as.counter_value = {.number = number,
                                                     .count = count,
                                                     .value = um_double_bits_of(mean),
                                                     .min = um_double_bits_of(min),
                                                     .max = um_double_bits_of(max)}});
}

static void send_pool_counters(uint64_t time_ns, double queue, double done)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER_VALUE,
                                  .as.counter_value = {.time_ns = time_ns, .number = 0}};
    send_quiet(time_ns);
    frame.as.counter_value.value = um_double_bits_of(queue);
    give(frame);
    frame.as.counter_value.number = 1;
    frame.as.counter_value.value = um_double_bits_of(done);
    give(frame);
}

Test(counters, starvation_of_the_pool_of_dotnet_is_an_event_of_its_own)
{
    send_counter(0, UM_WIRE_COUNTER_MEAN, "threadpool-queue-length", "");
    send_counter(1, UM_WIRE_COUNTER_INCREMENT, "threadpool-completed-items-count", "");
    send_pool_counters(BEGIN_NS + S, 10, 0);
    cr_expect_eq(event_count, 0);
    send_pool_counters(BEGIN_NS + 2 * S, 12, 1);
    send_pool_counters(BEGIN_NS + 3 * S, 0, 12);
    cr_assert_eq(event_count, 2);
    cr_expect(events[0].kind == UM_COUNTERS_STARVATION_DETECTED && events[0].is_dotnet);
    cr_expect_eq(events[0].time_ns, BEGIN_NS + S);
    cr_expect(events[1].kind == UM_COUNTERS_STARVATION_RECOVERED && events[1].is_dotnet);
    cr_expect_eq(events[1].time_ns, BEGIN_NS + 3 * S);
    cr_expect(events[1].most_items == 12 && events[1].starvation == 1);
}

Test(counters, target_has_counters_of_its_own)
{
    send_counter(7, UM_WIRE_COUNTER_MEAN, "queue-delay", "ms");
    cr_assert_eq(news_count, 1);
    cr_expect_str_eq(news.name, "System.Runtime/queue-delay");
    cr_expect_eq(news.provider_bytes, strlen("System.Runtime"));
    cr_expect_str_eq(news.display, "A display");
    cr_expect_str_eq(news.unit, "ms");
    cr_expect_eq(news.kind, UM_COUNTERS_MEAN);
    send_counter(7, UM_WIRE_COUNTER_MEAN, "queue-delay", "ms");
    cr_expect_eq(news_count, 1, "it was told before");
    send_counter(2, UM_WIRE_COUNTER_INCREMENT, "items", "");
    cr_expect_eq(news.kind, UM_COUNTERS_INCREMENT);
    send_mean(7, 4, 1, 4, 4);
    send_mean(7, 10, 3, 2, 30);
    send_mean(2, 5, 0, 0, 0);
    send_mean(2, 6.5, 0, 0, 0);
    send_mean(200, 1, 1, 1, 1); /* nobody knows of this one */
    send_quiet(BEGIN_NS + S);
    cr_assert_eq(target_count, 2);
    cr_expect(targets[0].value.measured && targets[0].value.value == 8.5, "(4 + 3 * 10) / 4");
    cr_expect(targets[0].value.count == 4 && targets[0].value.min == 2);
    cr_expect_eq(targets[0].value.max, 30);
    cr_expect(targets[1].value.measured && targets[1].value.value == 11.5);
    send_quiet(BEGIN_NS + 2 * S);
    cr_expect(!targets[0].value.measured && targets[0].value.value == 0, "nothing was told");
    cr_expect(!targets[1].value.measured);
}

Test(counters, targets_counter_may_be_told_in_another_way)
{
    send_counter(0, UM_WIRE_COUNTER_MEAN, "items", "");
    send_mean(0, 4, 1, 4, 4);
    send_counter(0, UM_WIRE_COUNTER_INCREMENT, "items", "pieces");
    cr_expect_eq(news_count, 2);
    cr_expect_str_eq(news.unit, "pieces");
    send_quiet(BEGIN_NS + S);
    cr_assert_eq(target_count, 1);
    cr_expect(!targets[0].value.measured, "a mean is no increment");
}

/* A feed that gives its 256 numbers other names again and again has 256 counters. */
Test(counters, target_has_so_many_counters_and_no_more)
{
    char name[32];
    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "counter-%u", (unsigned)i);
        send_counter(i % UM_WIRE_COUNTERS, UM_WIRE_COUNTER_INCREMENT, name, "");
        send_mean(i % UM_WIRE_COUNTERS, 1, 0, 0, 0);
    }
    send_quiet(BEGIN_NS + S);
    cr_expect_eq(target_count, UM_WIRE_COUNTERS);
}

Test(counters, targets_values_that_add_up_to_no_number_are_left_out)
{
    send_counter(0, UM_WIRE_COUNTER_INCREMENT, "items", "");
    send_counter(1, UM_WIRE_COUNTER_MEAN, "delay", "");
    for (int i = 0; i < 2; i++) {
        send_mean(0, 1e308, 0, 0, 0);
        send_mean(1, i ? -1.7e308 : 1.7e308, 1, 0, 0);
    }
    send_quiet(BEGIN_NS + S);
    cr_expect(!targets[0].value.measured && !targets[1].value.measured);
    send_mean(0, 3, 0, 0, 0);
    send_quiet(BEGIN_NS + 2 * S);
    cr_expect(targets[0].value.measured && targets[0].value.value == 3);
}

Test(counters, targets_values_of_before_the_first_interval_or_a_jump_are_not_told)
{
    open_counters(S);
    send_session(1, 2, 0);
    send_counter(0, UM_WIRE_COUNTER_INCREMENT, "items", "");
    send_mean(0, 100, 0, 0, 0);
    send_quiet(BEGIN_NS - 100 * MS);
    send_quiet(BEGIN_NS);
    send_mean(0, 3, 0, 0, 0);
    send_quiet(BEGIN_NS + S);
    cr_assert_eq(interval_count, 1);
    cr_expect_eq(targets[0].value.value, 3);
    send_mean(0, 100, 0, 0, 0);
    send_session(1, 2, UM_WIRE_SESSION_ANEW);
    send_quiet(BEGIN_NS - 100 * MS);
    send_quiet(BEGIN_NS);
    send_quiet(BEGIN_NS + S);
    cr_assert_eq(target_count, 1, "what it is called still holds");
    cr_expect(!targets[0].value.measured);
}

/* Layout of components ------------------------------------------------------------------------- */

static void send_component(uint32_t id, const char *text, const char *window_class)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_COMPONENT, .as.layout_component.id = id};
    um_text_set(frame.as.layout_component.text, UM_WIRE_LAYOUT_TEXT_BYTES, text);
    um_text_set(frame.as.layout_component.window_class, UM_WIRE_LAYOUT_TEXT_BYTES, window_class);
    give(frame);
}

static void send_meter(uint32_t id, uint64_t mean_ns, uint64_t worst_ns, uint64_t arrange_ns,
                       uint64_t paint_ns)
{
    give((struct um_wire_frame){.type = UM_WIRE_LAYOUT_METERS,
                                .as.layout_meters = {.count = 1,
                                                     .list = {{.id = id,
                                                               .arrange_ns = arrange_ns,
                                                               .paint_ns = paint_ns,
                                                               .mean_ns = mean_ns,
                                                               .worst_ns = worst_ns}}}});
}

Test(counters, layout_of_components_is_that_of_the_interval)
{
    send_counter(7, UM_WIRE_COUNTER_INCREMENT, "items", "");
    send_component(3, "Tools", "Pane");
    cr_assert_eq(news_count, 2);
    cr_expect_str_eq(news.name, "layout/Tools");
    cr_expect_str_eq(news.display, "Tools @ Pane");
    cr_expect_str_eq(news.unit, "ms");
    cr_expect(news.is_layout && news.provider_bytes == strlen("layout"));
    send_meter(3, 4 * MS, 9 * MS, 9 * MS, 0);
    send_meter(3, 3 * MS, 2 * MS, 2 * MS, MS / 2);
    send_meter(200, MS, MS, MS, MS); /* nobody knows of this one */
    send_quiet(BEGIN_NS + S);
    cr_assert_eq(target_count, 2);
    cr_expect(!targets[0].is_layout && targets[1].is_layout && targets[1].value.measured);
    cr_expect_eq(targets[1].value.value, 3, "the latest average");
    cr_expect_eq(targets[1].value.max, 9, "the worst of both");
    cr_expect(targets[1].last_frame.measure == 0 && targets[1].last_frame.arrange == 2 &&
              targets[1].last_frame.paint == 0.5);
    send_quiet(BEGIN_NS + 2 * S);
    cr_expect_eq(target_count, 1, "it had no layout frame");
    send_meter(3, MS, MS, MS, 0);
    send_quiet(BEGIN_NS + 3 * S);
    cr_expect_eq(targets[1].value.max, 1, "those of before are forgotten");
}

Test(counters, components_have_names_of_their_own)
{
    send_component(1, "", "Pane");
    cr_expect_str_eq(news.name, "layout/Pane");
    send_component(2, "", "Pane");
    cr_expect_str_eq(news.name, "layout/Pane#2");
    send_component(4, "", "");
    cr_expect_str_eq(news.name, "layout/#4");
    send_component(5, "a\x1b[2J", "b");
    cr_expect_str_eq(news.name, "layout/a\xef\xbf\xbd[2J");
    cr_assert_eq(news_count, 4);
    send_component(2, "", "Pane");
    cr_expect_eq(news_count, 4, "it was told before");
    send_component(1, "Title", "Pane");
    cr_expect_str_eq(news.name, "layout/Title");
    send_component(2, "", "Pane");
    cr_expect_eq(news_count, 5, "it keeps its number");
    for (uint32_t id = 1; id <= 5; id++)
        send_meter(id, (6 - id) * MS, MS, MS, 0);
    send_quiet(BEGIN_NS + S);
    cr_assert_eq(target_count, 4);
    cr_expect_str_eq(targets[0].name, "layout/Title");
    cr_expect_str_eq(targets[1].name, "layout/Pane#2");
}

Test(counters, components_that_cost_most_come_first)
{
    enum { COMPONENTS = 15 };
    char name[32];
    for (uint32_t id = 1; id <= COMPONENTS; id++) {
        snprintf(name, sizeof name, "%u", id);
        send_component(id, name, "");
        send_meter(id, id * 7 % COMPONENTS * MS, MS, MS, 0); /* each another cost, in no order */
    }
    send_quiet(BEGIN_NS + S);
    cr_assert_eq(target_count, COMPONENTS);
    for (size_t i = 0; i < COMPONENTS; i++) {
        cr_expect_eq(targets[i].value.value, (double)(COMPONENTS - 1 - i));
        cr_expect_eq(targets[i].is_costly, i < UM_COUNTERS_COSTLY, "%zu", i);
    }
    /* Of two that cost the same, the one with the worse frame, and then by their names. */
    send_meter(1, MS, 2 * MS, MS, 0);
    send_meter(2, MS, 3 * MS, MS, 0);
    send_meter(3, MS, 2 * MS, MS, 0);
    send_quiet(BEGIN_NS + 2 * S);
    cr_assert_eq(target_count, 3);
    cr_expect_str_eq(targets[0].name, "layout/2");
    cr_expect_str_eq(targets[1].name, "layout/1");
    cr_expect_str_eq(targets[2].name, "layout/3");
}

Test(counters, layout_of_before_the_first_interval_is_not_told)
{
    open_counters(S);
    send_session(1, 2, 0);
    send_component(1, "Pane", "");
    send_meter(1, 50 * MS, 50 * MS, 50 * MS, 0);
    send_quiet(BEGIN_NS - 100 * MS);
    send_quiet(BEGIN_NS);
    send_quiet(BEGIN_NS + S);
    cr_assert_eq(interval_count, 1);
    cr_expect_eq(target_count, 0);
}

/* A number that is small, large, or near to the last one. */
static uint64_t any_number(uint64_t *seed)
{
    uint64_t wide = next_random(seed) << 33 ^ next_random(seed) << 11 ^ next_random(seed);
    return wide >> next_random(seed) % 64;
}

/* Frames with every number that a decoder lets pass. The sanitizers look on. */
Test(counters, any_frames_are_borne)
{
    static const uint8_t types[] = {UM_WIRE_SESSION,
                                    UM_WIRE_STATUS,
                                    UM_WIRE_BEAT,
                                    UM_WIRE_REST,
                                    UM_WIRE_EPISODE,
                                    UM_WIRE_TOTALS,
                                    UM_WIRE_INTERACTION,
                                    UM_WIRE_POOL,
                                    UM_WIRE_COUNTER,
                                    UM_WIRE_COUNTER_VALUE,
                                    UM_WIRE_LAYOUT_COMPONENT,
                                    UM_WIRE_LAYOUT_METERS};
    size_t told = 0;
    uint64_t seed = 1;
    struct um_counters_taker taker = {
        .context = &told, .interval = check_interval, .event = check_event};

    um_counters_close(counters);
    cr_assert_eq(um_counters_open(10 * MS, &taker, &counters), UM_OK);
    for (int i = 0; i < 20000; i++) {
        struct um_wire_frame frame;
        uint64_t words[sizeof frame / 8] = {0};
        for (size_t w = 0; w < 24; w++)
            words[w] = any_number(&seed);
        memcpy(&frame, words, sizeof words);
        frame.type = types[next_random(&seed) % sizeof types];
        /* ANEW lets time go back; without it the greatest number would be the end. */
        uint8_t known = frame.type == UM_WIRE_EPISODE   ? 31
                        : frame.type == UM_WIRE_SESSION ? UM_WIRE_SESSION_ANEW
                        : frame.type == UM_WIRE_POOL    ? 3
                                                        : 0;
        frame.flags = (uint8_t)next_random(&seed) & known;
        if (frame.type == UM_WIRE_EPISODE) {
            frame.as.episode.state %= UM_STATE_COUNT;
            frame.as.episode.window_class[0] = frame.as.episode.message_name[0] = '\0';
        } else if (frame.type == UM_WIRE_STATUS) {
            frame.as.status.state %= UM_STATE_COUNT;
        } else if (frame.type == UM_WIRE_SESSION) {
            frame.as.session.title[0] = frame.as.session.name[0] = '\0';
        } else if (frame.type == UM_WIRE_INTERACTION) {
            frame.as.interaction.kind %= UM_INTERACTION_COUNT;
        } else if (frame.type == UM_WIRE_COUNTER) {
            frame.as.counter.number %= UM_WIRE_COUNTERS;
            frame.as.counter.kind %= 2;
            snprintf(frame.as.counter.name, sizeof frame.as.counter.name, "%d", i % 999);
            frame.as.counter.provider[0] = '\0';
        } else if (frame.type == UM_WIRE_LAYOUT_COMPONENT) {
            frame.as.layout_component.id %= UM_WIRE_LAYOUT_COMPONENTS;
            snprintf(frame.as.layout_component.text, UM_WIRE_LAYOUT_TEXT_BYTES, "%d", i % 99);
            frame.as.layout_component.window_class[0] = '\0';
        } else if (frame.type == UM_WIRE_LAYOUT_METERS) {
            frame.as.layout_meters.count = 1;
            frame.as.layout_meters.list[0].id %= UM_WIRE_LAYOUT_COMPONENTS;
        } else if (frame.type == UM_WIRE_COUNTER_VALUE) {
            frame.as.counter_value.number %= UM_WIRE_COUNTERS;
            frame.as.counter_value.value &= ~(UINT64_C(1) << 62); /* below infinity */
            frame.as.counter_value.min &= ~(UINT64_C(1) << 62);
            frame.as.counter_value.max &= ~(UINT64_C(1) << 62);
        }
        give(frame);
    }
    cr_expect_gt(told, 100, "%zu", told);
}

Test(counters, names_are_found)
{
    cr_expect_eq(um_metrics_find("beats-lost", 10), UM_METRICS_BEATS_LOST);
    cr_expect_eq(um_metrics_find("beats-lost-", 11), UM_METRICS_COUNT);
    cr_expect_eq(um_metrics_find("", 0), UM_METRICS_COUNT);
}

static void send_lost(uint64_t time_ns, uint64_t frames)
{
    give((struct um_wire_frame){.type = UM_WIRE_LOST,
                                .as.lost = {.time_ns = time_ns, .frames = frames}});
}

/* The first is told anew as one that lasts, the second is not: its end was lost. */
Test(counters, hang_that_lasts_over_a_loss_is_detected_once_and_ended_once)
{
    send_episode(UM_WIRE_EPISODE_BEGIN, 1, UM_STATE_FROZEN, BEGIN_NS, BEGIN_NS + 100 * MS);
    send_episode(UM_WIRE_EPISODE_BEGIN, 2, UM_STATE_STARVED, BEGIN_NS, BEGIN_NS + 100 * MS);
    send_lost(BEGIN_NS + 5 * S, 1234);
    send_session(1, 2, 0);
    send_episode(UM_WIRE_EPISODE_BEGIN, 1, UM_STATE_FROZEN, BEGIN_NS, BEGIN_NS + 100 * MS);
    send_status(BEGIN_NS + 5 * S, UM_STATE_FROZEN, BEGIN_NS, BEGIN_NS + 1);
    send_episode(UM_WIRE_EPISODE_END, 1, UM_STATE_FROZEN, BEGIN_NS, BEGIN_NS + 6 * S);
    cr_assert_eq(event_count, 5);
    cr_expect(events[0].kind == UM_COUNTERS_HANG_DETECTED && events[0].hang == 1);
    cr_expect(events[1].kind == UM_COUNTERS_HANG_DETECTED && events[1].hang == 2);
    cr_expect(events[2].kind == UM_COUNTERS_CONSUMER_LOST && events[2].frames == 1234);
    cr_expect_eq(events[2].time_ns, BEGIN_NS + 5 * S);
    cr_expect_eq(events[3].kind, UM_COUNTERS_STATE_CHANGED);
    cr_expect(events[4].kind == UM_COUNTERS_HANG_ENDED && events[4].hang == 1);
}

/* Otherwise no hang would be detected any more after as many as can last at the same time. */
Test(counters, hangs_whose_end_was_lost_are_forgotten)
{
    for (uint32_t id = 1; id <= 20; id++) {
        uint64_t at_ns = BEGIN_NS + id * S;
        send_episode(UM_WIRE_EPISODE_BEGIN, id, UM_STATE_FROZEN, at_ns, at_ns + 100 * MS);
        send_lost(at_ns + 200 * MS, 1);
        send_quiet(at_ns + 300 * MS);
    }
    cr_expect_eq(event_count, 40, "%zu", event_count);
}
