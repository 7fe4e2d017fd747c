/* The files that watching writes while it lasts: the CSV, the recording, the file for Prometheus,
 * and what the flight recorder saves. Not on the hot path; the feed's outputs are.
 *
 * Used in this order: um_watch_files_open before watching begins, so that an hour of measuring is
 * not lost to a mistyped folder; um_watch_files_outputs for um_watch_open; um_watch_files_trouble
 * while it lasts; um_watch_files_saved after um_watch_finish; um_watch_files_close after
 * um_watch_close.
 */
#ifndef UM_MONITOR_WATCH_FILES_H
#define UM_MONITOR_WATCH_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "monitor/writers/csv_writer.h"
#include "monitor/feed/feed.h"
#include "monitor/writers/flight.h"
#include "monitor/writers/prometheus_writer.h"
#include "monitor/writers/recorder.h"
#include "monitor/options/options.h"
#include "monitor/stats/summary.h"

/* A zeroed struct has nothing open. */
struct um_watch_files {
    const struct um_options *options;
    struct um_csv_writer *rows;
    bool rows_said; /* a line has said that the CSV has stopped */
    bool is_over;   /* the reader of standard output has left: watching ends */
    struct um_recorder *recorder;
    bool record_said; /* a line has said that the recording has stopped */
    struct um_prometheus_writer *prometheus;
    bool prometheus_said; /* a line has said that its file cannot be written */
    struct um_flight *flight;
    struct um_summary_bundle *bundles; /* what the flight recorder has saved; NULL: not known yet */
};

/* Checks every file that results go to, --json included, before it touches one, and opens those
 * that are written while watching. Old contents stay until there is something to measure. An empty
 * CSV gets its header at once, so that a full disk is noticed early. An earlier uimon's file for
 * Prometheus is removed, because its values are old. `error` gets the line to print.
 * Owner: um_watch_files_close, also after a failure; the options must outlive it.
 * Errors: UM_ERR_IO; UM_ERR_MEMORY. */
enum um_status um_watch_files_open(const struct um_options *options, struct um_watch_files *files,
                                   char *error, size_t cap_bytes);

/* Lists what is open as outputs of the feed and returns how many there are.
 * Units: `list` has UM_FEED_OUTPUT_MAX. */
size_t um_watch_files_outputs(struct um_watch_files *files, struct um_feed_output *list);

/* The next line for the console: something cannot be written any more, or a freeze is being saved.
 * False if there is none. Sets `is_over` where standard output cannot be written any more.
 * Units: `line` has UM_LINE_QUEUE_BYTES. */
bool um_watch_files_trouble(struct um_watch_files *outputs, char *line, size_t cap_bytes);

/* Lists what the flight recorder has saved, once no frames come any more. There may be more lines
 * then. Thread: waits for the pages of the last freezes. */
void um_watch_files_saved(struct um_watch_files *files, struct um_summary *summary);

/* Writes what is left and closes. False, with lines on stderr, if something could not be written.
 * `*stuck` becomes true if a write still blocks: exit() would wait for that stream for ever. */
bool um_watch_files_close(struct um_watch_files *files, bool *stuck);

#endif
