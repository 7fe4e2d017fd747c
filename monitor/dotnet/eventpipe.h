/* The messages on a .NET process's diagnostics pipe, `dotnet-diagnostic-PID`, that ask for the
 * events of some providers, counters among them: the request, the answer, and the request to stop.
 * After the answer the pipe carries the session's stream (nettrace.h) until the request to stop,
 * which goes over a second connection to the same pipe. A runtime that connects to somebody else's
 * pipe (reverse.h) first says on each connection who it is.
 *
 * Pure; portable; not on the hot path. A reader starts at um_eventpipe_start. Source: "Diagnostic
 * IPC Protocol" and "CollectTracing2" in dotnet/diagnostics,
 * documentation/design-docs/ipc-protocol.md; tried with .NET Core 3.1. What a runtime says of
 * itself ("Advertise", .NET 5 and later) is known from its documentation alone.
 */
#ifndef UM_MONITOR_EVENTPIPE_H
#define UM_MONITOR_EVENTPIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

#define UM_EVENTPIPE_START_BYTES 32768 /* suffices for three dozen providers */
#define UM_EVENTPIPE_ADVERTISED_BYTES 34
#define UM_EVENTPIPE_STOP_BYTES 28
#define UM_EVENTPIPE_ANSWER_BYTES 28

struct um_eventpipe_provider {
    const char *name; /* "System.Runtime": letters, digits and marks of ASCII */
    uint64_t keywords;
    uint32_t level;        /* 1 critical to 5 verbose; counters need 4 */
    bool events;           /* not only its counters are of interest: for collector.h */
    const char *arguments; /* "NAME=VALUE;...", of ASCII; NULL: the interval of its counters */
};

/* Writes the request for events, and its length. Two sessions of one process share the shorter
 * one of their intervals.
 * Units: `interval_s` is more than 0. Errors: UM_ERR_ARG there is no provider, or one has a name
 * that is not as above; UM_ERR_TOO_LARGE it does not fit into `cap_bytes`. */
enum um_status um_eventpipe_start(const struct um_eventpipe_provider *providers, size_t count,
                                  double interval_s, uint8_t *buf, size_t cap_bytes,
                                  size_t *len_bytes);

/* Reads the answer: the session's number. Errors: UM_ERR_PARTIAL more bytes are needed;
 * UM_ERR_DENIED the runtime refuses; UM_ERR_FORMAT it is no such answer. */
enum um_status um_eventpipe_answer(const uint8_t *buf, size_t len_bytes, uint64_t *session);

/* Reads what a runtime says of itself on a connection that it has made: its process. Errors:
 * UM_ERR_PARTIAL more bytes are needed; UM_ERR_FORMAT it is no such message. */
enum um_status um_eventpipe_advertised(const uint8_t *buf, size_t len_bytes, uint64_t *pid);

/* Writes the request to stop a session. Units: `buf` has UM_EVENTPIPE_STOP_BYTES. */
void um_eventpipe_stop(uint64_t session, uint8_t *buf);

#endif
