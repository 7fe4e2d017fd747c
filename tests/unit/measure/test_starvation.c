#include "monitor/measure/starvation.h"

#include <criterion/criterion.h>

#define MS UINT64_C(1000000)
#define BEGIN_NS (1000000 * MS)

static struct um_starvation starvation;
static struct um_wire_frame told;

static void begin(void)
{
    um_starvation_init(&starvation, 100 * MS, 20 * MS);
}

TestSuite(starvation, .init = begin);

static void take(uint64_t at_ms, uint64_t delay_ns, uint8_t flags)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_POOL_DELAY,
        .flags = flags,
        .as.pool_delay = {.time_ns = BEGIN_NS + at_ms * MS, .delay_ns = delay_ns}};
    um_starvation_take(&starvation, &frame, &told);
    cr_assert_eq(told.type, UM_WIRE_POOL);
    cr_assert_eq(told.as.pool.delay_ns, delay_ns);
}

static bool is_starved(void)
{
    return (told.flags & UM_WIRE_POOL_STARVED) != 0;
}

Test(starvation, begins_above_one_threshold_and_ends_below_the_other)
{
    take(250, 100 * MS, 0);
    cr_expect(!is_starved() && told.as.pool.starvation == 0, "100 ms are not over 100 ms");
    take(500, 100 * MS + 1, 0);
    cr_expect(is_starved() && told.as.pool.starvation == 1);
    take(750, 50 * MS, 0);
    cr_expect(is_starved(), "nothing changes between the two");
    take(1000, 20 * MS, 0);
    cr_expect(is_starved(), "20 ms are not under 20 ms");
    take(1250, 20 * MS - 1, 0);
    cr_expect(!is_starved() && told.as.pool.starvation == 1);
    take(1500, 50 * MS, 0);
    cr_expect(!is_starved() && told.as.pool.starvation == 1);
}

/* A flood of 1.7 s, as it is told: the age of the item that waits, and then what it waited. */
Test(starvation, has_its_start_end_and_peak)
{
    take(0, MS, 0);
    take(350, 250 * MS, UM_WIRE_POOL_DELAY_WAITS);
    cr_expect(is_starved() && told.flags & UM_WIRE_POOL_WAITS);
    cr_expect_eq(told.as.pool.start_ns, BEGIN_NS + 100 * MS);
    cr_expect_eq(told.as.pool.peak_ns, 250 * MS);
    cr_expect_eq(told.as.pool.end_ns, 0);
    take(1600, 1500 * MS, UM_WIRE_POOL_DELAY_WAITS);
    take(1800, 1700 * MS, 0);
    cr_expect(is_starved() && !(told.flags & UM_WIRE_POOL_WAITS));
    take(2054, 4 * MS, 0);
    cr_expect(!is_starved());
    cr_expect_eq(told.as.pool.start_ns, BEGIN_NS + 100 * MS);
    cr_expect_eq(told.as.pool.end_ns, BEGIN_NS + 2054 * MS);
    cr_expect_eq(told.as.pool.peak_ns, 1700 * MS);
    take(2304, 110 * MS, 0);
    cr_expect(is_starved() && told.as.pool.starvation == 2);
    cr_expect_eq(told.as.pool.peak_ns, 110 * MS, "the peak is each episode's own");
    cr_expect_eq(told.as.pool.end_ns, 0);
}

Test(starvation, an_item_that_waits_ends_nothing)
{
    take(500, 500 * MS, 0);
    take(510, 5 * MS, UM_WIRE_POOL_DELAY_WAITS);
    cr_expect(is_starved());
    take(515, 10 * MS, 0);
    cr_expect(!is_starved());
}

Test(starvation, ends_with_the_last_measurement_when_measuring_ends)
{
    take(500, 500 * MS, 0);
    um_starvation_forget(&starvation);
    take(9000, 50 * MS, 0);
    cr_expect(!is_starved() && told.as.pool.starvation == 1);
    cr_expect_eq(told.as.pool.end_ns, BEGIN_NS + 500 * MS);
    um_starvation_forget(&starvation);
    take(9250, 50 * MS, 0);
    cr_expect_eq(told.as.pool.end_ns, BEGIN_NS + 500 * MS, "it ends once");
}

/* The target's process is not to be trusted. */
Test(starvation, bears_any_numbers)
{
    take(500, UINT64_MAX, 0);
    cr_expect(is_starved());
    cr_expect_eq(told.as.pool.start_ns, 0);
    take(400, 0, 0);
    cr_expect(!is_starved());
    cr_expect_eq(told.as.pool.time_ns, BEGIN_NS + 500 * MS, "time does not go back");
    cr_expect_eq(told.as.pool.end_ns, BEGIN_NS + 500 * MS);
}

/* Against a second, slower reading of the same rule: look back for the last delay that decided. */
Test(starvation, has_as_many_edges_as_the_rule_says)
{
    enum { COUNT = 5000 };
    static uint64_t delays_ms[COUNT];
    uint64_t seed = 7;
    uint32_t begun = 0;
    bool before = false;

    for (size_t i = 0; i < COUNT; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        delays_ms[i] = (seed >> 33) % 130;
        bool starved = false;
        for (size_t back = i + 1; back > 0; back--) {
            uint64_t ms = delays_ms[back - 1];
            if (ms > 100 || ms < 20) {
                starved = ms > 100;
                break;
            }
        }
        begun += starved && !before;
        before = starved;
        take(250 * i, delays_ms[i] * MS, 0);
        cr_assert(is_starved() == starved && told.as.pool.starvation == begun, "item %zu", i);
    }
    cr_expect_gt(begun, 100);
}
