/* A recording that is being written to disk: frames go into blocks (recording.h), and blocks into
 * the file. When a write fails, nothing more is written, and the file stays readable up to its last
 * whole block.
 *
 * Not on the hot path: it waits for the disk, so it is used on threads that may. A reader starts at
 * um_recording_file_open.
 */
#ifndef UM_MONITOR_RECORDING_FILE_H
#define UM_MONITOR_RECORDING_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ipc/wire.h"
#include "monitor/feed/recording.h"

/* A zeroed struct has no file yet, and takes frames all the same until its block is full. */
struct um_recording_file {
    _Atomic int trouble; /* why nothing more is written; 0: it is. See um_recording_file_reason */
    FILE *file;
    struct um_recording_block block;
};

/* Makes the file, or empties it, and begins it with `header`, a RECORDING. `secret` as in
 * um_output_open.
 * Owner: um_recording_file_close, also after a failure, which um_recording_file_ok tells. */
void um_recording_file_open(struct um_recording_file *file, const char *path, bool secret,
                            const struct um_wire_frame *header);

/* Whether it was opened, or that has failed. */
bool um_recording_file_begun(const struct um_recording_file *file);

/* Adds whole frames as they were encoded. Units: at most UM_RECORDING_MAX_PAYLOAD. */
void um_recording_file_add(struct um_recording_file *file, const uint8_t *frames, size_t len_bytes);

/* Gives the system what was added. */
void um_recording_file_flush(struct um_recording_file *file);

/* Flushes and closes. */
void um_recording_file_close(struct um_recording_file *file);

/* Whether all that was written has arrived. Thread: any. */
bool um_recording_file_ok(const struct um_recording_file *file);

/* Why it has not, as the end of a sentence: "the disk is full". "" where it has.
 * Owner: static text. Thread: any. */
const char *um_recording_file_reason(const struct um_recording_file *file);

#endif
