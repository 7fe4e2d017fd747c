/* Which of the events of a trace in Chrome's JSON belong together: each begin with its end, and
 * each mention of a flow with the slice in which it is.
 *
 * B and E: an end with a name ends the innermost open slice of that name on its thread, and one
 * without a name the innermost one. What was begun within a slice that ends, and is open still, has
 * lost its end: nothing ends it any more, and it may last until then. A slice that begins at the
 * time at which another one ends is not within it, whichever stands first, also if both have the
 * same name. An end of a name that is not open ends nothing.
 *
 * b and e: an end ends the last begin of its category and id that has its name and is open, or if
 * none has, the last one that is open.
 *
 * Source: the Trace Event Format of the Chromium project. Linear, besides sorting. Pure. Not on the
 * hot path.
 */
#ifndef UM_MONITOR_CHROME_PAIRS_H
#define UM_MONITOR_CHROME_PAIRS_H

#include "base/plain/status.h"
#include "monitor/flows/chrome_events.h"

/* An event that mentions a flow, and the one that is the marker: a slice, an instant, or itself. */
struct um_chrome_mention {
    uint32_t slice, event;
};

struct um_chrome_pairs {
    struct um_chrome_mention *mentions; /* those of a slice together, by the slices' order */
    size_t mention_count;
    size_t mention_room; /* private to chrome_pairs.c */
    size_t ends;         /* that end nothing */
};

/* Sets `end_ns`, `end`, `is_interval` and `is_open` of the events. `pairs` is zeroed. Owner:
 * um_chrome_pairs_deinit, also after a failure. Errors: UM_ERR_MEMORY. */
enum um_status um_chrome_pairs_find(struct um_chrome_events *events, struct um_chrome_pairs *pairs);

void um_chrome_pairs_deinit(struct um_chrome_pairs *pairs);

#endif
