/* Recorded stacks: what a thread's registers and stack were, what of its modules an unwinder needs,
 * and which frames there were by others' judgement. tests/win/stacks_win32.c writes them,
 * tests/unit/sample/test_stacks.c unwinds them.
 *
 * A file is the 8 bytes "UMSTACK1" and then blocks, all numbers little-endian:
 *
 *   block    u32 kind, u32 length of what follows, and that
 *   MODULE   u64 base, u32 size in memory, and its name (the rest)
 *   BYTES    u64 address, and the bytes that are there (the rest), in the last MODULE
 *   SAMPLE   17 u64: rip and the integer registers by their numbers in x64's encoding; u64 address
 *            and u64 length of the stack; and its name (the rest)
 *   STACK    u64 address, and the bytes that are there (the rest), in the stack of the last SAMPLE;
 *            the stack has zeros where no block has anything
 *   TRUTH    of the last SAMPLE: for each frame u64 pc and u64 rsp, the innermost first, up to the
 *            thread's start, by Windows' or Wine's RtlVirtualUnwind; StackWalk64 said the same pc
 *   KNOWN    of the last SAMPLE: u64 begin of each function of the program that called each other,
 *            the innermost first, by the program's own knowledge
 *   OWN      u64 begin of each function that KNOWN may name; other frames may lie between them
 */
#ifndef UM_TESTS_STACK_FILE_H
#define UM_TESTS_STACK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/sample/modules.h"

#define STACK_FILE_MAGIC "UMSTACK1"
#define STACK_FILE_MODULES 32
#define STACK_FILE_SAMPLES 64
#define STACK_FILE_FRAMES 256

enum stack_file_kind {
    STACK_FILE_MODULE = 1,
    STACK_FILE_BYTES = 2,
    STACK_FILE_SAMPLE = 3,
    STACK_FILE_STACK = 4,
    STACK_FILE_TRUTH = 5,
    STACK_FILE_KNOWN = 6,
    STACK_FILE_OWN = 7
};

struct stack_file_frame {
    uint64_t pc;
    uint64_t sp;
};

struct stack_file_module {
    uint64_t base;
    uint32_t image_bytes;
    char name[64];
    uint8_t *image; /* zeros where nothing was recorded */
};

struct stack_file_sample {
    char name[64];
    struct um_unwind_registers registers;
    struct um_unwind_stack stack;
    uint8_t *stack_bytes; /* the stack's, to be released */
    size_t truth_count;
    struct stack_file_frame truth[STACK_FILE_FRAMES];
    size_t known_count;
    uint64_t known[STACK_FILE_FRAMES];
};

/* Too large for the stack. */
struct stack_file {
    size_t module_count;
    struct stack_file_module modules[STACK_FILE_MODULES];
    size_t sample_count;
    struct stack_file_sample samples[STACK_FILE_SAMPLES];
    size_t own_count;
    uint64_t own[STACK_FILE_FRAMES];
};

/* Reads a file; false if it is damaged or not there. Owner: stack_file_release, also of a zeroed
 * one. */
bool stack_file_read(struct stack_file *file, const char *path);
void stack_file_release(struct stack_file *file);

/* Gives all modules to the unwinder. Owner: the caller, of `entries` (STACK_FILE_MODULES of them).
 * `file` must outlive it. */
bool stack_file_modules(struct stack_file *file, struct um_modules *modules,
                        struct um_modules_entry *entries);

/* Of the frames of the file's own functions, the begins of those functions, the innermost first.
 * Returns how many there are, at most STACK_FILE_FRAMES. */
size_t stack_file_own_functions(const struct stack_file *file, const struct um_unwind_code *code,
                                const struct um_unwind_frame *frames, size_t count,
                                uint64_t *begins);

#endif
