#include <criterion/criterion.h>

#include "monitor/stats/slices.h"

#define MS UINT64_C(1000000)
#define START (UINT64_C(5000) * MS)

static struct um_slices slices;

static void setup(void)
{
    um_slices_init(&slices, START);
}

TestSuite(slices, .init = setup);

/* The worst lag in ms of the slice that ends `end_ms` after the session's start; -1 for none. */
static int worst_ms(uint64_t end_ms, uint64_t outstanding_sent_ns)
{
    uint64_t start_ns;
    uint64_t worst_ns;
    uint64_t time_ns = START + end_ms * MS;
    bool waits = outstanding_sent_ns != 0 && outstanding_sent_ns < time_ns;
    uint64_t waited_ns = waits ? time_ns - outstanding_sent_ns : 0;
    bool measured = um_slices_query(&slices, time_ns, waited_ns, &start_ns, &worst_ns);
    cr_expect_eq(start_ns, START + (end_ms - 1) / 100 * 100 * MS);
    cr_expect(measured || worst_ns == 0);
    return measured ? (int)(worst_ns / MS) : -1;
}

Test(slices, knows_nothing_at_first)
{
    cr_expect_eq(worst_ms(100, 0), -1);
    cr_expect_eq(worst_ms(150, 0), -1);
}

Test(slices, keeps_the_worst_latency_of_a_slice)
{
    um_slices_beat(&slices, START + 110 * MS, 3 * MS);
    um_slices_beat(&slices, START + 120 * MS, 9 * MS);
    um_slices_beat(&slices, START + 130 * MS, 2 * MS);
    cr_expect_eq(worst_ms(100, 0), -1);
    cr_expect_eq(worst_ms(200, 0), 9);
    cr_expect_eq(worst_ms(300, 0), -1);
}

Test(slices, shows_a_freeze_as_a_ramp)
{
    um_slices_beat(&slices, START + 200 * MS, 300 * MS);
    cr_expect_eq(worst_ms(200, 0), -1);
    cr_expect_eq(worst_ms(300, 0), 100);
    cr_expect_eq(worst_ms(400, 0), 200);
    cr_expect_eq(worst_ms(500, 0), 300);
    cr_expect_eq(worst_ms(600, 0), -1);
}

Test(slices, shows_the_same_ramp_while_it_lasts)
{
    uint64_t sent_ns = START + 250 * MS;
    cr_expect_eq(worst_ms(270, sent_ns), 20);
    cr_expect_eq(worst_ms(300, sent_ns), 50);
    cr_expect_eq(worst_ms(400, sent_ns), 150);
    cr_expect_eq(worst_ms(430, sent_ns), 180);
    um_slices_beat(&slices, sent_ns, 190 * MS);
    cr_expect_eq(worst_ms(300, 0), 50);
    cr_expect_eq(worst_ms(400, 0), 150);
    cr_expect_eq(worst_ms(500, 0), 190);
}

Test(slices, corrects_a_past_slice_when_a_beat_is_heard_of_late)
{
    um_slices_beat(&slices, START + 10 * MS, 1 * MS);
    cr_expect_eq(worst_ms(100, 0), 1);
    um_slices_beat(&slices, START + 210 * MS, 1 * MS);
    um_slices_beat(&slices, START + 40 * MS, 7 * MS);
    cr_expect_eq(worst_ms(100, 0), 7);
}

Test(slices, ignores_an_outstanding_beat_that_was_sent_later)
{
    cr_expect_eq(worst_ms(200, START + 200 * MS), -1);
    cr_expect_eq(worst_ms(200, START + 250 * MS), -1);
}

/* The beats of a thread at rest, and the slice between them is asked for after the second one. */
Test(slices, a_beat_at_rest_stands_for_the_next_slice_also_behind_another_beat)
{
    um_slices_set_rest(&slices, 150 * MS);
    um_slices_beat(&slices, START + 8296 * MS, 2 * MS);
    um_slices_beat(&slices, START + 8402 * MS, 1 * MS);
    cr_expect_eq(worst_ms(8300, 0), 2);
    cr_expect_eq(worst_ms(8400, 0), 2);
    cr_expect_eq(worst_ms(8500, 0), 1);
    um_slices_beat(&slices, START + 8902 * MS, 3 * MS);
    cr_expect_eq(worst_ms(8600, 0), 1);
    cr_expect_eq(worst_ms(8700, 0), -1, "it stands for no longer than a rest");
    cr_expect_eq(worst_ms(8900, 0), -1);
}

Test(slices, knows_the_end_of_a_freeze_longer_than_it_keeps)
{
    um_slices_beat(&slices, START, 60000 * MS);
    cr_expect_eq(worst_ms(60000, 0), 60000);
    cr_expect_eq(worst_ms(59900, 0), 59900);
    cr_expect_eq(worst_ms(60000 - UM_SLICES_KEPT * 100, 0), -1);
}

Test(slices, takes_a_beat_sent_before_the_session)
{
    um_slices_beat(&slices, START - 50 * MS, 100 * MS);
    cr_expect_eq(worst_ms(100, 0), 100);
    um_slices_beat(&slices, START - 500 * MS, 100 * MS);
    cr_expect_eq(worst_ms(100, 0), 100);
}

Test(slices, measures_a_latency_of_0)
{
    um_slices_beat(&slices, START + 100 * MS, 0);
    cr_expect_eq(worst_ms(100, 0), 0);
    cr_expect_eq(worst_ms(200, 0), -1);
}

Test(slices, survives_any_numbers)
{
    um_slices_beat(&slices, UINT64_MAX, UINT64_MAX);
    um_slices_beat(&slices, 0, UINT64_MAX);
    um_slices_beat(&slices, 0, 0);
    uint64_t start_ns;
    uint64_t worst_ns;
    (void)um_slices_query(&slices, UINT64_MAX, UINT64_MAX - 1, &start_ns, &worst_ns);
    cr_expect_eq(worst_ns, UINT64_MAX - 1);
}

Test(slices, ends_a_slice_on_its_boundary)
{
    cr_expect_eq(um_slices_end(&slices, START), START + 100 * MS);
    cr_expect_eq(um_slices_end(&slices, START + 1), START + 100 * MS);
    cr_expect_eq(um_slices_end(&slices, START + 100 * MS), START + 100 * MS);
    cr_expect_eq(um_slices_end(&slices, START + 100 * MS + 1), START + 200 * MS);
}
