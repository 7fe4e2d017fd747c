/* A pipe of uimon's own, to which the runtime of a program that uimon starts connects: .NET 5 and
 * later does so at its start, if the variable DOTNET_DiagnosticPorts says where. So a session can
 * begin before the program's own code runs. The runtime connects once more for each further
 * request, and again if a connection ends.
 *
 * Only programs of the same user can connect (ipc/transport.h). What the program starts inherits
 * the variable, and so do runtimes that nobody asks for anything: their connections are held, up to
 * a few, because a runtime whose connection ends comes back at once. Nothing is read from them.
 *
 * Portable; not on the hot path. One thread at a time. A reader starts at um_reverse_wait. Source:
 * "Diagnostic port" in docs/core/diagnostics of dotnet/docs, and the protocol of eventpipe.h; not
 * tried with a runtime yet.
 */
#ifndef UM_MONITOR_REVERSE_H
#define UM_MONITOR_REVERSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/transport.h"
#include "monitor/dotnet/diagnostics.h"

#define UM_REVERSE_VARIABLE "DOTNET_DiagnosticPorts"
#define UM_REVERSE_HELD 8

struct um_reverse;

/* Makes the pipe. Owner: um_reverse_close. Errors: UM_ERR_MEMORY; UM_ERR_IO; UM_ERR_DENIED. */
enum um_status um_reverse_open(const struct um_transport *transport, struct um_reverse **reverse);

/* Its name, without the system's prefix. Owner: `reverse`. */
const char *um_reverse_name(const struct um_reverse *reverse);

/* What the variable has to say to the program: this pipe, for which the runtime does not wait, as
 * it would by default. It is one of a list with semicolons. Owner: `reverse`. */
const char *um_reverse_value(const struct um_reverse *reverse);

/* Waits until the runtime of this process has connected, or has already. Thread: blocks for
 * `timeout_ms`, and for a second more at most while a runtime says who it is.
 * Errors: UM_ERR_TIMEOUT; UM_ERR_IO. */
enum um_status um_reverse_wait(struct um_reverse *reverse, uint32_t pid, uint32_t timeout_ms);

/* Begins a session with the runtime that um_reverse_wait has found. Thread: blocks for 5 s at most;
 * `host` (NULL: nobody) may end that. Errors: as um_diagnostics->open; UM_ERR_NOT_FOUND there is no
 * such runtime. After an error, um_reverse_wait looks for the next connection. */
enum um_status um_reverse_start(struct um_reverse *reverse,
                                const struct um_eventpipe_provider *providers, size_t count,
                                double interval_s, const struct um_diagnostics_host *host);

/* Reads the session's stream, and meanwhile takes who else connects. As um_diagnostics->read. */
enum um_status um_reverse_read(struct um_reverse *reverse, uint8_t *buf, size_t cap_bytes,
                               uint32_t timeout_ms, size_t *len_bytes);

/* Asks the runtime to end the session, over its next connection. As um_diagnostics->stop.
 * Errors: UM_ERR_TIMEOUT it has not connected again; as um_reverse_start. */
enum um_status um_reverse_stop(struct um_reverse *reverse);

/* Ends the session and all connections. Accepts NULL. */
void um_reverse_close(struct um_reverse *reverse);

#endif
