#include "monitor/dotnet/event_kind.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plain/bytes.h"
#include "base/double_bits.h"
#include "base/utc.h"
#include "base/utf8.h"

#define DEPTH 4                                   /* of objects within one another */
#define EXACT (INT64_C(1) << 53)                  /* a double has all whole numbers up to that */
#define FILETIME_1970 INT64_C(116444736000000000) /* in units of 100 ns */
#define UNITS_PER_S INT64_C(10000000)

/* The types of fields, as in System.TypeCode. */
enum type {
    TYPE_OBJECT = 1,
    TYPE_BOOLEAN = 3,
    TYPE_CHAR,
    TYPE_SBYTE,
    TYPE_BYTE,
    TYPE_INT16,
    TYPE_UINT16,
    TYPE_INT32,
    TYPE_UINT32,
    TYPE_INT64,
    TYPE_UINT64,
    TYPE_SINGLE,
    TYPE_DOUBLE,
    TYPE_DECIMAL,
    TYPE_DATETIME,
    TYPE_GUID,
    TYPE_STRING,
    TYPES,
    TYPE_BYTE_BOOLEAN = TYPES /* our own number: see take_described */
};

/* How many bytes a value has; 0: it is a text, which ends in a NUL. */
static const uint8_t type_bytes[] = {
    [TYPE_BOOLEAN] = 4,      [TYPE_CHAR] = 2,     [TYPE_SBYTE] = 1,  [TYPE_BYTE] = 1,
    [TYPE_INT16] = 2,        [TYPE_UINT16] = 2,   [TYPE_INT32] = 4,  [TYPE_UINT32] = 4,
    [TYPE_INT64] = 8,        [TYPE_UINT64] = 8,   [TYPE_SINGLE] = 4, [TYPE_DOUBLE] = 8,
    [TYPE_DECIMAL] = 16,     [TYPE_DATETIME] = 8, [TYPE_GUID] = 16,  [TYPE_STRING] = 0,
    [TYPE_BYTE_BOOLEAN] = 1,
};

/* What may follow the fields of a definition. */
enum tag { TAG_OPCODE = 1, TAG_FIELDS = 2 };

/* Definitions ---------------------------------------------------------------------------------- */

static bool get_fields(struct um_cursor *cursor, struct um_event_kind *kind, bool sized,
                       unsigned depth);

/* Puts an object's name before those of its fields, which are the last ones. */
static void put_before(struct um_event_kind *kind, size_t first, const char *object)
{
    char name[UM_EVENT_KIND_NAME_BYTES];
    for (size_t i = first; i < kind->count; i++) {
        char *field = kind->fields[i].name;
        int len = snprintf(name, sizeof name, "%s.%s", object, field);
        if (len > 0 && (size_t)len < sizeof name)
            memcpy(field, name, (size_t)len + 1);
    }
}

/* The fields of an event that EventSource.Write makes from an object are in an object without a
 * name. In these the runtime writes truth values as bytes and decimals as doubles, whatever it
 * says. */
static void take_described(struct um_event_kind *kind)
{
    for (size_t i = 0; i < kind->count; i++) {
        uint8_t *type = &kind->fields[i].type;
        *type = *type == TYPE_BOOLEAN   ? TYPE_BYTE_BOOLEAN
                : *type == TYPE_DECIMAL ? TYPE_DOUBLE
                                        : *type;
    }
}

/* A field's type, and of an object its fields. False: it cannot be read. */
static bool get_type(struct um_cursor *cursor, struct um_event_kind *kind, bool sized,
                     unsigned depth)
{
    uint32_t type = um_cursor_get32(cursor);
    if (type == TYPE_OBJECT)
        return depth < DEPTH && get_fields(cursor, kind, sized, depth + 1);
    if (cursor->failed || type < TYPE_BOOLEAN || type >= TYPES ||
        kind->count == UM_EVENT_KIND_FIELDS)
        return false;
    kind->fields[kind->count++].type = (uint8_t)type;
    return true;
}

/* A field. In the later form, `sized`, its name comes first, else last.
 * Of an object that cannot be read to its end, the fields before are kept if its name is known. The
 * outermost object has none, because it is what EventSource.Write was given. */
static bool get_field(struct um_cursor *cursor, struct um_event_kind *kind, bool sized,
                      unsigned depth)
{
    char name[UM_EVENT_KIND_NAME_BYTES] = "";
    size_t first = kind->count;
    struct um_cursor field = *cursor;
    if (sized) {
        uint32_t len = um_cursor_get32(cursor);
        const uint8_t *at = len >= 4 ? um_cursor_take(cursor, len - 4) : NULL;
        if (!at)
            return false;
        field = (struct um_cursor){.at = at, .end = cursor->at};
        um_cursor_get_text(&field, name, sizeof name);
    }
    bool is_object = um_cursor_left(&field) >= 4 && um_bytes_get32(field.at) == TYPE_OBJECT;
    bool is_outermost = is_object && first == 0 && depth == 0;
    bool known = get_type(&field, kind, sized, depth);
    if (known && !sized) {
        um_cursor_get_text(&field, name, sizeof name);
        *cursor = field;
    }
    known = known && !field.failed;
    if (!known && !is_outermost && !(is_object && sized)) {
        kind->count = (uint8_t)first;
        return false;
    }
    if (is_object && name[0] != '\0')
        put_before(kind, first, name);
    else if (is_outermost)
        take_described(kind);
    else if (!is_object)
        memcpy(kind->fields[first].name, name, strlen(name) + 1);
    return known;
}

/* Reads a list of fields; those before the first one that cannot be read are kept. */
static bool get_fields(struct um_cursor *cursor, struct um_event_kind *kind, bool sized,
                       unsigned depth)
{
    uint32_t count = um_cursor_get32(cursor);
    for (uint32_t i = 0; i < count; i++)
        if (!get_field(cursor, kind, sized, depth))
            return false;
    return !cursor->failed;
}

/* What follows the fields: each with its length in front. */
static void get_tags(struct um_cursor *cursor, struct um_event_kind *kind)
{
    while (um_cursor_left(cursor) > 0) {
        uint32_t len = um_cursor_get32(cursor);
        uint8_t tag = um_cursor_get8(cursor);
        const uint8_t *at = um_cursor_take(cursor, len);
        if (!at)
            return;
        struct um_cursor content = {.at = at, .end = cursor->at};
        if (tag == TAG_OPCODE)
            kind->opcode = um_cursor_get8(&content);
        if (tag == TAG_FIELDS && kind->count == 0)
            kind->whole = get_fields(&content, kind, true, 0);
    }
}

static bool ends_in(const char *name, const char *end)
{
    size_t len = strlen(name), end_len = strlen(end);
    return len >= end_len && strcmp(name + len - end_len, end) == 0;
}

static void settle_opcode(struct um_event_kind *kind)
{
    bool starts = ends_in(kind->name, "Start"), stops = ends_in(kind->name, "Stop");
    if (kind->opcode == UM_EVENT_KIND_INFO)
        kind->opcode = starts  ? UM_EVENT_KIND_START
                       : stops ? UM_EVENT_KIND_STOP
                               : UM_EVENT_KIND_INFO;
    else if (kind->opcode > UM_EVENT_KIND_STOP)
        kind->opcode = UM_EVENT_KIND_INFO;
    kind->suffixed = (starts && kind->opcode == UM_EVENT_KIND_START) ||
                     (stops && kind->opcode == UM_EVENT_KIND_STOP);
}

enum um_status um_event_kind_read(struct um_cursor *payload, struct um_event_kind *kind)
{
    *kind = (struct um_event_kind){.definition = um_cursor_get32(payload)};
    um_cursor_get_text(payload, kind->provider, sizeof kind->provider);
    kind->id = um_cursor_get32(payload);
    um_cursor_get_text(payload, kind->name, sizeof kind->name);
    um_cursor_take(payload, 8 + 4 + 4); /* keywords, version, level */
    if (payload->failed)
        return UM_ERR_FORMAT;
    kind->whole = um_cursor_left(payload) == 0 || get_fields(payload, kind, false, 0);
    if (kind->whole)
        get_tags(payload, kind);
    settle_opcode(kind);
    return UM_OK;
}

/* Values --------------------------------------------------------------------------------------- */

void um_event_kind_guid(const uint8_t *bytes, char *text)
{
    snprintf(text, UM_EVENT_KIND_GUID_BYTES,
             "%08" PRIx32 "-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", um_bytes_get32(bytes),
             (unsigned)um_bytes_get16(bytes + 4), (unsigned)um_bytes_get16(bytes + 6), bytes[8],
             bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]);
}

/* A time in units of 100 ns since 1601: "2026-11-26T03:36:12.7579365Z". */
static void put_date(uint64_t filetime, char *text)
{
    int64_t units = (int64_t)(filetime & INT64_MAX) - FILETIME_1970;
    int64_t seconds = units / UNITS_PER_S - (units % UNITS_PER_S < 0);
    struct um_utc utc = um_utc_at(seconds * 1000);
    snprintf(text, UM_EVENT_KIND_TEXT_BYTES,
             "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d.%07" PRId64 "Z", utc.year, utc.month, utc.day,
             utc.hour, utc.minute, utc.second, units - seconds * UNITS_PER_S);
}

static void put_truth(uint32_t number, struct um_event_kind_value *value)
{
    snprintf(value->text, sizeof value->text, "%s", number ? "true" : "false");
}

static void put_float(double number, struct um_event_kind_value *value)
{
    value->number = number;
    value->is_number = fabs(number) < INFINITY;
    if (!value->is_number)
        snprintf(value->text, sizeof value->text, "%s",
                 number > 0   ? "Infinity"
                 : number < 0 ? "-Infinity"
                              : "NaN");
}

static void put_signed(int64_t number, struct um_event_kind_value *value)
{
    value->number = (double)number;
    value->is_number = number >= -EXACT && number <= EXACT;
    snprintf(value->text, sizeof value->text, "%" PRId64, number);
}

static void put_unsigned(uint64_t number, struct um_event_kind_value *value)
{
    value->number = (double)number;
    value->is_number = number <= (uint64_t)EXACT;
    snprintf(value->text, sizeof value->text, "%" PRIu64, number);
}

/* A number of 96 bits, over ten to the power of its scale. */
static void get_decimal(struct um_cursor *payload, struct um_event_kind_value *value)
{
    uint32_t flags = um_cursor_get32(payload);
    double high = um_cursor_get32(payload);
    double number = (high * 4294967296.0 * 4294967296.0 + (double)um_cursor_get64(payload)) /
                    pow(10, flags >> 16 & 0xff);
    put_float(flags >> 31 ? -number : number, value);
}

static void get_character(struct um_cursor *payload, struct um_event_kind_value *value)
{
    uint32_t unit = um_cursor_get16(payload);
    if (unit != 0)
        value->text[um_utf8_encode(unit >= 0xd800 && unit <= 0xdfff ? '?' : unit, value->text)] =
            '\0';
}

static void get_value(unsigned type, struct um_cursor *payload, struct um_event_kind_value *value)
{
    const uint8_t *at;
    *value = (struct um_event_kind_value){0};
    switch (type) {
    case TYPE_BOOLEAN:
        put_truth(um_cursor_get32(payload), value);
        return;
    case TYPE_BYTE_BOOLEAN:
        put_truth(um_cursor_get8(payload), value);
        return;
    case TYPE_CHAR:
        get_character(payload, value);
        return;
    case TYPE_SBYTE:
        put_signed((int8_t)um_cursor_get8(payload), value);
        return;
    case TYPE_BYTE:
        put_signed(um_cursor_get8(payload), value);
        return;
    case TYPE_INT16:
        put_signed((int16_t)um_cursor_get16(payload), value);
        return;
    case TYPE_UINT16:
        put_signed(um_cursor_get16(payload), value);
        return;
    case TYPE_INT32:
        put_signed((int32_t)um_cursor_get32(payload), value);
        return;
    case TYPE_UINT32:
        put_signed(um_cursor_get32(payload), value);
        return;
    case TYPE_INT64:
        put_signed((int64_t)um_cursor_get64(payload), value);
        return;
    case TYPE_UINT64:
        put_unsigned(um_cursor_get64(payload), value);
        return;
    case TYPE_SINGLE:
        put_float(um_cursor_get_float(payload), value);
        return;
    case TYPE_DOUBLE:
        put_float(um_double_bits_value(um_cursor_get64(payload)), value);
        return;
    case TYPE_DECIMAL:
        get_decimal(payload, value);
        return;
    case TYPE_DATETIME:
        put_date(um_cursor_get64(payload), value->text);
        return;
    case TYPE_GUID:
        at = um_cursor_take(payload, 16);
        if (at)
            um_event_kind_guid(at, value->text);
        return;
    default:
        value->cut = um_cursor_get_text(payload, value->text, sizeof value->text);
        return;
    }
}

bool um_event_kind_fits(const struct um_event_kind *kind, struct um_cursor payload)
{
    for (size_t i = 0; i < kind->count; i++) {
        size_t len_bytes = type_bytes[kind->fields[i].type];
        um_cursor_take(&payload, len_bytes);
        while (len_bytes == 0 && um_cursor_get16(&payload) != 0)
            ;
    }
    return !payload.failed && (um_cursor_left(&payload) == 0) == kind->whole;
}

size_t um_event_kind_values(const struct um_event_kind *kind, struct um_cursor *payload, bool cut,
                            struct um_event_kind_value values[UM_EVENT_KIND_FIELDS])
{
    for (size_t i = 0; i < kind->count; i++) {
        struct um_cursor before = *payload;
        get_value(kind->fields[i].type, payload, &values[i]);
        if (!payload->failed)
            continue;
        if (cut && kind->fields[i].type == TYPE_STRING) {
            values[i].cut = true;
            return i + 1;
        }
        *payload = before;
        return i;
    }
    return kind->count;
}
