/* For whom a thread waits, from a made stack and made critical sections. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/bytes.h"
#include "monitor/sample/blocker.h"

#define PROCESS 40
#define WAITER 44
#define OWNER 48
#define OTHER 52
#define STACK UINT64_C(0x10000000)
#define LOCK UINT64_C(0x20000000)
#define SECOND UINT64_C(0x20000040)
#define WINDOW 0x10046
#define FRAMES 5

/* What is in the thread's process. */
static uint8_t memory[128]; /* from LOCK on */
static uint8_t bytes[512];  /* the stack, from STACK on */
static struct um_unwind_registers registers;
static enum um_blocker_call calls[FRAMES];
static bool is_system[FRAMES];
static struct um_unwind_frame frames[FRAMES];
static struct um_blocker chain;
static unsigned reads;

static struct um_blocker_known known;
static struct um_blocker found;

static enum um_blocker_call call_of(void *context, size_t frame, bool *system)
{
    (void)context;
    *system = is_system[frame];
    return calls[frame];
}

static bool read_memory(void *context, uint64_t address, void *to, size_t len)
{
    (void)context;
    reads++;
    if (address < LOCK || address - LOCK > sizeof memory || sizeof memory - (address - LOCK) < len)
        return false;
    memcpy(to, memory + (address - LOCK), len);
    return true;
}

static bool is_thread(void *context, uint32_t tid)
{
    (void)context;
    return tid == WAITER || tid == OWNER;
}

static bool look_at_window(void *context, uint32_t window, struct um_blocker *blocker)
{
    (void)context;
    if (window != WINDOW && window != WINDOW + 2)
        return false;
    *blocker = (struct um_blocker){
        .kind = UM_WIRE_WAIT_WINDOW, .thread = OTHER, .process = PROCESS, .object = "Edit"};
    return true;
}

static bool ask_chain(void *context, struct um_blocker *blocker)
{
    (void)context;
    if (chain.kind != UM_WIRE_WAIT_NONE)
        *blocker = chain;
    return chain.kind != UM_WIRE_WAIT_NONE;
}

static void put_lock(uint64_t address, int32_t count, uint32_t recursion, uint64_t owner)
{
    uint8_t *at = memory + (address - LOCK);
    um_bytes_put64(at, UINT64_MAX);
    um_bytes_put32(at + 8, (uint32_t)count);
    um_bytes_put32(at + 12, recursion);
    um_bytes_put64(at + 16, owner);
}

static void put_word(size_t at, uint64_t word)
{
    um_bytes_put64(bytes + at, word);
}

/* The thread waits in the third function, which was called by the fourth, 192 bytes up. */
static void setup(void)
{
    memset(memory, 0, sizeof memory);
    memset(bytes, 0, sizeof bytes);
    memset(&registers, 0, sizeof registers);
    memset(calls, 0, sizeof calls);
    memset(&known, 0, sizeof known);
    memset(&found, 0, sizeof found);
    memset(&chain, 0, sizeof chain);
    reads = 0;
    for (size_t i = 0; i < FRAMES; i++) {
        is_system[i] = i < 3;
        frames[i] = (struct um_unwind_frame){.pc = 0x7000 + i, .sp = STACK + 64 * i};
    }
    calls[2] = UM_BLOCKER_ENTER;
    put_lock(LOCK, 1, 1, OWNER);
}

TestSuite(blocker, .init = setup);

static bool find_in(const uint8_t *stack_bytes, size_t len, size_t frame_count)
{
    struct um_unwind_stack stack = {STACK, stack_bytes, len};
    struct um_blocker_source source = {NULL,      call_of,        read_memory,
                                       is_thread, look_at_window, ask_chain};
    struct um_blocker_wait wait = {PROCESS, WAITER, &registers, &stack, frames, frame_count};
    return um_blocker_find(&source, &wait, &known, &found);
}

static bool find(void)
{
    return find_in(bytes, sizeof bytes, FRAMES);
}

/* Wine counts all that asked for a lock: -1 for none. Windows has the waiters in the complement of
 * the bits above the lowest two: -6 is one waiter, -10 two; -2 is held by one that nobody waits
 * for, and -1 is free. */
Test(blocker, knows_a_lock_that_somebody_waits_for)
{
    static const struct {
        int32_t count;
        uint32_t recursion;
        uint64_t owner;
        uint32_t expected;
    } locks[] = {
        {1, 1, 48, 48},
        {2, 2, 48, 48},
        {7, 1, 48, 48},
        {-6, 1, 48, 48},
        {-10, 3, 48, 48},
        {0, 1, 48, 0},
        {1, 2, 48, 0},
        {-1, 1, 48, 0},
        {-2, 1, 48, 0},
        {-5, 1, 48, 0},
        {1, 0, 48, 0},
        {1, 1, 0, 0},
        {1, 1, 50, 0},
        {-6, 1, 49, 0},
        {INT32_MAX, 1, 48, 0},
        {1, UINT32_MAX, 48, 0},
        {-6, 1, UINT64_C(0x100000030), 0},
        {INT32_MIN, 1, 48, 0},
    };
    for (size_t i = 0; i < sizeof locks / sizeof locks[0]; i++) {
        put_lock(LOCK, locks[i].count, locks[i].recursion, locks[i].owner);
        cr_expect_eq(um_blocker_owner(memory), locks[i].expected, "row %zu", i);
    }
}

Test(blocker, finds_the_lock_in_a_register)
{
    registers.integer[3] = LOCK;
    cr_assert(find());
    cr_expect_eq(found.kind, UM_WIRE_WAIT_LOCK);
    cr_expect_eq(found.thread, OWNER);
    cr_expect_eq(found.process, PROCESS);
}

Test(blocker, finds_the_lock_between_the_wait_and_its_caller)
{
    put_word(72, LOCK);
    put_word(80, LOCK); /* twice the same is one */
    cr_assert(find());
    cr_expect_eq(found.thread, OWNER);
}

Test(blocker, finds_the_lock_with_the_caller_if_it_is_not_nearer)
{
    put_word(264, LOCK);
    cr_expect_not(find(), "beyond the caller");
    put_word(192, LOCK);
    cr_expect(find(), "in the home of the argument");
    put_word(192, 0);
    put_word(240, LOCK);
    cr_expect(find());
    put_lock(SECOND, 1, 1, OWNER);
    put_word(8, SECOND);
    cr_expect(find());
    cr_expect_eq(known.count, 0, "the caller's words are not looked at");
}

Test(blocker, two_candidates_are_none)
{
    put_lock(SECOND, 2, 1, OWNER);
    put_word(72, LOCK);
    put_word(80, SECOND);
    cr_expect_not(find());
    cr_expect_eq(found.kind, UM_WIRE_WAIT_NONE);
}

Test(blocker, a_lock_of_its_own_or_of_no_thread_is_none)
{
    put_word(72, LOCK);
    put_lock(LOCK, 1, 1, WAITER);
    cr_expect_not(find());
    memset(&known, 0, sizeof known);
    put_lock(LOCK, 1, 1, OTHER);
    cr_expect_not(find());
}

Test(blocker, a_lock_on_the_stack_is_read_from_the_copy)
{
    put_lock(LOCK, 1, 1, OWNER);
    memcpy(bytes + 400, memory, UM_BLOCKER_LOCK_BYTES);
    memset(memory, 0, sizeof memory);
    put_word(72, STACK + 400);
    cr_expect(find());
    cr_expect_eq(reads, 0);
    put_word(72, STACK + sizeof bytes - 8);
    cr_expect_not(find(), "it is not all in the copy");
}

Test(blocker, what_is_none_is_read_once_in_the_same_call)
{
    put_word(72, SECOND);
    put_word(80, LOCK);
    cr_expect(find());
    unsigned first = reads;
    cr_expect(find());
    cr_expect_eq(reads, first + 1, "only the lock itself is read again");
    frames[3].pc++;
    cr_expect(find());
    cr_expect_eq(reads, 2 * first + 1, "it is another call");
}

Test(blocker, no_more_candidates_than_it_may_look_at)
{
    static uint8_t many[UM_BLOCKER_BYTES];
    frames[3].sp = STACK + sizeof many;
    registers.integer[0] = LOCK;
    for (size_t i = 0; i < sizeof many / 8; i++)
        um_bytes_put64(many + 8 * i, UINT64_C(0x30000000) + 16 * i);
    cr_expect_not(find_in(many, sizeof many, FRAMES));
    cr_expect_leq(reads, UM_BLOCKER_LOOKS + 1);
}

Test(blocker, whoever_runs_waits_for_nobody)
{
    registers.integer[3] = LOCK;
    is_system[1] = false; /* a callback of the program's, below the wait */
    cr_expect_not(find());
    is_system[1] = true;
    calls[2] = UM_BLOCKER_NO_CALL;
    cr_expect_not(find());
    calls[2] = UM_BLOCKER_ENTER;
    is_system[0] = false;
    chain = (struct um_blocker){.kind = UM_WIRE_WAIT_MUTEX, .thread = OTHER};
    cr_expect_not(find(), "the system is not asked either");
}

Test(blocker, finds_the_receiver_of_a_message)
{
    calls[2] = UM_BLOCKER_SEND;
    put_word(72, LOCK);
    put_word(80, WINDOW);
    put_word(88, 0x46); /* a handle without its count */
    put_word(96, WINDOW | UINT64_C(1) << 32);
    cr_assert(find());
    cr_expect_eq(found.kind, UM_WIRE_WAIT_WINDOW);
    cr_expect_eq(found.thread, OTHER);
    cr_expect_str_eq(found.object, "Edit");
    put_word(104, WINDOW + 2);
    cr_expect_not(find(), "two windows");
}

Test(blocker, what_the_system_knows_goes_before)
{
    registers.integer[3] = LOCK;
    chain = (struct um_blocker){.kind = UM_WIRE_WAIT_MUTEX, .thread = OTHER, .process = PROCESS};
    cr_assert(find());
    cr_expect_eq(found.kind, UM_WIRE_WAIT_MUTEX);
    cr_expect_eq(found.thread, OTHER);
    cr_expect_eq(reads, 0);
}

Test(blocker, a_stack_that_ends_at_the_wait_is_no_wait)
{
    registers.integer[3] = LOCK;
    cr_expect_not(find_in(bytes, sizeof bytes, 3), "nothing is known of a caller");
    cr_expect_not(find_in(bytes, sizeof bytes, 0));
}
