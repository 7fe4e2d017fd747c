#include "names/inflate.h"

#include <stdbool.h>
#include <zlib.h>

enum um_status um_inflate(const uint8_t *packed, size_t packed_len, uint8_t *bytes, size_t len)
{
    z_stream stream = {0};
    uint8_t none;

    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) /* Deflate without a header */
        return UM_ERR_MEMORY;
    stream.next_in = (z_const Bytef *)packed;
    stream.avail_in = (uInt)packed_len;
    stream.next_out = len > 0 ? bytes : &none;
    stream.avail_out = (uInt)len;
    int result = inflate(&stream, Z_FINISH);
    bool is_whole = result == Z_STREAM_END && stream.total_out == len;
    inflateEnd(&stream);
    if (result == Z_MEM_ERROR)
        return UM_ERR_MEMORY;
    return is_whole ? UM_OK : UM_ERR_FORMAT;
}
