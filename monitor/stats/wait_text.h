/* The text that says for whom a thread waited. Pure; not on the hot path. */
#ifndef UM_MONITOR_WAIT_TEXT_H
#define UM_MONITOR_WAIT_TEXT_H

#include <stddef.h>

#include "ipc/wire.h"

#define UM_WAIT_TEXT_BYTES 640

/* "for a lock held by thread 1234, in hold_lock". The text fits into UM_WAIT_TEXT_BYTES. */
void um_wait_text(const struct um_wire_wait *wait, char *text, size_t cap_bytes);

/* One word for scripts: "lock", "window", "mutex", "call", "thread", "process", "unknown".
 * Owner: static text. */
const char *um_wait_text_kind(uint8_t kind);

#endif
