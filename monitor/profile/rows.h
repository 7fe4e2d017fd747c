/* The hottest rows of a call tree as text, for the summary and for narrow places. Not on the hot
 * path. */
#ifndef UM_MONITOR_ROWS_H
#define UM_MONITOR_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ipc/status.h"
#include "monitor/profile/calltree.h"
#include "monitor/profile/functions.h"

#define UM_ROWS_MOST 100

enum um_rows_by {
    UM_ROWS_SAMPLES = 0, /* in it and in what it called */
    UM_ROWS_SELF = 1,    /* samples in it itself */
    UM_ROWS_WALL = 2,    /* the time that the samples stand for */
    UM_ROWS_CPU = 3,     /* user and kernel time of these */
    UM_ROWS_COUNT = 4    /* in how many freezes it was seen */
};

struct um_rows_row {
    uint32_t node;
    uint32_t depth; /* shown nodes above it; 0 for all with UM_ROWS_SELF */
};

/* What a node has by a criterion. Units: samples, ns, or freezes. */
uint64_t um_rows_value(const struct um_calltree_node *node, enum um_rows_by by);

/* Picks the `most` nodes (at most UM_ROWS_MOST) that have most. Nodes with nothing are left out; of
 * equals, the one nearer to the root comes first, then the one that was seen first. By self they
 * are in the order of their values. Otherwise they are in the tree's order, callers before what
 * they called and the larger before the smaller; as no node has more than its caller, the caller of
 * each row is there too. Returns how many; `rows` has room for `most`. */
size_t um_rows_pick(const struct um_calltree *tree, enum um_rows_by by, size_t most,
                    struct um_rows_row *rows);

/* Writes these rows, each in at most `columns` columns (at least 40), with share, bar and indented
 * name, and below them what the marks in them mean. "> " is in front of a function that was called
 * through frames that are not shown. Functions are named by `functions`; without it the keys are
 * shown. Errors: UM_ERR_IO. */
enum um_status um_rows_write(const struct um_calltree *tree, const struct um_functions *functions,
                             enum um_rows_by by, size_t most, size_t columns, FILE *out);

#endif
