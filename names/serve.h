/* The conversation of uimon-names with the monitor: frames of ipc/names.h in, names out. What it
 * reads can be any bytes; the symbols are behind an interface, so that tests can have others than
 * the system's. Not on the hot path.
 */
#ifndef UM_NAMES_SERVE_H
#define UM_NAMES_SERVE_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/names.h"
#include "ipc/status.h"

/* Where the bytes come from and go to. */
struct um_serve_io {
    void *context;
    /* Waits for bytes, and reads at least one and at most `cap_bytes`. Errors: UM_ERR_CLOSED no
     * more will come; others end the conversation. */
    enum um_status (*read)(void *context, uint8_t *bytes, size_t cap_bytes, size_t *len_bytes);
    /* Writes all bytes. Errors: any of them ends the conversation. */
    enum um_status (*write)(void *context, const uint8_t *bytes, size_t len_bytes);
};

/* What knows the symbols. */
struct um_serve_symbols {
    void *context;
    /* Where to look for the symbols of modules that come from now on. */
    void (*search)(void *context, const char *path);
    /* The module of the addresses that come from now on. If there is something wrong with it, each
     * of them gets that for a reason. */
    void (*module)(void *context, const struct um_names_module *module);
    /* Fills in all but the number. `name` is zeroed. */
    void (*find)(void *context, const struct um_names_address *address, struct um_names_name *name);
    /* The process of the modules that come from now on. */
    void (*process)(void *context, uint32_t pid);
};

/* Answers until the input ends, which is UM_OK. Before the first module, addresses are answered
 * with UM_NAMES_NO_FILE. Thread: blocks.
 * Errors: UM_ERR_FORMAT, UM_ERR_VERSION, UM_ERR_TOO_LARGE the input is not what a monitor of this
 * version sends; UM_ERR_PARTIAL it ended within a frame; what `read` and `write` answered. */
enum um_status um_serve(const struct um_serve_io *io, const struct um_serve_symbols *symbols);

#endif
