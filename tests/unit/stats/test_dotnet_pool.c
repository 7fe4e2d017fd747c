/* Starvations of .NET's pool, by its counters. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "base/plain/clock.h"
#include "monitor/stats/dotnet_pool.h"

#define S UM_CLOCK_NS_PER_S

static struct um_dotnet_pool pool;

static void counter(uint32_t number, const char *provider, const char *name)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER};
    frame.as.counter.number = number;
    strcpy(frame.as.counter.provider, provider);
    strcpy(frame.as.counter.name, name);
    cr_assert_eq(um_dotnet_pool_take(&pool, &frame), UM_DOTNET_POOL_NOTHING);
}

static enum um_dotnet_pool_news value(uint32_t number, uint64_t second, double amount)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER_VALUE};
    frame.as.counter_value.time_ns = second * S;
    frame.as.counter_value.number = number;
    frame.as.counter_value.value = um_double_bits_of(amount);
    return um_dotnet_pool_take(&pool, &frame);
}

/* What an interval has, in the order in which the runtime tells it. */
static enum um_dotnet_pool_news interval(uint64_t second, double queue, double done)
{
    cr_assert_eq(value(3, second, queue), UM_DOTNET_POOL_NOTHING);
    cr_assert_eq(value(9, second, 77), UM_DOTNET_POOL_NOTHING);
    return value(4, second, done);
}

static void setup(void)
{
    pool = (struct um_dotnet_pool){0};
    counter(2, "Other", "threadpool-queue-length");
    counter(3, "System.Runtime", "threadpool-queue-length");
    counter(4, "System.Runtime", "threadpool-completed-items-count");
    counter(9, "System.Runtime", "cpu-usage");
}

TestSuite(dotnet_pool, .init = setup);

/* As a program of .NET Core 3.1 told it (docs/feed.md). */
Test(dotnet_pool, is_starved_at_the_second_interval_and_recovers_at_none)
{
    cr_expect_eq(interval(8, 1, 5), UM_DOTNET_POOL_NOTHING);
    cr_expect_eq(interval(9, 32, 3), UM_DOTNET_POOL_NOTHING);
    cr_expect_eq(interval(10, 28, 2), UM_DOTNET_POOL_STARVED);
    cr_expect(pool.starved && pool.id == 1 && pool.start_ns == 9 * S);
    cr_expect_eq(interval(11, 40, 90), UM_DOTNET_POOL_NOTHING, "it ends when none waits");
    cr_expect_eq(interval(13, 0, 90), UM_DOTNET_POOL_RECOVERED);
    cr_expect(!pool.starved && pool.end_ns == 13 * S && pool.most == 40);
    cr_expect_eq(interval(14, 0, 0), UM_DOTNET_POOL_NOTHING);
}

Test(dotnet_pool, a_pool_that_works_its_queue_off_is_not_starved)
{
    for (uint64_t s = 1; s < 10; s++)
        cr_expect_eq(interval(s, 100, 100), UM_DOTNET_POOL_NOTHING);
}

Test(dotnet_pool, an_interval_without_waiting_items_begins_anew)
{
    for (uint64_t s = 1; s < 20; s++)
        cr_expect_eq(interval(s, s % 2 ? 10 : 0, 1), UM_DOTNET_POOL_NOTHING);
}

Test(dotnet_pool, the_next_one_has_the_next_id)
{
    for (uint64_t s = 0; s < 4; s++)
        interval(1 + s, 10, 0);
    interval(5, 0, 10);
    interval(6, 3, 0);
    cr_expect_eq(interval(7, 3, 0), UM_DOTNET_POOL_STARVED);
    cr_expect(pool.id == 2 && pool.start_ns == 6 * S && pool.most == 3);
}

Test(dotnet_pool, nothing_is_known_from_one_counter_alone)
{
    pool = (struct um_dotnet_pool){0};
    counter(3, "System.Runtime", "threadpool-queue-length");
    for (uint64_t s = 1; s < 5; s++)
        cr_expect_eq(value(3, s, 10), UM_DOTNET_POOL_NOTHING);
}
