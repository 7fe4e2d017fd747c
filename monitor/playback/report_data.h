/* What the page of a recording shows, as JSON: the summary, the slices of the graph, stretches,
 * freezes, messages before them, interactions, notes, distributions and stacks. report_page.html
 * reads it.
 *
 * The data are bounded, so that the page of 8 hours stays under 3 MB, and 6 MB with as many stacks
 * as there can be; sources come on top. If there are more slices than
 * UM_REPORT_DATA_MAX_SLICES, several are drawn as one, with the worst of their lags. Of the other
 * lists the longest or slowest entries are kept, and how many were left out is written beside them.
 * Not on the hot path.
 */
#ifndef UM_MONITOR_REPORT_DATA_H
#define UM_MONITOR_REPORT_DATA_H

#include "monitor/options/options.h"
#include "monitor/playback/recorded.h"

#define UM_REPORT_DATA_MAX_SLICES 400000
#define UM_REPORT_DATA_MAX_STRETCHES 20000
#define UM_REPORT_DATA_MAX_INTERACTIONS 50000
#define UM_REPORT_DATA_MAX_NOTES 1000
#define UM_REPORT_DATA_MAX_MESSAGES 4000

/* Makes the JSON; `options` are those of report_stacks.h. Owner: cJSON_free. NULL without
 * memory. */
char *um_report_data_make(const struct um_recorded *recorded, const struct um_options *options);

#endif
