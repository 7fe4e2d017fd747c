#include <string.h>

#include <criterion/criterion.h>

#include "monitor/feed/frame_ring.h"

#define CAP (UM_WIRE_MAX_BYTES + 100)

static uint8_t bytes[CAP];
static struct um_frame_ring ring;
static uint8_t out[UM_WIRE_MAX_BYTES]; /* what was taken out */

static void setup(void)
{
    um_frame_ring_init(&ring, bytes, sizeof bytes);
}

TestSuite(frame_ring, .init = setup);

/* A frame of so many bytes, all of its payload the same number. */
static size_t make(uint8_t *frame, uint8_t number, size_t len)
{
    size_t payload = len - UM_WIRE_HEADER_BYTES;
    frame[0] = (uint8_t)payload;
    frame[1] = (uint8_t)(payload >> 8);
    frame[2] = UM_WIRE_BEAT;
    frame[3] = 0;
    memset(frame + UM_WIRE_HEADER_BYTES, number, payload);
    return len;
}

static bool put(uint8_t number, size_t len)
{
    uint8_t frame[UM_WIRE_MAX_BYTES];
    return um_frame_ring_put(&ring, frame, make(frame, number, len));
}

static bool is(const uint8_t *frame, uint8_t number, size_t len)
{
    uint8_t expected[UM_WIRE_MAX_BYTES];
    return memcmp(frame, expected, make(expected, number, len)) == 0;
}

Test(frame_ring, gives_back_whole_frames_in_order_wherever_the_ring_turns)
{
    for (unsigned i = 0; i < 1000; i++) {
        size_t first = UM_WIRE_HEADER_BYTES + i % 250, second = UM_WIRE_HEADER_BYTES + i % 77;
        cr_assert(put((uint8_t)i, first) && put((uint8_t)(i + 1), second));
        cr_assert_eq(um_frame_ring_take(&ring, out, sizeof out), first + second);
        cr_assert(is(out, (uint8_t)i, first) && is(out + first, (uint8_t)(i + 1), second));
        if (i % 2) /* so that it does not begin at its start each time */
            ring.head = i * 7 % CAP;
    }
    cr_expect_eq(um_frame_ring_take(&ring, out, sizeof out), 0);
}

Test(frame_ring, refuses_what_does_not_fit_and_keeps_the_rest)
{
    cr_expect(put(1, UM_WIRE_MAX_BYTES), "any frame fits into an empty ring");
    cr_expect(put(2, 100));
    cr_expect_not(put(3, UM_WIRE_HEADER_BYTES), "it is full to the last byte");
    cr_expect_eq(um_frame_ring_take(&ring, out, sizeof out), UM_WIRE_MAX_BYTES);
    cr_expect(is(out, 1, UM_WIRE_MAX_BYTES));
    cr_expect_eq(um_frame_ring_take(&ring, out, sizeof out), 100);
    cr_expect(is(out, 2, 100));
}

Test(frame_ring, takes_no_part_of_a_frame)
{
    cr_assert(put(1, 600) && put(2, 500));
    cr_expect_eq(um_frame_ring_take(&ring, out, sizeof out), 600);
    cr_expect(is(out, 1, 600));
    cr_expect_eq(um_frame_ring_take(&ring, out, sizeof out), 500);
}

Test(frame_ring, drops_the_oldest)
{
    cr_expect_not(um_frame_ring_drop(&ring), "there is none");
    cr_assert(put(1, 500) && put(2, 500));
    cr_expect(um_frame_ring_drop(&ring));
    cr_expect(put(3, 600), "over the end of the ring");
    cr_expect_eq(um_frame_ring_peek(&ring, 0, out), 500);
    cr_expect(is(out, 2, 500));
    cr_expect_eq(um_frame_ring_peek(&ring, 500, out), 600);
    cr_expect(is(out, 3, 600));
    cr_expect_eq(um_frame_ring_peek(&ring, 1100, out), 0);
}

Test(frame_ring, keeps_nothing_of_what_was_taken_out)
{
    static const uint8_t nothing[CAP];
    for (size_t head = 0; head < CAP; head += 7) {
        ring.head = head;
        cr_assert(put(1, 60) && put(2, 50));
        cr_assert(um_frame_ring_drop(&ring));
        cr_assert_eq(um_frame_ring_take(&ring, out, sizeof out), 50);
        cr_expect_eq(memcmp(bytes, nothing, CAP), 0, "from %zu on", head);
    }
}
