/* What watching writes while it lasts: the CSV, the recording, the file for Prometheus, and what
 * the flight recorder saves. Not on the hot path; the feed's outputs are.
 *
 * Used in this order: um_watch_outputs_open before watching begins, so that an hour of measuring is
 * not lost to a mistyped folder; um_watch_outputs_list for um_watch_open; um_watch_outputs_trouble
 * while it lasts; um_watch_outputs_saved after um_watch_finish; um_watch_outputs_close after
 * um_watch_close.
 */
#ifndef UM_MONITOR_WATCH_OUTPUTS_H
#define UM_MONITOR_WATCH_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "monitor/feed/csv_writer.h"
#include "monitor/feed/feed.h"
#include "monitor/feed/flight.h"
#include "monitor/feed/prometheus_writer.h"
#include "monitor/feed/recorder.h"
#include "monitor/options/options.h"
#include "monitor/stats/summary.h"

/* A zeroed struct has nothing open. */
struct um_watch_outputs {
    const struct um_options *options;
    FILE *csv; /* NULL: none, or `rows` opens it */
    struct um_csv_writer *rows;
    struct um_recorder *recorder;
    bool told; /* that the recording has stopped */
    struct um_prometheus_writer *prometheus;
    bool prometheus_told; /* that its file cannot be written */
    struct um_flight *flight;
    struct um_summary_bundle *bundles; /* what it has saved; NULL: not known yet */
};

/* Checks every file that results go to, --json included, before it touches one, and opens those
 * that are written while watching. What is in them stays until there is something to measure; a CSV
 * that has nothing in it gets its header at once, which tells of a full disk. `error` gets the line
 * to print. What an earlier uimon has left for Prometheus is removed, because it holds no more.
 * Owner: um_watch_outputs_close, also after a failure; the options must outlive it.
 * Errors: UM_ERR_IO; UM_ERR_MEMORY. */
enum um_status um_watch_outputs_open(const struct um_options *options,
                                     struct um_watch_outputs *outputs, char *error,
                                     size_t cap_bytes);

/* Lists what is open as outputs of the feed and returns how many there are.
 * Units: `list` has UM_FEED_OUTPUT_MAX. */
size_t um_watch_outputs_list(struct um_watch_outputs *outputs, struct um_feed_output *list);

/* A line to say now: something cannot be written any more while measuring goes on, or a freeze is
 * being saved. False if there is none.
 * Units: `line` has UM_FLIGHT_LINE_BYTES. */
bool um_watch_outputs_trouble(struct um_watch_outputs *outputs, char *line, size_t cap_bytes);

/* Lists what the flight recorder has saved, once no frames come any more. There may be more lines
 * then. Thread: waits for the pages of the last freezes. */
void um_watch_outputs_saved(struct um_watch_outputs *outputs, struct um_summary *summary);

/* Writes what is left and closes. False, with lines on stderr, if something did not arrive;
 * `*stuck` then says whether a stream takes nothing any more, so that exit() would wait for it for
 * ever. */
bool um_watch_outputs_close(struct um_watch_outputs *outputs, bool *stuck);

#endif
