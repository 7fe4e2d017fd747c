#include "monitor/dotnet/nettrace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/bytes.h"
#include "ipc/clock.h"
#include "monitor/base/list.h"

#define PREAMBLE "Nettrace\x14\0\0\0!FastSerialization.1"
#define PREAMBLE_BYTES (sizeof PREAMBLE - 1)
#define READER_VERSION 4
#define TRACE_BYTES 48
#define TYPE_NAME_BYTES 32
#define MAX_FREQUENCY UINT64_C(10000000000)
#define LEAVES 32
#define DEPTH 4

enum tag { TAG_NULL = 1, TAG_BEGIN = 5, TAG_END = 6 };

/* What stands before an event of a compressed block. */
enum {
    HAS_METADATA = 1,
    HAS_SEQUENCE = 2,
    HAS_THREAD = 4,
    HAS_STACK = 8,
    HAS_ACTIVITY = 16,
    HAS_RELATED = 32,
    HAS_LENGTH = 128
};

/* The types of fields, as System.TypeCode has them. */
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
    TYPES
};

enum role {
    ROLE_NONE,
    ROLE_NAME,
    ROLE_DISPLAY,
    ROLE_UNIT,
    ROLE_SERIES,
    ROLE_MEAN,
    ROLE_INCREMENT,
    ROLE_DEVIATION,
    ROLE_COUNT,
    ROLE_MIN,
    ROLE_MAX,
    ROLE_INTERVAL
};

struct leaf {
    uint8_t type; /* enum type, but no object */
    uint8_t role; /* enum role */
};

/* The definition of an event of EventCounters: its fields one after the other. */
struct kind {
    uint32_t id;
    size_t leaf_count;
    struct leaf leaves[LEAVES];
    char provider[UM_NETTRACE_TEXT_BYTES];
};

struct um_nettrace {
    struct um_nettrace_taker taker;
    enum um_status status; /* the first failure */
    uint8_t *buf;          /* what is not decoded yet */
    size_t len, cap;
    uint64_t offset; /* of its first byte in the stream */
    bool begun, ended;
    uint64_t frequency; /* of timestamps; 0: the Trace has not come */
    size_t kind_count;
    struct kind kinds[UM_NETTRACE_KINDS];
};

/* From here on: bytes. */

/* A place in bytes that are there. Reading beyond them gives 0, and is noted. */
struct cursor {
    const uint8_t *at, *end;
    bool failed;
};

static const uint8_t *take(struct cursor *cursor, size_t len)
{
    if (cursor->failed || (size_t)(cursor->end - cursor->at) < len) {
        cursor->failed = true;
        return NULL;
    }
    cursor->at += len;
    return cursor->at - len;
}

static uint8_t get8(struct cursor *cursor)
{
    const uint8_t *at = take(cursor, 1);
    return at ? *at : 0;
}

static uint16_t get16(struct cursor *cursor)
{
    const uint8_t *at = take(cursor, 2);
    return at ? um_bytes_get16(at) : 0;
}

static uint32_t get32(struct cursor *cursor)
{
    const uint8_t *at = take(cursor, 4);
    return at ? um_bytes_get32(at) : 0;
}

static uint64_t get64(struct cursor *cursor)
{
    const uint8_t *at = take(cursor, 8);
    return at ? um_bytes_get64(at) : 0;
}

/* A number of 7 bits a byte, the lowest first, the last one without its high bit. */
static uint64_t get_varint(struct cursor *cursor, unsigned bits)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < bits; shift += 7) {
        uint8_t byte = get8(cursor);
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
    cursor->failed = true;
    return 0;
}

static double get_double(struct cursor *cursor)
{
    uint64_t bits = get64(cursor);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static float get_float(struct cursor *cursor)
{
    uint32_t bits = get32(cursor);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* A character of UTF-16; '?' stands for half of one. */
static uint32_t get_character(struct cursor *cursor)
{
    uint32_t unit = get16(cursor);
    if (unit < 0xd800 || unit > 0xdfff)
        return unit;
    if (unit > 0xdbff || cursor->end - cursor->at < 2)
        return '?';
    uint32_t low = um_bytes_get16(cursor->at);
    if (low < 0xdc00 || low > 0xdfff)
        return '?';
    cursor->at += 2;
    return 0x10000 + ((unit - 0xd800) << 10 | (low - 0xdc00));
}

static size_t encode_utf8(uint32_t character, char *bytes)
{
    size_t more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    for (size_t i = more; i > 0; i--, character >>= 6)
        bytes[i] = (char)(0x80 | (character & 0x3f));
    bytes[0] = (char)(first[more] | character);
    return more + 1;
}

/* A text that ends in a NUL, cut between two characters. `text` has UM_NETTRACE_TEXT_BYTES. */
static void get_text(struct cursor *cursor, char *text)
{
    size_t used = 0;
    bool full = false;
    for (;;) {
        char bytes[4];
        uint32_t character = get_character(cursor);
        if (character == 0 || cursor->failed)
            break;
        size_t len = encode_utf8(character, bytes);
        full = full || used + len >= UM_NETTRACE_TEXT_BYTES;
        if (full)
            continue;
        memcpy(text + used, bytes, len);
        used += len;
    }
    text[used] = '\0';
}

/* From here on: definitions of events. */

static enum role role_of(const char *name)
{
    static const struct {
        const char *name;
        enum role role;
    } roles[] = {{"Name", ROLE_NAME},
                 {"DisplayName", ROLE_DISPLAY},
                 {"DisplayUnits", ROLE_UNIT},
                 {"Series", ROLE_SERIES},
                 {"Mean", ROLE_MEAN},
                 {"Increment", ROLE_INCREMENT},
                 {"Count", ROLE_COUNT},
                 {"StandardDeviation", ROLE_DEVIATION},
                 {"Min", ROLE_MIN},
                 {"Max", ROLE_MAX},
                 {"IntervalSec", ROLE_INTERVAL}};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (strcmp(roles[i].name, name) == 0)
            return roles[i].role;
    return ROLE_NONE;
}

/* Reads a list of fields. An object stands for its own fields, which come before its name. */
static void get_fields(struct cursor *cursor, struct kind *kind, unsigned depth)
{
    char name[UM_NETTRACE_TEXT_BYTES];
    uint32_t count = get32(cursor);
    for (uint32_t i = 0; i < count && !cursor->failed; i++) {
        uint32_t type = get32(cursor);
        bool known = type == TYPE_OBJECT
                         ? depth < DEPTH
                         : type >= TYPE_BOOLEAN && type < TYPES && kind->leaf_count < LEAVES;
        if (!known) {
            cursor->failed = true;
            return;
        }
        if (type == TYPE_OBJECT)
            get_fields(cursor, kind, depth + 1);
        get_text(cursor, name);
        if (type != TYPE_OBJECT)
            kind->leaves[kind->leaf_count++] =
                (struct leaf){.type = (uint8_t)type, .role = (uint8_t)role_of(name)};
    }
}

static struct kind *find_kind(struct um_nettrace *nettrace, uint32_t id)
{
    for (size_t i = 0; i < nettrace->kind_count; i++)
        if (nettrace->kinds[i].id == id)
            return &nettrace->kinds[i];
    return NULL;
}

static enum um_status take_definition(struct um_nettrace *nettrace, struct cursor payload)
{
    char name[UM_NETTRACE_TEXT_BYTES];
    struct kind kind = {.id = get32(&payload)};
    get_text(&payload, kind.provider);
    get32(&payload); /* the event's number in its provider */
    get_text(&payload, name);
    take(&payload, 8 + 4 + 4); /* keywords, version, level */
    if (payload.failed)
        return UM_ERR_FORMAT;
    if (strcmp(name, "EventCounters") != 0 || find_kind(nettrace, kind.id) ||
        nettrace->kind_count == UM_NETTRACE_KINDS)
        return UM_OK;
    get_fields(&payload, &kind, 0);
    if (payload.failed)
        return UM_ERR_FORMAT;
    nettrace->kinds[nettrace->kind_count++] = kind;
    return UM_OK;
}

/* From here on: counters. */

/* Reads a number of any type; 0 for what is none. */
static double get_number(struct cursor *cursor, enum type type)
{
    static const uint8_t sizes[TYPES] = {
        [TYPE_BOOLEAN] = 4, [TYPE_CHAR] = 2,     [TYPE_SBYTE] = 1,   [TYPE_BYTE] = 1,
        [TYPE_INT16] = 2,   [TYPE_UINT16] = 2,   [TYPE_INT64] = 8,   [TYPE_UINT64] = 8,
        [TYPE_GUID] = 16,   [TYPE_DECIMAL] = 16, [TYPE_DATETIME] = 8};
    switch (type) {
    case TYPE_SINGLE:
        return get_float(cursor);
    case TYPE_DOUBLE:
        return get_double(cursor);
    case TYPE_INT32:
        return (int32_t)get32(cursor);
    case TYPE_UINT32:
        return get32(cursor);
    default:
        take(cursor, sizes[type]);
        return 0;
    }
}

/* The number of "Interval=1000"; 0 if it is another text. */
static uint32_t series_of(const char *text)
{
    static const char begin[] = "Interval=";
    if (strncmp(text, begin, sizeof begin - 1) != 0)
        return 0;
    unsigned long ms = strtoul(text + sizeof begin - 1, NULL, 10);
    return ms <= UINT32_MAX ? (uint32_t)ms : 0;
}

/* What is read of an event, before it is known whether it was measured. */
struct reading {
    struct um_nettrace_counter counter;
    bool has_value;
    bool has_count;
};

static void take_text(struct reading *reading, enum role role, const char *text)
{
    struct um_nettrace_counter *counter = &reading->counter;
    char *to = role == ROLE_NAME      ? counter->name
               : role == ROLE_DISPLAY ? counter->display
               : role == ROLE_UNIT    ? counter->unit
                                      : NULL;
    if (to)
        memcpy(to, text, UM_NETTRACE_TEXT_BYTES);
    if (role == ROLE_SERIES)
        counter->series_ms = series_of(text);
}

static void take_number(struct reading *reading, enum role role, double number)
{
    struct um_nettrace_counter *counter = &reading->counter;
    switch (role) {
    case ROLE_MEAN:
    case ROLE_INCREMENT:
        counter->value = number;
        counter->is_increment = role == ROLE_INCREMENT;
        reading->has_value = true;
        break;
    case ROLE_COUNT:
        counter->count = number >= 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
        reading->has_count = true;
        break;
    case ROLE_MIN:
        counter->min = number;
        break;
    case ROLE_MAX:
        counter->max = number;
        break;
    case ROLE_DEVIATION:
        counter->deviation = number;
        break;
    case ROLE_INTERVAL:
        counter->interval_s = number;
        break;
    default:
        break;
    }
}

static bool is_finite(double number)
{
    return fabs(number) < INFINITY;
}

/* The runtime says 0 and infinity where a program wrote no value in an interval. */
static void tell_counter(struct um_nettrace *nettrace, struct reading *reading)
{
    struct um_nettrace_counter *counter = &reading->counter;
    if (!reading->has_value || counter->name[0] == '\0')
        return;
    counter->measured = is_finite(counter->value) && is_finite(counter->min) &&
                        is_finite(counter->max) && is_finite(counter->deviation) &&
                        !(reading->has_count && counter->count == 0);
    if (!counter->measured) {
        counter->value = counter->min = counter->max = counter->deviation = 0;
        counter->count = 0;
    }
    if (!is_finite(counter->interval_s))
        counter->interval_s = 0;
    nettrace->taker.counter(nettrace->taker.context, counter);
}

static uint64_t to_ns(uint64_t ticks, uint64_t frequency)
{
    return ticks / frequency * UM_CLOCK_NS_PER_S +
           ticks % frequency * UM_CLOCK_NS_PER_S / frequency;
}

static enum um_status take_counter(struct um_nettrace *nettrace, const struct kind *kind,
                                   uint64_t ticks, struct cursor payload)
{
    struct reading reading = {0};
    char text[UM_NETTRACE_TEXT_BYTES];
    memcpy(reading.counter.provider, kind->provider, sizeof kind->provider);
    reading.counter.time_ns = to_ns(ticks, nettrace->frequency);
    for (size_t i = 0; i < kind->leaf_count; i++) {
        enum role role = (enum role)kind->leaves[i].role;
        enum type type = (enum type)kind->leaves[i].type;
        if (type == TYPE_STRING) {
            memset(text, 0, sizeof text);
            get_text(&payload, text);
            take_text(&reading, role, text);
        } else {
            take_number(&reading, role, get_number(&payload, type));
        }
    }
    if (payload.failed)
        return UM_ERR_FORMAT;
    tell_counter(nettrace, &reading);
    return UM_OK;
}

/* From here on: blocks. */

/* What an event takes over from the one before, where it does not say something else. */
struct event {
    uint32_t definition;
    uint64_t ticks;
    size_t len_bytes;
};

static void get_event(struct cursor *cursor, struct event *event)
{
    uint8_t has = get8(cursor);
    if (has & HAS_METADATA)
        event->definition = (uint32_t)get_varint(cursor, 32);
    if (has & HAS_SEQUENCE) {
        get_varint(cursor, 32); /* sequence number */
        get_varint(cursor, 64); /* thread that captured it */
        get_varint(cursor, 32); /* processor */
    }
    if (has & HAS_THREAD)
        get_varint(cursor, 64);
    if (has & HAS_STACK)
        get_varint(cursor, 32);
    event->ticks += get_varint(cursor, 64);
    if (has & HAS_ACTIVITY)
        take(cursor, 16);
    if (has & HAS_RELATED)
        take(cursor, 16);
    if (has & HAS_LENGTH)
        event->len_bytes = (size_t)get_varint(cursor, 32);
}

static enum um_status take_events(struct um_nettrace *nettrace, struct cursor block, bool defines)
{
    struct event event = {0};
    uint16_t header_bytes = get16(&block);
    bool compressed = get16(&block) & 1;
    if (header_bytes < 4 || !take(&block, header_bytes - 4U))
        return UM_ERR_FORMAT;
    if (!compressed)
        return UM_ERR_UNSUPPORTED;
    if (nettrace->frequency == 0)
        return UM_ERR_FORMAT;
    while (block.at < block.end) {
        get_event(&block, &event);
        const uint8_t *at = take(&block, event.len_bytes);
        if (!at)
            return UM_ERR_FORMAT;
        struct cursor payload = {.at = at, .end = at + event.len_bytes};
        const struct kind *kind = defines ? NULL : find_kind(nettrace, event.definition);
        enum um_status status = defines ? take_definition(nettrace, payload)
                                : kind  ? take_counter(nettrace, kind, event.ticks, payload)
                                        : UM_OK;
        if (status != UM_OK)
            return status;
    }
    return UM_OK;
}

/* From here on: objects. */

static enum um_status take_trace(struct um_nettrace *nettrace, struct cursor trace)
{
    take(&trace, 16 + 8); /* the date, and the same instant in ticks */
    nettrace->frequency = get64(&trace);
    return nettrace->frequency > 0 && nettrace->frequency <= MAX_FREQUENCY ? UM_OK : UM_ERR_FORMAT;
}

/* What comes before an object's content. */
struct object {
    uint32_t reader_version;
    char name[TYPE_NAME_BYTES + 1];
};

static enum um_status get_object(struct cursor *cursor, struct object *object)
{
    bool begins = get8(cursor) == TAG_BEGIN && get8(cursor) == TAG_BEGIN;
    bool of_no_type = get8(cursor) == TAG_NULL;
    get32(cursor); /* the version that wrote it */
    object->reader_version = get32(cursor);
    uint32_t len = get32(cursor);
    if (cursor->failed)
        return UM_ERR_PARTIAL;
    if (!begins || !of_no_type || len > TYPE_NAME_BYTES)
        return UM_ERR_FORMAT;
    const uint8_t *name = take(cursor, len);
    uint8_t end = get8(cursor);
    if (!name || cursor->failed)
        return UM_ERR_PARTIAL;
    memcpy(object->name, name, len);
    object->name[len] = '\0';
    if (end != TAG_END)
        return UM_ERR_FORMAT;
    return object->reader_version > READER_VERSION ? UM_ERR_VERSION : UM_OK;
}

/* How many bytes an object's content has. A block says it, and begins at a multiple of four. */
static enum um_status get_length(struct um_nettrace *nettrace, struct cursor *cursor, bool is_trace,
                                 size_t *len)
{
    *len = TRACE_BYTES;
    if (is_trace)
        return UM_OK;
    *len = get32(cursor);
    uint64_t offset = nettrace->offset + (uint64_t)(cursor->at - nettrace->buf);
    take(cursor, (4 - offset % 4) % 4);
    if (cursor->failed)
        return UM_ERR_PARTIAL;
    return *len > UM_NETTRACE_MAX_BLOCK ? UM_ERR_TOO_LARGE : UM_OK;
}

static enum um_status take_content(struct um_nettrace *nettrace, const char *name,
                                   struct cursor content)
{
    if (strcmp(name, "Trace") == 0)
        return take_trace(nettrace, content);
    if (strcmp(name, "MetadataBlock") == 0)
        return take_events(nettrace, content, true);
    if (strcmp(name, "EventBlock") == 0)
        return take_events(nettrace, content, false);
    return UM_OK; /* stacks, and sequence points */
}

/* Takes the next object, or the end of the stream. */
static enum um_status take_object(struct um_nettrace *nettrace, struct cursor *cursor)
{
    struct object object;
    size_t len;
    if (cursor->at < cursor->end && *cursor->at == TAG_NULL) {
        nettrace->ended = true;
        return UM_OK;
    }
    enum um_status status = get_object(cursor, &object);
    if (status == UM_OK)
        status = get_length(nettrace, cursor, strcmp(object.name, "Trace") == 0, &len);
    if (status != UM_OK)
        return status;
    const uint8_t *at = take(cursor, len);
    uint8_t end = get8(cursor);
    if (!at || cursor->failed)
        return UM_ERR_PARTIAL;
    if (end != TAG_END)
        return UM_ERR_FORMAT;
    return take_content(nettrace, object.name, (struct cursor){.at = at, .end = at + len});
}

static enum um_status take_preamble(struct um_nettrace *nettrace, struct cursor *cursor)
{
    size_t have = nettrace->len < PREAMBLE_BYTES ? nettrace->len : PREAMBLE_BYTES;
    if (memcmp(nettrace->buf, PREAMBLE, have) != 0)
        return UM_ERR_FORMAT;
    if (!take(cursor, PREAMBLE_BYTES))
        return UM_ERR_PARTIAL;
    nettrace->begun = true;
    return UM_OK;
}

static void forget(struct um_nettrace *nettrace, size_t len)
{
    nettrace->len -= len;
    nettrace->offset += len;
    memmove(nettrace->buf, nettrace->buf + len, nettrace->len);
}

static enum um_status keep(struct um_nettrace *nettrace, const uint8_t *bytes, size_t len_bytes)
{
    size_t need = nettrace->len + len_bytes;
    if (!um_list_reserve(&nettrace->buf, &nettrace->cap, need, SIZE_MAX, 1))
        return UM_ERR_MEMORY;
    memcpy(nettrace->buf + nettrace->len, bytes, len_bytes);
    nettrace->len = need;
    return UM_OK;
}

enum um_status um_nettrace_bytes(struct um_nettrace *nettrace, const uint8_t *bytes,
                                 size_t len_bytes)
{
    size_t used = 0;
    if (nettrace->status != UM_OK || nettrace->ended || len_bytes == 0)
        return nettrace->status;
    enum um_status status = keep(nettrace, bytes, len_bytes);
    while (status == UM_OK && !nettrace->ended) {
        struct cursor cursor = {.at = nettrace->buf + used, .end = nettrace->buf + nettrace->len};
        status =
            nettrace->begun ? take_object(nettrace, &cursor) : take_preamble(nettrace, &cursor);
        if (status == UM_OK)
            used = (size_t)(cursor.at - nettrace->buf);
    }
    if (status != UM_OK && status != UM_ERR_PARTIAL) {
        nettrace->status = status;
        return status;
    }
    forget(nettrace, used);
    return UM_OK;
}

bool um_nettrace_ended(const struct um_nettrace *nettrace)
{
    return nettrace->ended;
}

enum um_status um_nettrace_open(const struct um_nettrace_taker *taker,
                                struct um_nettrace **nettrace)
{
    struct um_nettrace *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->taker = *taker;
    *nettrace = made;
    return UM_OK;
}

void um_nettrace_close(struct um_nettrace *nettrace)
{
    if (!nettrace)
        return;
    free(nettrace->buf);
    free(nettrace);
}
