/* What else was counted, as text for people and as JSON: a part of the summary (summary.h). Not on
 * the hot path.
 */
#ifndef UM_MONITOR_COUNTED_WRITE_H
#define UM_MONITOR_COUNTED_WRITE_H

#include <stdint.h>
#include <stdio.h>

#include "monitor/json/json.h"
#include "monitor/stats/counted.h"

struct cJSON;

/* Writes a line each of the thread pool, of messages and frames, and of at most twelve counters, at
 * most 80 columns wide. What was not measured has none. `counted` may be NULL. */
void um_counted_write_text(FILE *file, const struct um_counted *counted);

/* Adds "threadpool", "rates" and "counters"; what was not measured is left out. Times are since
 * `start_ns`. `counted` may be NULL. */
void um_counted_write_json(struct um_json *json, struct cJSON *root,
                           const struct um_counted *counted, uint64_t start_ns);

#endif
