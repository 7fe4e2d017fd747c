/* For whom the UI thread waited, and when that thread was sampled. */
#include <criterion/criterion.h>

#include "monitor/flows/recorded_waits.h"

static struct um_recorded_waits waits;

static void release(void)
{
    um_recorded_waits_deinit(&waits);
}

TestSuite(recorded_waits, .fini = release);

static void sample(uint32_t session, uint32_t thread, uint32_t absence, uint64_t time_ns)
{
    struct um_wire_sample taken = {
        .time_ns = time_ns, .thread = thread, .absence = absence, .other = 1};
    cr_assert(um_recorded_waits_sample(&waits, session, &taken));
}

static void wait_for(uint32_t session, uint32_t freeze, uint32_t thread)
{
    struct um_wire_wait wait = {.freeze = freeze, .thread = thread, .process = 5, .samples = 9};
    cr_assert(um_recorded_waits_wait(&waits, session, &wait));
}

static void expect(uint32_t session, uint32_t freeze, uint64_t from_ns, uint64_t to_ns,
                   uint64_t first_ns, uint64_t last_ns)
{
    uint64_t first, last;
    const struct um_recorded_wait *wait = um_recorded_waits_find(&waits, session, freeze);
    cr_assert(wait, "freeze %u has a wait", freeze);
    cr_assert(um_recorded_waits_sampled(&waits, wait, from_ns, to_ns, &first, &last));
    cr_expect_eq(first, first_ns);
    cr_expect_eq(last, last_ns);
}

Test(recorded_waits, the_samples_of_each_freeze_are_its_own)
{
    sample(0, 7, 1, 100);
    sample(0, 8, 1, 105);
    sample(0, 7, 1, 110);
    wait_for(0, 1, 7);
    sample(0, 7, 2, 300);
    sample(0, 7, 2, 310);
    sample(0, 7, 2, 320);
    wait_for(0, 2, 7);
    sample(0, 8, 3, 500);
    wait_for(0, 3, 8);
    expect(0, 1, 90, 120, 100, 110);
    expect(0, 2, 290, 330, 300, 320);
    expect(0, 3, 490, 510, 500, 500);
    cr_expect_null(um_recorded_waits_find(&waits, 0, 4));
}

Test(recorded_waits, a_wait_that_comes_late_has_the_samples_of_its_time)
{
    for (uint32_t absence = 1; absence <= 10; absence++) {
        sample(0, 7, absence, 1000 * absence);
        sample(0, 7, absence, 1000 * absence + 50);
    }
    wait_for(0, 3, 7);
    expect(0, 3, 2990, 3060, 3000, 3050);
}

Test(recorded_waits, sessions_are_told_apart)
{
    uint64_t first, last;
    sample(0, 7, 1, 100);
    wait_for(0, 1, 7);
    sample(1, 7, 1, 200);
    wait_for(1, 1, 7);
    expect(0, 1, 90, 120, 100, 100);
    expect(1, 1, 190, 220, 200, 200);
    cr_expect(!um_recorded_waits_sampled(&waits, um_recorded_waits_find(&waits, 1, 1), 90, 120,
                                         &first, &last));
}

Test(recorded_waits, a_thread_of_another_process_has_no_samples)
{
    uint64_t first, last;
    struct um_wire_sample of_ui = {.time_ns = 100, .thread = 7, .absence = 1};
    cr_assert(um_recorded_waits_sample(&waits, 0, &of_ui));
    wait_for(0, 1, 7);
    cr_expect(!um_recorded_waits_sampled(&waits, um_recorded_waits_find(&waits, 0, 1), 0, 1000,
                                         &first, &last));
}

Test(recorded_waits, many_threads_and_freezes)
{
    for (uint32_t i = 1; i <= 3000; i++) {
        sample(0, i % 100, i, 10 * i);
        wait_for(0, i, i % 100);
    }
    for (uint32_t i = 1; i <= 3000; i++)
        expect(0, i, 10 * i - 1, 10 * i + 1, 10 * i, 10 * i);
}
