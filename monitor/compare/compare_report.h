/* The end of a comparison: checks the limits, writes everything, and gives the exit code. For
 * `uimon compare`, and for `uimon bench` of two sides. Not on the hot path. */
#ifndef UM_MONITOR_COMPARE_REPORT_H
#define UM_MONITOR_COMPARE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/compare/comparison.h"
#include "monitor/compare/limits.h"
#include "monitor/options/options.h"

struct um_compare_report_gate {
    struct um_limits_limit limits[UM_OPTIONS_MANY];
    size_t count;
};

/* Reads --fail-over. Owner: `options` must outlive the gate. Errors: UM_ERR_ARG; `error` has the
 * line to print. */
enum um_status um_compare_report_gate_read(const struct um_options *options,
                                           struct um_compare_report_gate *gate, char *error,
                                           size_t error_cap);

/* Whether the sitting can end. With limits: none of them needs more pairs. Without: as
 * um_comparison_is_settled. Errors: as um_limits_check. */
enum um_status um_compare_report_settled(const struct um_compare_report_gate *gate,
                                         const struct um_comparison *comparison, bool *settled,
                                         char *error, size_t error_cap);

/* Checks the limits and writes the comparison to `out`, and as JSON to `json` (NULL: not at all).
 * Returns the exit code; failures have a line on standard error. */
int um_compare_report_write(const struct um_options *options,
                            const struct um_compare_report_gate *gate,
                            const struct um_comparison *comparison, const char *json, FILE *out);

/* The exit code for `git bisect run`, with --bisect; else `code`. A revision is good (0) if its
 * limits are kept, bad (1) if one is exceeded, and skipped (125) if that is unknown or the build
 * does not run. 128 and more ends the search: bad usage, no rights, `interrupted` by Ctrl+C.
 * Source: git-bisect(1), "run". */
int um_compare_report_exit(const struct um_options *options, int code, bool interrupted);

#endif
