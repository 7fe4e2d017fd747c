/* The table of `uimon listen` without a target on a terminal: a row for each program that is
 * watched, and the latest events of all of them below. It is drawn in place, as
 * monitor/listen/live_table.h is. Portable; not on the hot path.
 */
#ifndef UM_MONITOR_OVERVIEW_H
#define UM_MONITOR_OVERVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "monitor/listen/counters.h"
#include "monitor/listen/lines.h"

#define UM_OVERVIEW_ROWS 20 /* if there are more programs, a line says so */
#define UM_OVERVIEW_EVENTS 10

struct um_overview_row {
    uint32_t pid; /* of the target */
    uint32_t monitor_pid;
    char name[128];
    struct um_counters_interval interval; /* the latest one */
    uint64_t hangs;                       /* how many were detected since listening began */
};

/* A zeroed struct is empty; there is nothing to release. */
struct um_overview {
    struct um_overview_row rows[UM_OVERVIEW_ROWS];
    size_t row_count;
    bool more;          /* some program has no row */
    size_t event_count; /* of all events so far */
    char events[UM_OVERVIEW_EVENTS][UM_LINES_EVENT_BYTES];
    size_t lines; /* height of the last drawing */
};

void um_overview_interval(struct um_overview *overview, const struct um_lines_about *about,
                          const struct um_counters_interval *interval);
void um_overview_event(struct um_overview *overview, const struct um_lines_about *about,
                       const struct um_counters_event *event);

/* Removes the row of a program whose feed is over. */
void um_overview_end(struct um_overview *overview, const struct um_lines_about *about);

/* Draws in at most so many columns, and leaves the cursor below. */
void um_overview_draw(struct um_overview *overview, FILE *out, size_t columns);

#endif
