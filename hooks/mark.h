/* The records of the program's own markers (markers/uimon.h): how a call is packed on the thread
 * that makes it, and how the worker unpacks it into MARK frames.
 *
 * A record is words, so that it can lie in hooks/mark_ring.h:
 *
 *   word 0   bits 0-3 enum um_mark, bit 4 something was cut, bits 8-15 how many fields, bits 16-23
 *            the name's length, bits 24-31 the category's, bits 32-63 the thread
 *   word 1   the record's own number, which the ring gives it
 *   word 2   counter ticks
 *   word 3   of END: the number of the interval's BEGIN
 *   bytes    the name, the category, and the fields: each a byte for the kind, a byte for the
 *            length of its name, the name, and then of a text a byte for the length and the text,
 *            of others 8 bytes
 *
 * What the program gives is copied, and no more of it is read than a record holds. Packing is on
 * the hot path, on any thread of the target. Freestanding and portable.
 */
#ifndef UM_HOOKS_MARK_H
#define UM_HOOKS_MARK_H

#include <stdint.h>

#include "base/plain/clock.h"
#include "ipc/wire.h"

#define UIMON_TYPES_ONLY /* this DLL has no markers of its own */
#include "markers/uimon.h"

#define UM_MARK_FIELDS 8
#define UM_MARK_HEAD_WORDS 4
#define UM_MARK_NAME_MOST (UM_WIRE_MARKER_NAME_BYTES - 1)
#define UM_MARK_TEXT_MOST (UM_WIRE_MARKER_TEXT_BYTES - 1)
#define UM_MARK_BYTES_MOST                                                                         \
    (2 * UM_MARK_NAME_MOST + UM_MARK_FIELDS * (3 + UM_MARK_NAME_MOST + UM_MARK_TEXT_MOST))
#define UM_MARK_WORDS_MOST (UM_MARK_HEAD_WORDS + (UM_MARK_BYTES_MOST + 7) / 8)

#define UM_MARK_FRAME_BYTES 34 /* of a MARK with empty texts and without fields, and of a field */
#define UM_MARK_FIELD_BYTES 13

#define UM_MARK_IS_CUT 16u /* in word 0 */

struct um_mark_record {
    uint64_t words[UM_MARK_WORDS_MOST];
};

/* Where the next byte of a record is. */
struct um_mark_cursor {
    uint64_t *words;
    uint32_t at; /* in bytes, from word 0 */
};

/* Words are filled low byte first, so that the record is the same on all machines. */
static inline void um_mark_put_byte(struct um_mark_cursor *to, uint8_t byte)
{
    uint32_t shift = 8 * (to->at % 8);
    uint64_t *word = &to->words[to->at / 8];
    *word = (shift ? *word : 0) | (uint64_t)byte << shift;
    to->at++;
}

/* Puts at most `most` bytes of a text, cut where a character ends; notes in `cut` if it was longer.
 * NULL: an empty text. Returns how many. */
static inline uint8_t um_mark_put_text(struct um_mark_cursor *to, const char *text, uint32_t most,
                                       int *cut)
{
    uint32_t len = 0;
    while (text && len < most && text[len])
        um_mark_put_byte(to, (uint8_t)text[len++]);
    if (len == most && text[len]) {
        *cut = 1;
        /* A character has at most three bytes behind its first one. */
        while (len > 0 && most - len < 3 && ((uint8_t)text[len] & 0xc0) == 0x80) {
            len--;
            to->at--;
            to->words[to->at / 8] &= ~(UINT64_C(0xff) << 8 * (to->at % 8));
        }
    }
    return (uint8_t)len;
}

static inline void um_mark_put_field(struct um_mark_cursor *to, const struct uimon_field *field,
                                     int *cut)
{
    union {
        double number;
        uint64_t bits;
    } value = {.number = field->number};
    um_mark_put_byte(to, field->kind > UIMON_FLOW_END ? UIMON_TEXT : (uint8_t)field->kind);
    uint32_t length_at = to->at;
    um_mark_put_byte(to, 0);
    uint8_t len = um_mark_put_text(to, field->name, UM_MARK_NAME_MOST, cut);
    to->words[length_at / 8] |= (uint64_t)len << 8 * (length_at % 8);
    if (field->kind == UIMON_TEXT || field->kind > UIMON_FLOW_END) {
        length_at = to->at;
        um_mark_put_byte(to, 0);
        len = um_mark_put_text(to, field->text, UM_MARK_TEXT_MOST, cut);
        to->words[length_at / 8] |= (uint64_t)len << 8 * (length_at % 8);
        return;
    }
    uint64_t bits = field->kind == UIMON_NUMBER ? value.bits : field->id;
    for (uint32_t i = 0; i < 8; i++)
        um_mark_put_byte(to, (uint8_t)(bits >> 8 * i));
}

/* Packs a call, and returns how many words it takes. `interval` is that of an END, else 0. */
static inline uint32_t um_mark_pack(struct um_mark_record *record, enum um_wire_mark_what what,
                                    uint32_t thread, uint64_t ticks, uint64_t interval,
                                    const char *name, const char *category,
                                    const struct uimon_field *fields, uint32_t count)
{
    struct um_mark_cursor to = {record->words, 8 * UM_MARK_HEAD_WORDS};
    int cut = fields && count > UM_MARK_FIELDS;
    uint32_t kept = !fields ? 0 : cut ? UM_MARK_FIELDS : count;
    uint64_t name_len = um_mark_put_text(&to, name, UM_MARK_NAME_MOST, &cut);
    uint64_t category_len = um_mark_put_text(&to, category, UM_MARK_NAME_MOST, &cut);
    for (uint32_t i = 0; i < kept; i++)
        um_mark_put_field(&to, &fields[i], &cut);
    record->words[0] = (uint64_t)what | (cut ? UM_MARK_IS_CUT : 0) | (uint64_t)kept << 8 |
                       name_len << 16 | category_len << 24 | (uint64_t)thread << 32;
    record->words[1] = 0;
    record->words[2] = ticks;
    record->words[3] = interval;
    return (to.at + 7) / 8;
}

/* Unpacking ------------------------------------------------------------------------------------ */

/* Where the worker is in a record. */
struct um_mark_reader {
    const uint64_t *words;
    uint32_t end; /* in bytes */
    uint32_t at;
    uint32_t fields; /* that were not read yet */
};

/* 0 behind the end. */
static inline uint8_t um_mark_get_byte(struct um_mark_reader *from)
{
    uint8_t byte =
        from->at < from->end ? (uint8_t)(from->words[from->at / 8] >> 8 * (from->at % 8)) : 0;
    from->at++;
    return byte;
}

/* Reads a text of so many bytes, of which at most `cap_bytes` - 1 fit. Returns its length. */
static inline uint32_t um_mark_get_text(struct um_mark_reader *from, uint32_t len, char *text,
                                        uint32_t cap_bytes)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < len; i++) {
        uint8_t byte = um_mark_get_byte(from);
        if (kept + 1 < cap_bytes)
            text[kept++] = (char)byte;
    }
    text[kept] = '\0';
    return kept;
}

/* Returns how many bytes it takes in a frame. */
static inline uint32_t um_mark_get_field(struct um_mark_reader *from,
                                         struct um_wire_mark_field *field)
{
    static const uint8_t kinds[] = {UM_MARKER_FIELD_TEXT, UM_MARKER_FIELD_NUMBER,
                                    UM_MARKER_FIELD_FLOW, UM_MARKER_FIELD_TERMINATING_FLOW};
    uint8_t kind = um_mark_get_byte(from);
    field->kind = kinds[kind <= UIMON_FLOW_END ? kind : UIMON_TEXT];
    field->value = 0;
    uint32_t bytes = UM_MARK_FIELD_BYTES;
    bytes += um_mark_get_text(from, um_mark_get_byte(from), field->name, sizeof field->name);
    if (field->kind == UM_MARKER_FIELD_TEXT)
        return bytes +
               um_mark_get_text(from, um_mark_get_byte(from), field->text, sizeof field->text);
    field->text[0] = '\0';
    for (uint32_t i = 0; i < 8; i++)
        field->value |= (uint64_t)um_mark_get_byte(from) << 8 * i;
    return bytes;
}

/* Begins to read a record of so many words. */
static inline struct um_mark_reader um_mark_read(const struct um_mark_record *record,
                                                 uint32_t count)
{
    return (struct um_mark_reader){record->words, 8 * count, 8 * UM_MARK_HEAD_WORDS,
                                   (uint32_t)(record->words[0] >> 8) & 0xff};
}

/* Fills in the next frame of a record; 0 if there is none. The first one has the names. `first`: it
 * is that one. Units: `ticks_per_s` (not 0) of the counter. */
static inline int um_mark_next(struct um_mark_reader *from, int first, uint64_t ticks_per_s,
                               struct um_wire_frame *frame)
{
    const uint64_t *words = from->words;
    struct um_wire_mark *mark = &frame->as.mark;
    if (!first && from->fields == 0)
        return 0;
    frame->type = UM_WIRE_MARK;
    mark->what = (uint8_t)(words[0] & 0xf);
    mark->number = mark->what == UM_MARK_END ? words[3] : words[1];
    mark->time_ns = um_clock_ticks_to_ns(words[2], ticks_per_s);
    mark->thread = (uint32_t)(words[0] >> 32);
    mark->bytes = UM_MARK_FRAME_BYTES;
    mark->name[0] = mark->category[0] = '\0';
    if (first) {
        mark->bytes += um_mark_get_text(from, (uint32_t)(words[0] >> 16) & 0xff, mark->name,
                                        sizeof mark->name);
        mark->bytes += um_mark_get_text(from, (uint32_t)(words[0] >> 24) & 0xff, mark->category,
                                        sizeof mark->category);
    }
    mark->count = 0;
    while (from->fields > 0 && mark->count < UM_WIRE_MARK_FIELDS) {
        mark->bytes += um_mark_get_field(from, &mark->list[mark->count++]);
        from->fields--;
    }
    frame->flags = (uint8_t)((from->fields > 0 ? UM_WIRE_MARK_MORE : 0) |
                             (words[0] & UM_MARK_IS_CUT ? UM_WIRE_MARK_CUT : 0));
    return 1;
}

#endif
