#include "monitor/export/latencies.h"

struct row {
    const char *name;
    bool is_input; /* else it is that of beats */
    enum um_interaction kind;
    enum um_wire_part part;
};

#define BEATS(name) {name, false, UM_INTERACTION_KEY, UM_WIRE_PART_TOTAL},
#define INPUT(name, kind, part) {name, true, UM_INTERACTION_##kind, UM_WIRE_PART_##part},

static const struct row rows[] = {UM_OPTIONS_LATENCIES(BEATS, INPUT)};

const char *um_latencies_name(size_t row)
{
    return rows[row].name;
}

const struct um_histogram *um_latencies_get(const struct um_stats *stats, size_t row)
{
    const struct um_histogram *parts = um_stats_interactions(stats)->kinds[rows[row].kind].parts;
    const struct um_histogram *found = !rows[row].is_input ? um_stats_histogram(stats)
                                       : parts             ? &parts[rows[row].part]
                                                           : NULL;
    return found && um_histogram_count(found) > 0 ? found : NULL;
}
