/* The flows around a flow: those that are incoming, connected or outgoing to it, those that are so
 * to these, and so on, each once. Pure. Not on the hot path.
 */
#ifndef UM_MONITOR_FLOWS_NEAR_H
#define UM_MONITOR_FLOWS_NEAR_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/flows/flows.h"

/* The flow first, then those a step away, and so on for `steps`, less one: 1 is the flow alone.
 * Owner: free(*list). Errors: UM_ERR_MEMORY. */
enum um_status um_flows_near(const struct um_flows *flows, uint32_t flow, uint32_t steps,
                             uint32_t **list, size_t *count);

#endif
