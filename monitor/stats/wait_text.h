/* What is said of a thread that waits. Pure; not on the hot path. */
#ifndef UM_MONITOR_WAIT_TEXT_H
#define UM_MONITOR_WAIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "ipc/wire.h"

#define UM_WAIT_TEXT_BYTES 640

/* "for a lock held by thread 1234, in hold_lock". The text fits into UM_WAIT_TEXT_BYTES. */
void um_wait_text(const struct um_wire_wait *wait, char *text, size_t cap_bytes);

/* Whether a thread in a call of the system, as in a STACK, waits there until something happens.
 * Calls that may also work for long, such as a read of a file, are not among them. */
bool um_wait_text_is_wait(const char *call);

/* One word for scripts: "lock", "window", "mutex", "call", "thread", "process", "unknown".
 * Owner: static text. */
const char *um_wait_text_kind(uint8_t kind);

#endif
