/* The markers of a recording and their flows as data for the page, which makes the marker chart,
 * the flow panel and their tables of it: report_flows.js reads it. Flows, their kin and contexts
 * are found here (monitor/flows/flows.h), and the page has only their places.
 *
 * There are at most UM_REPORT_FLOWS_MARKERS; monitor/flows/recorded_markers.h says which. Not on
 * the hot path.
 */
#ifndef UM_MONITOR_REPORT_FLOWS_H
#define UM_MONITOR_REPORT_FLOWS_H

#include "base/plain/status.h"
#include "monitor/flows/markers.h"

#define UM_REPORT_FLOWS_MARKERS 100000

struct cJSON;

/* Adds "flows" to the page's data, unless there is no marker. `markers` are finished; NULL is none.
 * Times are in ns since the session's start. The members of "flows":
 *
 *   texts, ids  what numbers below stand for
 *   threads     [label, name, process, pid or 0, how many markers] of each, names as texts' places
 *   markers     packed, thread by thread and by start: name and category (texts' places), flags
 *               (1 interval, 2 its end was not seen, 4 on its thread's stack), start after that of
 *               the marker before, of an interval its length, its context's place less its own or
 *               0, how many fields; and of each field its name, its kind (enum
 *               um_marker_field_kind) and its value: a text's place, the 8 bytes of a double with
 *               the lowest first, or a flow's place
 *   list        packed, of each flow its id, its start after that of the flow before, how long
 *               after that its last mention is and its last marker ends, 1 if that end was not
 *               seen or 0, how many markers, and their places, each less the one before
 *   kin         packed, of each flow its incoming, connected and outgoing flows: how many, and
 *               their places, each less the one before
 *   left_out    markers for which there was no room
 *
 * Errors: UM_ERR_MEMORY. */
enum um_status um_report_flows_put(struct cJSON *root, const struct um_markers *markers);

#endif
