/* Finds where the numbers of a history change, and from what to what, with divisive.h. Not on the
 * hot path.
 */
#ifndef UM_MONITOR_HISTORY_CHANGES_H
#define UM_MONITOR_HISTORY_CHANGES_H

#include "base/plain/status.h"
#include "monitor/history/history.h"

/* Fills in the changes of all series, from their newest UM_DIVISIVE_MOST points. Changes that are
 * too small to be told (UM_HISTORY_LEAST_SHARE, UM_HISTORY_LEAST_MS) are none: the pieces on both
 * sides become one. Takes up to half a second for each change among 1,000 points, and a hundredth
 * of that among 100.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_history_changes_find(struct um_history *history);

#endif
