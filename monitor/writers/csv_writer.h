/* The CSV log on a thread of its own, so that measuring never waits for a stream.
 *
 * A stream may be slow: a console in which somebody selects text, a pipe that nobody reads, a share
 * on a network. Frames go into a bounded queue (frame_queue.h), and its thread makes rows of them
 * (csv.h). Portable; a reader starts at um_csv_writer_output, which is on the monitor's hot path.
 */
#ifndef UM_MONITOR_CSV_WRITER_H
#define UM_MONITOR_CSV_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/feed/feed.h"

struct um_csv_writer;

/* Opens and empties the file, writes the header, and starts the thread. If the file has content,
 * the thread opens and empties it at the first SESSION, so that the old content stays if nothing
 * can be measured; frames before that are left out. `secret` as in um_output_open; "-" is
 * standard output. Owner: um_csv_writer_close; the path must outlive the writer. Errors:
 * UM_ERR_MEMORY; UM_ERR_IO. That a file with content cannot be opened counts as a write that has
 * failed. */
enum um_status um_csv_writer_open(const char *path, bool secret, struct um_csv_writer **writer);

/* The writer as an output of the feed. Owner: the writer stays the caller's. */
struct um_feed_output um_csv_writer_output(struct um_csv_writer *writer);

/* UM_OK while all rows could be written. Errors: UM_ERR_IO, UM_ERR_MEMORY: what comes is left out.
 * Thread: any. */
enum um_status um_csv_writer_status(const struct um_csv_writer *writer);

/* Writes what is queued and releases the writer; NULL is allowed. Thread: blocks for `limit_ns`.
 * Errors: UM_ERR_IO a write has failed; UM_ERR_TIMEOUT the stream did not take it all in that time:
 * nothing is released, and the stream is still in use. Call it again, or end the process without
 * exit(), which would wait for the stream. */
enum um_status um_csv_writer_close(struct um_csv_writer *writer, uint64_t limit_ns);

#endif
