/* Writes flows and markers for `uimon flows`: as tables for people and as JSON for programs. What a
 * file says is shown without control characters. Not on the hot path.
 */
#ifndef UM_MONITOR_FLOWS_WRITE_H
#define UM_MONITOR_FLOWS_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "monitor/flows/flows.h"
#include "monitor/flows/flows_near.h"
#include "monitor/flows/flows_slow.h"
#include "monitor/flows/markers.h"

/* What is written. */
struct um_flows_write {
    const struct um_markers *markers;
    const struct um_flows *flows;
    FILE *file;
    /* NULL, or counts up by the flows that JSON has with `tangled`: not all that is around them was
     * looked at, because there was too much of it. */
    size_t *tangled;
    size_t more_steps; /* for tests: so much is looked at; 0: some hundred million */
};

/* A row for each of these flows, in their order. After `most` of them a line says how many more
 * there are. False without memory. */
bool um_flows_write_list(const struct um_flows_write *to, const uint32_t *list, size_t count,
                         size_t most);

/* A flow with its markers, a row each with its fields, and then a row for each flow of a list of
 * um_flows_near_find. False without memory. */
bool um_flows_write_flow(const struct um_flows_write *to, uint32_t flow,
                         const struct um_flows_near *list, size_t count);

/* A row for each of these flows of input, and what took most of it; `most` as above. */
void um_flows_write_slow(const struct um_flows_write *to, const struct um_flows_slow *list,
                         size_t count, size_t most);

/* A row for each of these markers. */
void um_flows_write_markers(const struct um_flows_write *to, const uint32_t *list, size_t count);

/* The same as JSON. False if it cannot be written, or without memory. */
bool um_flows_write_slow_json(const struct um_flows_write *to, const struct um_flows_slow *list,
                              size_t count);

/* JSON: these flows, or markers, in their order, and the name of the flow that was asked for, if it
 * is not UM_FLOWS_NONE. False if it cannot be written, or without memory. */
bool um_flows_write_json(const struct um_flows_write *to, uint32_t asked, const uint32_t *list,
                         size_t count);
bool um_flows_write_markers_json(const struct um_flows_write *to, const uint32_t *list,
                                 size_t count);

#endif
