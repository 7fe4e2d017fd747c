#include "monitor/flows/flows_near.h"

#include <stdbool.h>
#include <stdlib.h>

struct near {
    const struct um_flows *flows;
    uint32_t *list; /* room for all flows */
    bool *listed;
    size_t count;
};

static void add(struct near *near, uint32_t flow)
{
    if (near->listed[flow])
        return;
    near->listed[flow] = true;
    near->list[near->count++] = flow;
}

static bool add_around(struct near *near, uint32_t flow)
{
    static const enum um_flows_kin order[] = {UM_FLOWS_INCOMING, UM_FLOWS_CONNECTED,
                                              UM_FLOWS_OUTGOING};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        uint32_t *kin;
        size_t count;
        if (um_flows_kin(near->flows, flow, order[i], &kin, &count) != UM_OK)
            return false;
        for (size_t k = 0; k < count; k++)
            add(near, kin[k]);
        free(kin);
    }
    return true;
}

enum um_status um_flows_near(const struct um_flows *flows, uint32_t flow, uint32_t steps,
                             uint32_t **list, size_t *count)
{
    struct near near = {.flows = flows,
                        .list = calloc(flows->count, sizeof *near.list),
                        .listed = calloc(flows->count, sizeof *near.listed)};
    bool whole = near.list && near.listed;
    if (whole)
        add(&near, flow);
    for (size_t begin = 0, end = 1; whole && steps > 1 && begin < end; steps--) {
        for (size_t i = begin; i < end && whole; i++)
            whole = add_around(&near, near.list[i]);
        begin = end;
        end = near.count;
    }
    free(near.listed);
    if (!whole) {
        free(near.list);
        return UM_ERR_MEMORY;
    }
    *list = near.list;
    *count = near.count;
    return UM_OK;
}
