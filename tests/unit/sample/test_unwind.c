/* Unwind data and code made by hand, from the tables in "x64 exception handling" (Microsoft Learn):
 * each test says where a function has its return address, and the unwinder must find it there. */
#include <string.h>

#include <criterion/criterion.h>

#include "tests/unit/sample/fake_code.h"

#define RBX 3
#define RBP 5
#define RSI 6
#define R12 12
#define R15 15

/* The function under test has unwind data with up to 0x30 bytes of prologue; its caller has none of
 * its own on the stack, and is the thread's start. */
#define BEGIN 0x1000
#define BODY 0x1040
#define END 0x1080
#define CALLER 0x1200

#define INFO(version, flags, prolog, count, frame)                                                 \
    (version) | (flags) << 3, (prolog), (count), (frame)
#define CODE(offset, op, operand) (offset), (op) | (operand) << 4
#define U16(value) (value) & 0xff, (value) >> 8
#define U32(value)                                                                                 \
    (value) & 0xff, (value) >> 8 & 0xff, (value) >> 16 & 0xff, (uint32_t)(value) >> 24

static struct fake_code fake;

static void start_with(const uint8_t *unwind, size_t len)
{
    static const uint8_t none[] = {INFO(1, 0, 0, 0, 0)};
    fake_init(&fake);
    fake_function(&fake, BEGIN, END, unwind, len);
    fake_function(&fake, CALLER - 0x20, CALLER + 0x20, none, sizeof none);
}

/* The function's return address is the word at `index`. */
static void put_return(size_t index)
{
    fake_word(&fake, index, FAKE_BASE + CALLER);
}

static void assert_walk(uint32_t rva, size_t most, enum um_unwind_stop expected, size_t frames)
{
    enum um_unwind_stop stop = fake_walk(&fake, rva, most);
    cr_assert_eq(stop, expected, "at %x: %s", rva, um_unwind_stop_text(stop));
    cr_assert_eq(fake.walk.frame_count, frames);
}

static void assert_returns(uint32_t rva, size_t index, uint32_t flags)
{
    assert_walk(rva, 16, UM_UNWIND_START, 2);
    cr_assert_eq(fake.frames[1].pc, FAKE_BASE + CALLER);
    cr_assert_eq(fake.frames[1].sp, FAKE_STACK + (index + 1) * 8);
    cr_assert_eq(fake.frames[1].flags, flags);
}

/* The same of a function that the table has. */
static void assert_returns_from(uint32_t rva, size_t index)
{
    put_return(index);
    assert_returns(rva, index, UM_UNWIND_TABLE);
}

static void assert_stops(uint32_t rva, enum um_unwind_stop expected)
{
    assert_walk(rva, 16, expected, 1);
}

static uint64_t caller_register(int number)
{
    return fake.walk.registers.integer[number];
}

#define START_WITH(...)                                                                            \
    do {                                                                                           \
        const uint8_t unwind[] = {__VA_ARGS__};                                                    \
        start_with(unwind, sizeof unwind);                                                         \
    } while (0)

Test(unwind, a_function_without_codes_has_its_return_address_on_top)
{
    START_WITH(INFO(1, 0, 0, 0, 0));
    assert_returns_from(BODY, 0);
    cr_assert_eq(fake.frames[0].pc, FAKE_BASE + BODY);
    cr_assert_eq(fake.frames[0].flags, UM_UNWIND_FIRST);
    cr_assert_eq(fake.frames[0].module, 3);
    cr_assert_eq(fake.frames[0].offset, BODY);
    cr_assert_eq(fake.frames[1].module, 3);
    cr_assert_eq(fake.frames[1].offset, CALLER);
}

Test(unwind, push_nonvol_restores_the_register)
{
    START_WITH(INFO(1, 0, 3, 2, 0), CODE(3, 0, R12), CODE(1, 0, RBX));
    fake_word(&fake, 0, 0xccc);
    fake_word(&fake, 1, 0xbbb);
    assert_returns_from(BODY, 2);
    cr_assert_eq(caller_register(R12), 0xccc);
    cr_assert_eq(caller_register(RBX), 0xbbb);
}

Test(unwind, codes_without_a_register_move_the_stack_pointer_alone)
{
    static const struct {
        const char *name;
        uint8_t unwind[20];
        size_t words;
    } rows[] = {
        {"a small allocation of 8 bytes", {INFO(1, 0, 4, 1, 0), CODE(4, 2, 0)}, 1},
        {"one of 128 bytes", {INFO(1, 0, 4, 1, 0), CODE(4, 2, 15)}, 16},
        {"a large one in words", {INFO(1, 0, 7, 2, 0), CODE(7, 1, 0), U16(40)}, 40},
        {"a large one in bytes", {INFO(1, 0, 7, 3, 0), CODE(7, 1, 1), U32(40 * 8)}, 40},
        {"vector registers are skipped",
         {INFO(1, 0, 20, 6, 0), CODE(20, 8, 6), U16(1), CODE(14, 9, 7), U32(32), CODE(4, 2, 7)},
         8},
        {"spare codes are skipped",
         {INFO(1, 0, 8, 4, 0), CODE(8, 7, 0), U32(0x7fffffff), CODE(4, 2, 7)},
         8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_log_info("%s", rows[i].name);
        start_with(rows[i].unwind, sizeof rows[i].unwind);
        assert_returns_from(BODY, rows[i].words);
    }
    START_WITH(INFO(1, 0, 7, 3, 0), CODE(7, 1, 1), U32(0x12340000));
    assert_stops(BODY, UM_UNWIND_STACK_ENDED);
}

Test(unwind, set_fpreg_takes_the_stack_from_the_frame_register)
{
    START_WITH(INFO(1, 0, 9, 2, RBP | 2 << 4), CODE(9, 3, 0), CODE(5, 2, 3));
    fake.registers.integer[RBP] =
        FAKE_STACK + 20 * 8 + 32; /* rsp was 20 words up when it was set */
    assert_returns_from(BODY, 24);
}

Test(unwind, save_nonvol_is_relative_to_the_stack_pointer)
{
    START_WITH(INFO(1, 0, 9, 3, 0), CODE(9, 4, RSI), U16(3), CODE(4, 2, 5));
    fake_word(&fake, 3, 0x515151);
    assert_returns_from(BODY, 6);
    cr_assert_eq(caller_register(RSI), 0x515151);
}

Test(unwind, save_nonvol_is_relative_to_the_frame_register_if_there_is_one)
{
    START_WITH(INFO(1, 0, 12, 4, RBP | 1 << 4), CODE(12, 4, RSI), U16(3), CODE(8, 3, 0),
               CODE(4, 2, 5));
    fake.registers.integer[RBP] = FAKE_STACK + 10 * 8 + 16;
    fake_word(&fake, 3, 0xbad);
    fake_word(&fake, 13, 0x515151);
    assert_returns_from(BODY, 16);
    cr_assert_eq(caller_register(RSI), 0x515151);
}

Test(unwind, save_nonvol_far_counts_bytes_in_32_bits)
{
    START_WITH(INFO(1, 0, 9, 4, 0), CODE(9, 5, R15), U32(3 * 8), CODE(4, 2, 5));
    fake_word(&fake, 3, 0xf00f);
    assert_returns_from(BODY, 6);
    cr_assert_eq(caller_register(R15), 0xf00f);
}

Test(unwind, a_machine_frame_says_where_the_thread_was)
{
    for (uint8_t error_code = 0; error_code < 2; error_code++) {
        START_WITH(INFO(1, 0, 4, 2, 0), CODE(4, 2, 1), CODE(0, 10, error_code));
        put_return(2 + error_code);
        fake_word(&fake, 5 + error_code, FAKE_STACK + 20 * 8); /* rsp, behind rip, cs and flags */
        assert_returns(BODY, 19, UM_UNWIND_MACHINE);
    }
}

Test(unwind, what_a_machine_frame_interrupted_may_be_a_leaf)
{
    START_WITH(INFO(1, 0, 0, 1, 0), CODE(0, 10, 0));
    fake_word(&fake, 0, FAKE_BASE + 0x3000); /* in no function */
    fake_word(&fake, 3, FAKE_STACK + 20 * 8);
    put_return(20);
    assert_walk(BODY, 16, UM_UNWIND_START, 3);
    cr_assert_eq(fake.frames[1].flags, UM_UNWIND_MACHINE);
    cr_assert_eq(fake.frames[2].flags, UM_UNWIND_LEAF);
    cr_assert_eq(fake.frames[2].pc, FAKE_BASE + CALLER);
    cr_assert_eq(fake.frames[2].sp, FAKE_STACK + 21 * 8);
}

/* Prologues ------------------------------------------------------------------------------------ */

Test(unwind, in_a_prologue_only_what_was_executed_is_undone)
{
    /* push rbx (1 byte), push r12 (2), sub rsp, 16 (4) */
    START_WITH(INFO(1, 0, 7, 3, 0), CODE(7, 2, 1), CODE(3, 0, R12), CODE(1, 0, RBX));
    for (size_t words = 0; words < 5; words++) {
        static const uint32_t offsets[] = {0, 1, 3, 6, 7};
        static const size_t pushed[] = {0, 1, 2, 2, 4};
        START_WITH(INFO(1, 0, 7, 3, 0), CODE(7, 2, 1), CODE(3, 0, R12), CODE(1, 0, RBX));
        assert_returns_from(BEGIN + offsets[words], pushed[words]);
    }
}

Test(unwind, in_a_prologue_the_frame_register_counts_once_it_is_set)
{
    /* sub rsp, 32 up to 4; lea rbp, [rsp + 16] up to 9; mov [rbp + 8], rsi up to 13 */
    for (uint32_t offset = 4; offset <= 13; offset++) {
        START_WITH(INFO(1, 0, 13, 4, RBP | 1 << 4), CODE(13, 4, RSI), U16(3), CODE(9, 3, 0),
                   CODE(4, 2, 3));
        fake.registers.integer[RBP] = offset < 9 ? 0xbad : FAKE_STACK + 16;
        fake_word(&fake, 3, 0x515151);
        assert_returns_from(BEGIN + offset, 4);
        cr_assert_eq(caller_register(RSI), offset < 13 ? 0 : 0x515151);
    }
}

Test(unwind, behind_the_prologue_the_frame_register_counts_whoever_set_it)
{
    START_WITH(INFO(1, 0, 4, 3, RBP | 1 << 4), CODE(4, 4, RSI), U16(3), CODE(2, 2, 4));
    fake.registers.integer[RBP] = FAKE_STACK + 10 * 8 + 16;
    fake_word(&fake, 3, 0xbad);
    fake_word(&fake, 13, 0x515151);
    assert_returns_from(BODY, 5);
    cr_assert_eq(caller_register(RSI), 0x515151);
}

/* Chained unwind data -------------------------------------------------------------------------- */

#define CHAINED 4

Test(unwind, a_part_of_a_function_goes_on_with_what_it_continues)
{
    static const uint8_t primary[] = {INFO(1, 0, 5, 2, 0), CODE(5, 2, 1), CODE(1, 0, RBX)};
    START_WITH(INFO(1, CHAINED, 6, 3, 0), CODE(6, 4, RSI), U16(1), CODE(0, 2, 0), 0, 0, U32(0x1100),
               U32(0x1140), U32(FAKE_UNWIND + 0x200));
    fake_function(&fake, 0x1100, 0x1140, primary, sizeof primary);
    fake_word(&fake, 1, 0x515151);
    fake_word(&fake, 3, 0xbbb);
    assert_returns_from(BODY, 4);
    cr_assert_eq(caller_register(RSI), 0x515151);
    cr_assert_eq(caller_register(RBX), 0xbbb);
    /* Where this part has saved nothing yet, the other one's prologue is done all the same. */
    assert_returns(BEGIN, 4, UM_UNWIND_TABLE);
    cr_assert_eq(caller_register(RSI), 0);
    cr_assert_eq(caller_register(RBX), 0xbbb);
}

Test(unwind, a_part_of_a_function_has_its_frame_register_from_the_beginning)
{
    static const uint8_t primary[] = {INFO(1, 0, 5, 2, RBP), CODE(5, 3, 0), CODE(4, 2, 1)};
    START_WITH(INFO(1, CHAINED, 9, 2, RBP), CODE(4, 4, RSI), U16(1), U32(0x1100), U32(0x1140),
               U32(FAKE_UNWIND + 0x200));
    fake_function(&fake, 0x1100, 0x1140, primary, sizeof primary);
    fake.registers.integer[RBP] = FAKE_STACK + 10 * 8;
    fake_word(&fake, 1, 0xbad);
    fake_word(&fake, 11, 0x515151);
    assert_returns_from(BEGIN + 4, 12);
    cr_assert_eq(caller_register(RSI), 0x515151);
}

Test(unwind, an_entry_that_stands_for_another_has_all_of_its_prologue_behind_it)
{
    static const uint8_t code[] = {0xc3};
    static const uint8_t other[] = {INFO(1, 0, 5, 2, 0), CODE(5, 2, 1), CODE(1, 0, RBX)};
    for (uint32_t begin = 0x0f00; begin <= 0x1100; begin += 0x200) { /* below it and above it */
        START_WITH(INFO(1, 0, 0, 0, 0));
        fake_function(&fake, begin, begin + 0x40, other, sizeof other);
        fake.stands_for[0] = 2;
        fake_put(&fake, BODY, code, sizeof code); /* an epilogue is only in the function itself */
        fake_put(&fake, begin - 1, code, sizeof code);
        fake_word(&fake, 2, 0xbbb);
        assert_returns_from(BODY, 3);
        cr_assert_eq(caller_register(RBX), 0xbbb);
    }
}

Test(unwind, a_chain_that_never_ends_is_damaged)
{
    START_WITH(INFO(1, CHAINED, 0, 0, 0), U32(BEGIN), U32(END), U32(FAKE_UNWIND));
    put_return(0);
    assert_stops(BODY, UM_UNWIND_DAMAGED);
}

/* Epilogues ------------------------------------------------------------------------------------ */

/* The function of these tests saves rbx and r12 and has 0x28 more bytes: 7 words. */
#define EPILOG_FUNCTION INFO(1, 0, 7, 3, 0), CODE(7, 2, 4), CODE(3, 0, R12), CODE(1, 0, RBX)

/* With `passed` words given up already, at that instruction of the code at BODY. */
static void assert_epilog(const uint8_t *code, size_t len, uint32_t at, size_t passed)
{
    START_WITH(EPILOG_FUNCTION);
    fake_put(&fake, BODY, code, len);
    fake.registers.integer[RBX] = passed > 6 ? 0xbbb : 0xbad;
    fake.registers.integer[R12] = passed > 5 ? 0xccc : 0xbad;
    fake.registers.integer[UM_UNWIND_RSP] = FAKE_STACK + passed * 8;
    fake_word(&fake, 5, 0xccc);
    fake_word(&fake, 6, 0xbbb);
    put_return(7);
    assert_returns(BODY + at, 7, UM_UNWIND_EPILOG);
    cr_assert_eq(caller_register(RBX), 0xbbb);
    cr_assert_eq(caller_register(R12), 0xccc);
}

#define ADD_RSP_28 0x48, 0x83, 0xc4, 0x28
#define ADD_RSP_28_LONG 0x48, 0x81, 0xc4, 0x28, 0, 0, 0
#define POP_R12 0x41, 0x5c
#define POP_RBX 0x5b

Test(unwind, an_epilogue_is_finished_from_each_of_its_instructions)
{
    static const uint8_t code[] = {ADD_RSP_28, POP_R12, POP_RBX, 0xc3};
    assert_epilog(code, sizeof code, 0, 0);
    assert_epilog(code, sizeof code, 4, 5);
    assert_epilog(code, sizeof code, 6, 6);
    assert_epilog(code, sizeof code, 7, 7);
}

Test(unwind, an_epilogue_may_end_in_each_of_these)
{
    static const uint8_t ends[][7] = {{0xc3},
                                      {0xc2, 8, 0},
                                      {0xf3, 0xc3},
                                      {0xf2, 0xc3},
                                      {0xe9, 0xb3, 0x01, 0, 0},       /* to the caller */
                                      {0xeb, 0x7f},                   /* to no function */
                                      {0xe9, 0xb4, 0xff, 0xff, 0xff}, /* to its own start */
                                      {0xff, 0x25, 0, 0, 0, 0},
                                      {0x48, 0xff, 0xe0},
                                      {0x48, 0xff, 0x20},
                                      {0x49, 0xff, 0xe3}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        uint8_t code[] = {ADD_RSP_28, POP_R12, POP_RBX, 0, 0, 0, 0, 0, 0, 0};
        memcpy(code + 7, ends[i], sizeof ends[i]);
        assert_epilog(code, sizeof code, 0, 0);
        assert_epilog(code, sizeof code, 7, 7);
    }
}

Test(unwind, what_only_resembles_an_epilogue_is_none)
{
    static const uint8_t codes[][16] = {
        {ADD_RSP_28, POP_R12, POP_RBX, 0x90, 0xc3},
        {0x48, 0x83, 0xc0, 0x28, POP_R12, POP_RBX, 0xc3}, /* add rax */
        {0x83, 0xc4, 0x28, POP_R12, POP_RBX, 0xc3},       /* add esp */
        {POP_RBX, 0xeb, 0x10},                            /* a jump that stays */
        {POP_RBX, 0xff, 0xe0},                            /* a switch */
        {POP_RBX, 0xf3, 0x90},
        {0x48, 0x8d, 0x65, 0x00, POP_RBX, 0xc3}, /* lea rsp, [rbp] without a frame register */
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        START_WITH(EPILOG_FUNCTION);
        fake_put(&fake, BODY, codes[i], sizeof codes[i]);
        assert_returns_from(BODY, 7);
    }
}

Test(unwind, an_epilogue_may_free_a_large_frame)
{
    static const uint8_t code[] = {ADD_RSP_28_LONG, POP_R12, POP_RBX, 0xc3};
    assert_epilog(code, sizeof code, 0, 0);
}

Test(unwind, an_epilogue_may_use_the_frame_register)
{
    /* lea rsp, [rbp + 8] in a byte and in four; lea rsp, [r15 + 8] */
    static const uint8_t codes[][9] = {{0x48, 0x8d, 0x65, 8, POP_RBX, 0xc3},
                                       {0x48, 0x8d, 0xa5, 8, 0, 0, 0, POP_RBX, 0xc3},
                                       {0x49, 0x8d, 0x67, 8, POP_RBX, 0xc3}};
    static const uint8_t registers[] = {RBP, RBP, R15};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        START_WITH(INFO(1, 0, 8, 3, registers[i] | 1 << 4), CODE(8, 3, 0), CODE(5, 2, 2),
                   CODE(1, 0, RBX));
        fake_put(&fake, BODY, codes[i], sizeof codes[i]);
        fake.registers.integer[registers[i]] = FAKE_STACK + 10 * 8 + 16;
        fake_word(&fake, 13, 0xbbb);
        put_return(14);
        assert_returns(BODY, 14, UM_UNWIND_EPILOG);
        cr_assert_eq(caller_register(RBX), 0xbbb);
    }
}

Test(unwind, an_epilogue_does_not_use_another_register)
{
    static const uint8_t code[] = {0x48, 0x8d, 0x65, 8, POP_RBX, 0xc3}; /* lea rsp, [rbp + 8] */
    START_WITH(INFO(1, 0, 8, 2, R15), CODE(8, 3, 0), CODE(5, 2, 2));
    fake_put(&fake, BODY, code, sizeof code);
    fake.registers.integer[R15] = FAKE_STACK + 10 * 8;
    fake.registers.integer[RBP] = FAKE_STACK;
    assert_returns_from(BODY, 13);
}

Test(unwind, a_number_is_not_taken_for_instructions)
{
    /* lea rsp, [r12 + 0x58], ret: r12 needs a byte more, and 0x58 alone would be a pop. */
    static const uint8_t code[] = {0x49, 0x8d, 0x64, 0x24, 0x58, 0xc3};
    START_WITH(INFO(1, 0, 8, 3, R12), CODE(8, 3, 0), CODE(5, 1, 0), U16(11));
    fake_put(&fake, BODY, code, sizeof code);
    fake.registers.integer[R12] = FAKE_STACK + 2 * 8;
    assert_returns_from(BODY, 13);
}

Test(unwind, a_jump_to_another_part_of_the_function_stays_in_it)
{
    static const uint8_t part[] = {INFO(1, CHAINED, 0, 0, 0), U32(BEGIN), U32(END),
                                   U32(FAKE_UNWIND)};
    static const uint8_t code[] = {0xe9, 0xbb, 0, 0, 0}; /* to 0x1100 */
    START_WITH(EPILOG_FUNCTION);
    fake_function(&fake, 0x1100, 0x1140, part, sizeof part);
    fake_put(&fake, BODY, code, sizeof code);
    assert_returns_from(BODY, 7);
}

Test(unwind, only_where_the_thread_was_is_code_read)
{
    static const uint8_t code[] = {0xc3};
    static const uint8_t middle[] = {INFO(1, 0, 0, 1, 0), CODE(0, 2, 1)};
    START_WITH(INFO(1, 0, 0, 0, 0));
    fake_function(&fake, 0x1100, 0x1140, middle, sizeof middle);
    fake_put(&fake, 0x1120, code, sizeof code);
    fake_word(&fake, 0, FAKE_BASE + 0x1120);
    put_return(3);
    assert_walk(BODY, 16, UM_UNWIND_START, 3);
    cr_assert_eq(fake.frames[2].flags, UM_UNWIND_TABLE);
    cr_assert_eq(fake.frames[2].sp, FAKE_STACK + 4 * 8);
}

/* Version 2: pops of r12 and rbx and a return, 4 bytes, at the places that the codes say. */
#define EPILOG_2_CODES CODE(7, 2, 4), CODE(3, 0, R12), CODE(1, 0, RBX)

static void assert_epilog_2(uint32_t at, size_t passed, bool is_in)
{
    static const uint8_t code[] = {POP_R12, POP_RBX, 0xc3};
    fake_put(&fake, at & ~15U, code, sizeof code);
    fake.registers.integer[UM_UNWIND_RSP] = FAKE_STACK + passed * 8;
    put_return(7);
    assert_returns(at, 7, is_in ? UM_UNWIND_EPILOG : UM_UNWIND_TABLE);
}

Test(unwind, version_2_says_where_the_epilogues_are)
{
    /* One at the end, which is 4 bytes behind 0x1070; one 0x44 bytes before it, at 0x1030. */
    static const uint8_t at_end[] = {INFO(2, 0, 7, 5, 0), CODE(4, 6, 1), CODE(0x44, 6, 0),
                                     EPILOG_2_CODES};
    static const struct {
        uint32_t at;
        size_t passed;
        bool is_in;
    } cases[] = {{0x1070, 5, true},  {0x1072, 6, true}, {0x1073, 7, true},  {0x1030, 5, true},
                 {0x1032, 6, true},  {0x1033, 7, true}, {0x102f, 0, false}, {0x1034, 0, false},
                 {0x1020, 0, false}, {0x1050, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start_with(at_end, sizeof at_end);
        fake.functions[0].rva.end_rva = 0x1074;
        assert_epilog_2(cases[i].at, cases[i].passed, cases[i].is_in);
    }
}

Test(unwind, version_2_has_places_of_12_bits)
{
    static const uint8_t far_off[] = {INFO(2, 0, 7, 5, 0), CODE(4, 6, 0), CODE(0x34, 6, 1),
                                      EPILOG_2_CODES};
    start_with(far_off, sizeof far_off);
    fake.functions[0].rva.end_rva = 0x1040 + 0x134;
    fake.functions[0].rva.begin_rva = 0x1000;
    assert_epilog_2(0x1040, 5, true);
    assert_epilog_2(0x1043, 7, true);
    /* Without the mark there is none at the end. */
    assert_epilog_2(0x1170, 0, false);
}

Test(unwind, version_2_knows_an_epilogue_with_any_end)
{
    static const uint8_t at_end[] = {INFO(2, 0, 7, 5, 0), CODE(4, 6, 1), CODE(0, 6, 0),
                                     EPILOG_2_CODES};
    static const uint8_t code[] = {POP_RBX, 0xff, 0xe0}; /* jmp rax */
    start_with(at_end, sizeof at_end);
    fake_put(&fake, END - 3, code, sizeof code);
    fake.registers.integer[UM_UNWIND_RSP] = FAKE_STACK + 6 * 8;
    put_return(7);
    assert_returns(END - 3, 7, UM_UNWIND_EPILOG);
}

/* Leaves --------------------------------------------------------------------------------------- */

Test(unwind, code_without_an_entry_is_a_leaf_where_the_thread_was)
{
    START_WITH(INFO(1, 0, 0, 0, 0));
    put_return(0);
    assert_returns(0x3000, 0, UM_UNWIND_LEAF);
}

Test(unwind, code_without_an_entry_has_no_callees)
{
    START_WITH(INFO(1, 0, 0, 0, 0));
    fake_word(&fake, 0, FAKE_BASE + 0x3000);
    put_return(1);
    assert_walk(BODY, 16, UM_UNWIND_NO_DATA, 2);
    cr_assert_eq(fake.frames[1].pc, FAKE_BASE + 0x3000);
    cr_assert_eq(fake.frames[1].module, 3);
    cr_assert_eq(fake.frames[1].offset, 0x3000);
}

Test(unwind, what_is_on_top_of_the_stack_must_be_code_to_be_a_leafs_caller)
{
    START_WITH(INFO(1, 0, 0, 0, 0));
    fake_word(&fake, 0, FAKE_BASE - 1);
    assert_stops(0x3000, UM_UNWIND_NO_DATA);
}

Test(unwind, the_system_may_call_back_out_of_a_system_call)
{
    static const uint8_t calls[][2] = {{0x0f, 0x05}, {0xcd, 0x2e}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        START_WITH(INFO(1, 0, 0, 0, 0));
        fake_put(&fake, 0x3000, calls[i], sizeof calls[i]);
        fake_word(&fake, 0, FAKE_BASE + 0x3002);
        put_return(1);
        assert_walk(BODY, 16, UM_UNWIND_START, 3);
        cr_assert_eq(fake.frames[2].pc, FAKE_BASE + CALLER);
        cr_assert_eq(fake.frames[2].flags, UM_UNWIND_LEAF);
    }
}

Test(unwind, code_of_no_module_is_not_read_before_its_begin)
{
    START_WITH(INFO(1, 0, 0, 0, 0));
    fake_word(&fake, 0, FAKE_BASE + 1);
    cr_assert_eq(fake_walk(&fake, BODY, 16), UM_UNWIND_NO_DATA);
    fake_word(&fake, 0, FAKE_BASE + FAKE_BYTES);
    cr_assert_eq(fake_walk(&fake, BODY, 16), UM_UNWIND_NO_DATA);
}

Test(unwind, a_leaf_is_no_start_of_a_thread)
{
    START_WITH(INFO(1, 0, 0, 0, 0));
    assert_stops(0x3000, UM_UNWIND_NO_DATA);
}

/* Wine's callbacks ----------------------------------------------------------------------------- */

#define CALLBACK_ARGS (FAKE_STACK + 6 * 8)

/* The function was called back by Wine 8, with 24 bytes of arguments. The system call was made with
 * the stack at word 10, where the return address of its function lies, which has no unwind data. */
static void put_callback(void)
{
    START_WITH(INFO(1, 0, 0, 0, 0));
    fake_word(&fake, 1, 0xdeadbabe);
    fake_word(&fake, 2, 2);
    fake_word(&fake, 3, CALLBACK_ARGS);
    fake_word(&fake, 4, 24);
    put_return(10);
    fake.registers.integer[UM_UNWIND_RSP] = FAKE_STACK + 8;
}

static enum um_unwind_stop walk_with(uint64_t caller_rsp)
{
    const struct um_unwind_registers callers[] = {
        {.pc = FAKE_BASE + 0x3000, .integer = {[UM_UNWIND_RSP] = FAKE_STACK, [RBX] = 1}},
        {.pc = FAKE_BASE + 0x3000, .integer = {[UM_UNWIND_RSP] = caller_rsp, [RBX] = 2}},
    };
    struct um_unwind_code code = fake_source(&fake);
    fake_walk(&fake, BODY, 16);
    um_unwind_callers(&fake.walk, callers, 2);
    return um_unwind_run(&fake.walk, &code);
}

Test(unwind, goes_from_a_callback_to_where_the_system_call_was_made)
{
    put_callback();
    cr_assert_eq(walk_with(FAKE_STACK + 10 * 8), UM_UNWIND_START);
    cr_assert_eq(fake.walk.frame_count, 3);
    cr_assert_eq(fake.frames[1].pc, FAKE_BASE + 0x3000);
    cr_assert_eq(fake.frames[1].sp, FAKE_STACK + 10 * 8);
    cr_assert_eq(fake.frames[1].flags, UM_UNWIND_MACHINE);
    cr_assert_eq(fake.frames[2].pc, FAKE_BASE + CALLER);
    cr_assert_eq(fake.frames[2].flags, UM_UNWIND_LEAF);
    cr_assert_eq(caller_register(RBX), 2);
    put_callback();
    put_return(9);
    cr_assert_eq(walk_with(FAKE_STACK + 9 * 8), UM_UNWIND_START);
}

Test(unwind, stops_at_a_callback_of_which_nothing_more_is_known)
{
    put_callback();
    assert_stops(BODY, UM_UNWIND_CALLBACK);
    cr_assert_eq(walk_with(FAKE_STACK + 8 * 8), UM_UNWIND_CALLBACK);
    cr_assert_eq(walk_with(FAKE_STACK + 11 * 8), UM_UNWIND_CALLBACK);
    cr_assert_eq(fake.walk.frame_count, 1);
}

Test(unwind, a_leaf_may_be_called_back)
{
    put_callback();
    assert_stops(0x3000, UM_UNWIND_CALLBACK);
}

Test(unwind, a_callback_whose_words_are_not_all_copied_ends_the_stack)
{
    put_callback();
    fake.registers.integer[UM_UNWIND_RSP] = FAKE_STACK + (FAKE_WORDS - 4) * 8;
    fake_word(&fake, FAKE_WORDS - 4, 0xdeadbabe);
    assert_stops(BODY, UM_UNWIND_STACK_ENDED);
}

Test(unwind, a_return_address_that_looks_like_a_callbacks_is_a_frame)
{
    for (size_t word = 3; word <= 5; word++) {
        put_callback();
        fake_word(&fake, word, UINT64_C(1) << 40);
        assert_walk(BODY, 16, UM_UNWIND_NO_DATA, 2);
        cr_assert_eq(fake.frames[1].pc, 0xdeadbabe);
    }
}

/* Where it ends -------------------------------------------------------------------------------- */

Test(unwind, stops_at_the_limit_and_not_before)
{
    START_WITH(INFO(1, 0, 0, 1, 0), CODE(0, 2, 0));
    for (size_t i = 0; i < 4; i++)
        fake_word(&fake, 1 + 2 * i, FAKE_BASE + BODY);
    assert_walk(BODY, 5, UM_UNWIND_START, 5);
    assert_walk(BODY, 4, UM_UNWIND_LIMIT, 4);
    cr_assert_eq(fake.frames[3].offset, BODY);
}

Test(unwind, stops_where_the_copy_of_the_stack_ends)
{
    START_WITH(INFO(1, 0, 0, 0, 0));
    fake.registers.integer[UM_UNWIND_RSP] = FAKE_STACK + FAKE_WORDS * 8;
    assert_stops(BODY, UM_UNWIND_STACK_ENDED);
    fake.registers.integer[UM_UNWIND_RSP] = FAKE_STACK + FAKE_WORDS * 8 - 4;
    assert_stops(BODY, UM_UNWIND_STACK_ENDED);
    fake.registers.integer[UM_UNWIND_RSP] = UINT64_MAX - 3;
    assert_stops(BODY, UM_UNWIND_STACK_ENDED);
}

Test(unwind, refuses_a_stack_below_its_copy)
{
    START_WITH(INFO(1, 0, 0, 0, 0));
    fake.registers.integer[UM_UNWIND_RSP] = FAKE_STACK - 8;
    assert_stops(BODY, UM_UNWIND_DAMAGED);
}

Test(unwind, refuses_a_stack_pointer_that_is_no_multiple_of_8)
{
    START_WITH(INFO(1, 0, 0, 0, 0));
    fake.registers.integer[UM_UNWIND_RSP] = FAKE_STACK + 4;
    fake_word(&fake, 0, (uint64_t)CALLER << 32);
    fake_word(&fake, 1, FAKE_BASE >> 32);
    assert_stops(BODY, UM_UNWIND_DAMAGED);
}

Test(unwind, stops_where_the_stack_goes_down)
{
    START_WITH(INFO(1, 0, 0, 1, 0), CODE(0, 10, 0));
    put_return(0);
    fake_word(&fake, 3, FAKE_STACK);
    assert_stops(BODY, UM_UNWIND_LOOP);
    START_WITH(INFO(1, 0, 4, 1, RBP), CODE(4, 3, 0));
    fake.registers.integer[UM_UNWIND_RSP] = FAKE_STACK + 8;
    fake.registers.integer[RBP] = FAKE_STACK;
    put_return(0);
    assert_stops(BODY, UM_UNWIND_LOOP);
}

/* Damage --------------------------------------------------------------------------------------- */

Test(unwind, refuses_damaged_unwind_data)
{
    static const uint8_t damaged[][8] = {
        {INFO(0, 0, 0, 0, 0)},                 /* no version */
        {INFO(1, 0, 0, 1, 0), CODE(0, 11, 0)}, /* no such code */
        {INFO(1, 0, 0, 1, 0), CODE(0, 1, 0)},  /* its number is missing */
        {INFO(1, 0, 0, 2, 0), CODE(0, 1, 1), U16(1)} /* half of it is missing */,
        {INFO(1, 0, 0, 2, 0), CODE(0, 1, 2), U16(1)}, /* no such form */
        {INFO(1, 0, 0, 2, 0), CODE(0, 5, 3), U16(1)},
        {INFO(1, 0, 4, 1, RBP | 1 << 4), CODE(4, 3, 0)}, /* rbp is 0 */
    };
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        start_with(damaged[i], sizeof damaged[i]);
        put_return(0);
        assert_stops(BODY, UM_UNWIND_DAMAGED);
    }
}

Test(unwind, stops_at_unwind_data_of_a_later_version)
{
    for (uint8_t version = 3; version <= 7; version++) {
        START_WITH(INFO(version, 0, 0, 0, 0));
        put_return(0);
        assert_stops(BODY, UM_UNWIND_VERSION);
    }
}

Test(unwind, refuses_unwind_data_that_lies_crooked_or_outside)
{
    START_WITH(INFO(1, 0, 0, 0, 0));
    put_return(0);
    fake_put(&fake, FAKE_UNWIND + 2, fake.bytes + FAKE_UNWIND, 4);
    fake.functions[0].rva.unwind_rva += 2;
    assert_stops(BODY, UM_UNWIND_DAMAGED);
    fake.functions[0].rva.unwind_rva = UINT32_MAX - 3;
    assert_stops(BODY, UM_UNWIND_DAMAGED);
    fake.functions[0].rva.unwind_rva = FAKE_BYTES;
    assert_stops(BODY, UM_UNWIND_NO_DATA);
}

Test(unwind, saved_registers_outside_of_the_stack_stop_it)
{
    START_WITH(INFO(1, 0, 9, 3, 0), CODE(9, 5, RSI), U32(0xffffffff));
    put_return(0);
    assert_stops(BODY, UM_UNWIND_STACK_ENDED);
    START_WITH(INFO(1, 0, 9, 3, RBP), CODE(9, 4, RSI), U16(0xffff), CODE(4, 3, 0));
    fake.registers.integer[RBP] = UINT64_MAX - 7;
    assert_stops(BODY, UM_UNWIND_DAMAGED);
}

/* Answers -------------------------------------------------------------------------------------- */

Test(unwind, goes_on_when_a_missing_answer_is_there)
{
    static const uint8_t late[] = {INFO(1, 0, 0, 1, 0), CODE(0, 2, 1)};
    START_WITH(INFO(1, 0, 0, 0, 0));
    struct um_unwind_code code = fake_source(&fake);
    fake_word(&fake, 0, FAKE_BASE + 0x3000);
    put_return(3);
    fake.find_answer = UM_UNWIND_NOT_YET;
    assert_walk(BODY, 16, UM_UNWIND_PENDING, 2);
    cr_assert_eq(um_unwind_run(&fake.walk, &code), UM_UNWIND_PENDING);
    cr_assert_eq(fake.walk.frame_count, 2);

    fake_function(&fake, 0x2f00, 0x3100, late, sizeof late)->module = UM_UNWIND_NO_MODULE;
    fake.read_answer = UM_UNWIND_NOT_YET;
    cr_assert_eq(um_unwind_run(&fake.walk, &code), UM_UNWIND_PENDING);
    cr_assert_eq(fake.walk.frame_count, 2);

    fake.read_answer = UM_UNWIND_FOUND;
    cr_assert_eq(um_unwind_run(&fake.walk, &code), UM_UNWIND_START);
    cr_assert_eq(fake.walk.frame_count, 3);
    cr_assert_eq(fake.frames[1].module, UM_UNWIND_NO_MODULE);
    cr_assert_eq(fake.frames[1].offset, 0);
    cr_assert_eq(fake.frames[2].sp, FAKE_STACK + 4 * 8);
}

Test(unwind, says_what_the_answers_were)
{
    START_WITH(INFO(1, 0, 0, 0, 0));
    fake.find_answer = UM_UNWIND_UNKNOWN;
    assert_stops(0x3000, UM_UNWIND_NO_DATA);
    fake.find_answer = UM_UNWIND_UNREADABLE;
    assert_stops(0x3000, UM_UNWIND_DAMAGED);
    fake.read_answer = UM_UNWIND_UNKNOWN;
    assert_stops(BODY, UM_UNWIND_NO_DATA);
}

Test(unwind, every_reason_has_a_text)
{
    for (int stop = UM_UNWIND_START; stop <= UM_UNWIND_VERSION; stop++)
        cr_assert_str_neq(um_unwind_stop_text((enum um_unwind_stop)stop), "unknown");
    cr_assert_str_eq(um_unwind_stop_text((enum um_unwind_stop)99), "unknown");
}
