/* The latencies of a session, as the formats of HdrHistogram have them: that of beats, and how long
 * keys, clicks and steps of the wheel took from their arrival to the end of handling and of
 * painting. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_LATENCIES_H
#define UM_MONITOR_LATENCIES_H

#include "monitor/options/exports.h"
#include "monitor/stats/histogram.h"
#include "monitor/stats/stats.h"

#define UM_LATENCIES_ONE(...) +1
enum { UM_LATENCIES_COUNT = UM_OPTIONS_LATENCIES(UM_LATENCIES_ONE, UM_LATENCIES_ONE) };

/* "keys": what row k of exports.h is called. Owner: static text. */
const char *um_latencies_name(size_t row);

/* The values of such a latency so far; NULL: there are none. Owner: `stats`. */
const struct um_histogram *um_latencies_get(const struct um_stats *stats, size_t row);

#endif
