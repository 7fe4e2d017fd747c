/* One end of a Windows named pipe, as a byte stream with timeouts. transport_win32.c and the hook
 * DLL use it. Needs kernel32 alone and no C library, because the DLL has none. Its I/O is
 * overlapped, so that one thread may read while another writes. Not for hook procedures.
 */
#ifndef UM_IPC_PIPE_WIN32_H
#define UM_IPC_PIPE_WIN32_H

#include <stddef.h>
#include <stdint.h>
#include <windows.h>

#include "base/plain/status.h"

/* A zeroed struct is a closed pipe. */
struct um_pipe {
    HANDLE handle;
    HANDLE read_event; /* set once the read that um_pipe_read_begin began has ended */
    OVERLAPPED begun;  /* that read */
    int is_begun;
    HANDLE write_event;
    HANDLE shut_event;  /* set: reads and writes return UM_ERR_CLOSED */
    volatile LONG shut; /* 1: the same, for an operation that need not wait */
};

/* Opens the client's end of `path` (L"\\\\.\\pipe\\..."). The server may identify this process's
 * user, but not act in its name. Asks for the rights to read and write data alone, so that a server
 * need not grant more.
 * Owner: um_pipe_close. Thread: any; does not wait for an instance.
 * Errors: UM_ERR_NOT_FOUND; UM_ERR_BUSY no instance is free; UM_ERR_DENIED; UM_ERR_IO. */
enum um_status um_pipe_open(const wchar_t *path, struct um_pipe *pipe);

/* Takes over an overlapped pipe handle (a server's connected instance), even if it fails.
 * Owner: um_pipe_close. Errors: UM_ERR_IO no event could be made. */
enum um_status um_pipe_adopt(HANDLE handle, struct um_pipe *pipe);

/* Reads at least one byte and at most `cap_bytes`.
 * Thread: one reader at a time; blocks up to `timeout_ms` (0xffffffff: for ever; 0: looks into the
 * pipe first and starts nothing if it is empty).
 * Errors: UM_ERR_TIMEOUT nothing was read and nothing is lost; UM_ERR_CLOSED the other side is gone
 * and everything was read, or um_pipe_shut was called; UM_ERR_ARG no room; UM_ERR_IO. */
enum um_status um_pipe_read(struct um_pipe *pipe, void *buf, size_t cap_bytes, uint32_t timeout_ms,
                            size_t *len_bytes);

/* Begins to read, and returns at once. The read ends when at least one byte is there, or never can
 * be; um_pipe_read_end tells. Until then no other read may begin.
 * Owner: `buf` is the pipe's until um_pipe_read_end has returned anything but UM_ERR_TIMEOUT, or
 * until um_pipe_close.
 * Thread: one that reads, and closes the pipe. Errors: UM_ERR_CLOSED, UM_ERR_ARG, UM_ERR_IO as
 * um_pipe_read. */
enum um_status um_pipe_read_begin(struct um_pipe *pipe, void *buf, size_t cap_bytes);

/* What came of the read that was begun. Costs no call of the system while it goes on.
 * Errors: UM_ERR_TIMEOUT it goes on, or none was begun; UM_ERR_CLOSED, UM_ERR_IO as
 * um_pipe_read. */
enum um_status um_pipe_read_end(struct um_pipe *pipe, size_t *len_bytes);

/* Writes all bytes.
 * Thread: one writer at a time; blocks up to `timeout_ms` (0: only what goes at once).
 * Errors: UM_ERR_TIMEOUT a part may have been sent: only um_pipe_close is left; UM_ERR_CLOSED;
 * UM_ERR_ARG 4 GiB or more at once; UM_ERR_IO. */
enum um_status um_pipe_write(struct um_pipe *pipe, const void *buf, size_t len_bytes,
                             uint32_t timeout_ms);

/* Makes all present and later reads and writes return UM_ERR_CLOSED. Thread: any; never blocks. */
void um_pipe_shut(struct um_pipe *pipe);

/* Closes everything; accepts a zeroed struct. Thread: no other may be using it. */
void um_pipe_close(struct um_pipe *pipe);

/* Translates an error of GetLastError() into the project's codes. */
enum um_status um_pipe_status(DWORD error);

#endif
