/* What is said on a .NET process's diagnostics pipe, `dotnet-diagnostic-PID`, to be sent the
 * EventCounters of some providers: the question, the answer, and the request to stop. After the
 * answer the pipe carries the session's stream (nettrace.h) until somebody asks to stop, on a
 * second connection to the same pipe.
 *
 * Pure: texts in, bytes out, and the other way round. Portable; not on the hot path. A reader
 * starts at um_eventpipe_start. Source: "Diagnostic IPC Protocol" and "CollectTracing2" in
 * dotnet/diagnostics, documentation/design-docs/ipc-protocol.md; tried with .NET Core 3.1.
 */
#ifndef UM_MONITOR_EVENTPIPE_H
#define UM_MONITOR_EVENTPIPE_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"

#define UM_EVENTPIPE_START_BYTES 16384 /* suffices for three dozen providers */
#define UM_EVENTPIPE_STOP_BYTES 28
#define UM_EVENTPIPE_ANSWER_BYTES 28
#define UM_EVENTPIPE_PATH_CHARS 64

struct um_eventpipe_provider {
    const char *name; /* "System.Runtime": letters, digits and marks of ASCII */
    uint64_t keywords;
    uint32_t level; /* 1 critical to 5 verbose; counters need 4 */
};

/* The path of a process's diagnostics pipe. Units: `path` has UM_EVENTPIPE_PATH_CHARS. */
void um_eventpipe_path(uint32_t pid, wchar_t *path);

/* Writes the question for counters, and its length. Two sessions of one process share the shorter
 * one of their intervals.
 * Units: `interval_s` is more than 0. Errors: UM_ERR_ARG there is no provider, or the name of one
 * is no such text; UM_ERR_TOO_LARGE it does not fit into `cap_bytes`. */
enum um_status um_eventpipe_start(const struct um_eventpipe_provider *providers, size_t count,
                                  double interval_s, uint8_t *buf, size_t cap_bytes,
                                  size_t *len_bytes);

/* Reads the answer to that: the session's number. Errors: UM_ERR_PARTIAL more bytes are needed;
 * UM_ERR_DENIED the runtime refuses; UM_ERR_FORMAT it is no such answer. */
enum um_status um_eventpipe_answer(const uint8_t *buf, size_t len_bytes, uint64_t *session);

/* Writes the request to stop a session. Units: `buf` has UM_EVENTPIPE_STOP_BYTES. */
void um_eventpipe_stop(uint64_t session, uint8_t *buf);

#endif
