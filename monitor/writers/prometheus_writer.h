/* --prometheus FILE: an output of the feed that keeps a file of Prometheus's text format up to date
 * (prometheus.h), on a thread of its own.
 *
 * The file is written when a TOTALS comes, which is once a second: if five seconds have passed, or
 * a freeze has begun or ended. It is written under another name and then takes the place of the old
 * one, so that nobody reads it half written. At the session's end the file is removed, because its
 * values no longer hold. A uimon that is killed leaves its file behind, and the next one removes it
 * when it begins. Meanwhile the collectors report when the file was written
 * (node_textfile_mtime_seconds, windows_textfile_mtime_seconds).
 *
 * Two uimons must not write the same file. So each holds a file beside it, FILE.lock, which
 * collectors do not read and which the system removes when the process ends.
 */
#ifndef UM_MONITOR_PROMETHEUS_WRITER_H
#define UM_MONITOR_PROMETHEUS_WRITER_H

#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/feed/feed.h"

struct um_prometheus_writer;

/* Removes an old file at the path and starts the thread. `host` is the name of the machine; it is
 * copied. Owner: um_prometheus_writer_close; `path` must outlive it. Errors: UM_ERR_MEMORY;
 * UM_ERR_BUSY another uimon writes this file; UM_ERR_EXISTS there is a FILE.lock that is not
 * uimon's; UM_ERR_IO the old file cannot be removed. */
enum um_status um_prometheus_writer_open(const char *path, const char *host,
                                         struct um_prometheus_writer **writer);

/* The writer as an output of the feed. Owner: the writer stays the caller's. */
struct um_feed_output um_prometheus_writer_output(struct um_prometheus_writer *writer);

/* Whether the file is being written. Errors: UM_ERR_IO it could not be written for the last three
 * times, and the old file was removed. Thread: any; never blocks. */
enum um_status um_prometheus_writer_status(struct um_prometheus_writer *writer);

/* Removes the file and releases the writer; NULL is allowed. Thread: blocks for `limit_ns`.
 * Errors: UM_ERR_IO as um_prometheus_writer_status; UM_ERR_TIMEOUT the disk did not answer in that
 * time, and nothing is released. */
enum um_status um_prometheus_writer_close(struct um_prometheus_writer *writer, uint64_t limit_ns);

#endif
