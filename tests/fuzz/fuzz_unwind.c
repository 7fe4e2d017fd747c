/* Any bytes as a module, registers and a stack: the walk ends, its frames go up the stack, nothing
 * is read outside of what was given, and neither answers that come late nor a longer copy of the
 * stack change the frames that were there.
 *
 *   offset 0  u8  bit 0: the module's headers are made up here, and the rest is behind them
 *                 bit 1: code outside of the module has functions too, those of the module
 *                 bit 2: the first word of the stack leads to Wine's records of callbacks
 *             1   entries in the table, if the headers are made up
 *             2   words of the stack
 *             3   at most so many frames
 *             4   u16 for each of the 17 registers, and then for each word: see `value_of`
 *                 and then the module's bytes
 */
#include <stdlib.h>
#include <string.h>

#include "monitor/sample/callback.h"
#include "monitor/sample/modules.h"
#include "tests/fuzz/require.h"

#define BASE UINT64_C(0x7ff000000000)
#define ELSEWHERE UINT64_C(0x10000000)
#define STACK UINT64_C(0x20000000)
#define TEB_RECORD 0x328 /* where the address of the last record is */
#define TEB_RECORD_X86 0x1f8
#define HEADERS 0x200
#define PE 0x80
#define OPTIONAL (PE + 24)
#define REGISTERS (UM_UNWIND_REGISTERS + 1)
#define FRAMES 64
#define QUESTIONS 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An input, with copies of exactly their size, so that the sanitizer sees what is read outside. */
struct input {
    uint8_t *image;
    size_t image_len;
    uint8_t *stack;
    size_t stack_len;
    bool has_elsewhere;
    struct um_unwind_registers registers;
    size_t caller_count;
    struct um_unwind_registers callers[UM_CALLBACK_MOST];
    size_t frame_cap;
    const struct um_pdata *pdata; /* of the module, for what is elsewhere */
    bool is_late;                 /* each question is answered when it is asked again */
    size_t asked_count;
    uint64_t asked[QUESTIONS];
};

static uint32_t u16_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

/* Two bytes for a value that means something in most cases. */
static uint64_t value_of(const uint8_t *bytes)
{
    uint32_t number = u16_of(bytes);
    uint32_t low = number & 0x1fff;
    switch (number >> 13) {
    case 0:
        return low == 0x1fff ? UM_CALLBACK_RETURN : low;
    case 1:
        return ELSEWHERE + low;
    case 2:
        return UINT64_MAX - low;
    case 3:
    case 4:
        return STACK + low;
    default:
        return BASE + low;
    }
}

static void put(uint8_t *bytes, size_t at, uint64_t value, unsigned len)
{
    for (unsigned i = 0; i < len; i++)
        bytes[at + i] = (uint8_t)(value >> (8 * i));
}

static void make_headers(struct input *input, unsigned entries)
{
    memset(input->image, 0, HEADERS);
    put(input->image, 0, 0x5a4d, 2);
    put(input->image, 60, PE, 4);
    put(input->image, PE, 0x4550, 4);
    put(input->image, PE + 4, 0x8664, 2);
    put(input->image, PE + 20, 240, 2);
    put(input->image, OPTIONAL, 0x20b, 2);
    put(input->image, OPTIONAL + 56, input->image_len, 4);
    put(input->image, OPTIONAL + 108, 16, 4);
    put(input->image, OPTIONAL + 136, HEADERS, 4);
    put(input->image, OPTIONAL + 140, entries * 12U, 4);
}

static bool read_image(void *context, uint32_t rva, void *bytes, size_t len)
{
    const struct input *input = context;
    if (rva > input->image_len || len > input->image_len - rva)
        return false;
    memcpy(bytes, input->image + rva, len);
    return true;
}

static bool is_late(struct input *input, uint64_t question)
{
    if (!input->is_late)
        return false;
    for (size_t i = 0; i < input->asked_count; i++)
        if (input->asked[i] == question)
            return false;
    require(input->asked_count < QUESTIONS);
    input->asked[input->asked_count++] = question;
    return true;
}

static enum um_unwind_answer find_elsewhere(void *context, uint64_t pc,
                                            struct um_unwind_function *function)
{
    struct input *input = context;
    function->base = ELSEWHERE;
    function->module = UM_UNWIND_NO_MODULE;
    if (!input->has_elsewhere || pc < ELSEWHERE || pc - ELSEWHERE >= input->image_len)
        return UM_UNWIND_NONE;
    if (is_late(input, pc))
        return UM_UNWIND_NOT_YET;
    return um_pdata_find(input->pdata, (uint32_t)(pc - ELSEWHERE), &function->rva) == UM_OK
               ? UM_UNWIND_FOUND
               : UM_UNWIND_NONE;
}

static enum um_unwind_answer read_elsewhere(void *context,
                                            const struct um_unwind_function *function, uint32_t rva,
                                            void *bytes, size_t len)
{
    require(function->base == ELSEWHERE);
    if (is_late(context, (uint64_t)rva << 16 | len))
        return UM_UNWIND_NOT_YET;
    return read_image(context, rva, bytes, len) ? UM_UNWIND_FOUND : UM_UNWIND_UNKNOWN;
}

static void check_frames(const struct um_unwind *walk, const struct input *input)
{
    require(walk->frame_count >= 1 && walk->frame_count <= input->frame_cap);
    for (size_t i = 0; i < walk->frame_count; i++) {
        const struct um_unwind_frame *frame = &walk->frames[i];
        require((frame->flags == UM_UNWIND_FIRST) == (i == 0));
        require((frame->flags & (frame->flags - 1)) == 0);
        require(i == 0 || (frame->sp > walk->frames[i - 1].sp && frame->pc != 0));
        require(frame->module == UM_UNWIND_NO_MODULE || frame->offset == frame->pc - BASE);
    }
}

/* Walks to the end with the first `stack_len` bytes of the stack. */
static enum um_unwind_stop walk_all(struct um_unwind *walk, struct input *input,
                                    struct um_modules *modules, size_t stack_len,
                                    struct um_unwind_frame *frames)
{
    struct um_unwind_stack stack = {STACK, input->stack, stack_len};
    struct um_unwind_code code = um_modules_code(modules);
    enum um_unwind_stop stop;
    um_unwind_begin(walk, &input->registers, &stack, frames, input->frame_cap);
    um_unwind_callers(walk, input->callers, input->caller_count);
    while ((stop = um_unwind_run(walk, &code)) == UM_UNWIND_PENDING)
        require(input->is_late);
    check_frames(walk, input);
    require(strcmp(um_unwind_stop_text(stop), "unknown") != 0);
    require(um_unwind_run(walk, &code) == stop);
    require(um_callback_is_in(&stack) || stop != UM_UNWIND_CALLBACK);
    return stop;
}

static bool are_same(const struct um_unwind_frame *a, const struct um_unwind_frame *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].pc != b[i].pc || a[i].sp != b[i].sp || a[i].flags != b[i].flags)
            return false;
    return true;
}

static void walk_in_all_ways(struct input *input, struct um_modules *modules)
{
    struct um_unwind_frame frames[FRAMES];
    struct um_unwind_frame others[FRAMES];
    struct um_unwind walk, other;
    enum um_unwind_stop stop = walk_all(&walk, input, modules, input->stack_len, frames);
    input->is_late = true;
    require(walk_all(&other, input, modules, input->stack_len, others) == stop);
    require(other.frame_count == walk.frame_count && are_same(frames, others, walk.frame_count));
    input->is_late = false;
    walk_all(&other, input, modules, input->stack_len / 2, others);
    require(other.frame_count <= walk.frame_count && are_same(frames, others, other.frame_count));
}

static bool read_stack(void *context, uint64_t address, void *bytes, size_t len)
{
    const struct input *input = context;
    if (address < STACK || address - STACK > input->stack_len ||
        len > input->stack_len - (address - STACK))
        return false;
    memcpy(bytes, input->stack + (address - STACK), len);
    return true;
}

/* What a 32-bit program's stack has of callbacks, on the same bytes. */
static void check_callbacks_x86(struct input *input)
{
    struct um_unwind_registers callers[UM_CALLBACK_MOST];
    struct um_unwind_stack stack = {STACK, input->stack, input->stack_len};
    uint64_t end;
    size_t count = um_callback_callers_x86(read_stack, input, STACK - TEB_RECORD_X86, callers);
    require(count <= UM_CALLBACK_MOST);
    bool is_first = um_callback_is_at_x86(&stack, STACK, &end);
    require(!is_first || (end >= STACK && um_callback_is_in_x86(&stack)));
    if (is_first && count > 0)
        require(!um_callback_caller(callers, count, UINT64_MAX));
}

static void run(struct input *input)
{
    static struct um_modules_entry entries[2];
    const struct um_unwind_code elsewhere = {input, find_elsewhere, read_elsewhere};
    const struct um_pdata_source source = {input, read_image};
    struct um_modules modules;
    int32_t index;
    um_modules_init(&modules, entries, 2, &elsewhere);
    if (um_modules_add(&modules, BASE, &source, &index) != UM_OK)
        return;
    require(um_modules_add(&modules, BASE, &source, &index) != UM_OK ||
            entries[0].pdata.image_bytes == 0);
    input->pdata = &entries[0].pdata;
    walk_in_all_ways(input, &modules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct input input;
    if (size < 4 + REGISTERS * 2 || size - 4 - REGISTERS * 2 < data[2] * 2U)
        return 0;
    size_t words = data[2];
    const uint8_t *values = data + 4;
    const uint8_t *rest = values + (REGISTERS + words) * 2;
    size_t rest_len = size - (size_t)(rest - data);
    size_t headers = data[0] & 1 ? HEADERS : 0;
    memset(&input, 0, sizeof input);
    input.has_elsewhere = data[0] & 2;
    input.frame_cap = 1 + data[3] % FRAMES;
    input.image_len = headers + rest_len;
    input.image = malloc(input.image_len + 1);
    input.stack_len = words * 8;
    input.stack = malloc(input.stack_len + 1);
    require(input.image && input.stack);
    input.registers.pc = value_of(values);
    for (size_t i = 0; i < UM_UNWIND_REGISTERS; i++)
        input.registers.integer[i] = value_of(values + 2 + i * 2);
    for (size_t i = 0; i < words; i++)
        put(input.stack, i * 8, value_of(values + (REGISTERS + i) * 2), 8);
    if (data[0] & 4)
        input.caller_count =
            um_callback_callers(read_stack, &input, STACK - TEB_RECORD, input.callers);
    check_callbacks_x86(&input);
    if (headers > 0)
        make_headers(&input, data[1]);
    memcpy(input.image + headers, rest, rest_len);
    run(&input);
    free(input.image);
    free(input.stack);
    return 0;
}
