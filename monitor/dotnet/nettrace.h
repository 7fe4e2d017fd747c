/* Decodes the stream that a .NET runtime sends over EventPipe, "nettrace" of version 4: bytes in,
 * counters and other events out.
 *
 * The bytes may come in pieces of any length. Everything is checked against its bounds, because the
 * stream is another process's. Events of more than UM_NETTRACE_KINDS definitions are left out, and
 * told as lost. A session also gets the counters of every other session of the same provider: a
 * consumer takes those whose `series_ms` is its own interval.
 *
 * A reader starts at um_nettrace_bytes. One thread; never blocks. Portable; not on the hot path.
 * Source: "NetTrace File Format", microsoft/perfview, TraceEvent/EventPipe/NetTraceFormat_v4.md;
 * CounterPayload.cs of dotnet/runtime for the fields; tried with .NET Core 3.1.
 */
#ifndef UM_MONITOR_NETTRACE_H
#define UM_MONITOR_NETTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/dotnet/event_kind.h"

#define UM_NETTRACE_KINDS 1024
#define UM_NETTRACE_ID_BYTES 16
#define UM_NETTRACE_TEXT_BYTES UM_EVENT_KIND_TEXT_BYTES
#define UM_NETTRACE_MAX_BLOCK (4 * 1024 * 1024)

/* The value of one counter in one interval. Texts are UTF-8, cut to their field. */
struct um_nettrace_counter {
    char provider[UM_NETTRACE_TEXT_BYTES]; /* "System.Runtime" */
    char name[UM_NETTRACE_TEXT_BYTES];     /* "cpu-usage" */
    char display[UM_NETTRACE_TEXT_BYTES];  /* "CPU Usage" */
    char unit[UM_NETTRACE_TEXT_BYTES];     /* "MB"; empty: the program names none */
    uint64_t time_ns;   /* the end of the interval, on the machine's monotonic counter */
    double interval_s;  /* how long it was */
    uint32_t series_ms; /* the interval that a session has asked for; 0: not known */
    bool is_increment;  /* `value` was added in the interval; else it is a mean, or a level */
    bool measured;      /* else the program wrote no value, and the numbers that follow are 0 */
    double value;
    uint32_t count; /* here and below: of a mean. How many values it is of */
    double min, max, deviation;
};

/* An event that is no counter. */
struct um_nettrace_event {
    const struct um_event_kind *kind;       /* until um_nettrace_close */
    uint64_t time_ns;                       /* on the machine's monotonic counter */
    uint64_t thread;                        /* the system's number of it */
    uint8_t activity[UM_NETTRACE_ID_BYTES]; /* all 0: it has none */
    uint8_t related[UM_NETTRACE_ID_BYTES];  /* the activity that has caused this one, or it */
    const uint8_t *payload;                 /* um_event_kind_values reads it */
    size_t len_bytes;
};

/* Gets what is decoded, within um_nettrace_bytes. Pointers are valid during the call. Events of one
 * thread come in the order of their time, those of several do not: after `settled`, no event comes
 * that is older than `time_ns`. `lost`: so many events are missing before the next one, because
 * the runtime had no room for them, or this decoder none for their definitions; of which provider
 * is not known. NULL: nobody wants `event`, `settled` or `lost`. */
struct um_nettrace_taker {
    void *context;
    void (*counter)(void *context, const struct um_nettrace_counter *counter);
    void (*event)(void *context, const struct um_nettrace_event *event);
    void (*settled)(void *context, uint64_t time_ns);
    void (*lost)(void *context, uint64_t count);
};

struct um_nettrace;

/* Begins with the first byte of a stream. Owner: um_nettrace_close. Errors: UM_ERR_MEMORY. */
enum um_status um_nettrace_open(const struct um_nettrace_taker *taker,
                                struct um_nettrace **nettrace);

/* Takes the next bytes, and passes on the counters of each complete block. After an error nothing
 * in the stream can be trusted, and each further call returns the same.
 * Errors: UM_ERR_FORMAT it is no such stream, or it is damaged; UM_ERR_VERSION it needs a later
 * reader; UM_ERR_UNSUPPORTED its events are in the form of version 3; UM_ERR_TOO_LARGE a block is
 * larger than UM_NETTRACE_MAX_BLOCK; UM_ERR_MEMORY. */
enum um_status um_nettrace_bytes(struct um_nettrace *nettrace, const uint8_t *bytes,
                                 size_t len_bytes);

/* Accepts NULL. */
void um_nettrace_close(struct um_nettrace *nettrace);

#endif
