/* Rows of a tree of calls: which come first, and which are written where there is room for a few
 * alone. The traced messages and the managed methods are written with it.
 *
 * A tree is described by functions. Its nodes have numbers, and a node lies within another one. A
 * reader starts at struct um_call_rows. Not on the hot path. Thread: any, as long as the tree stays
 * as it is.
 */
#ifndef UM_MONITOR_CALL_ROWS_H
#define UM_MONITOR_CALL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "monitor/json/json.h"

#define UM_CALL_ROWS_NONE UINT32_MAX
#define UM_CALL_ROWS_SHOWN 24      /* rows of the text */
#define UM_CALL_ROWS_LEVELS 6      /* of the text */
#define UM_CALL_ROWS_JSON_ROWS 256 /* within a node */

struct um_call_rows {
    const void *tree; /* the first argument of each function */
    /* The first node within a node, and the next one beside a node; UM_CALL_ROWS_NONE: there is
     * none. What is not to be written is not among them. */
    uint32_t (*first)(const void *tree, uint32_t node);
    uint32_t (*next)(const void *tree, uint32_t node);
    bool (*is_before)(const void *tree, uint32_t a, uint32_t b);
    /* By which the rows of the text are chosen: never less than that of a node within it. */
    uint64_t (*weigh)(const void *tree, uint32_t node);
    /* Writes a node as a line, and adds it to an object. */
    void (*write)(const void *tree, FILE *file, uint32_t node, unsigned level);
    void (*put)(const void *tree, struct um_json *json, struct cJSON *object, uint32_t node);
};

/* The nodes within a node, in their order. Returns how many there are; writes at most `cap`. Needs
 * `first`, `next` and `is_before`. */
size_t um_call_rows_within(const struct um_call_rows *rows, uint32_t node, uint32_t *list,
                           size_t cap);

/* Writes the heaviest nodes below a node, each before those within it. Returns how many. */
size_t um_call_rows_write_text(const struct um_call_rows *rows, FILE *file, uint32_t node);

/* Adds the nodes below a node as arrays: the first ones within it under `name`, and those further
 * down under "within". Where some do not fit, `parent` has how many as "left_out". */
void um_call_rows_write_json(const struct um_call_rows *rows, struct um_json *json,
                             struct cJSON *parent, const char *name, uint32_t node);

/* Adds a time in ms, to a tenth of a microsecond. */
void um_call_rows_put_ms(struct um_json *json, struct cJSON *object, const char *name, uint64_t ns);

#endif
