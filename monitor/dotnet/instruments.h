/* The counters of a .NET program's meters, System.Diagnostics.Metrics, as that class of .NET 8 and
 * later tells them to other processes: by the events of a provider. One event has one value of one
 * instrument and its tags.
 *
 * All who listen share one configuration, and are told the values of all. So this asks with the
 * same limits as .NET's own tools. If another tool asks for another interval, the one that came
 * second is told so, and gets no values.
 *
 * Pure; not on the hot path. A reader starts at um_instruments_take. Source: MetricsEventSource.cs
 * in System.Diagnostics.DiagnosticSource of dotnet/runtime; not tried with a runtime yet.
 */
#ifndef UM_MONITOR_INSTRUMENTS_H
#define UM_MONITOR_INSTRUMENTS_H

#include <stddef.h>

#include "base/plain/status.h"
#include "monitor/dotnet/eventpipe.h"
#include "monitor/dotnet/nettrace.h"

#define UM_INSTRUMENTS_PROVIDER "System.Diagnostics.Metrics"
#define UM_INSTRUMENTS_KEYWORDS 2 /* values, and what is wrong */
#define UM_INSTRUMENTS_LEVEL 4
#define UM_INSTRUMENTS_CLIENT_BYTES 40
#define UM_INSTRUMENTS_ARGUMENTS_BYTES 8192
#define UM_INSTRUMENTS_COUNTERS 4 /* of one event: of a histogram three quantiles and the count */

/* Writes the provider's arguments: the meters that are called as these providers, and the interval.
 * Meters whose name would break the list are left out. `client` tells this session from others:
 * letters, digits and '-'. Errors: UM_ERR_TOO_LARGE. */
enum um_status um_instruments_arguments(const struct um_eventpipe_provider *providers, size_t count,
                                        double interval_s, const char *client, char *text,
                                        size_t cap_bytes);

/* What an event says besides values. */
enum um_instruments_news {
    UM_INSTRUMENTS_NOTHING = 0,
    UM_INSTRUMENTS_OTHERS = 1, /* another tool has asked before, and otherwise: no values come */
    UM_INSTRUMENTS_LIMIT =
        2, /* there are more series than the limits, or one has a name too long */
    UM_INSTRUMENTS_FAILED = 4 /* the runtime could not collect values, or not all of them */
};

/* Makes counters of an event of that provider, and returns how many: of the meter as provider and
 * the instrument as name, with its tags as "requests[method=GET;code=200]". What a counter of the
 * program adds in an interval is an increment, all others are levels; a histogram is its quantiles,
 * as "duration.p95", and "duration.count". Units: `interval_s` is what was asked for. */
size_t um_instruments_take(const struct um_nettrace_event *event, const char *client,
                           double interval_s,
                           struct um_nettrace_counter counters[UM_INSTRUMENTS_COUNTERS],
                           enum um_instruments_news *news);

#endif
