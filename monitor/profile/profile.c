#include "monitor/profile/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "ipc/names.h"
#include "base/list.h"
#include "base/intern.h"

struct node {
    uint32_t parent;
    uint64_t key;
};

struct named {
    uint64_t key;
    struct um_profile_name name; /* owns its texts */
    bool is_used;                /* used by um_profile_trim alone */
};

/* A thread that has a name. */
struct thread_name {
    uint32_t thread;
    char name[UM_WIRE_THREAD_NAME_BYTES];
};

struct um_profile {
    struct um_samples samples;
    size_t most_samples;
    uint64_t sample_count;         /* of samples that have come */
    uint64_t started_ns;           /* of the SESSION */
    struct um_wire_episode freeze; /* the last one: samples of it may come late */
    char **modules;                /* paths by module number; NULL: no MODULE has come */
    size_t module_cap;
    uint32_t tree;      /* the tree that `nodes` are of */
    struct node *nodes; /* node UM_WIRE_FIRST_NODE is the first */
    size_t node_count, node_cap;
    struct named *names;
    size_t name_count, name_cap;
    struct um_intern by_key;
    struct thread_name *threads;
    size_t thread_count, thread_cap;
    char label[32]; /* text of the last look-up */
};

enum um_status um_profile_open(size_t most_samples, struct um_profile **out)
{
    struct um_profile *profile = calloc(1, sizeof *profile);
    if (!profile)
        return UM_ERR_MEMORY;
    profile->most_samples = most_samples;
    if (um_samples_init(&profile->samples, most_samples) != UM_OK) {
        free(profile);
        return UM_ERR_MEMORY;
    }
    *out = profile;
    return UM_OK;
}

static void release(struct named *named)
{
    free((char *)named->name.name);
    free((char *)named->name.file);
    free((char *)named->name.checksum);
}

void um_profile_close(struct um_profile *profile)
{
    if (!profile)
        return;
    um_samples_deinit(&profile->samples);
    for (size_t i = 0; i < profile->module_cap; i++)
        free(profile->modules[i]);
    for (size_t i = 0; i < profile->name_count; i++)
        release(&profile->names[i]);
    free(profile->modules);
    free(profile->nodes);
    free(profile->names);
    free(profile->threads);
    um_intern_deinit(&profile->by_key);
    free(profile);
}

/* The decoder has checked the number's range. */
static void take_module(struct um_profile *profile, const struct um_wire_module *module)
{
    if (!um_list_reserve(&profile->modules, &profile->module_cap, (size_t)module->number + 1,
                         SIZE_MAX, sizeof *profile->modules))
        return;
    free(profile->modules[module->number]);
    profile->modules[module->number] = um_functions_copy_text(module->path);
}

/* Nodes that do not follow the last ones are left out: a listener that comes late lacks those. */
static void take_nodes(struct um_profile *profile, const struct um_wire_nodes *nodes)
{
    if (nodes->tree != profile->tree || nodes->first == UM_WIRE_FIRST_NODE)
        profile->node_count = 0;
    profile->tree = nodes->tree;
    if (nodes->first != UM_WIRE_FIRST_NODE + profile->node_count ||
        !um_list_reserve(&profile->nodes, &profile->node_cap, profile->node_count + nodes->count,
                         UM_CALLTREE_NODES, sizeof *profile->nodes))
        return;
    for (uint32_t i = 0; i < nodes->count; i++)
        profile->nodes[profile->node_count++] =
            (struct node){nodes->list[i].parent, nodes->list[i].key};
}

/* Writes the addresses of a sample, innermost first. The loop ends, because parents have smaller
 * numbers. `is_cut`: callers are missing at the outer end. */
static size_t path_of(const struct um_profile *profile, const struct um_wire_sample *sample,
                      uint64_t *keys, bool *is_cut)
{
    size_t count = 0;
    uint32_t node = sample->node;
    bool is_known =
        sample->tree == profile->tree && node < UM_WIRE_FIRST_NODE + profile->node_count;
    while (is_known && node >= UM_WIRE_FIRST_NODE && count < UM_CALLTREE_DEPTH) {
        const struct node *at = &profile->nodes[node - UM_WIRE_FIRST_NODE];
        keys[count++] = at->key;
        node = at->parent;
    }
    *is_cut = !is_known || node != UM_CALLTREE_ROOT || count == 0;
    return count;
}

/* A later name replaces the one before, because the system reuses the ids of threads. */
static void take_thread_name(struct um_profile *profile, const struct um_wire_sample *sample)
{
    size_t at = 0;
    while (at < profile->thread_count && profile->threads[at].thread != sample->thread)
        at++;
    if (!um_list_reserve(&profile->threads, &profile->thread_cap, at + 1, UM_PROFILE_THREADS,
                         sizeof *profile->threads))
        return;
    if (at == profile->thread_count)
        profile->thread_count++;
    profile->threads[at].thread = sample->thread;
    um_text_set(profile->threads[at].name, UM_WIRE_THREAD_NAME_BYTES, sample->thread_name);
}

/* A sample says nothing about the time before a freeze began or ended in its gap. */
static void cut_weight(const struct um_profile *profile, struct um_samples_entry *entry)
{
    const struct um_wire_episode *freeze = &profile->freeze;
    uint64_t time_ns = profile->started_ns + entry->at_ns;
    if (time_ns < freeze->start_ns)
        return;
    uint64_t since_ns = time_ns - (time_ns <= freeze->end_ns ? freeze->start_ns : freeze->end_ns);
    if (since_ns < UM_CLOCK_NS_PER_US)
        since_ns = UM_CLOCK_NS_PER_US;
    if (entry->cost.wall_ns > since_ns)
        entry->cost.wall_ns = since_ns;
}

static void take_sample(struct um_profile *profile, const struct um_wire_frame *frame)
{
    const struct um_wire_sample *sample = &frame->as.sample;
    uint64_t keys[UM_CALLTREE_DEPTH];
    bool is_cut;
    size_t count = path_of(profile, sample, keys, &is_cut);
    uint64_t started_ns = profile->started_ns;
    struct um_samples_entry entry = {
        .at_ns = sample->time_ns > started_ns ? sample->time_ns - started_ns : 0,
        .thread = sample->thread,
        .stopped = sample->stopped,
        .has_times = (frame->flags & UM_WIRE_SAMPLE_HAS_CPU) != 0,
        .is_other = sample->other != 0,
        .guessed = sample->guessed,
        .gap_ns = sample->wall_us * UM_CLOCK_NS_PER_US,
        .cost = {.samples = 1,
                 .user_ns = sample->user_us * UM_CLOCK_NS_PER_US,
                 .kernel_ns = sample->kernel_us * UM_CLOCK_NS_PER_US}};
    bool is_late = profile->freeze.id != 0 && sample->time_ns >= profile->freeze.start_ns &&
                   sample->time_ns <= profile->freeze.end_ns;
    if (is_late)
        entry.freeze = profile->freeze.id;
    profile->sample_count++;
    if (sample->thread_name[0] != '\0')
        take_thread_name(profile, sample);
    if (um_samples_add(&profile->samples, &entry, keys, count, is_cut) == UM_OK &&
        profile->freeze.id != 0)
        cut_weight(profile, &profile->samples.entries[profile->samples.count - 1]);
}

static bool is_key(const void *context, uint32_t index)
{
    const struct named *const *wanted = context;
    return wanted[0][index].key == wanted[1]->key;
}

static uint32_t find(const struct um_profile *profile, uint64_t key)
{
    struct named one = {.key = key};
    const struct named *wanted[2] = {profile->names, &one};
    return um_intern_find(&profile->by_key, um_intern_mix(0, key), is_key, wanted);
}

/* Reads which lines are the function's, as "118-140". What is anything else is not known. */
static void take_extent(struct um_profile_name *name, const char *extent)
{
    char *end;
    unsigned long first = strtoul(extent, &end, 10);
    if (extent[0] < '1' || extent[0] > '9' || end[0] != '-' || end[1] < '1' || end[1] > '9')
        return;
    unsigned long last = strtoul(end + 1, &end, 10);
    if (*end != '\0' || first > last || last > UM_PROFILE_LINES)
        return;
    name->first_line = (uint32_t)first;
    name->last_line = (uint32_t)last;
}

/* Reads the number of a module. -1: it is none, or not known. */
static int32_t get_module(const char *digits)
{
    char *end;
    unsigned long number = strtoul(digits, &end, 10);
    bool is_number = digits[0] >= '0' && digits[0] <= '9' && *end == '\0';
    return is_number && number < UM_WIRE_MODULES ? (int32_t)number : -1;
}

/* A later name of an address replaces the one before. */
static void take_name(struct um_profile *profile, const struct um_wire_name *name)
{
    uint32_t index = find(profile, name->key);
    struct named named = {.key = name->key,
                          .name = {.displacement = name->displacement,
                                   .line = name->line,
                                   .is_nearest = name->line > 0 && name->line_mark[0] != '\0',
                                   .module = get_module(name->module),
                                   .kind = name->kind,
                                   .why = name->why,
                                   .name = um_functions_copy_text(name->name),
                                   .file = um_functions_copy_text(name->file),
                                   .checksum = um_functions_copy_text(name->checksum)}};
    take_extent(&named.name, name->extent);
    bool has_room = index != UM_INTERN_NONE ||
                    (um_list_reserve(&profile->names, &profile->name_cap, profile->name_count + 1,
                                     UM_PROFILE_NAMES, sizeof *profile->names) &&
                     um_intern_reserve(&profile->by_key, 1));
    if (!named.name.name || !named.name.file || !named.name.checksum || !has_room) {
        release(&named);
        return;
    }
    if (index == UM_INTERN_NONE) {
        index = (uint32_t)profile->name_count++;
        um_intern_add(&profile->by_key, um_intern_mix(0, name->key), index);
    } else {
        release(&profile->names[index]);
    }
    profile->names[index] = named;
}

/* Samples come in the order of their times, so the search begins with the latest. */
static void take_episode(struct um_profile *profile, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    uint64_t started_ns = profile->started_ns;
    if (!(frame->flags & UM_WIRE_EPISODE_END) || frame->flags & UM_WIRE_EPISODE_VOID ||
        !um_wire_state_is_freeze(episode->state))
        return;
    profile->freeze = *episode;
    for (size_t i = profile->samples.count; i > 0; i--) {
        struct um_samples_entry *entry = &profile->samples.entries[i - 1];
        uint64_t time_ns = started_ns + entry->at_ns;
        if (time_ns < episode->start_ns)
            break;
        if (time_ns <= episode->end_ns)
            entry->freeze = episode->id;
        cut_weight(profile, entry);
    }
}

void um_profile_take(struct um_profile *profile, const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_SESSION:
        if (profile->started_ns == 0)
            profile->started_ns = frame->as.session.start_ns;
        break;
    case UM_WIRE_MODULE:
        take_module(profile, &frame->as.module);
        break;
    case UM_WIRE_NODES:
        take_nodes(profile, &frame->as.nodes);
        break;
    case UM_WIRE_SAMPLE:
        take_sample(profile, frame);
        break;
    case UM_WIRE_NAME:
        take_name(profile, &frame->as.name);
        break;
    case UM_WIRE_EPISODE:
        take_episode(profile, frame);
        break;
    default:
        break;
    }
}

enum um_status um_profile_mark(const struct um_profile *profile, uint64_t since_ns,
                               struct um_profile_mark *mark)
{
    const struct um_samples *samples = &profile->samples;
    size_t first = samples->count;
    while (first > 0 && profile->started_ns + samples->entries[first - 1].at_ns >= since_ns)
        first--;
    struct um_profile_marked *list = calloc(samples->count - first + 1, sizeof *list);
    if (!list)
        return UM_ERR_MEMORY;
    for (size_t i = first; i < samples->count; i++)
        list[i - first] = (struct um_profile_marked){samples->entries[i].freeze,
                                                     samples->entries[i].cost.wall_ns};
    *mark = (struct um_profile_mark){
        .freeze = profile->freeze, .list = list, .first = first, .count = samples->count};
    return UM_OK;
}

void um_profile_go_back(struct um_profile *profile, const struct um_profile_mark *mark)
{
    profile->freeze = mark->freeze;
    for (size_t i = mark->first; i < mark->count; i++) {
        struct um_samples_entry *entry = &profile->samples.entries[i];
        entry->freeze = mark->list[i - mark->first].freeze;
        entry->cost.wall_ns = mark->list[i - mark->first].wall_ns;
    }
}

void um_profile_mark_deinit(struct um_profile_mark *mark)
{
    free(mark->list);
    *mark = (struct um_profile_mark){.list = NULL};
}

const struct um_samples *um_profile_samples(const struct um_profile *profile)
{
    return &profile->samples;
}

uint64_t um_profile_start_ns(const struct um_profile *profile)
{
    return profile->started_ns;
}

uint64_t um_profile_sample_count(const struct um_profile *profile)
{
    return profile->sample_count;
}

enum um_status um_profile_clear(struct um_profile *profile)
{
    um_samples_deinit(&profile->samples);
    return um_samples_init(&profile->samples, profile->most_samples);
}

static void mark_used(struct um_profile *profile)
{
    const struct um_calltree *stacks = &profile->samples.stacks;
    for (uint32_t i = UM_CALLTREE_FIRST; i < stacks->count; i++) {
        uint32_t index = find(profile, stacks->nodes[i].key);
        if (index != UM_INTERN_NONE)
            profile->names[index].is_used = true;
    }
}

void um_profile_trim(struct um_profile *profile)
{
    size_t kept = 0;
    mark_used(profile);
    um_intern_deinit(&profile->by_key);
    for (size_t i = 0; i < profile->name_count; i++) {
        struct named *named = &profile->names[i];
        if (!named->is_used || !um_intern_reserve(&profile->by_key, 1)) {
            release(named);
            continue;
        }
        named->is_used = false;
        um_intern_add(&profile->by_key, um_intern_mix(0, named->key), (uint32_t)kept);
        profile->names[kept++] = *named;
    }
    profile->name_count = kept;
}

const char *um_profile_thread_name(const struct um_profile *profile, uint32_t thread)
{
    for (size_t i = 0; i < profile->thread_count; i++)
        if (profile->threads[i].thread == thread)
            return profile->threads[i].name;
    return "";
}

const char *um_profile_module(const struct um_profile *profile, int32_t number)
{
    bool is_known = number >= 0 && (size_t)number < profile->module_cap && profile->modules[number];
    return is_known ? profile->modules[number] : "";
}

const struct um_profile_name *um_profile_name(const struct um_profile *profile, uint64_t key)
{
    uint32_t index = find(profile, key);
    return index == UM_INTERN_NONE ? NULL : &profile->names[index].name;
}

const char um_profile_managed[] = "<managed>";

/* Whether an address is certainly in managed code, with a name or without. */
static bool is_managed(const struct um_profile_name *name)
{
    return name && (name->kind == UM_NAMES_MANAGED || name->why == UM_NAMES_NO_DAC ||
                    name->why == UM_NAMES_UNTRUSTED_DAC || name->why == UM_NAMES_OTHER_DAC ||
                    name->why == UM_NAMES_RAN_AWAY);
}

/* Whether an address is certainly in no managed method. */
static bool is_other(const struct um_profile_name *name)
{
    return name && (name->kind == UM_NAMES_DEBUG || name->kind == UM_NAMES_EXPORT ||
                    name->why == UM_NAMES_NO_RUNTIME || name->why == UM_NAMES_NO_METHOD);
}

bool um_profile_look_up(void *context, uint64_t key, struct um_functions_name *name)
{
    struct um_profile *profile = context;
    const struct um_profile_name *known = um_profile_name(profile, key);
    int32_t module = um_samples_module(key);
    uint64_t begin = um_samples_offset(key);

    *name = (struct um_functions_name){.module = um_profile_module(profile, module)};
    if (known && known->kind == UM_NAMES_MANAGED && known->module >= 0)
        name->module = um_profile_module(profile, known->module);
    if (module < 0 && name->module[0] == '\0' && is_managed(known))
        name->module = um_profile_managed;
    name->is_managed = known && known->kind == UM_NAMES_MANAGED;
    name->is_unknown = module < 0 && !name->is_managed && !is_other(known);
    /* Of an unknown kind there may be a name or none. */
    if (known && known->kind != UM_NAMES_NOWHERE && known->name[0] != '\0') {
        name->name = known->name;
        name->file = known->file;
        name->checksum = known->checksum;
        name->line = known->line;
        name->is_nearest = known->is_nearest;
        return true;
    }
    if (known && known->displacement <= begin)
        begin -= known->displacement;
    name->name = um_functions_nameless;
    if (module >= 0 && name->module[0] != '\0') {
        snprintf(profile->label, sizeof profile->label, "+0x%" PRIx64, begin);
        name->name = profile->label;
    }
    return true;
}
