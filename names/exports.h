/* The exports of a Windows program or DLL, read from its file: names for its code where there is
 * nothing else. Trusts nothing in the file; what breaks the format is left out. Not on the hot
 * path.
 *
 * Source: "PE Format", Microsoft Learn: the export directory.
 */
#ifndef UM_NAMES_EXPORTS_H
#define UM_NAMES_EXPORTS_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "names/symbol_table.h"

#define UM_EXPORTS_MAX 65536 /* of those with a name; an ordinal has 16 bits */
#define UM_EXPORTS_NAME_BYTES 512

/* Reads what has a name and is code. A name holds until the next one or the end of the section: it
 * need not be the function there, because those that are not exported lie between. Longer names are
 * cut to UM_EXPORTS_NAME_BYTES with their NUL.
 * Units: `file` is the whole file. Owner: um_symbol_table_free, also after an error; needs nothing
 * of the file any more. Errors: UM_ERR_MEMORY. */
enum um_status um_exports_read(const uint8_t *file, size_t len_bytes,
                               struct um_symbol_table *exports);

#endif
