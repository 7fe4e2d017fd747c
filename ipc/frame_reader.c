#include "ipc/frame_reader.h"

void um_frame_reader_init(struct um_frame_reader *reader, uint8_t *bytes, size_t cap_bytes)
{
    reader->bytes = bytes;
    reader->cap_bytes = cap_bytes;
    reader->begin = 0;
    reader->end = 0;
    reader->greeted = false;
    reader->status = UM_OK;
}

uint8_t *um_frame_reader_room(struct um_frame_reader *reader, size_t *room_bytes)
{
    size_t rest = reader->end - reader->begin;

    if (reader->begin > 0)
        for (size_t i = 0; i < rest; i++)
            reader->bytes[i] = reader->bytes[reader->begin + i];
    reader->begin = 0;
    reader->end = rest;
    *room_bytes = reader->cap_bytes - rest;
    return reader->bytes + rest;
}

void um_frame_reader_add(struct um_frame_reader *reader, size_t len_bytes)
{
    size_t room = reader->cap_bytes - reader->end;
    if (reader->status == UM_OK)
        reader->end += len_bytes < room ? len_bytes : room;
}

/* Reads the preamble, or a frame, from the bytes that are there. */
static enum um_status read_one(struct um_frame_reader *reader, struct um_wire_frame *frame)
{
    const uint8_t *bytes = reader->bytes + reader->begin;
    size_t len = reader->end - reader->begin;
    size_t used = UM_WIRE_PREAMBLE_BYTES;
    enum um_status status = reader->greeted ? um_wire_decode(bytes, len, frame, &used)
                                            : um_wire_check_preamble(bytes, len);
    if (status == UM_OK)
        reader->begin += used;
    return status;
}

enum um_status um_frame_reader_next(struct um_frame_reader *reader, struct um_wire_frame *frame)
{
    if (reader->status != UM_OK)
        return reader->status;
    enum um_status status = read_one(reader, frame);
    if (status == UM_OK && !reader->greeted) {
        reader->greeted = true;
        status = read_one(reader, frame);
    }
    if (status != UM_OK && status != UM_ERR_PARTIAL) {
        reader->status = status;
        reader->begin = reader->end = 0;
    }
    return status;
}
