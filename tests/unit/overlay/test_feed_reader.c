#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "overlay/feed_reader.h"

#define FRAMES 40

struct stream {
    uint8_t bytes[UM_WIRE_PREAMBLE_BYTES + FRAMES * UM_WIRE_MAX_BYTES];
    size_t len_bytes;
};

static uint32_t taken;
static bool in_order;

static void take(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    in_order = in_order && frame->type == UM_WIRE_BEAT && frame->as.beat.seq == taken;
    taken++;
}

static void make_stream(struct stream *stream)
{
    um_wire_put_preamble(stream->bytes);
    stream->len_bytes = UM_WIRE_PREAMBLE_BYTES;
    for (uint32_t i = 0; i < FRAMES; i++) {
        struct um_wire_frame frame = {.type = UM_WIRE_BEAT, .as.beat.seq = i};
        size_t used = 0;
        cr_assert(eq(int,
                     um_wire_encode(&frame, stream->bytes + stream->len_bytes,
                                    sizeof stream->bytes - stream->len_bytes, &used),
                     UM_OK));
        stream->len_bytes += used;
    }
    taken = 0;
    in_order = true;
}

Test(feed_reader, finds_every_frame_however_the_bytes_are_cut)
{
    static struct stream stream;

    for (size_t part = 1; part < 64; part++) {
        struct um_feed_reader reader = {0};
        make_stream(&stream);
        for (size_t at = 0; at < stream.len_bytes; at += part) {
            size_t left = stream.len_bytes - at;
            cr_assert(eq(int,
                         um_feed_reader_push(&reader, stream.bytes + at, part < left ? part : left,
                                             take, NULL),
                         UM_OK));
        }
        cr_expect(eq(u32, taken, FRAMES));
        cr_expect(in_order);
    }
}

Test(feed_reader, takes_a_stream_in_one_piece)
{
    static struct stream stream;
    struct um_feed_reader reader = {0};

    make_stream(&stream);
    cr_expect(
        eq(int, um_feed_reader_push(&reader, stream.bytes, stream.len_bytes, take, NULL), UM_OK));
    cr_expect(eq(u32, taken, FRAMES));
}

Test(feed_reader, refuses_what_is_not_a_feed)
{
    struct um_feed_reader reader = {0};

    cr_expect(
        eq(int, um_feed_reader_push(&reader, "GET / HTTP/1.1", 14, take, NULL), UM_ERR_FORMAT));
}
