/* Getting the hook DLL into the target, and the connection to it (the hook pipe).
 *
 * One backend a system (attach_win32.c; the protocol is in ipc/bootstrap.h). Not on the hot path.
 */
#ifndef UM_MONITOR_ATTACH_H
#define UM_MONITOR_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/transport.h"
#include "ipc/wire.h"
#include "monitor/target/target.h"

struct um_attach;

/* Whom to ask and to tell while attaching takes its time. */
struct um_attach_host {
    void *context;
    bool (*give_up)(void *context);               /* asked a few times a second */
    void (*say)(void *context, const char *text); /* a line for the person who waits */
};

/* Attaches to the thread of `target->hwnd` and reads the DLL's HELLO. A target that is frozen is
 * waited for, however long that takes, and `host->say` says so. `key_delay_us` opens a session for
 * proving (hooks/delay.h), 0 an ordinary one. HELLO says what was opened: the caller compares.
 * Owner: um_attach_close. Thread: blocks.
 * Errors: UM_ERR_DENIED the system or the target refuses the DLL (exit 4); UM_ERR_CLOSED the target
 * or its thread ended, or give_up said so; UM_ERR_NOT_FOUND the hook DLL is missing; UM_ERR_IO;
 * UM_ERR_MEMORY. `error` has the line to print. */
enum um_status um_attach_open(const struct um_target_info *target,
                              const struct um_target_process *process, uint32_t key_delay_us,
                              const struct um_attach_host *host, struct um_attach **attach,
                              struct um_wire_frame *hello, char *error, size_t error_cap);

/* When the messages were posted that bring the DLL. The target's thread takes them before it next
 * waits for input, so what it takes after such a wait is told. Units: ns. Thread: never blocks. */
uint64_t um_attach_asked_ns(const struct um_attach *attach);

/* Waits until bytes have come from the DLL. Thread: blocks up to `timeout_ms`.
 * Errors: as um_transport.read. */
enum um_status um_attach_read(struct um_attach *attach, uint32_t timeout_ms);

/* Takes the next frame of what has come; the first ones may have come with HELLO.
 * Thread: never blocks. Errors: UM_ERR_PARTIAL all whole frames were taken: read again; all others
 * mean that the DLL cannot be trusted any more, as um_frame_reader_next. */
enum um_status um_attach_next(struct um_attach *attach, struct um_wire_frame *frame);

/* Sends a command. Errors: as um_transport.write. */
enum um_status um_attach_command(struct um_attach *attach, const struct um_wire_frame *command);

/* Closes the connection; the DLL takes everything back on its own. Accepts NULL. */
void um_attach_close(struct um_attach *attach);

#endif
