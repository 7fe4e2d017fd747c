/* What else was counted over time, as data for the page, which makes tracks under the graph and a
 * table of it: report_curves.js reads it. Not on the hot path. */
#ifndef UM_MONITOR_REPORT_CURVES_H
#define UM_MONITOR_REPORT_CURVES_H

#include "base/plain/status.h"
#include "monitor/recorded/recorded.h"

#define UM_REPORT_CURVES_COUNTER_SPANS 65536 /* of all counters together, */
#define UM_REPORT_CURVES_LEAST_SPANS 512     /* but so many of each */

struct cJSON;

/* Adds "curves" to the page's data, unless nothing of them was measured. The members of "curves":
 *
 *   list         of each curve `of` ("pool", in ms; "messages", "frames", a second; or "counter"),
 *                and of a counter `provider`, `name`, `display`, `unit` and `per_second`;
 *                `grain_ms`, the length up to which values were made one (missing: none were); and
 *                `spans`, packed: of each flags (1: it does not touch the one before, 2: it has a
 *                least and a greatest value), with the first flag its start after that end, its
 *                length, its mean, and with the second flag least and greatest. The first start
 *                counts from the session's. Times are in us. A value is a number of thousandths,
 *                and of a counter the 8 bytes of a double, with the lowest first
 *   starvations  [start, length, peak, source, still lasting] of each, in ms; the source is 0 for
 *                the thread pool of Windows, and 1 for that of .NET, whose peak is a number of
 *                items
 *   cut          whether values were left out because there was no room
 *
 * Errors: UM_ERR_MEMORY. */
enum um_status um_report_curves_put(struct cJSON *root, const struct um_recorded *recorded);

#endif
