/* Histograms as HdrHistogram writes them. The texts are what HdrHistogram_c and the Java
 * implementation have written of the same values, as the tests of HdrHistogram's Python port and of
 * its Go port have them. Two versions of zlib may pack the same bytes in different ways, so what is
 * compared is what was packed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "monitor/export/hdr_encode.h"

#define MOST_BYTES 65536
#define LENGTH_AT 4 /* of the counts, in the encoding */
#define HEADER_BYTES 40

static uint64_t counts[UM_HISTOGRAM_LATENCY_COUNTS];
static struct um_histogram histogram;

static void begin(uint64_t highest)
{
    cr_assert_eq(um_histogram_init(&histogram, 1, highest, 3, counts, UM_HISTOGRAM_LATENCY_COUNTS),
                 UM_OK);
}

static size_t from_base64(const char *text, uint8_t *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0, group = 0;
    size_t len = 0;
    for (; *text && *text != '='; text++) {
        const char *digit = strchr(digits, *text);
        cr_assert(digit && len < MOST_BYTES);
        group = group << 6 | (uint32_t)(digit - digits);
        bits += 6;
        if (bits >= 8)
            bytes[len++] = (uint8_t)(group >> (bits -= 8));
    }
    return len;
}

/* The encoding that is packed in a text. */
static size_t unpack(const char *text, uint8_t *encoded)
{
    static const uint8_t cookie[] = {0x1c, 0x84, 0x93, 0x14};
    static uint8_t bytes[MOST_BYTES];
    size_t len = from_base64(text, bytes);
    z_stream stream = {.next_in = bytes + 8, .next_out = encoded, .avail_out = MOST_BYTES};
    cr_assert(len > 8 && memcmp(bytes, cookie, sizeof cookie) == 0);
    cr_expect_eq((size_t)bytes[4] << 24 | (size_t)bytes[5] << 16 | (size_t)bytes[6] << 8 | bytes[7],
                 len - 8);
    stream.avail_in = (uInt)(len - 8);
    cr_assert_eq(inflateInit(&stream), Z_OK);
    cr_assert_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
    inflateEnd(&stream);
    return stream.total_out;
}

static uint32_t length_of(const uint8_t *encoded)
{
    uint32_t length = 0;
    for (int i = 0; i < 4; i++)
        length = length << 8 | encoded[LENGTH_AT + i];
    return length;
}

/* `is_c`: by HdrHistogram_c before it wrote the same bytes as Java. The length was that of the
 * whole encoding, and a zero by itself was -1, folded: 1. */
static void expect_as(const char *theirs, bool is_c)
{
    static uint8_t encoded[MOST_BYTES], expected[MOST_BYTES];
    char *ours = um_hdr_encode(&histogram);
    cr_assert(ours);
    size_t len = unpack(ours, encoded), expected_len = unpack(theirs, expected);
    cr_expect_eq(len, expected_len);
    cr_expect_eq(length_of(encoded), len - HEADER_BYTES);
    cr_expect_eq(length_of(expected), is_c ? len : len - HEADER_BYTES);
    for (size_t i = 0; i < len && i < expected_len; i++)
        cr_expect(encoded[i] == expected[i] || (i >= LENGTH_AT && i < LENGTH_AT + 4) ||
                      (is_c && encoded[i] == 0 && expected[i] == 1),
                  "byte %zu is %02x and not %02x", i, encoded[i], expected[i]);
    free(ours);
}

Test(hdr_encode, classic_values_are_as_in_c)
{
    begin(3600000000);
    for (int i = 0; i < 10000; i++)
        um_histogram_record(&histogram, 1000);
    um_histogram_record(&histogram, 100000000);
    expect_as("HISTFAAAACl4nJNpmSzMwMBgyAABzFCaEURcm7yEwf4DROA8/4I5jNM7mJgAlWkH9g==", true);
}

Test(hdr_encode, corrected_values_are_as_in_c)
{
    begin(3600000000);
    for (int i = 0; i < 10000; i++)
        um_histogram_record_corrected(&histogram, 1000, 10000);
    um_histogram_record_corrected(&histogram, 100000000, 10000);
    expect_as("HISTFAAAAP94nJNpmSzMwCByigECmKE0I4i4NnkJg/0HiMB5/gVzGD8aM/3lZ7rPyTSbjektC9N7Fqa"
              "HzEzbmZi2whCEvZKRaSYj02wwiYng4tFM3lDoC2dhhwh5UyZlJlUMjClCmgpMEUUmQSZ+IBZEojFFCM"
              "vQRwUxenmZ2MGQFUqz4+CTo4I2pg4dFdQylZWJkYkZCaPyMEUIydPLjMHrssFixuB12XD0HRAwMsFJg"
              "kwilZHJHHKmjzp41MFDOjhYmFiQEUEmMWqGsvKBd8Fwd/Co/waTC9jYOMAIiSJRhLbKh5x9Q87Bo/YN"
              "bfsoM4CPhw+IIJAkxnDXN+QcTIpyAPnGh6k=",
              true);
}

Test(hdr_encode, a_value_where_the_next_bucket_begins_is_as_in_java)
{
    begin(2048);
    um_histogram_record(&histogram, 2048);
    expect_as("HISTFAAAACB4nJNpmSzMwMDAzAABMJoRQnEw2H+AsP7LMwEARZgDpQ==", false);
}
