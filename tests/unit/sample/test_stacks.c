/* Real stacks of threads of tests/win/stacks_win32.c, recorded under Wine with what
 * RtlVirtualUnwind and StackWalk64 said of them: tests/golden/stacks_wine.bin. */
#include <string.h>

#include <criterion/criterion.h>

#include "tests/stacks/stack_file.h"

#define PATH UM_SOURCE_DIR "/tests/golden/stacks_wine.bin"

static struct stack_file file;
static struct um_modules modules;
static struct um_modules_entry entries[STACK_FILE_MODULES];
static struct um_unwind_code code;
static struct um_unwind_frame frames[STACK_FILE_FRAMES];
static struct um_unwind walk;

static void load(void)
{
    cr_assert(stack_file_read(&file, PATH));
    cr_assert(stack_file_modules(&file, &modules, entries));
    code = um_modules_code(&modules);
    cr_assert_geq(file.sample_count, 20);
}

static void release(void)
{
    stack_file_release(&file);
}

TestSuite(stacks, .init = load, .fini = release);

static void begin(const struct stack_file_sample *sample, size_t stack_len)
{
    struct um_unwind_stack stack = sample->stack;
    stack.len = stack_len;
    um_unwind_begin(&walk, &sample->registers, &stack, frames, STACK_FILE_FRAMES);
}

static void assert_begins_as_truth(const struct stack_file_sample *sample)
{
    cr_assert_leq(walk.frame_count, sample->truth_count, "%s", sample->name);
    for (size_t i = 0; i < walk.frame_count; i++) {
        cr_assert_eq(frames[i].pc, sample->truth[i].pc, "%s, frame %zu", sample->name, i);
        cr_assert_eq(frames[i].sp, sample->truth[i].sp, "%s, frame %zu", sample->name, i);
    }
}

static void assert_is_truth(const struct stack_file_sample *sample, enum um_unwind_stop stop)
{
    cr_assert_eq(stop, UM_UNWIND_START, "%s: %s", sample->name, um_unwind_stop_text(stop));
    cr_assert_eq(walk.frame_count, sample->truth_count, "%s", sample->name);
    assert_begins_as_truth(sample);
}

Test(stacks, frames_are_those_that_others_found)
{
    size_t deepest = 0;
    for (size_t i = 0; i < file.sample_count; i++) {
        const struct stack_file_sample *sample = &file.samples[i];
        begin(sample, sample->stack.len);
        assert_is_truth(sample, um_unwind_run(&walk, &code));
        deepest = deepest < walk.frame_count ? walk.frame_count : deepest;
    }
    cr_assert_geq(deepest, 50);
}

Test(stacks, functions_are_those_that_called_each_other)
{
    size_t known = 0;
    for (size_t i = 0; i < file.sample_count; i++) {
        const struct stack_file_sample *sample = &file.samples[i];
        uint64_t begins[STACK_FILE_FRAMES];
        if (sample->known_count == 0)
            continue;
        known++;
        begin(sample, sample->stack.len);
        um_unwind_run(&walk, &code);
        size_t count = stack_file_own_functions(&file, &code, frames, walk.frame_count, begins);
        cr_assert_eq(count, sample->known_count, "%s: %zu", sample->name, count);
        cr_assert_arr_eq(begins, sample->known, count * sizeof begins[0], "%s", sample->name);
    }
    cr_assert_geq(known, 12);
}

Test(stacks, all_kinds_of_first_frames_are_there)
{
    unsigned kinds[32] = {0};
    for (size_t i = 0; i < file.sample_count; i++) {
        begin(&file.samples[i], file.samples[i].stack.len);
        um_unwind_run(&walk, &code);
        for (size_t k = 0; k < walk.frame_count; k++)
            kinds[frames[k].flags & 31]++;
    }
    cr_assert_geq(kinds[UM_UNWIND_TABLE], 100);
    cr_assert_geq(kinds[UM_UNWIND_EPILOG], 5);
    cr_assert_geq(kinds[UM_UNWIND_LEAF], 1);
}

Test(stacks, a_stack_that_was_cut_has_the_first_frames)
{
    for (size_t i = 0; i < file.sample_count; i++) {
        const struct stack_file_sample *sample = &file.samples[i];
        size_t count = 0;
        uint64_t begin_of_last = sample->truth[sample->truth_count - 1].sp - sample->stack.address;
        for (size_t len = 0; len < begin_of_last; len += 8) {
            begin(sample, len);
            enum um_unwind_stop stop = um_unwind_run(&walk, &code);
            cr_assert_eq(stop, UM_UNWIND_STACK_ENDED, "%s: %s", sample->name,
                         um_unwind_stop_text(stop));
            assert_begins_as_truth(sample);
            cr_assert_geq(walk.frame_count, count);
            count = walk.frame_count;
            len += len > 8192 && len + 16384 < begin_of_last ? 4096 : 0;
        }
        cr_assert_geq(count, sample->truth_count - 1);
    }
}

/* Answers each question when it is asked for the second time. */
struct late {
    size_t count;
    uint64_t asked[2 * STACK_FILE_FRAMES];
};

static bool is_late(struct late *late, uint64_t question)
{
    for (size_t i = 0; i < late->count; i++)
        if (late->asked[i] == question)
            return false;
    cr_assert_lt(late->count, 2 * STACK_FILE_FRAMES);
    late->asked[late->count++] = question;
    return true;
}

static enum um_unwind_answer find_late(void *context, uint64_t pc,
                                       struct um_unwind_function *function)
{
    if (is_late(context, pc))
        return UM_UNWIND_NOT_YET;
    return code.find(code.context, pc, function);
}

static enum um_unwind_answer read_late(void *context, const struct um_unwind_function *function,
                                       uint32_t rva, void *bytes, size_t len)
{
    if (is_late(context, function->base + rva))
        return UM_UNWIND_NOT_YET;
    return code.read(code.context, function, rva, bytes, len);
}

Test(stacks, answers_may_come_late)
{
    for (size_t i = 0; i < file.sample_count; i++) {
        const struct stack_file_sample *sample = &file.samples[i];
        struct late late = {0};
        const struct um_unwind_code slow = {&late, find_late, read_late};
        enum um_unwind_stop stop;
        size_t runs = 1;
        begin(sample, sample->stack.len);
        while ((stop = um_unwind_run(&walk, &slow)) == UM_UNWIND_PENDING) {
            assert_begins_as_truth(sample);
            cr_assert_eq(late.count, runs++);
        }
        assert_is_truth(sample, stop);
        cr_assert_gt(runs, 8);
    }
}
