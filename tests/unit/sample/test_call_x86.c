/* Call instructions, from the Intel manual's tables of ModR/M and SIB: each row has the bytes of
 * one, behind others that are none. */
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/sample/call_x86.h"

#define BEHIND 0x401000U

static struct um_call_x86 call;

/* Whether a call ends with the last of these bytes. What lies before them is no call's begin. */
static bool before(const uint8_t *bytes, size_t len)
{
    uint8_t code[UM_CALL_X86_BYTES];
    memset(code, 0x90, sizeof code);
    memset(&call, 0, sizeof call);
    memcpy(code + sizeof code - len, bytes, len);
    return um_call_x86_before(code, BEHIND, &call);
}

#define BEFORE(...) before((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

Test(call_x86, a_direct_call_has_its_target)
{
    cr_assert(BEFORE(0xe8, 0x10, 0, 0, 0));
    cr_expect(call.is_direct && !call.is_by_word && !call.is_by_register);
    cr_expect_eq(call.target, 0x401010);
    cr_assert(BEFORE(0xe8, 0xf0, 0xff, 0xff, 0xff));
    cr_expect_eq(call.target, 0x400ff0);
}

Test(call_x86, a_call_by_a_word_has_its_address)
{
    cr_assert(BEFORE(0xff, 0x15, 0x78, 0x56, 0x34, 0x12));
    cr_expect(call.is_by_word && !call.is_direct && !call.is_by_register);
    cr_expect_eq(call.word, 0x12345678);
    cr_assert(BEFORE(0x64, 0xff, 0x15, 0xc0, 0, 0, 0));
    cr_expect(call.is_by_register && !call.is_by_word, "its word is the thread's own");
}

Test(call_x86, calls_by_registers_are_known_in_all_forms)
{
    static const struct {
        const char *name;
        uint8_t len, bytes[UM_CALL_X86_BYTES];
    } rows[] = {
        {"eax", 2, {0xff, 0xd0}},
        {"edi", 2, {0xff, 0xd7}},
        {"[eax]", 2, {0xff, 0x10}},
        {"[edi]", 2, {0xff, 0x17}},
        {"[esp]", 3, {0xff, 0x14, 0x24}},
        {"[ebx+esi*4]", 3, {0xff, 0x14, 0xb3}},
        {"[esi*4+0x401000]", 7, {0xff, 0x14, 0xb5, 0, 0x10, 0x40, 0}},
        {"[ebp+8]", 3, {0xff, 0x55, 8}},
        {"[esp+8]", 4, {0xff, 0x54, 0x24, 8}},
        {"[ecx+0x100]", 6, {0xff, 0x91, 0, 1, 0, 0}},
        {"[esp+0x100]", 7, {0xff, 0x94, 0x24, 0, 1, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(before(rows[i].bytes, rows[i].len), "call %s", rows[i].name);
        cr_expect(call.is_by_register, "call %s", rows[i].name);
    }
}

Test(call_x86, other_instructions_are_no_calls)
{
    cr_expect_not(BEFORE(0x90));
    cr_expect_not(BEFORE(0xe9, 0, 0, 0, 0), "jmp");
    cr_expect_not(BEFORE(0xff, 0xe0), "jmp eax");
    cr_expect_not(BEFORE(0xff, 0xf0), "push eax");
    cr_expect_not(BEFORE(0xff, 0x25, 0, 0, 0, 0), "jmp by a word");
    cr_expect_not(BEFORE(0xff, 0x55), "its offset is missing");
    cr_expect_not(BEFORE(0xff, 0x14), "its SIB is missing");
    cr_expect_not(BEFORE(0xe8, 0, 0, 0), "it is a byte short");
}

Test(call_x86, jumps_lead_to_functions)
{
    const uint8_t by_word[] = {0xff, 0x25, 0x78, 0x56, 0x34, 0x12};
    const uint8_t direct[] = {0xe9, 0xfb, 0x0f, 0, 0, 0x90};
    const uint8_t none[] = {0x55, 0x8b, 0xec, 0x90, 0x90, 0x90};
    cr_assert(um_call_x86_jump(by_word, BEHIND, &call));
    cr_expect(call.is_by_word && !call.is_direct);
    cr_expect_eq(call.word, 0x12345678);
    cr_assert(um_call_x86_jump(direct, BEHIND, &call));
    cr_expect(call.is_direct && !call.is_by_word);
    cr_expect_eq(call.target, 0x402000);
    cr_expect_not(um_call_x86_jump(none, BEHIND, &call));
}

Test(call_x86, prologues_with_a_frame_pointer_are_known)
{
    static const struct {
        const char *name;
        bool has_frame;
        uint8_t bytes[UM_CALL_X86_PROLOGUE_BYTES];
    } rows[] = {
        {"Visual C++", true, {0x55, 0x8b, 0xec}},
        {"GCC", true, {0x55, 0x89, 0xe5}},
        {"can be patched", true, {0x8b, 0xff, 0x55, 0x8b, 0xec}},
        {"with a handler", true, {0x6a, 8, 0x68, 1, 2, 3, 4, 0xe8}},
        {"with a large frame", true, {0x68, 8, 0, 1, 0, 0x68, 1, 2, 3, 4, 0xe8}},
        {"pushes ebp alone", false, {0x55, 0x53, 0x56}},
        {"sub esp", false, {0x83, 0xec, 0x10}},
        {"pushes an argument", false, {0x6a, 8, 0x68, 1, 2, 3, 4, 0x50}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(um_call_x86_has_frame(rows[i].bytes), rows[i].has_frame, "%s", rows[i].name);
}
