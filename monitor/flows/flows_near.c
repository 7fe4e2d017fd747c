#include "monitor/flows/flows_near.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/list.h"

struct near {
    const struct um_flows *flows;
    struct um_flows_near *list;
    size_t count, room;
    uint32_t *places; /* of each flow in the list, and 1; 0: it is not there */
    uint8_t *seen;    /* of um_flows_new_kin: for those further away than one step */
};

/* False without memory. */
static bool add(struct near *near, uint32_t flow, uint32_t steps, unsigned kins)
{
    uint32_t *place = &near->places[flow];
    if (*place == 0) {
        if (!um_list_reserve(&near->list, &near->room, near->count + 1, UM_FLOWS_NONE,
                             sizeof *near->list))
            return false;
        near->list[near->count++] = (struct um_flows_near){.flow = flow, .steps = steps};
        *place = (uint32_t)near->count;
    }
    near->list[*place - 1].kins |= near->list[*place - 1].steps == 1 ? kins : 0;
    return true;
}

/* Adds what is this to a flow. */
static bool add_kin(struct near *near, uint32_t flow, enum um_flows_kin which, uint32_t steps)
{
    uint32_t *kin;
    size_t count;
    bool has_memory = (steps == 1 ? um_flows_kin(near->flows, flow, which, &kin, &count)
                                  : um_flows_new_kin(near->flows, flow, which, near->seen, &kin,
                                                     &count)) == UM_OK;
    if (!has_memory)
        return false;
    for (size_t i = 0; i < count && has_memory; i++)
        has_memory = add(near, kin[i], steps, steps == 1 ? 1U << which : 0);
    free(kin);
    return has_memory;
}

static bool add_all_kin(struct near *near, uint32_t flow, uint32_t steps)
{
    return add_kin(near, flow, UM_FLOWS_INCOMING, steps) &&
           add_kin(near, flow, UM_FLOWS_CONNECTED, steps) &&
           add_kin(near, flow, UM_FLOWS_OUTGOING, steps);
}

/* Adds the flow, and what is one step away from it before and behind it. */
static bool add_around(struct near *near, uint32_t flow, uint32_t steps)
{
    if (steps > 0 && !add_kin(near, flow, UM_FLOWS_INCOMING, 1))
        return false;
    return add(near, flow, 0, 0) && (steps == 0 || (add_kin(near, flow, UM_FLOWS_CONNECTED, 1) &&
                                                    add_kin(near, flow, UM_FLOWS_OUTGOING, 1)));
}

/* The list grows while it is gone through, by what is one step further away. */
static bool add_further(struct near *near, uint32_t steps)
{
    for (size_t i = 0; i < near->count; i++) {
        struct um_flows_near from = near->list[i];
        if (from.steps > 0 && from.steps < steps && !add_all_kin(near, from.flow, from.steps + 1))
            return false;
    }
    return true;
}

enum um_status um_flows_near_find(const struct um_flows *flows, uint32_t flow, uint32_t steps,
                                  struct um_flows_near **list, size_t *count)
{
    struct near near = {.flows = flows,
                        .places = calloc(flows->count, sizeof *near.places),
                        .seen = calloc(flows->markers->count, sizeof *near.seen)};
    bool has_memory =
        near.places && near.seen && add_around(&near, flow, steps) && add_further(&near, steps);
    free(near.places);
    free(near.seen);
    if (!has_memory) {
        free(near.list);
        return UM_ERR_MEMORY;
    }
    *list = near.list;
    *count = near.count;
    return UM_OK;
}
