#include <criterion/criterion.h>
#include <string.h>

#include "ipc/frame_reader.h"

#define FRAMES 40

static uint8_t stream[UM_WIRE_PREAMBLE_BYTES + FRAMES * UM_WIRE_MAX_BYTES];
static size_t stream_bytes;
static uint8_t room[UM_WIRE_MAX_BYTES]; /* the least that a reader takes */
static struct um_frame_reader reader;
static struct um_wire_frame frame;

static void add_frame(const struct um_wire_frame *added)
{
    size_t used = 0;
    cr_assert_eq(um_wire_encode(added, stream + stream_bytes, sizeof stream - stream_bytes, &used),
                 UM_OK);
    stream_bytes += used;
}

/* Beats, which are short, and every tenth a note of 200 bytes. */
static void make_stream(void)
{
    um_wire_put_preamble(stream);
    stream_bytes = UM_WIRE_PREAMBLE_BYTES;
    for (uint32_t i = 0; i < FRAMES; i++) {
        struct um_wire_frame beat = {.type = UM_WIRE_BEAT, .as.beat.seq = i};
        struct um_wire_frame note = {.type = UM_WIRE_NOTE, .as.note.time_ns = i};
        memset(note.as.note.text, 'x', 200);
        add_frame(i % 10 == 9 ? &note : &beat);
    }
    um_frame_reader_init(&reader, room, sizeof room);
}

/* Hands in up to `len` bytes and returns how many found room. */
static size_t hand_in(const uint8_t *bytes, size_t len)
{
    size_t cap;
    uint8_t *to = um_frame_reader_room(&reader, &cap);
    cr_assert(to >= room && to + cap == room + sizeof room, "the room lies within the buffer");
    size_t part = len < cap ? len : cap;
    memcpy(to, bytes, part);
    um_frame_reader_add(&reader, part);
    return part;
}

static bool is_number(const struct um_wire_frame *got, uint32_t number)
{
    if (number % 10 == 9)
        return got->type == UM_WIRE_NOTE && got->as.note.time_ns == number &&
               strlen(got->as.note.text) == 200;
    return got->type == UM_WIRE_BEAT && got->as.beat.seq == number;
}

static void expect_frames_in_parts_of(size_t part)
{
    uint32_t taken = 0;

    make_stream();
    for (size_t at = 0; at < stream_bytes;) {
        size_t left = stream_bytes - at;
        at += hand_in(stream + at, part < left ? part : left);
        enum um_status status;
        while ((status = um_frame_reader_next(&reader, &frame)) == UM_OK)
            cr_assert(is_number(&frame, taken++));
        cr_assert_eq(status, UM_ERR_PARTIAL);
    }
    cr_expect_eq(taken, FRAMES, "in parts of %zu", part);
}

TestSuite(frame_reader, .init = make_stream);

Test(frame_reader, finds_every_frame_however_the_bytes_are_cut)
{
    for (size_t part = 1; part <= sizeof room; part++)
        expect_frames_in_parts_of(part);
}

Test(frame_reader, keeps_what_is_not_taken)
{
    size_t cap;
    size_t at = hand_in(stream, stream_bytes);
    cr_expect_eq(at, sizeof room);
    um_frame_reader_room(&reader, &cap);
    cr_expect_eq(cap, 0, "nothing was taken, so there is no room");
    cr_expect_eq(um_frame_reader_next(&reader, &frame), UM_OK);
    cr_expect(is_number(&frame, 0));
    cr_expect_gt(hand_in(stream + at, stream_bytes - at), 0);
    for (uint32_t i = 1; i < 10; i++) {
        cr_assert_eq(um_frame_reader_next(&reader, &frame), UM_OK);
        cr_expect(is_number(&frame, i));
    }
}

Test(frame_reader, largest_frame_fits)
{
    uint8_t unknown[UM_WIRE_MAX_BYTES] = {UM_WIRE_MAX_PAYLOAD & 255, UM_WIRE_MAX_PAYLOAD >> 8, 250};
    hand_in(stream, UM_WIRE_PREAMBLE_BYTES);
    cr_expect_eq(um_frame_reader_next(&reader, &frame), UM_ERR_PARTIAL);
    cr_expect_eq(hand_in(unknown, sizeof unknown), sizeof unknown);
    cr_assert_eq(um_frame_reader_next(&reader, &frame), UM_OK);
    cr_expect_eq(frame.type, 250);
    cr_expect_eq(um_frame_reader_next(&reader, &frame), UM_ERR_PARTIAL);
}

Test(frame_reader, adding_more_than_there_is_room_for_stays_in_bounds)
{
    um_frame_reader_add(&reader, sizeof room + 1);
    cr_expect_eq(reader.end, sizeof room);
}

static void expect_lost(enum um_status why)
{
    size_t cap;
    cr_expect_eq(um_frame_reader_next(&reader, &frame), why);
    hand_in(stream, sizeof room); /* a good stream does not make up for it */
    cr_expect_eq(um_frame_reader_next(&reader, &frame), why);
    um_frame_reader_room(&reader, &cap);
    cr_expect_eq(cap, sizeof room, "what comes is thrown away");
}

Test(frame_reader, refuses_what_is_not_a_stream)
{
    hand_in((const uint8_t *)"GET / HTTP/1.1", 14);
    expect_lost(UM_ERR_FORMAT);
}

Test(frame_reader, refuses_a_later_version)
{
    stream[4] = UM_WIRE_VERSION + 1;
    hand_in(stream, UM_WIRE_PREAMBLE_BYTES);
    stream[4] = UM_WIRE_VERSION;
    expect_lost(UM_ERR_VERSION);
}

Test(frame_reader, refuses_an_oversized_frame)
{
    const uint8_t huge[] = {0xff, 0xff, UM_WIRE_BEAT, 0};
    hand_in(stream, UM_WIRE_PREAMBLE_BYTES + 24); /* and the first beat, which counts */
    hand_in(huge, sizeof huge);
    cr_expect_eq(um_frame_reader_next(&reader, &frame), UM_OK);
    cr_expect(is_number(&frame, 0));
    expect_lost(UM_ERR_TOO_LARGE);
}

Test(frame_reader, refuses_a_damaged_frame)
{
    const uint8_t flagged[] = {0, 0, UM_WIRE_STOP, 0xff};
    hand_in(stream, UM_WIRE_PREAMBLE_BYTES);
    hand_in(flagged, sizeof flagged);
    expect_lost(UM_ERR_FORMAT);
}

Test(frame_reader, begins_anew)
{
    hand_in((const uint8_t *)"GET / HTTP/1.1", 14);
    cr_expect_eq(um_frame_reader_next(&reader, &frame), UM_ERR_FORMAT);
    expect_frames_in_parts_of(100);
}
