/* The sampler and its parts, with the real stacks of tests/golden/stacks_wine.bin: which functions
 * had called each other is known from the program that was recorded. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/bytes.h"
#include "base/plain/clock.h"
#include "monitor/sample/images.h"
#include "monitor/sample/sampler.h"
#include "tests/stacks/stack_file.h"
#include "tests/unit/sample/fake_stopper.h"
#include "tests/unit/wait_until.h"

#define PATH UM_SOURCE_DIR "/tests/golden/stacks_wine.bin"
#define MS UM_CLOCK_NS_PER_MS

static struct stack_file file;
static struct um_suspensions suspensions;
static struct um_sampler *sampler;

static void close_sampler(void)
{
    um_sampler_close(sampler);
    sampler = NULL;
}

static void release(void)
{
    close_sampler();
    stack_file_release(&file);
}

#define LOST_NS (5 * MS)
#define EMPTY_LISTS 5 /* of modules, before they are listed */
#define LOOK_SOON_NS (50 * MS)

/* A sample whose own functions, at least three, are known. */
static const struct stack_file_sample *some_sample(void)
{
    for (size_t i = 0; i < file.sample_count; i++)
        if (file.samples[i].known_count >= UM_WIRE_STACK_FRAMES)
            return &file.samples[i];
    cr_assert_fail("there is none");
    return NULL;
}

static void load(void)
{
    cr_assert(stack_file_read(&file, PATH));
    fake_stopper_start();
    fake_stopper_load(&file);
    fake_stopper_play(some_sample());
}

TestSuite(sampler, .init = load, .fini = release, .threads = true);

static struct um_images *open_images(void)
{
    struct um_images *opened;
    struct um_stopper *stopper;
    cr_assert_eq(um_stopper->open(1, 2, &stopper), UM_OK);
    cr_assert_eq(um_images_open(stopper, NULL, &opened), UM_OK);
    return opened;
}

static void wait_for_samples(uint32_t count)
{
    WAIT_UNTIL(fake_stopper_taken() >= count, "%u of %u samples", fake_stopper_taken(), count);
}

static struct um_sampler_options options = {.after_ns = 50 * MS, .every_ns = MS, .cost_percent = 3};

static void open_sampler(uint64_t every_ns)
{
    options.every_ns = every_ns;
    cr_assert_eq(um_sampler_open(1, 2, &options, &suspensions, &sampler), UM_OK);
}

/* From now on time goes on only while the sampler sleeps. It gets at most so many samples, so that
 * its queue has them all, however late the test takes them; 0: it gets any number. */
static void use_fake_clock(uint32_t most)
{
    options.now_ns = fake_stopper.now_ns = fake_stopper_clock_ns;
    options.sleep_ns = fake_stopper_sleep_ns;
    atomic_store(&fake_stopper.most, most);
}

static struct um_sampler_sample next;

static void wait_next(void)
{
    WAIT_UNTIL(um_sampler_next(sampler, &next), "there are no more samples");
}

static size_t take_all(void)
{
    size_t count = 0;
    while (um_sampler_next(sampler, &next))
        count++;
    return count;
}

/* Where a module of the recording is; a test fails if there is none. */
static uint64_t base_of(const char *path)
{
    const char *name = strrchr(path, '\\');
    for (size_t i = 0; i < file.module_count; i++)
        if (name && strcmp(fake_stopper_module(i)->name, name + 1) == 0)
            return fake_stopper_module(i)->base;
    cr_assert_fail("there is no %s", path);
    return 0;
}

Test(sampler, tells_the_frames_that_others_found)
{
    const struct stack_file_sample *sample = some_sample();
    fake_stopper.user_ns = 3 * MS;
    fake_stopper.kernel_ns = MS;
    use_fake_clock(15);
    open_sampler(MS);
    um_sampler_waits(sampler, 60 * MS);
    uint64_t last_ns = 0;
    for (size_t n = 0; n < 15; n++) {
        wait_next();
        cr_expect_gt(next.time_ns, last_ns);
        cr_expect_eq(next.wall_ns, n == 0 ? 0 : next.time_ns - last_ns);
        cr_expect_eq(next.user_ns, n == 0 ? 0 : 3 * MS);
        cr_expect_eq(next.kernel_ns, n == 0 ? 0 : MS);
        cr_expect_eq(next.stop, UM_UNWIND_START);
        last_ns = next.time_ns;
    }
    cr_assert_eq(next.count, sample->truth_count);
    for (size_t i = 0; i < next.count; i++) {
        const struct um_sampler_frame *frame = &next.frames[i];
        cr_assert_geq(frame->module, 0);
        const struct um_sampler_module *module = um_sampler_module(sampler, frame->module);
        uint64_t base = base_of(module->path);
        uint64_t pc = sample->truth[i].pc;
        cr_expect_eq(base + frame->offset, i == 0 ? pc : pc - 1, "frame %zu", i);
        cr_expect_lt(frame->offset, module->image_bytes);
        cr_expect_leq(frame->displacement, frame->offset);
        cr_expect_neq(module->timestamp, 0);
    }
}

/* How long so many samples take of a thread that loses LOST_NS by each, if it runs. */
static uint64_t time_of_samples(bool runs, uint32_t count)
{
    use_fake_clock(0);
    fake_stopper.lost_ns = LOST_NS;
    fake_stopper.runs = runs;
    fake_stopper.kernel_ns = 1; /* so that the times are known */
    open_sampler(MS);
    uint64_t begin_ns = fake_stopper_clock_ns();
    um_sampler_waits(sampler, 60 * MS);
    wait_for_samples(count);
    um_sampler_rest(sampler);
    uint64_t took_ns = fake_stopper_clock_ns() - begin_ns;
    uint32_t taken = fake_stopper_taken();
    close_sampler();
    return took_ns * count / taken;
}

Test(sampler, who_runs_loses_by_samples_and_has_fewer)
{
    /* 50 ms are credit, the last sample may overdraw it, and the first may lose less. */
    cr_expect_geq(time_of_samples(true, 16), (16 * LOST_NS - 50 * MS - 2 * LOST_NS) * 40 * 3 / 4);
    cr_expect_lt(time_of_samples(false, 100), 100 * LOST_NS * 40 / 2);
}

Test(sampler, each_absence_has_a_number)
{
    use_fake_clock(1);
    open_sampler(MS);
    um_sampler_waits(sampler, 60 * MS);
    wait_next();
    uint32_t absence = next.absence;
    um_sampler_waits(sampler, 0);
    um_sampler_rest(sampler);
    atomic_store(&fake_stopper.most, 3);
    um_sampler_waits(sampler, 60 * MS);
    wait_next();
    cr_expect_gt(next.absence, absence);
    absence = next.absence;
    wait_next();
    cr_expect_eq(next.absence, absence, "it has not been back");
}

/* Takes the changes of threads as the watch thread does, until there are samples of them. */
static void tell_threads(void)
{
    uint32_t tid;
    bool comes;
    while (um_sampler_thread(sampler, &tid, &comes))
        cr_expect_neq(tid, 2);
}

static void open_always(bool all_threads)
{
    options.always = true;
    options.all_threads = all_threads;
    open_sampler(MS);
}

Test(sampler, always_samples_a_thread_that_is_not_away)
{
    use_fake_clock(UM_SAMPLER_QUEUE / 2);
    open_always(false);
    fake_stopper_sleep_ns(20 * MS);
    uint64_t told_ns = fake_stopper_clock_ns(); /* that the DLL is there */
    um_sampler_waits(sampler, 0);
    wait_for_samples(10);
    um_sampler_waits(sampler, 60 * MS);
    wait_for_samples(20);
    um_sampler_rest(sampler);
    uint32_t taken = fake_stopper_taken();
    uint64_t last_ns = 0;
    for (size_t n = 0; um_sampler_next(sampler, &next); n++) {
        cr_expect_geq(next.time_ns, told_ns);
        cr_expect_eq(next.wall_ns, n == 0 ? 0 : next.time_ns - last_ns, "nothing is left out");
        cr_expect_eq(next.absence, 1);
        cr_expect_eq(next.thread, 2);
        cr_expect_not(next.is_other);
        last_ns = next.time_ns;
    }
    cr_expect_gt(last_ns, 0);
    close_sampler();
    cr_expect_eq(fake_stopper_taken(), taken);
}

Test(sampler, all_threads_have_their_turns)
{
    struct um_wire_sampling cost;
    fake_stopper.thread_count = 3;
    for (uint32_t i = 0; i < 3; i++)
        fake_stopper.threads[i] = (struct fake_stopper_thread){
            .tid = 6 + 4 * i, .start = fake_stopper_module(0)->base + 0x1000};
    fake_stopper.threads[0].name = "pool";
    fake_stopper.threads[2].was_suspended = true;
    open_always(true);
    um_sampler_waits(sampler, 0);
    wait_for_samples(3);
    cr_expect_eq(fake_stopper_taken_of(0) + fake_stopper_taken_of(1), 0, "the DLL knows nothing");
    WAIT_UNTIL((tell_threads(), fake_stopper_taken_of(0) >= 10 && fake_stopper_taken_of(1) >= 10),
               "not all are sampled");
    um_sampler_rest(sampler);
    cr_expect_eq(fake_stopper_taken_of(2), 1, "somebody else has stopped it");
    cr_assert(um_sampler_cost(sampler, &cost));
    unsigned named = 0, of_ui = 0, of_others = 0;
    while (um_sampler_next(sampler, &next)) {
        named += strcmp(next.thread_name, "pool") == 0 && next.thread == 6;
        of_ui += next.thread == 2 && !next.is_other;
        of_others += next.is_other && (next.thread == 6 || next.thread == 10 || next.thread == 14);
    }
    cr_expect_leq(named, 1);
    cr_expect_gt(of_ui, of_others / 2);
    cr_expect_geq(of_others, 20);
    close_sampler();
    cr_expect_eq(fake_stopper_open_threads(), 0);
}

/* Whether one of the samples that there are says that the UI thread waits for this one. */
static bool takes_blocked(uint32_t by)
{
    bool is_blocked = false;
    while (um_sampler_next(sampler, &next))
        is_blocked |=
            next.blocker.kind == UM_WIRE_WAIT_LOCK && next.blocker.thread == by && !next.is_other;
    return is_blocked;
}

Test(sampler, whoever_is_waited_for_is_sampled)
{
    fake_stopper.thread_count = 2;
    fake_stopper.threads[0] =
        (struct fake_stopper_thread){.tid = 6, .start = fake_stopper_module(0)->base + 0x1000};
    fake_stopper.threads[1] =
        (struct fake_stopper_thread){.tid = 10, .start = fake_stopper_module(0)->base + 0x1000};
    const struct um_blocker chain = {.kind = UM_WIRE_WAIT_LOCK, .thread = 10, .process = 1};
    fake_stopper_chain(&chain);
    open_sampler(MS);
    um_sampler_waits(sampler, 60 * MS);
    bool is_known = false;
    WAIT_UNTIL((tell_threads(), is_known = is_known || takes_blocked(10),
                is_known && fake_stopper_taken_of(1) >= 3),
               "known: %d, sampled %u times", is_known, fake_stopper_taken_of(1));
    um_sampler_rest(sampler);
    cr_expect_eq(fake_stopper_taken_of(0), 0);
}

Test(sampler, samples_that_nobody_takes_leave_the_oldest_first)
{
    const uint64_t every_ns = MS / 10;
    use_fake_clock(3 * UM_SAMPLER_QUEUE);
    uint64_t begin_ns = fake_stopper_clock_ns();
    open_sampler(every_ns);
    um_sampler_waits(sampler, 60 * MS);
    wait_for_samples(3 * UM_SAMPLER_QUEUE);
    um_sampler_rest(sampler);
    cr_assert(um_sampler_next(sampler, &next));
    size_t count = 1;
    uint64_t first_ns = next.time_ns;
    while (um_sampler_next(sampler, &next))
        count++;
    cr_expect_leq(count, UM_SAMPLER_QUEUE + 1, "one may be walked meanwhile");
    cr_expect_geq(count, UM_SAMPLER_QUEUE);
    cr_expect_gt(next.time_ns, first_ns);
    /* Two samples are at most 5/4 of `every_ns` apart, and at least 3/4. */
    cr_expect_gt(first_ns - begin_ns, UM_SAMPLER_QUEUE * every_ns * 5 / 4);
}

Test(sampler, takes_no_sample_before_its_time)
{
    struct um_wire_sampling cost;
    open_sampler(MS);
    um_sampler_waits(sampler, 50 * MS - 1);
    um_sampler_waits(sampler, 0);
    um_sampler_rest(sampler);
    cr_assert_eq(fake_stopper_taken(), 0);
    cr_assert_eq(take_all(), 0);
    cr_assert_not(um_sampler_cost(sampler, &cost));
    um_sampler_waits(sampler, 50 * MS);
    wait_for_samples(3);
    um_sampler_rest(sampler);
    uint32_t taken = fake_stopper_taken();
    cr_assert(um_sampler_cost(sampler, &cost));
    cr_assert_eq(cost.samples, taken);
    close_sampler();
    cr_assert_eq(fake_stopper_taken(), taken, "it goes on although nobody waits");
}

Test(sampler, keeps_to_its_budget)
{
    struct um_wire_sampling cost;
    use_fake_clock(0);
    fake_stopper.suspended_ns = 2 * MS;
    uint64_t begun_ns = fake_stopper_clock_ns();
    open_sampler(MS);
    um_sampler_waits(sampler, 60 * MS);
    WAIT_UNTIL(fake_stopper_clock_ns() >= begun_ns + 400 * MS, "it does not wait");
    um_sampler_rest(sampler);
    double share_ns = 0.03 * (double)(fake_stopper_clock_ns() - begun_ns);
    cr_assert(um_sampler_cost(sampler, &cost));
    cr_assert_geq(cost.samples, 2);
    cr_assert_leq((double)cost.total_ns, share_ns + 5e6 + 2e6, "%u samples", cost.samples);
}

/* The fake clock goes on only while the sampler sleeps: 2 ms of each sample are all that it has
 * cost, of which it may cost one in forty. */
static uint64_t withheld_in_400_ms(double percent)
{
    struct um_wire_sampling cost;
    use_fake_clock(0);
    fake_stopper.suspended_ns = 2 * MS;
    options.cost_percent = percent;
    suspensions = (struct um_suspensions){.count = 0};
    open_sampler(MS);
    uint64_t begun_ns = fake_stopper_clock_ns();
    um_sampler_waits(sampler, 60 * MS);
    WAIT_UNTIL(fake_stopper_clock_ns() >= begun_ns + 400 * MS, "it does not wait");
    um_sampler_rest(sampler);
    uint64_t took_ns = fake_stopper_clock_ns() - begun_ns;
    cr_assert(um_sampler_cost(sampler, &cost));
    cr_assert_leq(cost.withheld_ns, took_ns);
    close_sampler();
    return cost.withheld_ns * 100 / took_ns;
}

Test(sampler, says_for_how_long_its_budget_held_it_back)
{
    cr_expect_geq(withheld_in_400_ms(3), 80);
    cr_expect_leq(withheld_in_400_ms(100), 80);
}

static _Atomic uint32_t sleeps;

static void sleep_too_long_once(uint64_t length_ns)
{
    bool is_pause = atomic_fetch_add(&sleeps, 1) == 30;
    fake_stopper_sleep_ns(is_pause ? 5 * UM_CLOCK_NS_PER_S : length_ns);
}

/* As when the machine sleeps, or other programs take all of its time. */
Test(sampler, a_pause_is_no_samples_time)
{
    uint64_t last_ns = 0;
    unsigned pauses = 0;
    use_fake_clock(60);
    options.sleep_ns = sleep_too_long_once;
    fake_stopper.user_ns = 2 * MS;
    open_sampler(10 * MS);
    um_sampler_waits(sampler, 60 * MS);
    for (size_t n = 0; n < 60; n++) {
        wait_next();
        uint64_t gap_ns = n == 0 ? 0 : next.time_ns - last_ns;
        bool is_pause = gap_ns > 4 * UM_CLOCK_NS_PER_S;
        pauses += is_pause;
        if (is_pause)
            cr_expect(next.wall_ns >= 7 * MS && next.wall_ns <= 13 * MS, "%g ms",
                      (double)next.wall_ns / MS);
        else
            cr_expect_eq(next.wall_ns, gap_ns);
        cr_expect_leq(next.user_ns, next.wall_ns);
        cr_expect(!is_pause || next.user_ns < MS, "it ran in the pause as before and after it");
        last_ns = next.time_ns;
    }
    cr_expect_eq(pauses, 1, "%u", pauses);
}

/* Such as one in which uimon itself was stopped: the thread may have run meanwhile. */
Test(sampler, a_sample_that_took_long_is_counted_and_thrown_away)
{
    struct um_wire_sampling cost;
    use_fake_clock(0);
    fake_stopper.suspended_ns = 101 * MS;
    open_sampler(MS);
    um_sampler_waits(sampler, 60 * MS);
    wait_for_samples(2); /* with the second one begun, the first is done with */
    um_sampler_rest(sampler);
    cr_assert(um_sampler_cost(sampler, &cost));
    cr_expect_eq(cost.max_ns, 101 * MS);
    cr_expect_eq(take_all(), 0);
}

/* The machine held uimon up in the first sample. */
Test(sampler, after_a_sample_that_took_long_it_is_known_how_long_the_thread_runs)
{
    use_fake_clock(12);
    fake_stopper.user_ns = MS;
    atomic_store(&fake_stopper.long_ones, 1);
    open_sampler(10 * MS);
    um_sampler_waits(sampler, 60 * MS);
    for (size_t n = 0; n < 10; n++) {
        wait_next();
        cr_expect(next.has_times, "%zu", n);
        cr_expect_leq(next.user_ns, MS);
    }
}

Test(sampler, a_thread_that_ends_is_the_end_of_it)
{
    fake_stopper.ends_after = 4;
    open_sampler(MS);
    um_sampler_waits(sampler, 60 * MS);
    size_t count = 0;
    WAIT_UNTIL((count += take_all()) >= 4, "%zu samples", count);
    close_sampler();
    cr_assert_eq(fake_stopper_taken(), 4);
    cr_assert_eq(count, 4);
}

Test(sampler, a_thread_that_cannot_be_suspended_is_told_of_once)
{
    static const enum um_status refusals[] = {UM_ERR_DENIED, UM_ERR_BUSY};
    for (size_t i = 0; i < 2; i++) {
        struct um_wire_sampling cost;
        enum um_status why = UM_OK;
        fake_stopper.refuses_with = refusals[i];
        atomic_store(&fake_stopper.refusals, UINT32_MAX);
        open_sampler(MS);
        um_sampler_waits(sampler, 60 * MS);
        WAIT_UNTIL(um_sampler_refused(sampler, &why), "it does not say so");
        cr_expect_eq(why, refusals[i]);
        cr_expect_not(um_sampler_refused(sampler, &why));
        cr_expect_not(um_sampler_cost(sampler, &cost), "no suspension was counted");
        close_sampler();
    }
}

Test(sampler, a_few_refusals_are_no_end)
{
    enum um_status why;
    fake_stopper.refuses_with = UM_ERR_DENIED;
    atomic_store(&fake_stopper.refusals, 5);
    open_sampler(MS);
    um_sampler_waits(sampler, 60 * MS);
    wait_for_samples(3);
    atomic_store(&fake_stopper.refusals, 8);
    WAIT_UNTIL(atomic_load(&fake_stopper.refusals) == 0, "it does not ask");
    wait_for_samples(fake_stopper_taken() + 2);
    cr_expect_not(um_sampler_refused(sampler, &why));
}

Test(sampler, says_why_it_cannot_be_opened)
{
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
    cr_assert_not(um_images_has(opened, fake_stopper_module(1)->base));
    fake_stopper.module_count = file.module_count;
    um_images_look(opened);
    cr_assert(um_images_has(opened, fake_stopper_module(1)->base));
    cr_assert(um_images_has(opened, fake_stopper_module(1)->base +
                                        fake_stopper_module(1)->image_bytes - 1));
    um_images_close(opened);
}

/* Its module is mapped from the begin, and listed only later. It is looked for twenty times as
 * often as one whose code is in no module. */
Test(sampler, a_module_that_is_being_loaded_is_soon_known)
{
    fake_stopper.mapped_count = file.module_count;
    fake_stopper.empty_lists = EMPTY_LISTS;
    use_fake_clock(UM_SAMPLER_QUEUE);
    uint64_t begin_ns = fake_stopper_clock_ns();
    open_sampler(5 * MS);
    um_sampler_waits(sampler, 60 * MS);
    do
        wait_next();
    while (next.stop != UM_UNWIND_START);
    /* The first list is that of the opening. A look is due by some sample's time. */
    cr_expect_geq(next.time_ns - begin_ns, EMPTY_LISTS * LOOK_SOON_NS);
    cr_expect_leq(next.time_ns - begin_ns, EMPTY_LISTS * (LOOK_SOON_NS + 7 * MS));
}

/* A 32-bit program of two functions at 0x401000 and 0x401100. The second one calls the first by a
 * register, so that this call could have called any function. */
Test(sampler, frames_of_a_32_bit_program_say_whether_they_are_guesses)
{
    static uint8_t image[0x2000], stack[0x1000];
    static const struct um_stopper_module module = {0x400000, sizeof image, "narrow.exe"};
    static const uint8_t *const images[] = {image};
    static const struct um_unwind_registers registers = {.pc = 0x401008,
                                                         .integer = {0, 0, 0, 0, 0x100000, 7}};
    um_bytes_put16(image, 0x5a4d);
    um_bytes_put32(image + 60, 0x80);
    um_bytes_put32(image + 0x80, 0x4550);
    um_bytes_put16(image + 0x84, 0x14c);
    um_bytes_put16(image + 0x86, 1);
    um_bytes_put16(image + 0x98, 0x10b);
    um_bytes_put32(image + 0x98 + 56, sizeof image);
    um_bytes_put32(image + 0x98 + 8, 0x1000); /* the list of sections: size, RVA and flags */
    um_bytes_put32(image + 0x98 + 12, 0x1000);
    um_bytes_put32(image + 0x98 + 36, 0x20000000);
    memcpy(image + 0x1110, (const uint8_t[]){0xff, 0xd0}, 2);
    um_bytes_put32(stack + 0x20, 0x401112);
    fake_stopper.is_x86 = true;
    fake_stopper.registers = &registers;
    fake_stopper.stack = (struct um_unwind_stack){0x100000, stack, sizeof stack};
    fake_stopper.modules = &module;
    fake_stopper.images = images;
    atomic_store(&fake_stopper.module_count, 1);
    open_sampler(MS);
    cr_expect(um_sampler_is_x86(sampler));
    um_sampler_waits(sampler, 60 * MS);
    wait_for_samples(2);
    um_sampler_rest(sampler);
    cr_assert(um_sampler_next(sampler, &next));
    cr_assert_eq(next.count, 2);
    cr_expect_eq(next.frames[0].offset, 0x1008);
    cr_expect_eq(next.frames[1].offset, 0x1111);
    cr_expect_eq(next.guessed, 2);
    cr_expect_eq(next.stop, UM_UNWIND_STACK_ENDED, "nobody says that the stack ends there");
    cr_expect_str_eq(um_sampler_module(sampler, next.frames[1].module)->path,
                     "C:\\program\\narrow.exe");
}
