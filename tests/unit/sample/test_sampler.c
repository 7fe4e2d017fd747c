/* The sampler and its parts, with the real stacks of tests/golden/stacks_wine.bin: which functions
 * had called each other is known from the program that was recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "ipc/clock.h"
#include "monitor/sample/images.h"
#include "monitor/sample/sampler.h"
#include "monitor/sample/stacks.h"
#include "tests/stacks/stack_file.h"
#include "tests/unit/sample/fake_stopper.h"

#define PATH UM_SOURCE_DIR "/tests/golden/stacks_wine.bin"
#define MS UM_CLOCK_NS_PER_MS

static struct stack_file file;
static struct um_stopper_module modules[STACK_FILE_MODULES];
static const uint8_t *images[STACK_FILE_MODULES];

static void load(void)
{
    memset(&fake_stopper, 0, sizeof fake_stopper);
    cr_assert(stack_file_read(&file, PATH));
    for (size_t i = 0; i < file.module_count; i++) {
        modules[i].base = file.modules[i].base;
        modules[i].image_bytes = file.modules[i].image_bytes;
        snprintf(modules[i].name, sizeof modules[i].name, "%s", file.modules[i].name);
        images[i] = file.modules[i].image;
    }
    fake_stopper.module_count = file.module_count;
    fake_stopper.modules = modules;
    fake_stopper.images = images;
    fake_stopper.suspended_ns = 1000;
}

static void release(void)
{
    stack_file_release(&file);
}

TestSuite(sampler, .init = load, .fini = release);

/* A sample whose own functions, at least three, are known. */
static const struct stack_file_sample *some_sample(void)
{
    for (size_t i = 0; i < file.sample_count; i++)
        if (file.samples[i].known_count >= UM_WIRE_STACK_FRAMES)
            return &file.samples[i];
    cr_assert_fail("there is none");
    return NULL;
}

static void play(const struct stack_file_sample *sample)
{
    fake_stopper.registers = &sample->registers;
    fake_stopper.stack = sample->stack;
}

static struct um_images *open_images(void)
{
    struct um_images *opened;
    struct um_images_source source = {NULL, NULL, NULL};
    struct um_stopper *stopper;
    cr_assert_eq(um_stopper_open(1, 2, &stopper), UM_OK);
    source.context = stopper;
    source.read = (bool (*)(void *, uint64_t, void *, size_t))um_stopper_read;
    source.modules = (size_t(*)(void *, struct um_stopper_module *, size_t))um_stopper_modules;
    cr_assert_eq(um_images_open(&source, &opened), UM_OK);
    return opened;
}

static void wait_for_samples(uint32_t count)
{
    while (fake_stopper_taken() < count)
        um_clock_sleep_ns(MS);
}

static struct um_sampler *open_sampler(struct um_suspensions *suspensions, uint64_t every_ns)
{
    struct um_sampler_options options = {.after_ns = 50 * MS, .every_ns = every_ns};
    struct um_sampler *sampler;
    cr_assert_eq(um_sampler_open(1, 2, &options, suspensions, &sampler), UM_OK);
    return sampler;
}

/* The address that a text names. */
static uint64_t address_of(const char *text)
{
    for (size_t i = 0; i < file.module_count; i++) {
        size_t len = strlen(modules[i].name);
        if (strncmp(text, modules[i].name, len) == 0 && text[len] == '+')
            return modules[i].base + strtoull(text + len + 1, NULL, 16);
    }
    return strtoull(text, NULL, 16);
}

/* Whether an address of a frame lies in this instruction, or behind this call. */
static bool is_of(uint64_t address, uint64_t pc)
{
    return address == pc || address + 1 == pc;
}

Test(sampler, tells_the_innermost_frames_of_the_program)
{
    static struct um_suspensions suspensions;
    const struct stack_file_sample *sample = some_sample();
    struct um_wire_stack stack;
    play(sample);
    struct um_sampler *sampler = open_sampler(&suspensions, MS);
    um_sampler_waits(sampler, 60 * MS);
    wait_for_samples(20);
    cr_assert(um_sampler_freeze(sampler, UINT64_MAX, &stack));
    um_sampler_close(sampler);
    cr_expect_geq(stack.samples, 19);
    cr_expect_eq(stack.alike, stack.samples);
    cr_expect_str_eq(stack.stopped, "");
    cr_expect_geq(stack.interval_us, 1000);
    size_t at = 0;
    for (size_t i = 0; i < UM_WIRE_STACK_FRAMES; i++) {
        uint64_t address = address_of(stack.frames[i]);
        while (at < sample->truth_count && !is_of(address, sample->truth[at].pc))
            at++;
        cr_assert_lt(at, sample->truth_count, "%s is not there in this order", stack.frames[i]);
    }
}

Test(sampler, takes_no_sample_before_its_time)
{
    static struct um_suspensions suspensions;
    struct um_wire_sampling cost;
    struct um_wire_stack stack;
    play(some_sample());
    struct um_sampler *sampler = open_sampler(&suspensions, MS);
    um_sampler_waits(sampler, 50 * MS - 1);
    um_sampler_waits(sampler, 0);
    um_sampler_rest(sampler);
    cr_assert_eq(fake_stopper_taken(), 0);
    cr_assert_not(um_sampler_freeze(sampler, UINT64_MAX, &stack));
    cr_assert_not(um_sampler_cost(sampler, &cost));
    um_sampler_waits(sampler, 50 * MS);
    wait_for_samples(3);
    um_sampler_rest(sampler);
    uint32_t taken = fake_stopper_taken();
    um_clock_sleep_ns(20 * MS);
    cr_assert_eq(fake_stopper_taken(), taken, "it goes on although nobody waits");
    cr_assert(um_sampler_cost(sampler, &cost));
    cr_assert_eq(cost.samples, taken);
    um_sampler_close(sampler);
}

Test(sampler, a_wait_forgets_the_samples_of_the_one_before)
{
    static struct um_suspensions suspensions;
    struct um_wire_stack stack;
    play(some_sample());
    struct um_sampler *sampler = open_sampler(&suspensions, 1000 * MS);
    um_sampler_waits(sampler, 60 * MS);
    wait_for_samples(1);
    um_sampler_rest(sampler);
    um_sampler_waits(sampler, 0);
    um_sampler_waits(sampler, 60 * MS);
    cr_assert_not(um_sampler_freeze(sampler, UINT64_MAX, &stack));
    um_sampler_close(sampler);
}

Test(sampler, keeps_to_its_budget)
{
    static struct um_suspensions suspensions;
    struct um_wire_sampling cost;
    play(some_sample());
    fake_stopper.suspended_ns = 2 * MS;
    uint64_t begun_ns = um_clock_now_ns();
    struct um_sampler *sampler = open_sampler(&suspensions, MS);
    um_sampler_waits(sampler, 60 * MS);
    um_clock_sleep_ns(400 * MS);
    um_sampler_rest(sampler);
    double share_ns = 0.03 * (double)(um_clock_now_ns() - begun_ns);
    cr_assert(um_sampler_cost(sampler, &cost));
    um_sampler_close(sampler);
    cr_assert_geq(cost.samples, 2);
    cr_assert_leq((double)cost.total_ns, share_ns + 5e6 + 2e6, "%u samples", cost.samples);
}

Test(sampler, a_thread_that_ends_is_the_end_of_it)
{
    static struct um_suspensions suspensions;
    struct um_wire_stack stack;
    play(some_sample());
    fake_stopper.ends_after = 4;
    struct um_sampler *sampler = open_sampler(&suspensions, MS);
    um_sampler_waits(sampler, 60 * MS);
    wait_for_samples(4);
    um_clock_sleep_ns(20 * MS);
    cr_assert(um_sampler_freeze(sampler, UINT64_MAX, &stack));
    um_sampler_close(sampler);
    cr_assert_eq(stack.samples, 4);
}

Test(sampler, says_why_it_cannot_be_opened)
{
    static struct um_suspensions suspensions;
    struct um_sampler_options options = {.after_ns = MS, .every_ns = MS};
    struct um_sampler *sampler;
    fake_stopper.refusal = UM_ERR_UNSUPPORTED;
    cr_assert_eq(um_sampler_open(1, 2, &options, &suspensions, &sampler), UM_ERR_UNSUPPORTED);
}

Test(sampler, images_walk_as_the_recording_says)
{
    struct um_images *opened = open_images();
    static struct um_unwind_frame frames[STACK_FILE_FRAMES];
    um_images_look(opened);
    struct um_unwind_code code = um_images_code(opened);
    for (size_t i = 0; i < file.sample_count; i++) {
        const struct stack_file_sample *sample = &file.samples[i];
        struct um_unwind walk;
        um_unwind_begin(&walk, &sample->registers, &sample->stack, frames, STACK_FILE_FRAMES);
        cr_assert_eq(um_unwind_run(&walk, &code), UM_UNWIND_START, "%s", sample->name);
        cr_assert_eq(walk.frame_count, sample->truth_count, "%s", sample->name);
        for (size_t k = 0; k < walk.frame_count; k++)
            cr_assert_eq(frames[k].pc, sample->truth[k].pc, "%s, frame %zu", sample->name, k);
    }
    um_images_close(opened);
}

Test(sampler, a_module_that_is_loaded_later_is_found_at_the_next_look)
{
    fake_stopper.module_count = 1;
    struct um_images *opened = open_images();
    um_images_look(opened);
    cr_assert_not(um_images_has(opened, modules[1].base));
    fake_stopper.module_count = file.module_count;
    um_images_look(opened);
    cr_assert(um_images_has(opened, modules[1].base));
    cr_assert(um_images_has(opened, modules[1].base + modules[1].image_bytes - 1));
    um_images_close(opened);
}

static struct um_stacks_stack a_stack(uint64_t function)
{
    struct um_stacks_stack stack = {.count = 1, .functions = {function}};
    snprintf(stack.texts[0], sizeof stack.texts[0], "f%u", (unsigned)function);
    return stack;
}

Test(stacks_of_a_freeze, the_most_common_one_wins)
{
    static struct um_stacks stacks;
    struct um_wire_stack out;
    for (uint64_t i = 0; i < 100; i++) {
        struct um_stacks_stack stack = a_stack(i % 5 == 0 ? 1 : i % 5 < 3 ? 2 : 10 + i);
        um_stacks_add(&stacks, 1000 * MS + i * 10 * MS, &stack);
    }
    cr_assert(um_stacks_sum(&stacks, UINT64_MAX, &out));
    cr_expect_eq(out.samples, 100);
    cr_expect_eq(out.alike, 40);
    cr_expect_str_eq(out.frames[0], "f2");
    cr_expect_str_eq(out.frames[1], "");
    cr_expect_eq(out.interval_us, 10000);
}

Test(stacks_of_a_freeze, samples_after_its_end_do_not_count)
{
    static struct um_stacks stacks;
    struct um_wire_stack out;
    for (uint64_t i = 0; i < 10; i++) {
        struct um_stacks_stack stack = a_stack(i < 4 ? 1 : 2);
        um_stacks_add(&stacks, 1000 + i, &stack);
    }
    cr_assert(um_stacks_sum(&stacks, 1006, &out));
    cr_expect_eq(out.samples, 7);
    cr_expect_eq(out.alike, 4);
    cr_expect_str_eq(out.frames[0], "f1");
    cr_assert_not(um_stacks_sum(&stacks, 999, &out));
}

Test(stacks_of_a_freeze, there_may_be_more_stacks_than_room)
{
    static struct um_stacks stacks;
    struct um_wire_stack out;
    for (uint64_t i = 0; i < 1000; i++) {
        struct um_stacks_stack stack = a_stack(i % 500);
        um_stacks_add(&stacks, 1000 + i, &stack);
    }
    cr_assert(um_stacks_sum(&stacks, UINT64_MAX, &out));
    cr_expect_eq(out.samples, 1000);
    cr_expect_eq(out.alike, 2);
    cr_expect_str_eq(out.frames[0], "f0");
}

Test(stacks_of_a_freeze, the_system_s_modules_are_known_by_name)
{
    cr_expect(um_stacks_is_system("ntdll.dll"));
    cr_expect(um_stacks_is_system("KERNELBASE.dll"));
    cr_expect_not(um_stacks_is_system("ntdll.dl"));
    cr_expect_not(um_stacks_is_system("ntdll.dll.exe"));
    cr_expect_not(um_stacks_is_system("devenv.exe"));
}
