/* Texts of any content in a CSV. Not on the hot path. Thread: any. */
#ifndef UM_MONITOR_CSV_TEXT_H
#define UM_MONITOR_CSV_TEXT_H

#include <stdio.h>

/* Writes a cell, quoted where RFC 4180 asks for it, without control characters. What a spreadsheet
 * would take for a formula gets an apostrophe in front: the text itself, and what follows a
 * semicolon in it. In many countries Excel cuts a line at semicolons, and quotes do not keep it
 * from that, because to it they stand in the middle of a cell.
 * Source: "CSV Injection", OWASP. */
void um_csv_text_put(FILE *file, const char *text);

#endif
