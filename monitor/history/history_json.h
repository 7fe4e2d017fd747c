/* A history as JSON: all of it, for programs and for the page; or its newest commit, for
 * github-action-benchmark. Not on the hot path.
 */
#ifndef UM_MONITOR_HISTORY_JSON_H
#define UM_MONITOR_HISTORY_JSON_H

#include "base/plain/status.h"
#include "monitor/history/history.h"

#define UM_HISTORY_JSON_SCHEMA 1

/* Makes JSON with all tracks and the changes that um_history_changes_find has found.
 * Owner: cJSON_free. Errors: UM_ERR_MEMORY. */
enum um_status um_history_json_make(const struct um_history *history, char **out);

/* Makes the file that github-action-benchmark reads with `tool: customSmallerIsBetter`: an array
 * with an object for each series of the newest commit, of all scenarios on the newest line's
 * machine. Owner: cJSON_free. Errors: UM_ERR_NOT_FOUND there is no such series; UM_ERR_MEMORY.
 * Source: "Examples", "Custom benchmarks" in the README of
 * github.com/benchmark-action/github-action-benchmark, and src/extract.ts there: name, unit and
 * value, and optionally range and extra. */
enum um_status um_history_json_github(const struct um_history *history, char **out);

#endif
