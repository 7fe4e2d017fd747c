/* The first and the last marker of each flow, for formats in which a marker is in a flow from its
 * start on. There, markers of a flow are in the order in which they start, whenever they mention
 * it. One that mentions a flow when it ends, as an activity ends its own, may have started before
 * all others.
 *
 * Of those that start together, the first is that which um_markers_finish left before the others.
 * Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_FLOW_ENDS_H
#define UM_MONITOR_FLOW_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/export/export.h"

enum um_flow_ends_place {
    UM_FLOW_ENDS_MIDDLE,
    UM_FLOW_ENDS_FIRST, /* also of a flow of one marker that nothing ends */
    UM_FLOW_ENDS_LAST,  /* only of a flow that a marker ends */
};

/* Zeroed, there are no flows. */
struct um_flow_ends {
    const struct um_flows *flows;
    struct um_flow_ends_of {
        uint32_t first, last; /* markers; UM_MARKERS_NONE: none is written, or nothing ends it */
        uint32_t asked;       /* the last marker for which um_flow_ends_next gave it, and 1 */
    } * list;
};

/* Looks at the flows of an export, which must outlive this, and at the markers that it writes.
 * Owner: um_flow_ends_deinit, also after a failure. Errors: UM_ERR_MEMORY. */
enum um_status um_flow_ends_init(struct um_flow_ends *ends, const struct um_export_about *about);

/* What a marker is in a flow. */
enum um_flow_ends_place um_flow_ends_get(const struct um_flow_ends *ends, uint32_t flow,
                                         uint32_t marker);

/* The flow that a field of a marker mentions, once for each marker. UM_FLOWS_NONE: it mentions
 * none, or one that this was asked for before, and for no other marker since. */
uint32_t um_flow_ends_next(struct um_flow_ends *ends, uint32_t marker, size_t field);

/* Accepts a zeroed one. */
void um_flow_ends_deinit(struct um_flow_ends *ends);

#endif
