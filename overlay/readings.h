/* The rows of `--show` as words and numbers: what each of them says now.
 *
 * Start at um_readings_make. What was not measured is a dash. A hang or starvation is an alarm: it
 * lasts until UM_MODEL_ALARM_NS after its end, with its peak. Pure, portable; not on the hot path.
 */
#ifndef UM_OVERLAY_READINGS_H
#define UM_OVERLAY_READINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/overlay_rows.h"
#include "overlay/model.h"
#include "overlay/text.h"

/* A number and what it is: "p99" "37 ms". */
struct um_readings_pair {
    const char *name; /* static; "": none */
    char number[UM_TEXT_BYTES];
    bool measured;   /* else the number is a dash */
    uint64_t lag_ns; /* by which it is coloured; 0: it is no lag */
};

struct um_readings_row {
    const char *label; /* static */
    struct um_readings_pair main;
    struct um_readings_pair more; /* number "": there is none */
    bool alarm;
};

/* What a row says of this view. */
void um_readings_make(const struct um_model_view *view, enum um_overlay_row row,
                      struct um_readings_row *reading);

#endif
