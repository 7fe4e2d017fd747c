/* The exports of a Windows program or DLL, read from its file: names for its code where there is no
 * debug information. Trusts nothing in the file; what breaks the format is left out. Not on the hot
 * path.
 *
 * Source: "PE Format", Microsoft Learn: the export directory.
 */
#ifndef UM_NAMES_EXPORTS_H
#define UM_NAMES_EXPORTS_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"

#define UM_EXPORTS_MAX 65536 /* of those with a name; an ordinal has 16 bits */
#define UM_EXPORTS_NAME_BYTES 512

struct um_exports_entry {
    uint32_t rva;
    uint32_t end_rva; /* of its section */
    char *name;
};

/* Sorted by place. A zeroed struct has none. */
struct um_exports {
    struct um_exports_entry *entries;
    size_t count;
};

/* Reads what has a name and is code. Longer names are cut to UM_EXPORTS_NAME_BYTES with their NUL.
 * Units: `file` is the whole file. Owner: um_exports_free; needs nothing of the file any more.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_exports_read(const uint8_t *file, size_t len_bytes, struct um_exports *exports);

/* The last export at or before `rva`, in the same section; NULL: there is none. It need not be the
 * function that `rva` is in, because those that are not exported lie between. */
const struct um_exports_entry *um_exports_find(const struct um_exports *exports, uint32_t rva);

void um_exports_free(struct um_exports *exports);

#endif
