#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/measure/retrieved.h"

#define MS UM_CLOCK_NS_PER_MS
#define START_NS (1000 * UM_CLOCK_NS_PER_S)

static struct um_retrieved retrieved;

static void take(uint64_t at_ms, uint32_t message, uint8_t flags)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TAKEN, .flags = flags};
    frame.as.taken.time_ns = START_NS + at_ms * MS;
    frame.as.taken.message = message;
    frame.as.taken.hwnd = message + 1;
    um_retrieved_frame(&retrieved, &frame);
}

static void rest_at(uint64_t at_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SENT};
    frame.as.sent.time_ns = START_NS + (at_ms + 16) * MS;
    frame.as.sent.rested_ns = START_NS + at_ms * MS;
    um_retrieved_frame(&retrieved, &frame);
}

static struct um_wire_frame get(size_t number, uint64_t now_ms)
{
    struct um_wire_frame frame;
    um_retrieved_get(&retrieved, number, START_NS + now_ms * MS, &frame);
    return frame;
}

Test(retrieved, message_takes_until_the_next_one_is_retrieved)
{
    take(10, 0x113, 0);
    take(15, 0xf, 0);
    cr_assert_eq(um_retrieved_count(&retrieved), 2);
    struct um_wire_frame first = get(0, 50), second = get(1, 50);
    cr_expect(first.as.retrieved.length_ns == 5 * MS && first.flags == 0);
    cr_expect(first.as.retrieved.message == 0x113 && first.as.retrieved.hwnd == 0x114);
    cr_expect_eq(first.as.retrieved.time_ns, START_NS + 10 * MS);
    cr_expect_eq(second.as.retrieved.length_ns, 35 * MS);
    cr_expect_eq(second.flags, UM_WIRE_RETRIEVED_LAST);
}

Test(retrieved, beats_end_a_message_and_are_none)
{
    take(10, 0x113, 0);
    take(12, 0xff, UM_WIRE_TAKEN_OURS);
    take(30, 0xff, UM_WIRE_TAKEN_OURS);
    cr_assert_eq(um_retrieved_count(&retrieved), 1);
    cr_expect_eq(get(0, 90).as.retrieved.length_ns, 2 * MS);
    cr_expect_eq(get(0, 90).flags, 0);
}

Test(retrieved, rest_of_the_thread_ends_a_message)
{
    take(10, 0x113, 0);
    rest_at(9); /* before it */
    cr_expect_eq(get(0, 90).flags, UM_WIRE_RETRIEVED_LAST);
    rest_at(14);
    rest_at(40);
    cr_expect_eq(get(0, 90).as.retrieved.length_ns, 4 * MS);
    take(80, 0xf, 0);
    cr_expect_eq(get(0, 90).as.retrieved.length_ns, 4 * MS);
}

Test(retrieved, last_two_hundred_are_kept)
{
    for (uint32_t i = 0; i < 501; i++)
        take(i, i, 0);
    cr_assert_eq(um_retrieved_count(&retrieved), UM_WIRE_RETRIEVED_MOST);
    cr_expect_eq(get(0, 600).as.retrieved.message, 301);
    cr_expect_eq(get(UM_WIRE_RETRIEVED_MOST - 1, 600).as.retrieved.message, 500);
    um_retrieved_forget(&retrieved);
    cr_expect_eq(um_retrieved_count(&retrieved), 0);
}
