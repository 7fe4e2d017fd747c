/* A history as JSON: everything in it, for programs and for the page; and its newest commit as
 * github-action-benchmark takes it. Not on the hot path; no function blocks.
 */
#ifndef UM_MONITOR_HISTORY_JSON_H
#define UM_MONITOR_HISTORY_JSON_H

#include "ipc/status.h"
#include "monitor/history/history.h"

#define UM_HISTORY_JSON_SCHEMA 1

/* Makes JSON with all tracks and the changes that um_history_changes_find has found.
 * Owner: cJSON_free. Errors: UM_ERR_MEMORY. */
enum um_status um_history_json_make(const struct um_history *history, char **out);

/* Makes the file that github-action-benchmark reads with `tool: customSmallerIsBetter`: an array
 * with an object for each series that the newest commit of the newest line's machine has. If it
 * has several scenarios, all are there.
 * Owner: cJSON_free. Errors: UM_ERR_NOT_FOUND there is nothing to put into it; UM_ERR_MEMORY.
 * Source: "Examples", "Custom benchmarks" in the README of
 * github.com/benchmark-action/github-action-benchmark, and src/extract.ts there: name, unit and
 * value, and optionally range and extra. */
enum um_status um_history_json_github(const struct um_history *history, char **out);

#endif
