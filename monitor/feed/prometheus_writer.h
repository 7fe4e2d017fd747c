/* --prometheus FILE: an output of the feed that keeps a file of Prometheus's text format up to date
 * (prometheus.h), on a thread of its own.
 *
 * The file is written anew with a TOTALS, which comes once a second: five seconds after the last
 * time, or as soon as a freeze has begun or ended. It is written under another name and takes the
 * place of the old one, so that nobody reads a part of it. When the session ends the file is
 * removed, because nothing in it holds any more; one that an earlier uimon has left because it was
 * killed is removed at the beginning. A writer that is killed leaves its file behind: the
 * collectors tell when a file was written (node_textfile_mtime_seconds,
 * windows_textfile_mtime_seconds).
 *
 * Two that wrote the same file would take turns in it. So each holds a file beside it, FILE.lock,
 * which collectors do not read and which goes with its process.
 */
#ifndef UM_MONITOR_PROMETHEUS_WRITER_H
#define UM_MONITOR_PROMETHEUS_WRITER_H

#include <stdint.h>

#include "ipc/status.h"
#include "monitor/feed/feed.h"

struct um_prometheus_writer;

/* Removes what is at the path and starts the thread. `host` is the name of the machine; it is
 * copied. Owner: um_prometheus_writer_close; `path` must outlive it. Errors: UM_ERR_MEMORY;
 * UM_ERR_BUSY another uimon writes this file; UM_ERR_EXISTS there is a FILE.lock that is not
 * uimon's; UM_ERR_IO what is there cannot be removed. */
enum um_status um_prometheus_writer_open(const char *path, const char *host,
                                         struct um_prometheus_writer **writer);

/* The writer as an output of the feed. Owner: the writer stays the caller's. */
struct um_feed_output um_prometheus_writer_output(struct um_prometheus_writer *writer);

/* Errors: UM_ERR_IO the file could not be written for the last three times; an old one was removed.
 * Thread: any; never blocks. */
enum um_status um_prometheus_writer_status(struct um_prometheus_writer *writer);

/* Removes the file and releases the writer; NULL is allowed. Thread: blocks for `limit_ns`.
 * Errors: UM_ERR_IO as um_prometheus_writer_status; UM_ERR_TIMEOUT the disk did not answer in that
 * time, and nothing is released. */
enum um_status um_prometheus_writer_close(struct um_prometheus_writer *writer, uint64_t limit_ns);

#endif
