/* Writes a history for a terminal, 80 columns wide: for each series a row of bars, each for one or
 * several commits, and below it the changes. Not on the hot path.
 */
#ifndef UM_MONITOR_HISTORY_TEXT_H
#define UM_MONITOR_HISTORY_TEXT_H

#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/history/history.h"

/* Writes all tracks, with the changes that um_history_changes_find has found.
 * Thread: may block on the stream. Errors: UM_ERR_IO the stream has failed. */
enum um_status um_history_text_write(FILE *out, const struct um_history *history);

#endif
