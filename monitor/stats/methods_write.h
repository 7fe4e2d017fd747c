/* The calls of managed methods as text for people and as JSON: a part of the summary (summary.h).
 * Not on the hot path.
 */
#ifndef UM_MONITOR_METHODS_WRITE_H
#define UM_MONITOR_METHODS_WRITE_H

#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/json/json.h"
#include "monitor/stats/methods.h"

struct cJSON;

/* Writes a table of the methods, the most self time first, or without times the most calls, and the
 * tree of the busiest thread, at most 80 columns wide. Only a few rows and levels are shown, the
 * others are counted. Writes nothing if nothing was traced; `methods` may be NULL.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_methods_write_text(FILE *file, const struct um_methods *methods);

/* Adds all methods, and the trees of the threads, as "methods"; nothing if nothing was traced.
 * `methods` may be NULL. Errors: in `json`. */
void um_methods_write_json(struct um_json *json, struct cJSON *root,
                           const struct um_methods *methods);

#endif
