#include "monitor/sample/callback.h"

#include "ipc/bytes.h"

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

/* What the registers of the caller of the system call were. Of the others Wine keeps no record, as
 * a call may change them. */
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

/* The last record is of a system call within the callback, or has not been written yet. */
size_t um_callback_callers(um_callback_read read, void *context, uint64_t teb,
                           struct um_unwind_registers callers[UM_CALLBACK_MOST])
{
    uint8_t word[8];
    uint8_t record[RECORD_BYTES];
    size_t count = 0;
    if (!read(context, teb + RECORD_AT, word, sizeof word))
        return 0;
    uint64_t at = um_bytes_get64(word);
    if (at == 0 || !read(context, at + BEFORE_AT, word, sizeof word))
        return 0;
    at = um_bytes_get64(word);
    while (at != 0 && count < UM_CALLBACK_MOST && read(context, at, record, sizeof record)) {
        take_registers(record, &callers[count++]);
        at = um_bytes_get64(record + BEFORE_AT);
    }
    return count;
}
