#include "monitor/sample/call_x86.h"

#include <string.h>

#include "base/plain/bytes.h"

#define CALL 0xe8
#define JUMP 0xe9
#define GROUP 0xff /* of several instructions: the middle three bits of the next byte say which */
#define GROUP_CALL 2
#define JUMP_BY_WORD 0x25
#define HAS_SIB 4
#define ABSOLUTE 5
#define PREFIX_FS 0x64 /* the word lies in the thread's environment block */

/* How many bytes a call of the group takes, from ModR/M and SIB on; 0: it is none. */
static unsigned group_bytes(const uint8_t *bytes, unsigned left)
{
    unsigned mode = bytes[0] >> 6;
    unsigned base = bytes[0] & 7;
    if ((bytes[0] >> 3 & 7) != GROUP_CALL)
        return 0;
    if (mode == 3)
        return 1;
    unsigned sib = base == HAS_SIB ? 1 : 0;
    if (sib > 0 && left < 2)
        return 0;
    if (mode == 0)
        return 1 + sib + ((sib > 0 ? (bytes[1] & 7) : base) == ABSOLUTE ? 4 : 0);
    return 1 + sib + (mode == 1 ? 1 : 4);
}

bool um_call_x86_before(const uint8_t bytes[UM_CALL_X86_BYTES], uint32_t behind,
                        struct um_call_x86 *call)
{
    struct um_call_x86 found = {.target = 0};
    if (bytes[UM_CALL_X86_BYTES - 5] == CALL) {
        found.is_direct = true;
        found.target = behind + um_bytes_get32(bytes + UM_CALL_X86_BYTES - 4);
    }
    for (unsigned at = 0; at + 2 <= UM_CALL_X86_BYTES; at++) {
        unsigned left = UM_CALL_X86_BYTES - at - 1;
        if (bytes[at] != GROUP || group_bytes(bytes + at + 1, left) != left)
            continue;
        bool is_word = left == 5 && bytes[at + 1] == (GROUP_CALL << 3 | ABSOLUTE);
        if (is_word && !(at > 0 && bytes[at - 1] == PREFIX_FS)) {
            found.is_by_word = true;
            found.word = um_bytes_get32(bytes + at + 2);
        } else {
            found.is_by_register = true;
        }
    }
    if (!found.is_direct && !found.is_by_word && !found.is_by_register)
        return false;
    *call = found;
    return true;
}

bool um_call_x86_jump(const uint8_t bytes[UM_CALL_X86_JUMP_BYTES], uint32_t address,
                      struct um_call_x86 *jump)
{
    struct um_call_x86 found = {.target = 0};
    found.is_by_word = bytes[0] == GROUP && bytes[1] == JUMP_BY_WORD;
    found.word = um_bytes_get32(bytes + 2);
    found.is_direct = bytes[0] == JUMP;
    found.target = address + 5 + um_bytes_get32(bytes + 1);
    if (!found.is_by_word && !found.is_direct)
        return false;
    *jump = found;
    return true;
}

bool um_call_x86_has_frame(const uint8_t bytes[UM_CALL_X86_PROLOGUE_BYTES])
{
    static const uint8_t patchable[] = {0x8b, 0xff}; /* mov edi, edi */
    bool is_patchable = memcmp(bytes, patchable, sizeof patchable) == 0;
    const uint8_t *at = bytes + (is_patchable ? sizeof patchable : 0);
    if (at[0] == 0x55) /* push ebp; mov ebp, esp, in either of its two forms */
        return (at[1] == 0x8b && at[2] == 0xec) || (at[1] == 0x89 && at[2] == 0xe5);
    /* push size; push table; call helper */
    if (bytes[0] == 0x6a)
        return bytes[2] == 0x68 && bytes[7] == CALL;
    return bytes[0] == 0x68 && bytes[5] == 0x68 && bytes[10] == CALL;
}
