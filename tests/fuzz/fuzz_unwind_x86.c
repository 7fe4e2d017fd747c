/* Any bytes as a program of 32 bits, registers and a stack: the walk ends, its frames go up the
 * stack, each but the first is behind a call in executable memory or where a system call was made,
 * and nothing is read outside of what was given.
 *
 *   offset 0  u8  bit 0: the headers are made up here, and the rest is behind them
 *                 bit 1: a section of unwind data is among the sections made up
 *                 bit 2: there is generated code, the same bytes
 *                 bit 3: the copy goes to the stack's end
 *                 bit 4: Wine's records lead to a call
 *             1   words of the stack, in fours
 *             2   at most so many frames
 *             3   u16 for each of the 9 registers, and then for each word: see `value_of`
 *                 and then the program's bytes
 */
#include <stdlib.h>
#include <string.h>

#include "base/plain/bytes.h"
#include "monitor/sample/callback.h"
#include "monitor/sample/call_x86.h"
#include "monitor/sample/modules_x86.h"
#include "tests/fuzz/require.h"

#define BASE UINT32_C(0x400000)
#define GENERATED UINT32_C(0x10000000)
#define STACK UINT32_C(0x20000000)
#define HEADERS 0x200
#define PE 0x80
#define OPTIONAL (PE + 24)
#define SECTIONS (OPTIONAL + 224)
#define SECTION_BYTES 40
#define REGISTERS 9
#define FRAMES 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An input, with copies of exactly their size, so that the sanitizer sees what is read outside. */
struct input {
    uint8_t *image;
    size_t image_len;
    uint8_t *stack;
    size_t stack_len;
    bool has_generated;
    bool has_end;
    size_t caller_count;
    struct um_unwind_registers caller;
    struct um_unwind_registers registers;
    size_t frame_cap;
};

/* Two bytes for a value that means something in most cases. */
static uint32_t value_of(const uint8_t *bytes)
{
    uint32_t number = um_bytes_get16(bytes);
    uint32_t low = number & 0x1fff;
    switch (number >> 13) {
    case 0:
        return low == 0x1fff ? UM_CALLBACK_RETURN : low;
    case 1:
        return GENERATED + low;
    case 2:
        return UINT32_MAX - low;
    case 3:
    case 4:
        return STACK + low;
    default:
        return BASE + low;
    }
}

static void put_section(uint8_t *image, unsigned number, uint32_t rva, uint32_t bytes,
                        uint32_t flags)
{
    uint8_t *section = image + SECTIONS + number * SECTION_BYTES;
    um_bytes_put32(section + 8, bytes);
    um_bytes_put32(section + 12, rva);
    um_bytes_put32(section + 36, flags);
}

/* Headers of a program whose first half is code and whose second half may be unwind data. */
static void put_headers(uint8_t *image, size_t len, bool has_data)
{
    uint32_t half = (uint32_t)(len - HEADERS) / 8 * 4;
    memset(image, 0, HEADERS);
    um_bytes_put16(image, 0x5a4d);
    um_bytes_put32(image + 60, PE);
    um_bytes_put32(image + PE, 0x4550);
    um_bytes_put16(image + PE + 4, 0x14c);
    um_bytes_put16(image + PE + 6, has_data ? 2 : 1);
    um_bytes_put16(image + PE + 20, 224);
    um_bytes_put16(image + OPTIONAL, 0x10b);
    um_bytes_put32(image + OPTIONAL + 56, (uint32_t)len);
    put_section(image, 0, HEADERS, has_data ? half : (uint32_t)len - HEADERS, 0x60000020);
    put_section(image, 1, HEADERS + half, (uint32_t)len - HEADERS - half, 0x40000040);
}

/* What um_callback_is_at_x86 wants to see. */
static void put_callback(struct input *input)
{
    if (input->stack_len < 24)
        return;
    um_bytes_put32(input->stack, UM_CALLBACK_RETURN);
    um_bytes_put32(input->stack + 8, STACK + 20);
    um_bytes_put32(input->stack + 12, 0);
    um_bytes_put32(input->stack + 16, 0);
}

static void take_registers(const uint8_t *data, struct um_unwind_registers *registers)
{
    registers->pc = value_of(data);
    for (size_t i = 0; i + 1 < REGISTERS; i++)
        registers->integer[i] = value_of(data + 2 * (i + 1));
}

static void *copy(const uint8_t *bytes, size_t len)
{
    uint8_t *copied = malloc(len > 0 ? len : 1);
    require(copied != NULL);
    if (len > 0)
        memcpy(copied, bytes, len);
    return copied;
}

static bool take_input(const uint8_t *data, size_t size, struct input *input)
{
    const size_t head = 3 + REGISTERS * 2;
    if (size < head)
        return false;
    size_t words = data[1] * (size_t)4;
    words = words < (size - head) / 2 ? words : (size - head) / 2;
    memset(input, 0, sizeof *input);
    input->has_generated = data[0] & 4;
    input->has_end = data[0] & 8;
    input->frame_cap = 1 + data[2] % FRAMES;
    take_registers(data + 3, &input->registers);
    input->registers.integer[UM_UNWIND_RSP] = STACK;
    input->stack_len = words * 4;
    input->stack = malloc(input->stack_len + 1);
    require(input->stack != NULL);
    for (size_t i = 0; i < words; i++)
        um_bytes_put32(input->stack + i * 4, value_of(data + head + i * 2));
    const uint8_t *rest = data + head + words * 2;
    size_t len = size - head - words * 2;
    size_t added = (data[0] & 1) ? HEADERS : 0;
    input->image_len = len + added;
    input->image = malloc(input->image_len + 1);
    require(input->image != NULL);
    memcpy(input->image + added, rest, len);
    if (added > 0)
        put_headers(input->image, input->image_len, data[0] & 2);
    if (data[0] & 16) {
        take_registers(data + 3, &input->caller);
        input->caller.integer[UM_UNWIND_RSP] = STACK + 20;
        input->caller_count = 1;
        put_callback(input);
    }
    return true;
}

static bool read_image(void *context, uint32_t rva, void *bytes, size_t len)
{
    const struct input *input = context;
    if (rva > input->image_len || len > input->image_len - rva)
        return false;
    memcpy(bytes, input->image + rva, len);
    return true;
}

static bool is_generated(void *context, uint32_t address)
{
    const struct input *input = context;
    return input->has_generated && address - GENERATED < input->image_len;
}

static bool read_generated(void *context, uint32_t address, void *bytes, size_t len)
{
    return is_generated(context, address) && read_image(context, address - GENERATED, bytes, len);
}

static void check_frames(const struct um_unwind_x86_code *code,
                         const struct um_unwind_frame *frames, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct um_unwind_x86_place place;
        uint8_t bytes[UM_CALL_X86_BYTES];
        struct um_call_x86 call;
        uint32_t pc = (uint32_t)frames[i].pc;
        require(frames[i].sp > frames[i - 1].sp && frames[i].pc <= UINT32_MAX);
        require(code->find(code->context, pc - 1, &place));
        require(code->read(code->context, pc - UM_CALL_X86_BYTES, bytes, sizeof bytes));
        require(um_call_x86_before(bytes, pc, &call));
    }
}

static void walk(struct input *input)
{
    static struct um_modules_x86_entry entries[2];
    struct um_modules_x86 modules;
    struct um_unwind_frame frames[FRAMES];
    const struct um_modules_x86_elsewhere elsewhere = {input, is_generated, read_generated};
    const struct um_pdata_source source = {input, read_image};
    const struct um_unwind_stack stack = {STACK, input->stack, input->stack_len};
    const struct um_unwind_x86_start start = {&input->registers, &stack, input->has_end,
                                              &input->caller, input->caller_count};
    int32_t index;
    size_t count;
    um_modules_x86_init(&modules, entries, 2, &elsewhere);
    (void)um_modules_x86_add(&modules, BASE, &source, &index);
    struct um_unwind_x86_code code = um_modules_x86_code(&modules);
    enum um_unwind_stop stop = um_unwind_x86_walk(&start, &code, frames, input->frame_cap, &count);
    require(count >= 1 && count <= input->frame_cap);
    require(stop == UM_UNWIND_START || stop == UM_UNWIND_STACK_ENDED || stop == UM_UNWIND_LIMIT ||
            stop == UM_UNWIND_NO_DATA);
    require(stop != UM_UNWIND_LIMIT || count == input->frame_cap);
    check_frames(&code, frames, count);
    um_modules_x86_deinit(&modules);
}

/* All of the bytes as unwind data. */
static bool load(void *context, uint32_t address, uint32_t *value)
{
    (void)context;
    *value = address * 3;
    return address % 5 != 0;
}

static void read_eh_frame(const uint8_t *data, size_t size)
{
    struct um_eh_frame eh_frame;
    struct um_eh_frame_row row;
    struct um_eh_frame_state state = {
        .registers = {BASE, 1, 2, 3, STACK, STACK + 8, 6, 7}, .known = 0xf7, .load = load};
    if (um_eh_frame_open(copy(data, size), size, BASE, 0x100, &eh_frame) != UM_OK)
        return;
    for (uint32_t rva = 0; rva < 0x200; rva++) {
        uint32_t cfa, value;
        if (!um_eh_frame_find(&eh_frame, rva, &row))
            continue;
        require(row.begin_rva <= rva && rva < row.end_rva);
        if (!um_eh_frame_cfa(&eh_frame, &row, &state, &cfa))
            continue;
        for (unsigned i = 0; i < UM_EH_FRAME_PLACES; i++)
            (void)um_eh_frame_value(&eh_frame, &row, &state, cfa, i, &value);
    }
    um_eh_frame_close(&eh_frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input;
    read_eh_frame(data, size);
    if (!take_input(data, size, &input))
        return 0;
    walk(&input);
    free(input.image);
    free(input.stack);
    return 0;
}
