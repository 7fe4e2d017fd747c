#include "monitor/sample/epilog.h"

#include <string.h>

#include "base/plain/bytes.h"

/* The code that is left to read. */
struct code {
    const uint8_t *bytes;
    size_t len;
    size_t at;
};

/* A byte ahead, or -1 behind the end. */
static int peek(const struct code *code, size_t ahead)
{
    return ahead < code->len - code->at ? code->bytes[code->at + ahead] : -1;
}

static bool has(const struct code *code, size_t len)
{
    return len <= code->len - code->at;
}

/* A number with a sign, of one byte or four. */
static int32_t number(const struct code *code, size_t ahead, bool is_long)
{
    const uint8_t *bytes = code->bytes + code->at + ahead;
    return is_long ? (int32_t)um_bytes_get32(bytes) : (int8_t)bytes[0];
}

static bool take_number(struct code *code, bool is_long, int32_t *value)
{
    size_t len = is_long ? 7 : 4;
    if (!has(code, len))
        return false;
    *value = number(code, 3, is_long);
    code->at += len;
    return true;
}

/* add rsp, n: REX.W 83 or 81, with a ModRM byte that says rsp. */
static bool take_add(struct code *code, struct um_epilog *epilog)
{
    int op = peek(code, 1);
    if (peek(code, 0) != 0x48 || (op != 0x83 && op != 0x81) || peek(code, 2) != 0xc4)
        return false;
    return take_number(code, op == 0x81, &epilog->adjust);
}

/* lea rsp, [frame register + n]: REX.W, with REX.B for r8 to r15, then 8d and a ModRM byte. The
 * longer form with r12 is not recognised. That does no harm: before it, the frame register and so
 * the unwind data still apply. */
static bool take_lea(struct code *code, unsigned frame_register, struct um_epilog *epilog)
{
    int rex = peek(code, 0);
    int modrm = peek(code, 2);
    if (frame_register == UM_EPILOG_NO_FRAME || rex < 0 || (rex & 0xfe) != 0x48 ||
        peek(code, 1) != 0x8d || modrm < 0)
        return false;
    bool is_long = (modrm & 0xf8) == 0xa0;
    if ((!is_long && (modrm & 0xf8) != 0x60) || (modrm & 7) == 4 ||
        ((unsigned)(rex & 1) << 3 | (unsigned)(modrm & 7)) != frame_register)
        return false;
    epilog->is_relative_to_frame = take_number(code, is_long, &epilog->adjust);
    return epilog->is_relative_to_frame;
}

/* pop register: 58 to 5f, with REX.B for r8 to r15. */
static bool take_pop(struct code *code, struct um_epilog *epilog)
{
    int first = peek(code, 0);
    bool has_rex = first >= 0 && (first & 0xf0) == 0x40;
    int op = has_rex ? peek(code, 1) : first;
    if (op < 0 || (op & 0xf8) != 0x58 || epilog->pop_count == UM_EPILOG_POPS)
        return false;
    epilog->pops[epilog->pop_count++] =
        (uint8_t)((has_rex ? (unsigned)(first & 1) << 3 : 0U) | (unsigned)(op & 7));
    code->at += has_rex ? 2 : 1;
    return true;
}

/* jmp n: eb or e9. */
static bool read_jump(const struct code *code, struct um_epilog *epilog)
{
    bool is_long = peek(code, 0) == 0xe9;
    size_t len = is_long ? 5 : 2;
    if ((!is_long && peek(code, 0) != 0xeb) || !has(code, len))
        return false;
    epilog->is_jump = true;
    epilog->jump_bytes = (int64_t)(code->at + len) + number(code, 1, is_long);
    return true;
}

/* jmp by memory relative to the instruction (ff 25), or any other one with REX.W (ff /4). */
static bool is_jump_away(const struct code *code)
{
    int first = peek(code, 0);
    int modrm = peek(code, 2);
    if (first == 0xff)
        return peek(code, 1) == 0x25;
    return first >= 0 && (first & 0xf8) == 0x48 && peek(code, 1) == 0xff && modrm >= 0 &&
           (modrm & 0x38) == 0x20;
}

static bool is_return(const struct code *code)
{
    int op = peek(code, 0) == 0xf3 ? peek(code, 1) : peek(code, 0);
    return op == 0xc3 || (op == 0xc2 && peek(code, 0) == 0xc2);
}

bool um_epilog_read(const uint8_t *bytes, size_t len, unsigned frame_register, bool is_certain,
                    struct um_epilog *epilog)
{
    struct code code = {bytes, len, 0};
    memset(epilog, 0, sizeof *epilog);
    if (!take_add(&code, epilog))
        take_lea(&code, frame_register, epilog);
    while (take_pop(&code, epilog)) {
    }
    if (peek(&code, 0) == 0xf2)
        code.at++;
    return is_return(&code) || is_jump_away(&code) || read_jump(&code, epilog) || is_certain;
}
