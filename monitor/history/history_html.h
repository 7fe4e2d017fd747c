/* `uimon history show --html`: a history as one web page that needs no other file and no network.
 * It is history_page.html with the data of history_json.h and the text of history_text.h. Not on
 * the hot path.
 */
#ifndef UM_MONITOR_HISTORY_HTML_H
#define UM_MONITOR_HISTORY_HTML_H

#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/history/history.h"

/* The bytes of history_page.html, for um_page_write. */
extern const unsigned char um_history_page[];

/* Writes the page. Thread: may block on the stream.
 * Errors: UM_ERR_IO the stream has failed; UM_ERR_MEMORY, and nothing was written. */
enum um_status um_history_html_write(FILE *file, const struct um_history *history);

#endif
