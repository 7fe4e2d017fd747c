/* A session on a .NET process's diagnostics pipe, which gets the EventCounters of some providers as
 * the bytes of a stream (nettrace.h). eventpipe.h has the messages. Windows only; not on the hot
 * path. A reader starts at `open`.
 */
#ifndef UM_MONITOR_DIAGNOSTICS_H
#define UM_MONITOR_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/dotnet/eventpipe.h"

struct um_diagnostics;

/* `over` is called every few ms while something blocks. If it returns true, that ends with
 * UM_ERR_CLOSED. */
struct um_diagnostics_host {
    void *context;
    bool (*over)(void *context);
};

struct um_diagnostics_backend {
    /* Begins a session. The pipe's other end must be the process itself. Owner: close. Thread:
     * blocks for 10 s at most, while a runtime is busy or does not answer; `host` (NULL: nobody)
     * may end that. Errors: UM_ERR_NOT_FOUND the process has no such pipe, because it does not run
     * .NET Core 3.0 or later; UM_ERR_DENIED the pipe is another process's, or its process has more
     * rights, or the runtime refuses; UM_ERR_ARG, UM_ERR_TOO_LARGE as um_eventpipe_start;
     * UM_ERR_TIMEOUT; UM_ERR_CLOSED the host has ended it; UM_ERR_MEMORY; UM_ERR_FORMAT;
     * UM_ERR_IO. */
    enum um_status (*open)(uint32_t pid, const struct um_eventpipe_provider *providers,
                           size_t count, double interval_s, const struct um_diagnostics_host *host,
                           struct um_diagnostics **diagnostics);

    /* Reads one byte of the stream or more. Thread: blocks for `timeout_ms` at most.
     * Errors: UM_ERR_TIMEOUT; UM_ERR_CLOSED the stream is over; UM_ERR_IO. */
    enum um_status (*read)(struct um_diagnostics *diagnostics, uint8_t *buf, size_t cap_bytes,
                           uint32_t timeout_ms, size_t *len_bytes);

    /* Asks the runtime to end the session: `read` then returns the rest of the stream, and after it
     * UM_ERR_CLOSED. Call it once. Thread: blocks for half a second at most, while the runtime is
     * busy. Errors: as open. */
    enum um_status (*stop)(struct um_diagnostics *diagnostics);

    /* Ends the session and releases it; accepts NULL. */
    void (*close)(struct um_diagnostics *diagnostics);
};

extern const struct um_diagnostics_backend *um_diagnostics; /* the system's, or a test's own */

#endif
