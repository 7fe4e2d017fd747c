/* The names of window messages: a freeze is reported with the message that was retrieved last. The
 * values are those of WinUser.h, which is not included, so that this is portable.
 * Not on the hot path.
 */
#ifndef UM_MONITOR_MESSAGE_NAMES_H
#define UM_MONITOR_MESSAGE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define UM_MESSAGE_NAMES_BYTES 48

struct um_message_name {
    uint32_t id;
    const char *name;
};

/* The whole table, in ascending order of ids, each id once. Owner: static. */
const struct um_message_name *um_message_names_table(size_t *count);

/* Writes the name: "WM_LBUTTONUP", "WM_USER+5", "WM_APP+1", "0xC123 (registered)" for
 * RegisterWindowMessage's range, "0x0371 (undocumented)" for the system's other ones, and
 * "0x12345 (reserved)" above 0xFFFF. Always NUL-terminated.
 * UM_MESSAGE_NAMES_BYTES are always enough. Thread: any. */
void um_message_names_get(uint32_t id, char *buf, size_t cap_bytes);

#endif
