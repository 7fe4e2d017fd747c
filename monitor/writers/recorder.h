/* --record FILE: an output of the feed that writes it to a file, on a thread of its own.
 *
 * Frames go into a bounded queue (frame_queue.h). Its thread makes blocks of them (recording.h) and
 * gives them to the system at least once a second. So a killed process loses the last second at
 * most. If the system itself stops, more may be lost: uimon does not wait for the disk, which would
 * slow down the machine that is measured. When a write fails, recording stops and the
 * file stays readable up to its last whole block; measuring goes on.
 *
 * The file is made, or emptied, at the first SESSION, when there is something to record. So an
 * earlier recording of that name is not lost when the target cannot be watched.
 *
 * A STATUS is recorded when it has news: while the target is neither responsive nor idle, at a
 * change of state, when `lost` has changed, while a beat has waited for over 20 ms, and one each
 * 10 s. At 100 beats/s a day of work is 3 KB/s, under 100 MB in 8 hours: 24 bytes a beat, 156 a
 * second for TOTALS. Where many STATUS are recorded, there are few beats.
 */
#ifndef UM_MONITOR_RECORDER_H
#define UM_MONITOR_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/feed/feed.h"

struct um_recorder;

/* Checks that the file can be written, without changing it, and starts the thread. That begins the
 * file with `header` when the first SESSION comes. With `secret` the file is its owner's alone, and
 * nobody can open it meanwhile. `error` gets the line to print, without a newline.
 * Owner: um_recorder_close; `path` must outlive it. Errors: UM_ERR_IO the file cannot be written;
 * UM_ERR_MEMORY. */
enum um_status um_recorder_open(const char *path, bool secret,
                                const struct um_wire_recording *header,
                                struct um_recorder **recorder, char *error, size_t cap_bytes);

/* The recorder as an output of the feed. Frames that find the queue full are lost; none are counted
 * once recording has stopped. Owner: the recorder stays the caller's. */
struct um_feed_output um_recorder_output(struct um_recorder *recorder);

/* UM_OK as long as no write has failed. Thread: any; never blocks.
 * Errors: UM_ERR_IO recording has stopped for good, because the file could not be made after all or
 * a write failed. */
enum um_status um_recorder_status(struct um_recorder *recorder);

/* Why it has stopped, as the end of a sentence: "the disk is full". "" while it has not.
 * Owner: static text. Thread: any; never blocks. */
const char *um_recorder_reason(struct um_recorder *recorder);

/* Writes what is queued, closes the file and releases the recorder; NULL is allowed. Thread: blocks
 * for `limit_ns`. Errors: UM_ERR_IO a write has failed; UM_ERR_TIMEOUT the disk did not take it all
 * in that time: nothing is released, and the file is still in use. Call it again, or end the
 * process without exit(), which would wait for the file. */
enum um_status um_recorder_close(struct um_recorder *recorder, uint64_t limit_ns);

#endif
