/* Recordings on disk: the feed's own frames in checksummed blocks. This header is the format's
 * specification; a reader starts at um_recording_next.
 *
 * A file is a header and then blocks, one after the other. Everything is little-endian; numbers
 * before a field are its offset in bytes.
 *
 *   header    0 u8[8] magic: 0x89 'U' 'M' 'R' 0x0d 0x0a 0x1a 0x0a    8 u16 version (1)
 *             10 u16 flags (0, else refused)    12 u32 CRC-32 of the 12 bytes before it
 *   block     0 u32 magic "UMBK" (0x4b424d55)    4 u32 payload length (1 to 65536)    8 u32 number
 *             (from 0, each one more than the last)    12 u32 CRC-32 of the 12 bytes before it and
 *             of the payload    16 payload
 *
 * The magic is made as PNG's is: a transfer that strips the high bit or translates line ends
 * changes it, so that the damage is seen. Later versions keep these 16 bytes, so that an old
 * program can say what it cannot read. A payload is whole frames (ipc/wire.h) and never a part of
 * one. The first frame is RECORDING, the next SESSION, the last END: a recording without END was
 * cut off, because the program was killed or the disk was full. A type that a reader does not know
 * is skipped.
 *
 * All frames of the feed are recorded, but of STATUS only those that have something that is in no
 * other frame: monitor/writers/recorder.h lists them.
 *
 * A file is read as far as it is whole: a block that is cut off or damaged ends it, and nothing of
 * that block is used. If the file grows, um_recording_go_on reads what is new. The checksum is that
 * of base/crc32.h.
 */
#ifndef UM_MONITOR_RECORDING_H
#define UM_MONITOR_RECORDING_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"

#define UM_RECORDING_VERSION 1
#define UM_RECORDING_HEADER_BYTES 16
#define UM_RECORDING_BLOCK_MAGIC UINT32_C(0x4b424d55)
#define UM_RECORDING_BLOCK_HEADER_BYTES 16
#define UM_RECORDING_MAX_PAYLOAD (64 * 1024)
#define UM_RECORDING_ERROR_BYTES 512 /* size of a buffer for an error line */

/* Writes the file's header. Units: `buf` has UM_RECORDING_HEADER_BYTES. */
void um_recording_put_header(uint8_t *buf);

/* A block that is being filled. A zeroed struct is the first one, empty. */
struct um_recording_block {
    uint32_t number;
    uint32_t payload_bytes;
    uint8_t bytes[UM_RECORDING_BLOCK_HEADER_BYTES + UM_RECORDING_MAX_PAYLOAD];
};

/* Adds a frame. Errors: UM_ERR_TOO_LARGE it does not fit any more: finish the block first;
 * UM_ERR_ARG as um_wire_encode. */
enum um_status um_recording_add(struct um_recording_block *block,
                                const struct um_wire_frame *frame);

/* Adds whole frames as they were encoded. Errors: UM_ERR_TOO_LARGE as above. */
enum um_status um_recording_add_bytes(struct um_recording_block *block, const uint8_t *frames,
                                      size_t len_bytes);

/* Writes the block's header and returns how many of `bytes` go to the file: 0 for an empty one. */
size_t um_recording_finish(struct um_recording_block *block);

/* Begins the next block, empty, and wipes what was in the last one. */
void um_recording_begin(struct um_recording_block *block);

struct um_recording;

/* Opens a file and checks its header and that its first frame is RECORDING, which
 * um_recording_next returns first. `error` gets the line to print, without a newline.
 * Owner: um_recording_close. Thread: one; blocks for the disk.
 * Errors: UM_ERR_NOT_FOUND there is no such file; UM_ERR_IO it cannot be read, or is a folder;
 * UM_ERR_FORMAT it is no recording, or damaged before there is anything to read; UM_ERR_PARTIAL cut
 * off there; UM_ERR_VERSION of a later version; UM_ERR_MEMORY. */
enum um_status um_recording_open(const char *path, struct um_recording **out, char *error,
                                 size_t cap_bytes);

/* The same for a file that is in memory. `name` is what error lines call it.
 * Owner: both must outlive the reader. */
enum um_status um_recording_open_memory(const uint8_t *bytes, size_t len_bytes, const char *name,
                                        struct um_recording **out, char *error, size_t cap_bytes);

/* Reads the next frame, and skips unknown types. After anything but UM_OK nothing follows, and each
 * further call returns the same.
 * Errors: UM_ERR_CLOSED the end of the file, after a whole block; UM_ERR_PARTIAL the last block is
 * cut off; UM_ERR_FORMAT a block is damaged, or out of its order; UM_ERR_IO the disk has failed. */
enum um_status um_recording_next(struct um_recording *recording, struct um_wire_frame *frame);

/* Where the block of the last frame begins, or the block at which reading ended. Units: bytes from
 * the file's start. */
uint64_t um_recording_offset(const struct um_recording *recording);

/* The line to print about how reading ended, without a newline. `status` is what um_recording_next
 * returned; or UM_OK for a whole recording in which nothing was measured, UM_ERR_CLOSED for one
 * without END, UM_ERR_TOO_LARGE for one with an impossible time, UM_ERR_MEMORY. */
void um_recording_problem(const struct um_recording *recording, enum um_status status, char *error,
                          size_t cap_bytes);

/* Goes back to before the first frame. Errors: UM_ERR_IO. */
enum um_status um_recording_rewind(struct um_recording *recording);

/* Closes the file at whose end reading has arrived, so that others may remove it or begin it anew.
 * Only um_recording_go_on reads on after that. */
void um_recording_let_go(struct um_recording *recording);

/* Opens the file again, at the place that reading has come to, if it has ended there with
 * UM_ERR_CLOSED or UM_ERR_PARTIAL: um_recording_next then returns the frames that the file has
 * grown by, if it has. Nothing is read twice, not even of a block that was cut off. Not for one in
 * memory. Errors: UM_ERR_NOT_FOUND; UM_ERR_IO; UM_ERR_FORMAT the file is shorter than what was
 * read, so it is another one; or another error that um_recording_next has ended with. */
enum um_status um_recording_go_on(struct um_recording *recording, const char *path);

/* Releases the reader and closes the file. NULL is allowed. */
void um_recording_close(struct um_recording *recording);

#endif
