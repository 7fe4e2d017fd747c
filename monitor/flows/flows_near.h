/* The flows around a flow, each once: those that are incoming, connected or outgoing to it, those
 * that are so to these, and so on. Pure. Not on the hot path.
 */
#ifndef UM_MONITOR_FLOWS_NEAR_H
#define UM_MONITOR_FLOWS_NEAR_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/flows/flows.h"

struct um_flows_near {
    uint32_t flow;
    uint32_t steps; /* away; 0: the flow itself */
    unsigned kins;  /* of those one step away: a bit (1 << enum um_flows_kin) for each that it is */
};

/* The flows up to `steps` away: incoming ones, the flow itself, connected ones, outgoing ones, and
 * then those further away, the nearest first. Owner: free(*list). Errors: UM_ERR_MEMORY. */
enum um_status um_flows_near_find(const struct um_flows *flows, uint32_t flow, uint32_t steps,
                                  struct um_flows_near **list, size_t *count);

#endif
