/* Stacks made by hand and by a generator, in a made-up program of 32 bits. Each test knows which
 * functions have called each other, and the unwinder must find them. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/bytes.h"
#include "base/random.h"
#include "monitor/sample/modules_x86.h"
#include "monitor/sample/unwind_x86.h"
#include "tests/written_golden.h"

#define BASE 0x400000U
#define IMAGE_BYTES 0x8000U
#define TEXT 0x1000U
#define TEXT_BYTES 0x4000U
#define DATA 0x6000U
#define GENERATED 0x2000000U
#define STACK 0x100000U
#define WORDS 512
#define FRAMES 64

#define ESP 4
#define EBP 5

/* Offsets in a function that `put_function` makes. */
#define BODY 8       /* of the first instruction behind any prologue */
#define CALL_AT 0x10 /* the call, which ends at the next */
#define CALLED 0x15
#define RETURN_AT 0x18
#define FUNCTION_BYTES 0x20

#define FIRST_FUNCTION 0x20 /* of the golden unwind data: where its address is, then its size */

static uint8_t image[IMAGE_BYTES];
static uint8_t generated[0x100];
static uint8_t stack_bytes[WORDS * 4];
static struct um_modules_x86 modules;
static struct um_modules_x86_entry entries[4];
static struct um_unwind_registers registers;
static struct um_unwind_frame frames[FRAMES];
static size_t count;
static size_t stack_words;
static bool has_end;
static const struct um_unwind_registers *callers;
static size_t caller_count;

static bool read_image(void *context, uint32_t rva, void *bytes, size_t len)
{
    (void)context;
    if (rva > IMAGE_BYTES || len > IMAGE_BYTES - rva)
        return false;
    memcpy(bytes, image + rva, len);
    return true;
}

static bool is_generated(void *context, uint32_t address)
{
    (void)context;
    return address - GENERATED < sizeof generated;
}

static bool read_generated(void *context, uint32_t address, void *bytes, size_t len)
{
    (void)context;
    if (address < GENERATED || address - GENERATED > sizeof generated ||
        len > sizeof generated - (address - GENERATED))
        return false;
    memcpy(bytes, generated + (address - GENERATED), len);
    return true;
}

static void put_section(unsigned number, uint32_t rva, uint32_t bytes, uint32_t flags)
{
    uint8_t *section = image + 0x80 + 24 + 224 + number * 40;
    um_bytes_put32(section + 8, bytes);
    um_bytes_put32(section + 12, rva);
    um_bytes_put32(section + 36, flags);
}

/* A program without functions, and a stack of zeros. */
static void start(void)
{
    memset(image, 0, sizeof image);
    memset(stack_bytes, 0, sizeof stack_bytes);
    memset(&registers, 0, sizeof registers);
    memset(image + TEXT, 0xcc, TEXT_BYTES);
    memset(generated, 0xcc, sizeof generated);
    um_bytes_put16(image, 0x5a4d);
    um_bytes_put32(image + 60, 0x80);
    um_bytes_put32(image + 0x80, 0x4550);
    um_bytes_put16(image + 0x84, 0x14c);
    um_bytes_put16(image + 0x86, 2);
    um_bytes_put16(image + 0x94, 224);
    um_bytes_put16(image + 0x98, 0x10b);
    um_bytes_put32(image + 0x98 + 56, IMAGE_BYTES);
    put_section(0, TEXT, TEXT_BYTES, 0x60000020);
    put_section(1, DATA, 0x1000, 0xc0000040);
    stack_words = WORDS;
    has_end = true;
    callers = NULL;
    caller_count = 0;
}

static void finish(void)
{
    um_modules_x86_deinit(&modules);
}

TestSuite(unwind_x86, .init = start, .fini = finish);

static void add_module(void)
{
    const struct um_modules_x86_elsewhere elsewhere = {NULL, is_generated, read_generated};
    const struct um_pdata_source source = {NULL, read_image};
    int32_t index;
    um_modules_x86_deinit(&modules);
    um_modules_x86_init(&modules, entries, 4, &elsewhere);
    cr_assert_eq(um_modules_x86_add(&modules, BASE, &source, &index), UM_OK);
}

/* Puts bytes at an RVA. */
#define PUT(rva, ...)                                                                              \
    memcpy(image + (rva), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* A call of the function at `target` that ends at `behind`; 0: by a register. */
static void put_call(uint32_t behind, uint32_t target)
{
    memset(image + behind - 5, 0x90, 5);
    if (target == 0) {
        PUT(behind - 2, 0xff, 0xd0);
        return;
    }
    image[behind - 5] = 0xe8;
    um_bytes_put32(image + behind - 4, target - behind);
}

/* A function of FUNCTION_BYTES, with one call. */
static void put_function(uint32_t rva, bool has_frame, uint32_t target)
{
    memset(image + rva, 0x90, FUNCTION_BYTES);
    if (has_frame)
        PUT(rva, 0x55, 0x8b, 0xec);
    else
        PUT(rva, 0x83, 0xec, 0x10);
    put_call(rva + CALLED, target);
    PUT(rva + RETURN_AT, 0xc3);
    memset(image + rva + RETURN_AT + 1, 0xcc, FUNCTION_BYTES - RETURN_AT - 1);
}

static void put_word(size_t index, uint32_t value)
{
    um_bytes_put32(stack_bytes + index * 4, value);
}

static uint32_t slot(size_t index)
{
    return STACK + (uint32_t)index * 4;
}

/* Walks from an RVA with the stack pointer at a word, and the frame pointer at another one. */
static enum um_unwind_stop walk_from(uint32_t rva, size_t esp, uint32_t ebp)
{
    const struct um_unwind_stack stack = {slot(esp), stack_bytes + esp * 4,
                                          (stack_words - esp) * 4};
    const struct um_unwind_x86_start begin = {&registers, &stack, has_end, callers, caller_count};
    add_module();
    struct um_unwind_x86_code code = um_modules_x86_code(&modules);
    registers.pc = BASE + rva;
    registers.integer[ESP] = slot(esp);
    registers.integer[EBP] = ebp;
    return um_unwind_x86_walk(&begin, &code, frames, FRAMES, &count);
}

static void assert_frame(size_t index, uint32_t rva, size_t esp, uint32_t flags)
{
    cr_assert_gt(count, index, "there are %zu frames", count);
    cr_assert_eq(frames[index].pc, BASE + rva, "%zu: %llx", index,
                 (unsigned long long)frames[index].pc);
    cr_assert_eq(frames[index].offset, rva);
    cr_assert_eq(frames[index].module, 0);
    cr_assert_eq(frames[index].sp, slot(esp), "%zu: %llx", index,
                 (unsigned long long)frames[index].sp);
    cr_assert_eq(frames[index].flags, flags, "%zu: %x", index, frames[index].flags);
}

/* Three functions, each called by the next. */
#define INNER 0x1000U
#define MIDDLE 0x1100U
#define OUTER 0x1200U

static void put_three(bool inner, bool middle, bool outer)
{
    put_function(INNER, inner, 0);
    put_function(MIDDLE, middle, INNER);
    put_function(OUTER, outer, MIDDLE);
}

Test(unwind_x86, follows_frame_pointers)
{
    put_three(true, true, true);
    put_word(4, slot(10));
    put_word(5, BASE + MIDDLE + CALLED);
    put_word(10, slot(20));
    put_word(11, BASE + OUTER + CALLED);
    cr_assert_eq(walk_from(INNER + BODY, 2, slot(4)), UM_UNWIND_START);
    cr_assert_eq(count, 3);
    assert_frame(0, INNER + BODY, 2, UM_UNWIND_FIRST);
    assert_frame(1, MIDDLE + CALLED, 6, UM_UNWIND_POINTER);
    assert_frame(2, OUTER + CALLED, 12, UM_UNWIND_POINTER);
}

Test(unwind_x86, a_word_that_is_not_behind_a_call_is_no_return_address)
{
    put_three(true, true, true);
    put_word(4, slot(10));
    put_word(5, BASE + MIDDLE + BODY);
    cr_assert_eq(walk_from(INNER + BODY, 2, slot(4)), UM_UNWIND_START);
    cr_assert_eq(count, 1);
    put_word(5, BASE + DATA + 0x10);
    PUT(DATA + 0x0b, 0xe8, 0, 0, 0, 0);
    cr_assert_eq(walk_from(INNER + BODY, 2, slot(4)), UM_UNWIND_START);
    cr_assert_eq(count, 1, "data is no code, whatever bytes it has");
    put_word(5, 0x12345678);
    (void)walk_from(INNER + BODY, 2, slot(4));
    cr_assert_eq(count, 1);
}

Test(unwind_x86, a_direct_call_into_nowhere_is_none)
{
    put_three(true, true, true);
    PUT(MIDDLE + CALL_AT, 0xe8, 0, 0, 0, 0x70);
    put_word(4, slot(10));
    put_word(5, BASE + MIDDLE + CALLED);
    (void)walk_from(INNER + BODY, 2, slot(4));
    cr_assert_eq(count, 1);
}

Test(unwind_x86, within_a_prologue_the_return_address_is_on_top)
{
    static const struct {
        uint32_t offset;
        size_t index; /* of the return address, from esp */
    } rows[] = {{0, 0}, {1, 1}};
    put_three(true, true, true);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(stack_bytes, 0, sizeof stack_bytes);
        put_word(2 + rows[i].index, BASE + MIDDLE + CALLED);
        if (rows[i].index == 1)
            put_word(2, slot(10));
        put_word(10, slot(20));
        put_word(11, BASE + OUTER + CALLED);
        (void)walk_from(INNER + rows[i].offset, 2, slot(10));
        cr_assert_eq(count, 3, "at %u: %zu frames", rows[i].offset, count);
        assert_frame(1, MIDDLE + CALLED, 3 + rows[i].index, UM_UNWIND_EPILOG);
        assert_frame(2, OUTER + CALLED, 12, UM_UNWIND_POINTER);
    }
}

Test(unwind_x86, before_a_return_the_return_address_is_on_top)
{
    put_three(true, true, true);
    PUT(INNER + RETURN_AT - 1, 0x5d);
    put_word(2, slot(10));
    put_word(3, BASE + MIDDLE + CALLED);
    put_word(10, slot(20));
    put_word(11, BASE + OUTER + CALLED);
    (void)walk_from(INNER + RETURN_AT - 1, 2, slot(2));
    assert_frame(1, MIDDLE + CALLED, 4, UM_UNWIND_EPILOG);
    assert_frame(2, OUTER + CALLED, 12, UM_UNWIND_POINTER);
    (void)walk_from(INNER + RETURN_AT, 3, slot(10));
    assert_frame(1, MIDDLE + CALLED, 4, UM_UNWIND_EPILOG);
    PUT(INNER + RETURN_AT, 0xc2, 8, 0);
    (void)walk_from(INNER + RETURN_AT, 3, slot(10));
    assert_frame(1, MIDDLE + CALLED, 4, UM_UNWIND_EPILOG);
}

Test(unwind_x86, a_function_without_a_frame_is_found_by_the_call_of_it)
{
    put_three(false, true, true);
    put_word(8, BASE + MIDDLE + CALLED);
    put_word(12, slot(20));
    put_word(13, BASE + OUTER + CALLED);
    (void)walk_from(INNER + BODY, 2, slot(12));
    cr_assert_eq(count, 3);
    assert_frame(1, MIDDLE + CALLED, 9, UM_UNWIND_SEARCHED);
    assert_frame(2, OUTER + CALLED, 14, UM_UNWIND_POINTER);
}

Test(unwind_x86, what_an_earlier_call_left_over_is_no_caller)
{
    put_three(false, false, true);
    put_function(0x1300, true, OUTER);
    put_word(4, BASE + 0x1300 + CALLED); /* it has called OUTER, and not INNER */
    put_word(8, BASE + MIDDLE + CALLED);
    put_word(12, BASE + OUTER + CALLED);
    (void)walk_from(INNER + BODY, 2, 0x1234);
    cr_assert_eq(count, 3);
    assert_frame(1, MIDDLE + CALLED, 9, UM_UNWIND_SEARCHED);
    assert_frame(2, OUTER + CALLED, 13, UM_UNWIND_SEARCHED);
}

Test(unwind_x86, a_caller_whose_call_says_nothing_is_a_guess)
{
    put_three(false, false, true);
    put_call(MIDDLE + CALLED, 0);
    put_word(8, BASE + MIDDLE + CALLED);
    put_word(12, BASE + OUTER + CALLED);
    (void)walk_from(INNER + BODY, 2, 0x1234);
    cr_assert_eq(count, 3);
    assert_frame(1, MIDDLE + CALLED, 9, UM_UNWIND_SEARCHED | UM_UNWIND_GUESSED);
    assert_frame(2, OUTER + CALLED, 13, UM_UNWIND_SEARCHED);
}

Test(unwind_x86, a_call_of_the_function_before_proves_nothing)
{
    put_three(false, false, true);
    put_function(INNER + 0x40, false, 0); /* behind INNER's return */
    put_word(8, BASE + MIDDLE + CALLED);
    (void)walk_from(INNER + 0x40 + BODY, 2, 0x1234);
    assert_frame(1, MIDDLE + CALLED, 9, UM_UNWIND_SEARCHED | UM_UNWIND_GUESSED);
}

Test(unwind_x86, a_proof_nearby_goes_before_a_guess)
{
    put_three(false, false, true);
    put_function(0x1300, false, 0);
    put_word(4, BASE + 0x1300 + CALLED); /* it may have called anything */
    put_word(8, BASE + MIDDLE + CALLED);
    (void)walk_from(INNER + BODY, 2, 0x1234);
    assert_frame(1, MIDDLE + CALLED, 9, UM_UNWIND_SEARCHED);
    memset(stack_bytes, 0, sizeof stack_bytes);
    put_word(4, BASE + 0x1300 + CALLED);
    put_word(400, BASE + MIDDLE + CALLED); /* more than 1 KiB further up */
    (void)walk_from(INNER + BODY, 2, 0x1234);
    assert_frame(1, 0x1300 + CALLED, 5, UM_UNWIND_SEARCHED | UM_UNWIND_GUESSED);
}

Test(unwind_x86, near_the_end_of_the_stack_nothing_is_guessed)
{
    put_three(false, false, true);
    put_call(MIDDLE + CALLED, 0);
    put_word(WORDS - 20, BASE + MIDDLE + CALLED);
    cr_expect_eq(walk_from(INNER + BODY, WORDS - 40, 0x1234), UM_UNWIND_START);
    cr_expect_eq(count, 1);
}

/* As a window procedure without a frame pointer, called by a function that has one. */
Test(unwind_x86, the_owner_of_the_frame_is_in_the_stack)
{
    put_three(false, true, true);
    put_call(MIDDLE + CALLED, 0);
    put_word(8, BASE + MIDDLE + CALLED);
    put_word(12, slot(20));
    put_word(13, BASE + OUTER + CALLED);
    (void)walk_from(INNER + BODY, 2, slot(12));
    cr_assert_eq(count, 3);
    assert_frame(1, MIDDLE + CALLED, 9, UM_UNWIND_SEARCHED);
    assert_frame(2, OUTER + CALLED, 14, UM_UNWIND_POINTER);
}

Test(unwind_x86, after_a_search_the_saved_frame_pointer_counts)
{
    put_three(true, true, true);
    put_word(7, slot(12)); /* INNER has pushed ebp, and uses it for something else */
    put_word(8, BASE + MIDDLE + CALLED);
    put_word(12, slot(20));
    put_word(13, BASE + OUTER + CALLED);
    put_word(20, 0);
    put_word(21, 0);
    (void)walk_from(INNER + BODY, 2, 0x1234);
    cr_assert_eq(count, 3);
    assert_frame(1, MIDDLE + CALLED, 9, UM_UNWIND_SEARCHED);
    assert_frame(2, OUTER + CALLED, 14, UM_UNWIND_POINTER);
}

Test(unwind_x86, imported_functions_are_followed)
{
    put_three(false, false, true);
    PUT(0x1400, 0xff, 0x25, 0x40, 0x60, 0x40, 0); /* jmp [0x406040] */
    um_bytes_put32(image + 0x6040, BASE + INNER);
    put_call(MIDDLE + CALLED, 0x1400);
    put_word(8, BASE + MIDDLE + CALLED);
    (void)walk_from(INNER + BODY, 2, 0x1234);
    assert_frame(1, MIDDLE + CALLED, 9, UM_UNWIND_SEARCHED);
    PUT(MIDDLE + CALLED - 6, 0xff, 0x15, 0x40, 0x60, 0x40, 0); /* call [0x406040] */
    (void)walk_from(INNER + BODY, 2, 0x1234);
    assert_frame(1, MIDDLE + CALLED, 9, UM_UNWIND_SEARCHED);
    um_bytes_put32(image + 0x6040, BASE + OUTER);
    (void)walk_from(INNER + BODY, 2, 0x1234);
    assert_frame(1, MIDDLE + CALLED, 9, UM_UNWIND_SEARCHED | UM_UNWIND_GUESSED);
}

Test(unwind_x86, generated_code_has_frame_pointers)
{
    put_three(true, true, true);
    memcpy(generated + 0x20, (const uint8_t[]){0x55, 0x8b, 0xec, 0xff, 0xd0}, 5);
    put_word(4, slot(10));
    put_word(5, GENERATED + 0x25);
    put_word(10, slot(20));
    put_word(11, BASE + OUTER + CALLED);
    put_call(OUTER + CALLED, 0);
    (void)walk_from(INNER + BODY, 2, slot(4));
    cr_assert_eq(count, 3);
    cr_expect_eq(frames[1].pc, GENERATED + 0x25);
    cr_expect_eq(frames[1].module, UM_UNWIND_NO_MODULE);
    cr_expect_eq(frames[1].offset, 0);
    assert_frame(2, OUTER + CALLED, 12, UM_UNWIND_POINTER);
}

Test(unwind_x86, says_why_it_stopped)
{
    put_three(true, true, true);
    put_word(4, slot(10));
    put_word(5, BASE + MIDDLE + CALLED);
    has_end = false;
    cr_expect_eq(walk_from(INNER + BODY, 2, slot(4)), UM_UNWIND_STACK_ENDED);
    cr_expect_eq(count, 2);
    has_end = true;
    cr_expect_eq(walk_from(INNER + BODY, 2, slot(4)), UM_UNWIND_START);
    stack_words = 2;
    cr_expect_eq(walk_from(INNER + BODY, 2, slot(4)), UM_UNWIND_START);
    cr_expect_eq(count, 1);
}

Test(unwind_x86, ends_when_frames_are_full)
{
    put_function(INNER, true, INNER); /* it calls itself */
    for (size_t i = 4; i + 2 < WORDS; i += 4) {
        put_word(i, slot(i + 4));
        put_word(i + 1, BASE + INNER + CALLED);
    }
    cr_expect_eq(walk_from(INNER + BODY, 2, slot(4)), UM_UNWIND_LIMIT);
    cr_expect_eq(count, FRAMES);
}

Test(unwind_x86, goes_through_wines_callbacks)
{
    struct um_unwind_registers caller = {.pc = BASE + OUTER + CALLED};
    put_three(true, true, true);
    /* INNER stands for the dispatcher: unwind data says where its return address lies. */
    size_t len;
    const char *golden = written_golden("eh_frame.bin", &len);
    put_section(1, DATA, (uint32_t)len, 0x40000040);
    memcpy(image + DATA, golden, len);
    um_bytes_put32(image + DATA + FIRST_FUNCTION, INNER - (DATA + FIRST_FUNCTION));
    um_bytes_put32(image + DATA + FIRST_FUNCTION + 4, FUNCTION_BYTES);
    put_word(2, 0xdeadbabe);
    put_word(3, 2);
    put_word(4, slot(7));
    put_word(5, 4);
    put_word(6, 0);
    caller.integer[ESP] = slot(8);
    caller.integer[EBP] = slot(12);
    put_word(12, slot(20));
    put_word(13, BASE + OUTER + CALLED);
    callers = &caller;
    caller_count = 1;
    (void)walk_from(INNER, 2, 0);
    cr_assert_geq(count, 2);
    assert_frame(1, OUTER + CALLED, 8, UM_UNWIND_MACHINE);
    caller_count = 0; /* its record was not read: no more than a search can find it */
    (void)walk_from(INNER, 2, 0);
    cr_assert_eq(count, 2);
    cr_expect_eq(frames[1].flags, UM_UNWIND_SEARCHED | UM_UNWIND_GUESSED);
}

/* A generator ---------------------------------------------------------------------------------- */

#define FUNCTIONS 24
#define FIRST 0x2000U

/* A stack of random calls, the innermost first, with what functions keep in their frames. */
struct truth {
    size_t count;
    uint32_t pcs[FRAMES];
    size_t esp;
    uint32_t ebp;
};

static struct um_random dice;

static uint32_t function_at(size_t number)
{
    return FIRST + (uint32_t)number * FUNCTION_BYTES;
}

/* Words of a frame: small numbers, addresses of the stack, of data and of functions. */
static uint32_t any_word(void)
{
    switch (um_random_below(&dice, 4)) {
    case 0:
        return um_random_below(&dice, 1000);
    case 1:
        return slot(um_random_below(&dice, WORDS));
    case 2:
        return BASE + DATA + um_random_below(&dice, 0x1000);
    default:
        return BASE + function_at(um_random_below(&dice, FUNCTIONS));
    }
}

/* Each function calls the one before it. `frameless`: one in so many has no frame pointer. */
static void make_stack(struct truth *truth, uint32_t frameless)
{
    size_t depth = 2 + um_random_below(&dice, 20);
    bool has_frame[FUNCTIONS];
    uint32_t ebp = 0;
    size_t at = WORDS - 8;
    start();
    for (size_t i = 0; i < FUNCTIONS; i++) {
        has_frame[i] = um_random_below(&dice, frameless) != 0;
        put_function(function_at(i), has_frame[i], i > 0 ? function_at(i - 1) : 0);
    }
    for (size_t i = 0; i < WORDS - 8; i++)
        put_word(i, any_word());
    truth->count = depth;
    for (size_t i = depth; i-- > 0;) { /* the outermost first */
        truth->pcs[i] = function_at(i) + (i == 0 ? BODY : CALLED);
        if (has_frame[i]) {
            put_word(--at, ebp);
            ebp = slot(at);
        }
        at -= 1 + um_random_below(&dice, 8);
        if (i > 0)
            put_word(--at, BASE + truth->pcs[i]);
    }
    truth->esp = at;
    truth->ebp = ebp;
}

static bool is_truth(const struct truth *truth)
{
    if (count != truth->count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (frames[i].pc != BASE + truth->pcs[i])
            return false;
    return true;
}

Test(unwind_x86, finds_all_functions_that_called_each_other_directly)
{
    static const uint32_t frameless[] = {1000, 8, 2, 1};
    struct truth truth;
    dice.state = 1;
    for (size_t i = 0; i < 2000; i++) {
        make_stack(&truth, frameless[i % 4]);
        enum um_unwind_stop stop = walk_from(truth.pcs[0], truth.esp, truth.ebp);
        cr_assert_eq(stop, UM_UNWIND_START, "%zu", i);
        cr_assert(is_truth(&truth), "%zu: %zu frames of %zu", i, count, truth.count);
        for (size_t j = 0; j < count; j++)
            cr_assert_eq(frames[j].flags & UM_UNWIND_GUESSED, 0, "%zu", i);
    }
}

/* Return addresses of earlier calls lie everywhere. Frames are then found that were none, but each
 * is behind a call, and further up than the one before. */
Test(unwind_x86, every_frame_is_behind_a_call)
{
    struct truth truth;
    dice.state = 2;
    for (size_t i = 0; i < 2000; i++) {
        make_stack(&truth, 2);
        for (size_t j = 0; j < 40; j++)
            put_word(um_random_below(&dice, WORDS - 8),
                     BASE + function_at(um_random_below(&dice, FUNCTIONS)) + CALLED);
        (void)walk_from(truth.pcs[0], truth.esp, truth.ebp);
        for (size_t j = 1; j < count; j++) {
            uint32_t rva = (uint32_t)frames[j].pc - BASE;
            cr_assert(rva >= FIRST && (rva - FIRST) % FUNCTION_BYTES == CALLED, "%zu: %x", i, rva);
            cr_assert_gt(frames[j].sp, frames[j - 1].sp);
        }
    }
}
