/* The events of a stream of .NET Core 3.1, captured under Wine with tests/win/nettrace_win32.c from
 * tests/dotnet/activities.cs. The truth is what a listener inside the program was told, each event
 * when it was written: activities_nettrace.tsv. Wine's advapi32 does not tell a listener the
 * activity of its thread, so it knows the ids of a Start and a Stop alone. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/dotnet/nettrace.h"

#define STREAM UM_SOURCE_DIR "/tests/golden/activities.nettrace"
#define TRUTH UM_SOURCE_DIR "/tests/golden/activities_nettrace.tsv"
#define MAX_EVENTS 256
#define MAX_THREADS 16
#define LINE_BYTES 512
#define COLUMNS 24
#define NO_ID "00000000-0000-0000-0000-000000000000"

enum column { EVENT, TIME, THREAD, NAME, ACTIVITY, RELATED, FIELDS };

struct told {
    struct um_nettrace_event event;
    size_t count, left;
    bool fits;
    struct um_event_kind_value values[UM_EVENT_KIND_FIELDS];
};

/* A line of the truth. */
struct line {
    char text[LINE_BYTES];
    char *columns[COLUMNS]; /* NULL behind the last */
};

static struct told told[MAX_EVENTS];
static size_t told_count;
static uint64_t settled_ns, lost;
static struct line lines[MAX_EVENTS];
static size_t line_count;
static uint8_t stream[65536];
static size_t stream_len;

static void take_counter(void *context, const struct um_nettrace_counter *counter)
{
    (void)context, (void)counter;
}

static void take_event(void *context, const struct um_nettrace_event *event)
{
    (void)context;
    if (strcmp(event->kind->provider, "Example-App-Activities") != 0)
        return; /* the runtime says which process it is */
    struct told *to = &told[told_count++];
    struct um_cursor payload = {.at = event->payload, .end = event->payload + event->len_bytes};
    cr_assert_leq(told_count, MAX_EVENTS);
    cr_expect_geq(event->time_ns, settled_ns, "nothing older comes");
    to->event = *event;
    to->fits = um_event_kind_fits(event->kind, payload);
    to->count = um_event_kind_values(event->kind, &payload, false, to->values);
    to->left = um_cursor_left(&payload);
}

static void take_settled(void *context, uint64_t time_ns)
{
    (void)context;
    cr_expect_geq(time_ns, settled_ns);
    settled_ns = time_ns;
}

static void take_lost(void *context, uint64_t count)
{
    (void)context;
    lost += count;
}

static void read_truth(void)
{
    FILE *file = fopen(TRUTH, "r");
    cr_assert(file != NULL);
    while (line_count < MAX_EVENTS && fgets(lines[line_count].text, LINE_BYTES, file)) {
        char *at = lines[line_count].text;
        at[strcspn(at, "\n")] = '\0';
        for (int i = 0; i < COLUMNS && at; i++) {
            lines[line_count].columns[i] = at;
            at = strchr(at, '\t');
            if (at)
                *at++ = '\0';
        }
        line_count++;
    }
    fclose(file);
}

static struct um_nettrace *nettrace;

static void open_decoder(void)
{
    const struct um_nettrace_taker taker = {
        .counter = take_counter, .event = take_event, .settled = take_settled, .lost = take_lost};
    told_count = 0;
    settled_ns = lost = 0;
    cr_assert_eq(um_nettrace_open(&taker, &nettrace), UM_OK);
}

static void setup(void)
{
    FILE *file = fopen(STREAM, "rb");
    cr_assert(file != NULL);
    stream_len = fread(stream, 1, sizeof stream, file);
    fclose(file);
    read_truth();
    open_decoder();
    cr_assert_eq(um_nettrace_bytes(nettrace, stream, stream_len), UM_OK);
}

static void teardown(void)
{
    um_nettrace_close(nettrace);
}

TestSuite(nettrace_events, .init = setup, .fini = teardown);

static bool is_value(const struct um_event_kind_value *value, const char *text)
{
    return value->is_number ? value->number == strtod(text, NULL) : strcmp(value->text, text) == 0;
}

/* The first difference between an event and a line of the truth; NULL: there is none. */
static const char *differs(const struct told *event, const struct line *line)
{
    char related[UM_EVENT_KIND_GUID_BYTES], activity[UM_EVENT_KIND_GUID_BYTES];
    um_event_kind_guid(event->event.related, related);
    um_event_kind_guid(event->event.activity, activity);
    if (strcmp(event->event.kind->name, line->columns[NAME]) != 0)
        return "name";
    if (strcmp(related, line->columns[RELATED]) != 0)
        return "related activity";
    if (strcmp(line->columns[ACTIVITY], NO_ID) != 0 &&
        strcmp(activity, line->columns[ACTIVITY]) != 0)
        return "activity";
    if (event->event.time_ns > strtoull(line->columns[TIME], NULL, 10))
        return "time";
    if (strcmp(event->event.kind->name, "Packet") == 0) /* the runtime does not describe it */
        return event->count == 0 && event->left > 0 ? NULL : "payload that is not described";
    for (size_t i = 0; i < event->count; i++) {
        const char *field = line->columns[FIELDS + i];
        size_t len = strlen(event->event.kind->fields[i].name);
        if (!field || strncmp(field, event->event.kind->fields[i].name, len) != 0 ||
            field[len] != '=' || !is_value(&event->values[i], field + len + 1))
            return field ? field : "a field too many";
    }
    return event->left > 0 || line->columns[FIELDS + event->count] ? "a field is missing" : NULL;
}

/* Looks for the lines of a thread's events, one after the other; returns how many events it has. */
static size_t compare(uint64_t thread)
{
    size_t next = 0, found = 0;
    for (size_t i = 0; i < told_count; i++) {
        const char *what = "line";
        if (told[i].event.thread != thread)
            continue;
        for (; next < line_count && what; next++) {
            if (strtoull(lines[next].columns[THREAD], NULL, 10) != thread)
                continue;
            what = differs(&told[i], &lines[next]);
            cr_assert(!what || found == 0, "%s of %s, which is number %zu of %u", what,
                      told[i].event.kind->name, found, (unsigned)thread);
        }
        cr_assert(!what, "%s has no line", told[i].event.kind->name);
        found++;
    }
    return found;
}

/* From the first event of a thread on that the stream has, it has all of them. */
Test(nettrace_events, are_those_that_a_listener_in_the_program_was_told)
{
    size_t compared = 0;
    cr_assert_gt(told_count, 60, "%zu", told_count);
    for (size_t i = 0; i < told_count; i++) {
        bool is_first = true;
        for (size_t k = 0; k < i; k++)
            is_first = is_first && told[k].event.thread != told[i].event.thread;
        if (is_first)
            compared += compare(told[i].event.thread);
    }
    cr_expect_eq(compared, told_count);
    cr_expect_eq(lost, 0, "%u", (unsigned)lost);
}

/* The runtime describes no field of a method with an array, and all of others. */
Test(nettrace_events, payloads_fit_their_definitions)
{
    for (size_t i = 0; i < told_count; i++)
        cr_expect_eq(told[i].fits, strcmp(told[i].event.kind->name, "Packet") != 0, "%s",
                     told[i].event.kind->name);
}

/* What a listener cannot know here: an event between a Start and its Stop has their activity. */
Test(nettrace_events, events_within_an_activity_have_its_id)
{
    size_t notes = 0;
    for (size_t i = 0; i < told_count; i++) {
        if (strcmp(told[i].event.kind->name, "Note") != 0)
            continue;
        size_t stop = i;
        while (stop < told_count && (told[stop].event.thread != told[i].event.thread ||
                                     strcmp(told[stop].event.kind->name, "QueryStop") != 0))
            stop++;
        cr_assert_lt(stop, told_count);
        cr_expect_eq(memcmp(told[i].event.activity, told[stop].event.activity, 16), 0);
        notes++;
    }
    cr_expect_gt(notes, 4);
}

Test(nettrace_events, are_told_by_their_opcodes)
{
    size_t starts = 0, stops = 0;
    for (size_t i = 0; i < told_count; i++) {
        starts += told[i].event.kind->opcode == UM_EVENT_KIND_START;
        stops += told[i].event.kind->opcode == UM_EVENT_KIND_STOP;
    }
    cr_expect_gt(starts, 10);
    cr_expect_gt(stops, 10);
}

static uint8_t made[65536];
static size_t made_len;

static void put(uint64_t number, size_t count)
{
    for (size_t i = 0; i < count; i++)
        made[made_len++] = i < sizeof number ? (uint8_t)(number >> 8 * i) : 0;
}

/* An object's begin; a block's length follows, and is returned. */
static size_t put_object(const char *name)
{
    put(0x010505, 3);
    put(4, 4);
    put(4, 4);
    put(strlen(name), 4);
    memcpy(made + made_len, name, strlen(name));
    made_len += strlen(name);
    put(6, 1);
    return made_len;
}

static size_t put_block(const char *name)
{
    size_t length = put_object(name);
    put(0, 4);
    put(0, (4 - made_len % 4) % 4);
    put(20, 2);
    put(1, 2);
    put(0, 16);
    return length;
}

static void end_block(size_t length)
{
    size_t begin = (length + 4 + 3) / 4 * 4;
    for (size_t i = 0; i < 4; i++)
        made[length + i] = (uint8_t)((made_len - begin) >> 8 * i);
    put(6, 1);
}

static void put_varint(uint32_t number)
{
    for (; number >= 128; number >>= 7)
        put(128 | (number & 127), 1);
    put(number, 1);
}

/* An event of a thread. `ahead` is what is added to the number of the event before it. */
static void put_event_of(uint32_t definition, uint32_t thread, uint32_t ahead)
{
    put(1 | 2 | 128, 1);
    put_varint(definition);
    put_varint(ahead);
    put_varint(thread);
    put(0, 1); /* processor */
    put(5, 1); /* time */
    put(0, 1); /* payload */
}

static void put_event(uint32_t thread, uint32_t ahead)
{
    put_event_of(1, thread, ahead);
}

/* As the chapters "The First Object" and "Header compression" of NetTraceFormat_v5.md have it. */
static void begin_stream(uint32_t definitions)
{
    memcpy(made, stream, 32);
    made_len = 32;
    put_object("Trace");
    put(0, 24);
    put(1000, 8);
    put(0, 16);
    put(6, 1);
    size_t length = put_block("MetadataBlock");
    for (uint32_t i = 1; i <= definitions; i++) {
        put(128, 1);
        put(0, 1); /* time */
        put(4 + 4 + 4 + 2 + 16, 1);
        put(i, 4);
        put('P', 4);
        put(7, 4);
        put(0, 2 + 16);
    }
    end_block(length);
}

static void decode_stream(void)
{
    teardown();
    open_decoder();
    cr_assert_eq(um_nettrace_bytes(nettrace, made, made_len), UM_OK);
}

Test(nettrace_events, those_that_the_runtime_has_lost_are_missed_by_their_numbers)
{
    begin_stream(1);
    size_t length = put_block("EventBlock");
    put_event(8, 0); /* 1 */
    put_event(8, 0); /* 2 */
    put_event(8, 3); /* 6: three are missing */
    put_event(9, 1); /* 8 of another one: seven */
    end_block(length);
    length = put_block("EventBlock");
    put_event(9, 8);  /* 9 */
    put_event(8, 10); /* 20: thirteen */
    end_block(length);
    length = put_block("EventBlock");
    put_event(8, 0); /* 1: another thread has this number now */
    put_event(8, 0); /* 2 */
    end_block(length);
    decode_stream();
    cr_expect_eq(lost, 3 + 7 + 13, "%u", (unsigned)lost);
}

/* More threads than are remembered: those that have ended long ago are forgotten. */
Test(nettrace_events, what_is_lost_is_missed_however_many_threads_there_were)
{
    begin_stream(1);
    size_t length = put_block("EventBlock");
    put_event(1, 0); /* 1 */
    for (uint32_t thread = 2; thread <= 1100; thread++)
        put_event(thread, UINT32_MAX); /* 1 again */
    put_event(1100, 2);                /* 4: two are missing */
    put_event(100, UINT32_MAX - 2);    /* 2, and none is missing */
    put_event(1, 47);                  /* 50: how many of these have come is forgotten */
    put_event(1, 5);                   /* 56: five */
    end_block(length);
    decode_stream();
    cr_expect_eq(lost, 2 + 5, "%u", (unsigned)lost);
}

Test(nettrace_events, those_of_too_many_definitions_count_as_lost)
{
    begin_stream(UM_NETTRACE_KINDS + 1);
    size_t length = put_block("EventBlock");
    put_event_of(UM_NETTRACE_KINDS, 8, 0);
    put_event_of(UM_NETTRACE_KINDS + 1, 8, 0);
    put_event_of(UM_NETTRACE_KINDS + 1, 8, 0);
    end_block(length);
    decode_stream();
    cr_expect_eq(lost, 2, "%u", (unsigned)lost);
}
