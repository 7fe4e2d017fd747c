/* Reads numbers and texts from bytes, as a .NET runtime writes them: little-endian, without
 * padding. Reading beyond their end gives 0, and the cursor has failed for good. Pure; not on the
 * hot path.
 */
#ifndef UM_MONITOR_CURSOR_H
#define UM_MONITOR_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct um_cursor {
    const uint8_t *at, *end;
    bool failed;
};

static inline size_t um_cursor_left(const struct um_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

/* The next `len_bytes`; NULL if there are not so many. */
const uint8_t *um_cursor_take(struct um_cursor *cursor, size_t len_bytes);

uint8_t um_cursor_get8(struct um_cursor *cursor);
uint16_t um_cursor_get16(struct um_cursor *cursor);
uint32_t um_cursor_get32(struct um_cursor *cursor);
uint64_t um_cursor_get64(struct um_cursor *cursor);
float um_cursor_get_float(struct um_cursor *cursor);

/* A number of 7 bits a byte, the lowest first, the last one without its high bit. */
uint64_t um_cursor_get_varint(struct um_cursor *cursor, unsigned bits);

/* A character of UTF-16; '?' for half of a surrogate pair. */
uint32_t um_cursor_get_character(struct um_cursor *cursor);

/* A text of UTF-16 that ends in a NUL, as UTF-8, cut between two characters to `cap_bytes` (16 or
 * more) and then marked (um_text_mark_cut). Returns whether it was cut. */
bool um_cursor_get_text(struct um_cursor *cursor, char *text, size_t cap_bytes);

#endif
