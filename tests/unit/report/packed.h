/* Reads the packed lists of a report's page: numbers in base 64. Header-only. */
#ifndef UM_TESTS_PACKED_H
#define UM_TESTS_PACKED_H

#include <stdint.h>
#include <string.h>

#include "tests/json_read.h"

struct packed {
    uint8_t bytes[1 << 19];
    size_t len;
    size_t at;
};

/* The list of this name. Owner: static, until the next call. */
static inline struct packed *packed_read(const cJSON *data, const char *name)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static struct packed packed;
    const char *text = json_text(data, name);
    uint32_t bits = 0;
    int held = 0;
    packed.len = packed.at = 0;
    cr_assert_eq(strlen(text) % 4, 0);
    cr_assert_lt(strlen(text), sizeof packed.bytes);
    for (; *text != '\0' && *text != '='; text++) {
        const char *digit = strchr(digits, *text);
        cr_assert_not_null(digit);
        bits = bits << 6 | (uint32_t)(digit - digits);
        held += 6;
        if (held >= 8) {
            held -= 8;
            packed.bytes[packed.len++] = (uint8_t)(bits >> held);
        }
    }
    return &packed;
}

static inline unsigned packed_byte(struct packed *from)
{
    cr_assert_lt(from->at, from->len);
    return from->bytes[from->at++];
}

static inline uint64_t packed_number(struct packed *from)
{
    uint64_t number = 0;
    unsigned byte = 128;
    for (int shift = 0; byte & 128; shift += 7) {
        byte = packed_byte(from);
        number |= (uint64_t)(byte & 127) << shift;
    }
    return number;
}

#endif
