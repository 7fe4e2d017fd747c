#include "monitor/profile/hottest.h"

#include <stdbool.h>
#include <stdlib.h>

#include "monitor/base/list.h"
#include "monitor/profile/calltree.h"
#include "monitor/profile/functions.h"
#include "monitor/profile/headline.h"
#include "monitor/profile/module_list.h"
#include "monitor/profile/samples.h"

#define UNKNOWN UINT32_MAX

/* What a node of the tree of addresses is. */
struct place {
    uint32_t samples;  /* of the chosen ones, with it innermost */
    uint32_t function; /* UNKNOWN until it is asked for */
};

struct cost {
    uint32_t self, all;
    uint32_t seen; /* the last stack that was counted, + 1 */
    bool is_known; /* whether it is the system's: */
    bool is_system;
};

struct making {
    const struct um_samples *samples;
    uint64_t start_ns; /* what their times count from */
    struct um_functions functions;
    struct place *places; /* one for each node */
    struct cost *costs;   /* one for each function, and more */
    size_t cost_cap;
    bool shows_system;
    struct um_wire_profile made;
};

static bool is_chosen(const struct making *making, const struct um_samples_entry *entry,
                      const struct um_hottest_choice *choice)
{
    if (entry->is_other)
        return false;
    if (choice->scope == UM_WIRE_SCOPE_FREEZE)
        return entry->freeze == choice->freeze;
    return choice->scope == UM_WIRE_SCOPE_SESSION ||
           making->start_ns + entry->at_ns >= choice->since_ns;
}

/* Counts the chosen samples of each stack. */
static void choose(struct making *making, const struct um_hottest_choice *choice)
{
    const struct um_samples *samples = making->samples;
    struct um_wire_profile *made = &making->made;
    uint64_t first_ns = 0;

    for (size_t i = 0; i < samples->count; i++) {
        const struct um_samples_entry *entry = &samples->entries[i];
        if (!is_chosen(making, entry, choice))
            continue;
        made->time_ns = making->start_ns + entry->at_ns;
        first_ns = made->samples++ == 0 ? made->time_ns : first_ns;
        making->places[entry->node].samples++;
    }
    made->span_ns = choice->span_ns;
    if (choice->scope == UM_WIRE_SCOPE_SESSION && made->time_ns > first_ns)
        made->span_ns = made->time_ns - first_ns;
}

/* The costs of a function; NULL: there is no memory. */
static struct cost *cost_of(struct making *making, uint32_t function)
{
    bool has_room = um_list_reserve(&making->costs, &making->cost_cap, (size_t)function + 1,
                                    SIZE_MAX, sizeof *making->costs);
    return has_room ? &making->costs[function] : NULL;
}

/* The function of a node, if it is to be shown; NULL: it is not, or there is no memory. */
static struct cost *shown_at(struct making *making, uint32_t node)
{
    struct place *place = &making->places[node];
    if (place->function == UNKNOWN)
        place->function =
            um_functions_of(&making->functions, making->samples->stacks.nodes[node].key);
    struct cost *cost = cost_of(making, place->function);
    if (!cost)
        return NULL;
    if (!cost->is_known)
        cost->is_system = um_module_list_has(
            um_headline_system, um_functions_get(&making->functions, place->function)->module);
    cost->is_known = true;
    return cost->is_system && !making->shows_system ? NULL : cost;
}

/* Charges a stack to its functions, from the innermost on: a recursion is charged once. */
static void charge(struct making *making, uint32_t node)
{
    uint32_t samples = making->places[node].samples;
    bool is_first = true;

    for (uint32_t at = node; at >= UM_CALLTREE_FIRST && at != UM_CALLTREE_NONE;
         at = making->samples->stacks.nodes[at].parent) {
        struct cost *cost = shown_at(making, at);
        if (!cost)
            continue;
        cost->self += is_first ? samples : 0;
        is_first = false;
        cost->all += cost->seen == node ? 0 : samples;
        cost->seen = node;
    }
    making->made.unread += is_first ? samples : 0;
}

static void charge_all(struct making *making)
{
    making->made.unread = 0;
    for (uint32_t node = 0; node < making->samples->stacks.count; node++)
        if (making->places[node].samples > 0)
            charge(making, node);
}

static bool is_hotter(const struct cost *a, const struct cost *b)
{
    return a->self > b->self || (a->self == b->self && a->all > b->all);
}

static void write_row(const struct making *making, uint32_t function,
                      struct um_wire_profile_row *row)
{
    const struct um_functions_name *name = um_functions_get(&making->functions, function);
    const char *file = name->module;

    for (const char *at = file; *at; at++)
        if (*at == '\\' || *at == '/')
            file = at + 1;
    row->self = making->costs[function].self;
    row->all = making->costs[function].all;
    um_wire_set_text(row->module, sizeof row->module, file);
    um_wire_set_text(row->name, sizeof row->name, name->name);
    if (name->name[0] == '+' || name->name[0] == '\0')
        um_wire_set_text(row->name, sizeof row->name,
                         um_functions_label(&making->functions, function).text);
}

/* Takes the hottest functions, the hottest first; of equals, the one that was seen first. */
static void pick(struct making *making)
{
    for (int row = 0; row < UM_WIRE_PROFILE_ROWS; row++) {
        uint32_t best = UNKNOWN;
        for (uint32_t i = 0; i < making->functions.name_count && i < making->cost_cap; i++)
            if (making->costs[i].self > 0 &&
                (best == UNKNOWN || is_hotter(&making->costs[i], &making->costs[best])))
                best = i;
        if (best == UNKNOWN)
            return;
        write_row(making, best, &making->made.rows[row]);
        making->costs[best].self = 0;
    }
}

static bool open_making(struct making *making, struct um_profile *profile)
{
    making->samples = um_profile_samples(profile);
    making->start_ns = um_profile_start_ns(profile);
    uint32_t nodes = making->samples->stacks.count;
    making->places = calloc(nodes > 0 ? nodes : 1, sizeof *making->places);
    if (!making->places ||
        um_functions_init(&making->functions, um_profile_look_up, profile) != UM_OK)
        return false;
    for (uint32_t i = 0; i < nodes; i++)
        making->places[i].function = UNKNOWN;
    return true;
}

enum um_status um_hottest_make(struct um_profile *profile, const struct um_hottest_choice *choice,
                               struct um_wire_profile *made)
{
    struct making making = {.made = {.scope = (uint8_t)choice->scope}};
    enum um_status status = UM_ERR_MEMORY;

    if (open_making(&making, profile)) {
        choose(&making, choice);
        charge_all(&making);
        making.shows_system = making.made.unread == making.made.samples;
        if (making.shows_system)
            charge_all(&making);
        pick(&making);
        uint64_t lost = um_profile_told(profile) - choice->before - making.samples->count;
        if (choice->scope == UM_WIRE_SCOPE_SESSION)
            making.made.forgotten = lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX;
        *made = making.made;
        status = UM_OK;
    }
    um_functions_deinit(&making.functions);
    free(making.places);
    free(making.costs);
    return status;
}
