/* Recognises from a function's code that it is in its epilogue: it has begun to free its frame.
 *
 * The unwind data of version 1 describes how a function sets up its frame, but not how it frees it.
 * For that, x64 prescribes the form of the code, so that an unwinder can recognise the rest of an
 * epilogue from the next bytes, and do it:
 *
 *   add rsp, n | lea rsp, [frame register + n]      at most once
 *   pop register                                    any number
 *   ret | jmp to another function                   with or without a rep, repne or bnd prefix
 *
 * An indirect jump leaves the function if it has the prefix REX.W, or its memory is addressed
 * relative to the instruction. Otherwise it is taken for a switch. A pure function.
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
#define UM_EPILOG_BYTES 48   /* the longest epilogue is 7 + 16 * 2 + 1 + 6 bytes */
#define UM_EPILOG_NO_FRAME 0 /* the function has no frame register */

/* What is left to do in an epilogue. */
struct um_epilog {
    bool is_relative_to_frame; /* rsp is the frame register and `adjust`, else rsp and `adjust` */
    int32_t adjust;            /* bytes */
    unsigned pop_count;
    uint8_t pops[UM_EPILOG_POPS]; /* registers, by their numbers in x64's encoding */
    bool is_jump;                 /* it ends with a direct jump */
    int64_t jump_bytes; /* to where, from the first byte that was read. The caller checks that this
                         * is not in the function; else it is no epilogue. */
};

/* Reads the code from the next instruction on. False: this does not look like the rest of an
 * epilogue. `frame_register`: by its number, or UM_EPILOG_NO_FRAME. `is_certain`: the unwind data
 * says that it is an epilogue, so anything may follow after the pops. */
bool um_epilog_read(const uint8_t *code, size_t len, unsigned frame_register, bool is_certain,
                    struct um_epilog *epilog);

#endif
