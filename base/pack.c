#include "base/pack.h"

#include <stdlib.h>

#include "base/list.h"

void um_pack_byte(struct um_pack *packed, uint8_t byte)
{
    if (packed->len == packed->cap)
        packed->failed |=
            !um_list_reserve(&packed->bytes, &packed->cap, packed->len + 1, SIZE_MAX, 1);
    if (packed->failed)
        return;
    packed->bytes[packed->len++] = byte;
}

void um_pack_number(struct um_pack *packed, uint64_t number)
{
    while (number >= 128) {
        um_pack_byte(packed, (uint8_t)(number | 128));
        number >>= 7;
    }
    um_pack_byte(packed, (uint8_t)number);
}

void um_pack_signed(struct um_pack *packed, int64_t number)
{
    um_pack_number(packed,
                   number < 0 ? ((uint64_t) - (number + 1) << 1) + 1 : (uint64_t)number << 1);
}

char *um_pack_base64(const struct um_pack *packed)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *bytes = packed->bytes;
    char *text = packed->failed ? NULL : malloc((packed->len + 2) / 3 * 4 + 1);
    char *out = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < packed->len; i += 3) {
        size_t left = packed->len - i;
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= left > 2 ? bytes[i + 2] : 0;
        *out++ = digits[group >> 18];
        *out++ = digits[group >> 12 & 63];
        *out++ = left > 1 ? digits[group >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[group & 63] : '=';
    }
    *out = '\0';
    return text;
}

void um_pack_deinit(struct um_pack *packed)
{
    free(packed->bytes);
    *packed = (struct um_pack){.bytes = NULL};
}
