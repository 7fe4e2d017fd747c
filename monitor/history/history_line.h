/* Makes the line that `uimon history add` appends, from the results of a benchmark. history.h has
 * its format. Not on the hot path.
 */
#ifndef UM_MONITOR_HISTORY_LINE_H
#define UM_MONITOR_HISTORY_LINE_H

#include "base/plain/status.h"
#include "monitor/compare/results.h"

/* Makes the line, without a newline. `machine` stands in it in place of the results' own, if it is
 * not NULL. Owner: cJSON_free.
 * Errors: UM_ERR_NOT_FOUND the results have no measure; UM_ERR_MEMORY. */
enum um_status um_history_line_make(const struct um_results *results, const char *label,
                                    const char *machine, char **line);

#endif
