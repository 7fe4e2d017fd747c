/* Draws the table of `uimon listen` on a terminal: a line for each counter, and below the latest
 * events. Each drawing writes over the last one, by control sequences of terminals and of Windows'
 * console (ECMA-48: CUU, EL). Portable; not on the hot path.
 */
#ifndef UM_MONITOR_LIVE_TABLE_H
#define UM_MONITOR_LIVE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "monitor/listen/counters.h"
#include "monitor/listen/lines.h"

#define UM_LIVE_TABLE_EVENTS 10
#define UM_LIVE_TABLE_LINE_BYTES 1024

/* A zeroed struct is empty; there is nothing to release. */
struct um_live_table {
    struct um_counters_interval interval; /* the latest one; its targets are in: */
    struct um_counters_target targets[UM_COUNTERS_TARGETS];
    bool has_interval;
    size_t event_count; /* of all events so far */
    char events[UM_LIVE_TABLE_EVENTS][UM_LINES_EVENT_BYTES];
    size_t lines; /* height of the last drawing */
};

void um_live_table_interval(struct um_live_table *board,
                            const struct um_counters_interval *interval);
void um_live_table_event(struct um_live_table *board, const struct um_lines_about *about,
                         const struct um_counters_event *event);

/* Draws in at most so many columns and rows, and leaves the cursor below. A drawing that is higher
 * than its terminal could not be written over. 0 rows: no limit. */
void um_live_table_draw(struct um_live_table *board, FILE *out, const struct um_lines_about *about,
                        size_t columns, size_t rows);

/* Writes one line of a drawing, cut to its columns. */
void um_live_table_put_line(FILE *out, const char *line, size_t columns);

/* Formats a number with so many decimals, or "-" if it is not known. */
void um_live_table_number(char *text, size_t cap_bytes, bool known, double number, int decimals);

#endif
