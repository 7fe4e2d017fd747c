#include "monitor/flows/flows_slow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/texts.h"
#include "monitor/flows/recorded_markers.h"

/* Of each marker the flow that it mentions in a field of this name; UM_FLOWS_NONE if there is none.
 * All fields are gone through once: a marker with very many of them may be in as many flows. Owner:
 * free. NULL without memory. */
static uint32_t *find_named(const struct um_flows *flows, const char *name)
{
    const struct um_markers *markers = flows->markers;
    uint32_t *named = malloc((markers->count + 1) * sizeof *named);
    uint32_t wanted = um_texts_find(&markers->texts, name);
    for (size_t i = 0; named && i < markers->count; i++) {
        const struct um_marker *marker = &markers->list[i];
        named[i] = UM_FLOWS_NONE;
        for (size_t k = marker->field_count; k > 0; k--) { /* the first one counts */
            const struct um_marker_field *field = &markers->fields[marker->first_field + k - 1];
            if (field->name == wanted && um_markers_is_flow(field))
                named[i] = um_flows_of_field(flows, marker->first_field + k - 1);
        }
    }
    return named;
}

/* The flows of input and of freezes of each marker. */
struct named {
    uint32_t *input, *freeze;
};

/* A program's own markers may have the same category, but another field leads to their flow. */
static bool is_input(const struct um_flows *flows, const struct named *named, uint32_t number)
{
    const struct um_markers *markers = flows->markers;
    uint32_t first = flows->members[flows->list[number].first];
    const char *category = um_markers_get_text(markers, markers->list[first].category);
    return strcmp(category, UM_RECORDED_MARKERS_INPUT) == 0 && named->input[first] == number;
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

static struct um_flows_slow describe(const struct um_flows *flows, const struct named *named,
                                     uint32_t number)
{
    const struct um_flow *flow = &flows->list[number];
    const struct um_marker *list = flows->markers->list;
    const uint32_t *members = flows->members + flow->first;
    struct um_flows_slow slow = {number, members[0], UM_MARKERS_NONE, UM_FLOWS_NONE, 0};
    for (uint32_t i = 0; i < flow->count; i++) {
        const struct um_marker *marker = &list[members[i]];
        if (slow.freeze == UM_FLOWS_NONE)
            slow.freeze = named->freeze[members[i]];
        if (marker->open)
            continue;
        take_part(&slow, members[i], UM_MARKERS_NONE, marker->end_ns - marker->start_ns);
        if (i + 1 < flow->count)
            take_part(&slow, members[i], members[i + 1],
                      list[members[i + 1]].start_ns - marker->end_ns);
    }
    return slow;
}

/* `longest`: all flows. Returns how many of them are slow. */
static size_t list_slow(const struct um_flows *flows, const struct named *named,
                        const uint32_t *longest, int64_t above_ns, struct um_flows_slow *slow)
{
    size_t found = 0;
    for (size_t i = 0; i < flows->count; i++) {
        const struct um_flow *flow = &flows->list[longest[i]];
        if (flow->end_ns - flow->start_ns <= above_ns)
            break;
        if (is_input(flows, named, longest[i]))
            slow[found++] = describe(flows, named, longest[i]);
    }
    return found;
}

enum um_status um_flows_slow_find(const struct um_flows *flows, int64_t above_ns,
                                  struct um_flows_slow **list, size_t *count)
{
    uint32_t *longest = NULL;
    struct um_flows_slow *slow = calloc(flows->count + 1, sizeof *slow);
    struct named named = {find_named(flows, UM_RECORDED_MARKERS_INPUT),
                          find_named(flows, UM_RECORDED_MARKERS_FREEZE)};
    bool has_memory =
        slow && named.input && named.freeze && um_flows_longest(flows, &longest) == UM_OK;
    if (has_memory) {
        *count = list_slow(flows, &named, longest, above_ns, slow);
        *list = slow;
    } else {
        free(slow);
    }
    free(longest);
    free(named.input);
    free(named.freeze);
    return has_memory ? UM_OK : UM_ERR_MEMORY;
}
