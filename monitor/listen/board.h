/* The table of `uimon listen` on a terminal: counters in place, and the latest events below. Each
 * drawing writes over the last one, by the control sequences that terminals and Windows' console
 * have for that (ECMA-48: CUU, EL). Portable; not on the hot path.
 */
#ifndef UM_MONITOR_BOARD_H
#define UM_MONITOR_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "monitor/listen/counters.h"
#include "monitor/listen/lines.h"

#define UM_BOARD_EVENTS 10

/* A zeroed struct is empty; there is nothing to release. */
struct um_board {
    struct um_counters_interval interval; /* the latest one, without its targets: */
    struct um_counters_target targets[UM_WIRE_COUNTERS];
    bool has_interval;
    size_t event_count; /* of all time */
    char events[UM_BOARD_EVENTS][UM_LINES_EVENT_BYTES];
    size_t lines; /* that the last drawing took */
};

void um_board_interval(struct um_board *board, const struct um_counters_interval *interval);
void um_board_event(struct um_board *board, const struct um_lines_about *about,
                    const struct um_counters_event *event);

/* Draws in at most so many columns and rows, and leaves the cursor below: a drawing that is higher
 * than its terminal could not be written over. 0 rows: as many as it takes. */
void um_board_draw(struct um_board *board, FILE *out, const struct um_lines_about *about,
                   size_t columns, size_t rows);

#endif
