/* Code that is in no module: the unwinder with answers that come late, never, or are rubbish. */
#include <stdatomic.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/thread.h"
#include "monitor/sample/remote_lookup.h"
#include "tests/unit/wait_until.h"

#define LIMIT_NS (UM_REMOTE_LOOKUP_LIMIT_MS * UM_CLOCK_NS_PER_MS)
#define BASE UINT64_C(0x7ff800000000)
#define SECOND UINT64_C(0x7ff900000000) /* where memory ends that can be executed */
#define STACK UINT64_C(0x10000)
#define UNWIND 0x3000 /* where all functions have their unwind data, from the base */

/* Each function is 0x100 bytes long and frees 8 bytes of stack: sub rsp, 8. */
static const uint8_t unwind[] = {1, 4, 1, 0, 4, 2, 0, 0};
static struct um_remote_lookup *elsewhere;
static unsigned reads, looks;

static bool read_memory(struct um_stopper *stopper, uint64_t address, void *bytes, size_t len)
{
    (void)stopper;
    reads++;
    memset(bytes, 0x90, len);
    if (address < BASE + UNWIND || address >= BASE + UNWIND + sizeof unwind)
        return address >= BASE && address < SECOND;
    size_t left = (size_t)(BASE + UNWIND + sizeof unwind - address);
    memcpy(bytes, unwind + (address - BASE - UNWIND), len < left ? len : left);
    return true;
}

static bool is_code(struct um_stopper *stopper, uint64_t address, uint64_t *begin, uint64_t *end)
{
    (void)stopper;
    looks++;
    *begin = address < BASE ? 0 : address < SECOND ? BASE : SECOND;
    *end = address < BASE ? BASE : address < SECOND ? SECOND : UINT64_MAX;
    return address >= BASE && address < SECOND;
}

/* The sampler's clock, which stands unless a test lets it go on: nobody is late by it. */
static struct {
    _Atomic uint64_t ns;
    _Atomic uint64_t step_ns; /* it goes on by this whenever somebody looks */
    _Atomic unsigned looks;
} hand;

static uint64_t now_ns(void)
{
    uint64_t now = atomic_fetch_add(&hand.ns, atomic_load(&hand.step_ns));
    atomic_fetch_add(&hand.looks, 1);
    return now;
}

/* Nearly all of the limit passes, nobody gives up, and then the rest passes. */
static void let_limit_pass(void)
{
    atomic_fetch_add(&hand.ns, LIMIT_NS - 1);
    unsigned before = atomic_load(&hand.looks);
    WAIT_UNTIL(atomic_load(&hand.looks) >= before + 2, "it does not look at the clock");
    atomic_fetch_add(&hand.ns, 1);
}

/* The watch thread and the DLL behind it. */
static struct {
    struct um_thread thread;
    _Atomic bool ends;
    _Atomic unsigned questions;
    _Atomic bool wrong_first;   /* it answers another question before */
    _Atomic bool never;         /* it does not answer, and lets the limit pass */
    struct um_wire_frame frame; /* the answer, but for the address, if its end is not 0 */
} other;

static void answer(uint64_t address)
{
    struct um_wire_frame frame = other.frame;
    frame.type = UM_WIRE_CODE;
    if (frame.as.code.end == 0 && !(frame.flags & UM_WIRE_CODE_NONE)) {
        uint32_t begin = (uint32_t)(address - BASE) & ~0xffu;
        frame.as.code = (struct um_wire_code){
            .base = BASE, .begin = begin, .end = begin + 0x100, .unwind = UNWIND};
    }
    frame.as.code.address = address;
    um_remote_lookup_answer(elsewhere, &frame);
}

static void run_other(void *context)
{
    const struct um_wire_frame wrong = {.type = UM_WIRE_CODE,
                                        .as.code = {.address = 5, .base = BASE, .end = 9}};
    uint64_t address;
    (void)context;
    while (!atomic_load(&other.ends)) {
        if (um_remote_lookup_question(elsewhere, &address)) {
            atomic_fetch_add(&other.questions, 1);
            cr_assert(um_remote_lookup_is_asking(elsewhere));
            if (other.wrong_first)
                um_remote_lookup_answer(elsewhere, &wrong);
            if (other.never)
                let_limit_pass();
            else
                answer(address);
        }
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS / 10);
    }
}

static void start_other(void)
{
    cr_assert_eq(um_thread_start(run_other, NULL, &other.thread), UM_OK);
}

static void setup(void)
{
    static const struct um_stopper_backend memory = {.read = read_memory, .is_code = is_code};
    um_stopper = &memory;
    cr_assert_eq(um_remote_lookup_open(NULL, now_ns, &elsewhere), UM_OK);
}

static void teardown(void)
{
    atomic_store(&other.ends, true);
    um_thread_join(&other.thread);
    um_remote_lookup_close(elsewhere);
}

TestSuite(remote_lookup, .init = setup, .fini = teardown, .threads = true);

/* A stack of `depth` generated functions, the outermost called by nobody. */
static struct um_unwind walk;
static struct um_unwind_frame frames[32];
static uint64_t stack[64];

static void begin_walk(size_t depth)
{
    struct um_unwind_registers registers = {.pc = BASE + 0x1080};
    struct um_unwind_stack copy = {STACK, (const uint8_t *)stack, sizeof stack};
    registers.integer[UM_UNWIND_RSP] = STACK;
    memset(stack, 0, sizeof stack);
    for (size_t i = 1; i < depth; i++) /* the freed 8 bytes, then the return address */
        stack[2 * i - 1] = BASE + 0x1080 + 0x100 * i;
    um_unwind_begin(&walk, &registers, &copy, frames, 32);
}

static enum um_unwind_stop run_walk(void)
{
    struct um_unwind_code code = um_remote_lookup_code(elsewhere);
    enum um_unwind_stop stop = um_unwind_run(&walk, &code);
    while (stop == UM_UNWIND_PENDING && um_remote_lookup_wait(elsewhere))
        stop = um_unwind_run(&walk, &code);
    return stop;
}

Test(remote_lookup, a_stack_of_generated_code_is_walked_with_a_question_a_function)
{
    start_other();
    begin_walk(12);
    cr_expect_eq(run_walk(), UM_UNWIND_START);
    cr_expect_eq(walk.frame_count, 12);
    for (size_t i = 0; i < 12; i++) {
        cr_expect_eq(frames[i].pc, BASE + 0x1080 + 0x100 * i);
        cr_expect_eq(frames[i].module, UM_UNWIND_NO_MODULE);
    }
    cr_expect_eq(atomic_load(&other.questions), 12);
    cr_expect(!um_remote_lookup_is_asking(elsewhere));
}

Test(remote_lookup, answers_are_kept_until_they_are_forgotten)
{
    start_other();
    begin_walk(5);
    cr_assert_eq(run_walk(), UM_UNWIND_START);
    unsigned before = reads;
    begin_walk(5);
    cr_assert_eq(run_walk(), UM_UNWIND_START);
    cr_expect_eq(atomic_load(&other.questions), 5);
    cr_expect_leq(reads, before + 1, "only the code where the thread is: %u", reads - before);
    um_remote_lookup_forget(elsewhere);
    begin_walk(5);
    cr_assert_eq(run_walk(), UM_UNWIND_START);
    cr_expect_eq(atomic_load(&other.questions), 10);
}

Test(remote_lookup, nobody_asks_about_what_cannot_be_code)
{
    start_other();
    begin_walk(3);
    stack[3] = 0x1234; /* where the second one returns to */
    cr_expect_eq(run_walk(), UM_UNWIND_NO_DATA);
    cr_expect_eq(walk.frame_count, 3);
    cr_expect_eq(atomic_load(&other.questions), 2);
    unsigned before = looks;
    begin_walk(3);
    stack[3] = 0x5678;
    cr_expect_eq(run_walk(), UM_UNWIND_NO_DATA);
    cr_expect_eq(looks, before, "the range is known");
}

Test(remote_lookup, code_that_nobody_knows_ends_the_walk)
{
    other.frame.flags = UM_WIRE_CODE_NONE;
    start_other();
    begin_walk(3);
    stack[0] = BASE + 0x5000; /* frame 0 may be a leaf: then this is its caller */
    cr_expect_eq(run_walk(), UM_UNWIND_NO_DATA);
    cr_expect_eq(walk.frame_count, 1);
}

Test(remote_lookup, without_answers_it_gives_up_and_begins_anew_in_the_next_freeze)
{
    other.never = true;
    start_other();
    begin_walk(3);
    cr_expect_eq(run_walk(), UM_UNWIND_PENDING);
    cr_expect_eq(walk.frame_count, 1);
    cr_expect_eq(atomic_load(&hand.ns), LIMIT_NS, "it has given up too early");
    cr_expect(um_remote_lookup_is_asking(elsewhere), "the thread is not to be suspended");
    for (int i = 1; i < UM_REMOTE_LOOKUP_FAILURES; i++) {
        begin_walk(3);
        cr_expect_eq(run_walk(), UM_UNWIND_PENDING);
    }
    cr_expect_eq(atomic_load(&other.questions), 1, "one at a time");
    answer(BASE + 0x1080); /* the late answer */
    cr_expect(!um_remote_lookup_is_asking(elsewhere));
    other.never = false;
    begin_walk(3);
    cr_expect_eq(run_walk(), UM_UNWIND_PENDING, "it has given up");
    um_remote_lookup_forget(elsewhere);
    begin_walk(3);
    cr_expect_eq(run_walk(), UM_UNWIND_START);
}

/* As many walks of so many functions as there are late answers: each is answered one more. */
static void walk_with_late_answers(unsigned functions, unsigned count)
{
    other.never = true;
    start_other();
    for (unsigned i = 0; i < count; i++) {
        begin_walk(functions);
        cr_assert_eq(run_walk(), UM_UNWIND_PENDING);
        cr_assert_eq(walk.frame_count, i + 1);
        answer(BASE + 0x1080 + 0x100 * i);
    }
    begin_walk(functions);
}

/* As on a machine on which each answer takes longer than a walk waits: the next one has it. */
Test(remote_lookup, late_answers_are_taken_by_the_next_walk)
{
    walk_with_late_answers(UM_REMOTE_LOOKUP_FAILURES - 1, UM_REMOTE_LOOKUP_FAILURES - 1);
    cr_expect_eq(run_walk(), UM_UNWIND_START);
    cr_expect_eq(atomic_load(&other.questions), UM_REMOTE_LOOKUP_FAILURES - 1);
}

Test(remote_lookup, a_program_whose_answers_are_all_late_is_asked_no_more)
{
    walk_with_late_answers(2 * UM_REMOTE_LOOKUP_FAILURES, UM_REMOTE_LOOKUP_FAILURES);
    cr_expect_eq(run_walk(), UM_UNWIND_PENDING);
    cr_expect_eq(atomic_load(&other.questions), UM_REMOTE_LOOKUP_FAILURES);
}

Test(remote_lookup, a_late_answer_of_an_earlier_freeze_is_left_alone)
{
    other.never = true;
    start_other();
    begin_walk(3);
    cr_assert_eq(run_walk(), UM_UNWIND_PENDING);
    answer(BASE + 0x1080);
    um_remote_lookup_forget(elsewhere);
    begin_walk(3);
    cr_expect_eq(run_walk(), UM_UNWIND_PENDING);
    cr_expect_eq(walk.frame_count, 1);
    cr_expect_eq(atomic_load(&other.questions), 2);
}

Test(remote_lookup, a_question_that_was_not_sent_is_taken_back)
{
    uint64_t address;
    atomic_store(&hand.step_ns, LIMIT_NS);
    begin_walk(3); /* there is no watch thread */
    cr_expect_eq(run_walk(), UM_UNWIND_PENDING);
    cr_expect(!um_remote_lookup_is_asking(elsewhere));
    cr_expect(!um_remote_lookup_question(elsewhere, &address));
    start_other(); /* for the end of the test */
}

static void cancel(void *context)
{
    uint64_t address;
    (void)context;
    WAIT_UNTIL(um_remote_lookup_question(elsewhere, &address), "nobody asks");
    um_remote_lookup_cancel(elsewhere);
}

/* The clock stands, so that nothing but the cancelling ends the waiting. */
Test(remote_lookup, whoever_closes_does_not_wait_for_an_answer)
{
    cr_assert_eq(um_thread_start(cancel, NULL, &other.thread), UM_OK);
    begin_walk(3);
    cr_expect_eq(run_walk(), UM_UNWIND_PENDING);
    cr_expect_eq(run_walk(), UM_UNWIND_PENDING);
}

/* What comes through the pipe can be anything. */
Test(remote_lookup, answers_of_rubbish_end_the_walk)
{
    static const struct um_wire_code rubbish[] = {
        {.base = BASE, .begin = 0x1100, .end = 0x1000, .unwind = UNWIND},
        {.base = BASE + 0x2000, .begin = 0, .end = 0x1000, .unwind = UNWIND},
        {.base = 1, .begin = 0, .end = UINT32_MAX, .unwind = UNWIND},
        {.base = BASE, .begin = 0, .end = 0x10000, .unwind = UINT32_MAX},
        {.base = BASE, .begin = 0, .end = 0x10000, .unwind = 0x2000}, /* nops are no such data */
    };
    other.frame.as.code.end = 1;
    start_other();
    for (size_t i = 0; i < sizeof rubbish / sizeof rubbish[0]; i++) {
        other.frame.as.code = rubbish[i];
        um_remote_lookup_forget(elsewhere);
        begin_walk(3);
        enum um_unwind_stop stop = run_walk();
        cr_expect(stop == UM_UNWIND_DAMAGED || stop == UM_UNWIND_NO_DATA, "%zu: %d", i, stop);
        cr_expect_eq(walk.frame_count, 1);
    }
}

/* An answer may come when another question is asked, or none. */
Test(remote_lookup, answers_that_nobody_asked_for_are_left_alone)
{
    struct um_wire_frame frame = {.type = UM_WIRE_CODE,
                                  .as.code = {.address = 5, .base = BASE, .begin = 0, .end = 9}};
    um_remote_lookup_answer(elsewhere, &frame);
    start_other();
    begin_walk(2);
    other.wrong_first = true;
    cr_expect_eq(run_walk(), UM_UNWIND_START);
    cr_expect_eq(atomic_load(&other.questions), 2);
}

/* More functions than are kept: all are forgotten, and the walk still ends. */
Test(remote_lookup, more_functions_than_are_kept_are_no_harm)
{
    struct um_unwind_code code = um_remote_lookup_code(elsewhere);
    struct um_unwind_function function;
    start_other();
    for (uint64_t i = 0; i < UM_REMOTE_LOOKUP_FUNCTIONS + 10; i++) {
        enum um_unwind_answer found = code.find(code.context, BASE + i * 0x100, &function);
        cr_assert_eq(found, UM_UNWIND_NOT_YET);
        cr_assert(um_remote_lookup_wait(elsewhere));
        cr_assert_eq(code.find(code.context, BASE + i * 0x100, &function), UM_UNWIND_FOUND);
        cr_assert_eq(function.rva.begin_rva, i * 0x100);
    }
}
