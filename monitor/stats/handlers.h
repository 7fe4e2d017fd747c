/* The window procedures that traced messages and layout steps name by their keys, with the names of
 * MODULE and NAME.
 *
 * Memory is bounded: handlers without room have no name. A reader starts at um_handlers_text. Not
 * on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_HANDLERS_H
#define UM_MONITOR_HANDLERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"

#define UM_HANDLERS_MOST 2048
#define UM_HANDLERS_MODULES 1024
#define UM_HANDLERS_NAME_BYTES 96
#define UM_HANDLERS_TEXT_BYTES (UM_HANDLERS_NAME_BYTES + 32)
#define UM_HANDLERS_NONE UINT32_MAX

struct um_handlers;

/* Owner: um_handlers_close. Errors: UM_ERR_MEMORY. */
enum um_status um_handlers_open(struct um_handlers **handlers);

/* Accepts NULL. */
void um_handlers_close(struct um_handlers *handlers);

/* Takes a frame of the feed. A NAME counts for a handler that was added before. */
void um_handlers_take(struct um_handlers *handlers, const struct um_wire_frame *frame);

/* The number of the handler with this key, as of a node of NODES. UM_HANDLERS_NONE: the key is 0,
 * or there is no room. */
uint32_t um_handlers_add(struct um_handlers *handlers, uint64_t key);

/* A handler by its number: "function", or "module.dll+0x1234", or "0x7ff612345678"; "": there is
 * none. UTF-8 without control characters. Units: `buf` has UM_HANDLERS_TEXT_BYTES, or else the text
 * is cut. */
void um_handlers_text(const struct um_handlers *handlers, uint32_t number, char *buf,
                      size_t cap_bytes);

#endif
