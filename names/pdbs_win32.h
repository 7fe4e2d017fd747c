/* The PDBs of .NET's assemblies. They are looked for beside the assembly, embedded in it, and on
 * the path for symbols; only on disks of this machine. One is used only if its id is the
 * assembly's. It is copied into memory, so that the next build can replace the file. All of them
 * have UM_PPDB_MAX_BYTES at most; then those that were used first are dropped. Not on the hot
 * path.
 */
#ifndef UM_NAMES_PDBS_WIN32_H
#define UM_NAMES_PDBS_WIN32_H

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#include "ipc/names.h"
#include "names/runtime.h"

/* Whether a file is the one that is looked for. */
typedef bool um_pdbs_is_it(void *context, const wchar_t *path);

/* The path for symbols. */
struct um_pdbs_search {
    void *context;
    /* Tries all files of this name and id on the path until one is it. */
    void (*find)(void *context, const wchar_t *name, const uint8_t *id, um_pdbs_is_it *is_it,
                 void *is_it_context);
};

/* Sets file, its checksum and line of `name` if they are known, or says why the PDB is not used.
 * Thread: waits for the disk, and for servers on the path. */
void um_pdbs_find(const struct um_runtime_place *place, const struct um_pdbs_search *search,
                  struct um_names_name *name);

#endif
