/* A recording as `uimon report` reads it: once, for everything that is made of it, and on while it
 * grows.
 *
 * What was read stays in memory. So a page of a recording that has grown is made of that and of
 * what is new, and only this is read from the file, which is open only meanwhile. A reader starts
 * at um_report_reading_go_on. Not on the hot path. Thread: one at a time; blocks on the disk.
 */
#ifndef UM_MONITOR_REPORT_READING_H
#define UM_MONITOR_REPORT_READING_H

#include <stdbool.h>

#include "base/plain/status.h"
#include "monitor/flows/recorded_markers.h"
#include "monitor/recorded/recorded.h"
#include "monitor/recording/recording.h"

/* Zeroed but for `path` and `wants_markers`, nothing was read. It must not move. */
struct um_report_reading {
    const char *path;   /* owner: the caller */
    bool wants_markers; /* what markers are made of is kept, too */
    struct um_recorded recorded;
    struct um_recorded_markers *markers; /* private, as what follows */
    struct um_recording *recording;
    enum um_status status; /* of the last call */
};

/* Reads what the file has that was not read yet. If another recording has taken its place, that one
 * is read from its begin. If um_report_reading_can_grow says no, nothing is read, and the last
 * call's result is returned.
 * Errors: as um_recorded_read_file. After UM_ERR_PARTIAL it can be called again, as after UM_OK. */
enum um_status um_report_reading_go_on(struct um_report_reading *reading);

/* Whether a later call can read more: the recording has no end yet, and is not damaged. */
bool um_report_reading_can_grow(const struct um_report_reading *reading);

/* Makes the markers of what was read, finished. `markers` is zeroed before. Owner:
 * um_markers_deinit, also after an error. Errors: UM_ERR_MEMORY. */
enum um_status um_report_reading_markers(const struct um_report_reading *reading,
                                         struct um_markers *markers);

/* Accepts a zeroed one. */
void um_report_reading_deinit(struct um_report_reading *reading);

#endif
