#include "monitor/live/profiler.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/list.h"
#include "base/message_names.h"
#include "base/utf8.h"
#include "base/module_list.h"
#include "monitor/profile/calltree.h"
#include "monitor/profile/headline.h"
#include "monitor/profile/hottest.h"
#include "base/intern.h"
#include "monitor/profile/mine.h"
#include "monitor/profile/profile.h"
#include "monitor/profile/unseen.h"
#include "monitor/sample/images.h"
#include "monitor/naming/namer.h"

#define NAMES_NS (3 * UM_CLOCK_NS_PER_S)  /* the longest wait of a freeze's STACK for names */
#define WALK_NS (50 * UM_CLOCK_NS_PER_MS) /* a sample is walked in less */
#define NODES_MOST 32768                  /* when it is reached, tree and names begin anew */
#define ADDRESSES_MOST 65536              /* the same */
#define SAMPLES_KEPT 4096                 /* more are forgotten as soon as no STACK needs them */
#define FREEZES 16                        /* that wait for their names */
#define WAITS 64                          /* runs of samples with the same wait that are kept */
#define POLL_NS (10 * UM_CLOCK_NS_PER_MS)
#define PDBS 16       /* that something is wrong with; further ones are not told */
#define FINISH_MOST 5 /* see um_profiler_finish */

/* What there are too many of. */
#define FULL_MODULES 1u
#define FULL_LOADED 2u /* modules at a time */
#define FULL_ADDRESSES 4u

_Static_assert(UM_CALLTREE_FIRST == UM_WIRE_FIRST_NODE, "nodes have the tree's numbers");

/* An address that has to be named. */
struct address {
    uint64_t key;
    uint32_t displacement; /* from the begin of its function, by the unwinder; 0: unknown */
    uint32_t module, rva;  /* for the namer */
    uint32_t round;        /* in which it was seen first */
    bool is_asked, is_answered;
};

/* A freeze that has ended and whose STACK is to be published. */
struct pending {
    uint32_t freeze;
    bool is_counted;   /* `addresses` is known */
    size_t addresses;  /* how many of the first addresses need an answer before */
    uint64_t from_ns;  /* its STACK is not made sooner: the last sample may still be walked */
    uint64_t until_ns; /* when its STACK is made without the missing names */
    uint64_t length_ns;
    char message[96]; /* after which it began; "": not known */
};

/* Successive samples of the UI thread with the same blocker. */
struct waited {
    uint64_t first_ns, last_ns;
    uint32_t count;
    uint32_t absence;
    struct um_blocker blocker;
};

/* An assembly whose methods have no lines. */
struct pdb {
    char assembly[UM_NAMES_PATH_BYTES]; /* the path of its file */
    uint8_t why;                        /* enum um_names_pdb */
};

struct um_profiler {
    struct um_profiler_config config;
    struct um_profile *profile; /* what was published, as far as a STACK may need it */
    struct um_namer *namer;
    char why[96]; /* why there are no names */
    bool said_why;
    unsigned full, said_full; /* FULL_... */
    uint8_t managed_why;      /* why methods have no names, enum um_names_why; FOUND: they have */
    bool said_managed_why;
    struct pdb pdbs[PDBS];
    size_t pdb_count;
    size_t said_pdbs; /* of these, how many were said */

    /* Entries of config.mine, by their bits (unseen.h). */
    uint32_t unseen;        /* in no STACK; all, while there is none */
    uint32_t said_unseen;   /* of these, the ones that were said */
    char mistyped[256];     /* the next one to be said, with the module that was meant; "": none */
    bool is_mine_published; /* a STACK has said whose a freeze was */
    bool is_finished;

    struct um_sampler *sampler;
    uint32_t tid;
    int32_t numbers[UM_SAMPLER_MODULES]; /* of the sampler's modules; -1: none yet */
    const struct um_sampler_module *seen[UM_SAMPLER_MODULES]; /* ours, copies */
    int32_t seen_count;

    struct um_calltree tree; /* of addresses */
    uint32_t tree_number;
    uint32_t published; /* the first node that was not published yet */
    uint32_t absence;   /* of the last sample */
    uint32_t round;     /* counts the absences of all samplers */

    struct address *addresses; /* of the tree, each once, and those that wait for an answer */
    size_t address_count, address_cap;
    struct um_intern by_key;
    size_t asked;    /* addresses whose names were asked for */
    size_t answered; /* of those */
    size_t known;    /* how many addresses from the first on are all answered */

    struct pending pending[FREEZES];
    size_t pending_count;
    struct pending late[FREEZES]; /* whose STACK was published without some names */
    size_t late_count;

    struct um_wire_profile last_freeze[UM_WIRE_PROFILE_PARTS]; /* scope NONE: none has ended */
    uint32_t last_id;                                          /* of that one */
    struct um_wire_profile session[UM_WIRE_PROFILE_PARTS];
    uint64_t session_known;     /* um_profile_sample_count when `session` was made */
    size_t session_answered;    /* `answered` at that time */
    struct waited waits[WAITS]; /* a ring */
    size_t wait_count;          /* in all */

    struct um_sampler_sample sample; /* too large for the stack */
};

enum um_status um_profiler_open(const struct um_profiler_config *config,
                                struct um_profiler **profiler_out)
{
    struct um_profiler *profiler = calloc(1, sizeof *profiler);
    if (!profiler)
        return UM_ERR_MEMORY;
    profiler->config = *config;
    profiler->published = UM_CALLTREE_FIRST;
    profiler->unseen = UINT32_MAX;
    enum um_status status = um_profile_open(0, &profiler->profile);
    if (status == UM_OK)
        status = um_calltree_init(&profiler->tree, NODES_MOST);
    if (status == UM_OK)
        status =
            um_namer_open(config->pid, config->symbol_path, config->transport, &profiler->namer);
    if (status != UM_OK) {
        um_profiler_close(profiler);
        return status;
    }
    *profiler_out = profiler;
    return UM_OK;
}

void um_profiler_close(struct um_profiler *profiler)
{
    if (!profiler)
        return;
    um_namer_close(profiler->namer);
    um_profile_close(profiler->profile);
    um_calltree_deinit(&profiler->tree);
    um_intern_deinit(&profiler->by_key);
    for (int32_t i = 0; i < profiler->seen_count; i++)
        free((void *)profiler->seen[i]);
    free(profiler->addresses);
    free(profiler);
}

static void publish(struct um_profiler *profiler, const struct um_wire_frame *frame)
{
    um_profile_take(profiler->profile, frame);
    profiler->config.publish(profiler->config.context, frame);
}

/* Modules -------------------------------------------------------------------------------------- */

void um_profiler_sampler(struct um_profiler *profiler, struct um_sampler *sampler, uint32_t tid)
{
    profiler->sampler = sampler;
    profiler->tid = tid;
    profiler->round++;
    if (sampler && um_sampler_is_x86(sampler))
        um_namer_x86(profiler->namer);
    for (size_t i = 0; i < UM_SAMPLER_MODULES; i++)
        profiler->numbers[i] = -1;
}

/* Whether it stands for the generated code in 4 GiB of the address space, and is no real module. */
static bool is_generated(const struct um_sampler_module *module)
{
    return module->path[0] == '\0' && module->image_bytes == 0;
}

/* Publishes a module that is new. Returns its number, or -1 if there is no room. */
static int32_t add_module(struct um_profiler *profiler, const struct um_sampler_module *module)
{
    struct um_wire_frame frame = {.type = UM_WIRE_MODULE};
    struct um_names_module asked = {
        .timestamp = module->timestamp, .image_bytes = module->image_bytes, .base = module->base};
    uint32_t number;
    struct um_sampler_module *copy = malloc(sizeof *copy);
    um_text_set(asked.path, sizeof asked.path, module->path);
    if (!copy || um_namer_module(profiler->namer, &asked, &number) != UM_OK) {
        free(copy);
        return -1;
    }
    *copy = *module;
    profiler->seen[profiler->seen_count++] = copy;
    if (is_generated(module)) /* only the namer needs it */
        return (int32_t)number;
    frame.as.module = (struct um_wire_module){
        .number = number, .timestamp = module->timestamp, .image_bytes = module->image_bytes};
    um_text_set(frame.as.module.path, sizeof frame.as.module.path, module->path);
    publish(profiler, &frame);
    return (int32_t)number;
}

static bool is_same_build(const struct um_sampler_module *a, const struct um_sampler_module *b)
{
    return a->timestamp == b->timestamp && a->image_bytes == b->image_bytes;
}

/* The runtime and the system may write the path of one file differently, as in another case. An
 * assembly is called as its image is, or the image as the assembly, whichever came first. */
static void set_one_path(const struct um_profiler *profiler, struct um_sampler_module *module)
{
    for (int32_t i = 0; module->timestamp != 0 && i < profiler->seen_count; i++) {
        const struct um_sampler_module *seen = profiler->seen[i];
        if (is_same_build(seen, module) && (seen->base == 0) != (module->base == 0) &&
            um_utf8_equal(um_module_list_file(seen->path), um_module_list_file(module->path))) {
            um_text_set(module->path, sizeof module->path, seen->path);
            return;
        }
    }
}

/* Whether the namer can find the names of `module` by what it knows of `seen`. Of an assembly's
 * methods it does not need to know where the image lies, and of the image's functions it does. */
static bool is_same_place(const struct um_sampler_module *seen,
                          const struct um_sampler_module *module)
{
    return is_generated(module) ? seen->base == module->base : module->base == 0 || seen->base != 0;
}

/* The number of a module. It may have been published during an earlier sampler. */
static int32_t find_module(struct um_profiler *profiler, const struct um_sampler_module *given)
{
    struct um_sampler_module module = *given;
    set_one_path(profiler, &module);
    for (int32_t i = 0; i < profiler->seen_count; i++)
        if (is_same_build(profiler->seen[i], &module) &&
            strcmp(profiler->seen[i]->path, module.path) == 0 &&
            is_same_place(profiler->seen[i], &module))
            return i;
    if (profiler->seen_count == UM_SAMPLER_MODULES) {
        profiler->full |= FULL_MODULES;
        return -1;
    }
    return add_module(profiler, &module);
}

static int32_t module_of(struct um_profiler *profiler, int32_t number)
{
    if (number == UM_SAMPLER_NO_MODULE)
        return -1;
    if (profiler->numbers[number] < 0)
        profiler->numbers[number] =
            find_module(profiler, um_sampler_module(profiler->sampler, number));
    return profiler->numbers[number];
}

/* Names ---------------------------------------------------------------------------------------- */

static bool is_key(const void *context, uint32_t index)
{
    const struct address *const *wanted = context;
    return wanted[0][index].key == wanted[1]->key;
}

static uint32_t find_address(const struct um_profiler *profiler, const struct address *address)
{
    const struct address *wanted[2] = {profiler->addresses, address};
    return um_intern_find(&profiler->by_key, um_intern_mix(0, address->key), is_key, wanted);
}

/* Fills in the module and offset for the namer. For generated code, the module stands for the 4 GiB
 * of address space around it. False: there is no room for one more module. */
static bool set_place(struct um_profiler *profiler, struct address *address)
{
    uint64_t offset = um_samples_offset(address->key);
    int32_t module = um_samples_module(address->key);
    struct um_sampler_module part = {.base = offset & ~(uint64_t)UINT32_MAX};
    if (module < 0)
        module = find_module(profiler, &part);
    address->module = (uint32_t)module;
    address->rva = (uint32_t)offset;
    address->round = profiler->round;
    return module >= 0;
}

/* Puts an address on the list of those to be named, if it is new. Without memory it gets no
 * name. */
static void add_address(struct um_profiler *profiler, struct address *address)
{
    if (find_address(profiler, address) != UM_INTERN_NONE || !set_place(profiler, address))
        return;
    if (profiler->address_count == ADDRESSES_MOST)
        profiler->full |= FULL_ADDRESSES;
    if (!um_list_reserve(&profiler->addresses, &profiler->address_cap, profiler->address_count + 1,
                         ADDRESSES_MOST, sizeof *address) ||
        !um_intern_reserve(&profiler->by_key, 1))
        return;
    uint32_t index = (uint32_t)profiler->address_count++;
    profiler->addresses[index] = *address;
    um_intern_add(&profiler->by_key, um_intern_mix(0, address->key), index);
}

/* How many of the first addresses have no answer yet. */
static size_t count_waiting(const struct um_profiler *profiler, size_t first)
{
    size_t waiting = 0;
    for (size_t i = 0; i < first; i++)
        waiting += !profiler->addresses[i].is_answered;
    return waiting;
}

/* Forgets the addresses that have their names. One that comes again is named again. */
static void forget_named(struct um_profiler *profiler)
{
    size_t kept = 0;
    for (size_t i = 0; i < profiler->pending_count; i++)
        profiler->pending[i].addresses = count_waiting(profiler, profiler->pending[i].addresses);
    for (size_t i = 0; i < profiler->late_count; i++)
        profiler->late[i].addresses = count_waiting(profiler, profiler->late[i].addresses);
    um_intern_deinit(&profiler->by_key);
    profiler->asked = profiler->answered = profiler->known = 0;
    for (size_t i = 0; i < profiler->address_count; i++) {
        const struct address *address = &profiler->addresses[i];
        if (address->is_answered || !um_intern_reserve(&profiler->by_key, 1))
            continue;
        um_intern_add(&profiler->by_key, um_intern_mix(0, address->key), (uint32_t)kept);
        profiler->asked += address->is_asked;
        profiler->addresses[kept++] = *address;
    }
    profiler->address_count = kept;
    profiler->session_known = UINT64_MAX; /* its profile is made anew */
}

/* Begins another tree, for which everything is published again, names too. A consumer that keeps
 * only the frames of the last two trees can so name all of its stacks. */
static enum um_status begin_anew(struct um_profiler *profiler)
{
    um_calltree_deinit(&profiler->tree);
    profiler->published = UM_CALLTREE_FIRST;
    profiler->tree_number++;
    forget_named(profiler);
    um_profile_trim(profiler->profile);
    return um_calltree_init(&profiler->tree, NODES_MOST);
}

/* Whether a stack of so many addresses may not fit any more. While most of the addresses wait for
 * their names, a new tree would make no room for more of them. */
static bool is_full_for(const struct um_profiler *profiler, size_t addresses)
{
    bool has_named = profiler->answered > profiler->address_count / 2;
    return profiler->tree.count == 0 || profiler->tree.count + addresses > NODES_MOST ||
           (has_named && profiler->address_count + addresses > ADDRESSES_MOST);
}

uint64_t um_profiler_key(struct um_profiler *profiler, const struct um_sampler_module *module,
                         uint64_t offset)
{
    struct address address = {.key = um_samples_key(find_module(profiler, module), offset)};
    if (is_full_for(profiler, 1))
        (void)begin_anew(profiler);
    add_address(profiler, &address);
    return address.key;
}

/* Asks for the names of addresses of generated code, or of modules. False: there is no room. */
static bool ask_some(struct um_profiler *profiler, bool generated)
{
    for (size_t i = profiler->known; i < profiler->address_count; i++) {
        struct address *asked = &profiler->addresses[i];
        struct um_namer_address address = {
            .key = asked->key, .module = asked->module, .rva = asked->rva, .round = asked->round};
        if (asked->is_asked || (um_samples_module(asked->key) < 0) != generated)
            continue;
        if (!um_namer_ask(profiler->namer, &address))
            return false;
        asked->is_asked = true;
        profiler->asked++;
    }
    return true;
}

/* Asks for generated code first, because the namer answers that sooner. */
static void ask_names(struct um_profiler *profiler)
{
    if (profiler->asked < profiler->address_count && ask_some(profiler, true))
        ask_some(profiler, false);
}

/* Whether the nearest export is another function than the one of the address. The begin of that
 * function decides if the unwinder knows it, and otherwise the distance to the export. */
static bool is_other_function(const struct um_names_name *name, uint32_t displacement)
{
    if (name->kind != UM_NAMES_EXPORT)
        return false;
    return displacement ? displacement != name->displacement
                        : um_names_is_doubtful(name->kind, name->displacement);
}

/* Remembers why methods have no names, except for reasons that concern only a single address. */
static void note_managed(struct um_profiler *profiler, uint64_t key,
                         const struct um_names_name *name)
{
    bool is_reason = (name->why >= UM_NAMES_NO_DAC && name->why <= UM_NAMES_UNREADABLE) ||
                     (name->why == UM_NAMES_ENDED && um_samples_module(key) < 0);
    if (is_reason && profiler->managed_why == UM_NAMES_FOUND)
        profiler->managed_why = name->why;
}

/* Remembers what is wrong with the PDB of an assembly, once for each of the first few. Of most
 * programs' assemblies there is none, so that one is only missed where it is the user's. */
static void note_pdb(struct um_profiler *profiler, const struct um_names_name *name)
{
    const char *mine = profiler->config.mine;
    bool is_missed = name->pdb == UM_NAMES_PDB_MISSING || name->pdb == UM_NAMES_PDB_NONE;
    if (is_missed && !um_module_list_has_method(mine, name->assembly, name->name))
        return;
    for (size_t i = 0; i < profiler->pdb_count; i++)
        if (strcmp(profiler->pdbs[i].assembly, name->assembly) == 0)
            return;
    if (profiler->pdb_count == PDBS)
        return;
    struct pdb *pdb = &profiler->pdbs[profiler->pdb_count++];
    um_text_set(pdb->assembly, sizeof pdb->assembly, name->assembly);
    pdb->why = name->pdb;
}

/* Fills in the file, its checksum, and which lines of it are the function's. */
static void put_place(struct um_wire_name *put, const struct um_names_name *name)
{
    um_text_set(put->file, sizeof put->file, name->file);
    um_text_set(put->checksum, sizeof put->checksum, name->checksum);
    if (name->first_line > 0 && name->first_line <= name->last_line)
        snprintf(put->extent, sizeof put->extent, "%" PRIu32 "-%" PRIu32, name->first_line,
                 name->last_line);
}

/* Names that are equal as far as there is room for them stay two functions. */
static void put_name(struct um_wire_name *put, const char *name)
{
    size_t len = strlen(name);
    um_text_set(put->name, sizeof put->name, name);
    if (len >= sizeof put->name)
        um_text_mark_cut(put->name, sizeof put->name, um_text_hash(UM_TEXT_HASH, name, len));
}

/* Fills in the module of a method's assembly. It is published before its first NAME. */
static void put_assembly(struct um_profiler *profiler, struct um_wire_name *put,
                         const struct um_names_name *name)
{
    struct um_sampler_module assembly = {.timestamp = name->assembly_timestamp,
                                         .image_bytes = name->assembly_bytes};
    if (!um_module_list_has_name(um_headline_stubs, name->name))
        um_text_set(assembly.path, sizeof assembly.path, name->assembly);
    int32_t number = assembly.path[0] ? find_module(profiler, &assembly) : -1;
    if (number >= 0)
        snprintf(put->module, sizeof put->module, "%" PRId32, number);
}

static void take_names(struct um_profiler *profiler)
{
    struct um_namer_address answer;
    struct um_names_name name;
    while (um_namer_next(profiler->namer, &answer, &name)) {
        struct address wanted = {.key = answer.key};
        uint32_t index = find_address(profiler, &wanted);
        uint32_t displacement =
            index == UM_INTERN_NONE ? 0 : profiler->addresses[index].displacement;
        struct um_wire_frame frame = {.type = UM_WIRE_NAME,
                                      .as.name = {.key = answer.key,
                                                  .displacement = displacement,
                                                  .kind = UM_NAMES_NOWHERE,
                                                  .why = name.why}};
        if (index != UM_INTERN_NONE && !profiler->addresses[index].is_answered) {
            profiler->addresses[index].is_answered = true;
            profiler->answered++;
        }
        note_managed(profiler, answer.key, &name);
        if (name.kind == UM_NAMES_NOWHERE || is_other_function(&name, displacement)) {
            frame.as.name.why = name.why == UM_NAMES_FOUND ? UM_NAMES_NO_SYMBOLS : name.why;
        } else {
            frame.as.name.displacement = name.displacement;
            frame.as.name.line = name.line;
            um_text_set(frame.as.name.line_mark, sizeof frame.as.name.line_mark,
                        name.is_nearest ? UM_WIRE_NEAREST : "");
            frame.as.name.kind = name.kind;
            put_name(&frame.as.name, name.name);
            put_assembly(profiler, &frame.as.name, &name);
            if (name.pdb == UM_NAMES_PDB_GOOD)
                put_place(&frame.as.name, &name);
            else
                note_pdb(profiler, &name);
        }
        publish(profiler, &frame);
    }
    while (profiler->known < profiler->address_count &&
           profiler->addresses[profiler->known].is_answered)
        profiler->known++;
    if (profiler->why[0] == '\0')
        um_namer_why(profiler->namer, profiler->why, sizeof profiler->why);
}

/* Samples -------------------------------------------------------------------------------------- */

static void publish_nodes(struct um_profiler *profiler)
{
    while (profiler->published < profiler->tree.count) {
        struct um_wire_frame frame = {.type = UM_WIRE_NODES};
        struct um_wire_nodes *nodes = &frame.as.nodes;
        nodes->first = profiler->published;
        nodes->tree = profiler->tree_number;
        while (nodes->count < UM_WIRE_NODES_MOST && profiler->published < profiler->tree.count) {
            const struct um_calltree_node *node = &profiler->tree.nodes[profiler->published++];
            nodes->list[nodes->count++] = (struct um_wire_node){node->parent, node->key};
        }
        publish(profiler, &frame);
    }
}

static uint32_t us(uint64_t ns)
{
    uint64_t us = ns / UM_CLOCK_NS_PER_US;
    return us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

static bool is_same_blocker(const struct um_blocker *a, const struct um_blocker *b)
{
    return a->kind == b->kind && a->thread == b->thread && a->process == b->process &&
           strcmp(a->object, b->object) == 0;
}

static void take_wait(struct um_profiler *profiler, const struct um_sampler_sample *sample)
{
    struct waited *last = &profiler->waits[(profiler->wait_count + WAITS - 1) % WAITS];
    if (sample->blocker.kind == UM_WIRE_WAIT_NONE)
        return;
    if (last->count == 0 || last->absence != sample->absence ||
        !is_same_blocker(&last->blocker, &sample->blocker)) {
        last = &profiler->waits[profiler->wait_count++ % WAITS];
        *last = (struct waited){
            .first_ns = sample->time_ns, .absence = sample->absence, .blocker = sample->blocker};
    }
    last->last_ns = sample->time_ns;
    last->count++;
}

/* The key of a stack's frame. If its module got no number, the frame counts as generated code. */
static uint64_t key_of(struct um_profiler *profiler, const struct um_sampler_frame *at)
{
    int32_t module = module_of(profiler, at->module);
    bool is_unnumbered = module < 0 && at->module != UM_SAMPLER_NO_MODULE;
    uint64_t base = is_unnumbered ? um_sampler_module(profiler->sampler, at->module)->base : 0;
    return um_samples_key(module, base + at->offset);
}

static void take_sample(struct um_profiler *profiler, const struct um_sampler_sample *sample)
{
    struct um_calltree_frame stack_frames[UM_SAMPLER_DEPTH];
    struct um_calltree_sample stack = {.frames = stack_frames,
                                       .frame_count = sample->count,
                                       .cut = sample->stop != UM_UNWIND_START,
                                       .cost = {.samples = 1}};
    uint32_t node;
    if (is_full_for(profiler, sample->count) && begin_anew(profiler) != UM_OK)
        return;
    for (size_t i = 0; i < sample->count; i++) {
        const struct um_sampler_frame *at = &sample->frames[i];
        struct address address = {.key = key_of(profiler, at), .displacement = at->displacement};
        stack_frames[i] = (struct um_calltree_frame){.key = address.key};
        add_address(profiler, &address);
    }
    if (um_calltree_add(&profiler->tree, &stack, &node) != UM_OK)
        return;
    publish_nodes(profiler);
    struct um_wire_frame frame = {.type = UM_WIRE_SAMPLE,
                                  .flags = sample->has_times ? UM_WIRE_SAMPLE_HAS_CPU : 0,
                                  .as.sample = {.time_ns = sample->time_ns,
                                                .thread = sample->thread,
                                                .node = node,
                                                .wall_us = us(sample->wall_ns),
                                                .user_us = us(sample->user_ns),
                                                .kernel_us = us(sample->kernel_ns),
                                                .absence = sample->absence,
                                                .tree = profiler->tree_number,
                                                .stopped = (uint8_t)sample->stop,
                                                .other = sample->is_other,
                                                .guessed = sample->guessed}};
    um_text_set(frame.as.sample.thread_name, sizeof frame.as.sample.thread_name,
                sample->thread_name);
    publish(profiler, &frame);
    take_wait(profiler, sample);
}

/* Forgets earlier samples once there are many and no STACK needs them: at the begin of another
 * absence, or, if sampling is constant, while the thread is not away. */
static void forget(struct um_profiler *profiler, uint32_t absence, bool is_away)
{
    const struct um_samples *samples = um_profile_samples(profiler->profile);
    size_t count = samples->count;
    bool is_over = absence != profiler->absence || (!is_away && count > 2 * SAMPLES_KEPT);
    bool is_much = count > SAMPLES_KEPT || samples->stacks.count > UM_CALLTREE_NODES / 2;
    if (is_over && profiler->pending_count == 0 && is_much) {
        (void)um_profile_clear(profiler->profile);
        profiler->late_count = 0;
    }
    profiler->round += absence != profiler->absence;
    profiler->absence = absence;
}

/* Freezes -------------------------------------------------------------------------------------- */

/* What is added up over the samples of one freeze. */
struct sums {
    size_t count;
    uint64_t first_ns, last_ns;
    uint64_t wall_ns; /* what they weigh */
    uint64_t user_ns, kernel_ns;
    bool has_times; /* user_ns and kernel_ns are known */
    size_t stops[UM_WIRE_STOPPED];
    size_t guessed; /* samples in which some callers are */
};

static struct sums sum_freeze(const struct um_profiler *profiler, uint32_t freeze)
{
    const struct um_samples *samples = um_profile_samples(profiler->profile);
    struct sums sums = {.has_times = true};
    for (size_t i = samples->count; i > 0; i--) {
        const struct um_samples_entry *entry = &samples->entries[i - 1];
        if (entry->freeze != freeze) {
            if (sums.count > 0)
                break;
            continue;
        }
        if (entry->is_other)
            continue;
        sums.last_ns = sums.count++ == 0 ? entry->at_ns : sums.last_ns;
        sums.first_ns = entry->at_ns;
        sums.has_times = sums.has_times && (entry->has_times || entry->gap_ns == 0);
        sums.wall_ns += entry->cost.wall_ns;
        sums.user_ns += entry->cost.user_ns;
        sums.kernel_ns += entry->cost.kernel_ns;
        sums.guessed += entry->guessed != 0;
        if (entry->stopped < UM_WIRE_STOPPED)
            sums.stops[entry->stopped]++;
    }
    return sums;
}

/* Why most of the walks that did not reach the end stopped; "" if most samples are whole. */
static const char *stopped(const struct sums *sums)
{
    size_t most = UM_UNWIND_START;
    for (size_t i = 0; i < UM_WIRE_STOPPED; i++)
        if (sums->stops[i] > sums->stops[most])
            most = i;
    return most == UM_UNWIND_START ? "" : um_unwind_stop_text((enum um_unwind_stop)most);
}

/* What the samples of a run weigh. Among them may be some without a blocker, which count not. */
static double weigh_run(const struct um_profiler *profiler, const struct sums *sums,
                        const struct waited *run)
{
    const struct um_samples *samples = um_profile_samples(profiler->profile);
    uint64_t wall_ns = 0, count = 0;
    if (run->count == 0 || run->first_ns < sums->first_ns || run->last_ns > sums->last_ns)
        return 0;
    for (size_t i = samples->count; i > 0; i--) {
        const struct um_samples_entry *entry = &samples->entries[i - 1];
        if (entry->at_ns < run->first_ns)
            break;
        if (entry->is_other || entry->at_ns > run->last_ns)
            continue;
        wall_ns += entry->cost.wall_ns;
        count++;
    }
    return count > 0 ? (double)wall_ns * run->count / (double)count : 0;
}

/* What the samples of a freeze weigh that have the same blocker as this run of them. */
static double weigh_alike(const struct um_profiler *profiler, const double weights[WAITS],
                          const struct waited *one)
{
    double sum = 0;
    for (size_t i = 0; i < WAITS; i++)
        if (weights[i] > 0 && is_same_blocker(&one->blocker, &profiler->waits[i].blocker))
            sum += weights[i];
    return sum;
}

/* Publishes for whom the thread waited, if at least half of the samples have the same blocker. */
static void publish_wait(struct um_profiler *profiler, const struct pending *pending,
                         const struct sums *sums, const struct um_view *freeze)
{
    struct um_wire_frame frame = {.type = UM_WIRE_WAIT};
    struct um_wire_wait *wait = &frame.as.wait;
    struct um_view view = *freeze;
    struct um_headline headline;
    const struct um_blocker *blocker = NULL;
    double weights[WAITS], most = 0;
    for (size_t i = 0; i < WAITS; i++)
        weights[i] = weigh_run(profiler, sums, &profiler->waits[i]);
    for (size_t i = 0; i < WAITS; i++) {
        double alike = weigh_alike(profiler, weights, &profiler->waits[i]);
        if (alike > most) {
            most = alike;
            blocker = &profiler->waits[i].blocker;
        }
    }
    uint64_t count = um_samples_share(sums->count, (uint64_t)most, sums->wall_ns);
    if (!blocker || most * 2 < (double)sums->wall_ns)
        return;
    wait->freeze = pending->freeze;
    wait->thread = blocker->thread;
    wait->process = blocker->process;
    wait->samples = (uint32_t)count;
    wait->kind = blocker->kind;
    um_text_set(wait->object, sizeof wait->object, blocker->object);
    um_text_set(wait->process_name, sizeof wait->process_name, blocker->process_name);
    view.thread = blocker->thread;
    if (um_headline_make(&view, NULL, &headline) == UM_OK && headline.count > 0)
        um_text_set(wait->function, sizeof wait->function, headline.names[0]);
    publish(profiler, &frame);
}

/* Notes which of the user's modules a freeze's stacks have. Of the others it takes one that has
 * another module's name but for a slip, to be said at once. */
static void look_for_mine(struct um_profiler *profiler, const struct um_functions *functions)
{
    const char *mine = profiler->config.mine;
    profiler->unseen &= um_unseen_find(functions, mine);
    profiler->is_mine_published = true;
    for (unsigned i = 0; i < UM_UNSEEN_ENTRIES && profiler->mistyped[0] == '\0'; i++) {
        uint32_t bit = UINT32_C(1) << i;
        if (!(profiler->unseen & ~profiler->said_unseen & bit))
            continue;
        if (um_unseen_text(functions, mine, i, profiler->mistyped, sizeof profiler->mistyped))
            profiler->said_unseen |= bit;
        else
            profiler->mistyped[0] = '\0';
    }
}

static void publish_stack(struct um_profiler *profiler, const struct pending *pending,
                          const struct sums *sums)
{
    struct um_wire_frame frame = {.type = UM_WIRE_STACK};
    struct um_wire_stack *stack = &frame.as.stack;
    struct um_functions functions;
    struct um_headline headline;
    struct um_view view;
    struct um_mine mine;
    if (um_functions_init(&functions, um_profile_look_up, profiler->profile) != UM_OK)
        return;
    um_view_init(&view, um_profile_samples(profiler->profile), &functions);
    view.freeze = pending->freeze;
    if (um_headline_make(&view, pending->message, &headline) == UM_OK) {
        stack->freeze = pending->freeze;
        stack->samples = (uint32_t)sums->count;
        stack->alike = (uint32_t)headline.alike;
        stack->known = UM_WIRE_STACK_CUT(headline.cut < UINT16_MAX ? headline.cut : UINT16_MAX);
        if (headline.is_of_read && headline.cut <= UINT16_MAX)
            stack->known |= UM_WIRE_STACK_OF_READ; /* else it is said of all, which is true, too */
        if (sums->count > 1) {
            stack->interval_us = us((sums->last_ns - sums->first_ns) / (sums->count - 1));
            stack->sampled_us = us(sums->last_ns - sums->first_ns);
            stack->user_us = us(sums->user_ns);
            stack->kernel_us = us(sums->kernel_ns);
            stack->known |= sums->has_times ? UM_WIRE_STACK_CPU : 0;
        }
        if (profiler->config.mine) {
            um_mine_count(&view, profiler->config.mine, &mine);
            um_mine_put(&mine, stack);
            if (profiler->known >= pending->addresses) /* all names are there */
                look_for_mine(profiler, &functions);
        }
        um_text_set(stack->call, sizeof stack->call, headline.call);
        um_text_set(stack->place, sizeof stack->place, headline.place);
        um_text_set(stack->headline, sizeof stack->headline, headline.text);
        for (unsigned i = 0; i < headline.count && i < UM_WIRE_STACK_FRAMES; i++) {
            um_text_set(stack->frames[i], UM_WIRE_STACK_FRAME_BYTES, headline.names[i]);
            stack->known |= headline.guessed[i] ? UM_WIRE_STACK_GUESSED(i) : 0;
        }
        um_text_set(stack->stopped, sizeof stack->stopped, stopped(sums));
        if (sums->guessed > 0)
            snprintf(stack->guessed, sizeof stack->guessed, "%zu", sums->guessed);
        publish(profiler, &frame);
        publish_wait(profiler, pending, sums, &view);
    }
    um_functions_deinit(&functions);
}

void um_profiler_freeze(struct um_profiler *profiler, const struct um_wire_frame *episode,
                        uint64_t now_ns)
{
    um_profiler_turn(profiler, now_ns, false);
    um_profile_take(profiler->profile, episode);
    if (profiler->pending_count == FREEZES) {
        profiler->pending[0].from_ns = 0;
        profiler->pending[0].until_ns = 0; /* it is published without names */
        um_profiler_turn(profiler, now_ns, false);
    }
    const struct um_wire_episode *freeze = &episode->as.episode;
    struct pending *pending = &profiler->pending[profiler->pending_count++];
    *pending = (struct pending){.freeze = freeze->id,
                                .from_ns = now_ns + WALK_NS,
                                .until_ns = now_ns + NAMES_NS,
                                .length_ns = um_wire_episode_length_ns(freeze)};
    if (episode->flags & UM_WIRE_EPISODE_HAS_MESSAGE)
        um_message_names_get(freeze->message, freeze->message_name, pending->message,
                             sizeof pending->message);
}

/* Keeps a freeze that has been published without some of its names, in place of the oldest. */
static void keep_late(struct um_profiler *profiler, const struct pending *pending)
{
    if (profiler->late_count == FREEZES)
        memmove(profiler->late, profiler->late + 1, --profiler->late_count * sizeof *pending);
    profiler->late[profiler->late_count++] = *pending;
}

static void make_last(struct um_profiler *profiler, const struct pending *last)
{
    const struct um_hottest_choice choice = {
        .scope = UM_WIRE_SCOPE_FREEZE, .freeze = last->freeze, .span_ns = last->length_ns};
    (void)um_hottest_make(profiler->profile, &choice, &profiler->config.shown,
                          profiler->last_freeze);
    profiler->last_id = last->freeze;
}

/* Publishes late freezes again when their names have come. Symbol servers can take minutes. */
static void publish_late(struct um_profiler *profiler)
{
    size_t kept = 0;
    for (size_t i = 0; i < profiler->late_count; i++) {
        const struct pending *late = &profiler->late[i];
        if (profiler->known < late->addresses) {
            profiler->late[kept++] = *late;
            continue;
        }
        struct sums sums = sum_freeze(profiler, late->freeze);
        if (sums.count > 0)
            publish_stack(profiler, late, &sums);
        if (late->freeze == profiler->last_id)
            make_last(profiler, late);
    }
    profiler->late_count = kept;
}

/* Publishes the freezes whose names are there, in the order in which they ended. */
static void publish_freezes(struct um_profiler *profiler, uint64_t now_ns)
{
    size_t done = 0;
    for (; done < profiler->pending_count; done++) {
        struct pending *pending = &profiler->pending[done];
        if (now_ns < pending->from_ns)
            break;
        if (!pending->is_counted)
            pending->addresses = profiler->address_count;
        pending->is_counted = true;
        if (profiler->known < pending->addresses && now_ns < pending->until_ns)
            break;
        struct sums sums = sum_freeze(profiler, pending->freeze);
        if (sums.count > 0)
            publish_stack(profiler, pending, &sums);
        if (sums.count > 0 && profiler->known < pending->addresses)
            keep_late(profiler, pending);
        make_last(profiler, pending);
    }
    profiler->pending_count -= done;
    memmove(profiler->pending, profiler->pending + done,
            profiler->pending_count * sizeof profiler->pending[0]);
}

void um_profiler_turn(struct um_profiler *profiler, uint64_t now_ns, bool is_away)
{
    while (profiler->sampler && um_sampler_next(profiler->sampler, &profiler->sample)) {
        forget(profiler, profiler->sample.absence, is_away);
        take_sample(profiler, &profiler->sample);
    }
    if (!is_away)
        ask_names(profiler);
    if (profiler->answered < profiler->asked)
        take_names(profiler);
    if (profiler->late_count > 0)
        publish_late(profiler);
    if (profiler->pending_count > 0)
        publish_freezes(profiler, now_ns);
}

size_t um_profiler_hottest(struct um_profiler *profiler, uint64_t away_ns, uint64_t now_ns,
                           struct um_wire_frame frames[UM_HOTTEST_FRAMES])
{
    const struct um_hottest_choice all = {.scope = UM_WIRE_SCOPE_SESSION};
    const struct um_hottest_choice now = {.scope = UM_WIRE_SCOPE_NOW,
                                          .since_ns = away_ns,
                                          .span_ns = now_ns > away_ns ? now_ns - away_ns : 0};
    uint64_t known = um_profile_sample_count(profiler->profile);
    struct um_wire_profile made[UM_WIRE_PROFILE_PARTS];
    size_t count;

    if (profiler->session[0].scope == UM_WIRE_SCOPE_NONE || known != profiler->session_known ||
        profiler->answered != profiler->session_answered) {
        profiler->session_known = known;
        profiler->session_answered = profiler->answered;
        (void)um_hottest_make(profiler->profile, &all, &profiler->config.shown, profiler->session);
    }
    if (away_ns == 0)
        count = um_hottest_put(profiler->last_freeze, frames);
    else if (um_hottest_make(profiler->profile, &now, &profiler->config.shown, made) == UM_OK)
        count = um_hottest_put(made, frames);
    else
        count = 0;
    return count + um_hottest_put(profiler->session, frames + count);
}

void um_profiler_finish(struct um_profiler *profiler, uint32_t quiet_ms)
{
    uint64_t quiet_ns = quiet_ms * UM_CLOCK_NS_PER_MS;
    uint64_t begun_ns = um_clock_now_ns();
    uint64_t answer_ns = begun_ns; /* when the last name came */
    um_profiler_turn(profiler, begun_ns, false);
    while (profiler->pending_count > 0 || profiler->answered < profiler->address_count) {
        size_t before = profiler->answered;
        um_clock_sleep_ns(POLL_NS);
        uint64_t now_ns = um_clock_now_ns();
        um_profiler_turn(profiler, now_ns, false);
        answer_ns = profiler->answered > before ? now_ns : answer_ns;
        if (now_ns - answer_ns >= quiet_ns || now_ns - begun_ns >= FINISH_MOST * quiet_ns)
            break;
    }
    for (size_t i = 0; i < profiler->pending_count; i++)
        profiler->pending[i].from_ns = profiler->pending[i].until_ns = 0;
    publish_freezes(profiler, um_clock_now_ns());
    profiler->is_finished = true;
}

/* Which of the user's modules were in no stack: likely slips at once, the others at the end. */
static bool say_unseen(struct um_profiler *profiler, char *line, size_t cap_bytes)
{
    const char *mine = profiler->config.mine;
    char entries[256];
    if (profiler->mistyped[0] != '\0') {
        snprintf(line, cap_bytes, "--mine: no stack so far has %s", profiler->mistyped);
        profiler->mistyped[0] = '\0';
        return true;
    }
    if (!profiler->is_finished || !profiler->is_mine_published)
        return false;
    um_unseen_join(mine, profiler->unseen & ~profiler->said_unseen, entries, sizeof entries);
    snprintf(line, cap_bytes, "--mine: no freeze's stacks have %s", entries);
    profiler->said_unseen = UINT32_MAX;
    return entries[0] != '\0';
}

static bool say_full(struct um_profiler *profiler, char *line, size_t cap_bytes)
{
    if (profiler->sampler && um_sampler_has_too_many(profiler->sampler))
        profiler->full |= FULL_LOADED;
    unsigned new = profiler->full & ~profiler->said_full;
    if (new &FULL_MODULES)
        snprintf(line, cap_bytes,
                 "the target has loaded more than %d modules; functions of further ones are told "
                 "by their addresses",
                 UM_SAMPLER_MODULES);
    else if (new &FULL_LOADED)
        snprintf(line, cap_bytes,
                 "the target has %d modules or more at a time; stacks may end at the code of some",
                 UM_IMAGES_MODULES);
    else if (new &FULL_ADDRESSES)
        snprintf(line, cap_bytes,
                 "more than %d functions wait for their names; further ones are told by their "
                 "addresses",
                 ADDRESSES_MOST);
    profiler->said_full |= new &(~new + 1); /* the lowest of them: the others come next */
    return new != 0;
}

/* Says why the methods of an assembly have no lines; of a PDB that is missing, where it was looked
 * for. */
static void say_pdb(const struct um_profiler *profiler, const struct pdb *pdb, char *line,
                    size_t cap_bytes)
{
    const char *assembly = um_module_list_file(pdb->assembly);
    int folder_len = assembly > pdb->assembly ? (int)(assembly - pdb->assembly) - 1 : 0;
    bool has_path = profiler->config.symbol_path && profiler->config.symbol_path[0] != '\0';
    char where[UM_NAMES_PATH_BYTES];
    snprintf(where, sizeof where, "no PDB of it was found in %.*s%s", folder_len, pdb->assembly,
             has_path ? ", inside it, or on the path for symbols"
                      : ", or inside it; --symbol-path leads to other folders and servers");
    snprintf(line, cap_bytes, "the methods of %s have no files and lines (%s)", assembly,
             pdb->why == UM_NAMES_PDB_MISSING ? where : um_names_pdb_text(pdb->why));
}

bool um_profiler_next_line(struct um_profiler *profiler, char *line, size_t cap_bytes)
{
    if (!profiler->said_why && profiler->why[0]) {
        profiler->said_why = true;
        snprintf(line, cap_bytes, "functions are told by their addresses (%s)", profiler->why);
        return true;
    }
    if (say_full(profiler, line, cap_bytes) || say_unseen(profiler, line, cap_bytes))
        return true;
    if (profiler->said_pdbs < profiler->pdb_count) {
        say_pdb(profiler, &profiler->pdbs[profiler->said_pdbs++], line, cap_bytes);
        return true;
    }
    if (profiler->said_managed_why || profiler->managed_why == UM_NAMES_FOUND)
        return false;
    profiler->said_managed_why = true;
    snprintf(line, cap_bytes, "managed methods have no names (%s)",
             um_names_why_text(profiler->managed_why));
    return true;
}
