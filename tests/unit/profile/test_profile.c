/* A profile that is read from frames: what belongs to which freeze, and what damaged or foreign
 * frames do. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "ipc/names.h"
#include "monitor/profile/profile.h"

#define MS UM_CLOCK_NS_PER_MS
#define START (1000 * MS)

static struct um_profile *profile;
static struct um_wire_frame frame;
static uint32_t tree; /* that frames tell of */

static struct um_wire_frame *next(enum um_wire_type type)
{
    memset(&frame, 0, sizeof frame);
    frame.type = (uint8_t)type;
    return &frame;
}

static void take(void)
{
    um_profile_take(profile, &frame);
}

static void setup(void)
{
    cr_assert_eq(um_profile_open(0, &profile), UM_OK);
    next(UM_WIRE_SESSION)->as.session.start_ns = START;
    take();
    struct um_wire_module *module = &next(UM_WIRE_MODULE)->as.module;
    module->number = 3;
    strcpy(module->path, "C:\\ide\\ide.exe");
    take();
}

static void teardown(void)
{
    um_profile_close(profile);
}

TestSuite(profile, .init = setup, .fini = teardown);

/* Adds a chain of nodes below a parent: addresses 0x10 apart in module 3. */
static void add_nodes(uint32_t first, uint32_t parent, uint64_t offset, uint32_t count)
{
    struct um_wire_nodes *nodes = &next(UM_WIRE_NODES)->as.nodes;
    nodes->tree = tree;
    nodes->first = first;
    nodes->count = count;
    for (uint32_t i = 0; i < count; i++)
        nodes->list[i] = (struct um_wire_node){i == 0 ? parent : first + i - 1,
                                               um_samples_key(3, offset + 0x10 * (uint64_t)i)};
    take();
}

static void add_sample(uint64_t at_ms, uint32_t node)
{
    struct um_wire_sample *sample = &next(UM_WIRE_SAMPLE)->as.sample;
    sample->time_ns = START + at_ms * MS;
    sample->tree = tree;
    sample->node = node;
    sample->thread = 8;
    sample->wall_us = 10000;
    sample->user_us = 4000;
    sample->kernel_us = 1000;
    take();
}

static void end_freeze(uint32_t id, uint64_t from_ms, uint64_t to_ms, uint8_t flags)
{
    struct um_wire_episode *episode = &next(UM_WIRE_EPISODE)->as.episode;
    frame.flags = UM_WIRE_EPISODE_END | flags;
    episode->id = id;
    episode->state = UM_STATE_FROZEN;
    episode->start_ns = START + from_ms * MS;
    episode->end_ns = START + to_ms * MS;
    take();
}

static uint32_t freeze_of(size_t index)
{
    const struct um_samples *samples = um_profile_samples(profile);
    cr_assert_lt(index, samples->count);
    return samples->entries[index].freeze;
}

static const char *name_of(uint64_t offset)
{
    static struct um_functions_name name;
    cr_assert(um_profile_look_up(profile, um_samples_key(3, offset), &name));
    cr_assert_str_eq(name.module, "C:\\ide\\ide.exe");
    return name.name;
}

Test(profile, knows_threads_by_their_names)
{
    add_nodes(2, 0, 0x100, 1);
    add_sample(50, 2);
    struct um_wire_sample *sample = &frame.as.sample;
    sample->other = 1;
    sample->thread = 12;
    um_text_set(sample->thread_name, sizeof sample->thread_name, "pool");
    take();
    sample->thread_name[0] = '\0';
    take();
    cr_expect_str_eq(um_profile_thread_name(profile, 12), "pool");
    cr_expect_str_eq(um_profile_thread_name(profile, 8), "");
    um_text_set(sample->thread_name, sizeof sample->thread_name, "net");
    take();
    cr_expect_str_eq(um_profile_thread_name(profile, 12), "net", "the number was given again");
    const struct um_samples *samples = um_profile_samples(profile);
    cr_assert_eq(samples->count, 4);
    cr_expect_not(samples->entries[0].is_other);
    cr_expect(samples->entries[1].is_other);
}

Test(profile, keeps_a_sample_as_it_was_told)
{
    uint64_t keys[3];
    add_nodes(2, 0, 0x100, 3);
    add_sample(50, 4);
    const struct um_samples *samples = um_profile_samples(profile);
    cr_assert_eq(samples->count, 1);
    const struct um_samples_entry *entry = &samples->entries[0];
    cr_expect_eq(entry->at_ns, 50 * MS);
    cr_expect_eq(entry->thread, 8);
    cr_expect_eq(entry->cost.samples, 1);
    cr_expect_eq(entry->cost.wall_ns, 10 * MS);
    cr_expect_eq(entry->cost.user_ns, 4 * MS);
    cr_expect_eq(entry->cost.kernel_ns, MS);
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    bool cut;
    cr_assert_eq(um_calltree_stack(&samples->stacks, entry->node, frames, &cut), 3);
    cr_expect_not(cut);
    for (size_t i = 0; i < 3; i++)
        keys[i] = frames[i].key;
    cr_expect_eq(keys[0], um_samples_key(3, 0x120));
    cr_expect_eq(keys[2], um_samples_key(3, 0x100));
}

Test(profile, samples_belong_to_the_freeze_in_whose_time_they_were_taken)
{
    add_nodes(2, 0, 0x100, 1);
    add_sample(90, 2);
    add_sample(100, 2);
    add_sample(150, 2);
    add_sample(201, 2);
    end_freeze(7, 100, 200, 0);
    add_sample(200, 2); /* its walk took longer */
    add_sample(300, 2);
    add_sample(400, 2);
    end_freeze(8, 300, 350, UM_WIRE_EPISODE_VOID);
    end_freeze(9, 360, 500, 0);
    static const uint32_t truth[] = {0, 7, 7, 0, 7, 0, 9};
    for (size_t i = 0; i < sizeof truth / sizeof truth[0]; i++)
        cr_expect_eq(freeze_of(i), truth[i], "sample %zu", i);
}

static void expect_weight(size_t index, uint64_t ms)
{
    uint64_t wall_ns = um_profile_samples(profile)->entries[index].cost.wall_ns;
    cr_expect_eq(wall_ns, ms * MS, "sample %zu: %g ms", index, (double)wall_ns / MS);
}

/* Each sample has a gap of 10 ms. */
Test(profile, a_sample_stands_for_no_time_before_its_freeze_or_in_one_that_is_over)
{
    add_nodes(UM_WIRE_FIRST_NODE, 0, 0x10, 1);
    add_sample(95, UM_WIRE_FIRST_NODE);
    add_sample(104, UM_WIRE_FIRST_NODE);
    add_sample(114, UM_WIRE_FIRST_NODE);
    add_sample(123, UM_WIRE_FIRST_NODE);
    end_freeze(4, 100, 120, 0);
    add_sample(127, UM_WIRE_FIRST_NODE);
    add_sample(131, UM_WIRE_FIRST_NODE);
    static const uint64_t truth_ms[] = {10, 4, 10, 3, 7, 10};
    for (size_t i = 0; i < sizeof truth_ms / sizeof *truth_ms; i++)
        expect_weight(i, truth_ms[i]);
}

Test(profile, names_come_before_or_after_and_may_change)
{
    cr_expect_str_eq(name_of(0x1234), "+0x1234");
    struct um_wire_name *name = &next(UM_WIRE_NAME)->as.name;
    name->key = um_samples_key(3, 0x1234);
    name->displacement = 0x34;
    name->kind = UM_NAMES_NOWHERE;
    name->why = UM_NAMES_NO_SYMBOLS;
    take();
    cr_expect_str_eq(name_of(0x1234), "+0x1200", "it is called by where it begins");
    name->kind = UM_NAMES_DEBUG;
    name->why = UM_NAMES_FOUND;
    name->line = 12;
    strcpy(name->name, "parse");
    strcpy(name->file, "p.c");
    take();
    cr_expect_str_eq(name_of(0x1234), "parse");
    cr_expect_eq(um_profile_name(profile, um_samples_key(3, 0x1234))->line, 12);
    cr_expect_str_eq(um_profile_name(profile, um_samples_key(3, 0x1234))->file, "p.c");
    cr_expect_null(um_profile_name(profile, um_samples_key(3, 0x1235)));
}

/* Of "118-140", and of what is no such text. */
Test(profile, names_say_which_lines_are_the_functions)
{
    static const struct {
        const char *extent;
        uint32_t first, last;
    } list[] = {{"118-140", 118, 140},
                {"7-7", 7, 7},
                {"", 0, 0},
                {"118", 0, 0},
                {"140-118", 0, 0},
                {"0-3", 0, 0},
                {"-3-4", 0, 0},
                {"3--4", 0, 0},
                {"3-4x", 0, 0},
                {" 3-4", 0, 0},
                {"3- 4", 0, 0},
                {"1-99999999999999999999", 0, 0},
                {"1-536870912", 1, 536870912},
                {"1-536870913", 0, 0}};
    struct um_wire_name *name = &next(UM_WIRE_NAME)->as.name;
    name->key = um_samples_key(3, 0x1234);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        um_text_set(name->extent, sizeof name->extent, list[i].extent);
        take();
        const struct um_profile_name *known = um_profile_name(profile, name->key);
        cr_expect_eq(known->first_line, list[i].first, "%s", list[i].extent);
        cr_expect_eq(known->last_line, list[i].last, "%s", list[i].extent);
    }
}

Test(profile, trimming_leaves_the_names_of_samples)
{
    for (uint64_t offset = 0; offset <= 0x40; offset += 0x10) {
        struct um_wire_name *name = &next(UM_WIRE_NAME)->as.name;
        name->key = um_samples_key(3, offset);
        name->kind = UM_NAMES_DEBUG;
        snprintf(name->name, sizeof name->name, "function_%u", (unsigned)offset);
        take();
    }
    add_nodes(UM_WIRE_FIRST_NODE, 0, 0x10, 2);
    add_sample(1, UM_WIRE_FIRST_NODE + 1);
    um_profile_trim(profile);
    cr_expect_null(um_profile_name(profile, um_samples_key(3, 0)));
    cr_expect_str_eq(um_profile_name(profile, um_samples_key(3, 0x10))->name, "function_16");
    cr_expect_str_eq(um_profile_name(profile, um_samples_key(3, 0x20))->name, "function_32");
    cr_expect_null(um_profile_name(profile, um_samples_key(3, 0x40)));
    next(UM_WIRE_NAME)->as.name.key = um_samples_key(3, 0x40);
    take();
    cr_expect(um_profile_name(profile, um_samples_key(3, 0x40)) != NULL);
}

Test(profile, code_of_no_module_has_no_name_and_no_address)
{
    struct um_functions_name name;
    cr_assert(um_profile_look_up(profile, um_samples_key(-1, 0x7ff612345678), &name));
    cr_expect_str_eq(name.name, "code without a name");
    cr_expect_str_eq(name.module, "");
    cr_expect_str_eq(um_profile_module(profile, 4), "");
    cr_expect_str_eq(um_profile_module(profile, 60000), "");
}

/* Of "17", and of what is no number of a module that has come. */
Test(profile, a_managed_method_is_in_the_module_of_its_assembly)
{
    static const struct {
        const char *number, *module;
    } list[] = {{"17", "C:\\Plug.dll"}, {"", "<managed>"},      {"18", "<managed>"},
                {"17x", "<managed>"},   {"+17", "<managed>"},   {"-1", "<managed>"},
                {" 17", "<managed>"},   {"65535", "<managed>"}, {"99999", "<managed>"}};
    struct um_functions_name name;
    struct um_wire_module *module = &next(UM_WIRE_MODULE)->as.module;
    module->number = 17;
    strcpy(module->path, "C:\\Plug.dll");
    take();
    struct um_wire_name *told = &next(UM_WIRE_NAME)->as.name;
    told->key = um_samples_key(-1, 0x7ff612345678);
    told->kind = UM_NAMES_MANAGED;
    strcpy(told->name, "Acme.Plug.Run()");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        strcpy(told->module, list[i].number);
        take();
        cr_assert(um_profile_look_up(profile, told->key, &name));
        cr_expect_str_eq(name.module, list[i].module, "%s", list[i].number);
        cr_expect_str_eq(name.name, "Acme.Plug.Run()");
    }
    strcpy(told->module, "17"); /* of another kind of name, only the key says where it lies */
    told->kind = UM_NAMES_DEBUG;
    take();
    cr_assert(um_profile_look_up(profile, told->key, &name));
    cr_expect_str_eq(name.module, "");
}

/* Such a frame may have a name or none, and the code may be of a runtime or not. */
Test(profile, names_of_an_unknown_kind_are_taken_where_there_is_one)
{
    struct um_functions_name name;
    struct um_wire_name *told = &next(UM_WIRE_NAME)->as.name;
    told->key = um_samples_key(-1, 0x7ff612345678);
    told->kind = UM_WIRE_UNKNOWN;
    take();
    cr_assert(um_profile_look_up(profile, um_samples_key(-1, 0x7ff612345678), &name));
    cr_expect_str_eq(name.name, "code without a name");
    cr_expect(name.is_unknown);
    strcpy(told->name, "parse");
    take();
    cr_assert(um_profile_look_up(profile, um_samples_key(-1, 0x7ff612345678), &name));
    cr_expect_str_eq(name.name, "parse");
    cr_expect(name.is_unknown && !name.is_managed);
}

Test(profile, a_tree_that_begins_anew_leaves_old_samples_alone)
{
    add_nodes(2, 0, 0x100, 3);
    add_sample(10, 4);
    tree++;
    add_nodes(2, 0, 0x500, 1);
    add_sample(20, 2);
    add_sample(30, 4); /* there is no such node any more */
    const struct um_samples *samples = um_profile_samples(profile);
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    bool cut;
    cr_assert_eq(um_calltree_stack(&samples->stacks, samples->entries[0].node, frames, &cut), 3);
    cr_expect_eq(frames[0].key, um_samples_key(3, 0x120));
    cr_assert_eq(um_calltree_stack(&samples->stacks, samples->entries[1].node, frames, &cut), 1);
    cr_expect_eq(frames[0].key, um_samples_key(3, 0x500));
    cr_expect_eq(um_calltree_stack(&samples->stacks, samples->entries[2].node, frames, &cut), 0);
    cr_expect(cut, "a stack that is not known is one that was not read");
}

Test(profile, who_listens_late_knows_no_stacks_but_counts_samples)
{
    add_nodes(50, 49, 0x100, 3); /* the ones before were told earlier */
    add_sample(10, 52);
    cr_assert_eq(um_profile_samples(profile)->count, 1);
    cr_expect_eq(um_profile_sample_count(profile), 1);
    cr_expect_eq(um_profile_samples(profile)->entries[0].node, UM_CALLTREE_CUT);
}

Test(profile, a_cut_stack_stays_cut)
{
    bool cut;
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    add_nodes(2, 1, 0x100, 2);
    add_sample(10, 3);
    const struct um_samples *samples = um_profile_samples(profile);
    cr_expect_eq(um_calltree_stack(&samples->stacks, samples->entries[0].node, frames, &cut), 2);
    cr_expect(cut);
}

Test(profile, what_finds_no_room_is_counted)
{
    um_profile_close(profile);
    cr_assert_eq(um_profile_open(10, &profile), UM_OK);
    add_nodes(2, 0, 0x100, 1);
    for (uint64_t i = 0; i < 25; i++)
        add_sample(i, 2);
    cr_expect_eq(um_profile_samples(profile)->count, 10);
    cr_expect_eq(um_profile_samples(profile)->stacks.lost.samples, 15);
    cr_expect_eq(um_profile_sample_count(profile), 25);
    cr_assert_eq(um_profile_clear(profile), UM_OK);
    add_sample(100, 2);
    cr_expect_eq(um_profile_samples(profile)->count, 1, "nodes and room are there");
}

Test(profile, nodes_of_another_tree_are_not_taken_for_those_that_are_known)
{
    add_nodes(2, 0, 0x100, 3);
    tree++; /* its first NODES was lost */
    add_sample(10, 3);
    add_nodes(5, 4, 0x500, 1);
    add_sample(20, 3);
    add_sample(30, 5);
    for (size_t i = 0; i < 3; i++)
        cr_expect_eq(um_profile_samples(profile)->entries[i].node, UM_CALLTREE_CUT);
}
