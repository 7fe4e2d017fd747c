/* A source of frames: it measures beats of the target's UI thread, and reports them to the monitor.
 * On Windows that is the hook DLL, which also sees from inside the target which messages that
 * thread takes, and reports on the hook pipe (frame_source_win32.c; the protocol is in
 * ipc/bootstrap.h). On X11 it is a thread of the monitor, which pings the target's window
 * (frame_source_x11.c). A reader starts at um_frame_source_backend.open. Not on the hot path.
 */
#ifndef UM_MONITOR_FRAME_SOURCE_H
#define UM_MONITOR_FRAME_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/transport.h"
#include "ipc/wire.h"
#include "monitor/target/target.h"

struct um_frame_source;

/* Callbacks while attaching lasts. */
struct um_frame_source_host {
    void *context;
    bool (*give_up)(void *context);               /* called a few times a second */
    void (*say)(void *context, const char *text); /* a line for the person who waits */
};

struct um_frame_source_backend {
    /* Attaches to the thread of `target->hwnd` and reads the DLL's HELLO. A target that is
     * frozen is waited for, however long that takes, and `host->say` says so.
     * Owner: close. Thread: blocks. Errors: UM_ERR_DENIED the system or the target refuses the
     * DLL (exit 4); UM_ERR_CLOSED the target or its thread ended, or give_up returned true;
     * UM_ERR_NOT_FOUND the hook DLL is missing; UM_ERR_IO; UM_ERR_MEMORY. `error` has the line to
     * print. */
    enum um_status (*open)(const struct um_target_info *target,
                           const struct um_target_process *process,
                           const struct um_frame_source_host *host, struct um_frame_source **source,
                           struct um_wire_frame *hello, char *error, size_t error_cap);

    /* When the messages were posted that make the system load the DLL. The target's thread takes
     * them before it next waits for input, so everything that it takes after such a wait is
     * reported. Units: ns. Thread: never blocks. */
    uint64_t (*asked_ns)(const struct um_frame_source *source);

    /* Waits until bytes have come from the DLL. Thread: blocks up to `timeout_ms`.
     * Errors: as um_transport.read. */
    enum um_status (*read)(struct um_frame_source *source, uint32_t timeout_ms);

    /* Takes the next of the frames that were read; the first ones may have come with HELLO.
     * Thread: never blocks. Errors: UM_ERR_PARTIAL all whole frames were taken: read again; all
     * others, as of um_frame_reader_next, mean that the DLL cannot be trusted any more. */
    enum um_status (*next)(struct um_frame_source *source, struct um_wire_frame *frame);

    /* Sends a command. Errors: as um_transport.write. */
    enum um_status (*command)(struct um_frame_source *source, const struct um_wire_frame *command);

    /* Closes the connection; the DLL takes everything back on its own. Accepts NULL. */
    void (*close)(struct um_frame_source *source);
};

#endif
