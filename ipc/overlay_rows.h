/* The rows that the overlay can show beside its graph, and a list of them as `--show` has it:
 * "lag,threadpool". The monitor checks such a list and hands it on, the overlay draws it. A row is
 * called by a short name, or by the name that its counter has in `uimon listen`. To add a row, add
 * its place to the enum, its names to overlay_rows.c, and what it shows to overlay/readings.c.
 *
 * Pure; not on the hot path.
 */
#ifndef UM_IPC_OVERLAY_ROWS_H
#define UM_IPC_OVERLAY_ROWS_H

#include <stdbool.h>
#include <stddef.h>

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
    UM_OVERLAY_ROWS_COUNT
};

#define UM_OVERLAY_ROWS_COUNTERS 2 /* of one row, at most */

struct um_overlay_rows_names {
    const char *name;
    const char *counters[UM_OVERLAY_ROWS_COUNTERS]; /* of `uimon listen`; NULL: no more */
};

/* One for each enum um_overlay_row. */
extern const struct um_overlay_rows_names um_overlay_rows_list[UM_OVERLAY_ROWS_COUNT];

/* Which rows, from top to bottom. A zeroed struct has none. */
struct um_overlay_rows {
    int count;
    enum um_overlay_row row[UM_OVERLAY_ROWS_COUNT];
};

/* Reads names with commas between them; "all" is every row, "none" and NULL are no row, and a row
 * that comes again stays where it was. False, with `rows` untouched, for a name that no row has:
 * `*wrong` and `*len_bytes` are then that part of the list. */
bool um_overlay_rows_parse(const char *list, struct um_overlay_rows *rows, const char **wrong,
                           size_t *len_bytes);

/* Whether a row is among them. */
bool um_overlay_rows_has(const struct um_overlay_rows *rows, enum um_overlay_row row);

#endif
