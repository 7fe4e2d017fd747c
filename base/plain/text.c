#include "base/plain/text.h"

static int is_continuation(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/* Source: the table of well-formed sequences, The Unicode Standard, chapter 3, table 3-7. */
size_t um_text_character_bytes(const uint8_t *at, size_t left)
{
    uint8_t first = at[0];
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (left < size)
        return 0;
    for (size_t i = 1; i < size; i++)
        if (!is_continuation(at[i]))
            return 0;
    int overlong = (first == 0xe0 && at[1] < 0xa0) || (first == 0xf0 && at[1] < 0x90);
    int surrogate = first == 0xed && at[1] > 0x9f;
    int beyond = first == 0xf4 && at[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : size;
}

void um_text_copy(char *field, size_t cap_bytes, const uint8_t *text, size_t len_bytes)
{
    size_t from = 0;
    size_t to = 0;
    while (from < len_bytes && text[from] != 0) {
        size_t size = um_text_character_bytes(text + from, len_bytes - from);
        size_t room = size ? size : 1;
        if (to + room >= cap_bytes)
            break;
        for (size_t i = 0; i < room; i++)
            field[to + i] = size ? (char)text[from + i] : '?';
        from += room;
        to += room;
    }
    field[to] = 0;
}

void um_text_set(char *field, size_t cap_bytes, const char *text)
{
    size_t len_bytes = 0;
    /* Looks no further than the field, and the rest of a character at its end. */
    while (text && len_bytes < cap_bytes + 3 && text[len_bytes])
        len_bytes++;
    um_text_copy(field, cap_bytes, (const uint8_t *)text, len_bytes);
}

uint32_t um_text_hash(uint32_t hash, const char *bytes, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * UINT32_C(16777619);
    return hash;
}

void um_text_mark_cut(char *field, size_t cap_bytes, uint32_t hash)
{
    static const char ellipsis[] = "\xe2\x80\xa6#";
    static const char digits[] = "0123456789abcdef";
    size_t at = 0, most = cap_bytes - sizeof ellipsis - 4;
    while (at < most && field[at])
        at++;
    while (at > 0 && is_continuation((uint8_t)field[at]))
        at--;
    for (size_t i = 0; i + 1 < sizeof ellipsis; i++)
        field[at++] = ellipsis[i];
    for (int shift = 12; shift >= 0; shift -= 4)
        field[at++] = digits[(hash ^ hash >> 16) >> shift & 15];
    field[at] = 0;
}
