/* A .NET process's diagnostics pipe: a session that is sent the EventCounters of some providers, as
 * the bytes of a stream (nettrace.h). What is said on the pipe is in eventpipe.h. Windows only; not
 * on the hot path. A reader starts at um_diagnostics_open.
 */
#ifndef UM_MONITOR_DIAGNOSTICS_H
#define UM_MONITOR_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/dotnet/eventpipe.h"

struct um_diagnostics;

/* Asked each few ms while something blocks: true, and it returns with UM_ERR_CLOSED. */
struct um_diagnostics_host {
    void *context;
    bool (*over)(void *context);
};

/* Begins a session. The pipe's other end has to be the process itself.
 * Owner: um_diagnostics_close. Thread: blocks for 10 s at most, while a runtime is busy or does not
 * answer; `host` (NULL: nobody) may end that. Errors: UM_ERR_NOT_FOUND the process has no such
 * pipe: it has no .NET Core 3.0 or later in it; UM_ERR_DENIED the pipe is another process's, or its
 * process has more rights, or the runtime refuses; UM_ERR_ARG, UM_ERR_TOO_LARGE as
 * um_eventpipe_start; UM_ERR_TIMEOUT; UM_ERR_CLOSED the host has ended it; UM_ERR_MEMORY;
 * UM_ERR_FORMAT; UM_ERR_IO. */
enum um_status um_diagnostics_open(uint32_t pid, const struct um_eventpipe_provider *providers,
                                   size_t count, double interval_s,
                                   const struct um_diagnostics_host *host,
                                   struct um_diagnostics **diagnostics);

/* Reads bytes of the stream: one at least. Thread: blocks for `timeout_ms` at most.
 * Errors: UM_ERR_TIMEOUT; UM_ERR_CLOSED the stream is over; UM_ERR_IO. */
enum um_status um_diagnostics_read(struct um_diagnostics *diagnostics, uint8_t *buf,
                                   size_t cap_bytes, uint32_t timeout_ms, size_t *len_bytes);

/* Asks the runtime to end the session: the rest of the stream then comes, and after it
 * UM_ERR_CLOSED. Once only. Thread: blocks for half a second at most, while the runtime is busy.
 * Errors: as um_diagnostics_open. */
enum um_status um_diagnostics_stop(struct um_diagnostics *diagnostics);

/* Ends the session and releases it; accepts NULL. */
void um_diagnostics_close(struct um_diagnostics *diagnostics);

#endif
