/* The names of window messages: a freeze is reported with the message that was retrieved last. The
 * values are those of WinUser.h, which is not included, so that this is portable.
 * Not on the hot path.
 */
#ifndef UM_BASE_MESSAGE_NAMES_H
#define UM_BASE_MESSAGE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UM_MESSAGE_NAMES_BYTES 64

/* Whether a message is one of RegisterWindowMessage's. Its number differs between machines, and
 * only the system knows its name (um_target->message_name). */
bool um_message_names_is_registered(uint32_t id);

/* Writes the name: "WM_LBUTTONUP", "WM_USER+5", "WM_APP+1", "0x0371 (undocumented)" for the
 * system's other ones, and "0x12345 (reserved)" above 0xFFFF. A message in RegisterWindowMessage's
 * range gets the name `registered`, or "0xC123 (registered)" if that is empty; for other messages
 * `registered` is ignored. Other programs choose such names: they can contain control characters.
 * Always NUL-terminated. UM_MESSAGE_NAMES_BYTES are always enough, if `registered` is a field of a
 * frame. Thread: any. */
void um_message_names_get(uint32_t id, const char *registered, char *buf, size_t cap_bytes);

#endif
