/* From samples to frames of the feed: the stacks are those of tests/golden/stacks_wine.bin, the
 * names those of fake_names.h. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "ipc/names.h"
#include "monitor/writers/flight_buffer.h"
#include "monitor/live/profiler.h"
#include "monitor/profile/mine.h"
#include "monitor/profile/profile.h"
#include "monitor/sample/images.h"
#include "tests/stacks/stack_file.h"
#include "tests/unit/live/fake_target.h"
#include "tests/unit/sample/fake_stopper.h"
#include "tests/unit/naming/fake_names.h"
#include "tests/unit/wait_until.h"

#define PATH UM_SOURCE_DIR "/tests/golden/stacks_wine.bin"
#define MS UM_CLOCK_NS_PER_MS
#define PUBLISHED 4096
#define SAMPLES 30

static struct stack_file file;
static struct um_profiler *profiler;
static struct um_sampler *sampler;
static struct um_suspensions suspensions;
static struct um_wire_frame *published; /* PUBLISHED, once there is one */
static size_t published_count;
static struct um_flight_buffer
    *kept; /* takes all, and the list only a few; NULL: the list takes all */
static size_t names_kept;
/* The profiler's time: it goes on only where a test lets it, so that no name comes too late. */
static uint64_t now_ns = 1000 * UM_CLOCK_NS_PER_S;

#define WALKED_NS (100 * MS) /* after a freeze, until its samples are walked */

static void keep(const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;
    cr_assert_eq(um_wire_encode(frame, bytes, sizeof bytes, &len), UM_OK);
    um_flight_buffer_take(kept, frame, bytes, len);
    names_kept += frame->type == UM_WIRE_NAME;
}

static void publish(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    if (kept)
        keep(frame);
    if (kept && frame->type != UM_WIRE_SAMPLE && frame->type != UM_WIRE_STACK)
        return;
    cr_assert_lt(published_count, PUBLISHED);
    if (!published)
        cr_assert_not_null(published = calloc(PUBLISHED, sizeof *published));
    published[published_count++] = *frame;
}

static void close_sampler(void)
{
    um_profiler_sampler(profiler, NULL, 0);
    um_sampler_close(sampler);
    sampler = NULL;
}

/* In place of the one before. */
static void open_sampler(void)
{
    struct um_sampler_options options = {.after_ns = 50 * MS,
                                         .every_ns = MS,
                                         .cost_percent = 3,
                                         .now_ns = fake_stopper_clock_ns,
                                         .sleep_ns = fake_stopper_sleep_ns};
    close_sampler();
    cr_assert_eq(um_sampler_open(1, 2, &options, &suspensions, &sampler), UM_OK);
    um_profiler_sampler(profiler, sampler, 2);
}

static const char *symbol_path = "C:\\symbols";

static void open_profiler(const char *mine)
{
    struct um_profiler_config config = {.symbol_path = symbol_path,
                                        .mine = mine,
                                        .transport = fake_names_start(),
                                        .publish = publish,
                                        .pid = 77};
    cr_assert_eq(um_profiler_open(&config, &profiler), UM_OK);
}

static void setup(void)
{
    cr_assert(stack_file_read(&file, PATH));
    fake_stopper_start();
    fake_stopper_load(&file);
    fake_stopper.now_ns = fake_stopper_clock_ns; /* so that each sample stands for a millisecond */
    open_profiler(NULL);
    open_sampler();
}

static void teardown(void)
{
    um_sampler_close(sampler);
    um_profiler_close(profiler);
    fake_names_end();
    stack_file_release(&file);
}

TestSuite(profiler, .init = setup, .fini = teardown, .threads = true);

static void play(size_t index)
{
    fake_stopper_play(&file.samples[index]);
}

static size_t count(enum um_wire_type type)
{
    size_t found = 0;
    for (size_t i = 0; i < published_count; i++)
        found += published[i].type == type;
    return found;
}

/* Turns the profiler until it has told so many frames of a type. */
static void wait_for(enum um_wire_type type, size_t number)
{
    WAIT_UNTIL(count(type) >= number || (um_profiler_turn(profiler, now_ns, false), false),
               "%zu of %zu frames came", count(type), number);
}

/* One freeze with samples, the last of which may be walked while the thread runs again; returns its
 * EPISODE. There are not more samples than the sampler keeps, should nobody take them. */
static struct um_wire_frame freeze(uint32_t id)
{
    struct um_wire_frame episode = {.type = UM_WIRE_EPISODE, .flags = UM_WIRE_EPISODE_END};
    uint32_t before = fake_stopper_taken();
    episode.as.episode.id = id;
    episode.as.episode.state = UM_STATE_FROZEN;
    episode.as.episode.start_ns = fake_stopper_clock_ns();
    atomic_store(&fake_stopper.most, before + SAMPLES / 2);
    um_sampler_waits(sampler, 60 * MS);
    while (fake_stopper_taken() < before + SAMPLES) {
        uint32_t tid;
        bool comes;
        /* The other half comes when the DLL has been told of the threads of the first one. */
        bool has_half = fake_stopper_taken() >= before + SAMPLES / 2;
        while (um_sampler_thread(sampler, &tid, &comes))
            ; /* as if the DLL had been told */
        if (has_half)
            atomic_store(&fake_stopper.most, before + SAMPLES);
        um_profiler_turn(profiler, now_ns, false);
        um_clock_sleep_ns(MS);
    }
    um_sampler_rest(sampler);
    episode.as.episode.end_ns = fake_stopper_clock_ns();
    wait_for(UM_WIRE_SAMPLE, fake_stopper_taken());
    return episode;
}

static struct um_wire_frame freeze_and_tell(uint32_t id)
{
    struct um_wire_frame episode = freeze(id);
    um_profiler_freeze(profiler, &episode, now_ns);
    now_ns += WALKED_NS;
    return episode;
}

static const struct um_wire_stack *last_stack(void)
{
    for (size_t i = published_count; i > 0; i--)
        if (published[i - 1].type == UM_WIRE_STACK)
            return &published[i - 1].as.stack;
    cr_assert_fail("there is none");
    return NULL;
}

static const struct um_wire_stack *wait_stack(size_t number)
{
    wait_for(UM_WIRE_STACK, number);
    return last_stack();
}

/* Reads what was published as any consumer does. */
static struct um_profile *read_published(void)
{
    struct um_profile *profile;
    cr_assert_eq(um_profile_open(0, &profile), UM_OK);
    for (size_t i = 0; i < published_count; i++)
        um_profile_take(profile, &published[i]);
    return profile;
}

Test(profiler, a_consumer_gets_the_stacks_that_were_walked)
{
    play(0);
    struct um_wire_frame episode = freeze_and_tell(4);
    publish(NULL, &episode);
    const struct um_wire_stack *stack = wait_stack(1);
    struct um_profile *profile = read_published();
    const struct um_samples *samples = um_profile_samples(profile);
    const struct stack_file_sample *truth = &file.samples[0];

    cr_expect_geq(samples->count, SAMPLES - 1);
    cr_expect_eq(samples->count, stack->samples);
    cr_expect_eq(stack->freeze, 4);
    cr_expect_eq(stack->alike, stack->samples);
    cr_expect_geq(stack->interval_us, 750, "chance takes a quarter at most");
    cr_expect_str_eq(stack->stopped, "");
    for (size_t i = 0; i < samples->count; i++) {
        struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
        bool cut;
        size_t depth = um_calltree_stack(&samples->stacks, samples->entries[i].node, frames, &cut);
        cr_assert_eq(samples->entries[i].freeze, 4);
        cr_assert_eq(depth, truth->truth_count);
        cr_assert_not(cut);
        for (size_t j = 0; j < depth; j++) {
            const struct um_profile_name *name = um_profile_name(profile, frames[j].key);
            char expected[96];
            const char *path = um_profile_module(profile, um_samples_module(frames[j].key));
            snprintf(expected, sizeof expected, "%s+%u", path,
                     (unsigned)um_samples_offset(frames[j].key));
            cr_assert(name, "%s has no answer", expected);
            cr_assert_str_eq(name->name, expected);
        }
    }
    um_profile_close(profile);
}

/* A method that a runtime has compiled lies in no module: the runtime says what its assembly is. */
Test(profiler, generated_code_is_named_by_its_runtime)
{
    static const struct um_unwind_registers registers = {.pc = UINT64_C(0x7ff812345678)};
    struct um_functions functions;
    struct um_mine mine;
    struct um_view view;
    char why[96];
    fake_stopper.registers = &registers;
    struct um_wire_frame episode = freeze_and_tell(4);
    publish(NULL, &episode);
    const struct um_wire_stack *stack = wait_stack(1);
    struct um_profile *profile = read_published();

    cr_expect_str_eq(stack->frames[0], "My.Type32760.Method+305419896 in 77");
    cr_expect_str_eq(stack->place, "Type.cs:~42");
    const struct um_profile_name *known =
        um_profile_name(profile, um_samples_key(-1, registers.pc));
    cr_assert(known);
    cr_expect_str_eq(known->checksum, "md5:900150983cd24fb0d6963f7d28e17f72");
    cr_expect(!um_profiler_next_line(profiler, why, sizeof why));
    cr_expect_eq(count(UM_WIRE_MODULE), 1, "of its assembly, once");
    cr_assert_eq(um_functions_init(&functions, um_profile_look_up, profile), UM_OK);
    uint32_t id = um_functions_of(&functions, um_samples_key(-1, registers.pc));
    cr_expect_str_eq(um_functions_get(&functions, id)->module, "C:\\my\\plug.dll");
    cr_expect(um_functions_get(&functions, id)->is_managed);
    um_view_init(&view, um_profile_samples(profile), &functions);
    um_mine_count(&view, "My.Type32760", &mine);
    cr_expect(mine.yours >= SAMPLES - 1 && mine.unattributed == 0);
    um_mine_count(&view, "PLUG.dll", &mine);
    cr_expect(mine.yours >= SAMPLES - 1 && mine.unattributed == 0);
    um_mine_count(&view, "Other,My.Type3", &mine);
    cr_expect_eq(mine.yours, 0);
    um_functions_deinit(&functions);

    /* Without the names nobody can tell. */
    struct um_profile *nameless;
    cr_assert_eq(um_profile_open(0, &nameless), UM_OK);
    for (size_t i = 0; i < published_count; i++) {
        struct um_wire_frame frame = published[i];
        if (frame.type == UM_WIRE_NODES)
            frame.as.nodes.list[0].parent = 0; /* as if it were whole */
        if (frame.type != UM_WIRE_NAME)
            um_profile_take(nameless, &frame);
    }
    cr_assert_eq(um_functions_init(&functions, um_profile_look_up, nameless), UM_OK);
    um_view_init(&view, um_profile_samples(nameless), &functions);
    um_mine_count(&view, "Other", &mine);
    cr_expect(mine.others == 0 && mine.unattributed >= SAMPLES - 1);
    um_functions_deinit(&functions);
    um_profile_close(nameless);
    um_profile_close(profile);
}

static const struct um_wire_name *last_name(void)
{
    for (size_t i = published_count; i > 0; i--)
        if (published[i - 1].type == UM_WIRE_NAME)
            return &published[i - 1].as.name;
    cr_assert_fail("there is none");
    return NULL;
}

/* The file of the assembly as the system knows it, with its place and in another case. */
static const struct um_sampler_module image = {
    .timestamp = 5, .image_bytes = 6, .base = 0x10000, .path = "C:\\MY\\Plug.dll"};

/* Names of functions in the image are found by where it lies, which nobody says of an assembly. */
Test(profiler, an_image_is_another_module_than_its_assembly_with_the_same_path)
{
    static const struct um_unwind_registers registers = {.pc = UINT64_C(0x7ff812345678)};
    fake_stopper.registers = &registers;
    freeze_and_tell(4);
    wait_stack(1);
    int assembly = atoi(last_name()->module);
    int32_t number = um_samples_module(um_profiler_key(profiler, &image, 0x20));
    cr_expect(number >= 0 && number != assembly, "%d", (int)number);
    cr_assert_eq(count(UM_WIRE_MODULE), 2);
    const struct um_wire_module *last = &published[published_count - 1].as.module;
    cr_expect_eq(last->number, (uint32_t)number);
    cr_expect_str_eq(last->path, "C:\\my\\plug.dll", "a file has one path");
}

Test(profiler, an_assembly_is_the_module_of_its_image)
{
    static const struct um_unwind_registers registers = {.pc = UINT64_C(0x7ff812345678)};
    int32_t number = um_samples_module(um_profiler_key(profiler, &image, 0x20));
    fake_stopper.registers = &registers;
    freeze_and_tell(4);
    wait_stack(1);
    for (size_t i = 0; i < published_count; i++)
        if (published[i].type == UM_WIRE_NAME && um_samples_module(published[i].as.name.key) < 0)
            cr_expect_eq(atoi(published[i].as.name.module), number);
    cr_expect_eq(count(UM_WIRE_MODULE), 1);
}

/* As .NET's own library says it: with the assembly that needed one first. */
Test(profiler, a_call_of_native_code_is_no_assemblys)
{
    static const struct um_unwind_registers registers = {.pc = UINT64_C(0x7ff800000000) +
                                                               FAKE_NAMES_STUB};
    fake_stopper.registers = &registers;
    freeze_and_tell(4);
    wait_stack(1);
    cr_expect_str_eq(last_name()->name, "ILStubClass.IL_STUB_PInvoke(MSG ByRef)");
    cr_expect_str_eq(last_name()->module, "");
    cr_expect_eq(count(UM_WIRE_MODULE), 0);
}

Test(profiler, names_that_are_cut_stay_different)
{
    static const struct um_unwind_registers methods[] = {
        {.pc = UINT64_C(0x7ff800000000) + FAKE_NAMES_LONG},
        {.pc = UINT64_C(0x7ff800000001) + FAKE_NAMES_LONG}};
    char first[UM_WIRE_NAME_BYTES];
    fake_stopper.registers = &methods[0];
    freeze_and_tell(1);
    wait_stack(1);
    strcpy(first, last_name()->name);
    fake_stopper.registers = &methods[1];
    freeze_and_tell(2);
    wait_stack(2);
    const char *second = last_name()->name;
    cr_expect(strcmp(first, second) != 0, "%s", first);
    cr_expect_eq(memcmp(first, second, strlen(first) - 4), 0);
    cr_expect_eq(memcmp(first + strlen(first) - 8, "\xe2\x80\xa6#", 4), 0);
}

/* How often a line says so about a program whose methods have no PDB, with this --mine. */
static int count_missing(const char *mine, const char *expected)
{
    static const struct um_unwind_registers methods[] = {{.pc = UINT64_C(0x7ff812345678)},
                                                         {.pc = UINT64_C(0x7ff812345789)}};
    char line[512];
    int found = 0;
    close_sampler();
    um_profiler_close(profiler);
    fake_names_end();
    published_count = 0;
    open_profiler(mine);
    open_sampler();
    fake_stopper.registers = &methods[0];
    freeze_and_tell(1);
    fake_stopper.registers = &methods[1];
    freeze_and_tell(2);
    wait_stack(2);
    while (um_profiler_next_line(profiler, line, sizeof line)) {
        cr_expect(!strstr(line, "plug.dll") || strcmp(line, expected) == 0, "%s", line);
        found += strcmp(line, expected) == 0;
    }
    return found;
}

Test(profiler, a_pdb_is_missed_once_and_only_where_it_is_the_users)
{
    static const char expected[] =
        "the methods of plug.dll have no files and lines (no PDB of it was found in C:\\my, inside "
        "it, or on the path for symbols)";
    atomic_store(&fake_names_pdb, UM_NAMES_PDB_MISSING);
    cr_expect_eq(count_missing("plug", expected), 1);
    cr_expect_eq(count_missing("C:\\my\\", expected), 1);
    cr_expect_eq(count_missing("My.Type32760", expected), 1, "a type of it");
    cr_expect_eq(count_missing("other", expected), 0);
    cr_expect_eq(count_missing(NULL, expected), 0);
    const struct um_wire_frame *last = &published[published_count - 1];
    while (last->type != UM_WIRE_NAME)
        last--;
    cr_expect_str_eq(last->as.name.file, "", "that of the assembly is none of a source");
    symbol_path = "";
    cr_expect_eq(count_missing("plug", "the methods of plug.dll have no files and lines (no PDB of "
                                       "it was found in C:\\my, or inside it; --symbol-path leads "
                                       "to other folders and servers)"),
                 1);
    static const char built_without[] =
        "the methods of plug.dll have no files and lines (it was built without a PDB: build with "
        "/debug:portable)";
    atomic_store(&fake_names_pdb, UM_NAMES_PDB_NONE);
    cr_expect_eq(count_missing("plug", built_without), 1);
    cr_expect_eq(count_missing("other", built_without), 0);
    atomic_store(&fake_names_pdb, UM_NAMES_PDB_GOOD);
}

Test(profiler, says_which_of_the_users_modules_are_in_no_stack)
{
    char line[256];
    close_sampler();
    um_profiler_close(profiler);
    fake_names_end();
    open_profiler("elsewhere,ntdl,\"not, there\"");
    open_sampler();
    play(0);
    freeze_and_tell(1);
    wait_stack(1);
    cr_assert(um_profiler_next_line(profiler, line, sizeof line));
    cr_expect_str_eq(line, "--mine: no stack so far has ntdl; did you mean ntdll?");
    cr_expect(!um_profiler_next_line(profiler, line, sizeof line), "%s", line);
    um_profiler_finish(profiler, 1);
    cr_assert(um_profiler_next_line(profiler, line, sizeof line));
    cr_expect_str_eq(line, "--mine: no freeze's stacks have elsewhere, not, there");
    cr_expect(!um_profiler_next_line(profiler, line, sizeof line), "%s", line);
}

Test(profiler, what_was_told_is_not_told_again)
{
    play(0);
    freeze_and_tell(1);
    wait_stack(1);
    size_t told = count(UM_WIRE_MODULE) + count(UM_WIRE_NODES) + count(UM_WIRE_NAME);
    /* Another sampler, as of another attachment, has other numbers of its own. */
    open_sampler();
    freeze_and_tell(2);
    cr_expect_eq(wait_stack(2)->freeze, 2);
    cr_expect_eq(count(UM_WIRE_MODULE) + count(UM_WIRE_NODES) + count(UM_WIRE_NAME), told);
}

#define OTHER_MODULES 1100
#define OTHER_ADDRESSES 70000
#define ROW 200 /* fewer than the namer's queue has room for */

/* As hours of samples would, in which each address was seen once. */
static void name_others(void)
{
    struct um_sampler_module module = {.image_bytes = OTHER_ADDRESSES};
    for (uint32_t i = 0; i < OTHER_ADDRESSES; i++) {
        snprintf(module.path, sizeof module.path, "module-%u", (unsigned)(i % OTHER_MODULES));
        um_profiler_key(profiler, &module, i);
        if (i % ROW == 0)
            WAIT_UNTIL((um_profiler_turn(profiler, now_ns, false), names_kept >= i),
                       "%zu names of %u came", names_kept, i);
    }
}

static void take_told(void *profile, const struct um_wire_frame *frame)
{
    um_profile_take(profile, frame);
}

/* How many addresses of the stack that all samples have are not named in what is kept. */
static size_t count_nameless(void)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_flight_buffer_cut cut;
    struct um_profile *profile;
    size_t nameless = 0;
    bool is_cut;

    cr_assert_eq(um_profile_open(0, &profile), UM_OK);
    um_flight_buffer_cut(kept, &cut);
    um_flight_buffer_emit(kept, &cut, take_told, profile);
    const struct um_samples *samples = um_profile_samples(profile);
    cr_assert_gt(samples->count, 0);
    size_t depth = um_calltree_stack(&samples->stacks, samples->entries[0].node, frames, &is_cut);
    cr_assert_gt(depth, 0);
    for (size_t i = 0; i < depth; i++) {
        const struct um_profile_name *name = um_profile_name(profile, frames[i].key);
        nameless += !name || !name->name[0];
        cr_expect(um_profile_module(profile, um_samples_module(frames[i].key))[0], "frame %zu", i);
    }
    um_profile_close(profile);
    return nameless;
}

Test(profiler, a_freeze_has_its_names_however_many_others_came_before)
{
    struct um_wire_frame session = {.type = UM_WIRE_SESSION, .as.session.pid = 77};
    char what[128];

    cr_assert_eq(um_flight_buffer_open(5, 0, &kept), UM_OK);
    session.as.session.start_ns = fake_stopper_clock_ns();
    keep(&session);
    name_others();
    play(0);
    freeze_and_tell(4);
    const struct um_wire_stack *stack = wait_stack(1);
    cr_expect_neq(strchr(stack->frames[0], '+'), stack->frames[0], "%s", stack->frames[0]);
    cr_expect_eq(count_nameless(), 0);
    cr_expect_not(um_profiler_next_line(profiler, what, sizeof what), "%s", what);
    um_flight_buffer_close(kept);
}

Test(profiler, says_once_that_there_are_too_many_modules)
{
    struct um_sampler_module module = {.image_bytes = 1};
    char what[128];

    cr_assert_eq(um_flight_buffer_open(5, 0, &kept), UM_OK); /* more than the list has room for */
    for (uint32_t i = 0; i < UM_SAMPLER_MODULES; i++) {
        module.timestamp = i + 1;
        um_profiler_key(profiler, &module, 0);
    }
    cr_expect_not(um_profiler_next_line(profiler, what, sizeof what), "%s", what);
    module.timestamp++;
    um_profiler_key(profiler, &module, 0);
    um_profiler_key(profiler, &module, 1);
    cr_assert(um_profiler_next_line(profiler, what, sizeof what));
    cr_expect(strstr(what, "modules"), "%s", what);
    cr_expect_not(um_profiler_next_line(profiler, what, sizeof what), "once is enough");
    um_flight_buffer_close(kept);
}

Test(profiler, says_once_that_more_modules_are_loaded_than_it_looks_at)
{
    static struct um_stopper_module many[UM_IMAGES_MODULES];
    static const uint8_t *bytes[UM_IMAGES_MODULES];
    char what[128];

    cr_expect_not(um_profiler_next_line(profiler, what, sizeof what), "%s", what);
    memcpy(many, fake_stopper.modules, file.module_count * sizeof many[0]);
    memcpy(bytes, fake_stopper.images, file.module_count * sizeof bytes[0]);
    close_sampler();
    fake_stopper.modules = many;
    fake_stopper.images = bytes;
    atomic_store(&fake_stopper.module_count, UM_IMAGES_MODULES);
    open_sampler();
    play(0);
    freeze(1);
    cr_assert(um_profiler_next_line(profiler, what, sizeof what));
    cr_expect(strstr(what, "at a time"), "%s", what);
    cr_expect_not(um_profiler_next_line(profiler, what, sizeof what), "once is enough");
}

Test(profiler, without_names_freezes_are_told_by_addresses)
{
    char why[256];
    fake_names_refuse();
    play(0);
    freeze_and_tell(1);
    const struct um_wire_stack *stack = wait_stack(1);
    cr_expect(strchr(stack->frames[0], '+'), "%s", stack->frames[0]);
    cr_expect_eq(stack->alike, stack->samples);
    cr_assert(um_profiler_next_line(profiler, why, sizeof why));
    cr_expect_str_eq(why, "functions are told by their addresses (uimon-names.exe cannot be "
                          "started: no such thing)");
    cr_expect_not(um_profiler_next_line(profiler, why, sizeof why), "once is enough");
}

Test(profiler, names_that_come_late_are_told_in_a_second_stack)
{
    char first[UM_WIRE_STACK_FRAME_BYTES];
    fake_names_hold(true);
    play(0);
    struct um_wire_frame episode = freeze(7);
    um_profiler_freeze(profiler, &episode, now_ns);
    um_profiler_turn(profiler, now_ns + 2900 * MS, false);
    cr_expect_eq(count(UM_WIRE_STACK), 0, "it waits for the names");
    um_profiler_turn(profiler, now_ns + 3100 * MS, false);
    um_profiler_turn(profiler, now_ns + 3200 * MS, false);
    cr_assert_eq(count(UM_WIRE_STACK), 1);
    const struct um_wire_stack *stack = wait_stack(1);
    snprintf(first, sizeof first, "%s", stack->frames[0]);
    uint32_t samples = stack->samples;
    fake_names_hold(false);
    stack = wait_stack(2);
    cr_expect_eq(stack->freeze, 7);
    cr_expect_eq(stack->samples, samples);
    cr_expect_str_neq(stack->frames[0], first);
    um_profiler_finish(profiler, FAKE_HANG_MS);
    cr_expect_eq(count(UM_WIRE_STACK), 2, "twice is enough");
}

Test(profiler, at_the_end_it_waits_for_names_and_not_for_ever)
{
    play(0);
    struct um_wire_frame episode = freeze(1);
    um_profiler_freeze(profiler, &episode, um_clock_now_ns());
    um_profiler_finish(profiler, FAKE_HANG_MS);
    cr_expect(strstr(last_stack()->frames[0], ".exe+"), "%s", last_stack()->frames[0]);
    fake_names_hold(true);
    play(1);
    episode = freeze(2);
    um_profiler_freeze(profiler, &episode, um_clock_now_ns());
    um_profiler_finish(profiler, 0);
    cr_expect_eq(last_stack()->freeze, 2);
    cr_expect(strstr(last_stack()->frames[0], "+0x"), "%s", last_stack()->frames[0]);
}

Test(profiler, a_freeze_without_samples_has_no_stack)
{
    struct um_wire_frame episode = {.type = UM_WIRE_EPISODE, .flags = UM_WIRE_EPISODE_END};
    episode.as.episode.state = UM_STATE_FROZEN;
    for (episode.as.episode.id = 1; episode.as.episode.id < 40; episode.as.episode.id++)
        um_profiler_freeze(profiler, &episode, now_ns);
    um_profiler_finish(profiler, 0);
    cr_expect_eq(published_count, 0);
}

Test(profiler, has_the_hottest_functions_of_the_last_freeze_and_of_the_session)
{
    struct um_wire_frame frames[UM_HOTTEST_FRAMES];
    play(0);
    cr_assert_eq(um_profiler_hottest(profiler, 0, fake_stopper_clock_ns(), frames),
                 UM_WIRE_PROFILE_PARTS);
    cr_expect_eq(frames[0].as.profile.scope, UM_WIRE_SCOPE_SESSION);
    cr_expect_eq(frames[0].as.profile.samples, 0);
    struct um_wire_frame episode = freeze_and_tell(4);
    const struct um_wire_stack *stack = wait_stack(1);

    cr_assert_eq(um_profiler_hottest(profiler, 0, fake_stopper_clock_ns(), frames),
                 UM_HOTTEST_FRAMES);
    const struct um_wire_profile *last = &frames[0].as.profile;
    cr_expect_eq(frames[0].type, UM_WIRE_PROFILE);
    cr_expect_eq(last->scope, UM_WIRE_SCOPE_FREEZE);
    cr_expect_eq(last->samples, stack->samples);
    cr_expect_eq(last->span_ns, um_wire_episode_length_ns(&episode.as.episode));
    cr_expect_eq(last->rows[0].self, stack->samples, "all samples have one stack");
    cr_expect_neq(last->rows[0].name[0], '\0');
    cr_expect_eq(last->rows[1].self, 0);
    cr_expect_eq(frames[UM_WIRE_PROFILE_PARTS].as.profile.scope, UM_WIRE_SCOPE_SESSION);
    cr_expect_eq(frames[UM_WIRE_PROFILE_PARTS].as.profile.samples, stack->samples);
    /* While the thread is away it is the samples since then. */
    uint64_t away_ns = episode.as.episode.start_ns;
    cr_assert_eq(um_profiler_hottest(profiler, away_ns, fake_stopper_clock_ns(), frames),
                 UM_HOTTEST_FRAMES);
    cr_expect_eq(frames[0].as.profile.scope, UM_WIRE_SCOPE_NOW);
    cr_expect_eq(frames[0].as.profile.samples, stack->samples);
    away_ns = fake_stopper_clock_ns() + 1; /* the last sample may have been taken just now */
    cr_assert_eq(um_profiler_hottest(profiler, away_ns, fake_stopper_clock_ns(), frames),
                 UM_HOTTEST_FRAMES);
    cr_expect_eq(frames[0].as.profile.samples, 0);
}

/* The thread 10, which the UI thread waits for by what the system says. */
static void wait_for_thread(uint8_t kind)
{
    fake_stopper.thread_count = 1;
    fake_stopper.threads[0] =
        (struct fake_stopper_thread){.tid = 10, .start = fake_stopper_module(0)->base + 0x1000};
    const struct um_blocker chain = {.kind = kind, .thread = 10, .process = 1};
    fake_stopper_chain(&chain);
}

static const struct um_wire_wait *last_wait(void)
{
    for (size_t i = published_count; i > 0; i--)
        if (published[i - 1].type == UM_WIRE_WAIT)
            return &published[i - 1].as.wait;
    return NULL;
}

Test(profiler, says_for_whom_a_freeze_waited)
{
    play(0);
    wait_for_thread(UM_WIRE_WAIT_LOCK);
    freeze_and_tell(4);
    const struct um_wire_stack *stack = wait_stack(1);
    const struct um_wire_wait *wait = last_wait();
    cr_assert(wait);
    cr_expect_eq(wait->freeze, 4);
    cr_expect_eq(wait->kind, UM_WIRE_WAIT_LOCK);
    cr_expect_eq(wait->thread, 10);
    cr_expect_eq(wait->process, 1);
    cr_expect_eq(wait->samples, stack->samples, "the samples of the other thread are not counted");
    cr_expect_lt(stack->samples, fake_stopper_taken(), "some were of the other thread");
    cr_expect_str_eq(wait->function, stack->frames[0], "both have the same stack here");
    struct um_profile *profile = read_published();
    const struct um_samples *samples = um_profile_samples(profile);
    size_t others = 0;
    for (size_t i = 0; i < samples->count; i++) {
        cr_expect_eq(samples->entries[i].is_other, samples->entries[i].thread == 10);
        others += samples->entries[i].is_other;
    }
    cr_expect_gt(others, 0);
    um_profile_close(profile);
}

Test(profiler, says_nobody_where_less_than_half_of_the_samples_say_so)
{
    struct um_wire_frame first, second;
    play(0);
    wait_for_thread(UM_WIRE_WAIT_LOCK);
    first = freeze(4);
    const struct um_blocker nobody = {.kind = UM_WIRE_WAIT_NONE};
    fake_stopper_chain(&nobody);
    second = freeze(4);
    freeze(4);
    second.as.episode.start_ns = first.as.episode.start_ns;
    second.as.episode.end_ns = fake_stopper_clock_ns();
    um_profiler_freeze(profiler, &second, now_ns);
    now_ns += WALKED_NS;
    wait_stack(1);
    cr_expect_null(last_wait());
}
