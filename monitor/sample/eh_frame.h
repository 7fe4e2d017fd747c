/* The unwind data that GCC and Clang put into programs and DLLs for x86: their section .eh_frame.
 *
 * A record of it (an FDE) stands for a function, and says for each instruction where the caller's
 * registers are, relative to the canonical frame address (CFA): the address just above the return
 * address. The other compilers for x86 write no unwind data. This reads a copy of the section,
 * trusts nothing in it, and keeps a sorted list of its functions. A reader starts at
 * um_eh_frame_open. Not on the hot path. Thread: one at a time.
 *
 * Source: "DWARF Debugging Information Format", version 4, 2.5 and 6.4; "Linux Standard Base Core",
 * 10.6, for what .eh_frame has otherwise. Registers have the numbers of x86's encoding, as in
 * GCC's code for Windows.
 */
#ifndef UM_MONITOR_EH_FRAME_H
#define UM_MONITOR_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

#define UM_EH_FRAME_MOST_BYTES (4 * 1024 * 1024)
#define UM_EH_FRAME_REGISTERS 8                  /* eax to edi */
#define UM_EH_FRAME_RETURN UM_EH_FRAME_REGISTERS /* the return address counts as one more */
#define UM_EH_FRAME_PLACES (UM_EH_FRAME_REGISTERS + 1)

/* A function. Private to eh_frame.c. */
struct um_eh_frame_entry {
    uint32_t begin_rva, end_rva;
    uint32_t record; /* offset of its FDE */
};

/* Private to eh_frame.c. Zeroed: it has no functions. */
struct um_eh_frame {
    uint8_t *bytes;
    size_t len;
    uint32_t base;                     /* of the image */
    uint32_t rva;                      /* of the section */
    struct um_eh_frame_entry *entries; /* by their begins */
    size_t count;
};

/* How a value of the caller is found. */
enum um_eh_frame_how {
    UM_EH_FRAME_SAME = 0,       /* the register has not been changed */
    UM_EH_FRAME_UNKNOWN = 1,    /* it is lost; for the return address: there is no caller */
    UM_EH_FRAME_STORED = 2,     /* it is stored at CFA + offset */
    UM_EH_FRAME_SUM = 3,        /* it is CFA + offset; for the CFA: a register + offset */
    UM_EH_FRAME_STORED_AT = 4,  /* it is stored where the expression says */
    UM_EH_FRAME_EXPRESSION = 5, /* it is what the expression says */
    UM_EH_FRAME_MOVED = 6       /* it is in another register */
};

struct um_eh_frame_place {
    uint8_t how;  /* enum um_eh_frame_how */
    uint8_t from; /* a register */
    int32_t offset;
    uint32_t expression, expression_bytes; /* in the section */
};

/* What counts at one instruction. */
struct um_eh_frame_row {
    uint32_t begin_rva, end_rva; /* of the function */
    struct um_eh_frame_place cfa;
    struct um_eh_frame_place places[UM_EH_FRAME_PLACES];
};

/* What an expression may use: registers that are known, and the thread's memory. */
struct um_eh_frame_state {
    uint32_t registers[UM_EH_FRAME_REGISTERS];
    unsigned known; /* bit n: register n */
    void *context;
    bool (*load)(void *context, uint32_t address, uint32_t *value);
};

/* Whether a section may be .eh_frame: it begins with a record for what follows (a CIE). Its name
 * does not tell: names of more than 8 bytes are not in an image's memory. */
#define UM_EH_FRAME_PROBE_BYTES 16
bool um_eh_frame_is_one(const uint8_t bytes[UM_EH_FRAME_PROBE_BYTES]);

/* Makes the list of a section's functions. Records that cannot be read are left out.
 * Owner: takes `bytes`, which malloc made, and frees them also on failure; um_eh_frame_close.
 * Errors: UM_ERR_TOO_LARGE, UM_ERR_MEMORY. */
enum um_status um_eh_frame_open(uint8_t *bytes, size_t len, uint32_t base, uint32_t rva,
                                struct um_eh_frame *eh_frame);

/* Accepts a zeroed one. */
void um_eh_frame_close(struct um_eh_frame *eh_frame);

/* Finds the function with the byte at `rva`, and what counts there. False: there is none, or its
 * record contradicts itself. */
bool um_eh_frame_find(const struct um_eh_frame *eh_frame, uint32_t rva,
                      struct um_eh_frame_row *row);

/* The CFA of a row. False: something that it needs is not known. */
bool um_eh_frame_cfa(const struct um_eh_frame *eh_frame, const struct um_eh_frame_row *row,
                     const struct um_eh_frame_state *state, uint32_t *cfa);

/* The caller's value of a register, or the return address (UM_EH_FRAME_RETURN). False: it is not
 * known. */
bool um_eh_frame_value(const struct um_eh_frame *eh_frame, const struct um_eh_frame_row *row,
                       const struct um_eh_frame_state *state, uint32_t cfa, unsigned place,
                       uint32_t *value);

#endif
