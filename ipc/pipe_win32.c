#include "ipc/pipe_win32.h"

#ifndef ERROR_ELEVATION_REQUIRED /* missing in mingw-w64's winerror.h */
#define ERROR_ELEVATION_REQUIRED 740
#endif

enum um_status um_pipe_status(DWORD error)
{
    switch (error) {
    case ERROR_SUCCESS:
        return UM_OK;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_MOD_NOT_FOUND:
    case ERROR_NOT_FOUND:
        return UM_ERR_NOT_FOUND;
    case ERROR_ACCESS_DENIED:
    case ERROR_PRIVILEGE_NOT_HELD:
    case ERROR_ELEVATION_REQUIRED:
        return UM_ERR_DENIED;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA: /* "The pipe is being closed." */
    case ERROR_PIPE_NOT_CONNECTED:
        return UM_ERR_CLOSED;
    case ERROR_PIPE_BUSY:
    case ERROR_SHARING_VIOLATION:
        return UM_ERR_BUSY;
    case ERROR_SEM_TIMEOUT:
    case WAIT_TIMEOUT:
        return UM_ERR_TIMEOUT;
    case ERROR_ALREADY_EXISTS:
    case ERROR_FILE_EXISTS:
        return UM_ERR_EXISTS;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
        return UM_ERR_MEMORY;
    case ERROR_INVALID_PARAMETER:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_FILENAME_EXCED_RANGE:
        return UM_ERR_ARG;
    case ERROR_NOT_SUPPORTED:
    case ERROR_CALL_NOT_IMPLEMENTED:
        return UM_ERR_UNSUPPORTED;
    default:
        return UM_ERR_IO;
    }
}

static void close_handle(HANDLE *handle)
{
    if (*handle)
        CloseHandle(*handle);
    *handle = NULL;
}

enum um_status um_pipe_adopt(HANDLE handle, struct um_pipe *pipe)
{
    struct um_pipe fresh = {.handle = handle};
    fresh.read_event = CreateEventW(NULL, TRUE, FALSE, NULL);
    fresh.write_event = CreateEventW(NULL, TRUE, FALSE, NULL);
    fresh.shut_event = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (!fresh.read_event || !fresh.write_event || !fresh.shut_event) {
        um_pipe_close(&fresh);
        return UM_ERR_IO;
    }
    *pipe = fresh;
    return UM_OK;
}

enum um_status um_pipe_open(const wchar_t *path, struct um_pipe *pipe)
{
    /* GENERIC_WRITE would also ask for FILE_CREATE_PIPE_INSTANCE. With the identification level, a
     * server that is not the monitor can learn who this user is, but cannot act in their name. */
    DWORD access = GENERIC_READ | FILE_WRITE_DATA | SYNCHRONIZE;
    DWORD flags = FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION;
    HANDLE handle = CreateFileW(path, access, 0, NULL, OPEN_EXISTING, flags, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return um_pipe_status(GetLastError());
    return um_pipe_adopt(handle, pipe);
}

/* Waits for an operation. UM_OK if it has ended by itself, or else why it has to be cancelled. */
static enum um_status await(struct um_pipe *pipe, OVERLAPPED *operation, uint32_t timeout_ms)
{
    HANDLE events[2] = {pipe->shut_event, operation->hEvent};
    switch (WaitForMultipleObjects(2, events, FALSE, timeout_ms)) {
    case WAIT_OBJECT_0:
        return UM_ERR_CLOSED;
    case WAIT_OBJECT_0 + 1:
        return UM_OK;
    case WAIT_TIMEOUT:
        return UM_ERR_TIMEOUT;
    default:
        return UM_ERR_IO;
    }
}

/* Waits for the end of an operation, or cancels it: when this returns, the system does not use its
 * buffer and `operation` any more. It succeeds if at least `want_bytes` were moved.
 * Units: `started` is the result of ReadFile or WriteFile. */
static enum um_status finish(struct um_pipe *pipe, OVERLAPPED *operation, BOOL started,
                             uint32_t timeout_ms, size_t want_bytes, DWORD *done_bytes)
{
    enum um_status status = UM_OK;
    if (!started) {
        if (GetLastError() != ERROR_IO_PENDING)
            return um_pipe_status(GetLastError());
        status = await(pipe, operation, timeout_ms);
        if (status != UM_OK)
            CancelIoEx(pipe->handle, operation);
    }
    /* If it was cancelled too late, the bytes were moved and must be counted. */
    DWORD moved_bytes = 0;
    if (!GetOverlappedResult(pipe->handle, operation, &moved_bytes, TRUE)) {
        DWORD error = GetLastError();
        int cancelled = status != UM_OK && error == ERROR_OPERATION_ABORTED;
        return cancelled ? status : um_pipe_status(error);
    }
    if (moved_bytes < want_bytes)
        return status != UM_OK ? status : UM_ERR_IO;
    *done_bytes = moved_bytes;
    return UM_OK;
}

/* UM_OK if there is something to read, so that a read will not have to wait. */
static enum um_status peek(struct um_pipe *pipe)
{
    DWORD ready_bytes = 0;
    if (!PeekNamedPipe(pipe->handle, NULL, 0, NULL, &ready_bytes, NULL))
        return um_pipe_status(GetLastError());
    return ready_bytes > 0 ? UM_OK : UM_ERR_TIMEOUT;
}

static int is_shut(struct um_pipe *pipe)
{
    return InterlockedCompareExchange(&pipe->shut, 0, 0) != 0;
}

enum um_status um_pipe_read(struct um_pipe *pipe, void *buf, size_t cap_bytes, uint32_t timeout_ms,
                            size_t *len_bytes)
{
    if (cap_bytes == 0)
        return UM_ERR_ARG;
    if (!pipe->handle || is_shut(pipe))
        return UM_ERR_CLOSED;
    if (timeout_ms == 0) {
        enum um_status status = peek(pipe);
        if (status != UM_OK)
            return status;
    }
    OVERLAPPED operation = {.hEvent = pipe->read_event};
    DWORD cap = cap_bytes > MAXDWORD ? MAXDWORD : (DWORD)cap_bytes;
    DWORD read_bytes = 0;
    BOOL started = ReadFile(pipe->handle, buf, cap, NULL, &operation);
    /* Only an empty message would end a read with nothing (UM_ERR_IO), and uimon never writes
     * one. */
    enum um_status status = finish(pipe, &operation, started, timeout_ms, 1, &read_bytes);
    if (status == UM_OK)
        *len_bytes = read_bytes;
    return status;
}

enum um_status um_pipe_read_begin(struct um_pipe *pipe, void *buf, size_t cap_bytes)
{
    if (cap_bytes == 0 || pipe->is_begun)
        return UM_ERR_ARG;
    if (!pipe->handle || is_shut(pipe))
        return UM_ERR_CLOSED;
    pipe->begun = (OVERLAPPED){.hEvent = pipe->read_event};
    DWORD cap = cap_bytes > MAXDWORD ? MAXDWORD : (DWORD)cap_bytes;
    if (!ReadFile(pipe->handle, buf, cap, NULL, &pipe->begun) && GetLastError() != ERROR_IO_PENDING)
        return um_pipe_status(GetLastError());
    pipe->is_begun = 1;
    return UM_OK;
}

enum um_status um_pipe_read_end(struct um_pipe *pipe, size_t *len_bytes)
{
    DWORD read_bytes = 0;
    if (!pipe->is_begun || !HasOverlappedIoCompleted(&pipe->begun))
        return UM_ERR_TIMEOUT;
    pipe->is_begun = 0;
    if (!GetOverlappedResult(pipe->handle, &pipe->begun, &read_bytes, FALSE))
        return um_pipe_status(GetLastError());
    *len_bytes = read_bytes;
    return read_bytes > 0 ? UM_OK : UM_ERR_IO;
}

/* When this returns, the system does not use the buffer of the read any more. */
static void cancel_begun(struct um_pipe *pipe)
{
    DWORD read_bytes;
    if (!pipe->is_begun)
        return;
    CancelIoEx(pipe->handle, &pipe->begun);
    GetOverlappedResult(pipe->handle, &pipe->begun, &read_bytes, TRUE);
    pipe->is_begun = 0;
}

enum um_status um_pipe_write(struct um_pipe *pipe, const void *buf, size_t len_bytes,
                             uint32_t timeout_ms)
{
    if (len_bytes > MAXDWORD)
        return UM_ERR_ARG;
    if (!pipe->handle || is_shut(pipe))
        return UM_ERR_CLOSED;
    if (len_bytes == 0)
        return UM_OK;
    OVERLAPPED operation = {.hEvent = pipe->write_event};
    DWORD written_bytes = 0;
    BOOL started = WriteFile(pipe->handle, buf, (DWORD)len_bytes, NULL, &operation);
    return finish(pipe, &operation, started, timeout_ms, len_bytes, &written_bytes);
}

void um_pipe_shut(struct um_pipe *pipe)
{
    InterlockedExchange(&pipe->shut, 1);
    if (pipe->shut_event)
        SetEvent(pipe->shut_event);
}

void um_pipe_close(struct um_pipe *pipe)
{
    cancel_begun(pipe);
    close_handle(&pipe->handle);
    close_handle(&pipe->read_event);
    close_handle(&pipe->write_event);
    close_handle(&pipe->shut_event);
    pipe->shut = 0;
}
