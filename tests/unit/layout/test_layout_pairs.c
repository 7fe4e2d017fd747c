/* Begins and ends of layout steps, and the times that come of them. */
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/layout/layout_pairs.h"

#define MS UINT64_C(1000000)
#define SIZE 5u
#define PAINT 15u

static struct um_layout_pairs pairs;
static struct um_layout_pair pair; /* the last one that ended */
static uint64_t hook_ns, inside_ns;
static bool retrieved; /* what begins was retrieved, so no hook sees it */

static void setup(void)
{
    memset(&pairs, 0, sizeof pairs);
    memset(&pair, 0, sizeof pair);
    hook_ns = inside_ns = 0;
    retrieved = false;
}

TestSuite(layout_pairs, .init = setup);

static void begin(uint64_t window, uint64_t at_ms, uint32_t hooked)
{
    struct um_wire_layout_step step = {.time_ns = at_ms * MS,
                                       .window = window,
                                       .handler = window + 1000,
                                       .message = SIZE,
                                       .hooked = hooked,
                                       .step = UM_LAYOUT_STEP_ARRANGE,
                                       .kind = retrieved ? UM_LAYOUT_KIND_RETRIEVED
                                                         : UM_LAYOUT_KIND_BEGIN};
    um_layout_pairs_begin(&pairs, &step, (uint32_t)window + 7);
}

static bool end(uint64_t window, uint64_t at_ms, uint32_t hooked)
{
    struct um_wire_layout_step step = {.time_ns = at_ms * MS,
                                       .window = window,
                                       .message = SIZE,
                                       .hooked = hooked,
                                       .step = UM_LAYOUT_STEP_ARRANGE};
    const struct um_layout_pair *ended = um_layout_pairs_end(&pairs, &step, hook_ns, inside_ns);
    if (ended)
        pair = *ended;
    return ended;
}

static void expect_times(uint64_t own_ms, uint64_t inclusive_ms)
{
    cr_expect(pair.timed);
    cr_expect_eq(pair.own_ns, own_ms * MS);
    cr_expect_eq(pair.inclusive_ns, inclusive_ms * MS);
}

Test(layout_pairs, a_step_is_as_it_began)
{
    begin(1, 10, 0);
    cr_assert(end(1, 13, 0));
    cr_expect(pair.window == 1 && pair.handler == 1001 && pair.message == SIZE);
    cr_expect(pair.tag == 8 && pair.step == UM_LAYOUT_STEP_ARRANGE);
    expect_times(3, 3);
}

Test(layout_pairs, three_deep_each_has_its_own_time)
{
    begin(1, 0, 0);
    begin(2, 1, 0);
    begin(3, 6, 0);
    cr_assert(end(3, 26, 0));
    expect_times(20, 20);
    begin(4, 26, 0);
    cr_assert(end(4, 28, 0));
    expect_times(2, 2);
    cr_assert(end(2, 28, 0));
    expect_times(5, 27);
    cr_assert(end(1, 28, 0));
    expect_times(1, 28);
    cr_expect(pairs.begins == 0 && pairs.ends == 0 && pairs.depth == 0);
}

/* Panes of 1, 5 and 20 ms, and a hook that takes 2 ms of each message: it is nobody's layout. */
Test(layout_pairs, what_hooks_took_is_taken_out_so_that_panes_add_up)
{
    hook_ns = 2 * MS;
    begin(1, 0, UINT32_MAX);  /* the count goes on with 0 */
    begin(2, 3, 0);           /* 1 ms of its own, 2 of the hook for the message of 2 */
    begin(3, 10, 1);          /* 5 ms of 2, 2 of the hook */
    cr_assert(end(3, 34, 3)); /* 20 ms, and two messages without a step */
    expect_times(20, 20);
    cr_assert(end(2, 34, 3));
    expect_times(5, 25);
    cr_assert(end(1, 34, 3));
    expect_times(1, 26);
}

/* The same with 1 of the 2 ms between the begin and the end of the message's own step. */
Test(layout_pairs, what_hooks_took_inside_of_a_step_is_its_own)
{
    hook_ns = 2 * MS;
    inside_ns = 1 * MS;
    begin(1, 0, 0);
    begin(2, 3, 1);  /* after 1 + 1 ms of 1, and 1 of the hook around 2 */
    begin(3, 10, 2); /* after 5 + 1 ms of 2, and 1 around 3 */
    cr_assert(end(3, 31, 2));
    expect_times(20, 20);
    cr_assert(end(2, 31, 2));
    expect_times(5, 25);
    cr_assert(end(1, 31, 2));
    expect_times(1, 26);
    retrieved = true;
    begin(4, 40, 2);
    cr_assert(end(4, 43, 2));
    expect_times(3, 3);
}

Test(layout_pairs, hooks_never_make_a_time_negative)
{
    hook_ns = 50 * MS;
    begin(1, 0, 0);
    begin(2, 1, 1);
    cr_assert(end(2, 2, 9));
    expect_times(0, 0);
    cr_assert(end(1, 1, 2)); /* neither its time nor its count fit */
    expect_times(0, 0);
    hook_ns = UINT64_MAX;
    begin(1, 0, 0);
    cr_assert(end(1, 9, 5));
    expect_times(0, 0);
}

Test(layout_pairs, an_end_without_a_begin_is_counted)
{
    cr_expect(!end(1, 5, 0));
    begin(2, 6, 0);
    cr_expect(!end(1, 7, 0));
    cr_assert(end(2, 9, 0));
    expect_times(3, 3);
    cr_expect(pairs.ends == 2 && pairs.begins == 0);
}

/* longjmp has left the steps of 2 and 3, but the one of 4 within them was whole. */
Test(layout_pairs, an_end_further_out_closes_what_lies_within)
{
    begin(1, 0, 0);
    begin(2, 1, 0);
    begin(3, 2, 0);
    begin(4, 3, 0);
    cr_assert(end(4, 8, 0));
    expect_times(5, 5);
    cr_assert(end(1, 10, 0));
    expect_times(5, 10);
    cr_expect(pairs.begins == 2 && pairs.ends == 0 && pairs.depth == 0);
}

Test(layout_pairs, the_same_step_within_itself_ends_from_the_inside)
{
    begin(1, 0, 0);
    begin(1, 2, 0);
    cr_assert(end(1, 5, 0));
    expect_times(3, 3);
    cr_assert(end(1, 6, 0));
    expect_times(3, 6);
}

Test(layout_pairs, another_message_of_the_same_window_is_another_step)
{
    struct um_wire_layout_step paint = {
        .time_ns = 3 * MS, .window = 1, .message = PAINT, .step = UM_LAYOUT_STEP_PAINT};
    begin(1, 0, 0);
    cr_expect(!um_layout_pairs_end(&pairs, &paint, 0, 0));
    cr_expect_eq(pairs.depth, 1);
}

Test(layout_pairs, a_step_in_which_the_thread_waited_has_no_time)
{
    begin(1, 0, 0);
    um_layout_pairs_waited(&pairs);
    begin(2, 90000, 0);
    cr_assert(end(2, 90001, 0));
    expect_times(1, 1);
    cr_assert(end(1, 90002, 0));
    cr_expect(!pair.timed && pair.own_ns == 0);
    cr_expect(pairs.begins == 0 && pairs.ends == 0);
}

Test(layout_pairs, after_a_loss_nothing_is_open)
{
    begin(1, 0, 0);
    um_layout_pairs_lost(&pairs);
    cr_expect(!end(1, 5, 0));
    cr_expect(pairs.begins == 1 && pairs.ends == 1);
}

Test(layout_pairs, steps_that_never_end_do_not_fill_the_stack)
{
    for (uint64_t i = 1; i <= 100000; i++)
        begin(i, i, 0);
    cr_expect_leq(pairs.depth, UM_LAYOUT_PAIRS_DEEPEST);
    cr_assert(end(100000, 100003, 0));
    expect_times(3, 3);
    cr_assert(end(99950, 100003, 0));
    cr_expect_eq(pairs.begins, 100000 - 2 - pairs.depth);
}
