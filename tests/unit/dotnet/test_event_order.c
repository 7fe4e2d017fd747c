#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/dotnet/event_order.h"

static const struct um_event_kind kind = {.provider = "P", .name = "Note"};
static struct um_event_order *order;
static uint64_t given[UM_EVENT_ORDER_HELD + 64];
static uint64_t threads[UM_EVENT_ORDER_HELD + 64];
static uint64_t losses[UM_EVENT_ORDER_HELD + 64];
static size_t given_count;
static struct um_event *last;

static void give(void *context, struct um_event *event)
{
    (void)context;
    threads[given_count] = event->thread;
    losses[given_count] = event->lost;
    given[given_count++] = event->time_ns;
    free(last);
    last = event;
}

static void setup(void)
{
    given_count = 0;
    cr_assert_eq(um_event_order_open(give, NULL, &order), UM_OK);
}

static void teardown(void)
{
    free(last);
    last = NULL;
    um_event_order_close(order);
}

TestSuite(event_order, .init = setup, .fini = teardown);

static void take(uint64_t time_ns, uint64_t thread)
{
    const struct um_nettrace_event event = {.kind = &kind, .time_ns = time_ns, .thread = thread};
    um_event_order_take(order, &event);
}

Test(event_order, events_are_given_by_time_when_no_older_one_can_come)
{
    take(30, 1);
    take(50, 1);
    take(10, 2);
    take(40, 2);
    take(30, 3);
    cr_expect_eq(given_count, 0);
    um_event_order_settled(order, 30);
    cr_assert_eq(given_count, 3);
    cr_expect(given[0] == 10 && given[1] == 30 && given[2] == 30);
    cr_expect(threads[1] == 1 && threads[2] == 3, "of the same time as they came");
    um_event_order_settled(order, UINT64_MAX);
    cr_assert_eq(given_count, 5);
    cr_expect(given[3] == 40 && given[4] == 50);
}

/* The same numbers, sorted by counting them. */
Test(event_order, many_events_are_in_order)
{
    static unsigned counts[1000];
    unsigned random = 1;
    for (int i = 0; i < 4000; i++) {
        random = random * 1103515245 + 12345;
        unsigned time = random >> 8 & 511;
        counts[time]++;
        take(time, 1);
    }
    um_event_order_settled(order, UINT64_MAX);
    cr_assert_eq(given_count, 4000);
    size_t at = 0;
    for (unsigned time = 0; time < 1000; time++)
        for (unsigned i = 0; i < counts[time]; i++, at++)
            cr_assert_eq(given[at], time);
}

Test(event_order, five_thousand_of_a_second_are_kept_and_the_rest_is_counted)
{
    for (uint64_t i = 0; i < 6000; i++)
        take(UM_CLOCK_NS_PER_S + i, 1);
    take(2 * UM_CLOCK_NS_PER_S, 1);
    take(UM_CLOCK_NS_PER_S - 1, 2);
    cr_expect_eq(um_event_order_lost(order), 1000);
    um_event_order_settled(order, UINT64_MAX);
    cr_assert_eq(given_count, 5002);
    cr_expect_eq(given[0], UM_CLOCK_NS_PER_S - 1);
    cr_expect_eq(given[5000], UM_CLOCK_NS_PER_S + 4999);
}

/* Of a second too many, and of the runtime, which has no room. */
Test(event_order, an_event_knows_how_many_were_lost_before_it_came)
{
    for (uint64_t i = 0; i < UM_EVENT_ORDER_PER_S + 7; i++)
        take(UM_CLOCK_NS_PER_S + i, 1);
    take(2 * UM_CLOCK_NS_PER_S, 1);
    um_event_order_lose(order, 20);
    take(3 * UM_CLOCK_NS_PER_S, 1);
    um_event_order_settled(order, UINT64_MAX);
    cr_assert_eq(given_count, UM_EVENT_ORDER_PER_S + 2);
    cr_expect_eq(losses[UM_EVENT_ORDER_PER_S - 1], 0);
    cr_expect_eq(losses[UM_EVENT_ORDER_PER_S], 7);
    cr_expect_eq(losses[UM_EVENT_ORDER_PER_S + 1], 27);
    cr_expect_eq(um_event_order_lost(order), 27);
}

Test(event_order, the_oldest_is_given_where_too_many_are_held)
{
    size_t count = 0;
    for (uint64_t second = 1; second <= 4; second++)
        for (uint64_t i = 0; i < 4999; i++, count++)
            take(second * UM_CLOCK_NS_PER_S + i, 1);
    cr_assert_eq(given_count, count - UM_EVENT_ORDER_HELD);
    cr_expect_eq(given[0], UM_CLOCK_NS_PER_S);
    cr_expect_eq(um_event_order_lost(order), 0);
}

Test(event_order, event_is_copied_with_its_payload)
{
    static uint8_t payload[UM_EVENT_ORDER_PAYLOAD_BYTES + 100];
    struct um_nettrace_event event = {
        .kind = &kind, .time_ns = 5, .payload = payload, .len_bytes = sizeof payload};
    payload[0] = 1;
    payload[UM_EVENT_ORDER_PAYLOAD_BYTES - 1] = 2;
    event.activity[15] = 3;
    event.related[0] = 4;
    um_event_order_take(order, &event);
    memset(payload, 9, sizeof payload);
    um_event_order_settled(order, UINT64_MAX);
    cr_assert_eq(given_count, 1);
    cr_expect_eq(last->kind, &kind);
    cr_expect_eq(last->payload_bytes, sizeof payload);
    cr_assert_eq(last->len_bytes, UM_EVENT_ORDER_PAYLOAD_BYTES);
    cr_expect(last->payload[0] == 1 && last->payload[UM_EVENT_ORDER_PAYLOAD_BYTES - 1] == 2);
    cr_expect(last->activity[15] == 3 && last->related[0] == 4);
}

/* Only the whole one shows whether it fits, so that is checked before the rest is left out. */
Test(event_order, payload_is_compared_with_its_definition_before_it_is_cut)
{
    static uint8_t payload[UM_EVENT_ORDER_PAYLOAD_BYTES + 101];
    struct um_event_kind text = {.whole = true, .count = 1, .fields[0].type = 18};
    struct um_nettrace_event event = {
        .kind = &text, .time_ns = 5, .payload = payload, .len_bytes = sizeof payload};
    memset(payload, 'a', sizeof payload - 3); /* a NUL and one byte follow */
    um_event_order_take(order, &event);
    um_event_order_settled(order, UINT64_MAX);
    cr_assert_eq(given_count, 1);
    cr_expect(!last->fits);
    event.len_bytes--;
    um_event_order_take(order, &event);
    um_event_order_settled(order, UINT64_MAX);
    cr_assert_eq(given_count, 2);
    cr_expect(last->fits);
    event.len_bytes -= 2;
    um_event_order_take(order, &event);
    um_event_order_settled(order, UINT64_MAX);
    cr_assert_eq(given_count, 3);
    cr_expect(!last->fits, "its end is missing");
}

Test(event_order, what_is_held_is_released)
{
    take(1, 1);
    um_event_order_close(NULL);
}
