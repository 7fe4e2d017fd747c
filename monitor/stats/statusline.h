/* The one line that uimon keeps up to date on a terminal: with `--headless`, or while a window
 * hides the overlay, which it begins with then. This module only formats it. The caller writes a
 * carriage return, the line, and blanks over the rest of the previous line.
 * Not on the hot path (ten times a second).
 *
 *   12.3 s  responsive  lag 0.3 ms  p50 0.3  p99 1.2  freezes 2 (last 300 ms, total 600 ms)
 *
 * When interactions are measured, "typing 8.5/31 ms to painted" (p50/p99 of the last keys) and
 * "click 12 ms to painted" (the last one) stand before the freezes. If the program's own code runs
 * on another thread than the window's, "window thread" stands for "responsive".
 *
 * A number that was not measured is shown as a dash, never as 0. So is the lag from the end of a
 * freeze until the next beat is answered: its length stands behind the freezes. If the line is too
 * long for the terminal, whole parts are left out, the least important ones first.
 */
#ifndef UM_MONITOR_STATUSLINE_H
#define UM_MONITOR_STATUSLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/plain/status.h"
#include "ipc/wire.h"

/* Suffices for every line, whatever the numbers in it. */
#define UM_STATUSLINE_BYTES 1024

/* Writes the line, NUL-terminated, at most `columns` columns wide. `window_only` as in
 * um_wire_state_words. `hidden_by` is the window that hides the overlay; "": none does.
 * Units: `flags` are the STATUS frame's (UM_WIRE_STATUS_HAS_...); `columns` 0 means any width.
 * Errors: UM_ERR_TOO_LARGE `cap_bytes` is under UM_STATUSLINE_BYTES; `buf` is untouched. */
enum um_status um_statusline_format(const struct um_wire_status *status, unsigned flags,
                                    bool window_only, const char *hidden_by, double elapsed_s,
                                    size_t columns, char *buf, size_t cap_bytes);

#endif
