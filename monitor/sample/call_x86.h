/* Call instructions of x86: whether one ends at an address, and what it calls.
 *
 * A return address on a stack is the address behind a call. So a word that is no such address is no
 * return address; and if the call's target is known, the function that it has called is known too.
 * Pure. A reader starts at um_call_x86_before.
 *
 * Source: "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 2, CALL and the
 * encoding of ModR/M and SIB.
 */
#ifndef UM_MONITOR_CALL_X86_H
#define UM_MONITOR_CALL_X86_H

#include <stdbool.h>
#include <stdint.h>

#define UM_CALL_X86_BYTES 7 /* the longest call */

/* What ends at the address. The bytes of one call may contain a shorter one, so there may be more
 * than one of these. */
struct um_call_x86 {
    bool is_direct; /* it calls `target` */
    uint32_t target;
    bool is_by_word; /* it calls the address that is stored at `word` */
    uint32_t word;
    bool is_by_register; /* it calls what a register says, or a word that one points to */
};

/* Looks at the bytes before the address `behind`. False: no call ends there. */
bool um_call_x86_before(const uint8_t bytes[UM_CALL_X86_BYTES], uint32_t behind,
                        struct um_call_x86 *call);

/* Where a jump goes that does nothing else: as linkers make them for imported functions. `bytes`
 * are those at the address. False: it is none. `is_by_word` and `word`, or `is_direct` and
 * `target`, of `jump` are filled in. */
#define UM_CALL_X86_JUMP_BYTES 6
bool um_call_x86_jump(const uint8_t bytes[UM_CALL_X86_JUMP_BYTES], uint32_t address,
                      struct um_call_x86 *jump);

/* Whether a function begins with what makes ebp its frame pointer: compilers' usual prologue, or a
 * call of the helper by which Visual C++ makes frames with exception handlers. */
#define UM_CALL_X86_PROLOGUE_BYTES 11
bool um_call_x86_has_frame(const uint8_t bytes[UM_CALL_X86_PROLOGUE_BYTES]);

#endif
