/* The page that history_html.c fills in: the bytes of history_page.html, from which CMake makes a C
 * file. The data replaces the marker of monitor/base/page.h. Not on the hot path.
 */
#ifndef UM_MONITOR_HISTORY_PAGE_H
#define UM_MONITOR_HISTORY_PAGE_H

#include <stddef.h>

/* Owner: static. */
extern const unsigned char um_history_page[];
extern const size_t um_history_page_len;

#endif
