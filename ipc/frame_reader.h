/* Splits a stream of bytes, which arrive in pieces of any size, into frames.
 *
 * To read a pipe: read bytes into um_frame_reader_room, pass their number to um_frame_reader_add,
 * and take frames with um_frame_reader_next until it returns UM_ERR_PARTIAL. The preamble is
 * checked. On the hot path: allocates nothing, copies no more than a part of a frame. Freestanding,
 * so that the hook DLL can use it without a C library.
 */
#ifndef UM_IPC_FRAME_READER_H
#define UM_IPC_FRAME_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
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

/* Where the next bytes go, and how many there may be: at least one after um_frame_reader_next has
 * returned UM_ERR_PARTIAL. Owner: valid until the next call of this function. */
uint8_t *um_frame_reader_room(struct um_frame_reader *reader, size_t *room_bytes);

/* Adds the bytes that were put into that room. */
void um_frame_reader_add(struct um_frame_reader *reader, size_t len_bytes);

/* Takes the next frame. After an error other than UM_ERR_PARTIAL all further bytes are discarded,
 * and each call returns the same error.
 * Errors: UM_ERR_PARTIAL all whole frames were taken; UM_ERR_FORMAT, UM_ERR_TOO_LARGE,
 * UM_ERR_VERSION as um_wire_check_preamble and um_wire_decode, for good. */
enum um_status um_frame_reader_next(struct um_frame_reader *reader, struct um_wire_frame *frame);

#endif
