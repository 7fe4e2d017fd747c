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
#include "monitor/recording/recording.h"

/* A zeroed struct has no file yet. It already takes frames, until its block is full. */
struct um_recording_file {
    _Atomic int trouble; /* why nothing more is written; 0: no write has failed */
    FILE *file;
    struct um_recording_block block;
};

/* Makes the file, or empties it, and begins it with `header`, a RECORDING. `secret` as in
 * um_output_open.
 * Owner: um_recording_file_close, also after a failure; um_recording_file_ok says whether it
 * failed. */
void um_recording_file_open(struct um_recording_file *file, const char *path, bool secret,
                            const struct um_wire_frame *header);

/* Whether um_recording_file_open was called. */
bool um_recording_file_begun(const struct um_recording_file *file);

/* Adds whole frames as they were encoded. Units: at most UM_RECORDING_MAX_PAYLOAD. */
void um_recording_file_add(struct um_recording_file *file, const uint8_t *frames, size_t len_bytes);

/* Writes the added frames to the system. */
void um_recording_file_flush(struct um_recording_file *file);

/* Flushes and closes. */
void um_recording_file_close(struct um_recording_file *file);

/* Whether no write has failed. Thread: any. */
bool um_recording_file_ok(const struct um_recording_file *file);

/* Why a write has failed, as the end of a sentence: "the disk is full"; "": none has.
 * Owner: static text. Thread: any. */
const char *um_recording_file_reason(const struct um_recording_file *file);

#endif
