#include "monitor/sample/unwind.h"

#include <string.h>

#include "base/plain/bytes.h"
#include "monitor/sample/callback.h"
#include "monitor/sample/epilog.h"

/* UNWIND_INFO, as it lies in memory: version and flags, size of the prologue, count of codes, frame
 * register and its offset; then the codes, of two bytes each, padded to an even number of them; and
 * if it is chained the entry of the function that it continues. */
#define INFO_HEADER_BYTES 4
#define INFO_MAX_CODES 256 /* with the padding */
#define INFO_CHAINED 4     /* of the flags */
#define CHAIN_LIMIT 32

/* A code: the offset in the prologue behind the instruction that it stands for, then the operation
 * and its operand, in four bits each. Some have one or two more pairs of bytes. */
enum operation {
    PUSH_NONVOL = 0,
    ALLOC_LARGE = 1,
    ALLOC_SMALL = 2,
    SET_FPREG = 3,
    SAVE_NONVOL = 4,
    SAVE_NONVOL_FAR = 5,
    EPILOG = 6, /* version 2 */
    SPARE = 7,
    SAVE_XMM128 = 8,
    SAVE_XMM128_FAR = 9,
    PUSH_MACHFRAME = 10
};

#define NO_OFFSET UINT32_MAX /* behind the whole prologue */

struct info {
    unsigned version;
    bool is_chained;
    uint32_t prolog_bytes;
    unsigned count; /* of codes */
    unsigned frame_register;
    uint32_t frame_offset; /* bytes */
    uint8_t codes[INFO_MAX_CODES * 2 + UM_PDATA_ENTRY_BYTES];
};

/* One step: from a frame to its caller. */
struct step {
    const struct um_unwind_code *code;
    const struct um_unwind_stack *stack;
    struct um_unwind_registers registers; /* they become the caller's */
    struct um_unwind_function function;   /* the function, or the one that it is chained to */
    struct info info;                     /* of that function */
    uint64_t frame_base;                  /* what saved registers are relative to */
    uint32_t offset;   /* of the next instruction in the function, or NO_OFFSET */
    uint32_t flags;    /* how the caller was found */
    bool is_callback;  /* there is no return address: Wine has called the function back */
    uint64_t args_end; /* where the arguments of that callback end */
};

/* Steps return UM_UNWIND_START for "go on" until there is a return address of 0. */
#define GO_ON UM_UNWIND_START

static uint64_t *rsp_of(struct step *step)
{
    return &step->registers.integer[UM_UNWIND_RSP];
}

static enum um_unwind_stop stop_of(enum um_unwind_answer answer)
{
    switch (answer) {
    case UM_UNWIND_FOUND:
        return GO_ON;
    case UM_UNWIND_NOT_YET:
        return UM_UNWIND_PENDING;
    case UM_UNWIND_UNREADABLE:
        return UM_UNWIND_DAMAGED;
    default:
        return UM_UNWIND_NO_DATA;
    }
}

/* The stack ------------------------------------------------------------------------------------ */

static enum um_unwind_stop move(uint64_t *address, uint64_t bytes)
{
    if (bytes > UINT64_MAX - *address)
        return UM_UNWIND_DAMAGED;
    *address += bytes;
    return GO_ON;
}

static enum um_unwind_stop load(const struct um_unwind_stack *stack, uint64_t address,
                                uint64_t *value)
{
    if (address < stack->address)
        return UM_UNWIND_DAMAGED;
    uint64_t at = address - stack->address;
    if (stack->len < sizeof *value || at > stack->len - sizeof *value)
        return UM_UNWIND_STACK_ENDED;
    *value = um_bytes_get64(stack->bytes + at);
    return GO_ON;
}

static enum um_unwind_stop load_above(struct step *step, uint64_t address, uint64_t bytes,
                                      uint64_t *value)
{
    enum um_unwind_stop stop = move(&address, bytes);
    return stop == GO_ON ? load(step->stack, address, value) : stop;
}

static enum um_unwind_stop pop(struct step *step, uint64_t *value)
{
    uint64_t popped;
    enum um_unwind_stop stop = load(step->stack, *rsp_of(step), &popped);
    if (stop != GO_ON)
        return stop;
    stop = move(rsp_of(step), sizeof popped);
    *value = popped; /* comes last, because it may be rsp itself */
    return stop;
}

/* Pops a return address, and notes if Wine's callback is in its place. */
static enum um_unwind_stop pop_return(struct step *step)
{
    uint64_t at = *rsp_of(step);
    uint64_t last;
    enum um_unwind_stop stop = pop(step, &step->registers.pc);
    if (stop != GO_ON || step->registers.pc != UM_CALLBACK_RETURN)
        return stop;
    step->is_callback = um_callback_is_at(step->stack, at, &step->args_end);
    return load_above(step, at, UM_CALLBACK_LAST_WORD, &last);
}

/* The unwind data ------------------------------------------------------------------------------ */

static enum um_unwind_stop read_bytes(struct step *step, uint32_t rva, void *bytes, size_t len)
{
    if (len > UINT32_MAX - rva)
        return UM_UNWIND_DAMAGED;
    return stop_of(step->code->read(step->code->context, &step->function, rva, bytes, len));
}

static enum um_unwind_stop read_info(struct step *step)
{
    struct info *info = &step->info;
    uint8_t header[INFO_HEADER_BYTES];
    enum um_unwind_stop stop = UM_UNWIND_DAMAGED;
    if ((step->function.rva.unwind_rva & 3) == 0)
        stop = read_bytes(step, step->function.rva.unwind_rva, header, sizeof header);
    if (stop != GO_ON)
        return stop;
    info->version = header[0] & 7;
    info->is_chained = (header[0] >> 3) & INFO_CHAINED;
    info->prolog_bytes = header[1];
    info->count = header[2];
    info->frame_register = header[3] & 15;
    info->frame_offset = (header[3] >> 4) * 16U;
    if (info->version != 1 && info->version != 2)
        return info->version == 0 ? UM_UNWIND_DAMAGED : UM_UNWIND_VERSION;
    size_t len = info->count * 2U;
    if (info->is_chained)
        len = (info->count + 1U) / 2U * 4U + UM_PDATA_ENTRY_BYTES;
    return len == 0 ? GO_ON
                    : read_bytes(step, step->function.rva.unwind_rva + INFO_HEADER_BYTES,
                                 info->codes, len);
}

/* Goes to the function that this one continues. */
static enum um_unwind_stop follow_chain(struct step *step)
{
    um_pdata_decode(step->info.codes + (step->info.count + 1U) / 2U * 4U, &step->function.rva);
    return read_info(step);
}

static enum operation operation_of(const struct info *info, unsigned at)
{
    return info->codes[at * 2 + 1] & 15;
}

static unsigned operand_of(const struct info *info, unsigned at)
{
    return info->codes[at * 2 + 1] >> 4;
}

/* How many pairs of bytes a code has; 0 if there is no such code, or it goes beyond the end. */
static unsigned length_of(const struct info *info, unsigned at)
{
    unsigned len = 0;
    switch (operation_of(info, at)) {
    case ALLOC_LARGE:
        len = operand_of(info, at) < 2 ? 2 + operand_of(info, at) : 0;
        break;
    case PUSH_NONVOL:
    case ALLOC_SMALL:
    case SET_FPREG:
    case PUSH_MACHFRAME:
        len = 1;
        break;
    case SAVE_NONVOL:
    case SAVE_XMM128:
    case EPILOG: /* in version 2 they come in pairs */
        len = 2;
        break;
    case SAVE_NONVOL_FAR:
    case SAVE_XMM128_FAR:
    case SPARE:
        len = 3;
        break;
    default:
        break;
    }
    return len <= info->count - at ? len : 0;
}

/* The number behind a code: of 16 bits, in units, or of 32 bits, in bytes. */
static uint64_t number_of(const struct info *info, unsigned at, uint32_t unit)
{
    const uint8_t *bytes = info->codes + (at + 1U) * 2U;
    return length_of(info, at) == 3 ? um_bytes_get32(bytes)
                                    : (uint64_t)um_bytes_get16(bytes) * unit;
}

/* The frame register as it was set, minus its offset: rsp after that instruction. */
static enum um_unwind_stop frame_pointer(const struct step *step, uint64_t *address)
{
    uint64_t value = step->registers.integer[step->info.frame_register];
    if (value < step->info.frame_offset)
        return UM_UNWIND_DAMAGED;
    *address = value - step->info.frame_offset;
    return GO_ON;
}

/* Whether the frame register has been set where the thread is: after the prologue, or after that
 * instruction. In a part that continues another function it has been set there. */
static bool has_frame_pointer(const struct step *step)
{
    const struct info *info = &step->info;
    if (info->frame_register == 0)
        return false;
    if (info->is_chained || step->offset >= info->prolog_bytes)
        return true;
    unsigned len;
    for (unsigned at = 0; at < info->count && (len = length_of(info, at)) > 0; at += len)
        if (operation_of(info, at) == SET_FPREG)
            return step->offset >= info->codes[at * 2];
    return false;
}

/* Codes ---------------------------------------------------------------------------------------- */

/* What the processor pushed, from low to high: an error code if there is one, rip, cs, flags, rsp,
 * ss. */
static enum um_unwind_stop pop_machine_frame(struct step *step, bool has_error)
{
    uint64_t at = *rsp_of(step);
    uint64_t pc;
    enum um_unwind_stop stop = move(&at, has_error ? 8 : 0);
    if (stop == GO_ON)
        stop = load(step->stack, at, &pc);
    if (stop == GO_ON)
        stop = load_above(step, at, 24, rsp_of(step));
    if (stop != GO_ON)
        return stop;
    step->registers.pc = pc;
    step->flags = UM_UNWIND_MACHINE;
    return GO_ON;
}

static enum um_unwind_stop undo(struct step *step, unsigned at)
{
    const struct info *info = &step->info;
    unsigned operand = operand_of(info, at);
    switch (operation_of(info, at)) {
    case PUSH_NONVOL:
        return pop(step, &step->registers.integer[operand]);
    case ALLOC_LARGE:
        return move(rsp_of(step), number_of(info, at, 8));
    case ALLOC_SMALL:
        return move(rsp_of(step), operand * 8U + 8U);
    case SET_FPREG:
        return frame_pointer(step, rsp_of(step));
    case SAVE_NONVOL:
    case SAVE_NONVOL_FAR:
        return load_above(step, step->frame_base, number_of(info, at, 8),
                          &step->registers.integer[operand]);
    case PUSH_MACHFRAME:
        return pop_machine_frame(step, operand == 1);
    default: /* vector registers, the places of epilogues, and the unused code */
        return GO_ON;
    }
}

/* Undoes the codes of one part of a function whose instructions have been executed. */
static enum um_unwind_stop undo_codes(struct step *step)
{
    enum um_unwind_stop stop = GO_ON;
    unsigned len;
    for (unsigned at = 0; at < step->info.count && stop == GO_ON; at += len) {
        len = length_of(&step->info, at);
        if (len == 0)
            return UM_UNWIND_DAMAGED;
        if (step->offset >= step->info.codes[at * 2])
            stop = undo(step, at);
    }
    return stop;
}

/* Undoes the prologue, and those of all the functions that this one continues. */
static enum um_unwind_stop undo_prologue(struct step *step)
{
    enum um_unwind_stop stop = undo_codes(step);
    for (int i = 0; stop == GO_ON && step->info.is_chained; i++) {
        if (i == CHAIN_LIMIT)
            return UM_UNWIND_DAMAGED;
        stop = follow_chain(step);
        step->offset = NO_OFFSET;
        if (stop == GO_ON)
            stop = undo_codes(step);
    }
    if (stop != GO_ON || (step->flags & UM_UNWIND_MACHINE))
        return stop;
    return pop_return(step);
}

/* Epilogues ------------------------------------------------------------------------------------ */

/* Where the function begins that this one continues; its own begin if it continues none. */
static enum um_unwind_stop primary_begin(struct step *step, uint32_t *begin_rva)
{
    enum um_unwind_stop stop = read_info(step);
    for (int i = 0; stop == GO_ON && step->info.is_chained; i++)
        stop = i < CHAIN_LIMIT ? follow_chain(step) : UM_UNWIND_DAMAGED;
    *begin_rva = step->function.rva.begin_rva;
    return stop;
}

/* Whether a jump to `target` leaves this function: it goes to another function, or to the start of
 * this one, which is a call of itself. Linkers lay out functions in several parts, so a jump out of
 * this part may stay in the function. */
static enum um_unwind_stop leaves(const struct step *step, uint64_t target, bool *result)
{
    struct step here = *step;
    struct step there = *step;
    uint32_t own_rva = 0;
    uint32_t target_rva = 0;
    enum um_unwind_answer answer = step->code->find(step->code->context, target, &there.function);
    if (answer == UM_UNWIND_NOT_YET)
        return UM_UNWIND_PENDING;
    *result = true;
    if (answer != UM_UNWIND_FOUND || there.function.base != here.function.base)
        return GO_ON;
    enum um_unwind_stop stop = primary_begin(&here, &own_rva);
    if (stop == GO_ON)
        stop = primary_begin(&there, &target_rva);
    if (stop == UM_UNWIND_PENDING)
        return stop;
    *result = own_rva != target_rva || target == here.function.base + own_rva;
    return GO_ON;
}

static enum um_unwind_stop finish_epilog(struct step *step, const struct um_epilog *epilog)
{
    uint64_t *rsp = rsp_of(step);
    if (epilog->is_relative_to_frame)
        *rsp = step->registers.integer[step->info.frame_register];
    uint64_t down = epilog->adjust < 0 ? (uint64_t)(-(int64_t)epilog->adjust) : 0;
    if (*rsp < down)
        return UM_UNWIND_DAMAGED;
    *rsp -= down;
    enum um_unwind_stop stop = move(rsp, epilog->adjust < 0 ? 0 : (uint64_t)epilog->adjust);
    for (unsigned i = 0; i < epilog->pop_count && stop == GO_ON; i++)
        stop = pop(step, &step->registers.integer[epilog->pops[i]]);
    if (stop == GO_ON)
        stop = pop_return(step);
    step->flags = UM_UNWIND_EPILOG;
    return stop;
}

/* Whether the thread is in an epilogue, by unwind data of version 2. The first code has the size of
 * all epilogues, and whether one is at the end. Each further code has how far from the end of the
 * function an epilogue begins, in 12 bits, or 0. These epilogues are only the pops and the return:
 * the rest of the frame is freed before them. */
static bool is_in_marked_epilog(const struct step *step, uint32_t left_bytes)
{
    const struct info *info = &step->info;
    if (info->count == 0 || operation_of(info, 0) != EPILOG)
        return false;
    uint32_t size = info->codes[0];
    bool is_in = (operand_of(info, 0) & 1) && left_bytes <= size;
    for (unsigned at = 1; at < info->count && operation_of(info, at) == EPILOG && !is_in; at++) {
        uint32_t begin = info->codes[at * 2] + operand_of(info, at) * 256U; /* from the end */
        is_in = left_bytes <= begin && begin - left_bytes < size;
    }
    return is_in;
}

static enum um_unwind_stop try_epilog(struct step *step)
{
    uint8_t code[UM_EPILOG_BYTES];
    struct um_epilog epilog;
    bool is_marked = step->info.version == 2;
    uint32_t function_bytes = step->function.rva.end_rva - step->function.rva.begin_rva;
    if (step->offset >= function_bytes)
        return GO_ON;
    uint32_t left_bytes = function_bytes - step->offset;
    if (is_marked && !is_in_marked_epilog(step, left_bytes))
        return GO_ON;
    size_t len = left_bytes < sizeof code ? left_bytes : sizeof code;
    enum um_unwind_stop stop =
        read_bytes(step, step->function.rva.begin_rva + step->offset, code, len);
    /* If its code cannot be read, the thread is most likely not in an epilogue. */
    if (stop != GO_ON && stop != UM_UNWIND_PENDING && !is_marked)
        return GO_ON;
    if (stop != GO_ON)
        return stop;
    if (!um_epilog_read(code, len, step->info.frame_register, is_marked, &epilog))
        return GO_ON;
    bool is_away = true;
    if (epilog.is_jump && !is_marked)
        stop = leaves(step, step->registers.pc + (uint64_t)epilog.jump_bytes, &is_away);
    return stop == GO_ON && is_away ? finish_epilog(step, &epilog) : stop;
}

/* Steps ---------------------------------------------------------------------------------------- */

static enum um_unwind_stop step_by_table(struct step *step, bool is_interrupted)
{
    uint64_t rva = step->registers.pc - step->function.base;
    const struct um_pdata_function *function = &step->function.rva;
    if (function->begin_rva >= function->end_rva)
        return UM_UNWIND_DAMAGED;
    /* An indirect entry may have led to a function whose first part lies elsewhere. */
    step->offset = rva >= function->begin_rva && rva < function->end_rva
                       ? (uint32_t)(rva - function->begin_rva)
                       : NO_OFFSET;
    step->flags = 0;
    enum um_unwind_stop stop = read_info(step);
    if (stop == GO_ON && is_interrupted)
        stop = try_epilog(step);
    if (stop != GO_ON || step->flags != 0)
        return stop;
    step->frame_base = *rsp_of(step);
    if (has_frame_pointer(step))
        stop = frame_pointer(step, &step->frame_base);
    if (stop == GO_ON)
        stop = undo_prologue(step);
    if (step->flags == 0)
        step->flags = UM_UNWIND_TABLE;
    return stop;
}

/* Whether a function without unwind data can be within the stack. Such functions are leaves, so
 * only a system call fits, out of which the system has called back with an APC or a message. */
static enum um_unwind_stop check_system_call(struct step *step)
{
    static const uint8_t syscall[] = {0x0f, 0x05};
    static const uint8_t interrupt[] = {0xcd, 0x2e}; /* the same by an older way */
    uint8_t code[sizeof syscall];
    uint64_t rva = step->registers.pc - step->function.base;
    if (step->function.module == UM_UNWIND_NO_MODULE || rva < sizeof code || rva > UINT32_MAX)
        return UM_UNWIND_NO_DATA;
    enum um_unwind_stop stop =
        read_bytes(step, (uint32_t)rva - (uint32_t)sizeof code, code, sizeof code);
    if (stop != GO_ON)
        return stop;
    bool is_call =
        memcmp(code, syscall, sizeof code) == 0 || memcmp(code, interrupt, sizeof code) == 0;
    return is_call ? GO_ON : UM_UNWIND_NO_DATA;
}

/* From a function without unwind data to its caller. A leaf changes no register that its caller
 * needs, and has pushed nothing. If it is no leaf after all, the word on top of the stack is mostly
 * no address of code. */
static enum um_unwind_stop step_from_leaf(struct step *step, bool is_interrupted)
{
    enum um_unwind_stop stop = is_interrupted ? GO_ON : check_system_call(step);
    struct um_unwind_function caller = {.module = UM_UNWIND_NO_MODULE};
    step->flags = UM_UNWIND_LEAF;
    if (stop == GO_ON)
        stop = pop_return(step);
    if (stop != GO_ON || step->is_callback)
        return stop;
    enum um_unwind_answer answer =
        step->code->find(step->code->context, step->registers.pc, &caller);
    return answer == UM_UNWIND_NONE && caller.module != UM_UNWIND_NO_MODULE ? GO_ON
                                                                            : stop_of(answer);
}

/* From the outermost function of a callback to where the program made the system call. */
static enum um_unwind_stop step_out_of_callback(struct step *step, const struct um_unwind *walk)
{
    const struct um_unwind_registers *caller =
        um_callback_caller(walk->callers, walk->caller_count, step->args_end);
    if (!caller)
        return UM_UNWIND_CALLBACK;
    step->registers = *caller;
    step->flags = UM_UNWIND_MACHINE;
    return GO_ON;
}

static enum um_unwind_stop take_step(struct step *step, const struct um_unwind *walk)
{
    struct um_unwind_frame *frame = &walk->frames[walk->frame_count - 1];
    bool is_interrupted = frame->flags & (UM_UNWIND_FIRST | UM_UNWIND_MACHINE);
    uint64_t sp = *rsp_of(step);
    enum um_unwind_answer answer =
        step->code->find(step->code->context, step->registers.pc, &step->function);
    if (answer == UM_UNWIND_FOUND || answer == UM_UNWIND_NONE) {
        frame->module = step->function.module;
        frame->offset = frame->module == UM_UNWIND_NO_MODULE ? 0 : frame->pc - step->function.base;
    }
    enum um_unwind_stop stop = stop_of(answer);
    if (answer == UM_UNWIND_FOUND)
        stop = step_by_table(step, is_interrupted);
    else if (answer == UM_UNWIND_NONE)
        stop = step_from_leaf(step, is_interrupted);
    if (stop == GO_ON && step->is_callback)
        stop = step_out_of_callback(step, walk);
    if (stop != GO_ON)
        return stop;
    if (*rsp_of(step) <= sp)
        return UM_UNWIND_LOOP;
    return *rsp_of(step) % 8 == 0 ? GO_ON : UM_UNWIND_DAMAGED;
}

static void add_frame(struct um_unwind *walk, uint32_t flags)
{
    walk->frames[walk->frame_count++] =
        (struct um_unwind_frame){.pc = walk->registers.pc,
                                 .sp = walk->registers.integer[UM_UNWIND_RSP],
                                 .module = UM_UNWIND_NO_MODULE,
                                 .flags = flags};
}

void um_unwind_begin(struct um_unwind *walk, const struct um_unwind_registers *registers,
                     const struct um_unwind_stack *stack, struct um_unwind_frame *frames,
                     size_t frame_cap)
{
    walk->registers = *registers;
    walk->stack = *stack;
    walk->frames = frames;
    walk->frame_cap = frame_cap;
    walk->frame_count = 0;
    walk->callers = NULL;
    walk->caller_count = 0;
    add_frame(walk, UM_UNWIND_FIRST);
}

void um_unwind_callers(struct um_unwind *walk, const struct um_unwind_registers *callers,
                       size_t count)
{
    walk->callers = callers;
    walk->caller_count = count;
}

enum um_unwind_stop um_unwind_run(struct um_unwind *walk, const struct um_unwind_code *code)
{
    for (;;) {
        struct step step = {.code = code, .stack = &walk->stack, .registers = walk->registers};
        step.function.module = UM_UNWIND_NO_MODULE;
        enum um_unwind_stop stop = take_step(&step, walk);
        if (stop != GO_ON)
            return stop;
        if (step.registers.pc == 0)
            return UM_UNWIND_START;
        if (walk->frame_count == walk->frame_cap)
            return UM_UNWIND_LIMIT;
        walk->registers = step.registers;
        add_frame(walk, step.flags);
    }
}

const char *um_unwind_stop_text(enum um_unwind_stop stop)
{
    static const char *const texts[] = {
        [UM_UNWIND_START] = "the thread's start is reached",
        [UM_UNWIND_PENDING] = "an answer is missing",
        [UM_UNWIND_STACK_ENDED] = "the copy of the stack ends",
        [UM_UNWIND_NO_DATA] = "the code has no unwind data",
        [UM_UNWIND_DAMAGED] = "the unwind data is damaged",
        [UM_UNWIND_LOOP] = "the stack runs in a circle",
        [UM_UNWIND_LIMIT] = "there are too many frames",
        [UM_UNWIND_CALLBACK] = "Wine called back from an unknown place",
        [UM_UNWIND_VERSION] = "the unwind data is of a later version",
    };
    size_t index = (size_t)stop;
    return index < sizeof texts / sizeof texts[0] ? texts[index] : "unknown";
}
