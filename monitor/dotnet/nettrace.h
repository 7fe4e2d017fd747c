/* The stream that a .NET runtime sends over EventPipe, "nettrace" of version 4, and the
 * EventCounters in it: bytes in, counters out.
 *
 * Pure: whoever reads the stream hands its bytes over in pieces of any length. Everything is
 * checked against its bounds, because the stream is another process's. Events that are no
 * EventCounters are left out, and so are those of more than UM_NETTRACE_KINDS definitions. A
 * session is told of the counters of every other session of the same provider, too: a consumer
 * takes those whose `series_ms` is its own interval.
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

#include "ipc/status.h"

#define UM_NETTRACE_KINDS 256
#define UM_NETTRACE_TEXT_BYTES 128
#define UM_NETTRACE_MAX_BLOCK (4 * 1024 * 1024)

/* What one counter says of one interval. Texts are UTF-8, cut to their field. */
struct um_nettrace_counter {
    char provider[UM_NETTRACE_TEXT_BYTES]; /* "System.Runtime" */
    char name[UM_NETTRACE_TEXT_BYTES];     /* "cpu-usage" */
    char display[UM_NETTRACE_TEXT_BYTES];  /* "CPU Usage" */
    char unit[UM_NETTRACE_TEXT_BYTES];     /* "MB"; empty: the program names none */
    uint64_t time_ns;   /* the end of the interval, on the machine's monotonic counter */
    double interval_s;  /* how long it was */
    uint32_t series_ms; /* the interval that was asked for; 0: it is not told */
    bool is_increment;  /* `value` was added in the interval; else it is a mean, or a level */
    bool measured;      /* else `value` and the spread are 0: nothing was written in the interval */
    double value;
    uint32_t count; /* here and below: of a mean. How many values it is of */
    double min, max, deviation;
};

/* Who takes them. What is pointed to lives for the call. */
struct um_nettrace_taker {
    void *context;
    void (*counter)(void *context, const struct um_nettrace_counter *counter);
};

struct um_nettrace;

/* Begins with the first byte of a stream. Owner: um_nettrace_close. Errors: UM_ERR_MEMORY. */
enum um_status um_nettrace_open(const struct um_nettrace_taker *taker,
                                struct um_nettrace **nettrace);

/* Takes the next bytes, and tells the counters of each block that is whole. After an error nothing
 * in the stream can be trusted, and each further call returns the same.
 * Errors: UM_ERR_FORMAT it is no such stream, or it is damaged; UM_ERR_VERSION it needs a later
 * reader; UM_ERR_UNSUPPORTED its events are in the form of version 3; UM_ERR_TOO_LARGE a block is
 * larger than UM_NETTRACE_MAX_BLOCK; UM_ERR_MEMORY. */
enum um_status um_nettrace_bytes(struct um_nettrace *nettrace, const uint8_t *bytes,
                                 size_t len_bytes);

/* Whether the stream has said that it is over. What comes after that is left out. */
bool um_nettrace_ended(const struct um_nettrace *nettrace);

/* Accepts NULL. */
void um_nettrace_close(struct um_nettrace *nettrace);

#endif
