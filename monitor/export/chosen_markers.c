#include "monitor/export/chosen_markers.h"

#include <stdlib.h>

static bool touches(const struct um_marker *marker, int64_t from_ns, int64_t until_ns)
{
    return marker->start_ns <= until_ns && marker->end_ns >= from_ns;
}

bool *um_chosen_markers(const struct um_markers *markers, const struct um_flows *flows,
                        int64_t from_ns, int64_t until_ns)
{
    bool *chosen = calloc(markers->count + 1, sizeof *chosen);
    for (uint32_t i = 0; chosen && i < markers->count; i++)
        chosen[i] = touches(&markers->list[i], from_ns, until_ns);
    for (size_t i = 0; chosen && i < flows->count; i++) {
        const uint32_t *members = flows->members + flows->list[i].first;
        bool is_in = false;
        for (uint32_t k = 0; k < flows->list[i].count && !is_in; k++)
            is_in = touches(&markers->list[members[k]], from_ns, until_ns);
        for (uint32_t k = 0; k < flows->list[i].count && is_in; k++)
            chosen[members[k]] = true;
    }
    return chosen;
}
