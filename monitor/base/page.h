/* Web pages that show data: the page is a file of its own, which CMake makes into bytes, and the
 * data is JSON that is put into it. Such a page needs no other file and no network.
 *
 * Texts in the data come from other programs and files. No '<' of theirs reaches the page, so that
 * none of them can end the element that holds the data; the page shows them only as text. Not on
 * the hot path.
 */
#ifndef UM_MONITOR_PAGE_H
#define UM_MONITOR_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "ipc/status.h"

/* Stands once in each page; the data takes its place. A test makes sure that it is there. */
#define UM_PAGE_MARKER "UIMON-DATA"

/* Writes the page with the data in it. Errors: UM_ERR_IO the stream has failed. */
enum um_status um_page_write(FILE *file, const unsigned char *page, size_t len_bytes,
                             const char *json);

#endif
