#include "monitor/feed/frame_ring.h"

#include <string.h>

void um_frame_ring_init(struct um_frame_ring *ring, uint8_t *bytes, size_t cap_bytes)
{
    *ring = (struct um_frame_ring){.bytes = bytes, .cap_bytes = cap_bytes};
}

static size_t byte_at(const struct um_frame_ring *ring, size_t offset)
{
    return ring->bytes[(ring->head + offset) % ring->cap_bytes];
}

/* The length of the frame at an offset, as its header says. */
static size_t frame_bytes(const struct um_frame_ring *ring, size_t offset)
{
    return UM_WIRE_HEADER_BYTES + byte_at(ring, offset) + (byte_at(ring, offset + 1) << 8);
}

/* How many of `len` bytes from `begin` on lie before the end of the ring's memory. */
static size_t before_turn(const struct um_frame_ring *ring, size_t begin, size_t len)
{
    size_t room = ring->cap_bytes - begin;
    return room < len ? room : len;
}

static void copy_out(const struct um_frame_ring *ring, size_t offset, uint8_t *out, size_t len)
{
    size_t begin = (ring->head + offset) % ring->cap_bytes;
    size_t first = before_turn(ring, begin, len);
    memcpy(out, ring->bytes + begin, first);
    memcpy(out + first, ring->bytes, len - first);
}

/* Overwrites the bytes that it removes: with --keep-keys they may hold key codes. */
static void remove_bytes(struct um_frame_ring *ring, size_t len)
{
    size_t first = before_turn(ring, ring->head, len);
    memset(ring->bytes + ring->head, 0, first);
    memset(ring->bytes, 0, len - first);
    ring->len_bytes -= len;
    /* An empty ring begins at the start of its memory again, so that it touches no more of it than
     * it needs. */
    ring->head = ring->len_bytes > 0 ? (ring->head + len) % ring->cap_bytes : 0;
}

bool um_frame_ring_put(struct um_frame_ring *ring, const uint8_t *frame, size_t len_bytes)
{
    if (ring->cap_bytes - ring->len_bytes < len_bytes)
        return false;
    size_t tail = (ring->head + ring->len_bytes) % ring->cap_bytes;
    size_t first = before_turn(ring, tail, len_bytes);
    memcpy(ring->bytes + tail, frame, first);
    memcpy(ring->bytes, frame + first, len_bytes - first);
    ring->len_bytes += len_bytes;
    return true;
}

bool um_frame_ring_drop(struct um_frame_ring *ring)
{
    if (ring->len_bytes == 0)
        return false;
    remove_bytes(ring, frame_bytes(ring, 0));
    return true;
}

size_t um_frame_ring_peek(const struct um_frame_ring *ring, size_t offset, uint8_t *frame)
{
    if (offset >= ring->len_bytes)
        return 0;
    size_t len = frame_bytes(ring, offset);
    copy_out(ring, offset, frame, len);
    return len;
}

size_t um_frame_ring_take(struct um_frame_ring *ring, uint8_t *frames, size_t cap_bytes)
{
    size_t len = 0;
    while (len < ring->len_bytes && len + frame_bytes(ring, len) <= cap_bytes)
        len += frame_bytes(ring, len);
    copy_out(ring, 0, frames, len);
    remove_bytes(ring, len);
    return len;
}
