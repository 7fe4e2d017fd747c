/* The unwinder of x86: registers and a copy of the stack in, frames out.
 *
 * A program for x86 has no unwind data that every compiler writes. So a frame's caller is found by
 * the first of these ways that gives an address behind a call instruction:
 *
 *   1. the unwind data of GCC and Clang (eh_frame.h), where the module has some: TABLE
 *   2. the code where the thread is: within a prologue or at a return it is known where the return
 *      address lies: EPILOG
 *   3. the frame pointer: POINTER. A function without one is then not in the stack, if it was
 *      called by a function that has one; a search (4.) below the frame pointer finds such
 *      functions if their calls prove it
 *   4. a search through the stack for the next return address whose call has called the function:
 *      SEARCHED. If the call's target is not known, as for a call by a register, it may be left
 *      over from an earlier call: SEARCHED and GUESSED
 *
 * Where Wine has called the program back, its own records lead to the system call (callback.h).
 *
 * Every frame but the first is behind a call in executable memory. A walk is complete when the
 * stack's rest has no further one, and is so small that the thread's start lies there. The frames
 * are those of unwind.h, with all addresses below 4 GiB. It reads code only through callbacks, and
 * allocates nothing. A reader starts at um_unwind_x86_walk. Not on the hot path.
 */
#ifndef UM_MONITOR_UNWIND_X86_H
#define UM_MONITOR_UNWIND_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/sample/eh_frame.h"
#include "monitor/sample/unwind.h"

/* Where code lies, as um_unwind_x86_code finds it. */
struct um_unwind_x86_place {
    int32_t module;                     /* its index, or UM_UNWIND_NO_MODULE: generated code */
    uint32_t base;                      /* of the module; 0 without one */
    const struct um_eh_frame *eh_frame; /* of the module; NULL: it has none */
};

/* Where code is found. Both are called on the thread of the walk. */
struct um_unwind_x86_code {
    void *context;
    /* Finds executable memory. False: there is none at that address. */
    bool (*find)(void *context, uint32_t address, struct um_unwind_x86_place *place);
    /* Reads code and data of modules, and generated code: `len` bytes, all of them or false. */
    bool (*read)(void *context, uint32_t address, void *bytes, size_t len);
};

/* Finds the begin of the function with the byte at an address, by unwind data. False: it has none.
 * Functions that GCC makes for being patched (ms_hook_prologue) begin before their unwind data. */
bool um_unwind_x86_begin(const struct um_unwind_x86_code *code, uint32_t address, uint32_t *begin);

struct um_unwind_x86_start {
    const struct um_unwind_registers *registers; /* of x86: the first eight */
    const struct um_unwind_stack *stack;         /* from esp on */
    bool has_end;                                /* it goes to the end of the thread's stack */
    const struct um_unwind_registers *callers;   /* as of um_unwind_callers; x86 */
    size_t caller_count;
};

/* Finds frames until it must stop, at most `cap` (at least one), and says why it stopped: START,
 * STACK_ENDED, LIMIT, or NO_DATA: the last frame's caller is not known.
 * Owner: the caller, of everything. */
enum um_unwind_stop um_unwind_x86_walk(const struct um_unwind_x86_start *start,
                                       const struct um_unwind_x86_code *code,
                                       struct um_unwind_frame *frames, size_t cap, size_t *count);

#endif
