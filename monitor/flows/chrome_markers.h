/* The markers of a trace in Chrome's JSON: slices (B and E, X) are intervals on the stack of their
 * thread, i is an instant, b and e are intervals that lie on no stack; older phases are read as
 * what they are today. Which end ends what is said in chrome_pairs.h. An end's arguments are
 * fields of its interval, behind those of the begin; what lies within an argument is a field of
 * its own.
 *
 * Flow events (s, t, f) are no markers: each is a mention of the slice in which it lies, or of the
 * instant at its time, and an f without `"bp": "e"` one of the next slice or instant of its
 * thread. It counts at its own time, whenever the slice starts, and at one time s comes before t
 * before f. Without a slice it is an instant itself. Flows are the same if id, category and name
 * are; where an id has another flow already, the flow is called ID:CATEGORY:NAME, or
 * ID@PROCESS:CATEGORY:NAME if the id is one of its process. Of that 1,023 bytes count. A flow
 * event with the argument UM_CHROME_MARKERS_FLOW, a text, is of the flow that is called so. Events
 * with bind_id mention the flow of that id themselves, which nothing ends.
 *
 * Events of other phases are left out, and counted in what is said of the file.
 *
 * Source: the Trace Event Format of the Chromium project. Not on the hot path.
 */
#ifndef UM_MONITOR_CHROME_MARKERS_H
#define UM_MONITOR_CHROME_MARKERS_H

#include <stddef.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/flows/markers.h"

/* The argument in which uimon's own files have what a flow is called, because Perfetto reads only
 * ids that are numbers: the id is the number of the flow, in the order in which flows begin. */
#define UM_CHROME_MARKERS_FLOW "uimon_flow"

/* Adds the markers of a file, which stands at its begin. `error` gets what is wrong with it, to put
 * behind its name, also with UM_OK if the file is cut off behind some events, as programs that are
 * killed leave such files: these are added. Errors: UM_ERR_UNSUPPORTED there is no event in it,
 * without a text; those of um_json_stream_read. */
enum um_status um_chrome_markers_read(FILE *file, struct um_markers *markers, char *error,
                                      size_t cap_bytes);

#endif
