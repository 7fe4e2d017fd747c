/* What `uimon listen` writes of counters and events: JSON Lines, CSV rows, or text.
 *
 * JSON Lines: each line is one JSON object with its "kind", and with "target" and "pid" of the
 * program that is watched. Times are "time_s", seconds since the session's start; "utc_ms", the
 * same on the calendar, ms since 1970; and "clock_ns", the machine's monotonic counter
 * (base/plain/clock.h). What was not measured is absent.
 *
 *   session    monitor_pid, and "counters": name, display, unit and type ("mean" or "increment") of
 *              each one that will follow
 *   counter    a counter that the program has of itself, before its first value: the same, and
 *              provider; its name is "System.Runtime/cpu-usage". Its type is "unknown" if it is of
 *              a later version; then it has no values
 *              A component's layout is "layout/NAME" (layout_counters.h), of the provider "layout".
 *              In "counters" are those that cost most in the interval, the most costly first
 *   counters   time of the interval's end, interval_s, state, and "values": a number for each
 *              counter; for one with a spread an object of mean, min, max, p50, p99 and count; for
 *              a mean of the program's own one of mean, min, max and count; for a component's
 *              layout one of mean (ms a frame, a moving average), max (the worst frame in the
 *              interval), measure, arrange and paint (of the last frame)
 *   event      time, and "event": UiHangDetected (hang, state, lag_ms), UiHangEnded (hang, state,
 *              length_ms, peak_ms, void), both with message and window_class if there is a suspect;
 *              ThreadPoolStarvationDetected, ThreadPoolStarvationRecovered (starvation, peak_ms;
 *              of .NET's own pool source "dotnet" and peak_items);
 *              StateChanged (before, state), TargetWindowChanged (hwnd, tid, title), SessionEnded
 *              (reason), ConsumerLost (frames: so many did not reach this listener, which read too
 *              slowly)
 *
 * CSV: the header below, a row for each counter of each interval, and one for each event. The value
 * of an event is a hang's length, or a starvation's peak. A component that had layout frames has
 * four rows: layout/NAME, and layout/NAME.measure, .arrange and .paint. NA where something does not
 * apply or was not measured; quoted as in RFC 4180.
 *
 * Texts of other programs are made harmless for a terminal. Portable; not on the hot path.
 */
#ifndef UM_MONITOR_LINES_H
#define UM_MONITOR_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/listen/counters.h"

#define UM_LINES_CSV_HEADER                                                                        \
    "ProcessName,ProcessID,TimeInSeconds,Kind,Name,Value,Unit,Count,Min,Max,P50,P99\n"
#define UM_LINES_EVENT_BYTES 512

/* The feed that is written about, and which of its counters are written. */
struct um_lines_about {
    const struct um_wire_session *session;
    uint32_t monitor_pid;
    bool wanted[UM_METRICS_COUNT];
    const char *targets; /* names of the program's own, with commas between; NULL: all of them, but
                          * of components those of "layout" */
};

/* Whether values of a counter of the program's own may be wanted: its name is in the list, or its
 * provider, as "System.Runtime/"; or it is a component's, and "layout" without the slash is. */
bool um_lines_wants(const struct um_lines_about *about, const struct um_counters_target *target);

/* Whether its value in this interval is wanted. Of the components that "layout" stands for, these
 * are those that cost most in it. */
bool um_lines_wants_value(const struct um_lines_about *about,
                          const struct um_counters_target *target);

/* Formats a counter of the program's own, which may be of any size, for people. */
void um_lines_number(char *text, size_t cap_bytes, double number);

/* JSON Lines. Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_lines_json_session(FILE *out, const struct um_lines_about *about);
enum um_status um_lines_json_target(FILE *out, const struct um_lines_about *about,
                                    const struct um_counters_target *target);
enum um_status um_lines_json_interval(FILE *out, const struct um_lines_about *about,
                                      const struct um_counters_interval *interval);
enum um_status um_lines_json_event(FILE *out, const struct um_lines_about *about,
                                   const struct um_counters_event *event);

/* CSV. Errors: UM_ERR_IO. */
enum um_status um_lines_csv_interval(FILE *out, const struct um_lines_about *about,
                                     const struct um_counters_interval *interval);
enum um_status um_lines_csv_event(FILE *out, const struct um_lines_about *about,
                                  const struct um_counters_event *event);

/* Text: a line for an interval, in which counters without a value are left out. Errors:
 * UM_ERR_IO. */
enum um_status um_lines_text_interval(FILE *out, const struct um_lines_about *about,
                                      const struct um_counters_interval *interval);

/* Writes the line of an event, without a newline: "  12.345 s  UiHangDetected 102 ms, ...".
 * Units: `line` has UM_LINES_EVENT_BYTES. */
void um_lines_text_event(char *line, const struct um_lines_about *about,
                         const struct um_counters_event *event);

#endif
