#include "monitor/dotnet/diagnostics.h"

#include <stdlib.h>
#include <wchar.h>

#include "base/plain/clock.h"
#include "ipc/pipe_win32.h"

#define BUSY_NS (5 * UM_CLOCK_NS_PER_S) /* the longest wait while it serves others */
#define ANSWER_NS (5 * UM_CLOCK_NS_PER_S)
#define STOP_NS (500 * UM_CLOCK_NS_PER_MS)
#define WRITE_MS 250
#define PATH_CHARS 64
#define LOOK_MS 20 /* between two checks whether to go on */

struct um_diagnostics {
    uint32_t pid;
    uint64_t session;
    struct um_pipe pipe;
    struct um_pipe stopping; /* the connection for the request to stop */
};

static bool is_over(const struct um_diagnostics_host *host)
{
    return host && host->over(host->context);
}

/* Opens the pipe of a process, and checks that no other process has taken its name. Checking the
 * pipe's owner would not do: for an elevated process it is the group of administrators. */
static enum um_status open_pipe(uint32_t pid, uint64_t busy_ns,
                                const struct um_diagnostics_host *host, struct um_pipe *pipe)
{
    wchar_t path[PATH_CHARS];
    uint64_t end_ns = um_clock_now_ns() + busy_ns;
    ULONG server = 0;
    swprintf(path, PATH_CHARS, L"\\\\.\\pipe\\dotnet-diagnostic-%lu", (unsigned long)pid);
    enum um_status status = um_pipe_open(path, pipe);
    while (status == UM_ERR_BUSY && um_clock_now_ns() < end_ns) {
        if (is_over(host))
            return UM_ERR_CLOSED;
        WaitNamedPipeW(path, LOOK_MS);
        status = um_pipe_open(path, pipe);
    }
    if (status != UM_OK)
        return status == UM_ERR_BUSY ? UM_ERR_TIMEOUT : status;
    if (GetNamedPipeServerProcessId(pipe->handle, &server) && server == pid)
        return UM_OK;
    um_pipe_close(pipe);
    return UM_ERR_DENIED;
}

/* Reads the answer, and nothing after it. */
static enum um_status read_answer(struct um_pipe *pipe, const struct um_diagnostics_host *host,
                                  uint64_t *session)
{
    uint8_t answer[UM_EVENTPIPE_ANSWER_BYTES];
    uint64_t end_ns = um_clock_now_ns() + ANSWER_NS;
    size_t have = 0;
    for (;;) {
        size_t got = 0;
        enum um_status status = um_eventpipe_answer(answer, have, session);
        if (status != UM_ERR_PARTIAL)
            return status;
        status = um_pipe_read(pipe, answer + have, sizeof answer - have, LOOK_MS, &got);
        if (status == UM_ERR_TIMEOUT && is_over(host))
            return UM_ERR_CLOSED;
        if (status == UM_ERR_TIMEOUT && um_clock_now_ns() < end_ns)
            continue;
        if (status != UM_OK)
            return status == UM_ERR_CLOSED ? UM_ERR_FORMAT : status;
        have += got;
    }
}

/* Sends a request on a new connection. */
static enum um_status ask(uint32_t pid, const uint8_t *question, size_t len_bytes, uint64_t busy_ns,
                          const struct um_diagnostics_host *host, struct um_pipe *pipe)
{
    enum um_status status = open_pipe(pid, busy_ns, host, pipe);
    if (status != UM_OK)
        return status;
    status = um_pipe_write(pipe, question, len_bytes, WRITE_MS);
    if (status != UM_OK)
        um_pipe_close(pipe);
    return status;
}

static enum um_status open_session(uint32_t pid, const struct um_eventpipe_provider *providers,
                                   size_t count, double interval_s,
                                   const struct um_diagnostics_host *host,
                                   struct um_diagnostics **diagnostics)
{
    uint8_t question[UM_EVENTPIPE_START_BYTES];
    size_t len;
    enum um_status status =
        um_eventpipe_start(providers, count, interval_s, question, sizeof question, &len);
    if (status != UM_OK)
        return status;
    struct um_diagnostics *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->pid = pid;
    status = ask(pid, question, len, BUSY_NS, host, &made->pipe);
    if (status == UM_OK)
        status = read_answer(&made->pipe, host, &made->session);
    if (status != UM_OK) {
        um_pipe_close(&made->pipe);
        free(made);
        return status;
    }
    *diagnostics = made;
    return UM_OK;
}

static enum um_status read_session(struct um_diagnostics *diagnostics, uint8_t *buf,
                                   size_t cap_bytes, uint32_t timeout_ms, size_t *len_bytes)
{
    return um_pipe_read(&diagnostics->pipe, buf, cap_bytes, timeout_ms, len_bytes);
}

/* Does not wait for the answer, which comes only after the rest of the stream has been read. */
static enum um_status stop_session(struct um_diagnostics *diagnostics)
{
    uint8_t question[UM_EVENTPIPE_STOP_BYTES];
    um_eventpipe_stop(diagnostics->session, question);
    return ask(diagnostics->pid, question, sizeof question, STOP_NS, NULL, &diagnostics->stopping);
}

/* Closing the pipe ends the session: the runtime notices that its reader has left. */
static void close_session(struct um_diagnostics *diagnostics)
{
    if (!diagnostics)
        return;
    um_pipe_close(&diagnostics->pipe);
    um_pipe_close(&diagnostics->stopping);
    free(diagnostics);
}

static const struct um_diagnostics_backend win32 = {
    .open = open_session,
    .read = read_session,
    .stop = stop_session,
    .close = close_session,
};

const struct um_diagnostics_backend *um_diagnostics = &win32;
