/* The exports of a Windows program or DLL, read from its file. They name its code where there are
 * no other symbols. Trusts nothing in the file, and skips what breaks the format. Not on the hot
 * path.
 *
 * Source: "PE Format", Microsoft Learn: the export directory.
 */
#ifndef UM_NAMES_EXPORTS_H
#define UM_NAMES_EXPORTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "names/symbol_table.h"

#define UM_EXPORTS_MAX 65536 /* exports with a name: ordinals have 16 bits */
#define UM_EXPORTS_NAME_BYTES 512

/* Reads the named exports that are code. A name holds until the next one or the end of the section.
 * The code there may also be a function that is not exported. Longer names are cut to
 * UM_EXPORTS_NAME_BYTES, with the NUL.
 * Units: `file` is the whole file, and may be freed afterwards. Owner: um_symbol_table_free, also
 * after an error. Errors: UM_ERR_MEMORY. */
enum um_status um_exports_read(const uint8_t *file, size_t len_bytes,
                               struct um_symbol_table *exports);

#endif
