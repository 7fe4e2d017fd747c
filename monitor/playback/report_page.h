/* The page that report_html.c fills in: the bytes of report_page.html, from which CMake makes a C
 * file. The data replaces the marker of monitor/base/page.h. Not on the hot path.
 */
#ifndef UM_MONITOR_REPORT_PAGE_H
#define UM_MONITOR_REPORT_PAGE_H

#include <stddef.h>

/* Owner: static. */
extern const unsigned char um_report_page[];
extern const size_t um_report_page_len;

#endif
