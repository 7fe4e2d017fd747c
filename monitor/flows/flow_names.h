/* What flows are called: "ID;MS", the id and a time at which the flow lasts, in milliseconds from
 * the file's zero. Programs and people may write any such time; uimon writes the flow's begin. A
 * short name is "n17": the 17th flow of the file, in the order in which they begin. `n` is no digit
 * of a hexadecimal number, so it is no id that is a number. Pure. Not on the hot path.
 */
#ifndef UM_MONITOR_FLOW_NAMES_H
#define UM_MONITOR_FLOW_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/flows/flows.h"

#define UM_FLOW_NAMES_MS_BYTES 32

/* A time in milliseconds, to the nanosecond, without zeros at its end. Returns `text`. */
const char *um_flow_names_ms(int64_t time_ns, char *text);

/* The short name of a flow. Returns `text`. */
#define UM_FLOW_NAMES_NO_BYTES 16
const char *um_flow_names_no(uint32_t flow, char *text);

/* Finds the flow that a name means; an id that is written like a short name goes first. A time is
 * as exact as it has digits: "12.3" is from 12.25 to 12.35 ms, unless a flow lasts at 12.3.
 * Without ";MS" it is the only flow of that id. Of a number the zeros before it may be missing, if
 * there is no other one. False, with the reason in `error`: when flows of that id last, or how many
 * flows there are. */
bool um_flow_names_find(const struct um_flows *flows, const struct um_markers *markers,
                        const char *name, uint32_t *flow, char *error, size_t cap_bytes);

#endif
