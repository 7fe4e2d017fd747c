/* The collector's thread, with a runtime that exists in memory alone (fake_diagnostics.h). The
 * truth is what the program of the stream was told: tests/golden/counters_nettrace.tsv. */
#include <string.h>

#include <criterion/criterion.h>

#include "ipc/clock.h"
#include "monitor/dotnet/collector.h"
#include "tests/unit/dotnet/fake_diagnostics.h"

#define HANG_NS (30 * UM_CLOCK_NS_PER_S)
#define COUNTERS 23
#define VALUES 69 /* that the stream has */

static const struct um_eventpipe_provider providers[] = {{"System.Runtime", 0, 4},
                                                         {"Example-App-Diagnostics", 5, 3}};
static struct um_collector *collector;

static void setup(void)
{
    fake_diagnostics_start();
}

static void teardown(void)
{
    um_collector_close(collector);
}

TestSuite(collector, .init = setup, .fini = teardown, .timeout = 120);

static void open_collector(void)
{
    cr_assert_eq(um_collector_open(7, providers, 2, 0.5, &collector), UM_OK);
}

static void wait_state(enum um_collector_state state)
{
    uint64_t until_ns = um_clock_now_ns() + HANG_NS;
    while (um_collector_look(collector).state != state) {
        cr_assert(um_clock_now_ns() < until_ns, "state %d", um_collector_look(collector).state);
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
    }
}

static size_t counts[256];

/* Counts frames by their type, until so many values have come. */
static void take_values(size_t wanted)
{
    struct um_wire_frame frames[UM_COLLECTOR_FRAMES];
    uint64_t until_ns = um_clock_now_ns() + HANG_NS;
    while (counts[UM_WIRE_COUNTER_VALUE] < wanted && um_clock_now_ns() < until_ns) {
        size_t count = um_collector_next(collector, um_clock_now_ns(), frames);
        for (size_t i = 0; i < count; i++)
            counts[frames[i].type]++;
        if (count == 0)
            um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
    }
    cr_assert_eq(counts[UM_WIRE_COUNTER_VALUE], wanted);
}

Test(collector, asks_as_it_was_told_and_hands_the_counters_over)
{
    cr_assert_eq(um_collector_open(7, providers, 2, 1, &collector), UM_OK);
    take_values(VALUES);
    cr_expect_eq(counts[UM_WIRE_COUNTER], COUNTERS);
    cr_expect_str_eq(fake_diagnostics_providers(),
                     "System.Runtime:0:4 Example-App-Diagnostics:5:3 ");
    cr_expect(fake_diagnostics_interval_s() == 1);
    cr_expect_eq(um_collector_look(collector).state, UM_COLLECTOR_RUNS);
    cr_expect(!um_collector_look(collector).full && um_collector_look(collector).lost == 0);
}

Test(collector, stops_the_session_at_its_end)
{
    open_collector();
    wait_state(UM_COLLECTOR_RUNS);
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
    while (fake_diagnostics_opened() == 0)
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
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
    cr_expect_eq(um_collector_open(7, many, 0, 1, &collector), UM_ERR_ARG);
    cr_expect_eq(um_collector_open(7, many, UM_COLLECTOR_PROVIDERS + 1, 1, &collector), UM_ERR_ARG);
}
