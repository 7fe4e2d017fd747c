/* Makes recordings in memory for tests of what reads them: block by block, whole or spoilt.
 * Header-only, so that a test program of one file can use it.
 */
#ifndef UM_TESTS_RECORDING_FILE_H
#define UM_TESTS_RECORDING_FILE_H

#include <stdlib.h>
#include <string.h>

#include "base/plain/text.h"
#include "monitor/recording/recording.h"

/* A zeroed struct is an empty file. */
struct recording_file {
    uint8_t *bytes;
    size_t len;
    size_t cap;
    struct um_recording_block block;
};

static inline void recording_file_bytes(struct recording_file *file, const void *bytes, size_t len)
{
    while (file->cap - file->len < len) {
        file->cap = file->cap == 0 ? 4096 : file->cap * 2;
        file->bytes = realloc(file->bytes, file->cap);
    }
    if (len > 0)
        memcpy(file->bytes + file->len, bytes, len);
    file->len += len;
}

/* Ends the present block. */
static inline void recording_file_cut(struct recording_file *file)
{
    size_t len = um_recording_finish(&file->block);
    if (len == 0)
        return;
    recording_file_bytes(file, file->block.bytes, len);
    um_recording_begin(&file->block);
}

static inline void recording_file_put(struct recording_file *file,
                                      const struct um_wire_frame *frame)
{
    if (um_recording_add(&file->block, frame) != UM_ERR_TOO_LARGE)
        return;
    recording_file_cut(file);
    um_recording_add(&file->block, frame);
}

/* A block of any payload, with the right number, length and checksum. */
static inline void recording_file_payload(struct recording_file *file, const uint8_t *bytes,
                                          size_t len)
{
    recording_file_cut(file);
    memcpy(file->block.bytes + UM_RECORDING_BLOCK_HEADER_BYTES, bytes, len);
    file->block.payload_bytes = (uint32_t)len;
    recording_file_cut(file);
}

/* The file's header, and RECORDING in a block of its own. */
static inline void recording_file_begin(struct recording_file *file)
{
    struct um_wire_frame frame = {.type = UM_WIRE_RECORDING};
    uint8_t header[UM_RECORDING_HEADER_BYTES];

    um_recording_put_header(header);
    recording_file_bytes(file, header, sizeof header);
    frame.as.recording.utc_ms = 1795000000123;
    um_text_set(frame.as.recording.version, sizeof frame.as.recording.version, "0.1.0");
    recording_file_put(file, &frame);
    recording_file_cut(file);
}

static inline void recording_file_free(struct recording_file *file)
{
    free(file->bytes);
    memset(file, 0, sizeof *file);
}

#endif
