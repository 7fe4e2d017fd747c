/* Web pages that show data. A page is a file whose bytes, and a NUL, CMake puts into the program;
 * the data is JSON that is written into the page. Such a page needs no other file and no network.
 *
 * The page's script shows the data. Servers for artefacts often block scripts in pages, by a
 * Content-Security-Policy; then the page says so, and has the text that the command writes.
 *
 * Texts in the data come from other programs and files. Each '<' in them is escaped, so that none
 * can end the element that holds the data; the page shows them only as text. Not on the hot path.
 */
#ifndef UM_BASE_PAGE_H
#define UM_BASE_PAGE_H

#include <stdio.h>

#include "base/plain/status.h"

/* Each stands once in each page, the text before the data, which take their places. A test makes
 * sure that they are there. */
#define UM_PAGE_TEXT_PLACEHOLDER "UIMON-TEXT"
#define UM_PAGE_PLACEHOLDER "UIMON-DATA"

/* Writes what a command says on a terminal of what the page shows. */
typedef enum um_status um_page_write_text(FILE *out, const void *shown);

/* Writes a page, which ends in a NUL, with the data in it, and with the text of `write_text` for
 * readers whose browser does not run the page's script. If there is no memory or no room for that
 * text, the page lacks it. Errors: UM_ERR_IO the stream has failed. */
enum um_status um_page_write(FILE *file, const unsigned char *page, const char *json,
                             um_page_write_text *write_text, const void *shown);

#endif
