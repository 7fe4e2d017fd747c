#include "monitor/export/hdr_encode.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/double_bits.h"
#include "base/pack.h"

#define COOKIE UINT32_C(0x1c849313)
#define COOKIE_COMPRESSED UINT32_C(0x1c849314)
#define PART_BYTES 4096
#define COUNT_MOST (UINT64_MAX >> 2) /* a ninth byte would have another meaning than in a varint */

static void put(struct um_pack *to, uint64_t number, int bytes)
{
    while (bytes-- > 0)
        um_pack_byte(to, (uint8_t)(number >> 8 * bytes));
}

static void put_counts(struct um_pack *to, const struct um_histogram *histogram)
{
    int64_t zeros = 0;
    for (size_t i = 0; i < histogram->used_len; i++) {
        uint64_t count = histogram->counts[i];
        zeros += count == 0;
        if (count == 0)
            continue;
        if (zeros > 0)
            um_pack_signed(to, zeros > 1 ? -zeros : 0);
        zeros = 0;
        um_pack_signed(to, (int64_t)(count < COUNT_MOST ? count : COUNT_MOST));
    }
}

static void encode(struct um_pack *to, const struct um_histogram *histogram)
{
    struct um_pack counts = {0};
    put_counts(&counts, histogram);
    put(to, COOKIE, 4);
    put(to, counts.len, 4);
    put(to, 0, 4);
    put(to, histogram->digits, 4);
    put(to, histogram->lowest, 8);
    put(to, histogram->highest, 8);
    put(to, um_double_bits_of(1.0), 8);
    for (size_t i = 0; i < counts.len; i++)
        um_pack_byte(to, counts.bytes[i]);
    to->failed |= counts.failed;
    um_pack_deinit(&counts);
}

/* Packs bytes behind those of `to`, as zlib does. */
static bool deflate_into(struct um_pack *to, const struct um_pack *bytes)
{
    z_stream stream = {.next_in = bytes->bytes, .avail_in = (uInt)bytes->len};
    int result = deflateInit(&stream, Z_DEFAULT_COMPRESSION);
    if (result != Z_OK)
        return false;
    while (result == Z_OK) {
        uint8_t part[PART_BYTES];
        stream.next_out = part;
        stream.avail_out = sizeof part;
        result = deflate(&stream, Z_FINISH);
        for (const uint8_t *byte = part; byte < stream.next_out; byte++)
            um_pack_byte(to, *byte);
    }
    (void)deflateEnd(&stream);
    return result == Z_STREAM_END && !to->failed;
}

char *um_hdr_encode(const struct um_histogram *histogram)
{
    struct um_pack encoded = {0}, packed = {0}, all = {0};
    encode(&encoded, histogram);
    bool ok = !encoded.failed && deflate_into(&packed, &encoded);
    put(&all, COOKIE_COMPRESSED, 4);
    put(&all, packed.len, 4);
    for (size_t i = 0; i < packed.len; i++)
        um_pack_byte(&all, packed.bytes[i]);
    char *text = ok ? um_pack_base64(&all) : NULL;
    um_pack_deinit(&all);
    um_pack_deinit(&packed);
    um_pack_deinit(&encoded);
    return text;
}
