/* Reads the markers of a file: of a recording of uimon, a processed profile of the Firefox
 * Profiler, or a trace in Chrome's JSON; the last two may be packed with gzip. What it is, is told
 * by what is in it, not by its name. Not on the hot path.
 */
#ifndef UM_MONITOR_MARKER_FILE_H
#define UM_MONITOR_MARKER_FILE_H

#include <stddef.h>

#include "base/plain/status.h"
#include "monitor/flows/markers.h"

/* Adds the markers. `error` gets the line to print, also with UM_OK if the file is cut off or
 * damaged at its end, and "" if all is well. Thread: waits for the disk. Errors:
 * UM_ERR_UNSUPPORTED it is another kind of file, which `error` names if it is known; those of
 * um_recording_open, um_recorded_markers_read, um_firefox_markers_read and
 * um_chrome_markers_read. */
enum um_status um_marker_file_read(const char *path, struct um_markers *markers, char *error,
                                   size_t cap_bytes);

#endif
