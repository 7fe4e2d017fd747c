/* The markers of a part of a session: those that touch it, and those that share a flow with one of
 * these. Pure. Not on the hot path.
 */
#ifndef UM_MONITOR_CHOSEN_MARKERS_H
#define UM_MONITOR_CHOSEN_MARKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/flows/flows.h"
#include "monitor/flows/markers.h"

/* For each marker whether it is one. Both ends are included. Owner: free. NULL without memory. */
bool *um_chosen_markers(const struct um_markers *markers, const struct um_flows *flows,
                        int64_t from_ns, int64_t until_ns);

#endif
