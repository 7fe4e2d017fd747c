#include "ipc/wire.h"

#include "base/checksum.h"
#include "base/plain/bytes.h"
#include "base/plain/text.h"
#include "ipc/names.h"

_Static_assert(UM_WIRE_CHECKSUM_BYTES == UM_CHECKSUM_BYTES, "a checksum fits into its field");

/* The hook DLL has no C library. So this file copies by loops and never assigns a whole struct,
 * which a compiler would turn into a call of memcpy. For each form, frames.def makes one function
 * that writes its fields and one that reads them. */

/* Sizes ---------------------------------------------------------------------------------------- */

/* Bytes of the numbers of each form, where its strings or its list begin. */
#define NUMBERS_NUMBER(type_t, form) sizeof(type_t)
#define NUMBERS_TIME NUMBERS_NUMBER
#define NUMBERS_LENGTH NUMBERS_NUMBER
#define NUMBERS_ENUM NUMBERS_NUMBER
#define NUMBERS_VALUE(type, form) sizeof(uint8_t)
#define NUMBERS_RANGE NUMBERS_NUMBER
#define NUMBERS_FINITE NUMBERS_NUMBER
#define NUMBERS_COUNT NUMBERS_NUMBER
#define NUMBERS_STRING(type, form) 0
#define NUMBERS_REST NUMBERS_NUMBER
#define NUMBERS_SUM NUMBERS_NUMBER
#define NUMBERS_SHARE NUMBERS_NUMBER
#define NUMBERS_PART(type, form) numbers_##form
#define NUMBERS_LIST(type, form) 0
enum {
#define BEGIN(form) numbers_##form = 0
#define FIELD(kind, type, name, suffix, times, least, most, form)                                  \
    +(times) * (NUMBERS_##kind(type, form))
#define END(form) ,
#define COMMAND(number, name, flags, ...) numbers_##name = 0 __VA_ARGS__,
#include "ipc/frames.def"
};

/* Bytes of the numbers before ADDED: version 0.1.0 wrote these already. */
#define JOIN(name, line) name##line
#define COUNT_ANEW(line) JOIN(added_at_, line)
enum {
#define BEGIN(form) first_##form = 0
#define FIELD(kind, type, name, suffix, times, least, most, form)                                  \
    +(times) * (NUMBERS_##kind(type, form))
#define ADDED , COUNT_ANEW(__LINE__) = 0
#define RULE(function)
#define END(form) ,
#define COMMAND(number, name, flags, ...) first_##name = 0 __VA_ARGS__,
#include "ipc/frames.def"
};

/* The most bytes that a payload of each form can have, with strings that fill their fields. */
#define MORE_NUMBER(most, form) 0
#define MORE_TIME MORE_NUMBER
#define MORE_LENGTH MORE_NUMBER
#define MORE_ENUM MORE_NUMBER
#define MORE_RANGE MORE_NUMBER
#define MORE_FINITE MORE_NUMBER
#define MORE_COUNT MORE_NUMBER
#define MORE_REST MORE_NUMBER
#define MORE_SUM MORE_NUMBER
#define MORE_SHARE MORE_NUMBER
#define MORE_STRING(most, form) 2 + (most)-1
#define MORE_PART(most, form) most_##form - numbers_##form
#define MORE_LIST(most, form) most_##form
enum {
#define BEGIN(form) most_##form = numbers_##form
#define FIELD(kind, type, name, suffix, times, least, most, form)                                  \
    +(times) * (MORE_##kind(most, form))
#define END(form) ,
#include "ipc/frames.def"
};
#define FRAME(number, name, form, flags, late, sent, reach, says)                                  \
    _Static_assert((most_##form) <= UM_WIRE_MAX_PAYLOAD, #name " fits into a frame");
#include "ipc/frames.def"

/* Rules ---------------------------------------------------------------------------------------- */

static bool is_enum(uint64_t number, uint64_t most)
{
    return number <= most || number == UM_WIRE_UNKNOWN;
}

static bool is_within(uint64_t number, uint64_t least, uint64_t most)
{
    return number >= least && number <= most;
}

/* The exponent of a finite double is not all ones. */
static bool is_finite(uint64_t bits)
{
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

/* A node of traced calls comes after its parent. */
static bool is_trace_call(const struct um_wire_trace_call *call)
{
    return call->parent < call->node;
}

static bool is_method_call(const struct um_wire_method_call *call)
{
    return call->parent < call->node;
}

static bool is_traced_call(const struct um_wire_traced_call *call)
{
    return call->parent < call->node;
}

static bool are_nodes(const struct um_wire_nodes *nodes)
{
    if (nodes->first > UINT32_MAX - nodes->count)
        return false;
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->list[i].parent >= nodes->first + i)
            return false;
    return true;
}

/* Whether a number is valid for its kind. */
#define CAN_NUMBER(number, least, most) true
#define CAN_TIME CAN_NUMBER
#define CAN_LENGTH CAN_NUMBER
#define CAN_ENUM(number, least, most) is_enum(number, most)
#define CAN_RANGE(number, least, most) is_within(number, least, most)
#define CAN_VALUE CAN_RANGE
#define CAN_COUNT CAN_RANGE
#define CAN_FINITE(number, least, most) is_finite(number)

/* Writing -------------------------------------------------------------------------------------- */

struct writer {
    uint8_t *at;   /* of the next number */
    uint8_t *text; /* of the next string */
    const uint8_t *end;
    enum um_status status; /* the first failure */
};

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a + b >= a ? a + b : UINT64_MAX;
}

static void refuse(struct writer *to, enum um_status status)
{
    if (to->status == UM_OK)
        to->status = status;
}

/* A field without a NUL is cut by a byte, as a decoder would cut it. */
static void put_string(const char *field, size_t cap_bytes, struct writer *to)
{
    size_t len_bytes = 0;
    while (len_bytes < cap_bytes - 1 && field[len_bytes])
        len_bytes++;
    if ((size_t)(to->end - to->text) < 2 + len_bytes) {
        refuse(to, UM_ERR_TOO_LARGE);
        return;
    }
    um_bytes_put16(to->text, (uint16_t)len_bytes);
    for (size_t i = 0; i < len_bytes; i++)
        to->text[2 + i] = (uint8_t)field[i];
    to->text += 2 + len_bytes;
}

/* Whether there is room for a list, for which the caller has not checked that, behind all other
 * numbers: returns `count`, or 0. */
static size_t room_for(size_t count, size_t bytes, struct writer *to)
{
    if (to->status == UM_OK && count * bytes <= (size_t)(to->end - to->text))
        return count;
    refuse(to, UM_ERR_TOO_LARGE);
    return 0;
}

#define PUT_NUMBER(kind, type, name, times, least, most, form)                                     \
    for (size_t i = 0; i < (times); i++, at += NUMBERS_##kind(type, form)) {                       \
        uint64_t number = (uint64_t)((const type *)&here->name)[i];                                \
        if (!CAN_##kind(number, least, most))                                                      \
            refuse(to, UM_ERR_ARG);                                                                \
        um_bytes_put(at, NUMBERS_##kind(type, form), number);                                      \
    }
#define PUT_TIME PUT_NUMBER
#define PUT_LENGTH PUT_NUMBER
#define PUT_ENUM PUT_NUMBER
#define PUT_VALUE PUT_NUMBER
#define PUT_RANGE PUT_NUMBER
#define PUT_FINITE PUT_NUMBER
#define PUT_REST(kind, type, name, times, least, most, form)                                       \
    PUT_NUMBER(NUMBER, type, name[least], times, 0, most, form)
#define PUT_SUM(kind, type_t, name, times, least, most, form)                                      \
    um_bytes_put(at, sizeof(type_t), sum(here->name[least], here->name[most]));                    \
    at += sizeof(type_t);
#define PUT_SHARE PUT_REST
#define PUT_COUNT(kind, type, name, times, least, most, form)                                      \
    PUT_NUMBER(kind, type, name, times, least, most, form)                                         \
    count = here->name;
#define PUT_STRING(kind, type, name, times, least, most, form)                                     \
    for (size_t i = 0; i < (times); i++)                                                           \
        put_string((const char *)&here->name + i * (most), most, to);
#define PUT_PART(kind, type, name, times, least, most, form)                                       \
    to->at = at;                                                                                   \
    for (size_t i = 0; i < (times); i++)                                                           \
        put_##form((const type *)&here->name + i, to);                                             \
    at = to->at;
#define PUT_LIST(kind, type, name, times, least, most, form)                                       \
    count = room_for(count, numbers_##form, to);                                                   \
    to->text += count * numbers_##form;                                                            \
    PUT_PART(kind, type, name, count, least, most, form)

#define BEGIN(form)                                                                                \
    static void put_##form(const void *from, struct writer *to)                                    \
    {                                                                                              \
        const struct um_wire_##form *here = from;                                                  \
        uint8_t *at = to->at;                                                                      \
        size_t count = 0;
#define FIELD(kind, type, name, suffix, times, least, most, form)                                  \
    PUT_##kind(kind, type, name, times, least, most, form)
#define RULE(function)                                                                             \
    if (to->status == UM_OK && !function(here))                                                    \
        refuse(to, UM_ERR_ARG);
#define ADDED
#define END(form)                                                                                  \
    (void)count;                                                                                   \
    to->at = at;                                                                                   \
    }
#define COMMAND(number, name, flags, ...)                                                          \
    static void put_##name(const void *from, struct writer *to)                                    \
    {                                                                                              \
        const struct um_wire_command *here = from;                                                 \
        uint8_t *at = to->at;                                                                      \
        __VA_ARGS__(void) here;                                                                    \
        to->at = at;                                                                               \
    }
#include "ipc/frames.def"

/* Reading -------------------------------------------------------------------------------------- */

struct reader {
    const uint8_t *at;   /* of the next number */
    const uint8_t *text; /* of the next string */
    const uint8_t *end;
    bool wrong; /* the payload cannot be */
    bool later; /* it is a command of a later version */
};

/* `added`: the field was added after 0.1.0. If an earlier version wrote the payload, it ends before
 * the field, which is then empty. */
static void get_string(char *field, size_t cap_bytes, struct reader *from, bool added)
{
    size_t left = (size_t)(from->end - from->text);
    field[0] = '\0';
    if (left < 2 || left - 2 < um_bytes_get16(from->text)) {
        from->wrong |= !added || left != 0;
        return;
    }
    size_t len_bytes = um_bytes_get16(from->text);
    um_text_copy(field, cap_bytes, from->text + 2, len_bytes);
    from->text += 2 + len_bytes;
}

/* The caller has checked that the numbers before ADDED are there. An invalid number is wrong, or of
 * a later version. */
#define GET_NUMBER(kind, type, name, times, least, most, form)                                     \
    for (size_t i = 0; i < (times); i++) {                                                         \
        uint64_t number = 0;                                                                       \
        if (!added || (size_t)(end - at) >= NUMBERS_##kind(type, form)) {                          \
            number = um_bytes_get(at, NUMBERS_##kind(type, form));                                 \
            at += NUMBERS_##kind(type, form);                                                      \
        } else                                                                                     \
            from->wrong |= at != end;                                                              \
        if (!CAN_##kind(number, least, most))                                                      \
            ELSE_##kind;                                                                           \
        ((type *)&here->name)[i] = (type)number;                                                   \
    }
#define ELSE_NUMBER from->wrong = true
#define ELSE_TIME ELSE_NUMBER
#define ELSE_LENGTH ELSE_NUMBER
#define ELSE_ENUM number = UM_WIRE_UNKNOWN
#define ELSE_VALUE from->later = true
#define ELSE_RANGE ELSE_NUMBER
#define ELSE_FINITE ELSE_NUMBER
#define ELSE_COUNT ELSE_NUMBER
#define GET_TIME GET_NUMBER
#define GET_LENGTH GET_NUMBER
#define GET_ENUM GET_NUMBER
#define GET_VALUE GET_NUMBER
#define GET_RANGE GET_NUMBER
#define GET_FINITE GET_NUMBER
#define GET_REST(kind, type, name, times, least, most, form)                                       \
    GET_NUMBER(NUMBER, type, name[least], times, 0, most, form)
#define GET_SUM GET_REST
#define GET_SHARE(kind, type, name, times, least, most, form)                                      \
    GET_REST(kind, type, name, times, least, most, form)                                           \
    from->wrong |= here->name[least] > here->name[most];                                           \
    here->name[most] -= here->name[least];
#define GET_COUNT(kind, type, name, times, least, most, form)                                      \
    GET_NUMBER(kind, type, name, times, least, most, form)                                         \
    count = here->name;
#define GET_STRING(kind, type, name, times, least, most, form)                                     \
    for (size_t i = 0; i < (times); i++)                                                           \
        get_string((char *)&here->name + i * (most), most, from, added);
#define GET_PART(kind, type, name, times, least, most, form)                                       \
    from->at = at;                                                                                 \
    for (size_t i = 0; i < (times); i++)                                                           \
        get_##form((type *)&here->name + i, from);                                                 \
    at = from->at;
#define GET_LIST(kind, type, name, times, least, most, form)                                       \
    if (from->wrong || count * numbers_##form > (size_t)(end - at)) {                              \
        from->wrong = true;                                                                        \
        count = 0;                                                                                 \
    }                                                                                              \
    from->text = at + count * numbers_##form;                                                      \
    GET_PART(kind, type, name, count, least, most, form)

#define BEGIN(form)                                                                                \
    static void get_##form(void *to, struct reader *from)                                          \
    {                                                                                              \
        struct um_wire_##form *here = to;                                                          \
        const uint8_t *at = from->at;                                                              \
        const uint8_t *end = from->end;                                                            \
        bool added = false;                                                                        \
        size_t count = 0;
#define FIELD(kind, type, name, suffix, times, least, most, form)                                  \
    GET_##kind(kind, type, name, times, least, most, form)
#define RULE(function) from->wrong = from->wrong || !function(here);
#define ADDED added = true;
#define END(form)                                                                                  \
    (void)(added && count && end);                                                                 \
    from->at = at;                                                                                 \
    }
#define COMMAND(number, name, flags, ...)                                                          \
    static void get_##name(void *to, struct reader *from)                                          \
    {                                                                                              \
        struct um_wire_command *here = to;                                                         \
        const uint8_t *at = from->at;                                                              \
        const uint8_t *end = from->end;                                                            \
        bool added = false;                                                                        \
        __VA_ARGS__(void)(here && added && end);                                                   \
        from->at = at;                                                                             \
    }
#include "ipc/frames.def"

/* Times ---------------------------------------------------------------------------------------- */

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

#define AFTER_TIME(name) time_ns = later(time_ns, here->name);
#define AFTER_LENGTH(name) time_ns = sum(time_ns, here->name);
#define AFTER_NUMBER(name)
#define AFTER_ENUM(name)
#define AFTER_RANGE(name)
#define AFTER_FINITE(name)
#define AFTER_COUNT(name)
#define AFTER_REST(name)
#define AFTER_SUM(name)
#define AFTER_SHARE(name)
#define AFTER_STRING(name)
#define AFTER_PART(name)
#define AFTER_LIST(name)
#define BEGIN(form)                                                                                \
    static inline uint64_t time_##form(const void *from)                                           \
    {                                                                                              \
        const struct um_wire_##form *here = from;                                                  \
        uint64_t time_ns = 0;
#define FIELD(kind, type, name, suffix, times, least, most, form) AFTER_##kind(name)
#define END(form)                                                                                  \
    (void)here;                                                                                    \
    return time_ns;                                                                                \
    }
#include "ipc/frames.def"

/* Types ---------------------------------------------------------------------------------------- */

enum { SENT_NOW = false, SENT_WAITS = true };

/* What the codec knows of a type. A row without `put` is a type that does not exist. */
static const struct shape {
    void (*put)(const void *from, struct writer *to);
    void (*get)(void *to, struct reader *from);
    uint64_t (*time)(const void *from); /* NULL: it has none */
    uint8_t numbers;                    /* bytes */
    uint8_t first;                      /* bytes of the numbers before ADDED */
    uint8_t flags;                      /* the known ones */
    uint8_t late;                       /* enum um_wire_late */
    uint8_t reach;                      /* enum um_wire_reach */
    bool waits;
} shapes[UM_WIRE_TYPES] = {
#define FRAME(number, name, form, flag_bits, when, sent, goes, says)                               \
    [number] = {.put = put_##form,                                                                 \
                .get = get_##form,                                                                 \
                .time = time_##form,                                                               \
                .numbers = numbers_##form,                                                         \
                .first = first_##form,                                                             \
                .flags = flag_bits,                                                                \
                .late = UM_WIRE_LATE_##when,                                                       \
                .reach = UM_WIRE_REACH_##goes,                                                     \
                .waits = SENT_##sent},
#define COMMAND(number, name, flag_bits, ...)                                                      \
    [number] = {.put = put_##name,                                                                 \
                .get = get_##name,                                                                 \
                .numbers = numbers_##name,                                                         \
                .first = first_##name,                                                             \
                .flags = flag_bits},
#include "ipc/frames.def"
};

static const struct shape *find_shape(uint8_t type)
{
    return type < UM_WIRE_TYPES && shapes[type].put ? &shapes[type] : NULL;
}

enum um_status um_wire_encode(const struct um_wire_frame *frame, uint8_t *buf, size_t cap_bytes,
                              size_t *len_bytes)
{
    const struct shape *shape = find_shape(frame->type);
    if (!shape || (frame->flags & ~shape->flags))
        return UM_ERR_ARG;
    if (cap_bytes < UM_WIRE_HEADER_BYTES + (size_t)shape->numbers)
        return UM_ERR_TOO_LARGE;
    struct writer to = {.at = buf + UM_WIRE_HEADER_BYTES,
                        .text = buf + UM_WIRE_HEADER_BYTES + shape->numbers,
                        .end = buf + cap_bytes};
    shape->put(&frame->as, &to);
    if (to.status != UM_OK)
        return to.status;
    *len_bytes = (size_t)(to.text - buf); /* strings come last, and a list has moved their begin */
    um_bytes_put16(buf, (uint16_t)(*len_bytes - UM_WIRE_HEADER_BYTES));
    buf[2] = frame->type;
    buf[3] = frame->flags;
    return UM_OK;
}

enum um_status um_wire_decode(const uint8_t *buf, size_t len_bytes, struct um_wire_frame *frame,
                              size_t *consumed_bytes)
{
    if (len_bytes < UM_WIRE_HEADER_BYTES)
        return UM_ERR_PARTIAL;
    size_t payload_bytes = um_bytes_get16(buf);
    if (payload_bytes > UM_WIRE_MAX_PAYLOAD)
        return UM_ERR_TOO_LARGE;
    if (len_bytes - UM_WIRE_HEADER_BYTES < payload_bytes)
        return UM_ERR_PARTIAL;

    const uint8_t *payload = buf + UM_WIRE_HEADER_BYTES;
    const struct shape *shape = find_shape(buf[2]);
    bool known = shape != NULL;
    if (shape) {
        size_t numbers = payload_bytes < shape->numbers ? payload_bytes : shape->numbers;
        struct reader from = {
            .at = payload, .text = payload + numbers, .end = payload + payload_bytes};
        if (buf[3] & ~shape->flags || payload_bytes < shape->first)
            return UM_ERR_FORMAT;
        shape->get(&frame->as, &from);
        if (from.wrong)
            return UM_ERR_FORMAT;
        known = !from.later;
    }
    frame->type = shape && !known ? UM_WIRE_UNKNOWN : buf[2];
    frame->flags = known ? buf[3] : 0;
    *consumed_bytes = UM_WIRE_HEADER_BYTES + payload_bytes;
    return UM_OK;
}

bool um_wire_is_known(uint8_t type)
{
    return find_shape(type) != NULL;
}

enum um_wire_late um_wire_late(uint8_t type)
{
    const struct shape *shape = find_shape(type);
    return shape ? (enum um_wire_late)shape->late : UM_WIRE_LATE_NOT;
}

enum um_wire_reach um_wire_reach(uint8_t type)
{
    const struct shape *shape = find_shape(type);
    return shape ? (enum um_wire_reach)shape->reach : UM_WIRE_REACH_HOOK;
}

bool um_wire_waits(uint8_t type)
{
    const struct shape *shape = find_shape(type);
    return shape && shape->waits;
}

uint64_t um_wire_time_of(const struct um_wire_frame *frame)
{
    const struct shape *shape = find_shape(frame->type);
    return shape && shape->time ? shape->time(&frame->as) : 0;
}

/* What fields mean ----------------------------------------------------------------------------- */

static void part_ends(const struct um_wire_interaction *interaction, enum um_wire_part part,
                      uint64_t *from_ns, uint64_t *to_ns)
{
    switch (part) {
    case UM_WIRE_PART_INPUT_DELAY:
        *from_ns = interaction->arrival_ns;
        *to_ns = interaction->dequeued_ns;
        break;
    case UM_WIRE_PART_PROCESSING:
        *from_ns = interaction->dequeued_ns;
        *to_ns = interaction->handled_ns;
        break;
    case UM_WIRE_PART_PRESENTATION:
        *from_ns = interaction->handled_ns;
        *to_ns = interaction->painted_ns;
        break;
    case UM_WIRE_PART_TOTAL:
        *from_ns = interaction->arrival_ns;
        *to_ns = interaction->painted_ns;
        break;
    default:
        *from_ns = interaction->arrival_ns;
        *to_ns = interaction->handled_ns;
        break;
    }
}

bool um_wire_interaction_part_ns(const struct um_wire_interaction *interaction,
                                 enum um_wire_part part, uint64_t *length_ns)
{
    uint64_t from_ns;
    uint64_t to_ns;
    part_ends(interaction, part, &from_ns, &to_ns);
    if (from_ns == 0 || to_ns == 0 || to_ns < from_ns)
        return false;
    *length_ns = to_ns - from_ns;
    return true;
}

uint64_t um_wire_interaction_length_ns(const struct um_wire_interaction *interaction)
{
    uint64_t from_ns = interaction->arrival_ns ? interaction->arrival_ns : interaction->dequeued_ns;
    uint64_t to_ns = interaction->painted_ns   ? interaction->painted_ns
                     : interaction->handled_ns ? interaction->handled_ns
                                               : interaction->dequeued_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

bool um_wire_interaction_is_held_up(const struct um_wire_interaction *interaction,
                                    uint64_t start_ns, uint64_t end_ns)
{
    uint64_t arrival_ns = interaction->arrival_ns, dequeued_ns = interaction->dequeued_ns;
    uint64_t from_ns = arrival_ns > start_ns ? arrival_ns : start_ns;
    if (arrival_ns == 0 || arrival_ns > end_ns)
        return false;
    return dequeued_ns >= end_ns ||
           (dequeued_ns > from_ns && dequeued_ns - from_ns >= UM_WIRE_HELD_UP_NS);
}

bool um_wire_interaction_may_be_held_up(const struct um_wire_interaction *interaction,
                                        uint64_t start_ns, uint64_t end_ns)
{
    struct um_wire_interaction earliest = *interaction;
    if (interaction->arrival_ns != 0)
        return interaction->arrival_ns > end_ns &&
               interaction->arrival_ns - end_ns <= UM_WIRE_MAY_COME_NS;
    if (interaction->dequeued_ns > end_ns &&
        interaction->dequeued_ns - end_ns > UM_WIRE_MAY_WAIT_NS)
        return false;
    earliest.arrival_ns = start_ns;
    return um_wire_interaction_is_held_up(&earliest, start_ns, end_ns);
}

const char *um_wire_interaction_name(enum um_interaction kind)
{
    static const char names[UM_INTERACTION_COUNT][8] = {
        [UM_INTERACTION_KEY] = "key",
        [UM_INTERACTION_CLICK] = "click",
        [UM_INTERACTION_WHEEL] = "wheel",
    };
    return (unsigned)kind < UM_INTERACTION_COUNT ? names[kind] : "unknown";
}

const char *um_wire_interactions_name(enum um_interaction kind)
{
    static const char names[UM_INTERACTION_COUNT][8] = {
        [UM_INTERACTION_KEY] = "keys",
        [UM_INTERACTION_CLICK] = "clicks",
        [UM_INTERACTION_WHEEL] = "wheel",
    };
    return (unsigned)kind < UM_INTERACTION_COUNT ? names[kind] : "unknown";
}

const char *um_wire_state_name(enum um_state state)
{
    static const char names[UM_STATE_COUNT][12] = {
        [UM_STATE_SUSPENDED] = "suspended",
        [UM_STATE_BLIND] = "blind",
        [UM_STATE_IDLE] = "idle",
        [UM_STATE_FROZEN] = "frozen",
        [UM_STATE_STARVED] = "starved",
        [UM_STATE_SLOW] = "slow",
        [UM_STATE_RESPONSIVE] = "responsive",
        [UM_STATE_OWN_BEAT] = "own_beat",
        [UM_STATE_UNKNOWN] = "unknown",
    };
    return (unsigned)state < UM_STATE_COUNT ? names[state] : "unknown";
}

const char *um_wire_state_words(enum um_state state, bool window_only)
{
    if (state == UM_STATE_OWN_BEAT)
        return "uimon's beat";
    return window_only && state == UM_STATE_RESPONSIVE ? "window thread"
                                                       : um_wire_state_name(state);
}

const char *um_wire_probe_word(uint8_t probe)
{
    static const char *const words[UM_PROBE_COUNT] = {
        [UM_PROBE_RAW] = "raw", [UM_PROBE_MOUSE] = "mouse", [UM_PROBE_PING] = "ping"};
    return probe < UM_PROBE_COUNT ? words[probe] : NULL;
}

const struct um_wire_held_words *um_wire_held_words(uint8_t held)
{
    static const struct um_wire_held_words words[UM_PROBE_HELD_COUNT] = {
        [UM_PROBE_HELD_BUTTON] = {"button",
                                  "while a mouse button was down, so that no drag is shaken",
                                  "mouse button down"},
        [UM_PROBE_HELD_POINTER] = {"pointer",
                                   "while the pointer was hidden, because beats show it again",
                                   "until the mouse moves"},
        [UM_PROBE_HELD_NO_PING] = {"no ping",
                                   "because the window does not answer pings (_NET_WM_PING)",
                                   "no ping"},
        [UM_PROBE_HELD_ELSEWHERE] = {"elsewhere",
                                     "while the pointer was not over the window, as mouse messages "
                                     "need it",
                                     "pointer elsewhere"},
        [UM_PROBE_HELD_UNDELIVERED] = {"undelivered", "while beats did not come to the program",
                                       "beats do not arrive"},
        [UM_PROBE_HELD_FILTERED] = {"filtered",
                                    "while the program took other input before the beats",
                                    "its loop skips beats"},
        [UM_PROBE_HELD_REFUSED] = {"refused", "because Windows refused the beats",
                                   "beats are refused"},
        [UM_PROBE_HELD_DETACHED] = {"detached",
                                    "while uimon was not connected to the program's UI thread",
                                    "not connected"},
        [UM_PROBE_HELD_LATE] = {"asleep", "while uimon itself did not run, or the machine slept",
                                "uimon stood still"},
        [UM_PROBE_HELD_LOSSY] = {"lost records", "where records of the program were lost",
                                 "records lost"},
        [UM_PROBE_HELD_NO_ANSWER] = {"no answer to pings", "while the program did not answer pings",
                                     "no answer to pings"},
        [UM_PROBE_HELD_NO_ANSWER_YET] = {"no answer yet",
                                         "while it was not known whether the program answers pings",
                                         "no answer yet"},
    };
    return held < UM_PROBE_HELD_COUNT && words[held].word ? &words[held] : NULL;
}

void um_wire_put_preamble(uint8_t *buf)
{
    um_bytes_put32(buf, UM_WIRE_MAGIC);
    um_bytes_put16(buf + 4, UM_WIRE_VERSION);
    um_bytes_put16(buf + 6, 0);
}

enum um_status um_wire_check_preamble(const uint8_t *buf, size_t len_bytes)
{
    if (len_bytes < UM_WIRE_PREAMBLE_BYTES)
        return UM_ERR_PARTIAL;
    if (um_bytes_get32(buf) != UM_WIRE_MAGIC || um_bytes_get16(buf + 4) == 0)
        return UM_ERR_FORMAT;
    if (um_bytes_get16(buf + 4) > UM_WIRE_VERSION)
        return UM_ERR_VERSION;
    return um_bytes_get16(buf + 6) == 0 ? UM_OK : UM_ERR_FORMAT;
}
