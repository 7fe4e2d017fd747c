/* The markers of a processed profile of the Firefox Profiler: fields of the format `flow-id` and
 * `terminating-flow-id` mention flows. Markers of whose interval the file has the begin and the end
 * apart are paired as that program does it: an end belongs to the last begin of the same name on
 * its thread that has none. What such an end mentions counts from the end.
 *
 * Source: the types of github.com/firefox-devtools/profiler, its change log of the format, and the
 * upgraders of its profiler-cli 0.10.0, of which those to 61 and later change no part that is read
 * here. Not on the hot path.
 */
#ifndef UM_MONITOR_FIREFOX_MARKERS_H
#define UM_MONITOR_FIREFOX_MARKERS_H

#include <stddef.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/flows/markers.h"

#define UM_FIREFOX_MARKERS_OLDEST 51 /* versions of the format */
#define UM_FIREFOX_MARKERS_NEWEST 75

/* Adds the markers of a file, which stands at its begin. `error` gets what is wrong with it, to put
 * behind its name. Errors: UM_ERR_UNSUPPORTED it is no such profile, or is cut off before
 * its version, without a text; UM_ERR_VERSION of another version, or not processed; those of
 * um_json_stream_read. */
enum um_status um_firefox_markers_read(FILE *file, struct um_markers *markers, char *error,
                                       size_t cap_bytes);

#endif
