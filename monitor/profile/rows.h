/* The hottest rows of a call tree as text, for the summary and for narrow places. Not on the hot
 * path. */
#ifndef UM_MONITOR_ROWS_H
#define UM_MONITOR_ROWS_H

#include <stddef.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/profile/calltree.h"
#include "monitor/profile/functions.h"

/* Writes the `most` nodes (at most 100) with the most time in them and in what they called, a
 * caller before what it called. Of equal nodes the one nearer to the root comes first, then the
 * one that was seen first. Each row has at most `columns` columns (at least 40), with share of
 * the samples' time, bar and indented name; below them a line explains the marks. "> " is in
 * front of a function that was called through frames that are not shown, and UM_WIRE_GUESS in
 * front of one that is a guess.
 * Errors: UM_ERR_IO. */
enum um_status um_rows_write(const struct um_calltree *tree, const struct um_functions *functions,
                             size_t most, size_t columns, FILE *out);

#endif
