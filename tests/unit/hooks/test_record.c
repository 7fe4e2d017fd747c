#include "hooks/record.h"

#include <criterion/criterion.h>
#include <string.h>

/* A counter of 10 MHz, as Windows has: a tick is 100 ns. */
#define TICKS_PER_S UINT64_C(10000000)

static struct um_wire_frame unpack(struct um_ring_record record)
{
    struct um_wire_frame frame;
    memset(&frame, 0x5a, sizeof frame);
    um_record_unpack(&record, TICKS_PER_S, &frame);
    return frame;
}

/* Fails unless the wire takes the frame as it is. */
static void expect_encodes(const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;
    cr_expect_eq(um_wire_encode(frame, bytes, sizeof bytes, &len), UM_OK);
}

static void check_taken(uint64_t ticks, uint8_t flags, struct um_wire_taken taken, bool is_valid)
{
    struct um_wire_frame frame = unpack(um_record_taken(ticks, flags, &taken));
    cr_expect_eq(frame.type, UM_WIRE_TAKEN);
    cr_expect_eq(frame.flags, flags);
    cr_expect_eq(frame.as.taken.time_ns, ticks * 100);
    cr_expect_eq(frame.as.taken.message, taken.message);
    cr_expect_eq(frame.as.taken.hwnd, taken.hwnd);
    cr_expect_eq(frame.as.taken.age_ms, taken.age_ms);
    cr_expect_eq(frame.as.taken.key, taken.key);
    cr_expect_eq(frame.as.taken.own_ms, taken.own_ms);
    cr_expect_eq(frame.as.taken.promoted, taken.promoted);
    if (is_valid)
        expect_encodes(&frame);
}

/* A field that spilt over into its neighbour would be seen in the neighbour's 0. */
Test(record, taken_comes_back_up_to_its_limits)
{
    check_taken(12345678901, UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS,
                (struct um_wire_taken){.hwnd = 0x12345678,
                                       .message = 0x100,
                                       .age_ms = 17,
                                       .key = 0x41,
                                       .own_ms = 123456789,
                                       .promoted = 1},
                true);
    check_taken(0, UINT8_MAX,
                (struct um_wire_taken){
                    .message = UINT32_MAX, .age_ms = UM_WIRE_AGE_UNKNOWN, .own_ms = UINT32_MAX},
                false);
    check_taken(UINT64_MAX / 100, 0, (struct um_wire_taken){.hwnd = UINT32_MAX, .key = UINT32_MAX},
                false);
}

Test(record, asked_comes_back_up_to_its_limits)
{
    struct um_wire_frame frame = unpack(um_record_asked(42, 41, UINT32_MAX));
    cr_expect_eq(frame.type, UM_WIRE_ASKED);
    cr_expect_eq(frame.flags, 0);
    cr_expect_eq(frame.as.asked.time_ns, 4200);
    cr_expect_eq(frame.as.asked.asked_ns, 4100);
    cr_expect_eq(frame.as.asked.seq, UINT32_MAX);
    expect_encodes(&frame);
}

Test(record, seen_comes_back_up_to_its_limits)
{
    struct um_wire_frame frame =
        unpack(um_record_seen(42, UM_WIRE_SEEN_MOUSE | UM_WIRE_SEEN_MERGED, 7));
    cr_expect_eq(frame.type, UM_WIRE_SEEN);
    cr_expect_eq(frame.flags, UM_WIRE_SEEN_MOUSE | UM_WIRE_SEEN_MERGED);
    cr_expect_eq(frame.as.seen.time_ns, 4200);
    cr_expect_eq(frame.as.seen.seq, 7);
    expect_encodes(&frame);

    frame = unpack(um_record_seen(42, UINT8_MAX, UINT32_MAX));
    cr_expect_eq(frame.type, UM_WIRE_SEEN);
    cr_expect_eq(frame.flags, UINT8_MAX);
    cr_expect_eq(frame.as.seen.seq, UINT32_MAX);
}

static void check_sent(uint64_t rested_ticks, struct um_wire_sent sent)
{
    struct um_wire_frame frame = unpack(um_record_sent(43, rested_ticks, &sent));
    cr_expect_eq(frame.type, UM_WIRE_SENT);
    cr_expect_eq(frame.flags, 0);
    cr_expect_eq(frame.as.sent.time_ns, 4300);
    cr_expect_eq(frame.as.sent.seq, sent.seq);
    cr_expect_eq(frame.as.sent.rested_ns, rested_ticks * 100);
    cr_expect_eq(frame.as.sent.skipped, sent.skipped);
    cr_expect_eq(frame.as.sent.beat_kind, sent.beat_kind);
    cr_expect_eq(frame.as.sent.left_out, sent.left_out);
    expect_encodes(&frame);
}

Test(record, sent_comes_back_up_to_its_limits)
{
    check_sent(42, (struct um_wire_sent){
                       .seq = 8, .skipped = 9, .beat_kind = UM_BEAT_KIND_PAIR, .left_out = 1});
    check_sent(0, (struct um_wire_sent){.seq = UINT32_MAX, .skipped = UINT32_MAX});
}

/* Each of the enums by itself, so that none can hide in another's bits. */
Test(record, every_probe_status_and_reason_comes_back)
{
    for (int probe = UM_PROBE_AUTO; probe <= UM_PROBE_MOUSE; probe++)
        for (int status = UM_PROBE_ACTIVE; status <= UM_PROBE_REFUSED; status++)
            for (int reason = UM_PROBE_REASON_ASKED; reason <= UM_PROBE_REASON_BLIND; reason++) {
                struct um_wire_frame frame = unpack(um_record_probe(
                    44, (enum um_probe)probe, (enum um_probe_status)status,
                    (enum um_probe_reason)reason, UM_PROBE_HELD_NOT, (uint32_t)(5 + reason)));
                cr_expect_eq(frame.type, UM_WIRE_PROBE);
                cr_expect_eq(frame.flags, 0);
                cr_expect_eq(frame.as.probe.time_ns, 4400);
                cr_expect_eq(frame.as.probe.probe, probe);
                cr_expect_eq(frame.as.probe.status, status);
                cr_expect_eq(frame.as.probe.reason, reason);
                cr_expect_eq(frame.as.probe.held, UM_PROBE_HELD_NOT);
                cr_expect_eq(frame.as.probe.error, 5 + reason);
                expect_encodes(&frame);
            }
    cr_expect_eq(unpack(um_record_probe(44, UM_PROBE_RAW, UM_PROBE_REFUSED, UM_PROBE_REASON_ASKED,
                                        UM_PROBE_HELD_NOT, UINT32_MAX))
                     .as.probe.error,
                 UINT32_MAX);
    cr_expect_eq(unpack(um_record_probe(44, UM_PROBE_MOUSE, UM_PROBE_OFF_TARGET,
                                        UM_PROBE_REASON_ASKED, UM_PROBE_HELD_BUTTON, 0))
                     .as.probe.held,
                 UM_PROBE_HELD_BUTTON);
}

Test(record, its_ticks_can_be_compared_without_unpacking)
{
    const struct um_wire_sent sent = {.seq = 1, .beat_kind = UM_BEAT_KIND_ZERO};
    struct um_ring_record record = um_record_sent(UINT64_MAX, 0, &sent);
    cr_expect_eq(um_record_ticks(&record), UINT64_MAX);
}

/* What no packer made is nothing that the wire would take. */
Test(record, a_zeroed_record_is_no_frame)
{
    struct um_wire_frame frame = unpack((struct um_ring_record){{0}});
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;
    cr_expect_eq(um_wire_encode(&frame, bytes, sizeof bytes, &len), UM_ERR_ARG);
}
