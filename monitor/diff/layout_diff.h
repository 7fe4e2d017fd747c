/* What layout costs in two recordings, component by component.
 *
 * A component is the same in both if its class and its text are, and if the components around it
 * are the same. Where a text has changed, as the title of a main window does with its document, a
 * component is still the same if it is the only one of its class there that is left over on either
 * side. Dialogs are not: only their title tells them apart. Several components that are the same so
 * are one row. Numbers are those of these two sessions, without a verdict.
 *
 * A reader starts at um_layout_diff_make. Components in a ring, which only a damaged recording has,
 * are left out. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_LAYOUT_DIFF_H
#define UM_MONITOR_LAYOUT_DIFF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/json/json.h"
#include "monitor/stats/laid_out.h"

#define UM_LAYOUT_DIFF_NONE UINT32_MAX

/* What a row has in one recording. Several components are added up, but `worst_frame_ns`. */
struct um_layout_diff_cost {
    uint32_t components; /* 0: it is in the other one alone */
    uint64_t frames;     /* layout frames */
    uint64_t layout_ns;  /* measure and arrange, with the components within */
    uint64_t own_layout_ns;
    uint64_t paint_ns;
    uint64_t worst_frame_ns;
};

struct um_layout_diff_row {
    char window_class[UM_WIRE_LAYOUT_TEXT_BYTES];
    char text[UM_WIRE_LAYOUT_TEXT_BYTES]; /* where it has changed, that of before */
    uint32_t parent;                     /* the row around it; UM_LAYOUT_DIFF_NONE: there is none */
    struct um_layout_diff_cost costs[2]; /* before and after */
};

/* Zeroed, it is empty. */
struct um_layout_diff {
    struct um_layout_diff_row *rows;
    size_t row_count, row_room;
    uint32_t *order; /* rows that have layout frames, the most layout time of either side first */
    size_t count;    /* of them; 0: layout was not measured on both sides */
};

/* Compares two sides; nothing is compared unless layout was measured on both.
 * Owner: um_layout_diff_deinit, also after an error. Errors: UM_ERR_MEMORY. */
enum um_status um_layout_diff_make(struct um_layout_diff *diff, const struct um_laid_out *before,
                                   const struct um_laid_out *after);

/* Accepts a zeroed one. */
void um_layout_diff_deinit(struct um_layout_diff *diff);

/* The layout time of a frame. Units: ms; 0: there is none. */
double um_layout_diff_ms(const struct um_layout_diff_cost *cost);

/* That of after, divided by that of before; 0: one of them has none. */
double um_layout_diff_ratio(const struct um_layout_diff_row *row);

/* Writes the twenty rows with the most layout time, in 80 columns. Nothing, if there is no row. */
void um_layout_diff_write_text(FILE *out, const struct um_layout_diff *diff);

/* Adds all rows as "layout". Nothing, if there is no row. */
void um_layout_diff_write_json(struct um_json *json, struct cJSON *root,
                               const struct um_layout_diff *diff);

#endif
