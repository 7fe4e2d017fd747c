/* The table of `uimon listen --all` on a terminal: a row for each program that is watched, and the
 * latest events of all of them below. It is drawn in place, as monitor/listen/board.h is. Portable;
 * not on the hot path.
 */
#ifndef UM_MONITOR_OVERVIEW_H
#define UM_MONITOR_OVERVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "monitor/listen/counters.h"
#include "monitor/listen/lines.h"

#define UM_OVERVIEW_ROWS 20 /* where there are more, a line says so */
#define UM_OVERVIEW_EVENTS 10

struct um_overview_row {
    uint32_t pid; /* of the target */
    uint32_t monitor_pid;
    char name[128];
    struct um_counters_interval interval; /* the latest one */
    uint64_t hangs;                       /* that were detected since listening began */
};

/* A zeroed struct is empty; there is nothing to release. */
struct um_overview {
    struct um_overview_row rows[UM_OVERVIEW_ROWS];
    size_t row_count;
    bool more;          /* there was no row for a program since the last drawing */
    size_t event_count; /* of all time */
    char events[UM_OVERVIEW_EVENTS][UM_LINES_EVENT_BYTES];
    size_t lines; /* that the last drawing took */
};

void um_overview_interval(struct um_overview *overview, const struct um_lines_about *about,
                          const struct um_counters_interval *interval);
void um_overview_event(struct um_overview *overview, const struct um_lines_about *about,
                       const struct um_counters_event *event);

/* The feed of a program is over. */
void um_overview_end(struct um_overview *overview, const struct um_lines_about *about);

/* Draws in at most so many columns, and leaves the cursor below. */
void um_overview_draw(struct um_overview *overview, FILE *out, size_t columns);

#endif
