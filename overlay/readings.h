/* The rows of `--show` as words and numbers. readings_sdl.h draws them.
 *
 * Start at um_readings_make. A number that was not measured is a dash. A hang or starvation is an
 * alarm, which is shown with its peak until UM_MODEL_ALARM_NS after its end. Pure, portable; not on
 * the hot path.
 */
#ifndef UM_OVERLAY_READINGS_H
#define UM_OVERLAY_READINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "metrics/overlay_rows.h"
#include "overlay/model.h"
#include "overlay/text.h"

/* A number and what it is: "p99" "37 ms". */
struct um_readings_pair {
    const char *name; /* static; "": none */
    char number[UM_MODEL_COUNTER_BYTES];
    bool measured;   /* else the number is a dash */
    uint64_t lag_ns; /* decides the colour; 0: it is no lag of the UI thread, and has no colour */
};

struct um_readings_row {
    const char *label; /* static, or of the view */
    struct um_readings_pair main;
    struct um_readings_pair more; /* number "": there is none */
    bool alarm;
};

/* Makes the words and numbers of a row. */
void um_readings_make(const struct um_model_view *view, enum um_overlay_row row,
                      struct um_readings_row *reading);

#endif
