/* The table of results that `uimon bench` prints at its end. It is made from the JSON of the
 * results, read back as `uimon compare` reads it, so that both show the same numbers. Not on the
 * hot path. */
#ifndef UM_MONITOR_BENCH_REPORT_H
#define UM_MONITOR_BENCH_REPORT_H

#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/compare/results.h"

/* At most 80 columns wide, UTF-8. Errors: UM_ERR_IO the stream has failed. */
enum um_status um_bench_report_write(FILE *out, const struct um_results *results);

#endif
