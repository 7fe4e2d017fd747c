/* The collector's thread, with a runtime that exists in memory alone (fake_diagnostics.h). The
 * truth is what the program of the stream was told: tests/golden/counters_nettrace.tsv. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/dotnet/collector.h"
#include "base/double_bits.h"
#include "tests/unit/dotnet/fake_diagnostics.h"
#include "tests/unit/dotnet/played_runtime.h"
#include "tests/unit/wait_until.h"

#define COUNTERS 23
#define VALUES 69 /* that the stream has */

static const struct um_eventpipe_provider providers[] = {
    {.name = "System.Runtime", .keywords = 0, .level = 4},
    {.name = "Example-App-Diagnostics", .keywords = 5, .level = 3}};
static struct um_collector *collector;

static void setup(void)
{
    fake_diagnostics_start();
}

static void teardown(void)
{
    um_collector_close(collector);
}

TestSuite(collector, .init = setup, .fini = teardown, .timeout = 120, .threads = true);

static void open_collector(void)
{
    cr_assert_eq(um_collector_open(7, providers, 2, 0.5, NULL, &collector), UM_OK);
}

static void wait_state(enum um_collector_state state)
{
    WAIT_UNTIL(um_collector_look(collector).state == state, "state %d",
               um_collector_look(collector).state);
}

/* Waits until it has the whole stream, as it does not read for ever after a stop. */
static void wait_read(void)
{
    WAIT_UNTIL(fake_diagnostics_is_read(), "it is not read");
}

static size_t counts[256];

/* Counts frames by their type, until so many values have come. */
static void take_values(size_t wanted)
{
    struct um_wire_frame frames[UM_COLLECTOR_FRAMES];
    size_t count;
    while (counts[UM_WIRE_COUNTER_VALUE] < wanted) {
        WAIT_UNTIL((count = um_collector_next(collector, um_clock_now_ns(), frames)) > 0,
                   "%zu values", counts[UM_WIRE_COUNTER_VALUE]);
        for (size_t i = 0; i < count; i++)
            counts[frames[i].type]++;
    }
    cr_assert_eq(counts[UM_WIRE_COUNTER_VALUE], wanted);
}

Test(collector, asks_as_it_was_told_and_hands_the_counters_over)
{
    cr_assert_eq(um_collector_open(7, providers, 2, 1, NULL, &collector), UM_OK);
    take_values(VALUES);
    cr_expect_eq(counts[UM_WIRE_COUNTER], COUNTERS);
    cr_expect_str_eq(fake_diagnostics_providers(), "System.Runtime:0:4 Example-App-Diagnostics:5:3 "
                                                   "System.Diagnostics.Metrics:2:4 ");
    cr_expect_eq(fake_diagnostics_interval_s(), 1);
    cr_expect_eq(um_collector_look(collector).state, UM_COLLECTOR_RUNS);
    cr_expect(!um_collector_look(collector).full && um_collector_look(collector).lost == 0);
}

static struct um_reverse *reverse;
static struct um_conn *conns[3];

static void end_reverse(void)
{
    um_collector_close(collector);
    collector = NULL;
    um_reverse_close(reverse);
    for (size_t i = 0; i < 3; i++)
        um_transport_system()->close(conns[i]);
}

static void connect_runtime(size_t place, const struct played *played)
{
    conns[place] = played_connect(um_reverse_name(reverse), played);
}

#define RATE "s:sessionId s:meterName s:meterVersion s:instrumentName s:unit s:tags s:rate s:value"

/* A runtime that connects when it starts, before anybody has asked its own pipe, and tells of a
 * meter. */
Test(collector, a_runtime_that_connects_is_asked_at_once)
{
    struct played played = {.len = 0}, again = {.len = 0};
    struct um_wire_frame frames[UM_COLLECTOR_FRAMES];
    uint8_t question[UM_EVENTPIPE_STOP_BYTES];
    size_t count = 0;
    cr_assert_eq(um_reverse_open(um_transport_system(), &reverse), UM_OK);
    cr_assert_eq(um_collector_open(um_transport_own_pid(), providers, 2, 0.5, reverse, &collector),
                 UM_OK);
    played_advertise(&played, um_transport_own_pid());
    played_answer(&played);
    played_begin(&played);
    played_define(&played, 4, "CounterRateValuePublished", RATE);
    played_event(&played, 4, RATE, "SHARED|My.Meter||requests|{request}||12|512");
    connect_runtime(0, &played);
    WAIT_UNTIL(count > 0 ||
                   (count = um_collector_next(collector, um_clock_now_ns(), frames), false),
               "%zu", count);
    cr_assert_eq(count, 2);
    cr_expect_str_eq(frames[0].as.counter.provider, "My.Meter");
    cr_expect_str_eq(frames[0].as.counter.name, "requests");
    cr_expect_eq(frames[0].as.counter.kind, UM_WIRE_COUNTER_INCREMENT);
    cr_expect_eq(um_double_bits_value(frames[1].as.counter_value.value), 12);
    cr_expect_eq(frames[1].as.counter_value.interval_ns, UM_CLOCK_NS_PER_S / 2);
    cr_expect_eq(um_collector_look(collector).state, UM_COLLECTOR_RUNS);
    cr_expect_eq(fake_diagnostics_opened(), 0, "its own pipe is left alone");
    played_advertise(&again, um_transport_own_pid());
    connect_runtime(1, &again);
    um_collector_stop(collector);
    played_read(conns[1], question, sizeof question); /* the request to stop */
    um_transport_system()->close(conns[0]);
    conns[0] = NULL;
    wait_state(UM_COLLECTOR_STOPPED);
    end_reverse();
}

/* .NET Core 3 does not know the variable, and other programs have no runtime. */
Test(collector, a_runtime_that_does_not_connect_is_asked_once_the_program_has_started_up)
{
    cr_assert_eq(um_reverse_open(um_transport_system(), &reverse), UM_OK);
    cr_assert_eq(um_collector_open(um_transport_own_pid(), providers, 2, 1, reverse, &collector),
                 UM_OK);
    um_clock_sleep_ns(3 * UM_CLOCK_NS_PER_S / 2); /* longer than a runtime that has started gets */
    cr_expect_eq(um_collector_look(collector).state, UM_COLLECTOR_ASKS);
    cr_expect_eq(fake_diagnostics_opened(), 0);
    um_collector_settle(collector);
    wait_state(UM_COLLECTOR_RUNS);
    cr_expect_eq(fake_diagnostics_opened(), 1);
    take_values(VALUES);
    end_reverse();
}

Test(collector, nobody_is_waited_for_at_the_end)
{
    cr_assert_eq(um_reverse_open(um_transport_system(), &reverse), UM_OK);
    cr_assert_eq(um_collector_open(um_transport_own_pid(), providers, 2, 0.5, reverse, &collector),
                 UM_OK);
    um_collector_stop(collector);
    wait_state(UM_COLLECTOR_STOPPED);
    cr_expect_eq(fake_diagnostics_opened(), 0);
    end_reverse();
}

Test(collector, what_is_wrong_with_meters_is_kept)
{
    struct played played = {.len = 0};
    cr_assert_eq(um_reverse_open(um_transport_system(), &reverse), UM_OK);
    cr_assert_eq(um_collector_open(um_transport_own_pid(), providers, 2, 0.5, reverse, &collector),
                 UM_OK);
    played_advertise(&played, um_transport_own_pid());
    played_answer(&played);
    played_begin(&played);
    played_define(&played, 15, "MultipleSessionsNotSupportedError", "s:runningSessionId");
    played_define(&played, 12, "TimeSeriesLimitReached", "s:sessionId");
    played_event(&played, 15, "s:runningSessionId", "another");
    played_event(&played, 12, "s:sessionId", "SHARED");
    connect_runtime(0, &played);
    WAIT_UNTIL(um_collector_look(collector).meters ==
                   (UM_INSTRUMENTS_OTHERS | UM_INSTRUMENTS_LIMIT),
               "%u", um_collector_look(collector).meters);
    end_reverse();
}

/* The stream has 76 events, 32 of them Starts and Stops, of which all are pairs. */
Test(collector, hands_the_events_over_that_are_wanted)
{
    const struct um_eventpipe_provider wanted = {
        .name = "Example-App-Activities", .level = 5, .events = true};
    struct um_event_pair pair;
    size_t intervals = 0, instants = 0;
    fake_diagnostics_send_events();
    cr_assert_eq(um_collector_open(7, &wanted, 1, 0.5, NULL, &collector), UM_OK);
    wait_read();
    um_collector_stop(collector);
    wait_state(UM_COLLECTOR_STOPPED);
    while (um_collector_next_pair(collector, &pair)) {
        cr_expect(!pair.open);
        intervals += pair.stop ? 1 : 0;
        instants += pair.stop ? 0 : 1;
        um_event_pairs_release(&pair);
    }
    cr_expect_eq(intervals, 16, "%zu", intervals);
    cr_expect_eq(instants, 44, "%zu", instants);
    cr_expect_eq(um_collector_look(collector).lost_events, 0);
}

Test(collector, hands_no_events_over_of_providers_whose_counters_alone_are_wanted)
{
    const struct um_eventpipe_provider counted = {.name = "Example-App-Activities", .level = 4};
    struct um_event_pair pair;
    fake_diagnostics_send_events();
    cr_assert_eq(um_collector_open(7, &counted, 1, 0.5, NULL, &collector), UM_OK);
    wait_read();
    um_collector_stop(collector);
    wait_state(UM_COLLECTOR_STOPPED);
    cr_expect(!um_collector_next_pair(collector, &pair));
}

Test(collector, stops_the_session_at_its_end)
{
    open_collector();
    wait_read();
    cr_expect_eq(um_collector_look(collector).state, UM_COLLECTOR_RUNS);
    cr_expect_eq(fake_diagnostics_stopped(), 0);
    um_collector_stop(collector);
    wait_state(UM_COLLECTOR_STOPPED);
    cr_expect_eq(um_collector_look(collector).status, UM_ERR_CLOSED,
                 "the stream has come to its end");
    um_collector_close(collector);
    collector = NULL;
    cr_expect_eq(fake_diagnostics_stopped(), 1);
    cr_expect(fake_diagnostics_closed());
}

Test(collector, ends_where_the_runtime_ignores_the_stop)
{
    fake_diagnostics_ignore_stop();
    open_collector();
    wait_state(UM_COLLECTOR_RUNS);
    um_collector_close(collector);
    collector = NULL;
    cr_expect_eq(fake_diagnostics_stopped(), 1);
    cr_expect(fake_diagnostics_closed());
}

Test(collector, ends_where_the_runtime_does_not_answer)
{
    fake_diagnostics_hang();
    open_collector();
    WAIT_UNTIL(fake_diagnostics_opened() > 0, "nobody asks");
    cr_expect_eq(um_collector_look(collector).state, UM_COLLECTOR_ASKS);
    um_collector_stop(collector);
    wait_state(UM_COLLECTOR_STOPPED);
}

Test(collector, says_why_there_is_no_session)
{
    fake_diagnostics_refuse(UM_ERR_NOT_FOUND);
    open_collector();
    wait_state(UM_COLLECTOR_REFUSED);
    cr_expect_eq(um_collector_look(collector).status, UM_ERR_NOT_FOUND);
}

Test(collector, says_that_the_session_has_broken_off)
{
    fake_diagnostics_break_after(9000);
    open_collector();
    wait_state(UM_COLLECTOR_BROKEN);
    cr_expect_eq(um_collector_look(collector).status, UM_ERR_CLOSED);
    cr_expect_eq(fake_diagnostics_stopped(), 0, "there is nothing left to stop");
}

Test(collector, wants_providers_and_not_too_many)
{
    static struct um_eventpipe_provider many[UM_COLLECTOR_PROVIDERS + 1];
    for (size_t i = 0; i <= UM_COLLECTOR_PROVIDERS; i++)
        many[i] = providers[0];
    cr_expect_eq(um_collector_open(7, many, 0, 1, NULL, &collector), UM_ERR_ARG);
    cr_expect_eq(um_collector_open(7, many, UM_COLLECTOR_PROVIDERS + 1, 1, NULL, &collector),
                 UM_ERR_ARG);
}
