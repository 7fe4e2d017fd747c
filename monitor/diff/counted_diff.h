/* What else was counted in two recordings: waits in the thread pool, messages and frames a second,
 * and the means of the counters that the target has of itself.
 *
 * A counter is the same in both if its provider, name and unit are. What was not measured on a side
 * is not known there, and is never 0. Numbers are those of these two sessions, without a verdict. A
 * reader starts at um_counted_diff_make. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_COUNTED_DIFF_H
#define UM_MONITOR_COUNTED_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "ipc/own_counters.h"
#include "monitor/json/json.h"
#include "monitor/recorded/recorded.h"

struct um_counted_diff_row {
    /* As the summary's JSON calls it, "rates.messages_per_s"; of a counter "PROVIDER/NAME". */
    char name[UM_OWN_COUNTERS_PATH_BYTES];
    char label[UM_WIRE_COUNTER_TEXT_BYTES]; /* for people */
    char unit[UM_OWN_COUNTERS_UNIT_BYTES];
    bool known[2]; /* before and after */
    double values[2];
};

/* Zeroed, it is empty. */
struct um_counted_diff {
    struct um_counted_diff_row *rows;
    size_t count, room;
    bool any; /* a row is known on both sides */
};

/* Compares two recordings. Owner: um_counted_diff_deinit, also after an error. Errors:
 * UM_ERR_MEMORY. */
enum um_status um_counted_diff_make(struct um_counted_diff *diff, const struct um_recorded *before,
                                    const struct um_recorded *after);

/* Accepts a zeroed one. */
void um_counted_diff_deinit(struct um_counted_diff *diff);

/* Writes the rows that are known on both sides, in 80 columns. Nothing, if there is none. */
void um_counted_diff_write_text(FILE *out, const struct um_counted_diff *diff);

/* Adds all rows as "counted". Nothing, if none is known on both sides. */
void um_counted_diff_write_json(struct um_json *json, struct cJSON *root,
                                const struct um_counted_diff *diff);

#endif
