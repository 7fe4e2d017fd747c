#include "monitor/dotnet/cursor.h"

#include <string.h>

#include "base/plain/bytes.h"
#include "base/plain/text.h"
#include "base/utf8.h"

const uint8_t *um_cursor_take(struct um_cursor *cursor, size_t len_bytes)
{
    if (cursor->failed || um_cursor_left(cursor) < len_bytes) {
        cursor->failed = true;
        return NULL;
    }
    cursor->at += len_bytes;
    return cursor->at - len_bytes;
}

uint8_t um_cursor_get8(struct um_cursor *cursor)
{
    const uint8_t *at = um_cursor_take(cursor, 1);
    return at ? *at : 0;
}

uint16_t um_cursor_get16(struct um_cursor *cursor)
{
    const uint8_t *at = um_cursor_take(cursor, 2);
    return at ? um_bytes_get16(at) : 0;
}

uint32_t um_cursor_get32(struct um_cursor *cursor)
{
    const uint8_t *at = um_cursor_take(cursor, 4);
    return at ? um_bytes_get32(at) : 0;
}

uint64_t um_cursor_get64(struct um_cursor *cursor)
{
    const uint8_t *at = um_cursor_take(cursor, 8);
    return at ? um_bytes_get64(at) : 0;
}

float um_cursor_get_float(struct um_cursor *cursor)
{
    uint32_t bits = um_cursor_get32(cursor);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

uint64_t um_cursor_get_varint(struct um_cursor *cursor, unsigned bits)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < bits; shift += 7) {
        uint8_t byte = um_cursor_get8(cursor);
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
    cursor->failed = true;
    return 0;
}

uint32_t um_cursor_get_character(struct um_cursor *cursor)
{
    uint32_t unit = um_cursor_get16(cursor);
    if (unit < 0xd800 || unit > 0xdfff)
        return unit;
    if (unit > 0xdbff || um_cursor_left(cursor) < 2)
        return '?';
    uint32_t low = um_bytes_get16(cursor->at);
    if (low < 0xdc00 || low > 0xdfff)
        return '?';
    cursor->at += 2;
    return 0x10000 + ((unit - 0xd800) << 10 | (low - 0xdc00));
}

bool um_cursor_get_text(struct um_cursor *cursor, char *text, size_t cap_bytes)
{
    size_t used = 0;
    uint32_t hash = UM_TEXT_HASH;
    bool full = false;
    for (;;) {
        char bytes[4];
        uint32_t character = um_cursor_get_character(cursor);
        if (character == 0 || cursor->failed)
            break;
        size_t len = um_utf8_encode(character, bytes);
        hash = um_text_hash(hash, bytes, len);
        full = full || used + len >= cap_bytes;
        if (full)
            continue;
        memcpy(text + used, bytes, len);
        used += len;
    }
    text[used] = '\0';
    if (full)
        um_text_mark_cut(text, cap_bytes, hash);
    return full;
}
