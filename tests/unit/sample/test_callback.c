/* Wine's records of its system calls, made by hand after the machine code of Debian's Wine 8.0. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/bytes.h"
#include "monitor/sample/callback.h"

#define TEB UINT64_C(0x10000)
#define BYTES 0x4000

/* The thread's memory, from TEB on. */
static uint8_t memory[BYTES];
static uint64_t readable = TEB + BYTES;

static bool read_memory(void *context, uint64_t address, void *bytes, size_t len)
{
    cr_assert_eq(context, &readable);
    if (address < TEB || address > readable || len > readable - address)
        return false;
    memcpy(bytes, memory + (address - TEB), len);
    return true;
}

static void put(uint64_t address, uint64_t value)
{
    um_bytes_put64(memory + (address - TEB), value);
}

/* A record whose words say where in it they are. */
static void put_record(uint64_t address, uint64_t before, uint64_t base)
{
    for (uint64_t at = 0; at < 0xa0; at += 8)
        put(address + at, base + at);
    put(address + 0xa0, before);
}

static size_t read_callers(struct um_unwind_registers callers[UM_CALLBACK_MOST])
{
    return um_callback_callers(read_memory, &readable, TEB, callers);
}

TestSuite(callback);

Test(callback, callers_are_those_behind_the_last_record)
{
    struct um_unwind_registers callers[UM_CALLBACK_MOST];
    put(TEB + 0x328, TEB + 0x1000);
    put_record(TEB + 0x1000, TEB + 0x2000, 0x1000000);
    put_record(TEB + 0x2000, TEB + 0x3000, 0x2000000);
    put_record(TEB + 0x3000, 0, 0x3000000);
    cr_assert_eq(read_callers(callers), 2);
    const struct um_unwind_registers expected = {
        .pc = 0x2000070,
        .integer = {0, 0, 0, 0x2000008, 0x2000088, 0x2000098, 0x2000020, 0x2000028, 0, 0, 0, 0,
                    0x2000050, 0x2000058, 0x2000060, 0x2000068}};
    cr_assert_arr_eq(&callers[0], &expected, sizeof expected);
    cr_assert_eq(callers[1].pc, 0x3000070);
}

Test(callback, reads_no_more_than_there_is)
{
    struct um_unwind_registers callers[UM_CALLBACK_MOST];
    cr_assert_eq(read_callers(callers), 0);
    put(TEB + 0x328, 8);
    cr_assert_eq(read_callers(callers), 0);
    put(TEB + 0x328, TEB + 0x1000);
    put_record(TEB + 0x1000, TEB + 0x2000, 1);
    put_record(TEB + 0x2000, TEB + 0x2000, 2);
    cr_assert_eq(read_callers(callers), UM_CALLBACK_MOST);
    readable = TEB + 0x2000 + 0xa7;
    cr_assert_eq(read_callers(callers), 0);
    readable = TEB;
    cr_assert_eq(read_callers(callers), 0);
}

Test(callback, is_found_anywhere_on_a_stack)
{
    uint8_t bytes[256] = {0};
    const struct um_unwind_stack stack = {0x8000, bytes, sizeof bytes};
    const struct um_unwind_stack shorter = {0x8000, bytes, 0x47};
    const struct um_unwind_stack none = {0x8000, bytes, 0};
    uint64_t end;
    cr_expect_not(um_callback_is_in(&stack));
    um_bytes_put64(bytes + 0x20, UM_CALLBACK_RETURN);
    um_bytes_put64(bytes + 0x30, 0x8048);
    um_bytes_put64(bytes + 0x38, 100);
    cr_expect(um_callback_is_in(&stack));
    cr_expect(um_callback_is_at(&stack, 0x8020, &end));
    cr_expect_eq(end, 0x8048 + 100);
    cr_expect_not(um_callback_is_at(&stack, 0x8028, &end));
    cr_expect_not(um_callback_is_at(&stack, 0x7000, &end));
    cr_expect_not(um_callback_is_in(&shorter));
    cr_expect_not(um_callback_is_in(&none));
}

/* Programs of 32 bits -------------------------------------------------------------------------- */

static void put_record_x86(uint64_t address, uint64_t before, uint32_t base)
{
    for (uint32_t at = 0; at < 0x3c; at += 4)
        um_bytes_put32(memory + (address - TEB) + at, base + at);
    um_bytes_put32(memory + (address - TEB) + 0x3c, (uint32_t)before);
}

Test(callback, callers_of_32_bits_have_records_of_their_own)
{
    struct um_unwind_registers callers[UM_CALLBACK_MOST];
    cr_assert_eq(um_callback_callers_x86(read_memory, &readable, TEB, callers), 0);
    um_bytes_put32(memory + 0x1f8, TEB + 0x1000);
    put_record_x86(TEB + 0x1000, TEB + 0x2000, 0x1000000);
    put_record_x86(TEB + 0x2000, TEB + 0x3000, 0x2000000);
    put_record_x86(TEB + 0x3000, 0, 0x3000000);
    cr_assert_eq(um_callback_callers_x86(read_memory, &readable, TEB, callers), 2);
    const struct um_unwind_registers expected = {
        .pc = 0x2000008,
        .integer = {0, 0, 0, 0x2000020, 0x200000c, 0x2000034, 0x2000030, 0x200002c}};
    cr_assert_arr_eq(&callers[0], &expected, sizeof expected);
    cr_assert_eq(callers[1].pc, 0x3000008);
    put_record_x86(TEB + 0x2000, TEB + 0x2000, 2);
    cr_assert_eq(um_callback_callers_x86(read_memory, &readable, TEB, callers), UM_CALLBACK_MOST);
}

Test(callback, of_32_bits_is_found_anywhere_on_a_stack)
{
    uint8_t bytes[128] = {0};
    const struct um_unwind_stack stack = {0x8000, bytes, sizeof bytes};
    const struct um_unwind_stack shorter = {0x8000, bytes, 0x23};
    uint64_t end;
    cr_expect_not(um_callback_is_in_x86(&stack));
    um_bytes_put32(bytes + 0x10, UM_CALLBACK_RETURN);
    um_bytes_put32(bytes + 0x18, 0x8024);
    um_bytes_put32(bytes + 0x1c, 100);
    cr_expect(um_callback_is_in_x86(&stack));
    cr_expect(um_callback_is_at_x86(&stack, 0x8010, &end));
    cr_expect_eq(end, 0x8024 + 100);
    cr_expect_not(um_callback_is_at_x86(&stack, 0x8014, &end));
    cr_expect_not(um_callback_is_in_x86(&shorter));
    um_bytes_put32(bytes + 0x20, 1);
    cr_expect_not(um_callback_is_in_x86(&stack));
}
