/* Frames that wait for the session. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "monitor/live/early.h"

static struct um_early early;
static uint32_t firsts[4096];
static size_t count;

static void publish(void *context, const struct um_wire_frame *frame)
{
    cr_expect_eq(context, &early);
    cr_expect_eq(frame->type, UM_WIRE_NAME);
    cr_assert_lt(count, sizeof firsts / sizeof firsts[0]);
    firsts[count++] = frame->as.name.line;
}

static void put(uint8_t type, uint32_t line)
{
    struct um_wire_frame frame = {.type = type};
    if (type == UM_WIRE_NAME)
        frame.as.name.line = line;
    um_early_put(&early, &frame);
}

Test(early, what_was_kept_is_passed_on_once_and_in_order)
{
    put(UM_WIRE_NAME, 1);
    put(UM_WIRE_SAMPLE, 0);
    put(UM_WIRE_NAME, 2);
    um_early_flush(&early, publish, &early);
    cr_assert_eq(count, 2);
    cr_expect(firsts[0] == 1 && firsts[1] == 2);
    um_early_flush(&early, publish, &early);
    cr_expect_eq(count, 2);
    put(UM_WIRE_NAME, 3);
    um_early_flush(&early, publish, &early);
    cr_assert_eq(count, 3);
    cr_expect(firsts[2] == 3 && early.dropped == 0);
}

/* The newest are dropped: later ones refer to the oldest most. */
Test(early, its_memory_is_bounded)
{
    struct um_wire_frame frame = {.type = UM_WIRE_NAME};
    for (size_t i = 0; i < UM_WIRE_NAME_BYTES - 1; i++)
        frame.as.name.name[i] = 'n';
    for (uint32_t i = 0; i < UM_EARLY_BYTES / 64 && early.dropped == 0; i++) {
        frame.as.name.line = i;
        um_early_put(&early, &frame);
    }
    cr_expect_eq(early.dropped, 1);
    cr_expect_leq(early.room, UM_EARLY_BYTES);
    um_early_flush(&early, publish, &early);
    for (uint32_t i = 0; i < count; i++)
        cr_assert_eq(firsts[i], i);
    cr_expect_gt(count, 1000);
}
