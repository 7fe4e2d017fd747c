/* File and line of a managed method, by the bytes of its assembly's PDB. Trusts nothing in them.
 * Pure; not on the hot path.
 */
#ifndef UM_NAMES_LINES_H
#define UM_NAMES_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/names.h"
#include "names/ppdb.h"
#include "names/runtime.h"

/* Whether a PDB is the one with this id: UM_NAMES_PDB_GOOD, or what is wrong with it. Units:
 * `id` has UM_PPDB_ID_BYTES. The first bytes are enough to tell a Windows PDB. */
enum um_names_pdb um_lines_check(const uint8_t *pdb, size_t len_bytes, const uint8_t *id);

/* Sets file, its checksum and line of `name`: of the sequence point for the place's IL offset; and
 * the first and the last line of all points of the method in that file. The line is marked as the
 * nearest one before if the instruction may be of a later one: of code that the compiler has added,
 * or of the next point, because no instruction is known to be of that. Leaves them where the PDB
 * has none for it. */
void um_lines_find(const uint8_t *pdb, size_t len_bytes, const struct um_runtime_place *place,
                   struct um_names_name *name);

#endif
