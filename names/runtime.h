/* Names of managed methods, from the runtime's own library for debuggers (its DAC).
 *
 * A runtime compiles methods when they are needed, so no file has their addresses. Each version of
 * the runtime comes with a library that reads its data from another process: mscordaccore.dll
 * beside coreclr.dll, and mscordacwks.dll beside the .NET Framework's clr.dll. That library is
 * loaded here, and reads the target's memory through this module. The number of reads for each name
 * is bounded, because the library can loop for an address that is no method.
 *
 * Backend: runtime_win32.c. One process at a time. Not on the hot path. A reader starts at
 * um_runtime_find.
 */
#ifndef UM_NAMES_RUNTIME_H
#define UM_NAMES_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/names.h"

/* Of the target's memory, for one name or for its place; then reads fail. Most reads for a place
 * are of pages that are known already. */
#define UM_RUNTIME_READS 4000
#define UM_RUNTIME_PLACE_READS 40000

/* Sets the process; 0: none. */
void um_runtime_process(uint32_t pid);

/* Whether the module at `base` in the process contains managed code, and has this time stamp. Parts
 * of such modules are compiled ahead of time, and only the runtime knows their methods. */
bool um_runtime_is_managed(uint64_t base, uint32_t timestamp);

/* What an instruction was compiled from. Optimised code knows that of some instructions only: of
 * the others this is the place of the last one before them of which it is known. */
struct um_runtime_place {
    uint32_t token;     /* of the method in its assembly; 0: not known */
    uint32_t il_offset; /* UINT32_MAX: the method's end */
    bool is_known;      /* of this very instruction */
    /* The IL offsets of the method that some instruction is known to be of, in their order. Owner:
     * this module, until the next call. */
    const uint32_t *known;
    size_t known_count;
    bool is_in_file; /* the assembly was loaded from a file; else its `path` is only its name */
    struct um_names_module assembly; /* also known if the token is not; "": not known */
};

/* Finds the method that contains an address. Fills in the zeroed `name`, except its number, file
 * and line, and the zeroed `place`. When `round` changes, the process's data is read anew.
 * Thread: blocks; the library may take long. */
void um_runtime_find(uint64_t address, uint32_t round, struct um_names_name *name,
                     struct um_runtime_place *place);

#endif
