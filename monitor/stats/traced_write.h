/* The traced messages as text for people and as JSON: a part of the summary (summary.h). Not on the
 * hot path.
 */
#ifndef UM_MONITOR_TRACED_WRITE_H
#define UM_MONITOR_TRACED_WRITE_H

#include <stdio.h>

#include "monitor/json/json.h"
#include "monitor/stats/traced.h"

struct cJSON;

/* Writes the tree, the longest messages first, at most 80 columns wide. Only a few levels and rows
 * are shown, the others are counted. Writes nothing if nothing was traced. */
void um_traced_write_text(FILE *file, const struct um_traced *traced);

/* Adds the whole tree as "messages"; nothing if nothing was traced. */
void um_traced_write_json(struct um_json *json, struct cJSON *root, const struct um_traced *traced);

#endif
