#include "monitor/sample/unwind_x86.h"

#include <string.h>

#include "base/plain/bytes.h"
#include "monitor/sample/call_x86.h"
#include "monitor/sample/callback.h"

#define ESP 4
#define EBP 5
#define WORD 4U
#define ALL_KNOWN 0xffU
#define KEPT_KNOWN (1U << 3 | 1U << 5 | 1U << 6 | 1U << 7) /* ebx, ebp, esi, edi */

#define NEAR_BYTES 0x4000U   /* from a function's begin; farther calls are of other functions */
#define SEARCH_BYTES 0x4000U /* of the stack, for one frame */
#define PROOF_BYTES 0x400U   /* so far a proven caller goes before a possible one below it */
#define SEARCH_WORDS 0x8000U /* for all frames of a walk */
#define END_BYTES 0x400U     /* so near to the stack's end nothing is guessed */
#define START_BYTES 0x1000U  /* so near to it are the functions in which threads start */
#define HOPS 3               /* jumps between a call and its function */
#define CODE_BYTES 8

/* What a call before an address says about a function. */
enum call {
    CALL_NONE,    /* there is none, or the address is no code */
    CALL_OTHER,   /* it calls another function, which may have jumped to this one */
    CALL_UNKNOWN, /* its target is not known */
    CALL_MATCHES  /* it calls this function */
};

/* One step: from a frame to its caller. */
struct step {
    const struct um_unwind_x86_code *code;
    const struct um_unwind_x86_start *start;
    const struct um_unwind_stack *stack;
    uint32_t pc;                               /* they become the caller's */
    uint32_t registers[UM_EH_FRAME_REGISTERS]; /* the same */
    unsigned known;                            /* which of these are known */
    uint32_t at;                               /* an address within the frame's instruction */
    bool is_interrupted;                       /* the thread may be anywhere in the function */
    uint32_t flags;                            /* how the caller was found */
    uint32_t *words;                           /* of the stack, that the walk may still search */
};

/* Memory --------------------------------------------------------------------------------------- */

static bool load(void *context, uint32_t address, uint32_t *value)
{
    const struct um_unwind_stack *stack = context;
    uint64_t at = address - stack->address;
    if (address < stack->address || stack->len < WORD || at > stack->len - WORD)
        return false;
    *value = um_bytes_get32(stack->bytes + at);
    return true;
}

static uint64_t end_of(const struct um_unwind_stack *stack)
{
    return stack->address + stack->len;
}

static bool load_from(const struct step *step, uint32_t address, uint32_t *value)
{
    return load((void *)step->stack, address, value);
}

static bool is_code(const struct step *step, uint32_t address)
{
    struct um_unwind_x86_place place;
    return step->code->find(step->code->context, address, &place);
}

static bool read_code(const struct step *step, uint32_t address, void *bytes, size_t len)
{
    return len <= UINT32_MAX - address &&
           step->code->read(step->code->context, address, bytes, len);
}

bool um_unwind_x86_begin(const struct um_unwind_x86_code *code, uint32_t address, uint32_t *begin)
{
    static const uint8_t patchable[] = {0x8b, 0xff, 0x55, 0x8b, 0xec};
    struct um_unwind_x86_place place;
    struct um_eh_frame_row row;
    uint8_t bytes[sizeof patchable];
    if (!code->find(code->context, address, &place) || !place.eh_frame ||
        !um_eh_frame_find(place.eh_frame, address - place.base, &row))
        return false;
    *begin = place.base + row.begin_rva;
    if (*begin >= sizeof bytes &&
        code->read(code->context, *begin - (uint32_t)sizeof bytes, bytes, sizeof bytes) &&
        memcmp(bytes, patchable, sizeof bytes) == 0)
        *begin -= (uint32_t)sizeof bytes;
    return true;
}

/* Calls ---------------------------------------------------------------------------------------- */

/* Follows jumps that linkers and runtimes put between a call and its function. */
static uint32_t follow_jumps(const struct step *step, uint32_t target)
{
    for (int i = 0; i < HOPS; i++) {
        uint8_t bytes[UM_CALL_X86_JUMP_BYTES];
        struct um_call_x86 jump;
        if (!read_code(step, target, bytes, sizeof bytes) ||
            !um_call_x86_jump(bytes, target, &jump))
            break;
        uint32_t next = jump.target;
        if (jump.is_by_word && !read_code(step, jump.word, &bytes, WORD))
            break;
        if (jump.is_by_word)
            next = um_bytes_get32(bytes);
        if (!is_code(step, next))
            break;
        target = next;
    }
    return target;
}

/* Whether one function ends and another begins between two addresses, as far as that can be seen:
 * a return, and then the bytes that fill up to a multiple of 16, or such a multiple at once. */
static bool has_border(const uint8_t *bytes, uint32_t address, size_t len)
{
    for (size_t at = 0; at + 1 < len; at++) {
        size_t behind = bytes[at] == 0xc3 ? at + 1 : bytes[at] == 0xc2 ? at + 3 : 0;
        if (behind == 0 || behind >= len)
            continue;
        if ((address + behind) % 16 == 0 || bytes[behind] == 0xcc || bytes[behind] == 0x90)
            return true;
    }
    return false;
}

/* Whether the function that begins at `begin` has the instruction at `at`, by its unwind data or
 * because no other function seems to begin between. */
static enum call is_within(const struct step *step, uint32_t begin, uint32_t at)
{
    struct um_unwind_x86_place here, there;
    uint32_t own;
    uint8_t bytes[256];
    if (!step->code->find(step->code->context, at, &here) ||
        !step->code->find(step->code->context, begin, &there) || here.module != there.module ||
        begin > at)
        return CALL_OTHER;
    if (um_unwind_x86_begin(step->code, at, &own))
        return begin == own ? CALL_MATCHES : CALL_OTHER;
    if (at - begin >= NEAR_BYTES)
        return CALL_OTHER;
    for (uint32_t from = begin; from < at; from += sizeof bytes) {
        size_t len = at - from < sizeof bytes ? at - from : sizeof bytes;
        if (!read_code(step, from, bytes, len) || has_border(bytes, from, len))
            return CALL_UNKNOWN;
    }
    return CALL_MATCHES;
}

/* What the call before `back` says about the function with the instruction at `at`. `target` gets
 * the begin of the function that it calls; 0: not known. */
static enum call call_before(const struct step *step, uint32_t back, uint32_t at, uint32_t *target)
{
    uint8_t bytes[UM_CALL_X86_BYTES];
    uint8_t word[WORD];
    struct um_call_x86 call;
    *target = 0;
    if (back < sizeof bytes || !is_code(step, back - 1) ||
        !read_code(step, back - (uint32_t)sizeof bytes, bytes, sizeof bytes) ||
        !um_call_x86_before(bytes, back, &call))
        return CALL_NONE;
    if (call.is_direct && is_code(step, call.target))
        *target = follow_jumps(step, call.target);
    else if (call.is_by_word && read_code(step, call.word, word, sizeof word) &&
             is_code(step, um_bytes_get32(word)))
        *target = follow_jumps(step, um_bytes_get32(word));
    if (*target != 0)
        return is_within(step, *target, at);
    /* A direct call into nowhere is none. */
    return call.is_by_word || call.is_by_register ? CALL_UNKNOWN : CALL_NONE;
}

/* Steps ---------------------------------------------------------------------------------------- */

/* Goes to the caller whose return address lies at `slot`. */
static bool go_to(struct step *step, uint32_t slot, uint32_t flags)
{
    if (!load_from(step, slot, &step->pc))
        return false;
    step->registers[ESP] = slot + WORD;
    step->known = (step->known & KEPT_KNOWN) | 1U << ESP;
    step->flags = flags;
    return true;
}

/* To where the program made the system call out of which Wine has called it back, if that
 * callback's return address lies at `slot`. */
static bool step_out_of_callback(struct step *step, uint32_t slot)
{
    uint64_t args_end;
    uint32_t target;
    if (!um_callback_is_at_x86(step->stack, slot, &args_end))
        return false;
    const struct um_unwind_registers *caller =
        um_callback_caller(step->start->callers, step->start->caller_count, args_end);
    if (!caller || call_before(step, (uint32_t)caller->pc, step->at, &target) == CALL_NONE)
        return false;
    step->pc = (uint32_t)caller->pc;
    for (unsigned i = 0; i < UM_EH_FRAME_REGISTERS; i++)
        step->registers[i] = (uint32_t)caller->integer[i];
    step->known = KEPT_KNOWN | 1U << ESP;
    step->flags = UM_UNWIND_MACHINE;
    return true;
}

static bool step_by_table(struct step *step)
{
    struct um_unwind_x86_place place;
    struct um_eh_frame_row row;
    struct um_eh_frame_state state = {
        .known = step->known, .context = (void *)step->stack, .load = load};
    uint32_t cfa, back, target;
    if (!step->code->find(step->code->context, step->at, &place) || !place.eh_frame ||
        !um_eh_frame_find(place.eh_frame, step->at - place.base, &row))
        return false;
    memcpy(state.registers, step->registers, sizeof state.registers);
    if (!um_eh_frame_cfa(place.eh_frame, &row, &state, &cfa) ||
        !um_eh_frame_value(place.eh_frame, &row, &state, cfa, UM_EH_FRAME_RETURN, &back))
        return false;
    if (back == UM_CALLBACK_RETURN)
        return step_out_of_callback(step, cfa - WORD);
    if (call_before(step, back, step->at, &target) == CALL_NONE)
        return false;
    unsigned known = 0;
    for (unsigned i = 0; i < UM_EH_FRAME_REGISTERS; i++)
        if ((KEPT_KNOWN >> i & 1) &&
            um_eh_frame_value(place.eh_frame, &row, &state, cfa, i, &step->registers[i]))
            known |= 1U << i;
    step->pc = back;
    step->registers[ESP] = cfa;
    step->known = known | 1U << ESP;
    step->flags = UM_UNWIND_TABLE;
    return true;
}

/* Where the return address lies, counted from esp, by the code at and before the next instruction;
 * and whether ebp lies below it. False: the code does not say it. */
static bool read_place(const struct step *step, uint32_t pc, uint32_t *offset, bool *has_ebp)
{
    uint8_t code[CODE_BYTES] = {0};
    uint8_t before = 0;
    if (!read_code(step, pc, code, sizeof code))
        return false;
    (void)read_code(step, pc - 1, &before, 1);
    const uint8_t *at = code[0] == 0x8b && code[1] == 0xff ? code + 2 : code; /* mov edi, edi */
    bool is_move = (at[0] == 0x8b && at[1] == 0xec) || (at[0] == 0x89 && at[1] == 0xe5);
    bool is_push =
        at[0] == 0x55 && ((at[1] == 0x8b && at[2] == 0xec) || (at[1] == 0x89 && at[2] == 0xe5));
    bool is_return = code[0] == 0xc3 || code[0] == 0xc2;
    bool is_pop = code[0] == 0x5d && (code[1] == 0xc3 || code[1] == 0xc2);
    *has_ebp = is_pop || (is_move && at == code && before == 0x55);
    *offset = *has_ebp ? WORD : 0;
    return is_return || *has_ebp || (is_push && step->is_interrupted);
}

/* By the code where the thread is: in a prologue, or before a return. */
static bool step_by_code(struct step *step)
{
    uint32_t offset, back, target;
    uint32_t esp = step->registers[ESP];
    bool has_ebp;
    uint32_t ebp = step->registers[EBP];
    if (!read_place(step, step->pc, &offset, &has_ebp) ||
        (has_ebp && !load_from(step, esp, &ebp)) || !load_from(step, esp + offset, &back))
        return false;
    enum call call = call_before(step, back, step->at, &target);
    if (call == CALL_NONE || (call == CALL_OTHER && !step->is_interrupted) ||
        !go_to(step, esp + offset, UM_UNWIND_EPILOG))
        return false;
    step->registers[EBP] = ebp;
    return true;
}

/* Whether a call has called a function that makes ebp its frame pointer, and the frame is its. */
static bool has_frame(const struct step *step, uint32_t target)
{
    uint8_t bytes[UM_CALL_X86_PROLOGUE_BYTES];
    return target != 0 && read_code(step, target, bytes, sizeof bytes) &&
           um_call_x86_has_frame(bytes);
}

/* What is found in the stack from `from` to `to`: the slot of a return address. */
struct found {
    uint32_t slot;
    enum call call;
};

/* The next slot from `*slot` on with a return address, and what its call says. False: there is none
 * before `to`, or the walk has searched enough. */
static bool next_slot(struct step *step, uint64_t *slot, uint64_t to, enum call *call,
                      uint32_t *value, uint32_t *target)
{
    for (; *slot + WORD <= to && *step->words > 0; *slot += WORD) {
        --*step->words;
        if (!load_from(step, (uint32_t)*slot, value))
            return false;
        if (!is_code(step, *value))
            continue;
        *call = call_before(step, *value, step->at, target);
        if (*call != CALL_NONE)
            return true;
    }
    return false;
}

/* Searches for a return address behind a call of this function. Without one nearby the first behind
 * a call whose target is not known counts, and without that the first one at all. */
static bool search(struct step *step, uint32_t from, uint64_t to, struct found *found)
{
    struct found best = {.call = CALL_NONE};
    uint32_t value, target;
    enum call call;
    for (uint64_t slot = from; next_slot(step, &slot, to, &call, &value, &target); slot += WORD) {
        if (best.call == CALL_UNKNOWN && slot - from > PROOF_BYTES)
            break;
        if (call > best.call)
            best = (struct found){(uint32_t)slot, call};
        if (call == CALL_MATCHES)
            break;
    }
    *found = best;
    return best.call != CALL_NONE;
}

/* Searches below the frame of another function for a return address behind a call of this function,
 * if this one makes no frame; or for one in the function `owner` whose frame it is. */
static bool search_below(struct step *step, uint32_t frame, uint32_t owner, struct found *found)
{
    uint32_t value, target;
    enum call call;
    for (uint64_t slot = step->registers[ESP];
         next_slot(step, &slot, frame, &call, &value, &target); slot += WORD) {
        bool is_called = call == CALL_MATCHES && !has_frame(step, target);
        bool is_in_owner = owner != 0 && is_within(step, owner, value - 1) == CALL_MATCHES;
        *found = (struct found){(uint32_t)slot, call};
        if (is_called || is_in_owner)
            return true;
    }
    return false;
}

/* Whether the frame pointer points to a frame: the caller's frame pointer, which lies further up,
 * and a return address. */
static bool is_frame(const struct step *step, uint32_t frame, uint32_t at, enum call *call,
                     uint32_t *target)
{
    uint32_t back;
    if (frame % WORD != 0 || frame < step->registers[ESP] || frame > UINT32_MAX - 2 * WORD ||
        !load_from(step, frame + WORD, &back))
        return false;
    *call = call_before(step, back, at, target);
    return *call != CALL_NONE;
}

static bool step_by_pointer(struct step *step)
{
    uint32_t frame = step->registers[EBP];
    uint32_t target, ebp;
    struct found between;
    enum call call;
    if (!(step->known >> EBP & 1) || !is_frame(step, frame, step->at, &call, &target) ||
        !load_from(step, frame, &ebp))
        return false;
    /* The frame is perhaps that of the caller, or of one further out. */
    bool is_own = call == CALL_MATCHES && has_frame(step, target);
    if (!is_own && search_below(step, frame, call == CALL_OTHER ? target : 0, &between))
        return go_to(step, between.slot, UM_UNWIND_SEARCHED);
    if (!go_to(step, frame + WORD, UM_UNWIND_POINTER))
        return false;
    step->registers[EBP] = ebp;
    step->known = 1U << ESP | 1U << EBP;
    return true;
}

/* The caller's frame pointer after a search: the present one if it lies further up, else the one
 * that the function may have saved below its return address. */
static void guess_pointer(struct step *step, uint32_t slot)
{
    uint32_t saved, target;
    enum call call;
    if ((step->known >> EBP & 1) && step->registers[EBP] > slot)
        return;
    step->known &= ~(1U << EBP);
    if (load_from(step, slot - WORD, &saved) && saved > slot &&
        is_frame(step, saved, step->pc - 1, &call, &target)) {
        step->registers[EBP] = saved;
        step->known |= 1U << EBP;
    }
}

static bool step_by_search(struct step *step)
{
    uint64_t from = (step->registers[ESP] + WORD - 1) & ~(uint64_t)(WORD - 1);
    uint64_t end = end_of(step->stack);
    uint64_t to = from + SEARCH_BYTES < end ? from + SEARCH_BYTES : end;
    struct found found;
    if (from > UINT32_MAX || !search(step, (uint32_t)from, to, &found))
        return false;
    bool is_sure = found.call == CALL_MATCHES;
    if (!is_sure && end - found.slot <= END_BYTES)
        return false;
    if (!go_to(step, found.slot, UM_UNWIND_SEARCHED | (is_sure ? 0 : UM_UNWIND_GUESSED)))
        return false;
    guess_pointer(step, found.slot);
    return true;
}

static bool take_step(struct step *step)
{
    uint32_t esp = step->registers[ESP];
    struct step before = *step;
    bool (*const ways[])(struct step *) = {step_by_table, step_by_code, step_by_pointer,
                                           step_by_search};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        /* Each frame lies further up the stack than the one before it. */
        if (ways[i](step) && step->registers[ESP] > esp)
            return true;
        *step = before;
    }
    return false;
}

/* The walk ------------------------------------------------------------------------------------- */

static void add_frame(const struct step *step, struct um_unwind_frame *frames, size_t *count)
{
    struct um_unwind_x86_place place;
    struct um_unwind_frame *frame = &frames[(*count)++];
    *frame = (struct um_unwind_frame){.pc = step->pc,
                                      .sp = step->registers[ESP],
                                      .module = UM_UNWIND_NO_MODULE,
                                      .flags = step->flags};
    if (!step->code->find(step->code->context, step->at, &place) || place.module < 0)
        return;
    frame->module = place.module;
    frame->offset = step->pc - place.base;
}

/* Why there are no more frames than these. */
static enum um_unwind_stop why_stopped(const struct step *step, bool has_end)
{
    if (!has_end)
        return UM_UNWIND_STACK_ENDED;
    return end_of(step->stack) - step->registers[ESP] <= START_BYTES ? UM_UNWIND_START
                                                                     : UM_UNWIND_NO_DATA;
}

enum um_unwind_stop um_unwind_x86_walk(const struct um_unwind_x86_start *start,
                                       const struct um_unwind_x86_code *code,
                                       struct um_unwind_frame *frames, size_t cap, size_t *count)
{
    uint32_t words = SEARCH_WORDS;
    struct step step = {.code = code,
                        .start = start,
                        .stack = start->stack,
                        .pc = (uint32_t)start->registers->pc,
                        .at = (uint32_t)start->registers->pc,
                        .known = ALL_KNOWN,
                        .is_interrupted = true,
                        .flags = UM_UNWIND_FIRST,
                        .words = &words};
    for (size_t i = 0; i < UM_EH_FRAME_REGISTERS; i++)
        step.registers[i] = (uint32_t)start->registers->integer[i];
    *count = 0;
    add_frame(&step, frames, count);
    while (take_step(&step)) {
        if (*count == cap)
            return UM_UNWIND_LIMIT;
        step.is_interrupted = (step.flags & UM_UNWIND_MACHINE) != 0;
        step.at = step.pc - (step.is_interrupted ? 0 : 1);
        add_frame(&step, frames, count);
    }
    return why_stopped(&step, start->has_end);
}
