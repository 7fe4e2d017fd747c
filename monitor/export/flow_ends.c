#include "monitor/export/flow_ends.h"

#include <stdlib.h>

/* Markers have numbers by thread and start. */
static bool is_before(const struct um_markers *markers, uint32_t a, uint32_t b)
{
    int64_t a_ns = markers->list[a].start_ns, b_ns = markers->list[b].start_ns;
    return a_ns != b_ns ? a_ns < b_ns : a < b;
}

static struct um_flow_ends_of find(const struct um_export_about *about, const struct um_flow *flow)
{
    const uint32_t *members = about->flows->members + flow->first;
    struct um_flow_ends_of of = {UM_MARKERS_NONE, UM_MARKERS_NONE, 0};
    for (uint32_t i = 0; i < flow->count; i++) {
        if (about->chosen && !about->chosen[members[i]])
            continue;
        if (of.first == UM_MARKERS_NONE || is_before(about->markers, members[i], of.first))
            of.first = members[i];
        if (of.last == UM_MARKERS_NONE || is_before(about->markers, of.last, members[i]))
            of.last = members[i];
    }
    return of;
}

enum um_status um_flow_ends_init(struct um_flow_ends *ends, const struct um_export_about *about)
{
    const struct um_markers *markers = about->markers;
    *ends = (struct um_flow_ends){.flows = about->flows};
    if (!about->flows || !markers)
        return UM_OK;
    ends->list = calloc(about->flows->count + 1, sizeof *ends->list);
    if (!ends->list)
        return UM_ERR_MEMORY;
    /* At first `asked` says whether a marker ends the flow. */
    for (size_t i = 0; i < markers->field_count; i++)
        if (markers->fields[i].kind == UM_MARKER_TERMINATING_FLOW)
            ends->list[um_flows_of_field(about->flows, i)].asked = 1;
    for (size_t i = 0; i < about->flows->count; i++) {
        bool is_ended = ends->list[i].asked == 1;
        ends->list[i] = find(about, &about->flows->list[i]);
        if (!is_ended)
            ends->list[i].last = UM_MARKERS_NONE;
    }
    return UM_OK;
}

enum um_flow_ends_place um_flow_ends_get(const struct um_flow_ends *ends, uint32_t flow,
                                         uint32_t marker)
{
    return marker == ends->list[flow].last    ? UM_FLOW_ENDS_LAST
           : marker == ends->list[flow].first ? UM_FLOW_ENDS_FIRST
                                              : UM_FLOW_ENDS_MIDDLE;
}

uint32_t um_flow_ends_next(struct um_flow_ends *ends, uint32_t marker, size_t field)
{
    uint32_t flow = um_flows_of_field(ends->flows, field);
    if (flow == UM_FLOWS_NONE || ends->list[flow].asked == marker + 1)
        return UM_FLOWS_NONE;
    ends->list[flow].asked = marker + 1;
    return flow;
}

void um_flow_ends_deinit(struct um_flow_ends *ends)
{
    free(ends->list);
    *ends = (struct um_flow_ends){0};
}
