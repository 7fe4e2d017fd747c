#include "monitor/flows/flows_slow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/flows/recorded_markers.h"

/* The flow that a marker mentions in a field of this name; UM_FLOWS_NONE if there is none. */
static uint32_t flow_named(const struct um_flows *flows, const struct um_markers *markers,
                           uint32_t marker, const char *name)
{
    const struct um_marker *of = &markers->list[marker];
    for (uint32_t k = 0; k < of->field_count; k++) {
        const struct um_marker_field *field = &markers->fields[of->first_field + k];
        if (um_markers_is_flow(field) &&
            strcmp(um_markers_get_text(markers, field->name), name) == 0)
            return um_flows_of_field(flows, of->first_field + k);
    }
    return UM_FLOWS_NONE;
}

/* A program's own markers may have the same category, but another field leads to their flow. */
static bool is_input(const struct um_flows *flows, const struct um_markers *markers,
                     uint32_t number)
{
    uint32_t first = flows->members[flows->list[number].first];
    const char *category = um_markers_get_text(markers, markers->list[first].category);
    return strcmp(category, UM_RECORDED_MARKERS_INPUT) == 0 &&
           flow_named(flows, markers, first, UM_RECORDED_MARKERS_INPUT) == number;
}

/* Keeps a part if it is the longest so far. */
static void take_part(struct um_flows_slow *slow, uint32_t marker, uint32_t until, int64_t part_ns)
{
    if (part_ns <= slow->part_ns)
        return;
    slow->marker = marker;
    slow->until = until;
    slow->part_ns = part_ns;
}

static struct um_flows_slow describe(const struct um_flows *flows, const struct um_markers *markers,
                                     uint32_t number)
{
    const struct um_flow *flow = &flows->list[number];
    const uint32_t *members = flows->members + flow->first;
    struct um_flows_slow slow = {number, members[0], UM_MARKERS_NONE, UM_FLOWS_NONE, 0};
    for (uint32_t i = 0; i < flow->count; i++) {
        const struct um_marker *marker = &markers->list[members[i]];
        if (slow.freeze == UM_FLOWS_NONE)
            slow.freeze = flow_named(flows, markers, members[i], UM_RECORDED_MARKERS_FREEZE);
        if (marker->open)
            continue;
        take_part(&slow, members[i], UM_MARKERS_NONE, marker->end_ns - marker->start_ns);
        if (i + 1 < flow->count)
            take_part(&slow, members[i], members[i + 1],
                      markers->list[members[i + 1]].start_ns - marker->end_ns);
    }
    return slow;
}

enum um_status um_flows_slow_find(const struct um_flows *flows, const struct um_markers *markers,
                                  int64_t above_ns, struct um_flows_slow **list, size_t *count)
{
    uint32_t *longest;
    size_t found = 0;
    struct um_flows_slow *slow = calloc(flows->count + 1, sizeof *slow);
    if (!slow || um_flows_longest(flows, &longest) != UM_OK) {
        free(slow);
        return UM_ERR_MEMORY;
    }
    for (size_t i = 0; i < flows->count; i++) {
        const struct um_flow *flow = &flows->list[longest[i]];
        if (flow->end_ns - flow->start_ns <= above_ns)
            break;
        if (is_input(flows, markers, longest[i]))
            slow[found++] = describe(flows, markers, longest[i]);
    }
    free(longest);
    *list = slow;
    *count = found;
    return UM_OK;
}
