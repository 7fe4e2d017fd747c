/* Texts of any content in a CSV. Not on the hot path. Thread: any. */
#ifndef UM_BASE_CSV_TEXT_H
#define UM_BASE_CSV_TEXT_H

#include <stdio.h>

/* Writes a cell, quoted where RFC 4180 asks for it, without control characters. What a spreadsheet
 * would take for a formula gets an apostrophe in front: the text itself, and what follows a
 * semicolon in it. In many countries Excel splits lines at semicolons, even between quotes, because
 * to it these quotes stand in the middle of a cell.
 * Source: "CSV Injection", OWASP. */
void um_csv_text_put(FILE *file, const char *text);

#endif
