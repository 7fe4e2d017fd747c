/* A running monitor's feed, found by its target and read frame by frame. Not on the hot path; a
 * reader starts at um_source_find.
 */
#ifndef UM_MONITOR_SOURCE_H
#define UM_MONITOR_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/feed/registry.h"

struct um_source;

/* Finds the feed of a target among those that there are (monitor/feed/registry.h). `target` is a
 * process id, if it is all digits, or a program's name with or without .exe, in any case. A feed
 * whose pipe is called `but_pipe` is left out; NULL: none. `error` has the line to print;
 * `could_wait` is as in target_spec.h.
 * Errors: UM_ERR_NOT_FOUND no monitor watches it; UM_ERR_AMBIGUOUS several programs of that name
 * are watched; UM_ERR_ARG it is no process id or name, as target_spec.h has them; UM_ERR_MEMORY;
 * UM_ERR_DENIED, UM_ERR_TOO_LARGE, UM_ERR_IO the folder of feeds cannot be used. */
enum um_status um_source_find(const char *target, bool could_wait, const char *but_pipe,
                              struct um_registry_entry *entry, char *error, size_t cap_bytes);

/* Connects to a feed. Owner: um_source_close. Thread: blocks for a second at most.
 * Errors: UM_ERR_NOT_FOUND it is gone, or the pipe is another process's; UM_ERR_DENIED its monitor
 * has more rights; UM_ERR_TIMEOUT; UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_source_open(const struct um_registry_entry *entry, struct um_source **source);

/* Waits for the next frame, for `timeout_ms` at most. Errors: UM_ERR_TIMEOUT; UM_ERR_CLOSED the
 * monitor is gone; UM_ERR_FORMAT, UM_ERR_TOO_LARGE, UM_ERR_VERSION it is no feed that can be read;
 * UM_ERR_IO. */
enum um_status um_source_next(struct um_source *source, uint32_t timeout_ms,
                              struct um_wire_frame *frame);

/* Accepts NULL. */
void um_source_close(struct um_source *source);

#endif
