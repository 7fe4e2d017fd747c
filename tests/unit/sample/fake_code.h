/* A made-up program of a few functions, in module 3, and a made-up stack, for tests of the
 * unwinder. */
#ifndef UM_TESTS_FAKE_CODE_H
#define UM_TESTS_FAKE_CODE_H

#include "monitor/sample/unwind.h"

#define FAKE_BASE UINT64_C(0x140000000)
#define FAKE_STACK UINT64_C(0x200000) /* where the stack's copy begins */
#define FAKE_WORDS 64
#define FAKE_BYTES 0x4000
#define FAKE_UNWIND 0x2000 /* RVA of the first unwind data */

struct fake_code {
    uint8_t bytes[FAKE_BYTES];
    struct um_unwind_function functions[8];
    size_t function_count;
    size_t stands_for[8]; /* not 0: the entry stands for that function, as indirect ones do */
    uint32_t unwind_rva;  /* where the next unwind data goes */
    uint8_t stack_bytes[FAKE_WORDS * 8];  /* set by fake_word */
    enum um_unwind_answer find_answer;    /* what find says of addresses in none of them */
    enum um_unwind_answer read_answer;    /* what read says, unless FOUND */
    unsigned reads;                       /* how often it was asked */
    struct um_unwind_registers registers; /* of the first frame */
    struct um_unwind_frame frames[16];
    struct um_unwind walk;
};

/* No functions, and a stack of zeros that begins at FAKE_STACK, which is also rsp. */
void fake_init(struct fake_code *fake);

/* Adds a function with unwind data as it lies in memory. Its RVAs are those of the arguments. */
struct um_unwind_function *fake_function(struct fake_code *fake, uint32_t begin_rva,
                                         uint32_t end_rva, const void *unwind, size_t len);

/* Puts instructions at an RVA. */
void fake_put(struct fake_code *fake, uint32_t rva, const void *bytes, size_t len);

/* Sets the word at an index, counted from FAKE_STACK. */
void fake_word(struct fake_code *fake, size_t index, uint64_t value);

struct um_unwind_code fake_source(struct fake_code *fake);

/* Begins the walk at an RVA, with `cap` frames at most, and runs it. */
enum um_unwind_stop fake_walk(struct fake_code *fake, uint32_t rva, size_t cap);

#endif
