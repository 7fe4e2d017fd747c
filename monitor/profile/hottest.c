#include "monitor/profile/hottest.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/plain/text.h"
#include "base/intern.h"
#include "base/list.h"
#include "base/ns.h"
#include "monitor/profile/calltree.h"
#include "monitor/profile/functions.h"
#include "monitor/profile/headline.h"
#include "base/module_list.h"
#include "monitor/profile/samples.h"

#define UNKNOWN UINT32_MAX
#define WHOLE 10000  /* what a share is in parts of */
#define PAIRS 262144 /* functions in functions that are counted */

struct pair {
    uint32_t above, below;
};

/* What is known of a node of the tree of addresses. */
struct place {
    uint64_t wall_ns;  /* what the chosen samples weigh that have it innermost */
    uint64_t value;    /* what the criterion has of them, if that adds up */
    uint32_t function; /* UNKNOWN until it is needed */
    uint32_t
        seen; /* by FREEZES: the last one in which it was seen; by FUNCTIONS: 1 if it is counted */
};

struct cost {
    uint64_t self_ns, all_ns;
    uint64_t value;  /* by the criterion */
    uint32_t seen;   /* 1 + the last stack that was charged to it */
    uint32_t freeze; /* the last one in which it was seen */
    bool is_known;   /* `is_hidden` is filled in */
    bool is_hidden;
    bool is_listed; /* it has a row */
};

struct making {
    const struct um_samples *samples;
    uint64_t start_ns; /* the times of samples count from here */
    struct um_functions functions;
    struct place *places; /* one for each node */
    struct cost *costs;   /* one for each function; there is room for more */
    size_t cost_cap;
    const struct um_hottest_shown *shown;
    bool shows_all;
    uint64_t whole_ns, unread_ns; /* of the chosen samples, and of those in no known function */
    uint64_t whole;               /* by the criterion */
    struct um_intern pairs;       /* by FUNCTIONS: a function, and one that was seen in it */
    struct pair *pair_list;
    size_t pair_count, pair_cap;
    struct um_wire_profile made; /* without rows */
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

/* What a sample has of the criterion; 0 if that does not add up. */
static uint64_t value_of(enum um_wire_by by, const struct um_calltree_cost *cost)
{
    switch (by) {
    case UM_WIRE_BY_SELF:
    case UM_WIRE_BY_TIME:
        return cost->wall_ns;
    case UM_WIRE_BY_CPU:
        return cost->user_ns + cost->kernel_ns;
    case UM_WIRE_BY_USER:
        return cost->user_ns;
    case UM_WIRE_BY_KERNEL:
        return cost->kernel_ns;
    case UM_WIRE_BY_SAMPLES:
        return cost->samples;
    default:
        return 0;
    }
}

/* Weighs the chosen samples of each stack. */
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
        struct um_calltree_cost cost = entry->cost;
        if (choice->scope == UM_WIRE_SCOPE_NOW) /* as profile.h does when the freeze has ended */
            cost.wall_ns = um_ns_min(cost.wall_ns, made->time_ns - choice->since_ns + 1);
        making->places[entry->node].wall_ns += cost.wall_ns;
        making->whole_ns += cost.wall_ns;
        making->places[entry->node].value += value_of(making->shown->by, &cost);
        making->whole += value_of(making->shown->by, &cost);
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

static bool has_lists(const struct making *making)
{
    return making->shown->only || making->shown->hide;
}

static bool is_hidden(const struct making *making, const char *module)
{
    const char *only = making->shown->only;
    if (!has_lists(making))
        return um_module_list_has(um_headline_system, module);
    return (only && only[0] != '\0' && !um_module_list_has(only, module)) ||
           um_module_list_has(making->shown->hide, module);
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
        cost->is_hidden =
            is_hidden(making, um_functions_get(&making->functions, place->function)->module);
    cost->is_known = true;
    return cost->is_hidden && !making->shows_all ? NULL : cost;
}

/* Adds a stack's weight to each of its functions, from the innermost on. A function that is on
 * the stack twice counts once. */
static void charge(struct making *making, uint32_t node)
{
    uint64_t wall_ns = making->places[node].wall_ns, value = making->places[node].value;
    bool is_first = true;

    for (uint32_t at = node; at >= UM_CALLTREE_FIRST && at != UM_CALLTREE_NONE;
         at = making->samples->stacks.nodes[at].parent) {
        struct cost *cost = shown_at(making, at);
        if (!cost)
            continue;
        cost->self_ns += is_first ? wall_ns : 0;
        if (making->shown->by == UM_WIRE_BY_SELF)
            cost->value += is_first ? value : 0;
        else
            cost->value += cost->seen == node ? 0 : value;
        is_first = false;
        cost->all_ns += cost->seen == node ? 0 : wall_ns;
        cost->seen = node;
    }
    making->unread_ns += is_first ? wall_ns : 0;
}

static void charge_all(struct making *making)
{
    making->unread_ns = 0;
    for (uint32_t node = 0; node < making->samples->stacks.count; node++)
        if (making->places[node].wall_ns > 0)
            charge(making, node);
}

/* Counts in how many freezes each function was seen. Freezes follow one another in the list; the
 * callers of a node that was seen in one were seen in it, too. */
static void count_freezes(struct making *making, const struct um_hottest_choice *choice)
{
    const struct um_samples *samples = making->samples;
    for (size_t i = 0; i < samples->count; i++) {
        const struct um_samples_entry *entry = &samples->entries[i];
        if (!is_chosen(making, entry, choice) || entry->freeze == UM_SAMPLES_NO_FREEZE)
            continue;
        for (uint32_t at = entry->node; at >= UM_CALLTREE_FIRST && at != UM_CALLTREE_NONE &&
                                        making->places[at].seen != entry->freeze;
             at = samples->stacks.nodes[at].parent) {
            struct cost *cost = shown_at(making, at);
            making->places[at].seen = entry->freeze;
            if (cost && cost->freeze != entry->freeze) {
                cost->value++;
                cost->freeze = entry->freeze;
            }
        }
    }
}

struct wanted_pair {
    const struct making *making;
    struct pair pair;
};

static bool is_pair(const void *context, uint32_t index)
{
    const struct wanted_pair *wanted = context;
    const struct pair *pair = &wanted->making->pair_list[index];
    return pair->above == wanted->pair.above && pair->below == wanted->pair.below;
}

/* Counts a function in another one, once. There are PAIRS at most. */
static void count_pair(struct making *making, uint32_t above, uint32_t below)
{
    struct wanted_pair wanted = {making, {above, below}};
    uint64_t hash = um_intern_mix(um_intern_mix(0, above), below);
    if (um_intern_find(&making->pairs, hash, is_pair, &wanted) != UM_INTERN_NONE ||
        !um_list_reserve(&making->pair_list, &making->pair_cap, making->pair_count + 1, PAIRS,
                         sizeof *making->pair_list) ||
        !um_intern_reserve(&making->pairs, 1))
        return;
    making->pair_list[making->pair_count] = wanted.pair;
    um_intern_add(&making->pairs, hash, (uint32_t)making->pair_count++);
    making->costs[above].value++;
}

/* Counts the functions that were seen in each function. The callers of a node that is counted are
 * counted, too. */
static void count_functions(struct making *making)
{
    const struct um_calltree_node *nodes = making->samples->stacks.nodes;
    for (uint32_t node = 0; node < making->samples->stacks.count; node++) {
        if (making->places[node].wall_ns == 0)
            continue;
        for (uint32_t low = node;
             low >= UM_CALLTREE_FIRST && low != UM_CALLTREE_NONE && making->places[low].seen == 0;
             low = nodes[low].parent) {
            making->places[low].seen = 1;
            for (uint32_t at = low;
                 shown_at(making, low) && at >= UM_CALLTREE_FIRST && at != UM_CALLTREE_NONE;
                 at = nodes[at].parent)
                if (shown_at(making, at))
                    count_pair(making, making->places[at].function, making->places[low].function);
        }
    }
}

static bool is_hotter(const struct cost *a, const struct cost *b)
{
    return a->value > b->value ||
           (a->value == b->value &&
            (a->self_ns > b->self_ns || (a->self_ns == b->self_ns && a->all_ns > b->all_ns)));
}

/* So many of the chosen samples as a weight is of all of theirs. */
static uint32_t samples_of(const struct making *making, uint64_t wall_ns)
{
    return (uint32_t)um_samples_share(making->made.samples, wall_ns, making->whole_ns);
}

static void write_row(const struct making *making, uint32_t function,
                      struct um_wire_profile_row *row)
{
    const struct um_functions_name *name = um_functions_get(&making->functions, function);
    size_t stem_bytes;

    row->self = samples_of(making, making->costs[function].self_ns);
    row->all = samples_of(making, making->costs[function].all_ns);
    row->value =
        making->shown->by == UM_WIRE_BY_FREEZES || making->shown->by == UM_WIRE_BY_FUNCTIONS
            ? (uint32_t)making->costs[function].value
            : (uint32_t)um_samples_share(WHOLE, making->costs[function].value, making->whole);
    um_text_set(row->module, sizeof row->module, um_module_list_stem(name->module, &stem_bytes));
    um_text_set(row->name, sizeof row->name, name->name);
    if (!um_functions_is_named(name))
        um_text_set(row->name, sizeof row->name,
                    um_functions_label(&making->functions, function).text);
}

/* Picks the hottest functions, the hottest first. Of two that are equal, the one that was seen
 * first comes first. */
static void pick(struct making *making, struct um_wire_profile made[UM_WIRE_PROFILE_PARTS])
{
    for (int row = 0; row < UM_WIRE_PROFILE_PARTS * UM_WIRE_PROFILE_ROWS; row++) {
        uint32_t best = UNKNOWN;
        for (uint32_t i = 0; i < making->functions.name_count && i < making->cost_cap; i++)
            if (making->costs[i].value > 0 && !making->costs[i].is_listed &&
                (best == UNKNOWN || is_hotter(&making->costs[i], &making->costs[best])))
                best = i;
        if (best == UNKNOWN)
            return;
        write_row(making, best, &made[row / UM_WIRE_PROFILE_ROWS].rows[row % UM_WIRE_PROFILE_ROWS]);
        making->costs[best].is_listed = true;
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

/* Adds up what the chosen samples are of, and copies the head of each part. */
static void fill(struct making *making, const struct um_hottest_choice *choice,
                 struct um_wire_profile made[UM_WIRE_PROFILE_PARTS])
{
    choose(making, choice);
    charge_all(making);
    making->shows_all = !has_lists(making) && making->unread_ns == making->whole_ns;
    if (making->shows_all)
        charge_all(making);
    if (making->shown->by == UM_WIRE_BY_FREEZES)
        count_freezes(making, choice);
    else if (making->shown->by == UM_WIRE_BY_FUNCTIONS)
        count_functions(making);
    making->made.unread = samples_of(making, making->unread_ns);
    for (uint32_t part = 0; part < UM_WIRE_PROFILE_PARTS; part++) {
        made[part] = making->made;
        made[part].part = part;
    }
}

enum um_status um_hottest_make(struct um_profile *profile, const struct um_hottest_choice *choice,
                               const struct um_hottest_shown *shown,
                               struct um_wire_profile made[UM_WIRE_PROFILE_PARTS])
{
    struct making making = {.shown = shown,
                            .made = {.scope = (uint8_t)choice->scope, .by = (uint8_t)shown->by}};
    enum um_status status = UM_ERR_MEMORY;

    if (open_making(&making, profile)) {
        uint64_t lost = um_profile_sample_count(profile) - choice->before - making.samples->count;
        if (choice->scope == UM_WIRE_SCOPE_SESSION)
            making.made.forgotten = lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX;
        fill(&making, choice, made);
        pick(&making, made);
        status = UM_OK;
    }
    um_functions_deinit(&making.functions);
    um_intern_deinit(&making.pairs);
    free(making.pair_list);
    free(making.places);
    free(making.costs);
    return status;
}

size_t um_hottest_put(const struct um_wire_profile made[UM_WIRE_PROFILE_PARTS],
                      struct um_wire_frame *frames)
{
    if (made[0].scope == UM_WIRE_SCOPE_NONE)
        return 0;
    for (size_t i = 0; i < UM_WIRE_PROFILE_PARTS; i++)
        frames[i] = (struct um_wire_frame){.type = UM_WIRE_PROFILE, .as.profile = made[i]};
    return UM_WIRE_PROFILE_PARTS;
}
