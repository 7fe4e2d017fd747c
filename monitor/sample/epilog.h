/* The end of a function, read from its code: has it begun to give up its frame?
 *
 * The unwind data of version 1 says how a function sets up its frame, and nothing about how it
 * gives it up. For that, x64 prescribes what the code must look like, so that an unwinder can see
 * from the bytes ahead that it is there, and do what is left of it:
 *
 *   add rsp, n | lea rsp, [frame register + n]      at most once
 *   pop register                                    any number
 *   ret | jmp to another function                   with or without a rep, repne or bnd prefix
 *
 * A jump by a register or by memory leaves the function if it has the prefix REX.W, or its memory
 * is addressed relative to the instruction. Otherwise it is taken for a switch. A pure function.
 *
 * Source: "x64 prolog and epilog", Microsoft Learn. What it leaves open is as in Windows' own
 * unwinder, which is published with .NET (src/coreclr/unwinder/amd64/unwinder.cpp).
 */
#ifndef UM_MONITOR_EPILOG_H
#define UM_MONITOR_EPILOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UM_EPILOG_POPS 16    /* there are no more registers */
#define UM_EPILOG_BYTES 48   /* how much code is needed to see one: 7 + 16 * 2 + 1 + 6 */
#define UM_EPILOG_NO_FRAME 0 /* the function has no frame register */

/* What is left to do. */
struct um_epilog {
    bool is_relative_to_frame; /* rsp is the frame register and `adjust`, else rsp and `adjust` */
    int32_t adjust;            /* bytes */
    unsigned pop_count;
    uint8_t pops[UM_EPILOG_POPS]; /* registers, by their numbers in x64's encoding */
    bool is_jump;                 /* the last one is a direct jump, by ... */
    int64_t jump_bytes; /* ... counted from the first byte that was read. Only if that is not in
                         * this function is it an epilogue: the caller looks. */
};

/* Reads the code from the next instruction on. False: this is not the rest of an epilogue, as far
 * as it can be seen. `frame_register`: by its number, or UM_EPILOG_NO_FRAME. `is_certain`: the
 * unwind data says that it is one, so whatever comes behind the pops ends it. */
bool um_epilog_read(const uint8_t *code, size_t len, unsigned frame_register, bool is_certain,
                    struct um_epilog *epilog);

#endif
