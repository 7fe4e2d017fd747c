#include "overlay/feed_reader.h"

#include <string.h>

/* Reads what is whole in the buffer and keeps the rest of it. */
static enum um_status drain(struct um_feed_reader *reader, um_feed_reader_take *take, void *context)
{
    size_t at = 0;
    enum um_status status = UM_OK;

    if (!reader->begun) {
        status = um_wire_check_preamble(reader->rest, reader->len_bytes);
        reader->begun = status == UM_OK;
        at = status == UM_OK ? UM_WIRE_PREAMBLE_BYTES : 0;
    }
    while (status == UM_OK) {
        struct um_wire_frame frame;
        size_t used = 0;
        status = um_wire_decode(reader->rest + at, reader->len_bytes - at, &frame, &used);
        if (status == UM_OK)
            take(context, &frame);
        at += used;
    }
    reader->len_bytes -= at;
    memmove(reader->rest, reader->rest + at, reader->len_bytes);
    return status == UM_ERR_PARTIAL ? UM_OK : status;
}

enum um_status um_feed_reader_push(struct um_feed_reader *reader, const void *bytes,
                                   size_t len_bytes, um_feed_reader_take *take, void *context)
{
    const uint8_t *from = bytes;

    while (len_bytes > 0) {
        size_t part = sizeof reader->rest - reader->len_bytes;
        part = part < len_bytes ? part : len_bytes;
        memcpy(reader->rest + reader->len_bytes, from, part);
        reader->len_bytes += part;
        from += part;
        len_bytes -= part;
        enum um_status status = drain(reader, take, context);
        if (status != UM_OK)
            return status;
    }
    return UM_OK;
}
