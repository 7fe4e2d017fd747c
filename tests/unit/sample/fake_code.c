#include "tests/unit/sample/fake_code.h"

#include <string.h>

void fake_init(struct fake_code *fake)
{
    memset(fake, 0, sizeof *fake);
    fake->unwind_rva = FAKE_UNWIND;
    fake->find_answer = UM_UNWIND_NONE;
    fake->registers.integer[UM_UNWIND_RSP] = FAKE_STACK;
}

struct um_unwind_function *fake_function(struct fake_code *fake, uint32_t begin_rva,
                                         uint32_t end_rva, const void *unwind, size_t len)
{
    struct um_unwind_function *function = &fake->functions[fake->function_count++];
    *function = (struct um_unwind_function){
        .base = FAKE_BASE, .module = 3, .rva = {begin_rva, end_rva, fake->unwind_rva}};
    fake_put(fake, fake->unwind_rva, unwind, len);
    fake->unwind_rva += 0x100;
    return function;
}

void fake_put(struct fake_code *fake, uint32_t rva, const void *bytes, size_t len)
{
    memmove(fake->bytes + rva, bytes, len); /* it may come from there */
}

void fake_word(struct fake_code *fake, size_t index, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        fake->stack_bytes[index * 8 + i] = (uint8_t)(value >> (8 * i));
}

static enum um_unwind_answer find(void *context, uint64_t pc, struct um_unwind_function *function)
{
    struct fake_code *fake = context;
    uint32_t rva = (uint32_t)(pc - FAKE_BASE);
    for (size_t i = 0; i < fake->function_count; i++) {
        const struct um_pdata_function *entry = &fake->functions[i].rva;
        if (pc < FAKE_BASE || rva < entry->begin_rva || rva >= entry->end_rva)
            continue;
        *function = fake->functions[fake->stands_for[i] ? fake->stands_for[i] : i];
        return UM_UNWIND_FOUND;
    }
    bool is_in_module = pc >= FAKE_BASE && pc - FAKE_BASE < FAKE_BYTES;
    *function = (struct um_unwind_function){.base = is_in_module ? FAKE_BASE : 0,
                                            .module = is_in_module ? 3 : UM_UNWIND_NO_MODULE};
    return fake->find_answer;
}

static enum um_unwind_answer read_bytes(void *context, const struct um_unwind_function *function,
                                        uint32_t rva, void *bytes, size_t len)
{
    struct fake_code *fake = context;
    fake->reads++;
    if (fake->read_answer != UM_UNWIND_FOUND)
        return fake->read_answer;
    if (function->base != FAKE_BASE || rva > FAKE_BYTES || len > FAKE_BYTES - rva)
        return UM_UNWIND_UNKNOWN;
    memcpy(bytes, fake->bytes + rva, len);
    return UM_UNWIND_FOUND;
}

struct um_unwind_code fake_source(struct fake_code *fake)
{
    return (struct um_unwind_code){.context = fake, .find = find, .read = read_bytes};
}

enum um_unwind_stop fake_walk(struct fake_code *fake, uint32_t rva, size_t cap)
{
    struct um_unwind_code code = fake_source(fake);
    struct um_unwind_stack stack = {FAKE_STACK, fake->stack_bytes, sizeof fake->stack_bytes};
    fake->registers.pc = FAKE_BASE + rva;
    um_unwind_begin(&fake->walk, &fake->registers, &stack, fake->frames, cap);
    return um_unwind_run(&fake->walk, &code);
}
