/* `uimon report --html`: a recording as one web page that needs no other file and no network.
 *
 * The page, with what it shows and how, is report_page.html with report_stacks.css and .js;
 * report_data.h makes the data, and monitor/base/page.h puts them in. Titles, captions, window
 * classes and notes come from other programs: the page shows them only as text. A reader starts
 * at um_report_html_write. Not on the hot path.
 */
#ifndef UM_MONITOR_REPORT_HTML_H
#define UM_MONITOR_REPORT_HTML_H

#include <stdio.h>

#include "ipc/status.h"
#include "monitor/options/options.h"
#include "monitor/playback/recorded.h"

/* Writes the page; `options` say what is shown of the stacks.
 * Errors: UM_ERR_IO the stream has failed; UM_ERR_MEMORY, and nothing was written. */
enum um_status um_report_html_write(FILE *file, const struct um_recorded *recorded,
                                    const struct um_options *options);

#endif
