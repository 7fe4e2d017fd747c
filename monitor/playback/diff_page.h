/* The page that stack_diff_write.c fills in: the bytes of diff_page.html, from which CMake makes
 * a C file. The data replaces the marker of monitor/base/page.h. Not on the hot path. /
 */
#ifndef UM_MONITOR_DIFF_PAGE_H
#define UM_MONITOR_DIFF_PAGE_H

#include <stddef.h>

/* Owner: static. */
extern const unsigned char um_diff_page[];
extern const size_t um_diff_page_len;

#endif
