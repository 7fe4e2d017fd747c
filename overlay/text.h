/* Durations as the overlay shows them: short, with few digits. For a number that was not measured
 * the caller writes a dash instead. Pure, portable; not on the hot path.
 */
#ifndef UM_OVERLAY_TEXT_H
#define UM_OVERLAY_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define UM_TEXT_BYTES 32

/* A lag: "<0.1 ms", "0.3 ms", "312 ms", "1.24 s", "12.4 s", "125 s".
 * Units: `text` has UM_TEXT_BYTES. */
void um_text_lag(uint64_t lag_ns, char *text);

/* A lag as a column's label, without the unit ms: "312", "1.24 s". Units: as above. */
void um_text_label(uint64_t lag_ns, char *text);

/* A lag as the number at a line of the axis, where room is scarce: "150", "1.2 s". Units: as
 * above. */
void um_text_level(uint64_t level_ns, char *text);

/* A span of time in whole units: "now" (under a second), "12 s", "3 min", "2 h". Units: as
 * above. */
void um_text_span(uint64_t span_ns, char *text);

#endif
