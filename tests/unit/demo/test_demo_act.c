#include "demo/act.h"

#include <criterion/criterion.h>

static struct um_demo_acts acts;

static struct um_demo_log_event take(void)
{
    struct um_demo_log_event act = {.name = "none"};
    um_demo_act_take(&acts, &act);
    return act;
}

static void press(const char *name, uint64_t dequeued_ns, uint64_t handled_ns)
{
    um_demo_act_settle(&acts);
    cr_assert(um_demo_act_begin(&acts, name, 7, dequeued_ns));
    um_demo_act_soil(&acts);
    um_demo_act_handled(&acts, handled_ns);
}

static void expect(const char *name, uint64_t dequeued_ns, uint64_t handled_ns, uint64_t begin_ns,
                   uint64_t end_ns)
{
    struct um_demo_log_event act = take();
    cr_expect_str_eq(act.name, name);
    cr_expect_eq(act.retrieved_ns, dequeued_ns);
    cr_expect_eq(act.handled_ns, handled_ns);
    cr_expect_eq(act.begin_ns, begin_ns);
    cr_expect_eq(act.end_ns, end_ns);
}

Test(demo_act, ends_with_the_painting)
{
    press("key", 10, 20);
    um_demo_act_settle(&acts);
    cr_expect_str_eq(take().name, "none");
    um_demo_act_painted(&acts, 30, 40);
    struct um_demo_log_event act = take();
    cr_expect_eq(act.kind, UM_DEMO_LOG_ACT);
    cr_expect_eq(act.tid, 7);
    cr_expect_eq(act.end_ns, 40);
    cr_expect_str_eq(take().name, "none");
}

Test(demo_act, is_handled_when_the_last_derived_message_is)
{
    press("key", 10, 20);
    um_demo_act_handled(&acts, 25);
    um_demo_act_settle(&acts);
    um_demo_act_painted(&acts, 30, 40);
    expect("key", 10, 25, 30, 40);
}

Test(demo_act, several_share_a_painting)
{
    press("key", 10, 20);
    press("key", 21, 30);
    press("click", 31, 40);
    um_demo_act_settle(&acts);
    um_demo_act_painted(&acts, 50, 60);
    expect("key", 10, 20, 50, 60);
    expect("key", 21, 30, 50, 60);
    expect("click", 31, 40, 50, 60);
}

Test(demo_act, is_not_painted_before_it_is_handled)
{
    press("key", 10, 20);
    um_demo_act_begin(&acts, "wheel", 7, 30);
    um_demo_act_painted(&acts, 32, 34); /* within the handling of the second */
    um_demo_act_soil(&acts);
    um_demo_act_handled(&acts, 40);
    um_demo_act_painted(&acts, 50, 60);
    expect("key", 10, 20, 32, 34);
    expect("wheel", 30, 40, 50, 60);
}

Test(demo_act, without_anything_to_paint_is_over_when_settled)
{
    um_demo_act_begin(&acts, "key", 7, 10);
    um_demo_act_handled(&acts, 20);
    cr_expect_str_eq(take().name, "none");
    um_demo_act_settle(&acts);
    expect("key", 10, 20, 0, 0);
}

Test(demo_act, the_characters_of_a_repeat_are_not_of_the_key_before)
{
    press("key", 10, 20);
    um_demo_act_settle(&acts);
    um_demo_act_end(&acts); /* a repeat was retrieved */
    um_demo_act_handled(&acts, 90);
    um_demo_act_painted(&acts, 95, 99);
    expect("key", 10, 20, 95, 99);
}

Test(demo_act, keeps_their_order_when_the_ring_turns)
{
    for (uint64_t i = 1; i < 3 * UM_DEMO_ACT_MAX; i++) {
        press("key", 10 * i, 10 * i + 1);
        if (i % 5 != 0)
            continue;
        um_demo_act_painted(&acts, 10 * i + 2, 10 * i + 3);
        for (uint64_t k = i - 4; k <= i; k++)
            expect("key", 10 * k, 10 * k + 1, 10 * i + 2, 10 * i + 3);
    }
}

Test(demo_act, leaves_out_what_it_has_no_room_for)
{
    for (uint64_t i = 0; i < UM_DEMO_ACT_MAX; i++)
        press("key", 10 * i, 10 * i + 1);
    cr_expect_not(um_demo_act_begin(&acts, "key", 7, 1));
    um_demo_act_painted(&acts, 99, 100);
    expect("key", 0, 1, 99, 100);
}
