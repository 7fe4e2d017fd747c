/* `uimon report --html`: a recording as one page that needs nothing else, neither files nor
 * network.
 *
 * The page itself, with what it shows and how, is report_page.html; this module puts the
 * recording's data into it, as JSON. Titles, captions, window classes and notes come from other
 * programs: the page only ever shows them as text, and no '<' of theirs reaches the file. A reader
 * starts at um_report_html_write. Not on the hot path.
 *
 * The data are bounded, so that 8 hours stay under 3 MB: of more slices than
 * UM_REPORT_HTML_MAX_SLICES several are drawn as one, with the worst of their lags; of other lists
 * the longest and slowest are kept, and how many there were is said.
 */
#ifndef UM_MONITOR_REPORT_HTML_H
#define UM_MONITOR_REPORT_HTML_H

#include <stdio.h>

#include "ipc/status.h"
#include "monitor/playback/recorded.h"

#define UM_REPORT_HTML_MAX_SLICES 400000
#define UM_REPORT_HTML_MAX_STRETCHES 20000
#define UM_REPORT_HTML_MAX_INTERACTIONS 50000
#define UM_REPORT_HTML_MAX_NOTES 1000

/* Writes the page.
 * Errors: UM_ERR_IO the stream has failed; UM_ERR_MEMORY, and nothing was written. */
enum um_status um_report_html_write(FILE *file, const struct um_recorded *recorded);

#endif
