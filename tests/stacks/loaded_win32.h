/* The modules of this process for the unwinder, and stacks of its threads by others' judgement. */
#ifndef UM_TESTS_LOADED_WIN32_H
#define UM_TESTS_LOADED_WIN32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <windows.h>

#include "monitor/sample/modules.h"
#include "tests/stacks/stack_file.h"

#define LOADED_MODULES 128

struct loaded_module {
    uint64_t base;
    uint32_t image_bytes;
    char name[64];
};

extern struct loaded_module loaded_modules[LOADED_MODULES];
extern size_t loaded_count;

/* Looks which modules there are now, and makes `um` of them; ends the program if it cannot. */
void loaded_look(struct um_modules *um);

/* Called with each piece of a module that the unwinder reads; NULL: nobody is. */
extern void (*loaded_on_read)(const struct loaded_module *module, uint32_t rva, size_t len);

/* The module that has an address, or NULL. */
const struct loaded_module *loaded_at(uint64_t address);

/* A thread that was stopped: what uimon would copy of it. */
struct loaded_stop {
    CONTEXT context;
    struct um_unwind_registers registers;
    struct um_unwind_stack stack; /* its bytes are in `bytes` */
    uint8_t *bytes;
    size_t cap;
};

/* The registers of a context. */
void loaded_registers(const CONTEXT *context, struct um_unwind_registers *registers);

/* Copies registers and stack of a thread that is suspended. False if there is no sense in them.
 * Owner: the caller, of stop->bytes (free). */
bool loaded_copy(struct loaded_stop *stop, HANDLE thread, uint64_t stack_base);

/* Frames of a stopped thread, the innermost first. Each returns whether it reached the thread's
 * start. By RtlVirtualUnwind, which reads the thread's own stack, so it must still be suspended; by
 * StackWalk64, from the copy, without stack pointers. */
struct loaded_frames {
    size_t count;
    struct stack_file_frame list[STACK_FILE_FRAMES];
};
bool loaded_virtual_unwind(const struct loaded_stop *stop, struct loaded_frames *frames);
bool loaded_stack_walk(const struct loaded_stop *stop, struct loaded_frames *frames);

/* Whether the instruction is in its function's prologue. */
bool loaded_is_prologue(uint64_t pc);

#endif
