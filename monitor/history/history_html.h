/* `uimon history show --html`: a history as one web page that needs no other file and no network.
 *
 * The page, with what it shows and how, is history_page.html; history_json.h makes the data, and
 * monitor/base/page.h puts them in. Not on the hot path.
 */
#ifndef UM_MONITOR_HISTORY_HTML_H
#define UM_MONITOR_HISTORY_HTML_H

#include <stdio.h>

#include "ipc/status.h"
#include "monitor/history/history.h"

/* Writes the page. Thread: may block on the stream.
 * Errors: UM_ERR_IO the stream has failed; UM_ERR_MEMORY, and nothing was written. */
enum um_status um_history_html_write(FILE *file, const struct um_history *history);

#endif
