/* What the file of a .NET assembly says about its PDB: the id, where the compiler has written
 * it, of which format it is, and the PDB itself where it is embedded. Trusts nothing in the
 * file. Pure; not on the hot path. A reader starts at um_assembly_read.
 *
 * Source: "PE/COFF Specification Addendum" (dotnet/runtime, docs/design/specs/PE-COFF.md).
 */
#ifndef UM_NAMES_ASSEMBLY_H
#define UM_NAMES_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/names.h"
#include "names/ppdb.h"

#define UM_ASSEMBLY_MAX_EMBEDDED (64u * 1024 * 1024) /* of an embedded PDB, unpacked */

struct um_assembly {
    uint8_t id[UM_PPDB_ID_BYTES]; /* of the PDB */
    bool is_portable;             /* false: the PDB is a Windows PDB */
    char pdb_path[UM_NAMES_PATH_BYTES];
    const uint8_t *embedded; /* the packed PDB, in the file; NULL: there is none */
    size_t embedded_bytes;
    uint32_t unpacked_bytes; /* its length when it is unpacked */
};

/* Reads the debug directory. `assembly` points into `file`.
 * Errors: UM_ERR_NOT_FOUND it names no PDB; UM_ERR_FORMAT the file is no program or DLL. */
enum um_status um_assembly_read(const uint8_t *file, size_t len_bytes,
                                struct um_assembly *assembly);

/* Unpacks the embedded PDB. Units: `bytes` has room for `unpacked_bytes`. zlib allocates less
 * than 50 KB meanwhile. Errors: UM_ERR_TOO_LARGE it has more than UM_ASSEMBLY_MAX_EMBEDDED;
 * UM_ERR_FORMAT the packing is damaged, or has another length; UM_ERR_MEMORY. */
enum um_status um_assembly_unpack(const struct um_assembly *assembly, uint8_t *bytes);

#endif
