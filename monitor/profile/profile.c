#include "monitor/profile/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/names.h"
#include "monitor/base/list.h"
#include "monitor/profile/intern.h"

struct node {
    uint32_t parent;
    uint64_t key;
};

struct named {
    uint64_t key;
    struct um_profile_name name; /* its texts are this table's */
    bool is_used;                /* only within um_profile_trim */
};

/* A thread that has a name. */
struct thread_name {
    uint32_t thread;
    char name[UM_WIRE_THREAD_NAME_BYTES];
};

struct um_profile {
    struct um_samples samples;
    size_t most_samples;
    uint64_t told;
    uint64_t started_ns;           /* of the SESSION */
    struct um_wire_episode freeze; /* the last one; a sample of it may come late */
    char **modules;                /* paths by their numbers; NULL: not told of */
    size_t module_cap;
    uint32_t tree;      /* whose nodes these are: */
    struct node *nodes; /* from UM_WIRE_FIRST_NODE on */
    size_t node_count, node_cap;
    struct named *names;
    size_t name_count, name_cap;
    struct um_intern by_key;
    struct thread_name *threads;
    size_t thread_count, thread_cap;
    char label[32]; /* of the last look-up */
};

enum um_status um_profile_open(size_t most_samples, struct um_profile **out)
{
    struct um_profile *profile = calloc(1, sizeof *profile);
    if (!profile)
        return UM_ERR_MEMORY;
    profile->most_samples = most_samples;
    if (um_samples_init(&profile->samples, most_samples, 0) != UM_OK) {
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

static char *copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

/* The decoder bounds the number. */
static void take_module(struct um_profile *profile, const struct um_wire_module *module)
{
    if (!um_list_reserve(&profile->modules, &profile->module_cap, (size_t)module->number + 1,
                         SIZE_MAX, sizeof *profile->modules))
        return;
    free(profile->modules[module->number]);
    profile->modules[module->number] = copy_text(module->path);
}

/* Nodes that do not follow the ones before are left out, as where somebody listens only now. */
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

/* The addresses of a sample, innermost first. Parents have smaller numbers, so this ends. `is_cut`
 * says whether frames are missing at the outer end. */
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

/* A later name takes the place of the one before: a thread's number is given again. */
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
    um_wire_set_text(profile->threads[at].name, UM_WIRE_THREAD_NAME_BYTES, sample->thread_name);
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
        .cost = {.samples = 1,
                 .wall_ns = sample->wall_us * UM_CLOCK_NS_PER_US,
                 .user_ns = sample->user_us * UM_CLOCK_NS_PER_US,
                 .kernel_ns = sample->kernel_us * UM_CLOCK_NS_PER_US}};
    bool is_late = profile->freeze.id != 0 && sample->time_ns >= profile->freeze.start_ns &&
                   sample->time_ns <= profile->freeze.end_ns;
    if (is_late)
        entry.freeze = profile->freeze.id;
    profile->told++;
    if (sample->thread_name[0] != '\0')
        take_thread_name(profile, sample);
    (void)um_samples_add(&profile->samples, &entry, keys, count, is_cut);
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

/* A name that comes again takes the place of the one before. */
static void take_name(struct um_profile *profile, const struct um_wire_name *name)
{
    uint32_t index = find(profile, name->key);
    struct named named = {.key = name->key,
                          .name = {.displacement = name->displacement,
                                   .line = name->line,
                                   .kind = name->kind,
                                   .why = name->why,
                                   .name = copy_text(name->name),
                                   .file = copy_text(name->file)}};
    bool has_room = index != UM_INTERN_NONE ||
                    (um_list_reserve(&profile->names, &profile->name_cap, profile->name_count + 1,
                                     UM_PROFILE_NAMES, sizeof *profile->names) &&
                     um_intern_reserve(&profile->by_key, 1));
    if (!named.name.name || !named.name.file || !has_room) {
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

const struct um_samples *um_profile_samples(const struct um_profile *profile)
{
    return &profile->samples;
}

uint64_t um_profile_start_ns(const struct um_profile *profile)
{
    return profile->started_ns;
}

uint64_t um_profile_told(const struct um_profile *profile)
{
    return profile->told;
}

enum um_status um_profile_clear(struct um_profile *profile)
{
    um_samples_deinit(&profile->samples);
    return um_samples_init(&profile->samples, profile->most_samples, 0);
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
    bool is_told = number >= 0 && (size_t)number < profile->module_cap && profile->modules[number];
    return is_told ? profile->modules[number] : "";
}

const struct um_profile_name *um_profile_name(const struct um_profile *profile, uint64_t key)
{
    uint32_t index = find(profile, key);
    return index == UM_INTERN_NONE ? NULL : &profile->names[index].name;
}

const char um_profile_managed[] = "<managed>";

/* Whether an address is known to be of managed code, with a name or without. */
static bool is_managed(const struct um_profile_name *name)
{
    return name && (name->kind == UM_NAMES_MANAGED || name->why == UM_NAMES_NO_DAC ||
                    name->why == UM_NAMES_UNTRUSTED_DAC || name->why == UM_NAMES_OTHER_DAC ||
                    name->why == UM_NAMES_RAN_AWAY);
}

/* Whether an address is known to be of no managed method. */
static bool is_other(const struct um_profile_name *name)
{
    return name && (name->kind != UM_NAMES_NOWHERE || name->why == UM_NAMES_NO_RUNTIME ||
                    name->why == UM_NAMES_NO_METHOD);
}

bool um_profile_look_up(void *context, uint64_t key, struct um_functions_name *name)
{
    struct um_profile *profile = context;
    const struct um_profile_name *known = um_profile_name(profile, key);
    int32_t module = um_samples_module(key);
    uint64_t begin = um_samples_offset(key);

    *name = (struct um_functions_name){.module = um_profile_module(profile, module)};
    bool is_generated = module < 0 && is_managed(known);
    if (is_generated)
        name->module = um_profile_managed;
    name->is_managed = known && known->kind == UM_NAMES_MANAGED;
    name->is_unknown = module < 0 && !name->is_managed && !is_other(known);
    if (known && known->kind != UM_NAMES_NOWHERE) {
        name->name = known->name;
        name->file = known->file;
        name->line = known->line;
        return true;
    }
    if (known && known->displacement <= begin)
        begin -= known->displacement;
    snprintf(profile->label, sizeof profile->label,
             module < 0 && !is_generated ? "0x%" PRIx64 : "+0x%" PRIx64, begin);
    name->name = profile->label;
    return true;
}
