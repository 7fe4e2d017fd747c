/* The text of a file in the registry of feeds (monitor/feed/registry.h). It is one JSON object, at
 * most UM_REGISTRY_ENTRY_MAX_BYTES:
 *
 *   uimon_feed    1: the version of this format; readers skip others
 *   target_pid    the watched process
 *   target_name   its program's file name: "notepad.exe"
 *   pid           the monitor's process
 *   started       when that process was started: a decimal number in a string, in units of the
 *                 system's own. A later process with the same pid has another number
 *   pipe          name of the feed's pipe, for um_transport's connect (ipc/transport.h)
 *
 * Pure; not on the hot path.
 */
#ifndef UM_MONITOR_REGISTRY_ENTRY_H
#define UM_MONITOR_REGISTRY_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/transport.h"

#define UM_REGISTRY_ENTRY_MAX_BYTES 4096
#define UM_REGISTRY_ENTRY_NAME_BYTES 128

struct um_registry_entry {
    uint32_t target_pid;
    char target_name[UM_REGISTRY_ENTRY_NAME_BYTES]; /* UTF-8; another program chose it */
    uint32_t pid;
    uint64_t started;
    char pipe[UM_TRANSPORT_NAME_BYTES];
};

/* Writes the text; NULL: there is no memory. Owner: cJSON_free. */
char *um_registry_entry_print(const struct um_registry_entry *entry);

/* Reads a text, which may be anything. `entry` is untouched on failure.
 * Errors: UM_ERR_FORMAT; UM_ERR_VERSION; UM_ERR_TOO_LARGE. */
enum um_status um_registry_entry_parse(const char *text, size_t len_bytes,
                                       struct um_registry_entry *entry);

#endif
