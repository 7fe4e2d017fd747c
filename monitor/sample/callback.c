#include "monitor/sample/callback.h"

#include "base/plain/bytes.h"

/* The words from the return address on. */
#define ARGS_AT 0x10 /* the address of the arguments */
#define LEN_AT 0x18  /* their length, 32 bits */
#define ZERO_AT UM_CALLBACK_LAST_WORD
#define ARGS (UM_CALLBACK_LAST_WORD + 8)

/* A thread's environment block, and a record of a system call. */
#define RECORD_AT 0x328
#define RIP_AT 0x70
#define RSP_AT 0x88
#define RBP_AT 0x98
#define BEFORE_AT 0xa0 /* the record before it; 0: there is none */
#define RECORD_BYTES 0xa8

#define STACK_ALIGNMENT 16

/* False: it is not in the copy. */
static bool word_at(const struct um_unwind_stack *stack, uint64_t address, uint64_t *value)
{
    uint64_t at = address - stack->address;
    if (address < stack->address || stack->len < sizeof *value || at > stack->len - sizeof *value)
        return false;
    *value = um_bytes_get64(stack->bytes + at);
    return true;
}

bool um_callback_is_at(const struct um_unwind_stack *stack, uint64_t address, uint64_t *args_end)
{
    uint64_t back, args, len, zero;
    if (!word_at(stack, address, &back) || back != UM_CALLBACK_RETURN ||
        !word_at(stack, address + ARGS_AT, &args) || args != address + ARGS ||
        !word_at(stack, address + LEN_AT, &len) || len > UINT32_MAX ||
        !word_at(stack, address + ZERO_AT, &zero) || zero != 0)
        return false;
    *args_end = args + len;
    return true;
}

bool um_callback_is_in(const struct um_unwind_stack *stack)
{
    uint64_t end;
    for (size_t at = 0; at + sizeof(uint64_t) <= stack->len; at += sizeof(uint64_t))
        if (um_callback_is_at(stack, stack->address + at, &end))
            return true;
    return false;
}

/* Wine aligns the arguments downwards, so less than 16 bytes lie between. */
const struct um_unwind_registers *um_callback_caller(const struct um_unwind_registers *callers,
                                                     size_t count, uint64_t args_end)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t rsp = callers[i].integer[UM_UNWIND_RSP];
        if (rsp >= args_end && rsp - args_end < STACK_ALIGNMENT)
            return &callers[i];
    }
    return NULL;
}

/* Takes the registers of the system call's caller. Wine records only those that a call must not
 * change. */
static void take_registers(const uint8_t *record, struct um_unwind_registers *registers)
{
    static const struct {
        uint8_t number, at;
    } kept[] = {{3, 0x08},   {UM_UNWIND_RSP, RSP_AT},
                {5, RBP_AT}, {6, 0x20},
                {7, 0x28},   {12, 0x50},
                {13, 0x58},  {14, 0x60},
                {15, 0x68}};
    *registers = (struct um_unwind_registers){.pc = um_bytes_get64(record + RIP_AT)};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        registers->integer[kept[i].number] = um_bytes_get64(record + kept[i].at);
}

/* Programs of 32 bits -------------------------------------------------------------------------- */

/* The words from the return address on. */
#define ARGS_AT_X86 0x08
#define LEN_AT_X86 0x0c
#define ZERO_AT_X86 0x10
#define ARGS_X86 0x14

/* A record of a system call, and where the thread's environment block has its address. */
#define RECORD_AT_X86 0x1f8
#define EIP_AT_X86 0x08
#define BEFORE_AT_X86 0x3c
#define RECORD_BYTES_X86 0x40

static bool narrow_at(const struct um_unwind_stack *stack, uint64_t address, uint32_t *value)
{
    uint64_t at = address - stack->address;
    if (address < stack->address || stack->len < sizeof *value || at > stack->len - sizeof *value)
        return false;
    *value = um_bytes_get32(stack->bytes + at);
    return true;
}

bool um_callback_is_at_x86(const struct um_unwind_stack *stack, uint64_t address,
                           uint64_t *args_end)
{
    uint32_t back, args, len, zero;
    if (!narrow_at(stack, address, &back) || back != UM_CALLBACK_RETURN ||
        !narrow_at(stack, address + ARGS_AT_X86, &args) || args != address + ARGS_X86 ||
        !narrow_at(stack, address + LEN_AT_X86, &len) ||
        !narrow_at(stack, address + ZERO_AT_X86, &zero) || zero != 0)
        return false;
    *args_end = (uint64_t)args + len;
    return true;
}

bool um_callback_is_in_x86(const struct um_unwind_stack *stack)
{
    uint64_t end;
    for (size_t at = 0; at + sizeof(uint32_t) <= stack->len; at += sizeof(uint32_t))
        if (um_callback_is_at_x86(stack, stack->address + at, &end))
            return true;
    return false;
}

static void take_registers_x86(const uint8_t *record, struct um_unwind_registers *registers)
{
    static const struct {
        uint8_t number, at;
    } kept[] = {{3, 0x20}, {UM_UNWIND_RSP, 0x0c}, {5, 0x34}, {6, 0x30}, {7, 0x2c}};
    *registers = (struct um_unwind_registers){.pc = um_bytes_get32(record + EIP_AT_X86)};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        registers->integer[kept[i].number] = um_bytes_get32(record + kept[i].at);
}

/* The records of system calls ------------------------------------------------------------------ */

/* Where a thread's environment block has the address of the last record, and how one lies. */
struct records {
    uint32_t last_at, before_at, bytes;
    size_t word_bytes;
    void (*take)(const uint8_t *record, struct um_unwind_registers *registers);
};

static uint64_t word_of(const struct records *records, const uint8_t *bytes)
{
    return records->word_bytes == 8 ? um_bytes_get64(bytes) : um_bytes_get32(bytes);
}

/* Skips the last record: it is of a system call within the callback, or not written yet. */
static size_t read_records(const struct records *records, um_callback_read read, void *context,
                           uint64_t teb, struct um_unwind_registers callers[UM_CALLBACK_MOST])
{
    uint8_t word[8];
    uint8_t record[RECORD_BYTES];
    size_t count = 0;
    if (!read(context, teb + records->last_at, word, records->word_bytes))
        return 0;
    uint64_t at = word_of(records, word);
    if (at == 0 || !read(context, at + records->before_at, word, records->word_bytes))
        return 0;
    at = word_of(records, word);
    while (at != 0 && count < UM_CALLBACK_MOST && read(context, at, record, records->bytes)) {
        records->take(record, &callers[count++]);
        at = word_of(records, record + records->before_at);
    }
    return count;
}

size_t um_callback_callers(um_callback_read read, void *context, uint64_t teb,
                           struct um_unwind_registers callers[UM_CALLBACK_MOST])
{
    static const struct records records = {RECORD_AT, BEFORE_AT, RECORD_BYTES, 8, take_registers};
    return read_records(&records, read, context, teb, callers);
}

size_t um_callback_callers_x86(um_callback_read read, void *context, uint64_t teb,
                               struct um_unwind_registers callers[UM_CALLBACK_MOST])
{
    static const struct records records = {RECORD_AT_X86, BEFORE_AT_X86, RECORD_BYTES_X86, 4,
                                           take_registers_x86};
    return read_records(&records, read, context, teb, callers);
}
