#include "monitor/dotnet/nettrace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/list.h"

#define PREAMBLE "Nettrace\x14\0\0\0!FastSerialization.1"
#define PREAMBLE_BYTES (sizeof PREAMBLE - 1)
#define READER_VERSION 4
#define TRACE_BYTES 48
#define TYPE_NAME_BYTES 32
#define MAX_THREADS 1024
#define MAX_FREQUENCY UINT64_C(10000000000)

enum tag { TAG_NULL = 1, TAG_BEGIN = 5, TAG_END = 6 };

/* Which fields an event of a compressed block has, and whether no later one is older. */
enum {
    HAS_METADATA = 1,
    HAS_SEQUENCE = 2,
    HAS_THREAD = 4,
    HAS_STACK = 8,
    HAS_ACTIVITY = 16,
    HAS_RELATED = 32,
    IS_SORTED = 64,
    HAS_LENGTH = 128
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

/* A thread that sends events: the runtime numbers them, also those that it loses. */
struct counting {
    uint64_t thread;
    uint32_t sequence; /* of its last event */
    uint64_t number;   /* of its last event, among those of all threads */
};

struct um_nettrace {
    struct um_nettrace_taker taker;
    enum um_status status; /* the first failure */
    uint8_t *buf;          /* what is not decoded yet */
    size_t len, cap;
    uint64_t offset; /* of its first byte in the stream */
    bool begun, ended;
    uint64_t frequency; /* of timestamps; 0: the Trace has not come */
    size_t kind_count, kind_room;
    struct um_event_kind **kinds; /* each by itself, because events refer to them */
    size_t last;                  /* the kind that was found last */
    size_t counting_count, counting_room;
    struct counting *counting; /* the threads that have sent events */
    uint64_t event_count;
};

/* Definitions of events ------------------------------------------------------------------------ */

static const struct um_event_kind *find_kind(struct um_nettrace *nettrace, uint32_t definition)
{
    size_t last = nettrace->last;
    if (last < nettrace->kind_count && nettrace->kinds[last]->definition == definition)
        return nettrace->kinds[last];
    for (size_t i = 0; i < nettrace->kind_count; i++)
        if (nettrace->kinds[i]->definition == definition) {
            nettrace->last = i;
            return nettrace->kinds[i];
        }
    return NULL;
}

static bool is_counters(const struct um_event_kind *kind)
{
    return strcmp(kind->name, "EventCounters") == 0;
}

static enum um_status take_definition(struct um_nettrace *nettrace, struct um_cursor payload)
{
    struct um_event_kind kind;
    enum um_status status = um_event_kind_read(&payload, &kind);
    if (status != UM_OK)
        return status;
    if (is_counters(&kind) && !kind.whole)
        return UM_ERR_FORMAT;
    if (find_kind(nettrace, kind.definition) || nettrace->kind_count == UM_NETTRACE_KINDS)
        return UM_OK;
    struct um_event_kind *kept = malloc(sizeof *kept);
    if (!kept || !um_list_reserve(&nettrace->kinds, &nettrace->kind_room, nettrace->kind_count + 1,
                                  UM_NETTRACE_KINDS, sizeof nettrace->kinds[0])) {
        free(kept);
        return UM_ERR_MEMORY;
    }
    *kept = kind;
    nettrace->kinds[nettrace->kind_count++] = kept;
    return UM_OK;
}

/* Counters ------------------------------------------------------------------------------------- */

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
    const char *dot = strrchr(name, '.'); /* they are fields of an object */
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (strcmp(roles[i].name, dot ? dot + 1 : name) == 0)
            return roles[i].role;
    return ROLE_NONE;
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

/* The fields of an event. */
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
        memcpy(to, text, strlen(text) + 1);
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

/* Passes a counter on. If the program wrote no value in the interval, the runtime sends a count of
 * 0 and infinity. */
static void pass_on(struct um_nettrace *nettrace, struct reading *reading)
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

static enum um_status take_counter(struct um_nettrace *nettrace, const struct um_event_kind *kind,
                                   uint64_t time_ns, struct um_cursor payload)
{
    struct reading reading = {.counter.time_ns = time_ns};
    struct um_event_kind_value values[UM_EVENT_KIND_FIELDS];
    size_t count = um_event_kind_values(kind, &payload, false, values);
    if (count < kind->count)
        return UM_ERR_FORMAT;
    memcpy(reading.counter.provider, kind->provider, sizeof kind->provider);
    for (size_t i = 0; i < count; i++) {
        enum role role = role_of(kind->fields[i].name);
        take_text(&reading, role, values[i].text);
        take_number(&reading, role, values[i].number);
    }
    pass_on(nettrace, &reading);
    return UM_OK;
}

/* Blocks --------------------------------------------------------------------------------------- */

/* The fields that an event takes over from the one before if it does not have them. */
struct event {
    uint32_t definition;
    uint32_t sequence; /* its number among those of the thread that sends it */
    uint64_t sender;
    uint64_t thread, ticks;
    uint8_t activity[UM_NETTRACE_ID_BYTES], related[UM_NETTRACE_ID_BYTES];
    size_t len_bytes;
    bool sorted; /* its own */
};

static void get_id(struct um_cursor *cursor, uint8_t *id)
{
    const uint8_t *at = um_cursor_take(cursor, UM_NETTRACE_ID_BYTES);
    if (at)
        memcpy(id, at, UM_NETTRACE_ID_BYTES);
}

static void get_event(struct um_cursor *cursor, struct event *event)
{
    uint8_t has = um_cursor_get8(cursor);
    if (has & HAS_METADATA)
        event->definition = (uint32_t)um_cursor_get_varint(cursor, 32);
    if (has & HAS_SEQUENCE) {
        event->sequence += (uint32_t)um_cursor_get_varint(cursor, 32);
        event->sender = um_cursor_get_varint(cursor, 64);
        um_cursor_get_varint(cursor, 32); /* processor */
    }
    if (event->definition != 0)
        event->sequence++;
    if (has & HAS_THREAD)
        event->thread = um_cursor_get_varint(cursor, 64);
    if (has & HAS_STACK)
        um_cursor_get_varint(cursor, 32);
    event->ticks += um_cursor_get_varint(cursor, 64);
    if (has & HAS_ACTIVITY)
        get_id(cursor, event->activity);
    if (has & HAS_RELATED)
        get_id(cursor, event->related);
    if (has & HAS_LENGTH)
        event->len_bytes = (size_t)um_cursor_get_varint(cursor, 32);
    event->sorted = (has & IS_SORTED) != 0;
}

/* The thread that has sent nothing for longest. */
static struct counting *oldest_counting(const struct um_nettrace *nettrace)
{
    struct counting *oldest = nettrace->counting;
    for (size_t i = 1; i < nettrace->counting_count; i++)
        if (nettrace->counting[i].number < oldest->number)
            oldest = &nettrace->counting[i];
    return oldest;
}

/* The last event of the thread that sends this one. NULL without memory.
 * If there are too many threads, a new one takes the place of the oldest. It may itself have been
 * forgotten before, and so none of its events before this one counts as missing. */
static struct counting *find_counting(struct um_nettrace *nettrace, const struct event *event)
{
    struct counting *made;
    uint32_t sequence = 0;
    for (size_t i = 0; i < nettrace->counting_count; i++)
        if (nettrace->counting[i].thread == event->sender)
            return &nettrace->counting[i];
    if (nettrace->counting_count == MAX_THREADS) {
        made = oldest_counting(nettrace);
        sequence = event->sequence - 1;
    } else if (um_list_reserve(&nettrace->counting, &nettrace->counting_room,
                               nettrace->counting_count + 1, MAX_THREADS,
                               sizeof nettrace->counting[0])) {
        made = &nettrace->counting[nettrace->counting_count++];
    } else {
        return NULL;
    }
    *made = (struct counting){.thread = event->sender, .sequence = sequence};
    return made;
}

static void lose(const struct um_nettrace *nettrace, uint64_t count)
{
    if (nettrace->taker.lost)
        nettrace->taker.lost(nettrace->taker.context, count);
}

/* Tells how many events of a thread are missing before this one. The first one has the number 1; a
 * number that goes back is that of a new thread, which is called as one that has ended. */
static void tell_lost(struct um_nettrace *nettrace, const struct event *event)
{
    struct counting *counting = find_counting(nettrace, event);
    if (!counting)
        return;
    uint32_t missing = event->sequence - counting->sequence - 1;
    counting->sequence = event->sequence;
    counting->number = ++nettrace->event_count;
    if (missing != 0 && missing <= INT32_MAX)
        lose(nettrace, missing);
}

static enum um_status take_event(struct um_nettrace *nettrace, const struct event *event,
                                 struct um_cursor payload)
{
    uint64_t time_ns = um_clock_ticks_to_ns(event->ticks, nettrace->frequency);
    const struct um_event_kind *kind = find_kind(nettrace, event->definition);
    const struct um_nettrace_taker *taker = &nettrace->taker;
    enum um_status status = UM_OK;
    tell_lost(nettrace, event);
    if (kind && is_counters(kind)) {
        status = take_counter(nettrace, kind, time_ns, payload);
    } else if (kind && taker->event) {
        struct um_nettrace_event told = {.kind = kind,
                                         .time_ns = time_ns,
                                         .thread = event->thread,
                                         .payload = payload.at,
                                         .len_bytes = um_cursor_left(&payload)};
        memcpy(told.activity, event->activity, sizeof told.activity);
        memcpy(told.related, event->related, sizeof told.related);
        taker->event(taker->context, &told);
    } else if (!kind && event->definition != 0) {
        lose(nettrace, 1);
    }
    if (event->sorted && taker->settled)
        taker->settled(taker->context, time_ns);
    return status;
}

static enum um_status take_events(struct um_nettrace *nettrace, struct um_cursor block,
                                  bool defines)
{
    struct event event = {0};
    uint16_t header_bytes = um_cursor_get16(&block);
    bool compressed = um_cursor_get16(&block) & 1;
    if (header_bytes < 4 || !um_cursor_take(&block, header_bytes - 4U))
        return UM_ERR_FORMAT;
    if (!compressed)
        return UM_ERR_UNSUPPORTED;
    if (nettrace->frequency == 0)
        return UM_ERR_FORMAT;
    while (block.at < block.end) {
        get_event(&block, &event);
        const uint8_t *at = um_cursor_take(&block, event.len_bytes);
        if (!at)
            return UM_ERR_FORMAT;
        struct um_cursor payload = {.at = at, .end = at + event.len_bytes};
        enum um_status status =
            defines ? take_definition(nettrace, payload) : take_event(nettrace, &event, payload);
        if (status != UM_OK)
            return status;
    }
    return UM_OK;
}

/* Objects -------------------------------------------------------------------------------------- */

static enum um_status take_trace(struct um_nettrace *nettrace, struct um_cursor trace)
{
    um_cursor_take(&trace, 16 + 8); /* the date, and the same instant in ticks */
    nettrace->frequency = um_cursor_get64(&trace);
    return nettrace->frequency > 0 && nettrace->frequency <= MAX_FREQUENCY ? UM_OK : UM_ERR_FORMAT;
}

/* What comes before an object's content. */
struct object {
    uint32_t reader_version;
    char name[TYPE_NAME_BYTES + 1];
};

static enum um_status get_object(struct um_cursor *cursor, struct object *object)
{
    bool begins = um_cursor_get8(cursor) == TAG_BEGIN && um_cursor_get8(cursor) == TAG_BEGIN;
    bool of_no_type = um_cursor_get8(cursor) == TAG_NULL;
    um_cursor_get32(cursor); /* the version that wrote it */
    object->reader_version = um_cursor_get32(cursor);
    uint32_t len = um_cursor_get32(cursor);
    if (cursor->failed)
        return UM_ERR_PARTIAL;
    if (!begins || !of_no_type || len > TYPE_NAME_BYTES)
        return UM_ERR_FORMAT;
    const uint8_t *name = um_cursor_take(cursor, len);
    uint8_t end = um_cursor_get8(cursor);
    if (!name || cursor->failed)
        return UM_ERR_PARTIAL;
    memcpy(object->name, name, len);
    object->name[len] = '\0';
    if (end != TAG_END)
        return UM_ERR_FORMAT;
    return object->reader_version > READER_VERSION ? UM_ERR_VERSION : UM_OK;
}

/* How many bytes an object's content has. That of a block has its length in front, and begins at a
 * multiple of four. */
static enum um_status get_length(struct um_nettrace *nettrace, struct um_cursor *cursor,
                                 bool is_trace, size_t *len)
{
    *len = TRACE_BYTES;
    if (is_trace)
        return UM_OK;
    *len = um_cursor_get32(cursor);
    uint64_t offset = nettrace->offset + (uint64_t)(cursor->at - nettrace->buf);
    um_cursor_take(cursor, (4 - offset % 4) % 4);
    if (cursor->failed)
        return UM_ERR_PARTIAL;
    return *len > UM_NETTRACE_MAX_BLOCK ? UM_ERR_TOO_LARGE : UM_OK;
}

static enum um_status take_content(struct um_nettrace *nettrace, const char *name,
                                   struct um_cursor content)
{
    if (strcmp(name, "Trace") == 0)
        return take_trace(nettrace, content);
    if (strcmp(name, "MetadataBlock") == 0)
        return take_events(nettrace, content, true);
    if (strcmp(name, "EventBlock") == 0)
        return take_events(nettrace, content, false);
    return UM_OK; /* stacks, and sequence points */
}

static enum um_status take_object(struct um_nettrace *nettrace, struct um_cursor *cursor)
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
    const uint8_t *at = um_cursor_take(cursor, len);
    uint8_t end = um_cursor_get8(cursor);
    if (!at || cursor->failed)
        return UM_ERR_PARTIAL;
    if (end != TAG_END)
        return UM_ERR_FORMAT;
    return take_content(nettrace, object.name, (struct um_cursor){.at = at, .end = at + len});
}

static enum um_status take_preamble(struct um_nettrace *nettrace, struct um_cursor *cursor)
{
    size_t have = nettrace->len < PREAMBLE_BYTES ? nettrace->len : PREAMBLE_BYTES;
    if (memcmp(nettrace->buf, PREAMBLE, have) != 0)
        return UM_ERR_FORMAT;
    if (!um_cursor_take(cursor, PREAMBLE_BYTES))
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
        struct um_cursor cursor = {.at = nettrace->buf + used,
                                   .end = nettrace->buf + nettrace->len};
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
    for (size_t i = 0; i < nettrace->kind_count; i++)
        free(nettrace->kinds[i]);
    free(nettrace->kinds);
    free(nettrace->counting);
    free(nettrace->buf);
    free(nettrace);
}
