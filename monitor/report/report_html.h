/* `uimon report --html`: a recording as one web page that needs no other file and no network.
 *
 * The page, with what it shows and how, is report_page.html with the files that it includes. The
 * data are JSON, which base/page.h puts in: the summary, the slices of the graph, stretches,
 * freezes, messages before them, interactions, notes, components, distributions, what else was
 * counted, markers and stacks. Titles, captions, window classes, counters' names and notes come
 * from other programs: the page shows them only as text.
 *
 * The data are bounded: the page of 8 hours stays under 6 MB, and 9 MB with as many stacks as there
 * can be; what else was counted adds 7 MB at most, and sources come on top. If there are more
 * slices than UM_REPORT_HTML_MAX_SLICES, several are drawn as one, with the worst of their lags. Of
 * the other lists the longest or slowest entries are kept, and how many were left out is written
 * beside them. A reader starts at um_report_html_write.
 * Not on the hot path.
 */
#ifndef UM_MONITOR_REPORT_HTML_H
#define UM_MONITOR_REPORT_HTML_H

#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/flows/markers.h"
#include "monitor/options/options.h"
#include "monitor/recorded/recorded.h"

#define UM_REPORT_HTML_MAX_SLICES 400000
#define UM_REPORT_HTML_MAX_STRETCHES 20000
#define UM_REPORT_HTML_MAX_INTERACTIONS 50000
#define UM_REPORT_HTML_MAX_NOTES 1000
#define UM_REPORT_HTML_MAX_MESSAGES 4000

/* The bytes of report_page.html, for um_page_write. */
extern const unsigned char um_report_page[];

/* Writes the page; `options` say what is shown of the stacks. `markers` are those of the recording,
 * finished; NULL if the page shall have none. `next_ms`: after about so long a new page takes the
 * place of this one, which loads itself again; 0: it is the last one.
 * Errors: UM_ERR_IO the stream has failed; UM_ERR_MEMORY, and nothing was written. */
enum um_status um_report_html_write(FILE *file, const struct um_recorded *recorded,
                                    const struct um_markers *markers,
                                    const struct um_options *options, uint64_t next_ms);

#endif
