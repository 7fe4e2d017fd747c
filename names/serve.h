/* The loop of uimon-names: reads the monitor's frames (ipc/names.h) and answers with names. It
 * copes with any bytes. The symbols are behind an interface, so that tests can provide their own.
 * Not on the hot path.
 */
#ifndef UM_NAMES_SERVE_H
#define UM_NAMES_SERVE_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/names.h"
#include "base/plain/status.h"

/* Where the bytes come from and go to. */
struct um_serve_io {
    void *context;
    /* Waits for bytes, and reads at least one and at most `cap_bytes`. Errors: UM_ERR_CLOSED no
     * more will come; any other ends um_serve. */
    enum um_status (*read)(void *context, uint8_t *bytes, size_t cap_bytes, size_t *len_bytes);
    /* Writes all bytes. Errors: any of them ends um_serve. */
    enum um_status (*write)(void *context, const uint8_t *bytes, size_t len_bytes);
};

/* The source of the symbols. */
struct um_serve_symbols {
    void *context;
    /* Sets where to look for the symbols of all modules after this call. */
    void (*search)(void *context, const char *path);
    /* Sets the module of all addresses after this call. If it cannot be used, `find` gives the
     * reason for each address. */
    void (*module)(void *context, const struct um_names_module *module);
    /* Fills in the zeroed `name`, except its number. */
    void (*find)(void *context, const struct um_names_address *address, struct um_names_name *name);
    /* Sets the process of all modules after this call. */
    void (*process)(void *context, uint32_t pid);
};

/* Answers until the input ends, and then returns UM_OK. Before the first module, addresses get
 * UM_NAMES_NO_FILE. Thread: blocks.
 * Errors: UM_ERR_FORMAT, UM_ERR_VERSION, UM_ERR_TOO_LARGE the input is not what a monitor of this
 * version sends; UM_ERR_PARTIAL it ended within a frame; those of `read` and `write`. */
enum um_status um_serve(const struct um_serve_io *io, const struct um_serve_symbols *symbols);

#endif
