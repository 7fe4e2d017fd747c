/* Frames out of a stream of bytes, wherever those were cut on their way.
 *
 * Everybody who reads a pipe uses it like this: read bytes into um_frame_reader_room, say how many
 * came with um_frame_reader_add, and take frames with um_frame_reader_next until it answers
 * UM_ERR_PARTIAL. It checks the preamble and knows where a frame ends, not what it means. On the
 * hot path: allocates nothing, copies no more than a part of a frame. Freestanding, so that the
 * hook DLL can use it without a C library.
 */
#ifndef UM_IPC_FRAME_READER_H
#define UM_IPC_FRAME_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"

/* There is nothing to release. */
struct um_frame_reader {
    uint8_t *bytes; /* the caller's */
    size_t cap_bytes;
    size_t begin; /* of the bytes that were not taken yet */
    size_t end;
    bool greeted;          /* the preamble was read */
    enum um_status status; /* UM_OK, or why the stream cannot be trusted any more */
};

/* Begins a stream. Owner: `bytes` stays the caller's and must outlive the reader.
 * Units: `cap_bytes` is at least UM_WIRE_MAX_BYTES, so that any frame fits. */
void um_frame_reader_init(struct um_frame_reader *reader, uint8_t *bytes, size_t cap_bytes);

/* Where the next bytes go, and how many may come: at least one after um_frame_reader_next has
 * answered UM_ERR_PARTIAL. Owner: valid until the next call of this function. */
uint8_t *um_frame_reader_room(struct um_frame_reader *reader, size_t *room_bytes);

/* Says that so many bytes were put into that room. */
void um_frame_reader_add(struct um_frame_reader *reader, size_t len_bytes);

/* Takes the next frame. What is behind a damaged place is thrown away as it comes, and the same
 * error is answered again.
 * Errors: UM_ERR_PARTIAL all whole frames were taken; UM_ERR_FORMAT, UM_ERR_TOO_LARGE,
 * UM_ERR_VERSION as um_wire_check_preamble and um_wire_decode, for good. */
enum um_status um_frame_reader_next(struct um_frame_reader *reader, struct um_wire_frame *frame);

#endif
