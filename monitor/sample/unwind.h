/* The unwinder of x64: registers and a copy of the stack in, frames out.
 *
 * A thread was stopped for a moment, and its registers and the used part of its stack were copied.
 * From that, and from the unwind data of the running code, this finds which functions had called
 * each other. It reads code and unwind data only through callbacks, and allocates nothing. A walk
 * always ends, because every frame must lie further up the stack than the one before it.
 *
 * For generated code, which only the target itself knows, an answer may be missing for the moment.
 * The walk then stops with UM_UNWIND_PENDING and continues when it is run again. A reader starts at
 * um_unwind_begin, and then at um_unwind_run. Unwinding a stack of 50 frames takes some 5 µs if the
 * callbacks read memory.
 *
 * It knows the versions 1 and 2 of the unwind data, with all their codes. A walk stops at version
 * 3, which is for code with the registers of APX and is only a preview. Vector registers are not
 * followed, because no return address depends on them.
 *
 * Source: "x64 exception handling", Microsoft Learn. What it leaves open (version 2, which jumps
 * end a function, from where a frame register counts) is as in Windows' own unwinder, which is
 * published with .NET (src/coreclr/unwinder/amd64/unwinder.cpp).
 */
#ifndef UM_MONITOR_UNWIND_H
#define UM_MONITOR_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "monitor/sample/pdata.h"

/* Integer registers by their numbers in x64's encoding: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, and
 * r8 to r15. */
#define UM_UNWIND_REGISTERS 16
#define UM_UNWIND_RSP 4

struct um_unwind_registers {
    uint64_t pc; /* rip: the next instruction */
    uint64_t integer[UM_UNWIND_REGISTERS];
};

/* A copy of a part of the stack. Bytes below rsp are not needed. */
struct um_unwind_stack {
    uint64_t address; /* of the first byte, in the thread's memory */
    const uint8_t *bytes;
    size_t len;
};

/* Code that belongs to no module. */
#define UM_UNWIND_NO_MODULE (-1)

/* A function as um_unwind_code finds it. */
struct um_unwind_function {
    uint64_t base;  /* what its RVAs are relative to; for code of a module that module's base */
    int32_t module; /* its index, or UM_UNWIND_NO_MODULE; also where no function is found */
    struct um_pdata_function rva;
};

enum um_unwind_answer {
    UM_UNWIND_FOUND = 0,
    UM_UNWIND_NONE = 1,      /* there is no entry for this code, or no code */
    UM_UNWIND_UNKNOWN = 2,   /* for example because the memory cannot be read */
    UM_UNWIND_NOT_YET = 3,   /* an answer is on its way: run the walk again when it is there */
    UM_UNWIND_UNREADABLE = 4 /* the data contradicts itself */
};

/* Where code and unwind data are found. Both are called on the thread of um_unwind_run.
 *
 * `find` finds the function that has the byte at `pc`. For FOUND it fills in all of `function`, for
 * NONE only `base` and `module`.
 *
 * `read` reads `len` bytes at `rva`, all of them or none: unwind data of a function that was found,
 * its code where the thread was interrupted, and two bytes of code of a module where there is no
 * function. */
struct um_unwind_code {
    void *context;
    enum um_unwind_answer (*find)(void *context, uint64_t pc, struct um_unwind_function *function);
    enum um_unwind_answer (*read)(void *context, const struct um_unwind_function *function,
                                  uint32_t rva, void *bytes, size_t len);
};

/* How a frame was found. */
enum um_unwind_flags {
    UM_UNWIND_FIRST = 1,    /* it is where the thread was stopped */
    UM_UNWIND_LEAF = 2,     /* the frame before it has no unwind data and was taken for a leaf */
    UM_UNWIND_TABLE = 4,    /* by the unwind data of the frame before it */
    UM_UNWIND_EPILOG = 8,   /* the frame before it was in its epilogue: by the rest of that code */
    UM_UNWIND_MACHINE = 16, /* the processor or the system stored it at an interrupt, exception or
                             * callback, so it is where the thread was interrupted */
    /* For x86 only (unwind_x86.h): */
    UM_UNWIND_POINTER = 32,  /* by the frame pointer */
    UM_UNWIND_SEARCHED = 64, /* by searching the stack for what a call leaves there */
    UM_UNWIND_GUESSED = 128  /* and nothing else says that this call has called the frame before */
};

struct um_unwind_frame {
    uint64_t pc; /* where it continues: a return address unless FIRST or MACHINE. The line of a
                  * return address is that of pc − 1, as a call can be the last of its line. */
    uint64_t sp; /* rsp in this frame, with nothing of the frames before it */
    int32_t module;
    uint32_t flags;
    uint64_t offset; /* of pc from the module's base; 0 without a module */
};

/* Why a walk stopped. */
enum um_unwind_stop {
    UM_UNWIND_START = 0,       /* it is complete: it has reached the thread's start */
    UM_UNWIND_PENDING = 1,     /* an answer is missing: run it again */
    UM_UNWIND_STACK_ENDED = 2, /* the last frame's caller is beyond the copy of the stack */
    UM_UNWIND_NO_DATA = 3,     /* nothing is known of the last frame's code */
    UM_UNWIND_DAMAGED = 4, /* the last frame's unwind data contradicts itself, or the stack does not
                            * fit it */
    UM_UNWIND_LOOP = 5,    /* the last frame's caller would lie below it */
    UM_UNWIND_LIMIT = 6,   /* there is no room for more frames */
    UM_UNWIND_CALLBACK = 7, /* Wine has called the last frame back from an unknown place */
    UM_UNWIND_VERSION = 8   /* the last frame's unwind data is of a version not known here */
};

/* A walk. Private to unwind.c, but for `frame_count`. Nothing to release. */
struct um_unwind {
    struct um_unwind_registers registers; /* in the last frame */
    struct um_unwind_stack stack;
    struct um_unwind_frame *frames;
    size_t frame_cap;
    size_t frame_count; /* frames that are known */
    const struct um_unwind_registers *callers;
    size_t caller_count;
};

/* Begins a walk. The first frame is there at once, without its module.
 * Owner: the caller, of everything; `frames` (at least one) and the bytes of the stack must outlive
 * the walk. */
void um_unwind_begin(struct um_unwind *walk, const struct um_unwind_registers *registers,
                     const struct um_unwind_stack *stack, struct um_unwind_frame *frames,
                     size_t frame_cap);

/* Gives a walk the registers at the system calls out of which Wine has called the program back: see
 * callback.h. Owner: the caller, of `callers`, which must outlive the walk. */
void um_unwind_callers(struct um_unwind *walk, const struct um_unwind_registers *callers,
                       size_t count);

/* Finds frames until it must stop. After PENDING it can be called again to continue. After anything
 * else it stops again for the same reason. */
enum um_unwind_stop um_unwind_run(struct um_unwind *walk, const struct um_unwind_code *code);

/* The reason in words, as "the unwind data is damaged"; never NULL.
 * Owner: static text. Thread: any. */
const char *um_unwind_stop_text(enum um_unwind_stop stop);

#endif
