/* Web pages that show data. A page is a file whose bytes, and a NUL, CMake puts into the program;
 * the data is JSON that is written into the page. Such a page needs no other file and no network.
 *
 * Texts in the data come from other programs and files. Each '<' in them is escaped, so that none
 * can end the element that holds the data; the page shows them only as text. Not on the hot path.
 */
#ifndef UM_BASE_PAGE_H
#define UM_BASE_PAGE_H

#include <stdio.h>

#include "base/plain/status.h"

/* Stands once in each page; the data takes its place. A test makes sure that it is there. */
#define UM_PAGE_PLACEHOLDER "UIMON-DATA"

/* Writes a page, which ends in a NUL, with the data in it. Errors: UM_ERR_IO the stream has
 * failed. */
enum um_status um_page_write(FILE *file, const unsigned char *page, const char *json);

#endif
