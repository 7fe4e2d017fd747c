/* The rows that the overlay can show beside its graph, and the list of them in `--show`:
 * "lag,threadpool". The monitor checks such a list and passes it on, and the overlay draws the
 * rows. A row has a short name, and the names of the metrics that it shows. To add a row, add it to
 * the enum, its names to overlay_rows.c, and what it shows to overlay/readings.c. A name with a
 * slash is that of a counter that the target has of itself, "System.Runtime/cpu-usage". Nobody
 * knows which there are before the target has told of them.
 *
 * Pure; not on the hot path.
 */
#ifndef UM_METRICS_OVERLAY_ROWS_H
#define UM_METRICS_OVERLAY_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "metrics/metrics.h"

enum um_overlay_row {
    UM_OVERLAY_ROWS_LAG,
    UM_OVERLAY_ROWS_LATENCY,
    UM_OVERLAY_ROWS_HANGS,
    UM_OVERLAY_ROWS_TYPING,
    UM_OVERLAY_ROWS_CLICK,
    UM_OVERLAY_ROWS_THREADPOOL,
    UM_OVERLAY_ROWS_FRAME_RATE,
    UM_OVERLAY_ROWS_MESSAGE_RATE,
    UM_OVERLAY_ROWS_BEATS_LOST,
    UM_OVERLAY_ROWS_COST,
    UM_OVERLAY_ROWS_COUNT, /* and from here on the counters of a list */
    UM_OVERLAY_ROWS_MOST = UM_OVERLAY_ROWS_COUNT + 8
};

#define UM_OVERLAY_ROWS_COUNTERS (UM_OVERLAY_ROWS_MOST - UM_OVERLAY_ROWS_COUNT)
#define UM_OVERLAY_ROWS_COUNTER_BYTES (2 * UM_WIRE_COUNTER_TEXT_BYTES)

struct um_overlay_rows_names {
    const char *name;
    int count;
    enum um_metrics_id metrics[2]; /* that it shows; their names stand for the row too */
};

/* One for each enum um_overlay_row. */
extern const struct um_overlay_rows_names um_overlay_rows_list[UM_OVERLAY_ROWS_COUNT];

/* Which rows, from top to bottom. A zeroed struct has none. */
struct um_overlay_rows {
    int count;
    enum um_overlay_row row[UM_OVERLAY_ROWS_MOST];
    int counter_count;
    /* "PROVIDER/NAME" of the rows from UM_OVERLAY_ROWS_COUNT on, as they are in the list. */
    char counters[UM_OVERLAY_ROWS_COUNTERS][UM_OVERLAY_ROWS_COUNTER_BYTES];
};

/* Reads names with commas between them; "all" is every row but counters of the target, "none" and
 * NULL are no row, and a row that comes again stays where it was. False, with `rows` untouched, for
 * a name that no row has, or a counter for which there is no room: `*wrong` and `*len_bytes` are
 * then that part of the list. */
bool um_overlay_rows_parse(const char *list, struct um_overlay_rows *rows, const char **wrong,
                           size_t *len_bytes);

/* Whether a row is among them. */
bool um_overlay_rows_has(const struct um_overlay_rows *rows, enum um_overlay_row row);

#endif
