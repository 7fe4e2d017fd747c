/* The CSV log on a thread of its own, so that measuring never waits for a stream.
 *
 * Standard output may be a console in which somebody selects text, a pipe that nobody reads, a
 * share that has gone slow. Frames go into a bounded queue (frame_queue.h), and its thread makes
 * rows of them (csv.h). What does not fit is dropped, newest first, and counted. Portable; a reader
 * starts at um_csv_writer_output, which is on the monitor's hot path.
 */
#ifndef UM_MONITOR_CSV_WRITER_H
#define UM_MONITOR_CSV_WRITER_H

#include <stdint.h>
#include <stdio.h>

#include "ipc/status.h"
#include "monitor/feed/feed.h"
#include "monitor/feed/frame_queue.h"

#define UM_CSV_WRITER_QUEUE_BYTES UM_FRAME_QUEUE_BYTES

struct um_csv_writer;

/* Writes the header, within the call, and starts the thread.
 * Owner: the stream stays the caller's, who leaves it alone until um_csv_writer_close.
 * Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_csv_writer_open(FILE *file, struct um_csv_writer **writer);

/* The same for a file that has something in it. The thread opens and empties it only at the first
 * SESSION, so that its content is not lost when nothing can be measured; frames before that are
 * left out. `secret` as in um_output_open. Owner: the path must outlive the writer.
 * Errors: UM_ERR_MEMORY. A file that cannot be opened then is a write that fails. */
enum um_status um_csv_writer_open_late(const char *path, bool secret,
                                       struct um_csv_writer **writer);

/* The writer as an output of the feed: it locks for a copy and never waits for the stream. Frames
 * that find the queue full are lost. Owner: the writer stays the caller's. */
struct um_feed_output um_csv_writer_output(struct um_csv_writer *writer);

/* Writes what is queued and releases the writer; NULL is allowed. Thread: blocks for `limit_ns`.
 * Errors: UM_ERR_IO a write has failed; UM_ERR_TIMEOUT the stream did not take it all in that time:
 * nothing is released, and the stream is still in use. Call it again, or end the process without
 * exit(), which would wait for the stream. */
enum um_status um_csv_writer_close(struct um_csv_writer *writer, uint64_t limit_ns);

#endif
